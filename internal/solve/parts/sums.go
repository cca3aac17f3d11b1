package parts

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// BlockRows is the number of rows of a block in every sum over rows. It is
// part of the order of summation, and so of the results' bits.
const BlockRows = 1024

// SumRows calls do for all rows, in blocks, and adds up what it returns in the
// order of the blocks.
func SumRows(p *problem.Linear, do func(lo, hi int) (x, y float64)) (x, y float64) {
	n, _ := p.Dims()
	sums := make([][2]float64, (n+BlockRows-1)/BlockRows)
	parallel.Blocks(n, BlockRows, p.Threads, func(block, lo, hi int) {
		sums[block][0], sums[block][1] = do(lo, hi)
	})
	for _, s := range sums {
		x += s[0]
		y += s[1]
	}
	return x, y
}

// Predict sets dst of rows lo to hi of x to their predictions by w.
func Predict(dst []float64, x matrix.Matrix, lo, hi int, w []float64) {
	d := len(w) - 1
	matrix.Dots(dst[lo:hi], x, lo, w[:d])
	if bias := w[d]; bias != 0 {
		for i := lo; i < hi; i++ {
			dst[i] += bias
		}
	}
}

// GradientTo sets g to lambda w + X^T v: d+1 numbers, of which the last is 0
// where there is no bias.
func GradientTo(g []float64, p *problem.Linear, w, v []float64) {
	p.CombineTo(g, v)
	AddPenalty(g, p, w)
}

// AddPenalty adds lambda w, and grounds g.
func AddPenalty(g []float64, p *problem.Linear, w []float64) {
	for j, w := range w[:p.Penalised()] {
		g[j] += float64(p.Lambda * w)
	}
	Ground(g, p)
}

// Ground sets the last of d+1 numbers to 0 where there is no bias.
func Ground(g []float64, p *problem.Linear) {
	if p.Bias == problem.None {
		g[len(g)-1] = 0
	}
}

// Inner returns <a,b>, in order.
func Inner(a, b []float64) float64 {
	sum := 0.0
	for j, x := range a {
		sum += float64(x * b[j])
	}
	return sum
}
