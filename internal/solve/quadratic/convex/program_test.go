package convex

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// draw makes a program: kinds are equations, ranges, rows with one bound, free and fixed variables,
// low rank, P = 0, rows twice, optima at corners, and programs without a point or without a minimum.
func draw(seed uint64) *Program {
	r := rand.New(rand.NewPCG(seed, 41))
	n, m := 1+r.IntN(30), r.IntN(25)
	rank := []int{n, n / 2, 1, 0}[seed%4]
	g := &Program{Q: make([]float64, n), Least: make([]float64, n), Most: make([]float64, n), Constant: r.NormFloat64()}
	whole := seed%3 == 0
	number := func() float64 {
		if whole {
			return float64(r.IntN(7) - 3)
		}
		return r.NormFloat64()
	}
	v := make([]float64, n*rank)
	for i := range v {
		v[i] = number()
	}
	var p, a []Entry
	for i := range n {
		for j := range n {
			sum := 0.0
			for k := range rank {
				sum += float64(v[min(i, j)*rank+k] * v[max(i, j)*rank+k])
			}
			p = append(p, Entry{i, j, sum})
		}
	}
	x := make([]float64, n)
	for j := range n {
		x[j], g.Q[j] = number(), 3*number()
		g.Least[j], g.Most[j] = math.Inf(-1), math.Inf(1)
		if kind := r.IntN(6); kind > 0 || seed%5 > 0 {
			if kind != 1 {
				g.Least[j] = x[j] - float64(r.IntN(2))*math.Abs(number())
			}
			if kind != 2 {
				g.Most[j] = x[j] + float64(r.IntN(2))*math.Abs(number())
			}
		}
	}
	for i := range m {
		sum := 0.0
		for j := range n {
			if v := number(); r.IntN(3) > 0 {
				if i > 0 && seed%7 == 3 && i%2 == 1 { // the row before, twice
					v = 0
					for _, e := range a {
						if e.Row == i-1 && e.Col == j {
							v = 2 * e.Value
						}
					}
				}
				a = append(a, Entry{i, j, v})
				sum += v * x[j]
			}
		}
		lo, hi := sum-float64(r.IntN(2))*math.Abs(number()), sum+float64(r.IntN(2))*math.Abs(number())
		switch kind := r.IntN(5); {
		case seed%11 == 5 && i == m-1:
			lo, hi = hi+50, hi+60
		case kind == 0:
			lo = math.Inf(-1)
		case kind == 1:
			hi = math.Inf(1)
		case kind == 2 && i < n/2:
			lo, hi = sum, sum
		}
		g.Lower, g.Upper = append(g.Lower, lo), append(g.Upper, hi)
	}
	g.P, g.A = NewSparse(n, n, p), NewSparse(m, n, a)
	return g
}

// violations is how far a point and its multipliers are from the conditions of an optimum, computed by
// nothing but plain sums: the rows and bounds, P x + q + A^T y + w = 0, and multipliers that are above
// 0 at upper bounds alone and below 0 at lower ones.
func violations(g *Program, s *Solution) (worst float64) {
	left := slices.Clone(g.Q)
	size := 1.0
	sides := func(v, lo, hi, y float64) {
		worst = max(worst, (lo-v)/max(1, math.Abs(v)), (v-hi)/max(1, math.Abs(v)))
		if y > 0 {
			worst = max(worst, y*(hi-v)/max(1, math.Abs(s.Objective)))
		} else if y < 0 {
			worst = max(worst, y*(lo-v)/max(1, math.Abs(s.Objective)))
		}
	}
	for i := range g.Lower {
		v := 0.0
		index, value := g.A.Row(i)
		for k, j := range index {
			v += value[k] * s.X[j]
			left[j] += value[k] * s.Y[i]
			size = max(size, math.Abs(value[k]*s.Y[i]))
		}
		sides(v, g.Lower[i], g.Upper[i], s.Y[i])
	}
	for i, x := range s.X {
		index, value := g.P.Row(i)
		for k, j := range index {
			left[i] += value[k] * s.X[j]
			size = max(size, math.Abs(value[k]*s.X[j]))
		}
		left[i] += s.W[i]
		sides(x, g.Least[i], g.Most[i], s.W[i])
	}
	for _, v := range left {
		worst = max(worst, math.Abs(v)/size)
	}
	return worst
}

