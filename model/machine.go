package model

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/safetensors"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Support is what a kernel machine keeps of its training data: the rows, as
// they were after scaling, that have a coefficient in some output, each once.
// An output then has one coefficient for each of them as Weights, and its score
// of a row x is
//
//	sum_j coefficient_j k(support_j, x) + bias
type Support struct {
	Kernel kernel.Kernel // Statement.Kernel has its name
	Rows   matrix.Matrix
	Index  []uint32 // which rows of the data these are; nil: unknown, as in foreign files

	evaluated atomic.Int64
	once      sync.Once
	scorer    *gram.Scorer // made when the first row is scored
}

// Facts are what is known of a kernel machine besides its gap. None is proved: they are about the
// machine as it is, or, where it says so, about the optimum if this is it. NaN: not known. They
// are stored as JSON; package fenchel computes them.
type Facts struct {
	Support   int   `json:"support"`       // vectors
	Bounded   int   `json:"bounded"`       // number of support vectors at their bound in some output
	Violation Bound `json:"kkt_violation"` // largest violation of the conditions of Karush, Kuhn and Tucker, over all outputs

	// Of one output. With nu or slack they are of the machine in units of its margin.
	Norm   Bound `json:"norm"`       // |w|; 1/|w| is the distance of the margin from the boundary
	Losses Bound `json:"losses_sum"` // weighted; of the hinge the slacks
	Errors Bound `json:"errors"`     // weight of the training rows of two classes that are not right: at most the slacks

	// Steps is 4 kappa |w|^2, kappa = max k(x,x): a machine of at most so many vectors loses no
	// more than half of the margin (thesis 3.1; package sparsify).
	Steps Bound `json:"sparse_steps"`

	// Alignment is <K,yy^T>/(n |K|) of the kernel with two classes (Cristianini et al. 2002), of
	// Sample rows.
	Alignment Bound `json:"alignment"`
	Sample    int   `json:"alignment_rows"`

	// PredictLeftOut bounds the share of rows that a model trained without them gets wrong, at the
	// optimum; nil: it is not known. By names the bound.
	LeaveOneOut *float64 `json:"leave_one_out,omitempty"`
	By          string   `json:"leave_one_out_by,omitempty"`

	Same Parameters `json:"same_as"`
}

// Parameters are those of the problems of the hinge that have the same optimal classifier, as
// "fenchel train" takes them: each says how much norm and slack weigh (thesis 1.1; package
// problem, BiCriterion). C = 1/(lambda N); radius = |w|; slack is the mean loss over |w|; nu is
// the share of Schoelkopf et al., of machines with a free bias. NaN: not known.
type Parameters struct {
	Lambda Bound `json:"lambda"`
	C      Bound `json:"C"`
	Radius Bound `json:"radius"`
	Slack  Bound `json:"slack"`
	Nu     Bound `json:"nu"`
}

// Len returns the number of support vectors.
func (s *Support) Len() int {
	n, _ := s.Rows.Dims()
	return n
}

// Cols returns the number of columns that the support vectors have.
func (s *Support) Cols() int {
	_, d := s.Rows.Dims()
	return d
}

// Prepare returns rows as the model scores them: of most models, as they are.
// Some kernels refuse rows, such as negative values or a precomputed matrix of
// another width, and a scaling refuses values that it takes out of the range of
// single precision; the error says which.
func (m *Model) Prepare(x matrix.Matrix) (matrix.Matrix, error) {
	if x == nil {
		return nil, errors.New("found no rows, expected some")
	}
	if m.Scaling != nil { // what is to be scaled is prepared after that
		return x, m.Scaling.Range(x, 0)
	}
	if m.Map != nil {
		return m.Map.Prepare(x)
	}
	if m.Support == nil {
		return x, nil
	}
	width := m.Support.Cols()
	if _, cols := x.Dims(); m.IsImported() { // a file of LIBSVM does not say how many rows there were
		width = max(width, cols)
	}
	return kernel.Prepare(m.Support.Kernel, x, width)
}

// Evaluations returns how many values of the kernel were computed to score
// rows: exactly one for each row and support vector, whatever the number of
// outputs.
func (s *Support) Evaluations() int64 { return s.evaluated.Load() }

// machine is a model whose scores are those of a kernel machine.
type machine Model

func (m *machine) score(dst []float64, x matrix.Vector) { scoreOne(m, dst, x) }

// scoreOne scores a row with what scores many at a time.
func scoreOne(m interface {
	scores(dst []float64, rows []matrix.Vector)
}, dst []float64, x matrix.Vector) {
	row := singleRow.Get().(*[1]matrix.Vector)
	defer singleRow.Put(row)
	row[0] = x
	m.scores(dst, row[:])
	row[0] = matrix.Vector{} // the pool must not keep data alive
}

