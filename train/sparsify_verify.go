package train

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/model"
)

// sparse checks what a smaller machine says of its slant loss. It reports whether that is all
// that can be checked: vectors that are no rows are points of no problem.
func (v *Verification) sparse(m *model.Model, set *dataset.Set, threads int) (done bool) {
	found, err := meanLoss(m, m, set, false, threads)
	if err != nil {
		v.fail("%s", err)
		return true
	}
	v.compare("the model", "slant loss", m.Sparse.Loss, model.Bound(found), tolerance*max(found, 1), 0)
	if v.Slant = found; m.Support.Index != nil {
		return false
	}
	v.Found, v.Unproved = v.Claimed, "the support vectors are no rows, so that nothing bounds the objective: expected no more than the slant loss"
	return true
}

// meanLoss is the mean over outputs of the loss by which m, smaller than another machine, is
// compared with it: of what predicts, which is one of the two.
func meanLoss(predictor, m *model.Model, set *dataset.Set, full bool, threads int) (float64, error) {
	y, err := relabel(m, set)
	if err != nil {
		return 0, err
	}
	x, err := predictor.Prepare(set.X)
	if err != nil {
		return 0, err
	}
	scores, weights := Scores(predictor, x, threads), orOnes(set.Weight, set.Rows())
	loss, sum := sparseLoss(m, m.Sparse, full), 0.0
	prediction := make([]float64, len(scores))
	for c := range m.Outputs {
		for i, row := range scores {
			prediction[i] = row[c]
		}
		sum += loss(spread(m, y, c, len(scores)), prediction, weights) / float64(len(m.Outputs))
	}
	return sum, nil
}

// VerifyFull adds to a Verification of m what another model says, which is claimed to be the
// one that m was made from: its numbers, and its loss on the rows.
func (v *Verification) VerifyFull(m, full *model.Model, set *dataset.Set, threads int) error {
	if err := checkPair(full, set); err != nil {
		return err
	}
	switch s := m.Sparse; {
	case s == nil:
		return fmt.Errorf("found a model that was trained, expected one that was made from another")
	case full.Support == nil || len(full.Outputs) != len(m.Outputs):
		v.fail("the model was not made from that one, which has other predictors or no support vectors")
	case full.Digest() != s.Model || full.Support.Len() != s.Vectors:
		v.fail("the model claims to be made from %d support vectors, %s, found %d, %s", s.Vectors, s.Model, full.Support.Len(), full.Digest())
	case s.Elsewhere != "" && s.Elsewhere != full.Data.Digest:
		v.fail("the model claims to be made from one of other rows, %s, found %s", s.Elsewhere, full.Data.Digest)
	default:
		found, err := meanLoss(full, m, set, true, threads)
		if err != nil {
			return err
		}
		v.compare("the model it was made from", "loss", s.Full, model.Bound(found), tolerance*max(found, 1), 0)
		v.FullLoss, v.FullKnown = found, true
	}
	if len(v.Problems) > 0 {
		v.Unproved = ""
	}
	return nil
}

// Guaranteed reports whether a smaller machine has at most the slant loss that the full one
// has of the hinge, or of the tube: the conclusion of theorem 3 of the thesis's chapter 3.
func Guaranteed(s *model.Sparse) bool {
	return float64(s.Loss) <= float64(s.Full)+1e-12*math.Abs(float64(s.Full))
}