// K13: 300 random programs end with an optimum whose conditions hold to 1e-8, with gap and bound, or
// with a proof that there is none, which plain sums confirm.
func TestPrograms(t *testing.T) {
	count, everywhere := map[Status]int{}, 0
	for seed := range uint64(300) {
		g := draw(seed)
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		s := g.Solve(Limits{Threads: 1})
		count[s.Status]++
		switch s.Status {
		case Optimal:
			if v := violations(g, s); v > 1e-8 || math.Abs(s.Gap()) > 1e-9 || s.Steps > 40 {
				t.Errorf("seed %d: conditions off by %g, %+v, gap %g, %d steps", seed, v, s.Proof, s.Gap(), s.Steps)
			}
			if math.IsInf(s.Radius, 1) {
				everywhere++
			}
		case Infeasible:
			refutes(t, seed, g, s.Refutation)
		case Unbounded:
			descends(t, seed, g, s)
		default:
			t.Errorf("seed %d: %s, gap %g after %d steps", seed, s.Status, s.Gap(), s.Steps)
		}
	}
	if count[Optimal] < 200 || count[Infeasible] < 10 || count[Unbounded] < 10 || everywhere < 150 {
		t.Errorf("found %v, %d bounds on all points, expected some of each", count, everywhere)
	}
}

// refutes checks a proof of infeasibility by plain sums.
func refutes(t *testing.T, seed uint64, g *Program, r *Refutation) {
	t.Helper()
	turned := make([]float64, len(g.Q))
	most, least := 0.0, 0.0
	for i, y := range r.Y {
		if y != 0 {
			most += max(y*g.Lower[i], y*g.Upper[i])
		}
		index, value := g.A.Row(i)
		for k, j := range index {
			turned[j] += value[k] * y
		}
	}
	for j, v := range turned {
		if at := min(v*g.Least[j], v*g.Most[j]); at-at == 0 && v != 0 {
			least += at
		} else {
			least -= math.Abs(v) * 1e3 // numbers up to 1000, where there is no bound
		}
	}
	if !(least > most) || r.Radius < 1e3 {
		t.Errorf("seed %d: y^T A x is at least %g, and at most %g, expected a contradiction; radius %g", seed, least, most, r.Radius)
	}
}

// descends checks that the objective falls along a ray from the point, which stays feasible.
func descends(t *testing.T, seed uint64, g *Program, s *Solution) {
	t.Helper()
	const far = 1e6
	x, ax, px := slices.Clone(s.X), make([]float64, len(g.Lower)), make([]float64, len(g.Q))
	for j, d := range s.Ray.D {
		x[j] += far * d
		if v := max(g.Least[j]-x[j], x[j]-g.Most[j]); v > 0.02 {
			t.Errorf("seed %d: variable %d is %g out of its bounds", seed, j, v)
		}
	}
	g.A.Times(ax, x)
	g.P.Times(px, x)
	for i, v := range ax {
		if v := max(g.Lower[i]-v, v-g.Upper[i]); v > 0.02 {
			t.Errorf("seed %d: row %d is %g out of its bounds", seed, i, v)
		}
	}
	value := 0.0
	for j, v := range x {
		value += v * (px[j]/2 + g.Q[j])
	}
	if value > s.Ray.Slope*far/2 {
		t.Errorf("seed %d: the objective is %g far along the ray, expected about %g", seed, value, s.Ray.Slope*far)
	}
}

// eliminate solves a dense system with pivots; false: it is singular.
func eliminate(a [][]float64) ([]float64, bool) {
	n := len(a)
	for c := range n {
		best := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[best][c]) {
				best = r
			}
		}
		if a[c], a[best] = a[best], a[c]; math.Abs(a[c][c]) < 1e-10 {
			return nil, false
		}
		for r := range n {
			if f := a[r][c] / a[c][c]; r != c && f != 0 {
				for k := c; k <= n; k++ {
					a[r][k] -= f * a[c][k]
				}
			}
		}
	}
	x := make([]float64, n)
	for c := range x {
		x[c] = a[c][n] / a[c][c]
	}
	return x, true
}

