package attack

import (
	"math"

	"github.com/fenchel-ml/fenchel/attack/exact"
	"github.com/fenchel-ml/fenchel/model"
)

// descent is what stands for the solver of the points of descend.
const descent = "a descent along negative curvature"

// descend looks for a predictor with a smaller objective than any of the claims
// along a direction in which the matrix of the kernel has negative curvature, where
// there is one: it returns the claim of the best point of each output, if any.
func (c *court) descend(claims []claim) (found []claim) {
	if !c.indefinite() {
		return nil
	}
	v := c.direction
	for output, j := range c.judges {
		if len(c.members[output]) < c.rows { // the direction is one of all rows
			continue
		}
		start, bias := make([]float64, c.rows), 0.0
		var best exact.Number
		for _, cl := range claims {
			if cl.output == output && (best == nil || exact.Less(cl.primal, best)) {
				best, start, bias = cl.primal, cl.w, cl.bias
			}
		}
		reached := claim{solver: descent, output: output, primal: best}
		reached.said.Dual = model.Bound(math.NaN())
		for _, from := range [][]float64{start, make([]float64, c.rows)} {
			for e := -6.0; e <= 12; e++ {
				for _, sign := range []float64{1, -1} {
					w := make([]float64, c.rows)
					for i := range w {
						w[i] = from[i] + sign*math.Pow(10, e)*v[i]
					}
					p, _ := j.Primal(w, bias)
					if reached.primal == nil || exact.Less(p, reached.primal) {
						reached.primal, reached.w, reached.bias = p, w, bias
					}
				}
			}
		}
		if reached.w != nil {
			found = append(found, reached)
		}
	}
	return found
}

// indefinite reports whether the matrix of the kernel has a negative eigenvalue.
func (c *court) indefinite() bool { return c.direction != nil }

// lowest returns a direction of negative curvature, nil if there is none: the vector
// of the smallest eigenvalue, by cyclic rotations of Jacobi in doubles, of which the
// curvature is then computed in many bits.
func lowest(g *exact.KernelRows) (vector []float64) {
	n := len(g.K)
	a, v := make([][]float64, n), make([][]float64, n)
	for i := range a {
		a[i], v[i] = make([]float64, n), make([]float64, n)
		for j := range a[i] {
			a[i][j] = exact.Float(g.K[i][j])
			if !exact.IsFinite(a[i][j]) || math.Abs(a[i][j]) > 1e150 {
				return nil
			}
		}
		v[i][i] = 1
	}
	for range 12 {
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(a, v, p, q)
			}
		}
	}
	at := 0
	for i := range a {
		if a[i][i] < a[at][at] {
			at = i
		}
	}
	vector = make([]float64, n)
	for i := range vector {
		vector[i] = v[i][at]
	}
	trace := exact.Zero()
	for i := range g.K {
		trace = exact.Add(trace, exact.Abs(g.K[i][i]))
	}
	// In many bits, what is negative by rounding of doubles only is so no longer.
	curvature := g.Combine(exact.EveryRow(n), exact.Nums(vector))
	if !exact.Less(curvature, exact.Neg(exact.Mul(exact.Num(1e-100), trace))) {
		return nil
	}
	return vector
}

// rotate makes a_pq zero.
func rotate(a, v [][]float64, p, q int) {
	if a[p][q] == 0 {
		return
	}
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(theta*theta+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for k := range a {
		x, y := a[k][p], a[k][q]
		a[k][p], a[k][q] = c*x-s*y, s*x+c*y
	}
	for k := range a {
		x, y := a[p][k], a[q][k]
		a[p][k], a[q][k] = c*x-s*y, s*x+c*y
		x, y = v[k][p], v[k][q]
		v[k][p], v[k][q] = c*x-s*y, s*x+c*y
	}
}
