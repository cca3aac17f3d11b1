// Package sparsify makes kernel machines of few support vectors from trained ones of many, and checks
// what they say of themselves: a program that imports it verifies such models by [fenchel.Verify]. The
// methods are in package internal/reduce, one a file.
package sparsify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/reduce"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// Spec says how a kernel machine is made smaller.
type Spec struct {
	Method   string  // name of the method, as sparsify.New takes it; "": auto
	Support  int     // limit of support vectors; 0: none
	Accuracy float64 // E of package sparsify, of numbers in their unit; 0: 1/2, or what Accuracy of the result says

	// ErrorAtMost, if not nil, asks for the fewest vectors with which the share of errors on
	// Test, or on the rows themselves where there is none, is at most so much above that of
	// the model: 0.002 for 0.2 points.
	ErrorAtMost *float64

	// Radius bounds the norm of each output's machine, as (3.3) of the thesis has it; 0: no bound. A refit would not
	// keep it: NoRefit belongs to it.
	Radius float64

	KeepBias bool
	NoRefit  bool    // coefficients stay those of the method
	Gap      float64 // relative gap of the refit; 0: 1e-3
	C        float64 // C of a refit of another program's model, which does not say it; 0: its largest coefficient
	Seed     uint64
	Threads  int
	Cache    int64 // bytes of rows of the kernel to keep

	Test *data.Set // rows to judge by as well; nil: none
	Path bool      // judge every number of vectors on the way, on Test too
}

// Result is a smaller model, and how it compares.
type Result struct {
	Model *model.Model
	Path  []Step // errors by the number of vectors
	Unit  string // unit of errors: "error" or "RMSE"

	Accuracy             float64 // E
	Norm2, Kappa         float64 // |w|^2, of all outputs together, and the largest k(x,x); 0: not known, as support vectors are no rows
	FullVectors, Vectors int
	Full, Small          Step // of the model and of the smaller one

	Steps  int
	Tried  []reduce.Tried       // methods that the method auto tried
	GaveUp string               // reason why the method ended before what it was asked for; "": it did not
	Goal   *reduce.Objective    // objective of the method, with a lower bound; nil: vectors are no rows
	Refit  *problem.Certificate // certificate of the refit, sums over outputs; nil: there was none
	Why    string               // reason why there was no refit
	Counts gram.Counts

	// NewRows is what the share of errors on new rows of the same distribution is at most, with probability 0.95, if a
	// number uniform in [-1/2, 1/2] is added to each score, by compression to Steps rows: the machine is determined
	// by these. NaN: it is determined by more (a bias, a refit, a limit on vectors), or the bound is above 1.
	NewRows float64

	Empty     string // why there are no vectors; "": there are
	Elsewhere bool   // the rows are others than the model was trained on
	Warnings  []error
}

// Step is how a machine of so many vectors predicts. What is unknown is NaN.
type Step struct {
	Vectors     int
	Loss        float64 // f, see package sparsify
	Mean        float64 // mean of the slant losses of the outputs; of the model, of the losses that bound them
	Train, Test float64 // errors, see Sparsified.Unit
}

// sparsifying is one call of Sparsify.
type sparsifying struct {
	model    *model.Model // in the problem that the small one is about
	given    *model.Model
	set      *data.Set
	spec     Spec
	problems *pose.Problems
	gram     *gram.Gram // of the rows, and of those of the test set after them
	rows     int
	truth    [2]judged // of the rows, and of the test set
	target   *reduce.Target
	sparse   model.Sparse
	full     [][]float64 // predictions of the model, outputs x rows, with those of the test set
	targets  [][]float64 // of each output, for all rows; 0: not of it
	enough   bool        // a number of vectors with few enough errors is known
	found    Result
}

