package joint

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/batch"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// L-BFGS of package batch, for several classes under one smooth loss. Where a matrix for each class
// is cheap, it begins with the blocks of the Hessian that belong to single classes:
//
//	Symbols   q_i = a_i + e_y with a_i the slope of row i: for softmax the probabilities
//	Metric    H_k = (1/N) sum_i s_i q_ik (1-q_ik) x_i x_i^T + lambda l2, of a sample of the rows
//	          that is drawn in proportion to s_i sum_k q_ik (1-q_ik), and weighted accordingly
//	Solve     by H_k, less the mean over the classes: a shift of all classes alike changes no loss,
//	          so that the curvature along it, lambda l2, is far below that of the blocks
//	Update    before step 1 and, as rows become certain of their classes, before 5, 13 and 40
//	Cost      of an update O(K (samples z^2 + d^3)), z the nonzeros of a row; of a step O(K d^2)
//	          beside the two products with X
func init() {
	solvers.Register(registry.Entry[solver.Solver]{Name: "lbfgs",
		Facts:   registry.Facts{Rate: "linear in passes", Memory: "3 K numbers a row, 24 K a feature, and K d^2 up to some thousand features", Source: "Liu, Nocedal 1989; Andrew, Gao 2007"},
		Summary: "L-BFGS with a Hessian block for each class to begin with; with an l1 OWL-QN: smooth losses, penalty l2, l1 or elastic-net; memory=10 steps",
		New: func(p *registry.Params) (solver.Solver, error) {
			return batch.NewLBFGS(p.Int("memory", 10, 1, 1000), newMetric), p.Err()
		}})
}

// updates are the steps before which the metric is made anew.
var updates = []int{0, 4, 12, 39}

// mostMetric bounds the numbers of all blocks.
const mostMetric = 1 << 25

// samplesEach is how many rows a sample has for each column: 8, and up to 32 where all blocks then cost about as
// much as a step. Of 20,000 rows of 50 numbers, 19 steps become 12.
func samplesEach(p *problem.Joint) int64 {
	n, d := p.X.Dims()
	return min(max(8, 4*int64(n)*int64(n)/(int64(d+1)*(p.Nonzeros+1))), 32)
}

// metric is the blocks of the Hessian.
type metric struct {
	p       *problem.Joint
	size    int // columns, with that of the bias
	step    int
	factors []lapack.Cholesky
	blocks  [][]float64
	dense   []float32 // rows of the sample, with their zeros; nil: these are too many
}

// metricFits reports whether the blocks of all classes have room.
func metricFits(p *problem.Joint) bool {
	_, d := p.X.Dims()
	return int64(d+1)*int64(d+1) <= mostMetric/int64(p.Classes)
}

// newMetric returns nil where the blocks would take too much.
func newMetric(p problem.Problem) batch.Metric {
	j, ok := p.(*problem.Joint)
	if !ok || !metricFits(j) {
		return nil
	}
	_, d := j.X.Dims()
	m := &metric{p: j, size: d, factors: make([]lapack.Cholesky, j.Classes), blocks: make([][]float64, j.Classes)}
	if j.Bias != problem.None {
		m.size++
	}
	return m
}

// Update makes the blocks anew before some steps.
func (m *metric) Update(_, predictions []float64) bool {
	step := m.step
	m.step++
	due := false
	for _, at := range updates {
		due = due || at == step
	}
	if !due {
		return false
	}
	q := make([]float64, len(predictions))
	m.p.Slopes(q, predictions)
	k := m.p.Classes
	for i, y := range m.p.Y {
		q[i*k+int(y)]++
	}
	rows, weight := m.sample(q)
	x := m.gather(rows)
	m.dense = nil
	if 2*len(x.Value) >= len(rows)*m.size {
		m.dense = make([]float32, len(rows)*m.size)
		for i := range rows {
			x.Row(i).CopyTo(m.dense[i*m.size : (i+1)*m.size])
		}
	}
	parallel.Each(k, m.p.Threads, func(_, c int) { m.build(c, x, rows, weight, q) })
	return true
}

