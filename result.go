package fenchel

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/suspect"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// result makes the model of the solutions, with certificates of exactly what
// the model holds.
func (j *job) result(solutions []*solver.Solution, digest *set.Digesting) (*Result, error) {
	m := &model.Model{
		Statement: j.statement(),
		Data: model.Data{Rows: j.set.Rows(), Features: j.set.Cols(),
			Nonzeros: matrix.Nonzeros(j.set.X), Classes: len(j.labels.Classes), Columns: pose.Columns(j.set.Schema), Digest: digest.Wait(), Precision: pose.Precision(j.set)},
		Classes: j.labels.Classes, Features: j.set.Feature, Schema: j.set.Schema, Scaling: j.scaling, Map: j.mapped,
		Outputs: make([]model.Output, len(solutions)), Version: pose.Version(), Notes: maps.Clone(j.spec.Notes),
		CustomLoss: j.spec.Custom.Loss, CustomPenalty: j.spec.Custom.Penalty,
	}
	err := j.seal(m, solutions, true)
	if err == nil && lost(m, solutions) { // by rounding the dual variables
		err = j.seal(m, solutions, false)
	}
	if err != nil {
		return nil, err
	}
	r := &Result{Model: m, Status: solver.Converged, Summary: Summarise(m), N: j.total(), C: j.c, Why: j.why, BiasWhy: j.biasWhy, Margins: j.margins, Evaluations: j.problems.Evaluations(), Train: j.mapping}
	if r.Warnings = j.labels.SameLabels(); !j.single() {
		r.Warnings = append(r.Warnings, suspect.Find(j.set, j.labels)...)
	}
	r.Ended = solutions[0].Done
	r.Unproved, r.ProvesNothing = j.unproved(r.Summary), j.provesNothing()
	if warning := j.start.warning(); warning != nil {
		r.Warnings = append(r.Warnings, warning)
	}
	for c, s := range solutions {
		r.Epochs += s.Epochs
		r.Train += s.Train
		r.Certify += s.Certify
		r.Status = pose.Worse(r.Status, solver.Status(m.Outputs[c].Certificate.Status))
		r.Warnings = append(r.Warnings, s.Certificate.Warnings...)
	}
	if err := m.Seal(); err != nil {
		return nil, err
	}
	r.constant = j.constantPrediction(r)
	return r, nil
}

// lost reports whether the model proves less than a solution did: no longer that
// it converged, or a gap more than a tenth larger.
func lost(m *model.Model, solutions []*solver.Solution) bool {
	for c, s := range solutions {
		stored := m.Outputs[c].Certificate
		gap := problem.Relative(float64(stored.Primal), float64(stored.Dual), float64(stored.Zero))
		if s.Status == solver.Converged && stored.Status != string(solver.Converged) || gap > 1.1*s.Certificate.Relative() {
			return true
		}
	}
	return false
}

// seal puts the solutions into the outputs. With short, the dual variables are
// rounded to float32 first, which halves the file, unless the gap asked for is
// so small that this could show.
func (j *job) seal(m *model.Model, solutions []*solver.Solution, short bool) error {
	points, errs, facts := make([]problem.Point, len(solutions)), make([]error, len(solutions)), make([]*problem.Facts, len(solutions))
	proved := slices.ContainsFunc(solutions, func(s *solver.Solution) bool { return s.Point.A != nil })
	parallel.Blocks(len(solutions), 1, j.workers(), func(c, _, _ int) {
		s := solutions[c]
		point, certificate, err := j.storable(c, s, short && j.spec.short(), proved || !j.spec.IsMachine() && !j.spec.IsNetwork())
		if j.spec.NoDual {
			point.A = nil
		}
		points[c], errs[c] = point, err
		facts[c] = certificate.Facts
		m.Outputs[c] = model.Output{Dual: point.A,
			Certificate: model.Certificate{
				Status: string(pose.EndOf(s.Status, certificate.Relative(), j.spec.Gap)),
				Primal: model.Bound(certificate.Primal), Dual: model.Bound(certificate.Dual), Zero: model.Bound(certificate.Zero),
				Epochs: s.Epochs,
			}}
	})
	if j.spec.HardMargin {
		errs = append(errs, separated(m))
	}
	j.problems.Store(m, points)
	if err := first(errs); err != nil {
		return err
	}
	j.margins = j.marginsOf(facts)
	return j.describe(m, points, facts)
}

// separated returns why a model has no hard margin; nil: it has.
func separated(m *model.Model) error {
	for c, o := range m.Outputs {
		if primal, dual := float64(o.Certificate.Primal), float64(o.Certificate.Dual); !(primal < 0) {
			which := ""
			if len(m.Outputs) > 1 {
				which = fmt.Sprintf(" for classifier %d", c+1)
			}
			return pose.DataError{Reason: fmt.Sprintf("no predictor that separates the rows was found%s: none has a margin above %.3g: expected separable rows, or a finite C", which, -dual)}
		}
	}
	return nil
}

