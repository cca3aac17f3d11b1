package fenchel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// AuditOptions say which problem a model of another program was to solve: its
// file does not.
type AuditOptions struct {
	C    float64 // C of C sum_i loss_i + |w|^2/2; which types need it says Needs
	Nu   float64 // nu of the types one_class, nu_svc and nu_svr
	Loss string  // name of the loss, as loss.New takes it; "": what the file says, with default parameters

	// ClassWeight multiplies C for the rows of a class, by label, as the options -wLABEL
	// of svm-train and train do. LIBLINEAR, which tells each of several classes from the
	// rest, multiplies it for the rows of that class alone.
	ClassWeight map[string]float64

	Refine  int   // improve the lower bounds by at most so many epochs of a solver
	Cache   int64 // bytes of the kernel's matrix to keep meanwhile
	Threads int
}

// An AuditResult is what was proved of a model of LIBSVM or LIBLINEAR. The objective
// is the predictor's own, the lower bound one on every predictor's.
type AuditResult struct {
	Outputs []problem.Certificate // certificate of each output of the model
	Rows    []int                 // how many rows each was trained on
	Summary Summary
	Loss    string // as stated, with its parameters
	Kernel  string // as stated: a precomputed matrix may need a shift for its proof
	Solver  string // name of the solver that improved the bounds; "": none

	Unproved string // why there is no bound; "": there is one
}

// Audit bounds how far an imported model is from the best possible on the
// rows it was trained on. Dual variables are rebuilt: for kernel machines from
// the coefficients of the support vectors, which must be among the rows, clipped
// to what is feasible; for linear models from the predictions.
//
// The problem is that of all features of the rows, of which a linear model may know
// fewer: it has weight 0 for the others. Weights of the rows multiply C, as instance
// weights of LIBSVM do.
//
// Support vectors are compared with the rows to 1e-6, as the files have eight
// digits, and are then taken to be these rows.
func Audit(ctx context.Context, m *model.Model, set *data.Set, opt AuditOptions) (*AuditResult, error) {
	if err := pose.CheckPair(m, set); err != nil {
		return nil, err
	}
	a := &auditor{model: m, set: set, opt: opt}
	if err := a.check(); err != nil {
		return nil, err
	}
	a.widen()
	m, set = a.model, a.set
	if err := CheckStatement(a.asked(), set); err != nil {
		return nil, err
	}
	y, err := pose.Relabel(m, set)
	if err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	k, err := pose.KernelOf(m)
	if err != nil {
		return nil, err
	}
	if _, matrix := k.(kernel.Precomputed); matrix {
		k = kernel.Precomputed{Auto: true}
	}
	if opt.ClassWeight != nil {
		if err := y.SetFactors(opt.ClassWeight, false, nil); err != nil {
			return nil, err
		}
	}
	if a.problems, err = pose.NewProblems(a.asked().Statement, pose.Custom{}, y, nil, k, set.X, gram.Options{Cache: opt.Cache, Threads: opt.Threads}); err != nil {
		return nil, err
	}
	if a.found.Loss = a.opt.Loss; opt.Nu == 0 { // which stands instead of a width
		a.found.Loss = inFull(a.opt.Loss, a.problems.Loss)
	}
	if err := a.findSupport(y.Class); err != nil {
		return nil, err
	}
	if err := a.outputs(ctx); err != nil {
		return nil, err
	}
	return &a.found, nil
}

// findSupport finds the support vectors of a kernel machine among the rows.
func (a *auditor) findSupport(class []uint32) error {
	if a.model.Support == nil {
		return nil
	}
	g := a.problems.Family.(pose.MachineFamily).Gram
	a.place = pose.MatchSupport(a.model, g.X, class)
	if v := slices.Index(a.place, -1); v >= 0 {
		return pose.DataError{Reason: fmt.Sprintf("support vector %d is not among the rows of the data: expected the rows that the model was trained on", v+1)}
	}
	a.found.Kernel = gram.Fitted(pose.CompleteKernel(a.model.Statement.Kernel, a.model.Cols()), g.Shift())
	return nil
}

