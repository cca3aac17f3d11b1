package convex

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Status is how a run of [Program.Solve] ended.
type Status string

const (
	Optimal    Status = "optimal"
	Infeasible Status = "infeasible" // Solution.Refutation proves it
	Unbounded  Status = "unbounded"  // along Solution.Ray, from the feasible point X
	NotConvex  Status = "not-convex" // Solution.Curvature has the direction
	Stalled    Status = "stalled"    // the arithmetic ended before the tolerance was met
	Limit      Status = "step-limit"
	Cut        Status = "interrupted"
)

// Limits are when to stop.
type Limits struct {
	Tolerance float64     // of the violation of rows and of the gap, both relative; 0: 1e-9
	Steps     int         // 0: 200
	Threads   int         // 0: as many as there are cores
	Stop      func() bool // asked once a step; nil: never
}

// Solution is what is known at the end.
type Solution struct {
	Status
	Proof
	X, Y       []float64 // the point, and the multipliers of rows: P x + q + A^T y + w = 0
	W          []float64 // the multipliers of the bounds of variables
	Steps      int
	Curvature  Curvature
	Refutation *Refutation // of feasibility
	Ray        *Ray
	Why        string // of a refutation by bounds that cross
}

// Solve finds the optimum, or a proof that there is none. The program must pass [Program.Check].
func (g *Program) Solve(l Limits) *Solution {
	l.Tolerance, l.Steps = cmp.Or(l.Tolerance, 1e-9), cmp.Or(l.Steps, 200)
	if why := g.crossed(); why != "" {
		return &Solution{Status: Infeasible, Why: why}
	}
	curvature := g.Convex(l.Threads)
	if curvature.Vector != nil {
		return &Solution{Status: NotConvex, Curvature: curvature}
	}
	s := g.run(l)
	s.Curvature = curvature
	if s.Status != Unbounded {
		return s
	}
	// No minimum: is there a point at all? The one closest to 0.
	some := *g
	some.P, some.Q, some.Constant = identity(len(g.Q)), make([]float64, len(g.Q)), 0
	point := some.run(l)
	switch point.Status {
	case Infeasible:
		point.Curvature = curvature
		return point
	case Optimal:
		s.X, s.Primal = point.X, point.Primal
	default:
		s.Status, s.Steps = point.Status, s.Steps+point.Steps
	}
	return s
}

func identity(n int) Sparse {
	entries := make([]Entry, n)
	for i := range entries {
		entries[i] = Entry{i, i, 1}
	}
	return NewSparse(n, n, entries)
}

// crossed says which bounds cross; "": none do.
func (g *Program) crossed() string {
	for i, lo := range g.Lower {
		if lo > g.Upper[i] {
			return fmt.Sprintf("the bounds of row %d cross: %v > %v", i+1, lo, g.Upper[i])
		}
	}
	for j, lo := range g.Least {
		if lo > g.Most[j] {
			return fmt.Sprintf("the bounds of variable %d cross: %v > %v", j+1, lo, g.Most[j])
		}
	}
	return ""
}

// run takes steps until the point is good enough, or there is a proof that there is none.
func (g *Program) run(l Limits) *Solution {
	scaling := newScaling(g)
	e := newEmbedding(newSystem(scaling.program(g), l))
	implied := g.implied()
	best := &Solution{Status: Stalled}
	least, idle := math.Inf(1), 0
	for steps := 0; ; steps++ {
		e.residuals()
		x, y := scaling.point(e.at.x, e.multipliers(e.at.z, e.at.y), e.tau)
		proof, x, y := g.certify(x, y, implied)
		measure := max(proof.relative, math.Abs(proof.Gap()))
		if idle++; measure < least || best.X == nil {
			if measure < least/2 {
				idle = 0
			}
			least = measure
			best.Proof, best.X, best.Y = proof, x, y
		}
		best.Steps = steps
		if status := g.none(best, e, scaling); status != "" {
			best.Status = status
			return best
		}
		switch {
		case least <= l.Tolerance/1000 || idle > 2 && least <= l.Tolerance: // more steps gain nothing
		case l.Stop != nil && l.Stop():
			best.Status = Cut
		case steps == l.Steps:
			best.Status = Limit
		case idle <= 20 && e.advance():
			continue
		}
		if least <= l.Tolerance {
			best.Status = Optimal
		}
		best.W = g.balance(best.X, best.Y)
		return best
	}
}