// bySets is the optimum by trying every set of sides that may hold with equality.
func bySets(g *Program) float64 {
	n, m := len(g.Q), len(g.Lower)
	row := func(i int) (v []float64, lo, hi float64) {
		v = make([]float64, n)
		if i >= m {
			v[i-m] = 1
			return v, g.Least[i-m], g.Most[i-m]
		}
		index, value := g.A.Row(i)
		for k, j := range index {
			v[j] = value[k]
		}
		return v, g.Lower[i], g.Upper[i]
	}
	best := math.Inf(1)
	all := int(math.Pow(3, float64(m+n)))
	for code := range all {
		var held [][]float64 // row, and what it is equal to
		for i, c := 0, code; i < m+n; i, c = i+1, c/3 {
			if v, lo, hi := row(i); c%3 > 0 {
				held = append(held, append(v, []float64{lo, hi}[c%3-1]))
			}
		}
		a := make([][]float64, n+len(held))
		for i := range a {
			a[i] = make([]float64, n+len(held)+1)
			if i >= n {
				copy(a[i], held[i-n][:n])
				a[i][len(a)] = held[i-n][n]
				continue
			}
			index, value := g.P.Row(i)
			for k, j := range index {
				a[i][j] = value[k]
			}
			for k, h := range held {
				a[i][n+k] = h[i]
			}
			a[i][len(a)] = -g.Q[i]
		}
		x, ok := eliminate(a)
		value := g.Constant
		for i := 0; i < m+n && ok; i++ {
			v, lo, hi := row(i)
			at := vec.Dot64(v, x[:n])
			ok = at >= lo-1e-9 && at <= hi+1e-9
		}
		if !ok {
			continue
		}
		for i := range n {
			index, p := g.P.Row(i)
			for k, j := range index {
				value += x[i] * p[k] * x[j] / 2
			}
			value += x[i] * g.Q[i]
		}
		best = min(best, value)
	}
	return best
}

// small is a program with few sides and P positive definite, feasible at x.
func small(seed uint64) *Program {
	r := rand.New(rand.NewPCG(seed, 42))
	n, m := 1+r.IntN(3), r.IntN(3)
	g := &Program{Constant: 1, Q: make([]float64, n), Least: make([]float64, n), Most: make([]float64, n)}
	var p, a []Entry
	x := make([]float64, n)
	for i := range n {
		p = append(p, Entry{i, i, 1 + float64(r.IntN(4))})
		x[i], g.Q[i] = float64(r.IntN(5)-2), float64(r.IntN(9)-4)
		g.Least[i], g.Most[i] = x[i]-float64(r.IntN(3)), x[i]+float64(r.IntN(3))
		if r.IntN(3) == 0 {
			g.Most[i] = math.Inf(1)
		}
	}
	for i := range m {
		sum := 0.0
		for j := range n {
			v := float64(r.IntN(5) - 2)
			a = append(a, Entry{i, j, v})
			sum += v * x[j]
		}
		g.Lower, g.Upper = append(g.Lower, sum-float64(r.IntN(2))), append(g.Upper, sum)
		if r.IntN(3) == 0 {
			g.Lower[i] = math.Inf(-1)
		}
	}
	g.P, g.A = NewSparse(n, n, p), NewSparse(m, n, a)
	return g
}

// The optimum of small programs is that found by trying all sets of active sides, and no multipliers
// and no point, however bad, have a bound above it.
func TestProgramsBySets(t *testing.T) {
	for seed := range uint64(150) {
		g := small(seed)
		want := bySets(g)
		s := g.Solve(Limits{Threads: 1})
		if s.Status != Optimal || math.Abs(s.Objective-want) > 1e-8*max(1, math.Abs(want)) || s.Bound > want+1e-12*max(1, math.Abs(want)) {
			t.Fatalf("seed %d: %s %+v, expected %v", seed, s.Status, s.Proof, want)
		}
		r := rand.New(rand.NewPCG(seed, 43))
		for range 50 {
			x, y := slices.Clone(s.X), slices.Clone(s.Y)
			size := math.Pow(10, 1-8*r.Float64())
			for j := range x {
				x[j] += size * r.NormFloat64()
			}
			for i := range y {
				y[i] += size * r.NormFloat64()
			}
			if p, _, _ := g.certify(x, y, g.implied()); p.Bound > want+1e-12*max(1, math.Abs(want)) {
				t.Fatalf("seed %d: bound %v above the optimum %v", seed, p.Bound, want)
			}
		}
	}
}