// outputs judges all outputs.
func (a *auditor) outputs(ctx context.Context) error {
	found := *a.model
	found.Outputs = make([]model.Output, len(a.model.Outputs))
	for c := range found.Outputs {
		certificate, err := a.output(ctx, c)
		if err != nil {
			return err
		}
		a.found.Outputs = append(a.found.Outputs, certificate)
		found.Outputs[c].Certificate = model.Certificate{Primal: model.Bound(certificate.Primal), Dual: model.Bound(certificate.Dual), Zero: model.Bound(certificate.Zero)}
	}
	a.found.Summary = Summarise(&found)
	a.found.Unproved = a.problems.Unbounded(a.found.Summary.Primal, !a.found.Summary.Unproved())
	return nil
}

// auditor is one call of Audit.
type auditor struct {
	model    *model.Model
	set      *data.Set
	opt      AuditOptions
	problems *pose.Problems
	place    []int // the row that each support vector is
	found    AuditResult
}

// check refuses problems that are none of this package's.
func (a *auditor) check() error {
	s := a.model.Statement
	needsC, needsNu := pose.Needs(a.model)
	if a.opt.Loss == "" {
		a.opt.Loss = s.Loss
	}
	switch {
	case !a.model.IsImported():
		return errors.New("the model states its own problem, and is verified without another C or loss")
	case needsC && !(a.opt.C > 0):
		return fmt.Errorf("found C=%g, expected a number > 0, that of the training: the model's file does not hold it", a.opt.C)
	case needsNu && !(a.opt.Nu > 0 && a.opt.Nu <= 1):
		return fmt.Errorf("found nu=%g, expected a number > 0 and at most 1, that of the training: the model's file does not hold it", a.opt.Nu)
	case !needsC && a.opt.C != 0 || !needsNu && a.opt.Nu != 0:
		return fmt.Errorf("found C=%g and nu=%g for a model of the type %s, expected no number that its training did not have", a.opt.C, a.opt.Nu, s.Solver)
	case len(a.model.Classes) == 1 && a.model.Support != nil:
		return errors.New("found a model of a single class: it decides without a score that could be bounded")
	case a.opt.Refine < 0:
		return fmt.Errorf("refine=%d: expected a number of passes >= 0", a.opt.Refine)
	case slices.Contains([]string{"liblinear:ONECLASS_SVM", "liblinear:MCSVM_CS"}, s.Solver):
		return fmt.Errorf("found a model of the type %s: nothing is known to bound its problem", s.Solver)
	case a.opt.ClassWeight != nil && (a.model.Classes == nil || a.model.OneClass()):
		return fmt.Errorf("class weights for a model of the type %s: expected none, as it tells no classes apart", s.Solver)
	case a.set.Target.Absent() && !a.model.OneClass():
		return pose.DataError{Reason: "the data have no targets: expected the rows that the model was trained on"}
	case slices.Contains(a.set.Indicator(), true):
		return pose.DataError{Reason: "found columns of categories, expected numbers: the model knows features by their places alone"}
	}
	return nil
}

// widen gives a linear model weights 0 for features of the rows that it does not have,
// or rows zeros for those that they do not have.
func (a *auditor) widen() {
	m, set := *a.model, *a.set
	if m.Support != nil {
		return
	}
	set.Widen(m.Cols())
	m.Data.Features = set.Cols()
	m.Outputs = slices.Clone(m.Outputs)
	for c := range m.Outputs {
		w := make([]float64, set.Cols())
		copy(w, m.Outputs[c].Weights)
		m.Outputs[c].Weights = w
	}
	a.model, a.set = &m, &set
}

