package penalty

import (
	"math"
	"slices"
)

// A term of a sum of penalties is a semi-norm whose proximal map is known.
type term interface {
	prox(dst, v []float64, step float64)
	// repair moves u, v minus prox(v), by roundings, so that it is in the domain of the conjugate but for its length.
	repair(u []float64)
	// gauge bounds from above the least t for which such a u is in t times the domain. It is even, and of u >= 0 that of
	// all vectors of these sizes in terms that have a home.
	gauge(u []float64) float64
}

// A sum of terms; home tells the term to which what is left of a weight is added.
type sum struct {
	terms []term
	home  func(j int) int
}

// split finds the proximal point x of the sum at v, and the share p_k of each term: v = x + sum_k p_k, p_k step times
// a subgradient of the term. The shares are the minimiser of |v - sum_k p_k|^2 in the domains of the conjugates: each
// round takes the best share of one term after the other (Dykstra's method; Bauschke, Combettes 2008), from a point beyond
// the last one as accelerated gradients have it, anew where that takes it farther away. It ends when a round moves
// nothing by more than a part in 1e11.
func (s sum) split(v []float64, step float64) (x []float64, shares [][]float64) {
	x, shares = slices.Clone(v), make([][]float64, len(s.terms))
	before := make([][]float64, len(shares))
	size := 0.0
	for k := range shares {
		shares[k], before[k] = make([]float64, len(v)), make([]float64, len(v))
	}
	for _, a := range v {
		size = max(size, math.Abs(a))
	}
	y, distance, momentum := make([]float64, len(v)), math.Inf(1), 1.0
	for range mostRounds {
		moved, next := 0.0, 0.0
		for k, t := range s.terms {
			for j := range y {
				y[j] = x[j] + shares[k][j]
			}
			t.prox(x, y, step)
			for j, a := range y {
				p := a - x[j]
				moved = max(moved, math.Abs(p-before[k][j]))
				shares[k][j] = p
			}
		}
		for _, a := range x {
			next += float64(a * a)
		}
		if !(moved > 1e-11*size) {
			break
		}
		if next > distance {
			momentum = 1
		}
		distance = next
		following := (1 + math.Sqrt(1+float64(4*momentum*momentum))) / 2
		beyond := (momentum - 1) / following
		momentum = following
		for k, p := range shares {
			for j, a := range p {
				ahead := float64(beyond * (a - before[k][j]))
				before[k][j] = a
				p[j] += ahead
				x[j] -= ahead
			}
		}
	}
	return x, shares
}

// mostRounds bounds the work of a proximal point, which is then near: certificates do not rely on it.
const mostRounds = 1000

// sumAccuracy is that of the domain of a sum.
const sumAccuracy = 1e-5

// gauge bounds the gauge of the sum at u from above: the shares of the terms at a step t, with what is left of each
// weight added at its home, are a decomposition of u, and the largest of their gauges proves it. Where x is left, the
// gauge is at least <u, x>/Omega(x) = t + |x|^2/Omega(x), the next t (Dinkelbach's method), and nothing is left in the end.
func (s sum) gauge(u []float64, value func(w []float64) float64) float64 {
	t := 1 - sumAccuracy/4
	least, left := s.decomposed(u, t)
	for range 50 {
		if least <= t*(1+sumAccuracy/4) || math.IsInf(least, 1) {
			break
		}
		square := 0.0
		for _, x := range left {
			square += float64(x * x)
		}
		ahead := square / value(left)
		if !(ahead > sumAccuracy/16*t) { // rounds were too few to say more
			break
		}
		t += ahead
		var bound float64
		bound, left = s.decomposed(u, t)
		least = min(least, bound)
	}
	return least
}

// decomposed returns the largest gauge of the shares of u at a step, with what rounding may add, and what was left.
func (s sum) decomposed(u []float64, step float64) (bound float64, rest []float64) {
	rest, shares := s.split(u, step)
	rounding, longest := make([][]float64, len(shares)), 0.0
	for k, p := range shares {
		s.terms[k].repair(p)
		longest = max(longest, s.terms[k].gauge(p)) // bounds partial sums, which are rounded too
		rounding[k] = make([]float64, len(u))
	}
	for j, left := range u {
		size := math.Abs(left)
		for _, p := range shares {
			left -= p[j]
			size += math.Abs(p[j])
		}
		home := s.home(j)
		shares[home][j] += left
		rounding[home][j] = float64(4*unit*float64(len(shares)+1)) * (size + longest)
	}
	for k, p := range shares {
		bound = max(bound, s.terms[k].gauge(p)+s.terms[k].gauge(rounding[k]))
	}
	return bound, rest
}

// prox writes the proximal point.
func (s sum) prox(dst, v []float64, step float64) {
	x, _ := s.split(v, step)
	copy(dst, x)
}

// conjugate returns the scale that takes u into the domain, rounded down, and 0.
func (s sum) conjugate(u []float64, of func(w []float64) float64) (scale, value float64) {
	if gauge := s.gauge(u, of); gauge > 1 {
		return 1 / (gauge * (1 + 4*unit)), 0
	}
	return 1, 0
}

// within is [Coupled.Within]: the gauge of a sum is at most the sum of the gauges, and what reach may add is left to
// the homes.
func (s sum) within(u, reach []float64, of func(w []float64) float64) (scale float64) {
	largest, at := 0.0, make([]float64, len(u))
	for k, t := range s.terms {
		clear(at)
		for j, r := range reach {
			if s.home(j) == k {
				at[j] = r
			}
		}
		largest = max(largest, t.gauge(at))
	}
	if gauge := (s.gauge(u, of) + largest) * (1 + sumAccuracy); gauge > 1 {
		return 1 / gauge
	}
	return 1
}
