package crossfit

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// Ridge is least squares with the penalty l2, trained without one row after the other: exactly what training on the n-1
// other rows gives, their scaling by std included, so that no model has seen its row in any way.
//
// Problem: with z = F (x - o) the scaled row, min (1/2N) sum_i (v.z_i + b - y_i)^2 + (lambda/2)(|v|^2 + b^2/value^2), N = n-1
// rows, the last term for a bias that is a feature alone.
//
// Symbols: w = F v the weights of rows as they are; m and t the means of rows and targets, C and c the sums of the products of what columns differ from
// theirs, with each other and with the targets; delta = m - o. Without b, which is linear in w,
//
//	(C + N lambda F^-2 + N rho delta delta^T) w = c + N rho t delta,   b = (1 - rho) (t - w.delta) - w.o
//
// where rho is 0 for a free bias, 1 for none, and lambda/(lambda + value^2) for a feature. Without row i, C and c lack
// n/(n-1) times its products (Welford 1962). If that leaves less than leastLeft of a column's squares, the sums are formed anew, as digits cancel.
//
// Cost: n (d^3/3 + d^2) multiplications. Memory: n d numbers, the weights of all models.
type Ridge struct {
	X         matrix.Matrix // n x d
	Y         []float64     // n
	Lambda    float64       // of the n-1 rows
	Bias      problem.Bias
	Value     float64 // of the constant column, if the bias is a feature
	Scaled    bool    // columns are divided by their standard deviations,
	Centred   bool    // after their means are taken off,
	Indicator []bool  // but not these; nil: none
}

// LeftOut are the models without one row each.
type LeftOut struct {
	Weights    [][]float64 // n x d
	Bias       []float64   // n
	Prediction []float64   // n, of the row that the model has not seen
}

// leastLeft is the least share of the squares of a column that the other rows may have without being added up anew.
const leastLeft = 1e-4

// sums are moments of rows.
type sums struct {
	rows        float64
	mean        []float64 // d
	target      float64   // mean
	gram, cross []float64 // C, d x d, of which the lower triangle counts; c
}

// LeaveOneOut trains the n models, on at most threads cores, as parallel.Cores counts them.
func (r *Ridge) LeaveOneOut(threads int) *LeftOut {
	n, d := r.X.Dims()
	out := &LeftOut{make([][]float64, n), make([]float64, n), make([]float64, n)}
	all := r.moments(-1)
	workers := make([]worker, min(parallel.Cores(threads), n))
	parallel.Each(n, threads, func(k, i int) {
		w := &workers[k]
		if w.without.mean == nil {
			w.row, w.inverse, w.delta = make([]float64, d), make([]float64, d), make([]float64, d)
			w.without = sums{mean: make([]float64, d), gram: make([]float64, d*d), cross: make([]float64, d)}
		}
		if w.leave(all, r.centred(w.row, i, all.mean), r.Y[i]-all.target) {
			w.without = *r.moments(i)
		}
		out.Weights[i], out.Bias[i] = w.solve(r)
		out.Prediction[i] = r.X.Row(i).Dot(out.Weights[i]) + out.Bias[i]
	})
	return out
}

// centred sets dst to a row less the means.
func (r *Ridge) centred(dst []float64, i int, mean []float64) []float64 {
	for j, m := range mean {
		dst[j] = -m
	}
	r.X.Row(i).AddTo(dst, 1)
	return dst
}

// moments adds up all rows but one; -1: all.
func (r *Ridge) moments(but int) *sums {
	n, d := r.X.Dims()
	s := &sums{mean: make([]float64, d), gram: make([]float64, d*d), cross: make([]float64, d)}
	each := func(do func(i int)) {
		for i := range n {
			if i != but {
				do(i)
			}
		}
	}
	each(func(i int) {
		s.rows++
		s.target += r.Y[i]
		r.X.Row(i).AddTo(s.mean, 1)
	})
	for j := range s.mean {
		s.mean[j] /= s.rows
	}
	s.target /= s.rows
	row := make([]float64, d)
	each(func(i int) { s.add(1, r.centred(row, i, s.mean), r.Y[i]-s.target) })
	return s
}

// add adds the products of a centred row and target, so many times.
func (s *sums) add(times float64, row []float64, target float64) {
	d := len(row)
	for j, v := range row {
		vec.Axpy64(s.gram[j*d:j*d+j+1], times*v, row[:j+1])
	}
	vec.Axpy64(s.cross, times*target, row)
}

// worker is the memory of one core.
type worker struct {
	row, inverse, delta []float64 // d: a row, F^-2, and m - o
	without             sums
	factor              lapack.Cholesky
}

// leave sets the moments to those of all rows but one, which is centred, and reports whether digits cancel.
func (w *worker) leave(all *sums, row []float64, target float64) (cancel bool) {
	s, d := &w.without, len(row)
	copy(s.gram, all.gram)
	copy(s.cross, all.cross)
	s.rows = all.rows - 1
	s.add(-all.rows/s.rows, row, target)
	for j, v := range row {
		s.mean[j] = all.mean[j] - v/s.rows
		cancel = cancel || s.gram[j*d+j] < leastLeft*all.gram[j*d+j]
	}
	s.target = all.target - target/s.rows
	return cancel
}

// solve returns weights and bias for rows as they are, and overwrites the moments.
func (w *worker) solve(r *Ridge) (weights []float64, bias float64) {
	s, d, rho := &w.without, len(w.row), 0.0
	switch r.Bias {
	case problem.None:
		rho = 1
	case problem.Feature:
		rho = r.Lambda / (r.Lambda + float64(r.Value*r.Value))
	}
	copy(w.delta, s.mean)
	for j, m := range s.mean {
		deviation := math.Sqrt(s.gram[j*d+j] / s.rows)
		w.inverse[j] = 1
		if r.Scaled && (r.Indicator == nil || !r.Indicator[j]) && deviation > 1e-12*math.Abs(m) { // as package scaling judges
			w.inverse[j] = float64(deviation * deviation)
			if r.Centred {
				w.delta[j] = 0
			}
		}
	}
	for j, f := range w.inverse {
		s.gram[j*d+j] += float64(float64(s.rows*r.Lambda) * f)
	}
	s.add(s.rows*rho, w.delta, s.target)
	w.factor.Decompose(s.gram, d, 1)
	weights = make([]float64, d)
	w.factor.Solve(weights, s.cross)
	bias = float64((1 - rho) * (s.target - vec.Dot64(weights, w.delta)))
	for j, m := range s.mean {
		bias -= float64(weights[j] * (m - w.delta[j]))
	}
	return weights, bias
}
