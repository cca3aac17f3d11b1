package fenchel

import (
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/suspect"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// single reports whether there is one class, or one number that the loss is 0 at, which a free bias alone
// gets right: no weights are learned. With another bias the problem is one like others, though any
// weights give the one label.
func (j *job) single() bool {
	if j.spec.IsNetwork() || j.labels.Names != nil { // checkSingle refuses a network of one class
		return false
	}
	if j.labels.Classes != nil || j.first.Bias != problem.Free {
		return len(j.labels.Classes) == 1 && j.first.Bias == problem.Free
	}
	y := j.labels.Number
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
	if j.labels.Classes == nil {
		point.W[cols] = j.labels.Number[0]
	}
	if _, margin := j.first.Loss.(loss.Margin); margin {
		point.W[cols] = 2
	}
	if j.labels.Classes != nil && j.first.Loss.Value(point.W[cols], 1) > 0 {
		point.W[cols] = 64
	}
	s := &solver.Solution{Status: solver.Converged, Point: point, Certificate: j.first.Certify(point)}
	s.Status = pose.EndOf(s.Status, s.Certificate.Relative(), j.spec.Gap)
	return s
}

// checkSingle refuses problems that are about two classes.
func (j *job) checkSingle() error {
	if k := len(j.labels.Classes); j.spec.IsNetwork() && k > 2 && !j.labels.Joint {
		return fmt.Errorf("loss=%s of %d classes with hidden layers: expected softmax, as one network predicts the scores of all", j.spec.Loss, k)
	}
	if len(j.labels.Classes) == 1 && j.spec.IsNetwork() {
		return pose.DataError{Reason: fmt.Sprintf("all rows have the label %q: expected at least two classes with hidden layers", j.labels.Classes[0])}
	}
	if len(j.labels.Classes) == 1 && j.labels.Joint {
		return pose.DataError{Reason: fmt.Sprintf("all rows have the label %q: expected at least two classes with the loss %s", j.labels.Classes[0], j.spec.Loss)}
	}
	if len(j.labels.Classes) == 1 && (j.spec.margin() || j.spec.Nu != 0) {
		return pose.DataError{Reason: fmt.Sprintf("all rows have the label %q: expected at least two classes with slack or nu", j.labels.Classes[0])}
	}
	return nil
}

// constantPrediction is the warning that the model gives every row of its training data the same
// class, as it does where regularisation is too strong; nil if it does not, or if finding
// out would cost more values of the kernel than training did.
func (j *job) constantPrediction(r *Result) error {
	m := r.Model
	if m.Classes == nil && !m.OneClass() && j.labels.Number != nil && (m.Support == nil || !looksUp(m.Support.Kernel)) {
		return j.flatPrediction(m)
	}
	if m.Classes == nil || m.OneClass() || j.single() || r.Status == solver.Interrupted || r.Status == solver.TimeLimit {
		return nil
	}
	if !j.agreeFirst(m) || m.Support != nil && int64(m.Support.Len())*int64(j.set.Rows()) > r.Evaluations.Requested {
		return nil
	}
	class := j.onlyClass(m)
	if class < 0 {
		return nil
	}
	return fmt.Errorf("all rows of the training data get the class %q: less regularisation (a larger C, a smaller lambda), balanced class weights or other features may tell classes apart", m.Classes[class])
}

// flatPrediction is constantPrediction for numbers: predictions that hardly differ where the
// targets do. Of a kernel machine each is that of the other rows, as of a row it has not learned from: where
// the kernel is next to 0 for all pairs of rows, rows are told apart by their own coefficients alone.
func (j *job) flatPrediction(m *model.Model) error {
	const flat = 0.02 // of the deviation of the targets
	rows, learned, advice := suspect.Sample(j.set.Rows(), 4096), "all rows of the training data", "a larger C (a smaller lambda)"
	if m.Support != nil {
		rows, learned, advice = suspect.Sample(j.set.Rows(), 64), "rows that the model has not learned from", "columns of one scale ('scale=std'), a smaller gamma, a larger C"
	}
	scores, outputs := make([]float64, 0, len(rows)*len(m.Outputs)), len(m.Outputs)
	for _, i := range rows {
		scores = m.Scores(scores, j.set.X.Row(i))
	}
	predicted, targets := make([]float64, len(rows)), make([]float64, len(rows))
	for c, column := range j.set.Target.Columns() {
		for k, i := range rows {
			predicted[k], targets[k] = m.Number(scores[k*outputs+c]-ownPart(m, c, uint32(i))), column[i]
		}
		if p, y := pose.Deviation(predicted), pose.Deviation(targets); y == 0 || p > flat*y {
			return nil
		}
	}
	return fmt.Errorf("%s get nearly the same prediction, such as %.4g: %s, a smaller epsilon where the loss has one, or other features may tell rows apart", learned, predicted[0], advice)
}

// ownPart is what a row adds to its own score of an output, as a support vector of a machine.
func ownPart(m *model.Model, c int, row uint32) float64 {
	if m.Support == nil {
		return 0
	}
	v := slices.Index(m.Support.Index, row)
	if v < 0 {
		return 0
	}
	x := m.Support.Rows.Row(v)
	return m.Outputs[c].Weights[v] * m.Support.Kernel.Eval(x, x)
}

// onlyClass returns the class that all rows get, -1 if there are two.
func (j *job) onlyClass(m *model.Model) int {
	x, err := m.Prepare(j.set.X)
	if err != nil {
		return -1
	}
	const few, most = 64, 4096 // rows between two comparisons of what they got: mostly the first tells
	n, k := j.set.Rows(), len(m.Outputs)
	scores, only := make([]float64, k*min(n, most)), -1
	for lo, rows := 0, 0; lo < n; lo += rows {
		rows = min(max(few, 4*rows), most, n-lo)
		parallel.Blocks(rows, 256, j.spec.Threads, func(_, a, b int) { m.ScoreRows(scores[k*a:k*b], x, lo+a, lo+b) })
		for s := range slices.Chunk(scores[:k*rows], k) {
			class := m.Decide(s)
			if only >= 0 && class != only {
				return -1
			}
			only = class
		}
	}
	return only
}

// agreeFirst reports whether the first row of each class gets the same class: of a model
// that tells anything apart they seldom do.
func (j *job) agreeFirst(m *model.Model) bool {
	seen := make([]bool, len(m.Classes))
	first, left := -1.0, len(seen)
	for i, c := range j.labels.Class {
		if seen[c] {
			continue
		}
		answer := m.Predict(j.set.X.Row(i))
		if first >= 0 && answer != first {
			return false
		}
		first, seen[c] = answer, true
		if left--; left == 0 {
			break
		}
	}
	return true
}