// Sparsify makes a model of fewer support vectors of a kernel machine: those are among the
// rows of the set, which should be the rows that it was trained on.
func Sparsify(ctx context.Context, m *model.Model, set *data.Set, spec Spec) (*Result, error) {
	if m != nil && m.Statement.Targets != nil {
		return nil, fmt.Errorf("found a model of %d targets, expected one", len(m.Statement.Targets))
	}
	s := &sparsifying{model: m, given: m, set: set, spec: spec}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	s.spec.Method, s.spec.Gap = cmp.Or(spec.Method, "auto"), cmp.Or(spec.Gap, 1e-3)
	if spec.Radius > 0 && s.spec.Method == "auto" {
		s.spec.Method = "aggressive"
	}
	method, err := reduce.New(s.spec.Method)
	if err != nil {
		return nil, err
	}
	if spec.Radius > 0 {
		descent, ok := method.(reduce.Descent)
		if !ok || !spec.NoRefit {
			return nil, fmt.Errorf("radius %g: found the method %s, or a refit, which know no bound on the norm, expected aggressive or basic, and no refit", spec.Radius, s.spec.Method)
		}
		descent.Radius = spec.Radius
		method = descent
	}
	choice, err := s.choose(ctx, method)
	if err != nil {
		return nil, err
	}
	s.outliers(choice)
	before := *choice
	before.Coefficients, before.Bias = slices.Clone(choice.Coefficients), slices.Clone(choice.Bias)
	if err := s.refit(ctx, choice); err != nil {
		return nil, err
	}
	err = s.make(choice)
	s.found.NewRows = s.compression(method)
	if err != nil || s.found.Refit == nil || spec.ErrorAtMost == nil || s.few(s.found.Small) {
		return &s.found, err
	}
	s.found.Refit, s.found.Why = nil, "it makes more errors than are asked for"
	return &s.found, s.make(&before)
}

// compression is the bound of NewRows. The number of steps is found on the rows: the confidence is shared among
// all numbers k as 1/(k(k+1)).
func (s *sparsifying) compression(method reduce.Method) float64 {
	_, descent := method.(reduce.Descent)
	k := s.found.Steps
	whole := descent && s.spec.NoRefit && s.spec.KeepBias && s.spec.Support == 0 && s.spec.ErrorAtMost == nil && s.model.Statement.Bias == "none" && len(s.model.Outputs) == 1 && len(s.model.Classes) == 2 &&
		s.found.Kappa == 1 && s.found.Accuracy == reduce.DefaultAccuracy
	if !whole || k == 0 || k > s.rows/2 {
		return math.NaN()
	}
	bound := theory.Compression(s.found.Small.Mean, float64(k), float64(s.rows), 0.05/(float64(k)*float64(k+1)))
	if bound > 1 {
		return math.NaN()
	}
	return bound
}

// check refuses models that have no support vectors to save, and options.
func (s *sparsifying) check() error {
	m, spec := s.model, s.spec
	switch st := m.Statement; {
	case m.Map != nil:
		return errors.New("found a linear model of the images of a map, expected a kernel machine: train with a map of fewer features instead")
	case m.Network != nil:
		return errors.New("found a network, expected a kernel machine")
	case m.Support == nil:
		return errors.New("found a linear model, expected a kernel machine: a prediction of a linear model costs no support vectors")
	case st.HardMargin:
		return errors.New("found a model of the hard margin, expected one of lambda, C, radius, slack or nu")
	case st.Slack != 0 && len(m.Outputs) > 1:
		return fmt.Errorf("found a model of a bounded slack with %d predictors, whose margins differ, expected one of two classes", len(m.Outputs))
	case m.IsJoint():
		return fmt.Errorf("found a model of the loss %s of all classes together, expected one of a loss of each predictor, such as hinge", st.Loss)
	case spec.Support < 0 || spec.Support > m.Support.Len():
		return fmt.Errorf("support=%d: expected a number from 1 to %d, the support vectors of the model", spec.Support, m.Support.Len())
	case !(spec.Accuracy >= 0) || math.IsInf(spec.Accuracy, 1):
		return fmt.Errorf("accuracy=%g: expected a finite number > 0", spec.Accuracy)
	case spec.ErrorAtMost != nil && !(*spec.ErrorAtMost >= 0 && *spec.ErrorAtMost < 1):
		return fmt.Errorf("error at most %g: expected a share from 0 to 1", *spec.ErrorAtMost)
	case spec.ErrorAtMost != nil && m.Classes == nil:
		return errors.New("an error in points is of classes, but the model predicts numbers: expected a number of vectors or a loss")
	case spec.Gap < 0 || spec.C < 0:
		return fmt.Errorf("gap=%g, C=%g: expected numbers > 0", spec.Gap, spec.C)
	}
	return nil
}

// prepare makes the target: the rows, and what the model says of them.
func (s *sparsifying) prepare() error {
	m, set := s.model, s.set
	if err := pose.CheckPair(m, set); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	if set.Target.Absent() && !m.OneClass() {
		return pose.DataError{Reason: "the data have no targets: expected the rows that the model was trained on"}
	}
	if _, sparse := set.X.(*matrix.CSR); sparse && set.Schema == nil && set.Cols() < m.Cols() {
		wide := *set // the last columns may have no values
		wide.Widen(m.Cols())
		set, s.set = &wide, &wide
	}
	if d := set.Cols(); !m.IsImported() && d != m.Data.Features {
		return pose.DataError{Reason: fmt.Sprintf("the data have %s, expected the %d of the model", registry.Count(d, "feature"), m.Data.Features)}
	}
	s.found.Elsewhere = !m.IsImported() && set.Digest() != m.Data.Digest
	y, err := pose.Relabel(m, set)
	if err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	y.ByClass = false // risks have their rows in order
	if err := s.rowsOf(y); err != nil {
		return err
	}
	if err := s.penalise(); err != nil {
		return err
	}
	return s.aim(y)
}