// Proofs that there is no optimum, of points where tau is small.
const (
	farAway = 1e8  // times the size of bounds: the radius of a refutation
	steady  = 1e-9 // the residual of a ray, relative to its slope
)

// none looks for a proof that there is no optimum.
func (g *Program) none(s *Solution, e *embedding, by *scaling) Status {
	if !(e.kappa > e.tau) {
		return ""
	}
	x, y := by.point(e.at.x, e.multipliers(e.at.z, e.at.y), 1)
	size := 1.0
	for _, list := range [][]float64{g.Lower, g.Upper, g.Least, g.Most} {
		for _, v := range list {
			if v-v == 0 {
				size = max(size, math.Abs(v))
			}
		}
	}
	for _, y := range [][]float64{rounded(y), y} {
		if r := g.Refute(y); r.Margin > 0 && r.Radius > farAway*size {
			s.Refutation = &r
			return Infeasible
		}
	}
	for _, x := range [][]float64{rounded(x), x} {
		if r := g.Descend(x); r.Slope < 0 && r.Residual <= -steady*r.Slope {
			s.Ray = &r
			return Unbounded
		}
	}
	return ""
}

// rounded returns numbers of a few bits in the unit of the largest: proofs are often small whole
// numbers, and then exact.
func rounded(v []float64) []float64 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	out := slices.Clone(v)
	for k, x := range v {
		out[k] = math.Round(x/largest*5040) / 5040 // 1/2, ..., 1/10 too
	}
	return out
}

// balance returns the multipliers of the bounds of variables with which the derivatives of the
// Lagrangian are 0; 0 for those that ask for an infinite bound.
func (g *Program) balance(x, y []float64) []float64 {
	_, w, _ := g.reduced(x, y)
	for j, r := range w {
		if w[j] = -r; r != 0 {
			if _, ok := support(-r, g.Least[j], g.Most[j]); !ok {
				w[j] = 0
			}
		}
	}
	return w
}

// implied returns the bounds of variables; those that are infinite are what rows say of one variable
// alone, given the bounds of the others, outwards by more than the roundings.
func (g *Program) implied() box {
	b := box{slices.Clone(g.Least), slices.Clone(g.Most)}
	for range 3 {
		for i := range g.A.Rows() {
			b.narrow(g, i)
		}
	}
	return b
}

// span is a sum of terms, of which some are infinite.
type span struct {
	sum, size float64
	infinite  int
}

func (s *span) add(v float64) {
	if v-v != 0 {
		s.infinite++
		return
	}
	s.sum += v
	s.size += math.Abs(v)
}

// without is the sum without a term, infinite where another is.
func (s span) without(v float64) float64 {
	switch {
	case v-v != 0 && s.infinite == 1:
		return s.sum
	case v-v == 0 && s.infinite == 0:
		return s.sum - v
	}
	return math.Inf(1)
}

// narrow replaces infinite bounds by what row i says.
func (b box) narrow(g *Program, i int) {
	index, value := g.A.Row(i)
	term := func(k int) (lo, hi float64) {
		lo, hi = float64(value[k]*b.least[index[k]]), float64(value[k]*b.most[index[k]])
		return min(lo, hi), max(lo, hi)
	}
	var lo, hi span
	for k, v := range value {
		if v == 0 {
			return
		}
		a, z := term(k)
		lo.add(a)
		hi.add(z)
	}
	for k, j := range index {
		a, z := term(k)
		least, most := (g.Lower[i]-hi.without(z))/value[k], (g.Upper[i]-lo.without(a))/value[k]
		if value[k] < 0 {
			least, most = most, least
		}
		off := 1e-6 * (1 + (lo.size+hi.size)/math.Abs(value[k]))
		if math.IsInf(b.least[j], -1) && least-least == 0 {
			b.least[j] = least - off - 1e-6*math.Abs(least)
		}
		if math.IsInf(b.most[j], 1) && most-most == 0 {
			b.most[j] = most + off + 1e-6*math.Abs(most)
		}
	}
}