var singleRow = sync.Pool{New: func() any { return new([1]matrix.Vector) }}

func (m *machine) scores(dst []float64, rows []matrix.Vector) {
	s := m.Support
	s.once.Do(func() {
		coefficients := make([][]float64, len(m.Outputs))
		for c, o := range m.Outputs {
			coefficients[c] = o.Weights
		}
		s.scorer = gram.NewScorer(s.Kernel, s.Rows, coefficients)
	})
	s.scorer.Scores(dst, rows)
	s.evaluated.Add(int64(len(rows) * s.Len()))
	for i := range dst {
		dst[i] += m.Outputs[i%len(m.Outputs)].Bias
	}
}

func (m *machine) pack(tensors map[string]safetensors.Tensor) {
	coefficients := (*Model)(m).gather(func(o Output) []float64 { return o.Weights })
	n := m.Support.Len()
	tensors["coefficients"] = safetensors.Tensor{Shape: []int{len(m.Outputs), n}, Value: coefficients}
	if m.Support.Index != nil {
		tensors["support.rows"] = safetensors.Tensor{Shape: []int{n}, Value: m.Support.Index}
	}
	packRows("support", m.Support.Rows, tensors)
}

// packRows adds rows, dense or sparse, to tensors whose names begin with what
// they are.
func packRows(what string, rows matrix.Matrix, tensors map[string]safetensors.Tensor) {
	n, d := rows.Dims()
	switch x := rows.(type) {
	case *matrix.Dense:
		tensors[what+".values"] = safetensors.Tensor{Shape: []int{n, d}, Value: x.Value}
	case *matrix.CSR:
		tensors[what+".indptr"] = safetensors.Tensor{Shape: []int{n + 1}, Value: x.Start}
		tensors[what+".indices"] = safetensors.Tensor{Shape: []int{len(x.Index)}, Value: x.Index}
		tensors[what+".values"] = safetensors.Tensor{Shape: []int{len(x.Value)}, Value: x.Value}
	default:
		panic(fmt.Sprintf("model: found %s rows of type %T, expected dense or sparse ones", what, x))
	}
}

// restoreMachine takes a kernel machine out of its tensors.
func (m *Model) restoreMachine(columns int, tensors map[string]safetensors.Tensor) error {
	k, err := kernel.New(m.Statement.Kernel)
	if err != nil {
		return err
	}
	m.Support = &Support{Kernel: k}
	if m.Support.Rows, err = restoreRows("support", columns, tensors); err != nil {
		return err
	}
	if i, j, ok := matrix.Finite(m.Support.Rows); !ok {
		return fmt.Errorf("support vector %d: found a value in column %d that is not finite", i+1, j+1)
	}
	if !m.IsImported() { // other programs may repeat a row of a precomputed matrix
		if m.Support.Rows, err = kernel.Prepare(k, m.Support.Rows, 0); err != nil {
			return fmt.Errorf("support vectors: %w", err)
		}
	}
	n := m.Support.Len()
	if t, ok := tensors["support.rows"]; ok {
		m.Support.Index, _ = t.Value.([]uint32)
		if err := checkIndex(m.Support.Index, n, m.Data.Rows); err != nil {
			return err
		}
	}
	return m.cut("coefficients", n, tensors)
}

// restoreRows returns the rows that packRows put there, of so many columns.
func restoreRows(what string, d int, tensors map[string]safetensors.Tensor) (matrix.Matrix, error) {
	values := tensors[what+".values"]
	single, ok := values.Value.([]float32)
	if !ok {
		return nil, fmt.Errorf("found %s.values of type %s, expected F32", what, values.DType())
	}
	if t, ok := tensors[what+".indptr"]; ok {
		start, first := t.Value.([]int64)
		index, second := tensors[what+".indices"].Value.([]uint32)
		if !first || !second {
			return nil, fmt.Errorf("found %s.indptr and %s.indices of other types, expected I64 and U32", what, what)
		}
		return matrix.NewCSR(d, start, index, single)
	}
	if s := values.Shape; len(s) != 2 || s[1] != d {
		return nil, fmt.Errorf("found %s.values of shape %v, expected rows of %d features", what, s, d)
	}
	return matrix.NewDense(values.Shape[0], d, single)
}

// checkIndex refuses places in the data that cannot be those of n support
// vectors: they increase, below rows.
func checkIndex(index []uint32, n, rows int) error {
	if len(index) != n {
		return fmt.Errorf("found the places of %d support vectors, expected %d", len(index), n)
	}
	for j, i := range index {
		if int64(i) >= int64(rows) || j > 0 && i <= index[j-1] {
			return fmt.Errorf("support vector %d: found the place %d, expected increasing places below %d", j+1, i, rows)
		}
	}
	return nil
}