// sample draws rows, systematically: weight is what each stands for.
func (m *metric) sample(q []float64) (rows []uint32, weight []float64) {
	k, total := m.p.Classes, 0.0
	uncertain := make([]float64, len(m.p.Y))
	for i := range uncertain {
		for _, x := range q[i*k : (i+1)*k] {
			uncertain[i] += float64(m.p.S[i] * x * (1 - x))
		}
		total += uncertain[i]
	}
	if total == 0 {
		return nil, nil
	}
	step := total / float64(samplesEach(m.p)*int64(m.size))
	next := step / 2
	for i, t := range uncertain {
		switch {
		case t >= step:
			rows, weight = append(rows, uint32(i)), append(weight, m.p.S[i]/m.p.N)
			next = max(next-t, 0)
		case next < t:
			rows, weight = append(rows, uint32(i)), append(weight, m.p.S[i]/m.p.N*(step/t))
			next += step - t
		default:
			next -= t
		}
	}
	return rows, weight
}

// gather returns rows without their zeros, with a column of ones if there is a bias.
func (m *metric) gather(rows []uint32) *matrix.CSR {
	out := &matrix.CSR{Cols: m.size, Start: []int64{0}}
	_, d := m.p.X.Dims()
	var index []uint32
	var value []float32
	for _, i := range rows {
		x := m.p.X.Row(int(i))
		index, value = index[:0], value[:0]
		for at, v := range x.Value {
			if v != 0 {
				index, value = append(index, uint32(x.Column(at))), append(value, v)
			}
		}
		if m.size > d {
			index, value = append(index, uint32(d)), append(value, 1)
		}
		out.Append(index, value)
	}
	return out
}

// build makes the factor of the block of class c.
func (m *metric) build(c int, x *matrix.CSR, rows []uint32, weight, q []float64) {
	k, d := m.p.Classes, m.size
	if m.blocks[c] == nil {
		m.blocks[c] = make([]float64, d*d)
	}
	h := m.blocks[c]
	clear(h)
	scale, longest := make([]float64, len(rows)), 0
	for at, i := range rows {
		p := q[int(i)*k+c]
		scale[at] = float64(weight[at] * p * (1 - p))
		longest = max(longest, int(x.Start[at+1]-x.Start[at]))
	}
	if m.dense != nil {
		blas.WeightedGram(blas.Block[float64]{Value: h, Rows: d, Cols: d, Stride: d}, scale, blas.Block[float32]{Value: m.dense, Rows: len(rows), Cols: d, Stride: d}, 1)
	} else {
		vec.SparseOuters(h, d, scale, x.Start, x.Index, x.Value, make([]float64, longest))
	}
	_, l2, _ := penalty.Coefficients(m.p.Penalty)
	ridge := m.p.Lambda * l2
	trace := 0.0
	for j := range d {
		trace += h[j*d+j]
	}
	for j := range d {
		if h[j*d+j] += ridge; j*k >= m.p.Penalised() {
			h[j*d+j] += 1e-6*trace/float64(d) + ridge
		}
	}
	m.factors[c].Decompose(h, d, 1)
}

// Solve divides by the block of each class what of g is no shift of all classes, and shifts by lambda l2.
func (m *metric) Solve(g []float64) {
	k := m.p.Classes
	mean := make([]float64, m.size)
	for j := range mean {
		mean[j] = centre(g[j*k : (j+1)*k])
	}
	parallel.Each(k, m.p.Threads, func(_, c int) {
		own := make([]float64, m.size)
		for j := range own {
			own[j] = g[j*k+c]
		}
		m.factors[c].Solve(own, own)
		for j, x := range own {
			g[j*k+c] = x
		}
	})
	_, l2, _ := penalty.Coefficients(m.p.Penalty)
	for j, shift := range mean {
		row := g[j*k : (j+1)*k]
		if centre(row); j*k >= m.p.Penalised() {
			continue
		}
		for c := range row {
			row[c] += shift / (m.p.Lambda * l2)
		}
	}
}

// centre takes the mean off, and returns it.
func centre(x []float64) float64 {
	mean := vec.Total(x) / float64(len(x))
	for c := range x {
		x[c] -= mean
	}
	return mean
}
