package problem

import (
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// Joint is the problem of K linear predictors, one for each class, that one loss judges
// together. With W of K columns w_k, and W^T x_i + b the K predictions of row i:
//
//	P(W,b) = (1/N) sum_i s_i l(W^T x_i + b, y_i) + lambda Omega(W)
//	D(A)   = -(1/N) sum_i s_i l*(a_i, y_i) - lambda Omega*(-X^T(s.A) / (lambda N))
//
// Omega is a sum over all d K weights, a_i has K numbers, and a free bias adds the constraint
// sum_i s_i a_ik = 0 for each class k. See [joint.Loss] for the domain of l*.
//
// Points have weights by feature: (d+1) x K numbers, the K biases last, and n x K dual
// variables, row by row. So all classes share one read of each value of a row.
type Joint struct {
	*Rows
	JointRisk
	Penalty penalty.Penalty
}

var _ Problem = (*Joint)(nil)

// NewJoint checks shapes and parameters. y has the class of each row, a number below
// classes; weights == nil means that every row counts once.
func NewJoint(rows *Rows, y []uint32, classes int, weights []float64, l joint.Loss, p penalty.Penalty, lambda float64, bias Bias) (*Joint, error) {
	n, threads := rows.size()
	risk, err := newJointRisk(n, y, classes, weights, l, lambda, bias, threads)
	if err != nil {
		return nil, err
	}
	if err := rows.checkFinite(); err != nil {
		return nil, err
	}
	return newJointOf(rows, *risk, p)
}

// newJointOf checks the penalty, and gives one of a matrix its columns.
func newJointOf(rows *Rows, risk JointRisk, p penalty.Penalty) (*Joint, error) {
	if m, ok := p.(penalty.Matrix); ok {
		p = m.Of(risk.Classes)
	} else if _, ok := p.(penalty.Elastic); !ok {
		return nil, errors.New("problem: a loss of several classes needs the penalty l2, l1, elastic-net or nuclear")
	}
	return &Joint{Rows: rows, JointRisk: risk, Penalty: p}, nil
}

// Dims returns n K and (d+1) K - 1: how many dual variables a point has, and how many weights
// beside the last bias.
func (p *Joint) Dims() (rows, cols int) {
	n, d := p.X.Dims()
	return n * p.Classes, (d+1)*p.Classes - 1
}

// Penalised returns how many of the (d+1) K numbers of a point the penalty sees.
func (p *Joint) Penalised() int {
	_, d := p.X.Dims()
	if p.Bias == Feature {
		d++
	}
	return d * p.Classes
}

// PredictTo sets dst, n x K, to the predictions of the weights w.
func (p *Joint) PredictTo(dst, w []float64) {
	parallel.Blocks(len(p.Y), blockRows, p.Threads, func(_, lo, hi int) {
		p.predict(dst[lo*p.Classes:hi*p.Classes], w, lo, hi)
	})
}

// predict sets dst to the predictions of the rows from lo to hi: dense rows by products of matrices, which have the
// same bits.
func (p *Joint) predict(dst, w []float64, lo, hi int) {
	_, d := p.X.Dims()
	bias, k := w[d*p.Classes:], p.Classes
	for i := lo; i < hi; i++ {
		copy(dst[(i-lo)*k:(i-lo+1)*k], bias)
	}
	if !p.dense() {
		for i := lo; i < hi; i++ {
			addProducts(dst[(i-lo)*k:(i-lo+1)*k], p.X.Row(i), w)
		}
		return
	}
	byClass := blas.Block[float64]{Value: make([]float64, k*d), Rows: k, Cols: d, Stride: d}
	for j := range d {
		for c := range k {
			byClass.Value[c*d+j] = w[j*k+c]
		}
	}
	p.eachDense(lo, hi, func(from, to int, x blas.Block[float32]) {
		blas.GemmMixed(blas.Block[float64]{Value: dst[(from-lo)*k : (to-lo)*k], Rows: to - from, Cols: k, Stride: k}, x, byClass, 1)
	})
}

// addProducts adds to dst, K numbers, the products of a row and each of K columns of weights by
// feature, in the order of the features.
func addProducts(dst []float64, x matrix.Vector, w []float64) {
	vec.SparseGemv(dst, w, x.Index, x.Value)
}

// addOuter adds to weights by feature the products of a row and K numbers.
func addOuter(w []float64, x matrix.Vector, v []float64) { vec.SparseGer(w, v, x.Index, x.Value) }

// CombineTo sets sum, (d+1) x K, to X^T V for V of n x K, with a column of ones as the last of
// X. chain is as in Rows.Combine.
func (p *Joint) CombineTo(sum, v []float64) (chain int) {
	k, dense := p.Classes, p.dense()
	clear(sum)
	return p.sumRuns(sum, func(s []float64, lo, hi int) {
		last := s[len(s)-k:]
		for i := lo; i < hi; i++ {
			own := v[i*k : (i+1)*k]
			if !dense {
				addOuter(s, p.X.Row(i), own)
			}
			for c, x := range own {
				last[c] += x
			}
		}
		if dense {
			p.eachDense(lo, hi, func(from, to int, x blas.Block[float32]) {
				blas.GemmColsMixed(blas.Block[float64]{Value: s, Rows: x.Cols, Cols: k, Stride: k}, x, blas.Block[float64]{Value: v[from*k : to*k], Rows: to - from, Cols: k, Stride: k}, 1)
			})
		}
	})
}

// Certify judges the point as [Linear.Certify] does: dual variables are moved into the domain,
// balanced class by class if the bias is free, and scaled into the domain of the penalty's
// conjugate.
func (p *Joint) Certify(pt Point) Certificate {
	if !pt.fits(p) {
		return pt.shapeless(p)
	}
	primal, primalError := p.Primal(pt.W)
	c := Certificate{Primal: primal, Dual: math.Inf(-1), Zero: p.Zero(), Rounding: primalError}
	for _, b := range pt.W[len(pt.W)-p.Classes:] {
		if p.Bias == None && b != 0 {
			c.without(p.Bias, b)
			break
		}
	}
	if pt.A == nil {
		return c
	}
	c.below(p.Dual(pt.A))
	return c
}

// Primal returns the objective at w and a bound on the error of that computation.
func (p *Joint) Primal(w []float64) (value, bound float64) {
	n, d := p.X.Dims()
	size, bias := columnSizes(w, p.Classes, d), largestOf(w[d*p.Classes:])
	errs := make([]float64, blocksOf(n))
	losses := sumBlocks(n, p.Threads, func(b, lo, hi int) (sum float64) {
		prediction, reach := make([]float64, (hi-lo)*p.Classes), make([]float64, hi-lo)
		p.predict(prediction, w, lo, hi)
		p.lengths(reach, lo)
		for i := range reach {
			chain := reach[i] + 4
			reach[i] = float64(chain*unit*(float64(size*p.norm(lo+i, 0))+bias)) + underflowOf(chain)
		}
		sum, errs[b] = p.lossesOf(prediction, reach, lo, hi)
		return sum
	}) / p.N
	cost := float64(p.Lambda * p.Penalty.Value(w[:p.Penalised()]))
	costError := float64(penalty.Units(p.Penalty, p.Penalised()) * unit * cost)
	costError += float64(float64(len(w)+8)*tiny*p.Lambda) + 8*tiny
	return losses + cost, sumBound(errs)/p.N + float64(8*unit*losses) + costError
}

// columnSizes bounds the norm of the first d numbers of each of k columns.
func columnSizes(w []float64, k, d int) (largest float64) {
	squares := make([]float64, k)
	for j := range d {
		for c, x := range w[j*k : (j+1)*k] {
			squares[c] += float64(x * x)
		}
	}
	column := make([]float64, d)
	for c, s := range squares {
		if s = math.Sqrt(s) * (1 + float64(d+8)*unit); !(s > leastObjective && s <= math.MaxFloat64) {
			for j := range column {
				column[j] = w[j*k+c]
			}
			s = norm(column)
		}
		largest = max(largest, s)
	}
	return largest
}

// Dual returns the dual objective at the feasible point made of a, and a bound on the error of
// that computation, as [Linear.Dual] does. a itself is not changed.
func (p *Joint) Dual(a []float64) (value, bound float64) {
	v, whole := make([]float64, len(a)), make([]float64, p.size())
	p.feasible(v, a)
	chain := p.CombineTo(whole, v) + p.Classes // what stands for the row's own class is rounded
	return dualOf(p, p.Penalty, p.Lambda, p.N, v, whole[:p.Penalised()], chain)
}

// size is how many weights a point has.
func (p *Joint) size() int {
	_, d := p.X.Dims()
	return (d + 1) * p.Classes
}

// WeightsTo sets u, (d+1) x K, to -X^T(s.A)/(lambda N) for dual variables as they are, and
// the sums of s.A, not divided, as its last K numbers: for solvers.
func (p *Joint) WeightsTo(u, a []float64) {
	k := p.Classes
	v := make([]float64, len(a))
	for i, s := range p.S {
		for c, x := range a[i*k : (i+1)*k] {
			v[i*k+c] = s * x
		}
	}
	p.CombineTo(u, v)
	factor := -1 / (p.Lambda * p.N)
	for j := range u[:len(u)-k] {
		u[j] *= factor
	}
}

// magnitude bounds the norm of sum_i |x_i| |v_i|^T.
func (p *Joint) magnitude(v []float64) float64 {
	constant, k := p.Constant(), p.Classes
	bounds := make([]float64, blocksOf(len(p.Y)))
	parallel.Blocks(len(p.Y), blockRows, p.Threads, func(b, lo, hi int) {
		sum := 0.0
		for i := lo; i < hi; i++ {
			sum += float64(norm(v[i*k:(i+1)*k]) * p.norm(i, constant))
		}
		bounds[b] = sum * (1 + float64(k+8)*unit)
	})
	return sumBound(bounds)
}

// widen is [Linear.widen] class by class.
func (p *Joint) widen(u, v []float64, rounding, underflow float64) {
	norms, k := p.ColumnNorms(), p.Classes
	size := make([]float64, k)
	for c := range size {
		column := make([]float64, len(p.Y))
		for i := range column {
			column[i] = v[i*k+c]
		}
		size[c] = float64(rounding * norm(column) * (1 + 1e-5))
	}
	for j, x := range u {
		u[j] = float64(math.Abs(x)*(1+8*unit)) + float64(size[j%k]*norms[j/k]) + underflow
	}
}