// asked returns the model with the problem that is bounded as its statement.
func (a *auditor) asked() *model.Model {
	m := *a.model
	s := &m.Statement
	s.Loss, s.Nu, s.ClassWeight = a.opt.Loss, a.opt.Nu, a.opt.ClassWeight
	if a.opt.C > 0 {
		s.Lambda = 1 / (a.opt.C * pose.Sum(pose.OrOnes(a.set.Weight, a.set.Rows())))
	}
	return &m
}

// inFull writes out the width of a tube, which the types of these files leave open.
func inFull(spec string, l loss.Loss) string {
	name, _, _ := strings.Cut(spec, ":")
	if tube, ok := l.(loss.Tube); ok {
		return fmt.Sprintf("%s:epsilon=%g", name, tube.Tube())
	}
	return spec
}

// weigh sets the weights of the rows for an output, and the lambda of C.
func (a *auditor) weigh(c int) {
	y, several := a.problems.Labels, len(a.model.Outputs) > 1 && a.model.Statement.Scheme != model.OneAgainstOne
	weights := slices.Clone(pose.OrOnes(a.set.Weight, a.set.Rows()))
	for i, class := range y.Class {
		if y.Factor != nil && (!several || int(class) == c) {
			weights[i] *= y.Factor[class]
		}
	}
	a.problems.Weights = weights
	if a.opt.C > 0 {
		a.problems.Lambda = 1 / (a.opt.C * pose.Sum(weights))
	}
}

// output judges one output on the rows it was trained on.
func (a *auditor) output(ctx context.Context, c int) (problem.Certificate, error) {
	a.weigh(c)
	p, err := a.problems.Output(c)
	if err != nil {
		return problem.Certificate{}, err
	}
	a.found.Rows = append(a.found.Rows, len(p.Y))
	point := a.point(c, p)
	certificate := p.Certify(point)
	if a.opt.Refine == 0 {
		return certificate, nil
	}
	name, _ := p.Family.Choose(p.Problem, refineGap)
	better, err := p.Family.Solver(name)
	if err != nil {
		return certificate, err
	}
	a.found.Solver = name
	point = p.Restrict(point)
	solution, err := solver.Run(ctx, better, p.Problem, solver.Options{Gap: refineGap, Epochs: a.opt.Refine, From: &point, Seed: 1})
	if err != nil {
		return certificate, err
	}
	// Each has the rounding error of its own primal taken off.
	certificate.Dual = max(certificate.Dual, solution.Certificate.Dual-certificate.Rounding)
	return certificate, nil
}

// refineGap is the relative gap at which a bound needs no more improvement.
const refineGap = 1e-6

// point returns the predictor of an output, and the dual variables it suggests,
// of all rows.
func (a *auditor) point(c int, p pose.Objective) problem.Point {
	if a.model.Support == nil {
		w := p.Family.Weights(a.model, c)
		return problem.Point{W: w, A: p.Derivatives(w)}
	}
	n, factor := a.set.Rows(), a.scale(c)
	point := problem.Point{W: make([]float64, n+1), A: make([]float64, n)}
	for v, beta := range a.model.Outputs[c].Weights {
		point.W[a.place[v]] += float64(factor * beta)
	}
	for i, beta := range point.W[:n] {
		point.A[i] = -beta * (p.Lambda * p.N / a.problems.Weights[i])
	}
	point.W[n] = factor * a.model.Outputs[c].Bias
	return point
}

// scale returns what the coefficients of an output are multiplied by to be those of
// problem.Nu, where their magnitudes add up to nu, or to 1 with one class. LIBSVM has
// other units, and divides those of nu_svc by the margin.
func (a *auditor) scale(c int) float64 {
	size := 0.0
	for _, beta := range a.model.Outputs[c].Weights {
		size += math.Abs(beta)
	}
	switch needsC, _ := pose.Needs(a.model); {
	case needsC || size == 0:
		return 1
	case a.model.OneClass():
		return 1 / size
	}
	return a.opt.Nu / size
}
