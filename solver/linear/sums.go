package linear

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/problem"
)

// blockRows is the number of rows of a block in every sum over rows. It is
// part of the order of summation, and so of the results' bits.
const blockRows = 1024

// blocksOf returns how many blocks n rows make.
func blocksOf(n int) int { return (n + blockRows - 1) / blockRows }

// sumRows calls do for all rows, in blocks, and adds up what it returns in the
// order of the blocks.
func sumRows(p *problem.Linear, do func(lo, hi int) (x, y float64)) (x, y float64) {
	n, _ := p.Dims()
	sums := make([][2]float64, blocksOf(n))
	parallel.Blocks(n, blockRows, p.Threads, func(block, lo, hi int) {
		sums[block][0], sums[block][1] = do(lo, hi)
	})
	for _, s := range sums {
		x += s[0]
		y += s[1]
	}
	return x, y
}

// predict sets dst of rows lo to hi of x to their predictions by w.
func predict(dst []float64, x matrix.Matrix, lo, hi int, w []float64) {
	d := len(w) - 1
	matrix.Dots(dst[lo:hi], x, lo, w[:d])
	if bias := w[d]; bias != 0 {
		for i := lo; i < hi; i++ {
			dst[i] += bias
		}
	}
}

// addRows adds v of rows lo and on, times these rows, and their sum if there is a bias.
func addRows(sum []float64, p *problem.Linear, lo int, v []float64) {
	d := len(sum) - 1
	matrix.AddRows(sum[:d], p.X, lo, v)
	if p.Bias == problem.None {
		return
	}
	for _, v := range v {
		sum[d] += v
	}
}

// gradientTo sets g to lambda w + X^T v: d+1 numbers, of which the last is 0
// where there is no bias.
func gradientTo(g []float64, p *problem.Linear, w, v []float64) {
	p.CombineTo(g, v)
	addPenalty(g, p, w)
}

// addPenalty adds lambda w, and grounds g.
func addPenalty(g []float64, p *problem.Linear, w []float64) {
	for j, w := range w[:p.Penalised()] {
		g[j] += float64(p.Lambda * w)
	}
	ground(g, p)
}

// ground sets the last of d+1 numbers to 0 where there is no bias.
func ground(g []float64, p *problem.Linear) {
	if p.Bias == problem.None {
		g[len(g)-1] = 0
	}
}

// inner returns <a,b>, in order.
func inner(a, b []float64) float64 {
	sum := 0.0
	for j, x := range a {
		sum += float64(x * b[j])
	}
	return sum
}