// storable returns the point of a solution as a model can hold it: weights that
// are bounded are those that the certificate is about. Its certificate is that of
// the solution unless something had to be changed. A model has dual variables of all
// its outputs or, where none is proved, of none.
func (j *job) storable(c int, s *solver.Solution, short, proved bool) (problem.Point, problem.Certificate, error) {
	point, same := s.Point, true
	// Run falls back to zero weights only where their objective is smaller than
	// that of the point: not where targets are so large that it overflows too.
	if slices.ContainsFunc(point.W, func(x float64) bool { return pose.FiniteOr(x, 1) != x }) {
		point.W, same = make([]float64, len(point.W)), false // no model can hold such weights
	}
	if _, bounded := j.first.Problem.(problem.Bounded); bounded {
		p, err := j.problem(c)
		if err != nil {
			return point, problem.Certificate{}, err
		}
		inside := p.Inside(point)
		point, same = inside, same && &inside.W[0] == &point.W[0]
	}
	switch {
	case point.A == nil && !proved: // a method or a kernel without any proof
	case point.A == nil: // nothing was proved of this output: zero always is a dual point
		point.A, same = make([]float64, j.set.Rows()*j.problems.Columns()), false
	case short && !solver.IsShort(point.A):
		point.A, same = slices.Clone(point.A), false
		solver.Shorten(point.A)
	}
	if same && !j.spec.margin() {
		return point, s.Certificate, nil
	}
	p, err := j.problem(c)
	if err != nil {
		return point, problem.Certificate{}, err
	}
	certificate := s.Certificate
	if !same {
		certificate = p.Certify(point)
	}
	if j.spec.margin() {
		point, certificate = p.Classifier(point, certificate)
	}
	return point, certificate, nil
}

// marginsOf returns the margins of a Result.
func (j *job) marginsOf(facts []*problem.Facts) []float64 {
	if j.spec.Nu == 0 || j.labels.Classes == nil || j.spec.Task == pose.OneClass {
		return nil
	}
	margins := make([]float64, len(facts))
	for c, f := range facts {
		if margins[c] = 1; f != nil && f.Lambda > 0 { // which of nu is the margin
			margins[c] = f.Lambda
		}
	}
	return margins
}

// describe computes the facts of a machine with the points of its outputs.
func (j *job) describe(m *model.Model, points []problem.Point, facts []*problem.Facts) error {
	if p, ok := j.first.Problem.(*problem.Network); ok {
		pose.DescribeNetwork(m, p, points[0].W)
	}
	if m.Support == nil || len(facts) > 1 {
		m.Facts = pose.FactsOf(m, j.labels, facts)
		return nil
	}
	p, err := j.problem(0)
	if err != nil {
		return err
	}
	m.Facts = p.Facts(m, j.labels, points[0], facts[0], j.part == nil)
	return nil
}

// provesNothing reports whether there can be no gap, by the solver or with the kernel:
// the passes are all that was asked for.
func (j *job) provesNothing() bool {
	machine, kernels := j.problems.Family.(pose.MachineFamily)
	return solver.TraitsOf(j.solver).Passes > 0 || kernels && !machine.Gram.Definite()
}

// unproved says why a job proved nothing; "" if there is a gap.
func (j *job) unproved(found Summary) string {
	if solver.TraitsOf(j.solver).Passes > 0 && found.Unproved() && !j.problems.Network() {
		return fmt.Sprintf("solver %s proves nothing", j.spec.Solver)
	}
	return j.problems.Unbounded(found.Primal, !found.Unproved())
}

// Summary is the certificate of a model as a whole: sums over its outputs, and
// the worst of them.
type Summary struct {
	Primal, Dual, Zero float64
	Gap                float64 // relative, of the sums
	Worst              float64 // the largest relative gap of an output
	WorstOutput        int
}

// Unproved reports whether there is no lower bound at all: the method has none.
func (s Summary) Unproved() bool { return pose.FiniteOr(s.Dual, 1) != s.Dual }

// Summarise adds up the certificates of a model.
func Summarise(m *model.Model) Summary {
	var s Summary
	if m == nil {
		return s
	}
	outputs := m.Outputs
	if m.IsJoint() && len(outputs) > 0 { // each has the certificate of all
		outputs = outputs[:1]
	}
	for i, o := range outputs {
		c := o.Certificate
		s.Primal, s.Dual, s.Zero = s.Primal+float64(c.Primal), s.Dual+float64(c.Dual), s.Zero+float64(c.Zero)
		gap := problem.Relative(float64(c.Primal), float64(c.Dual), float64(c.Zero))
		if i == 0 || gap > s.Worst {
			s.Worst, s.WorstOutput = gap, i
		}
	}
	s.Gap = problem.Relative(s.Primal, s.Dual, s.Zero)
	return s
}

// Result is what Train made.
type Result struct {
	Model   *model.Model
	Status  solver.Status // the worst of all classes
	Summary Summary
	N       float64 // the sum of the row weights
	C       float64 // 1/(lambda N), where the problem has a lambda; as the Spec has it, if it has one
	Epochs  int     // epochs of all classes together
	Why     string  // the solver was chosen; "" if it was asked for
	BiasWhy string  // why the bias is not the usual default, where the Spec names none; "": it is the usual one

	Ended         string // how a method without proof ended by itself; "": otherwise
	Unproved      string // why there is no gap; "": there is one
	ProvesNothing bool   // no gap can be proved by this solver or with this kernel: success is that all its passes were made

	// Margins are, of classes with nu, the margin rho of each output in the unit of its scores:
	// LIBSVM divides those of nu_svc by it. 1 where it is not above 0; nil: not classes with nu.
	Margins []float64

	Evaluations gram.Counts // number of kernel values computed in training; those of certificates are not counted

	// The time spent in solvers, and before in mapping rows, and in certificates,
	// added up over classes that may have run at the same time.
	Train, Certify time.Duration
	Warnings       []error

	constant error // all rows get one class by scores above 0; nil: not, or it is not known
}
