package engine

import (
	"fmt"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/problem"
)

// Separate makes a sparse predictor of a trained one (thesis 1.5.2): it drops the
// rows whose margin y_i v(x_i) is below 1, and runs the [Perceptron] over the
// others, which v separates, until it makes no mistakes.
//
// Its predictor has no more than kappa |v|^2 support vectors, with kappa = max
// K_ii, and is wrong on no more rows than v has margins below 1. It is
// at the factor of least objective, as that of a Perceptron. Cost: one row of the matrix for each
// mistake, of which there are as few, and O(n) for each pass.
//
// v is given by its n predictions, with its bias, and |v|^2, to which a bias adds its square;
// bias none or feature.
func Separate(p *problem.Kernel, v []float64, squared float64, seed uint64) ([]float64, error) {
	if err := onlineProblem("a separating predictor", p); err != nil {
		return nil, err
	}
	rows, bound := wideMargins(p, v, squared)
	e := newEngine(p.Gram, p.Constant(), nil, false)
	for mistakes, before, pass := 0, -1, uint64(0); mistakes != before; pass++ {
		before = mistakes
		rand.New(rand.NewPCG(seed, pass)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for _, i := range rows {
			if p.Y[i]*e.response(i) > 0 {
				continue
			}
			e.add(i, p.Y[i])
			if mistakes++; float64(mistakes) > bound {
				return nil, fmt.Errorf("%d mistakes on rows that the given predictor separates, of which the theory allows %.0f: the kernel is not positive semidefinite, or its rows too inexact", mistakes, bound)
			}
		}
	}
	it := e.last()
	it.scaleFor(p)
	return it.w, nil
}

// wideMargins returns the rows that v predicts with a margin of 1 or more, and
// a bound on the mistakes that a perceptron makes on them, with room for rounding.
func wideMargins(p *problem.Kernel, v []float64, squared float64) (rows []int, bound float64) {
	kappa := 0.0
	for i, y := range p.Y {
		if y*v[i] >= 1 {
			rows = append(rows, i)
			kappa = max(kappa, p.Diagonal[i]+p.Constant())
		}
	}
	return rows, float64(kappa*squared*(1+1e-3)) + 1
}
