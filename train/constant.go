package train

import (
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// single reports whether there is one class, or one number that the loss is 0 at, which a free bias alone
// gets right: no weights are learned. With another bias the problem is one like others, though any
// weights give the one label.
func (j *job) single() bool {
	if j.labels.classes != nil || j.first.Bias != problem.Free {
		return len(j.labels.classes) == 1 && j.first.Bias == problem.Free
	}
	y := j.labels.number
	return !j.spec.margin() && j.spec.Nu == 0 && j.spec.Radius == 0 && j.first.Loss.Value(y[0], y[0]) == 0 &&
		!slices.ContainsFunc(y, func(other float64) bool { return other != y[0] })
}

// constant returns the predictor of no weights, with its certificate. The bias is the
// target, 1; of a loss of margins 2, away from the corner at 1, where rounding would cost
// the proof, or, for the logistic loss, where there is next to no loss.
func (j *job) constant() *solver.Solution {
	rows, cols := j.first.Dims()
	point := problem.Point{W: make([]float64, cols+1), A: make([]float64, rows)}
	point.W[cols] = 1
	if j.labels.classes == nil {
		point.W[cols] = j.labels.number[0]
	}
	if _, margin := j.first.Loss.(loss.Margin); margin {
		point.W[cols] = 2
	}
	if j.labels.classes != nil && j.first.Loss.Value(point.W[cols], 1) > 0 {
		point.W[cols] = 64
	}
	s := &solver.Solution{Status: solver.Converged, Point: point, Certificate: j.first.Certify(point)}
	s.Status = endOf(s.Status, s.Certificate.Relative(), j.spec.Gap)
	return s
}

// sameLabels says that all rows have one label; nil: they do not.
func (l *labels) sameLabels() []error {
	if len(l.classes) != 1 {
		return nil
	}
	return []error{fmt.Errorf("all rows have the label %q: the model predicts it for every row", l.classes[0])}
}

// checkSingle refuses problems that are about two classes.
func (j *job) checkSingle() error {
	if len(j.labels.classes) == 1 && j.labels.joint {
		return DataError{fmt.Sprintf("all rows have the label %q: expected at least two classes with the loss %s", j.labels.classes[0], j.spec.Loss)}
	}
	if len(j.labels.classes) == 1 && (j.spec.margin() || j.spec.Nu != 0) {
		return DataError{fmt.Sprintf("all rows have the label %q: expected at least two classes with slack or nu", j.labels.classes[0])}
	}
	return nil
}