// rowsOf makes the matrix of the kernel, and the problems of the rows where the model states
// them.
func (s *sparsifying) rowsOf(y *pose.Labels) error {
	m, set := s.model, s.set
	k, err := pose.KernelOf(m)
	if err != nil {
		return err
	}
	x := scaled(m, set.X)
	s.rows = set.Rows()
	opt := gram.Options{Cache: s.spec.Cache, Threads: s.spec.Threads}
	all := x
	if s.spec.Test != nil {
		if err := pose.CheckPair(m, s.spec.Test); err != nil {
			return err
		}
	}
	if s.spec.Test != nil && s.watches() {
		all = stack{x, scaled(m, s.spec.Test.X)}
	}
	if all, err = kernel.Prepare(k, all, 0); err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	if s.gram, err = gram.NewGram(k, all, opt); err != nil {
		return err
	}
	statement := m.Statement
	if m.IsImported() {
		statement.Lambda = 1 / (s.largest() * pose.Sum(pose.OrOnes(set.Weight, set.Rows())))
	}
	if err := fenchel.CheckStatement(&model.Model{Statement: statement, Classes: m.Classes, Support: m.Support, Outputs: m.Outputs}, set); err != nil && !m.IsImported() {
		return err
	}
	s.problems, err = pose.NewProblems(statement, pose.CustomOf(m), y, pose.OrOnes(y.Weights(set.Weight), set.Rows()), k, x, opt)
	return err
}

// watches reports whether choices are judged on the way.
func (s *sparsifying) watches() bool { return s.spec.Path || s.spec.ErrorAtMost != nil }

// largest is C of a model of another program: as asked for, or the largest coefficient, which
// it is if any row is at its bound.
func (s *sparsifying) largest() float64 {
	if s.spec.C > 0 {
		return s.spec.C
	}
	most := 0.0
	for _, o := range s.model.Outputs {
		for _, w := range o.Weights {
			most = max(most, math.Abs(w))
		}
	}
	return cmp.Or(most, 1)
}

// scaled returns rows as the kernel of a model takes them.
func scaled(m *model.Model, x matrix.Matrix) matrix.Matrix {
	if m.Scaling != nil {
		return m.Scaling.Matrix(x)
	}
	return x
}

// stack is the rows of one matrix and then those of another.
type stack struct{ above, below matrix.Matrix }

func (s stack) Dims() (rows, cols int) {
	n, d := s.above.Dims()
	more, e := s.below.Dims()
	return n + more, max(d, e)
}

func (s stack) Row(i int) matrix.Vector {
	if n, _ := s.above.Dims(); i >= n {
		return s.below.Row(i - n)
	}
	return s.above.Row(i)
}

// aim makes the target of the method.
func (s *sparsifying) aim(y *pose.Labels) error {
	m := s.model
	s.full = s.predictions(m)
	s.target = &reduce.Target{Gram: s.gram, Rows: s.rows, Support: m.Support.Rows}
	for c, o := range m.Outputs {
		response := s.full[c][:s.gram.Len()]
		if i := slices.IndexFunc(response, func(v float64) bool { return v-v != 0 }); i >= 0 {
			return pose.DataError{Reason: fmt.Sprintf("row %d has no finite score by the model: expected rows that it can predict", i+1)}
		}
		s.targets = append(s.targets, spread(m, y, c, s.rows))
		s.target.Outputs = append(s.target.Outputs, reduce.Output{Response: response, Bias: o.Bias})
		s.target.Coefficients = append(s.target.Coefficients, o.Weights)
	}
	s.bound()
	return s.risks()
}

