package train

import (
	"errors"
	"slices"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// problems is what the problems of all outputs share. Their targets are made one
// output at a time: for many classes they would need more memory than the rows.
type problems struct {
	terms
	family  family // of all rows
	labels  *labels
	weights []float64
	lambda  float64 // of all rows; a part of them has the same C
	threads int

	beside bool                                // outputs are trained at the same time, each with a view of a matrix that is filled
	part   func(rows []uint32) (family, error) // that of some rows
	pairs  *kernel.Pairs                       // the matrices of pairs of classes; nil: those of parts of the whole
}

// newProblems makes the problems of a statement, for fitting, verifying and auditing alike: of
// the rows x with a kernel, nil for linear ones, with the targets y and the weights of all rows.
func newProblems(statement model.Statement, o own, y *labels, weights []float64, k kernel.Kernel, x matrix.Matrix, opt kernel.Options) (*problems, error) {
	rows, err := newFamily(k, x, opt)
	if err != nil {
		return nil, err
	}
	return problemsOf(statement, o, y, weights, rows, opt.Threads)
}

// newFamily makes the family of the rows x with a kernel, nil for linear ones.
func newFamily(k kernel.Kernel, x matrix.Matrix, opt kernel.Options) (family, error) {
	if k == nil {
		return linearFamily{problem.NewRows(x, opt.Threads)}, nil
	}
	f, err := newMachineFamily(k, x, opt)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// problemsOf is newProblems of rows that several of them may share.
func problemsOf(statement model.Statement, o own, y *labels, weights []float64, rows family, threads int) (*problems, error) {
	t, err := termsOf(statement, o)
	if err != nil {
		return nil, err
	}
	s := &problems{terms: t, labels: y, weights: weights, lambda: statement.Lambda, threads: threads, family: rows}
	switch f := rows.(type) {
	case machineFamily:
		s.part = func(rows []uint32) (family, error) { return f.part(rows) }
	case linearFamily:
		s.part = func(rows []uint32) (family, error) {
			return linearFamily{problem.NewRows(matrix.Gather(f.rows.X, rows), threads)}, nil
		}
	}
	return s, nil
}

// output makes the problem of output c.
func (s *problems) output(c int) (o objective, err error) {
	o = objective{family: s.family, all: len(s.weights)}
	if s.joint != nil {
		return s.jointly(o)
	}
	weights, lambda, y := s.weights, s.lambda, []float64(nil)
	switch o.rows = s.labels.pairRows(c); {
	case o.rows == nil:
		y = s.labels.targets(c, s.threads)
		if s.beside {
			o.family = machineFamily{s.family.(machineFamily).gram.Beside(s.threads)}
		}
	case s.pairs != nil:
		i, j := model.Pair(c, len(s.labels.classes))
		gram, fault := s.pairs.Gram(i, j, s.threads)
		o.family, err = machineFamily{gram}, fault
	default:
		o.family, err = s.part(o.rows)
	}
	if err != nil {
		return o, err
	}
	if o.rows != nil {
		y, weights = s.labels.signs(c, o.rows), at(s.weights, o.rows)
		lambda *= sum(s.weights) / sum(weights)
	}
	o.Problem, o.Risk, err = o.family.problem(s.terms, y, weights, lambda)
	var data problem.DataError
	if errors.As(err, &data) {
		err = DataError{err.Error()}
	}
	return o, err
}

// objective is the problem of one output, with the part of it that problems of
// all families have. Its rows may be some of those of the data.
type objective struct {
	problem.Problem
	*problem.Risk
	joint  *problem.JointRisk // of all classes; nil: of one prediction
	family family
	rows   []uint32 // which; nil: all
	all    int      // rows of the data
}

// Certify judges a point of all rows.
func (o objective) Certify(p problem.Point) problem.Certificate { return o.Problem.Certify(o.cut(p)) }

// inside returns the point that the certificate of p is about, p itself if it is.
func (o objective) inside(p problem.Point) problem.Point {
	bounded, ok := o.Problem.(problem.Bounded)
	if !ok {
		return p
	}
	part := o.cut(p)
	w := bounded.Inside(part.W)
	if &w[0] == &part.W[0] {
		return p
	}
	part.W = w
	return o.lift(part)
}

// cut takes what belongs to the rows of the problem out of a point of all rows;
// lift puts it there, with zeros for the others.
func (o objective) cut(p problem.Point) problem.Point {
	if o.rows == nil {
		return p
	}
	if _, ok := o.family.(machineFamily); ok {
		p.W = append(at(p.W, o.rows), p.W[o.all])
	}
	if p.A != nil {
		p.A = at(p.A, o.rows)
	}
	return p
}

func (o objective) lift(p problem.Point) problem.Point {
	if o.rows == nil {
		return p
	}
	spread := func(part []float64, n int) []float64 {
		all := make([]float64, n)
		for k, i := range o.rows {
			all[i] = part[k]
		}
		return all
	}
	if _, ok := o.family.(machineFamily); ok {
		bias := p.W[len(o.rows)]
		p.W = spread(p.W, o.all+1)
		p.W[o.all] = bias
	}
	if p.A != nil {
		p.A = spread(p.A, o.all)
	}
	return p
}

// outside returns the first row that the problem is not about but that has a coefficient
// in a point of all rows, -1 if there is none.
func (o objective) outside(w []float64) int {
	if _, machine := o.family.(machineFamily); !machine || o.rows == nil {
		return -1
	}
	inside := make([]bool, o.all)
	for _, i := range o.rows {
		inside[i] = true
	}
	for i, x := range w[:o.all] {
		if x != 0 && !inside[i] {
			return i
		}
	}
	return -1
}

// at returns some of the numbers.
func at(all []float64, places []uint32) []float64 {
	some := make([]float64, len(places), len(places)+1)
	for k, i := range places {
		some[k] = all[i]
	}
	return some
}

// orOnes returns the weights, n ones if there are none.
func orOnes(weights []float64, n int) []float64 {
	if weights != nil {
		return weights
	}
	return slices.Repeat([]float64{1}, n)
}

func sum(weights []float64) float64 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	return total
}
