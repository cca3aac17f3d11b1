package pose

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// OneClass is the task of telling rows like those of the data from outliers.
const OneClass = model.OneClass

// shareLosses are those of machines with nu: the margin or the tube's width, which
// is what nu stands instead of, is no part of them.
var ShareLosses = map[string]string{"classification": "hinge", "regression": "epsilon-insensitive", OneClass: "hinge"}

// checkShares refuses a nu that is too large for the classes of an output: on either
// side there must be rows enough for half of it.
func (l *Labels) CheckShares(nu float64, weights []float64) error {
	of := make([]float64, len(l.Classes))
	for i, c := range l.Class {
		of[c] += weights[i]
	}
	for c := range l.Outputs() {
		i, j := len(of)-1, -1 // the second of two classes
		if l.Outputs() > 1 {
			i = c
		}
		all := Sum(of)
		if l.Pairs && len(of) > 2 {
			i, j = model.Pair(c, len(of))
			all = of[i] + of[j]
		}
		if most := 2 * min(of[i], all-of[i]) / all; nu > most {
			against := "the other classes"
			if j >= 0 {
				against = fmt.Sprintf("%q", l.Classes[j])
			} else if len(of) == 2 {
				against = fmt.Sprintf("%q", l.Classes[0])
			}
			return fmt.Errorf("nu=%g: expected at most %.6g, twice the share of the smaller side: class %q has %g rows, %s %g", nu, most, l.Classes[i], of[i], against, all-of[i])
		}
	}
	return nil
}

// share states the problem of a machine with nu. What other problems know of losses
// is filled in for it as far as it goes.
func (f MachineFamily) share(t Terms, y, weights []float64, lambda float64) (problem.Problem, *problem.Risk, error) {
	var p *problem.Nu
	var err error
	_, margin := t.Loss.(loss.Margin)
	switch {
	case t.OneClass:
		p, err = problem.NewOneClass(f.Gram, weights, t.Nu)
	case margin:
		p, err = problem.NewNuClassification(f.Gram, y, weights, t.Nu)
	default:
		p, err = problem.NewNuRegression(f.Gram, y, weights, t.Nu, lambda)
	}
	if err != nil {
		return nil, nil, err
	}
	return p, &problem.Risk{Y: y, S: p.S, N: p.N, Loss: t.Loss, Lambda: p.Lambda, Bias: problem.Free}, nil
}
