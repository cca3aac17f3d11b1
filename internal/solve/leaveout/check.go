package leaveout

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/problem"
)

// A removal is what follows from leaving out a row, if the assumption holds.
type removal struct {
	row        int
	prediction float64 // of that row
	bias       float64 // its change
	known      bool    // there is a solution of the equations
}

// blockRows is how many rows are left out at a time.
const blockRows = 64

// count leaves out all support vectors, some at a time.
func (s *spans) count() *Span {
	total := &Span{Prediction: append([]float64(nil), s.response...), Checked: make([]bool, s.p.Len())}
	for i, b := range s.beta {
		total.Checked[i] = b == 0
	}
	support := append(append([]int(nil), s.free...), s.other...)
	n, f := s.p.Len(), len(s.free)
	changes, after := make([]float64, (f+1)*blockRows), make([]float64, blockRows*n)
	own, step := make([]float64, n), make([]float64, f)
	for len(support) > 0 {
		block := support[:min(blockRows, len(support))]
		support = support[len(block):]
		removals := make([]removal, len(block))
		clear(changes)
		for k, i := range block {
			s.row(own, i)
			removals[k] = s.remove(step, i, own)
			for l, d := range step {
				changes[l*blockRows+k] = d
			}
			at := after[k*n : k*n+n]
			for j, r := range s.response {
				at[j] = r + removals[k].bias - float64(s.beta[i]*own[j])
			}
		}
		blas.GemmCols64(blas.Block[float64]{Value: after, Rows: len(block), Cols: n, Stride: n},
			blas.Block[float64]{Value: changes, Rows: f, Cols: len(block), Stride: blockRows},
			blas.Block[float64]{Value: s.rows, Rows: f, Cols: n, Stride: n}, s.p.Threads())
		for k, r := range removals {
			wrong := !(float64(s.p.Y[r.row]*r.prediction) > 0) // so is one without a prediction
			total.Prediction[r.row] = r.prediction
			holds := r.known && s.optimal(r.row, changes[k:], after[k*n:k*n+n])
			if total.Checked[r.row] = holds; wrong {
				total.Wrong++
			}
			if !holds {
				total.Unchecked++
			}
			if wrong || !holds {
				total.AtMost++
			}
		}
	}
	return total
}

// remove leaves out row i, own being its row of K, and sets step to the changes of the free rows.
func (s *spans) remove(step []float64, i int, own []float64) removal {
	beta, at := s.beta[i], s.place[i]
	span, sum := 0.0, s.sum // of v in the package comment's terms
	r := removal{row: i, known: true}
	if at >= 0 {
		clear(step)
		step[at] = 1
		s.factor.Solve(step, step) // a column of M
		middle := step[at]
		for k := range step {
			step[k] = -step[k] / middle
		}
		span, sum = 1/middle, s.sum-float64(s.u[at]*s.u[at])/middle
		step[at] = 0
	} else {
		for k, j := range s.free {
			step[k] = own[j] + s.rho
		}
		span = own[i] + s.rho
		kept := append([]float64(nil), step...)
		s.factor.Solve(step, step)
		span -= vec.Dot64(kept, step)
	}
	if s.p.Bias == problem.Free {
		rest := 1 - vec.Total(step)
		if !(sum > 1e-12*math.Abs(s.sum)) || len(s.free) == 0 { // no row is left that determines the bias
			clear(step)
			return removal{row: i, prediction: math.NaN()}
		}
		r.bias = -beta * rest / sum
		span += rest * rest / sum
		for k := range step {
			u := s.u[k]
			if at >= 0 {
				u += float64(step[k] * s.u[at])
			}
			step[k] += u * rest / sum
		}
	}
	for k := range step {
		step[k] *= beta
	}
	r.prediction = s.response[i] - float64(beta*max(0, span))
	if at >= 0 {
		step[at] = 0
		r.prediction += float64(s.ramp[at] * beta)
	}
	return r
}

// optimal reports whether the changes, each blockRows after the one before, and the predictions that follow are optimal for all
// rows but one.
func (s *spans) optimal(but int, changes, after []float64) bool {
	for j, f := range after {
		if j == but {
			continue
		}
		b, y := s.beta[j], s.p.Y[j]
		at := s.place[j]
		if at >= 0 {
			b += changes[at*blockRows]
		}
		a := s.dual(j, b)
		lo, hi := s.p.Loss.Domain(y)
		if at < 0 && b != 0 {
			a = math.Copysign(max(-lo, hi), a) // it is there up to rounding
		}
		if !(a >= lo && a <= hi) {
			return false
		}
		if from, to := s.loss.Inverse(a, y); !(f >= from-s.tolerance && f <= to+s.tolerance) {
			return false
		}
	}
	return true
}
