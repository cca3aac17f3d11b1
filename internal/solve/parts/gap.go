package parts

import (
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
)

// RelativeGap returns about the relative gap of weights w and dual variables a,
// where g is the gradient at both:
//
//	P - D = (1/N) sum_i s_i (l(p) + l*(a) - a p) + |g|^2/(2 lambda)
//
// losses and defects are the means of l(p) and of l(p) + l*(a) - a p. That is all
// unless the bias is free. Then the certificate takes N |g_b| off the heavier sign
// of s.a, which adds about cost to the defects and takes g_b times a mean of these
// rows off g: guessed as the mean of all rows, middle.
func RelativeGap(p *problem.Linear, w, g, middle []float64, losses, defects, cost float64) float64 {
	d := p.Penalised()
	gap := defects
	if p.Bias == problem.Free {
		gap += cost
	}
	gap += BalancedSquare(p, g, middle) / (2 * p.Lambda)
	primal := losses + float64(p.Lambda/2*vec.SquaredNorm64(w[:d]))
	return problem.Relative(primal, primal-gap, p.Zero())
}

// BalancedSquare returns |g|^2 over the weights, once s.a is balanced if the bias is free.
func BalancedSquare(p *problem.Linear, g, middle []float64) (square float64) {
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

// MiddleOf returns the mean row if the bias is free, which alone needs it.
func MiddleOf(p *problem.Linear) []float64 {
	if p.Bias != problem.Free {
		return nil
	}
	middle, _ := p.Combine(p.S)
	for j := range middle {
		middle[j] /= p.N
	}
	return middle
}
