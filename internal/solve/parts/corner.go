package parts

import (
	"cmp"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// Elastic reports whether the penalty is |w|^2/2, or that form with a corner.
func Elastic(p penalty.Penalty) bool {
	l1, l2, ok := penalty.Coefficients(p)
	return ok && (l1 > 0 && l2 > 0 || penalty.IsRidge(p))
}

// WithoutCorner returns p with what is left of an elastic penalty without its corner, which is l2,
// and the weight lambda r of |w|_1 in it; or p and 0.
func WithoutCorner(p *problem.Linear) (rest *problem.Linear, weight float64) {
	l1, l2, _ := penalty.Coefficients(p.Penalty)
	if l1 == 0 {
		return p, 0
	}
	q := *p
	q.Lambda, q.Penalty = p.Lambda*l2, penalty.L2{}
	return &q, p.Lambda * l1
}

// SpendOnZeros returns w with zeros for those weights that the dual variables a, whose dual is
// given, keep on the corner of the penalty, the least first, as many as leave a tenth of the
// relative gap that is asked for; and the primal there. Methods that pass a corner at a
// distance find weights that are nearly zero.
func SpendOnZeros(p *problem.Linear, w, a []float64, dual, goal float64) (best []float64, primal float64) {
	corner, _, _ := penalty.Coefficients(p.Penalty)
	u, _ := DualWeights(p, make([]float64, len(a)), a)
	var held []int
	for j, w := range w[:p.Penalised()] {
		if w != 0 && j < len(u) && math.Abs(u[j]) < corner {
			held = append(held, j)
		}
	}
	slices.SortStableFunc(held, func(i, j int) int { return cmp.Compare(math.Abs(w[i]), math.Abs(w[j])) })
	best = slices.Clone(w)
	primal, _ = p.Primal(w)
	room := make([]float64, len(w))
	few, many := 0, len(held)+1 // few fit, many do not
	for k := len(held); few < many-1; k = (few + many) / 2 {
		copy(room, w)
		for _, j := range held[:k] {
			room[j] = 0
		}
		if value, _ := p.Primal(room); problem.Relative(value, dual, p.Zero()) <= 0.9*goal {
			few, primal = k, value
			copy(best, room)
		} else {
			many = k
		}
	}
	return best, primal
}
