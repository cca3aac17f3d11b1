package pose

import (
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// Problems is what the problems of all outputs share. Their targets are made one
// output at a time: for many classes they would need more memory than the rows.
type Problems struct {
	Terms
	each    []Terms         // terms of each of several targets; nil: there is one
	lambdas []float64       // lambda of each
	shared  *problem.Shared // what problems that differ by their targets alone compute once; nil: these differ in more
	Family  Family          // of all rows
	Labels  *Labels
	Weights []float64
	Lambda  float64 // of all rows; a part of them has the same C
	Threads int

	Concurrent bool                                // outputs are trained at the same time, each with a view of a matrix that is filled
	part       func(rows []uint32) (Family, error) // that of some rows
	Pairs      *gram.Pairs                         // the matrices of pairs of classes; nil: those of parts of the whole
}

// NewProblems makes the problems of a statement, for fitting, verifying and auditing alike: of
// the rows x with a kernel, nil for linear ones, with the targets y and the weights of all rows.
func NewProblems(statement model.Statement, o Custom, y *Labels, weights []float64, k kernel.Kernel, x matrix.Matrix, opt gram.Options) (*Problems, error) {
	rows, err := NewFamily(k, x, opt)
	if err != nil {
		return nil, err
	}
	return ProblemsOf(statement, o, y, weights, rows, opt.Threads)
}

// NewFamily makes the family of the rows x with a kernel, nil for linear ones.
func NewFamily(k kernel.Kernel, x matrix.Matrix, opt gram.Options) (Family, error) {
	if k == nil {
		return LinearFamily{rows: problem.NewRows(x, opt.Threads)}, nil
	}
	f, err := NewMachineFamily(k, x, opt)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// ProblemsOf is NewProblems of rows that several of them may share.
func ProblemsOf(statement model.Statement, o Custom, y *Labels, weights []float64, rows Family, threads int) (*Problems, error) {
	t, err := TermsOf(statement, o)
	if err != nil {
		return nil, err
	}
	s := &Problems{Terms: t, Labels: y, Weights: weights, Lambda: statement.Lambda, Threads: threads, Family: rows}
	for c := range statement.Targets {
		of := statement.Of(c)
		one, err := TermsOf(of, o)
		if err != nil {
			return nil, err
		}
		s.each, s.lambdas = append(s.each, one), append(s.lambdas, of.Lambda)
	}
	if statement.Alike() {
		s.shared = &problem.Shared{Count: len(statement.Targets)}
	}
	switch f := rows.(type) {
	case MachineFamily:
		s.part = func(rows []uint32) (Family, error) { return f.part(rows) }
	case LinearFamily:
		if len(statement.Hidden) > 0 {
			s.Family = NetworkFamily{f.rows, statement}
		}
		if t.Constant != 1 {
			f = f.widened(t.Constant, threads)
			s.Family = f
		}
		s.part = func(rows []uint32) (Family, error) {
			return LinearFamily{problem.NewRows(matrix.Gather(f.rows.X, rows), threads), f.constant}, nil
		}
	}
	return s, nil
}

// Output makes the problem of output c.
func (s *Problems) Output(c int) (o Objective, err error) {
	o = Objective{Family: s.Family, all: len(s.Weights)}
	if s.Labels.Joint {
		return s.jointly(o)
	}
	weights, lambda, y, terms := s.Weights, s.Lambda, []float64(nil), s.Terms
	if s.each != nil {
		terms, lambda = s.each[c], s.lambdas[c]
	}
	switch o.Rows = s.Labels.PairRows(c); {
	case o.Rows == nil:
		y = s.Labels.Targets(c, s.Threads)
		if s.Concurrent {
			gram, fault := s.Family.(MachineFamily).Gram.ViewAll(s.Threads)
			o.Family, err = MachineFamily{gram}, fault
		}
	case s.Pairs != nil:
		i, j := model.Pair(c, len(s.Labels.Classes))
		gram, fault := s.Pairs.Gram(i, j, s.Threads)
		o.Family, err = MachineFamily{gram}, fault
	default:
		o.Family, err = s.part(o.Rows)
	}
	if err != nil {
		return o, err
	}
	if o.Rows != nil {
		y, weights = s.Labels.signs(c, o.Rows), Select(s.Weights, o.Rows)
		lambda *= Sum(s.Weights) / Sum(weights)
	}
	o.Problem, o.Risk, err = o.Family.problem(terms, y, weights, lambda)
	if p, linear := o.Problem.(*problem.Linear); linear {
		p.Shared = s.shared
	}
	var data problem.DataError
	if errors.As(err, &data) {
		err = DataError{err.Error()}
	}
	return o, err
}

// Network reports whether the problem is that of a network, of which nothing is proved.
func (s *Problems) Network() bool {
	_, network := s.Family.(NetworkFamily)
	return network
}

// Unbounded says why what was found bounds an objective from one side or from none; ""
// if there is a gap.
func (s *Problems) Unbounded(primal float64, proved bool) string {
	switch machine, kernels := s.Family.(MachineFamily); {
	case FiniteOr(primal, 1) != primal:
		return fmt.Sprintf("the objective is %g, no finite number", primal)
	case proved:
		return ""
	case s.Network():
		return "no certificate exists for a network: its objective is not convex"
	case !loss.IsConvex(s.Loss):
		return "the loss is not convex, so that nothing bounds the objective from below"
	case kernels && !machine.Gram.Definite():
		return machine.doubt()
	}
	return "nothing was found that bounds the objective from below"
}

// Evaluations is how many values of the kernel were needed so far.
func (s *Problems) Evaluations() gram.Counts {
	if f, ok := s.Family.(MachineFamily); ok {
		return f.Gram.Counts()
	}
	return gram.Counts{}
}