// What has no optimum, by hand: each status with its proof.
func TestProgramsWithoutOptimum(t *testing.T) {
	inf := math.Inf(1)
	line := func(p float64, q, lo, hi, least, most float64) *Program {
		return &Program{P: NewSparse(1, 1, []Entry{{0, 0, p}}), Q: []float64{q}, A: NewSparse(1, 1, []Entry{{0, 0, 1}}), Lower: []float64{lo}, Upper: []float64{hi}, Least: []float64{least}, Most: []float64{most}}
	}
	for _, c := range []struct {
		g    *Program
		want Status
	}{
		{line(1, 0, 1, 2, -inf, inf), Optimal},
		{line(0, 0, -inf, inf, -inf, inf), Optimal},
		{line(0, -1, -inf, 3, -inf, inf), Optimal},
		{line(0, 1, -inf, 3, -inf, inf), Unbounded},
		{line(0, -1, 1, 2, 3, 4), Infeasible},
		{line(0, -1, 3, inf, -inf, 2), Infeasible},
		{line(0, -1, 3, 2, -inf, 2), Infeasible},
		{line(0, -1, 1, 1, 2, 2), Infeasible},
		{line(-1, 0, 1, 2, -inf, inf), NotConvex},
	} {
		if s := c.g.Solve(Limits{}); s.Status != c.want {
			t.Errorf("%+v: %s, expected %s", c.g, s.Status, c.want)
		}
	}
	g := draw(4) // of full rank; with a direction of negative curvature it is none
	for k, j := range g.P.Index {
		if j == 0 && k == 0 {
			g.P.Value[k] = -1
		}
	}
	s := g.Solve(Limits{})
	if s.Status != NotConvex || !(s.Curvature.Value < 0) {
		t.Fatalf("%s, curvature %+v, expected not-convex", s.Status, s.Curvature)
	}
	product := make([]float64, len(g.Q))
	if g.P.Times(product, s.Curvature.Vector); !(vec.Dot64(product, s.Curvature.Vector) < 0) {
		t.Errorf("v^T P v = %g, expected a negative number", vec.Dot64(product, s.Curvature.Vector))
	}
}

// What is no program is refused.
func TestProgramsCheck(t *testing.T) {
	for _, c := range []struct {
		change func(*Program)
		want   string
	}{
		{func(g *Program) { g.Q = nil }, "no variables"},
		{func(g *Program) { g.Q[0] = math.NaN() }, "q: found NaN as number 1"},
		{func(g *Program) { g.Lower[0] = math.Inf(1) }, "l: found +Inf as number 1, expected a finite one or -inf"},
		{func(g *Program) { g.Most[0] = math.Inf(-1) }, "ub: found -Inf"},
		{func(g *Program) { g.Upper = g.Upper[1:] }, "l and u"},
		{func(g *Program) { g.P.Value[1] += 1 }, "symmetric"},
		{func(g *Program) { g.P.Value[1] *= 1 + 1e-6 }, "symmetric"},
		{func(g *Program) { g.A.Cols++ }, "A: found"},
	} {
		g := draw(8)
		c.change(g)
		if err := g.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("found %v, expected %q", err, c.want)
		}
	}
}

// The threads change no bit.
func TestProgramsThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n, m := 90, 70
	values, rows := make([]float64, n*n), make([]float64, m*n)
	for i := range n {
		values[i*n+i] = r.Float64()
	}
	for i := range rows {
		rows[i] = r.NormFloat64()
	}
	g := &Program{P: DenseRows(n, n, values), A: DenseRows(m, n, rows), Q: rows[:n], Lower: make([]float64, m), Upper: slices.Repeat([]float64{1}, m), Least: slices.Repeat([]float64{-1}, n), Most: slices.Repeat([]float64{math.Inf(1)}, n)}
	one, two := g.Solve(Limits{Threads: 1}), g.Solve(Limits{Threads: 2})
	if one.Status != Optimal || !slices.Equal(one.X, two.X) || !slices.Equal(one.Y, two.Y) || one.Bound != two.Bound {
		t.Errorf("%s %+v on one thread, %s %+v on two", one.Status, one.Proof, two.Status, two.Proof)
	}
}

