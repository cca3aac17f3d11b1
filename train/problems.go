package train

import (
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
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

// unbounded says why what was found bounds an objective from one side or from none; ""
// if there is a gap.
func (s *problems) unbounded(primal float64, proved bool) string {
	switch machine, kernels := s.family.(machineFamily); {
	case finiteOr(primal, 1) != primal:
		return fmt.Sprintf("the objective is %g, no finite number", primal)
	case proved:
		return ""
	case !loss.IsConvex(s.loss):
		return "the loss is not convex, so that nothing bounds the objective from below"
	case kernels && !machine.gram.Definite():
		return machine.doubt()
	}
	return "nothing was found that bounds the objective from below"
}

// evaluations is how many values of the kernel were needed so far.
func (s *problems) evaluations() kernel.Counts {
	if f, ok := s.family.(machineFamily); ok {
		return f.gram.Counts()
	}
	return kernel.Counts{}
}
