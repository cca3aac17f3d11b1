package quadratic

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Decompose is the judge of [Interior]: the method of working sets for several equations (Osuna, Freund, Girosi 1997;
// Joachims 1999; Ulbrich's Algorithm 3.5): all variables but Size are held fixed, and
// the program of these is solved.
//
//	Set       the variables of the steepest feasible direction with |d|_1 = 1,
//
//	          min g^T d,  A d = 0,  d_i >= 0 at the lower bound, d_i <= 0 at the upper one,
//
//	          g = Q x + c, which is a vertex and so has m+1 at most (Lemma 3.8); then those
//	          that violate r = g + A^T y most, y being the multipliers there
//	Update    x_B <- the optimum of the program of B, by [Interior]; g changes by |B| rows of Q
//	Returned  x, y and the certificate when the gap is at most Gap, or after Steps steps
//	Cost      of a step: O(n m) a pivot of the direction, |B|^3, |B| n
type Decompose struct {
	Size  int     // >= m+1; 0: m+1
	Gap   float64 // relative to the objective; 0: 1e-8
	Steps int     // at most; 0: 100,000
}

// solution is where a method ended.
type solution struct {
	X, Y        []float64
	Certificate Certificate
	Steps       int
}

// Solve needs a dense matrix and a feasible x to begin at; nil: one is found by [Interior].
func (d Decompose) Solve(ctx context.Context, p *Program, x []float64) (*solution, error) {
	q, ok := p.Q.(*Dense)
	if err := p.Check(); err != nil || !ok {
		return nil, fmt.Errorf("quadratic: decomposition: found %T, expected a dense matrix of a program (%v)", p.Q, err)
	}
	if d.Size == 0 {
		d.Size = len(p.A) + 1
	}
	if d.Size < len(p.A)+1 {
		return nil, fmt.Errorf("quadratic: found working sets of %d variables, expected at least %d, one more than equations", d.Size, len(p.A)+1)
	}
	if d.Gap == 0 {
		d.Gap = 1e-8
	}
	if d.Steps == 0 {
		d.Steps = 100000
	}
	s := &decomposition{p: p, q: q, x: append([]float64(nil), x...), g: make([]float64, q.N)}
	if x == nil {
		var err error
		if s.x, err = feasible(p); err != nil {
			return nil, err
		}
	}
	return s.run(ctx, d)
}

// feasible finds a point of the bounds that solves the equations: the least squares of these
// is a program without equations.
func feasible(p *Program) ([]float64, error) {
	n, m := len(p.C), len(p.A)
	v := make([]float64, n*max(m, 1))
	c := make([]float64, n)
	for k, row := range p.A {
		for i, a := range row {
			v[i*m+k] = a
			c[i] -= float64(a * p.B[k])
		}
	}
	r := NewInterior(&Program{Q: &LowRank{V: v, N: n, K: max(m, 1)}, C: c, Lower: p.Lower, Upper: p.Upper})
	for range 200 {
		if !r.Step() {
			break
		}
	}
	x, _ := r.Point()
	for k, row := range p.A {
		size := math.Abs(p.B[k])
		for i, a := range row {
			size += math.Abs(a) * max(math.Abs(p.Lower[i]), math.Abs(p.Upper[i]))
		}
		if off := math.Abs(dot(row, x) - p.B[k]); off > 1e-7*size {
			return nil, fmt.Errorf("quadratic: equation %d: the nearest that the bounds allow is %g off: expected a program with a feasible point", k+1, off)
		}
	}
	return x, nil
}

// decomposition is one run.
type decomposition struct {
	p    *Program
	q    *Dense
	x, g []float64
}

// refreshed is after how many steps g is computed anew, and the point judged.
const refreshed = 50

func (s *decomposition) run(ctx context.Context, d Decompose) (*solution, error) {
	y := make([]float64, len(s.p.A))
	out := &solution{}
	last := math.Inf(1)
	for step := 0; ; step++ {
		if step%refreshed == 0 {
			s.gradient()
		}
		rate, multipliers, way := s.steepest()
		copy(y, multipliers)
		done := !(rate > 0) || step == d.Steps || ctx.Err() != nil
		if done || step%refreshed == 0 {
			c := s.p.Certify(s.x, y)
			stuck := step%(20*refreshed) == 0 && !(c.Value < last)
			if step%(20*refreshed) == 0 {
				last = c.Value
			}
			if done || stuck && step > 0 || c.Gap() <= d.Gap*math.Abs(c.Value) {
				out.X, out.Y, out.Certificate, out.Steps = s.x, y, c, step
				return out, ctx.Err()
			}
		}
		move := s.along(way)
		if d.Size > len(s.p.A)+1 {
			if all := s.improve(s.fill(way.rows, y, d.Size)); s.change(all) < s.change(move) && s.keeps(all) {
				move = all
			}
		}
		s.take(move)
	}
}

// gradient computes g anew.
func (s *decomposition) gradient() {
	s.q.Product(s.g, s.x)
	vec.Axpy64(s.g, 1, s.p.C)
}

// fill adds to the variables of the direction those of the largest violations.
func (s *decomposition) fill(from []int, y []float64, size int) []int {
	set := slices.Clone(from)
	type violation struct {
		i    int
		most float64
	}
	var all []violation
	for i, g := range s.g {
		for k, row := range s.p.A {
			g += float64(row[i] * y[k])
		}
		if s.x[i] < s.p.Upper[i] && g < 0 || s.x[i] > s.p.Lower[i] && g > 0 {
			all = append(all, violation{i, math.Abs(g)})
		}
	}
	slices.SortStableFunc(all, func(a, b violation) int {
		switch {
		case a.most > b.most:
			return -1
		case a.most < b.most:
			return 1
		}
		return 0
	})
	for _, v := range all {
		if len(set) >= size {
			break
		}
		if !slices.Contains(set, v.i) {
			set = append(set, v.i)
		}
	}
	return set
}

// improve solves the program of a set.
func (s *decomposition) improve(set []int) move {
	k := len(set)
	p := &Program{C: make([]float64, k), B: make([]float64, len(s.p.A)), A: make([][]float64, len(s.p.A)), Lower: make([]float64, k), Upper: make([]float64, k)}
	square := make([]float64, k*k)
	for a, i := range set {
		p.Lower[a], p.Upper[a], p.C[a] = s.p.Lower[i], s.p.Upper[i], s.g[i]
		for b, j := range set {
			square[a*k+b] = s.q.Value[i*s.q.N+j]
			p.C[a] -= float64(square[a*k+b] * s.x[j])
		}
	}
	for e, row := range s.p.A {
		p.B[e] = s.p.B[e] - dot(row, s.x)
		p.A[e] = make([]float64, k)
		for a, i := range set {
			p.A[e][a] = row[i]
			p.B[e] += float64(row[i] * s.x[i])
		}
	}
	p.Q = &Dense{Value: square, N: k, Threads: 1}
	inner := NewInterior(p)
	for range 100 {
		if !inner.Step() {
			break
		}
	}
	x, _ := inner.Point()
	out := move{rows: set, by: make([]float64, k), to: x}
	for a, i := range set {
		switch inner.Bound(a) {
		case -1:
			x[a] = p.Lower[a]
		case 1:
			x[a] = p.Upper[a]
		}
		out.by[a] = x[a] - s.x[i]
	}
	return out
}

// move is a change of some variables.
type move struct {
	rows   []int
	by, to []float64
}

// along goes along a direction as far as it pays and the bounds allow. That is exact where the
// direction is all there is.
func (s *decomposition) along(way move) move {
	slope, step := 0.0, math.Inf(1)
	for a, i := range way.rows {
		slope += float64(s.g[i] * way.by[a])
		room := math.Inf(1)
		if way.by[a] > 0 {
			room = (s.p.Upper[i] - s.x[i]) / way.by[a]
		} else if way.by[a] < 0 {
			room = (s.p.Lower[i] - s.x[i]) / way.by[a]
		}
		step = min(step, room)
	}
	if curvature := 2 * (s.change(way) - slope); curvature > 0 {
		step = min(step, -slope/curvature)
	}
	out := move{rows: way.rows}
	for a, i := range way.rows {
		by := float64(max(0, step) * way.by[a])
		out.by, out.to = append(out.by, by), append(out.to, min(max(s.x[i]+by, s.p.Lower[i]), s.p.Upper[i]))
	}
	return out
}

// change is what a move does to the objective.
func (s *decomposition) change(m move) float64 {
	sum := 0.0
	for a, i := range m.rows {
		sum += float64(s.g[i] * m.by[a])
		row := s.q.Value[i*s.q.N : (i+1)*s.q.N]
		for b, j := range m.rows {
			sum += float64(float64(m.by[a]*m.by[b])*row[j]) / 2
		}
	}
	return sum
}

// keeps reports whether a move leaves the equations as they are, up to roundings.
func (s *decomposition) keeps(m move) bool {
	for _, row := range s.p.A {
		sum, size := 0.0, 0.0
		for a, i := range m.rows {
			sum += float64(row[i] * m.by[a])
			size += math.Abs(row[i]) * (math.Abs(m.by[a]) + math.Abs(s.x[i]))
		}
		if math.Abs(sum) > 1e-10*size {
			return false
		}
	}
	return true
}

// take makes a move.
func (s *decomposition) take(m move) {
	for a, i := range m.rows {
		vec.Axpy64(s.g, m.to[a]-s.x[i], s.q.Value[i*s.q.N:(i+1)*s.q.N])
		s.x[i] = m.to[a]
	}
}

// Check returns why p is no program.
func (p *Program) Check() error {
	n := len(p.C)
	if n == 0 || p.Q == nil || p.Q.Len() != n || len(p.Lower) != n || len(p.Upper) != n || len(p.A) != len(p.B) {
		return fmt.Errorf("quadratic: found %d numbers of c, %d and %d bounds, %d rows of A and %d of b: expected n, n, n, m and m, with Q of n rows", n, len(p.Lower), len(p.Upper), len(p.A), len(p.B))
	}
	for i, lo := range p.Lower {
		if !(lo <= p.Upper[i]) || math.IsInf(lo, 0) || math.IsInf(p.Upper[i], 0) || p.C[i]-p.C[i] != 0 {
			return fmt.Errorf("quadratic: variable %d: found c=%g and bounds %g and %g, expected finite numbers, the first bound not above the second", i+1, p.C[i], lo, p.Upper[i])
		}
	}
	for k, row := range p.A {
		if len(row) != n {
			return fmt.Errorf("quadratic: row %d of A: found %d numbers, expected %d", k+1, len(row), n)
		}
	}
	return nil
}

// Gap returns Value - Lower: at least the distance from the optimum, if the point is feasible.
func (c Certificate) Gap() float64 { return c.Value - c.Lower }