// penalise states the problem of a model of a bounded slack, whose margins are 1, with the lambda of
// which it is the optimum too: a machine of fewer vectors may have no margin within that slack. The
// dual variables are those of the hinge, of which the largest is 1.
func (s *sparsifying) penalise() error {
	if s.model.Statement.Slack == 0 {
		return nil
	}
	o := s.model.Outputs[0]
	p, err := s.problems.Output(0)
	if err != nil {
		return err
	}
	if s.found.Elsewhere || o.Dual == nil || !(o.Certificate.Primal < 0) {
		return pose.DataError{Reason: "the model of a bounded slack has no margin or no dual variables, or other rows: expected one with both and its rows"}
	}
	w, most := s.problems.Family.Weights(s.model, 0), 0.0
	for _, a := range o.Dual {
		most = max(most, math.Abs(a))
	}
	lambda := p.Problem.(*problem.Slack).ImpliedLambda(problem.Point{W: p.Point(w, float64(o.Certificate.Primal)), A: o.Dual})
	m := *s.model
	m.Statement.Slack, m.Statement.Lambda, m.Outputs = 0, lambda, slices.Clone(m.Outputs)
	s.problems.Slack, s.problems.Lambda = 0, lambda
	if p, err = s.problems.Output(0); err != nil {
		return err
	}
	o.Dual = pose.Scaled(1/most, o.Dual)
	found := p.Certify(problem.Point{W: w, A: o.Dual})
	o.Certificate.Primal, o.Certificate.Dual, o.Certificate.Zero = model.Bound(found.Primal), model.Bound(found.Dual), model.Bound(found.Zero)
	m.Outputs[0], s.model = o, &m
	return nil
}

// predictions returns what a model says of the rows, and then of those of the test set: outputs
// x rows.
func (s *sparsifying) predictions(m *model.Model) [][]float64 {
	scores := model.Scores(m, s.set.X, s.spec.Threads)
	if s.spec.Test != nil {
		scores = append(scores, model.Scores(m, s.spec.Test.X, s.spec.Threads)...)
	}
	by := make([][]float64, len(m.Outputs))
	for c := range by {
		by[c] = make([]float64, len(scores))
		for i, row := range scores {
			by[c][i] = row[c]
		}
	}
	return by
}

// spread returns the targets of an output for all n rows: 0 of classes for those that it is
// not about, 1 of one class.
func spread(m *model.Model, y *pose.Labels, c, n int) []float64 {
	if m.OneClass() {
		return slices.Repeat([]float64{1}, n)
	}
	targets, rows := y.Targets(c, 1), y.PairRows(c)
	if rows == nil {
		return targets
	}
	all := make([]float64, n)
	for k, i := range rows {
		all[i] = targets[k]
	}
	return all
}

// bound makes the bands, which leave the rows of the test set free.
func (s *sparsifying) bound() {
	n, free := s.rows, s.gram.Len()-s.rows
	for c := range s.target.Outputs {
		o := &s.target.Outputs[c]
		targets, response := s.targets[c], o.Response[:n]
		switch {
		case s.model.OneClass():
			s.sparse.Margin = max(-o.Bias, 1e-300)
			o.Band = reduce.OneClass(response, s.sparse.Margin)
		case s.model.Classes == nil:
			s.sparse.Tube = s.tube(response)
			o.Band = reduce.Numbers(targets, response, s.sparse.Tube)
		default:
			s.sparse.Margin = s.margin(targets, response)
			o.Band = reduce.Classes(targets, response, s.sparse.Margin)
		}
		for range free {
			o.Lo, o.Hi = append(o.Lo, math.Inf(-1)), append(o.Hi, math.Inf(1))
		}
	}
	s.found.Accuracy = s.accuracy()
	s.sparse.Accuracy = s.found.Accuracy
}

// accuracy is E in the unit of predictions.
func (s *sparsifying) accuracy() float64 {
	if s.model.Classes != nil {
		return cmp.Or(s.spec.Accuracy, reduce.DefaultAccuracy) * s.sparse.Margin
	}
	// One if the model is a constant: it has no vectors to save.
	return cmp.Or(s.spec.Accuracy, pose.Deviation(s.target.Outputs[0].Response[:s.rows])/10, 1)
}

// tube is the error that the loss does not mind; with nu, that which the share 1-nu has.
func (s *sparsifying) tube(response []float64) float64 {
	if nu := s.model.Statement.Nu; nu > 0 {
		errors := make([]float64, len(response))
		for i, p := range response {
			errors[i] = math.Abs(s.targets[0][i] - p)
		}
		slices.Sort(errors)
		return errors[min(len(errors)-1, int((1-nu)*float64(len(errors))))]
	}
	if t, ok := s.problems.Loss.(loss.Tube); ok {
		return t.Tube()
	}
	return 0
}

// margin is the one that the machine was trained for: 1; with nu, that below which the share
// nu is.
func (s *sparsifying) margin(y, response []float64) float64 {
	nu := s.model.Statement.Nu
	if nu == 0 {
		return 1
	}
	var margins []float64
	for i, side := range y {
		if side != 0 {
			margins = append(margins, side*response[i])
		}
	}
	slices.Sort(margins)
	return max(margins[min(len(margins)-1, int(nu*float64(len(margins))))], 1e-300)
}
