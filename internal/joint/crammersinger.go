package joint

import (
	"math"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
)

// CrammerSinger is max_k (p_k + [k != y]) - p_y: the support vector machine of several
// classes (Crammer, Singer 2001), how far the class's score is short of 1 above every other.
//
// l*(a) = -S on the domain.
type CrammerSinger struct{}

var _ Maximum = CrammerSinger{}

func init() {
	register("crammer-singer", "max_k (p_k + [k is not y]) - p_y of the scores of all classes: support vector machines", CrammerSinger{})
}

// Offset is 1 for other classes than the row's.
func (CrammerSinger) Offset(k, y int) float64 {
	if k == y {
		return 0
	}
	return 1
}

// Value returns 0, or the largest 1 + p_k - p_y.
func (CrammerSinger) Value(p []float64, y int) float64 {
	worst := 0.0
	for k, x := range p {
		if k != y {
			worst = max(worst, 1+(x-p[y]))
		}
	}
	return worst
}

// Derivative returns e_k - e_y with k the first of the classes that attain the loss, and 0
// where it is 0.
func (CrammerSinger) Derivative(dst, p []float64, y int) {
	worst, at := 0.0, y
	for k, x := range p {
		if short := 1 + (x - p[y]); k != y && short > worst {
			worst, at = short, k
		}
	}
	clear(dst[:len(p)])
	if at != y {
		dst[at], dst[y] = 1, -1
	}
}

// Conjugate returns -S.
func (CrammerSinger) Conjugate(a []float64, y int) float64 { return -moved(a, y) }

// Dual projects onto the domain. With z_k = v_k/step, and 1/step more for k != y, and q = a + e_y
//
//	minimise |q - z - e_y|^2 over the simplex:   q_k = max(0, z_k + [k = y] - t)
//
// with t such that they add up to 1 (Keerthi et al. 2008, algorithm 3; Held, Wolfe, Crowder 1974), found without
// sorting. Of the numbers their largest is taken off first, so that none is lost.
func (CrammerSinger) Dual(dst, v []float64, step float64, y int) {
	most := math.Inf(-1)
	for k, x := range v {
		if k != y {
			x++
		}
		most = max(most, x)
	}
	top := math.Inf(-1)
	for k, x := range v {
		own := 1.0
		if k != y {
			x++
			own = 0
		}
		dst[k] = max((x-most)/step, -4) + own // below the others by more than 1 it is 0
		top = max(top, dst[k])
	}
	t := threshold(dst[:len(v)], top-1)
	for k := range v {
		dst[k] = max(0, dst[k]-t)
	}
	closeAt(dst[:len(v)], y)
}

var candidates = sync.Pool{New: func() any { return new([]float64) }}

// threshold returns t with sum_k max(0, all_k - t) = 1, not below least: the mean of the numbers that may be above it,
// less the share that adds up to 1, is a larger bound, of which fewer numbers are above, until none is left out
// (Michelot 1986).
func threshold(all []float64, least float64) float64 {
	room := candidates.Get().(*[]float64)
	defer candidates.Put(room)
	z := (*room)[:0]
	for before := -1; len(z) != before; least = (vec.Total(z) - 1) / float64(len(z)) {
		before = len(z)
		z = z[:0]
		for _, x := range all {
			if x >= least {
				z = append(z, x)
			}
		}
		all = z
	}
	*room = z
	return least
}

// Smoothness is infinite: the slope jumps.
func (CrammerSinger) Smoothness() float64 { return math.Inf(1) }

// Two is the hinge.
func (CrammerSinger) Two() loss.Loss { return loss.Hinge{} }
