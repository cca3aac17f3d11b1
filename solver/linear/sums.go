package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
)

// blockRows is the number of rows of a block in every sum over rows. It is
// part of the order of summation, and so of the results' bits.
const blockRows = 1024

// sumRows calls do for all rows, in blocks, and adds up what it returns in the
// order of the blocks.
func sumRows(p *problem.Linear, do func(lo, hi int) (x, y float64)) (x, y float64) {
	n, _ := p.Dims()
	sums := make([][2]float64, (n+blockRows-1)/blockRows)
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

// gradientOf returns lambda w + X^T v: d+1 numbers, of which the last is 0
// where there is no bias.
func gradientOf(p *problem.Linear, w, v []float64) []float64 {
	g := make([]float64, len(w))
	gradientTo(g, p, w, v)
	return g
}

// gradientTo is gradientOf into g.
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

// relativeGap returns about the relative gap of weights w and dual variables a,
// where g is the gradient at both:
//
//	P - D = (1/N) sum_i s_i (l(p) + l*(a) - a p) + |g|^2/(2 lambda)
//
// losses and defects are the means of l(p) and of l(p) + l*(a) - a p. That is all
// unless the bias is free. Then the certificate takes N |g_b| off the heavier sign
// of s.a, which adds about cost to the defects and takes g_b times a mean of these
// rows off g: guessed as the mean of all rows, middle.
func relativeGap(p *problem.Linear, w, g, middle []float64, losses, defects, cost float64) float64 {
	d := p.Penalised()
	gap := defects
	if p.Bias == problem.Free {
		gap += cost
	}
	gap += balancedSquare(p, g, middle) / (2 * p.Lambda)
	primal := losses + float64(p.Lambda/2*vec.SquaredNorm64(w[:d]))
	return problem.Relative(primal, primal-gap, p.Zero())
}

// balancedSquare returns |g|^2 over the weights, once s.a is balanced if the bias is free.
func balancedSquare(p *problem.Linear, g, middle []float64) (square float64) {
	d := p.Penalised()
	if p.Bias != problem.Free {
		return vec.SquaredNorm64(g[:d])
	}
	for j, c := range middle[:d] {
		x := g[j] - float64(g[d]*c)
		square += float64(x * x)
	}
	return square
}

// middleOf returns the mean row if the bias is free: nobody else asks for it.
func middleOf(p *problem.Linear) []float64 {
	if p.Bias != problem.Free {
		return nil
	}
	middle, _ := p.Combine(p.S)
	for j := range middle {
		middle[j] /= p.N
	}
	return middle
}

// inner returns <a,b>, in order.
func inner(a, b []float64) float64 {
	sum := 0.0
	for j, x := range a {
		sum += float64(x * b[j])
	}
	return sum
}

const (
	mostSlopes = 12
	leastAlong = 0.05 // of what is left by the last
)

// searchAlong returns a step, of a convex function whose derivative is slope, that leaves a
// third of the first slope at most: that of Newton's method itself, 1, or by doubling and
// the secant, which gets nowhere alone where the slope is steep beyond the best step.
func searchAlong(slope func(t float64) float64) float64 {
	first := slope(0)
	lo, atLo := 0.0, first
	hi, atHi := math.Inf(1), 0.0
	t := 1.0
	for range mostSlopes {
		at := slope(t)
		if math.Abs(at) <= -first/3 {
			return t
		}
		if at < 0 {
			lo, atLo = t, at
		} else {
			hi, atHi = t, at
		}
		if math.IsInf(hi, 1) {
			t = 2 * t
		} else {
			t = max(lo-atLo*(hi-lo)/(atHi-atLo), lo+float64(leastAlong*(hi-lo)))
		}
	}
	return t
}