// The bound of a free variable holds up to the radius alone, unless rows bound the variable; of a row
// with two variables that have no bound they bound none.
func TestProgramsRadius(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		rows         []float64 // of two variables
		lower, upper []float64
		implied      box
	}{
		{nil, nil, nil, box{[]float64{-inf, -inf}, []float64{inf, inf}}},
		{[]float64{1, 1}, []float64{0}, []float64{1}, box{[]float64{-inf, -inf}, []float64{inf, inf}}},
		{[]float64{1, 0, 1, -2}, []float64{-1, -1}, []float64{1, 3}, box{[]float64{-1, -2}, []float64{1, 1}}},
	} {
		g := &Program{P: identity(2), Q: []float64{-1, -1}, A: DenseRows(len(c.lower), 2, c.rows), Lower: c.lower, Upper: c.upper, Least: []float64{-inf, -inf}, Most: []float64{inf, inf}}
		b := g.implied()
		near := func(got, want []float64) bool {
			return slices.EqualFunc(got, want, func(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-4 })
		}
		if !near(b.least, c.implied.least) || !near(b.most, c.implied.most) {
			t.Errorf("rows %v imply %v, expected %v", c.rows, b, c.implied)
		}
		p, _, _ := g.certify([]float64{0.9, 1}, make([]float64, len(c.lower)), b)
		if bounded := !math.IsInf(b.most[0], 1); bounded != math.IsInf(p.Radius, 1) || !bounded && p.Radius < 100 || p.Bound > -1 {
			t.Errorf("rows %v: %+v", c.rows, p)
		}
	}
}

// Bounds that rows imply are outwards of what they imply exactly, here 0.
func TestProgramsImplied(t *testing.T) {
	inf := math.Inf(1)
	g := &Program{Q: make([]float64, 3), A: DenseRows(1, 3, []float64{1, 1, -1}), Lower: []float64{0}, Upper: []float64{0}, Least: []float64{-inf, 1, 1}, Most: []float64{inf, 1, 1}}
	if b := g.implied(); !(b.least[0] < 0 && b.most[0] > 0) {
		t.Errorf("found %v to %v, expected a range around 0", b.least[0], b.most[0])
	}
}

// Of rows x <= 0 and x + e v >= 1, v without bounds, the multipliers 1 and -1 leave e v: there is no
// point with |v| below 1/e, of which at least half is found.
func TestRefuteRadius(t *testing.T) {
	const e = 1. / 1024
	inf := math.Inf(1)
	g := &Program{Q: make([]float64, 2), A: DenseRows(2, 2, []float64{1, 0, 1, e}), Lower: []float64{-inf, 1}, Upper: []float64{0, inf}}
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	if r := g.Refute([]float64{1, -1}); math.Abs(r.Margin-1) > 1e-12 || r.Radius > 1/e || r.Radius < 0.49/e {
		t.Errorf("found margin %v up to %v, expected 1 up to %v at most", r.Margin, r.Radius, 1/e)
	}
}

// Factors of the scaling are powers of two.
func TestScaling(t *testing.T) {
	s := newScaling(draw(8))
	for _, f := range slices.Concat(s.rows, s.cols, []float64{s.cost}) {
		if fraction, _ := math.Frexp(f); fraction != 0.5 {
			t.Errorf("found the factor %v, expected a power of two", f)
		}
	}
}

// A run that is stopped in the middle of a step has the best point so far, and says so.
func TestProgramsStopped(t *testing.T) {
	g := small(7)
	for most := range 30 {
		calls := 0
		s := g.Solve(Limits{Threads: 1, Stop: func() bool { calls++; return calls > most }})
		if s.Status == Optimal {
			break
		}
		if s.Status != Cut || s.X == nil || !(s.Bound < s.Objective+1) {
			t.Errorf("stopped at question %d: %s, %+v", most, s.Status, s.Proof)
		}
	}
}
