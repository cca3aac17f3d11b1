package sparsify

import (
	"cmp"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

func init() { pose.CheckSparse = check }

// check recomputes what a smaller machine says of its slant loss. Vectors that are no rows are
// points of no problem.
func check(m *model.Model, set *data.Set, threads int) (c pose.SparseClaim) {
	found, err := meanLoss(m, m, set, false, threads)
	if err != nil {
		return pose.SparseClaim{Problems: []string{err.Error()}, Alone: true}
	}
	c.Slant = found
	problem, unproved := pose.CompareClaim("the model", "slant loss", m.Sparse.Loss, model.Bound(found), pose.Tolerance*max(found, 1), 0)
	if c.Unproved = unproved; problem != "" {
		c.Problems = []string{problem}
	}
	if m.Support.Index == nil {
		c.Unproved, c.Alone = "the support vectors are no rows, so that nothing bounds the objective: expected no more than the slant loss", true
	}
	return c
}

// Verify adds to a Verification of m what another model says, which is claimed to be the
// one that m was made from: its numbers, and its loss on the rows.
func Verify(v *fenchel.Verification, m, full *model.Model, set *data.Set, threads int) error {
	if err := pose.CheckPair(full, set); err != nil {
		return err
	}
	problem, unproved := "", ""
	switch s := m.Sparse; {
	case s == nil:
		return fmt.Errorf("found a model that was trained, expected one that was made from another")
	case full.Support == nil || len(full.Outputs) != len(m.Outputs):
		problem = "the model was not made from that one, which has other predictors or no support vectors"
	case full.Digest() != s.Model || full.Support.Len() != s.Vectors:
		problem = fmt.Sprintf("the model claims to be made from %d support vectors, %s, found %d, %s", s.Vectors, s.Model, full.Support.Len(), full.Digest())
	case s.Elsewhere != "" && s.Elsewhere != full.Data.Digest:
		problem = fmt.Sprintf("the model claims to be made from one of other rows, %s, found %s", s.Elsewhere, full.Data.Digest)
	default:
		found, err := meanLoss(full, m, set, true, threads)
		if err != nil {
			return err
		}
		problem, unproved = pose.CompareClaim("the model it was made from", "loss", s.Full, model.Bound(found), pose.Tolerance*max(found, 1), 0)
		v.FullLoss, v.FullKnown = found, true
	}
	if v.Unproved = cmp.Or(unproved, v.Unproved); problem != "" {
		v.Problems = append(v.Problems, problem)
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
