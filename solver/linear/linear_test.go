package linear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// examined holds one row per solver: what it is asked to prove, and the reason
// for which it refuses a penalty or a loss ("" for none).
var examined = []struct {
	spec    string
	gap     float64
	epochs  int
	refuses func(l loss.Loss, penalty string) string
}{
	{"sdca", 1e-6, 20000, func(_ loss.Loss, p string) string {
		if p == "l1" {
			return "solver sdca needs a strongly convex penalty (l2 or elastic-net): without one the dual does not determine the weights"
		}
		return ""
	}},
	{"pegasos", 2e-2, 20000, func(_ loss.Loss, p string) string {
		if p != "l2" {
			return "solver pegasos needs the penalty l2: its steps and its projection rely on it"
		}
		return ""
	}},
	{"newton", 1e-9, 60, func(_ loss.Loss, p string) string {
		if p != "l2" {
			return "solver newton needs the penalty l2: its equations rely on it"
		}
		return ""
	}},
	{"sdca+newton", 1e-6, 20000, func(_ loss.Loss, p string) string {
		if p != "l2" {
			return "solver newton needs the penalty l2: its equations rely on it"
		}
		return ""
	}},
	{"sdca+cd", 1e-6, 20000, func(l loss.Loss, p string) string {
		switch {
		case p == "l2":
			return "solver cd needs the penalty l1 or elastic-net; for l2 use sdca"
		case math.IsInf(l.Smoothness(), 1):
			return fmt.Sprintf("solver cd needs a smooth loss such as squared-hinge, logistic or squared: moving one weight at a time gets stuck at the corners of %T", l)
		case p == "l1":
			return "solver sdca needs a strongly convex penalty (l2 or elastic-net): without one the dual does not determine the weights"
		}
		return ""
	}},
	{"cd", 1e-6, 2000, func(l loss.Loss, p string) string {
		if p == "l2" {
			return "solver cd needs the penalty l1 or elastic-net; for l2 use sdca"
		}
		if math.IsInf(l.Smoothness(), 1) {
			return fmt.Sprintf("solver cd needs a smooth loss such as squared-hinge, logistic or squared: moving one weight at a time gets stuck at the corners of %T", l)
		}
		return ""
	}},
	{"simba", 0, 0, func(loss.Loss, string) string {
		return "solver simba maximises a margin with slack: expected a problem with slack, or another solver"
	}},
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// table draws n rows of d features, of which a share is not zero. Row 1 is
// empty, row 3 is row 2 again, and the last feature is always zero.
func table(r *rand.Rand, n, d int, share float64) [][]float32 {
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = make([]float32, d)
		for j := range d - 1 {
			if r.Float64() < share {
				rows[i][j] = float32(r.NormFloat64())
			}
		}
	}
	if n > 3 {
		clear(rows[1])
		copy(rows[3], rows[2])
	}
	return rows
}

// targets follow a linear rule with noise; classes when the loss asks for them.
func targets(r *rand.Rand, rows [][]float32, l loss.Loss) []float64 {
	y := make([]float64, len(rows))
	for i, x := range rows {
		y[i] = 0.7 + 0.6*r.NormFloat64()
		for j, v := range x {
			y[i] += float64(v) / float64(j+1)
		}
		if _, ok := l.(loss.Margin); ok {
			y[i] = math.Copysign(1, y[i]-0.5)
		}
	}
	return y
}

func stored(rows [][]float32, sparse bool) matrix.Matrix {
	dense := must(matrix.NewDense(len(rows), len(rows[0]), slices.Concat(rows...)))
	if sparse {
		return matrix.Transpose(matrix.Transpose(dense))
	}
	return dense
}

// generate makes a problem of n rows of weight 1 and 2.
func generate(l loss.Loss, p string, bias problem.Bias, n, d int, sparse bool) *problem.Linear {
	r := rand.New(rand.NewPCG(30, uint64(n)))
	share := 1.0
	if sparse {
		share = 0.4
	}
	rows := table(r, n, d, share)
	s := make([]float64, n)
	for i := range s {
		s[i] = 1 + float64(i%2)
	}
	return must(problem.NewLinear(problem.NewRows(stored(rows, sparse), 1), targets(r, rows, l), s, l, must(penalty.New(p)), 0.05, bias))
}

// each calls do for every loss, penalty and bias.
func each(t *testing.T, do func(t *testing.T, l loss.Loss, p string, bias problem.Bias)) {
	t.Helper()
	for _, l := range loss.Entries() {
		for _, p := range penalty.Entries() {
			for _, b := range problem.BiasNames() {
				t.Run(l.Name+"/"+p.Name+"/"+b, func(t *testing.T) {
					do(t, must(loss.New(l.Name)), p.Name, must(problem.ParseBias(b)))
				})
			}
		}
	}
}

func TestEverySolverIsExamined(t *testing.T) {
	var rows []string
	for _, c := range examined {
		rows = append(rows, c.spec)
	}
	slices.Sort(rows)
	if names := solvers.Names(); !slices.Equal(rows, names) {
		t.Errorf("the table has rows for %v, registered are %v", rows, names)
	}
}

// TestSolvers examines every solver on every problem, dense and sparse, and
// every refusal.
func TestSolvers(t *testing.T) {
	each(t, func(t *testing.T, l loss.Loss, p string, bias problem.Bias) {
		dense, sparse := generate(l, p, bias, 40, 5, false), generate(l, p, bias, 50, 12, true)
		for _, c := range examined {
			s := must(New(c.spec))
			if reason := c.refuses(l, p); reason != "" {
				if err := conform.Refusal(s, dense, reason); err != nil || s.Accepts(dense).Error() != reason {
					t.Errorf("%s: %v", c.spec, err)
				}
				continue
			}
			for _, q := range []*problem.Linear{dense, sparse} {
				if testing.Short() && (q == sparse) != (bias == problem.Free) {
					continue
				}
				if err := conform.Solver(s, conform.Case{Problem: q, Optimum: optimum(q), Gap: c.gap, Epochs: c.epochs}); err != nil {
					t.Errorf("%s on %T: %v", c.spec, q.X, err)
				}
			}
		}
	})
}

// optimum is the objective of an answer that is proved to 1e-11, NaN when no
// solver proves that much.
func optimum(p *problem.Linear) float64 {
	for _, s := range []solver.Solver{CD{}, SDCA{}} {
		if s.Accepts(p) != nil {
			continue
		}
		sol := must(solver.Run(context.Background(), s, p, solver.Options{Gap: 1e-11, Epochs: 5000, Seed: 99}))
		if sol.Status == solver.Converged {
			return sol.Certificate.Primal
		}
	}
	return math.NaN()
}

// stranger is no linear predictor.
type stranger struct{}

func (stranger) Dims() (rows, cols int)                    { return 1, 1 }
func (stranger) Certify(problem.Point) problem.Certificate { return problem.Certificate{} }

// near says that a and b agree element by element, relative to size.
func near(a, b []float64, tolerance, size float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= tolerance*math.Max(size, math.Abs(y)) })
}

func TestStrangersAreRefused(t *testing.T) {
	for _, c := range examined {
		err := conform.Refusal(must(New(c.spec)), stranger{}, "found a problem of type linear.stranger, expected a linear predictor")
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
		}
	}
}

// TestSDCAAndCDAgree has elastic-net and a smooth loss: both must find the same
// objective and the same weights, which strong convexity makes unique.
func TestSDCAAndCDAgree(t *testing.T) {
	each(t, func(t *testing.T, l loss.Loss, p string, bias problem.Bias) {
		if p != "elastic-net" || math.IsInf(l.Smoothness(), 1) {
			return // one of the two refuses it
		}
		q := generate(l, p, bias, 60, 8, true)
		opt := solver.Options{Gap: 1e-12, Epochs: 20000}
		a, b := must(solver.Run(context.Background(), SDCA{}, q, opt)), must(solver.Run(context.Background(), CD{}, q, opt))
		d := len(a.Point.W) - 1
		if math.Abs(a.Certificate.Primal-b.Certificate.Primal) > 1e-10*q.Zero() || !near(a.Point.W[:d], b.Point.W[:d], 1e-5, 1) {
			t.Errorf("sdca %v with %v, cd %v with %v", a.Certificate.Primal, a.Point.W, b.Certificate.Primal, b.Point.W)
		}
	})
}

// TestSDCATwin compares with dual ascent as slow and plain as it can be written.
func TestSDCATwin(t *testing.T) {
	each(t, func(t *testing.T, l loss.Loss, p string, bias problem.Bias) {
		if p == "l1" {
			return // sdca refuses it
		}
		q := generate(l, p, bias, 8, 3, false)
		sol := must(solver.Run(context.Background(), SDCA{}, q, solver.Options{Gap: 1e-8, Epochs: 50000}))
		dual := newTwin(q).ascend(5000)
		if primal := sol.Certificate.Primal; dual > primal*(1+1e-12) || primal-dual > 1e-6*q.Zero() || sol.Status != solver.Converged {
			t.Errorf("%s with %v, the twin's dual %v", sol.Status, primal, dual)
		}
	})
}

// twin maximises D over one dual variable after the other, or over pairs that
// keep sum_i s_i a_i when the bias is free, by golden section on the formula.
type twin struct {
	p *problem.Linear
	x [][]float64 // with the constant column if the bias is a feature
	a []float64
	u []float64
}

func newTwin(p *problem.Linear) *twin {
	n, d := p.Dims()
	t := &twin{p: p, a: make([]float64, n), u: make([]float64, p.Penalised())}
	for i := range n {
		row := make([]float64, p.Penalised())
		for j := range d {
			row[j] = float64(p.X.Row(i).Value[j])
		}
		if p.Bias == problem.Feature {
			row[d] = 1
		}
		t.x = append(t.x, row)
	}
	return t
}

// ascend makes sweeps while they gain anything, at most so many, and returns D.
func (t *twin) ascend(sweeps int) float64 {
	for before := math.Inf(-1); sweeps > 0 && t.dual(0, 0, 0) > before+1e-12*t.p.Zero(); sweeps-- {
		before = t.dual(0, 0, 0)
		for i := range t.a {
			if t.p.Bias != problem.Free {
				t.move(i, i)
				continue
			}
			for j := range i {
				t.move(i, j)
			}
		}
	}
	return t.dual(0, 0, 0)
}

// move adds delta/s_i to a_i and, if j is another row, takes delta/s_j off a_j.
func (t *twin) move(i, j int) {
	lo, hi := t.room(i, 1)
	if j != i {
		from, to := t.room(j, -1)
		lo, hi = math.Max(lo, from), math.Min(hi, to)
	}
	const ratio = 0.6180339887498949
	b, c := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	fb, fc := t.dual(i, j, b), t.dual(i, j, c)
	for range 60 {
		if fb >= fc {
			hi, c, fc = c, b, fb
			b = hi - ratio*(hi-lo)
			fb = t.dual(i, j, b)
		} else {
			lo, b, fb = b, c, fc
			c = lo + ratio*(hi-lo)
			fc = t.dual(i, j, c)
		}
	}
	if delta := (lo + hi) / 2; t.dual(i, j, delta) > t.dual(i, j, 0) {
		t.a, t.u = t.at(i, j, delta)
	}
}

// room returns the steps that keep a_i in its domain, at most 20 wide.
func (t *twin) room(i int, sign float64) (lo, hi float64) {
	from, to := t.p.Loss.Domain(t.p.Y[i])
	lo = math.Max(-20, (from-t.a[i])*t.p.S[i])
	hi = math.Min(20, (to-t.a[i])*t.p.S[i])
	if sign < 0 {
		return -hi, -lo
	}
	return lo, hi
}

func (t *twin) at(i, j int, delta float64) (a, u []float64) {
	a, u = slices.Clone(t.a), slices.Clone(t.u)
	step := func(i int, delta float64) {
		lo, hi := t.p.Loss.Domain(t.p.Y[i])
		a[i] = math.Min(math.Max(a[i]+delta/t.p.S[i], lo), hi)
		for k, x := range t.x[i] {
			u[k] -= delta * x / (t.p.Lambda * t.p.N)
		}
	}
	step(i, delta)
	if j != i {
		step(j, -delta)
	}
	return a, u
}

// dual is D after the step.
func (t *twin) dual(i, j int, delta float64) float64 {
	a, u := t.at(i, j, delta)
	sum := 0.0
	for k, x := range a {
		sum += t.p.S[k] * t.p.Loss.Conjugate(x, t.p.Y[k])
	}
	cost := 0.0
	for _, x := range u {
		if _, ok := t.p.Penalty.(penalty.ElasticNet); ok { // (|u|-1/2)^2 beyond 1/2
			x = math.Sqrt2 * math.Max(0, math.Abs(x)-0.5)
		}
		cost += x * x / 2
	}
	return -sum/t.p.N - t.p.Lambda*cost
}

// TestElasticNetWithHinge is a combination that few programs have.
func TestElasticNetWithHinge(t *testing.T) {
	p := generate(loss.Hinge{}, "elastic-net", problem.Free, 60, 20, true)
	sol := must(solver.Run(context.Background(), SDCA{}, p, solver.Options{Gap: 1e-7, Epochs: 50000}))
	zeros := 0
	for _, w := range sol.Point.W {
		if w == 0 {
			zeros++
		}
	}
	if sol.Status != solver.Converged || zeros == 0 {
		t.Errorf("%s with relative gap %g and %d weights of zero", sol.Status, sol.Certificate.Relative(), zeros)
	}
}

// hard holds problems at the ends of what data look like: rows, targets,
// classes made of the targets where the loss asks for them.
var hard = []struct {
	name   string
	rows   [][]float32
	y      []float64
	lambda float64
	slow   string // solvers that move one variable at a time and may run out of epochs
}{
	{"one row", [][]float32{{1, 2}}, []float64{1}, 0.1, ""},
	{"one feature", [][]float32{{1}, {-2}, {0.5}}, []float64{1, -1, 1}, 0.1, ""},
	{"no feature", [][]float32{{}, {}, {}}, []float64{1, -1, 1}, 0.1, ""},
	{"empty rows", [][]float32{{0, 0}, {1, 0}, {0, 0}, {0, 3}}, []float64{1, -1, -1, 1}, 0.1, ""},
	{"only empty rows", [][]float32{{0, 0}, {0, 0}, {0, 0}}, []float64{1, -1, 1}, 0.1, ""},
	{"duplicates", [][]float32{{1, 2}, {1, 2}, {1, 2}, {-1, 0}}, []float64{1, -1, 1, 1}, 0.1, ""},
	{"one class", [][]float32{{1, 2}, {2, 1}, {-1, 1}}, []float64{1, 1, 1}, 0.1, ""},
	{"all targets zero or one class", [][]float32{{1, 2}, {2, 1}, {-1, 1}}, []float64{0, 0, 0}, 0.1, ""},
	{"huge features", [][]float32{{1e6, 2e6}, {-1e6, 1e6}, {3e6, 1e5}}, []float64{1, -1, 1}, 0.1, "sdca cd"},
	{"tiny features", [][]float32{{1e-6, 2e-6}, {-1e-6, 1e-6}, {3e-6, 1e-7}}, []float64{1, -1, 1}, 0.1, ""},
	{"mixed features", [][]float32{{1e6, 2e-6}, {-1e6, 1e-6}, {3e5, 1e-7}}, []float64{1, -1, 1}, 0.1, "sdca cd"},
	{"small lambda", [][]float32{{1, 2}, {-1, 1}, {3, 1}, {1, 2}}, []float64{1, -1, 1, -1}, 1e-8, "sdca cd"},
	{"large lambda", [][]float32{{1, 2}, {-1, 1}, {3, 1}}, []float64{1, -1, 1}, 1e4, ""},
	{"huge targets", [][]float32{{1, 2}, {-1, 1}, {3, 1}}, []float64{1e6, -3e6, 2e6}, 0.1, "cd"},
}

// TestHard: whatever the problem, no run diverges, no number is NaN, and what
// is reported is the problem's own certificate. cd and sdca must also get
// there: a row says where the condition number (10^13 with features of 10^6)
// is too much for steps of one variable.
func TestHard(t *testing.T) {
	each(t, func(t *testing.T, l loss.Loss, p string, bias problem.Bias) {
		for _, c := range hard {
			y := slices.Clone(c.y)
			for i := range y {
				if _, ok := l.(loss.Margin); ok {
					y[i] = math.Copysign(1, y[i])
				}
			}
			q := must(problem.NewLinear(problem.NewRows(stored(c.rows, true), 1), y, nil, l, must(penalty.New(p)), c.lambda, bias))
			for _, s := range examined {
				if s.refuses(l, p) == "" {
					hardRun(t, c.name, s.spec, q, s.spec == "pegasos" || strings.Contains(c.slow, s.spec))
				}
			}
		}
	})
}

func hardRun(t *testing.T, name, spec string, q *problem.Linear, slow bool) {
	t.Helper()
	sol := must(solver.Run(context.Background(), must(New(spec)), q, solver.Options{Gap: 1e-3, Epochs: 3000, Seed: 1}))
	numbers := append([]float64{sol.Certificate.Primal}, sol.Point.W...)
	for _, x := range append(numbers, sol.Point.A...) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%s, %s: %s with %v", spec, name, sol.Status, sol.Point)
		}
	}
	// No relative gap can be proved where the optimum is zero to all digits.
	tried := sol.Status == solver.EpochLimit && (slow || sol.Certificate.Primal < 1e-9*q.Zero())
	if sol.Status != solver.Converged && !tried {
		t.Errorf("%s, %s: %s, relative gap %g, %+v", spec, name, sol.Status, sol.Certificate.Relative(), sol.Point)
	}
	if own := q.Certify(sol.Point); own.Primal != sol.Certificate.Primal || own.Dual != sol.Certificate.Dual {
		t.Errorf("%s, %s: certificate %+v, recomputed %+v", spec, name, sol.Certificate, own)
	}
}

// TestWarmStartsFromElsewhere: a warm start from another problem is only a
// beginning: the answer is proved all the same.
func TestWarmStartsFromElsewhere(t *testing.T) {
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
		for _, spec := range []string{"sdca", "cd", "pegasos"} {
			name, gap := "elastic-net", 1e-6
			if spec == "pegasos" {
				name, gap = "l2", 1e-2
			}
			q := generate(loss.Logistic{}, name, bias, 40, 5, false)
			r := rand.New(rand.NewPCG(31, 1))
			from := problem.Point{W: make([]float64, 6), A: make([]float64, 40)}
			for j := range from.W {
				from.W[j] = 3 * r.NormFloat64() // the bias, too, where there is none
			}
			for i := range from.A {
				from.A[i] = 3 * r.NormFloat64()
			}
			for _, f := range []problem.Point{from, {W: from.W}, {A: from.A}} {
				if f.A != nil && f.W != nil && bias == problem.None {
					f.W = append(slices.Clone(f.W[:5]), 0)
				}
				sol := must(solver.Run(context.Background(), must(New(spec)), q, solver.Options{Gap: gap, Epochs: 20000, From: &f}))
				if sol.Status != solver.Converged || bias == problem.None && sol.Point.W[5] != 0 {
					t.Errorf("%s, bias %v: %s, relative gap %g, %v", spec, bias, sol.Status, sol.Certificate.Relative(), sol.Point.W)
				}
			}
		}
	}
}

// plainPegasos is Pegasos on dense vectors, step by step as its paper has it.
type plainPegasos struct {
	p           *problem.Linear
	w, sum      []float64 // d+1 numbers; the last is the bias if that is a feature
	b, sumB     float64
	t, total, r float64
}

func (s *plainPegasos) step(i int) {
	s.t++
	n, d := s.p.Dims()
	x := slices.Clone(s.w)
	clear(x)
	s.p.X.Row(i).AddTo(x, 1)
	x[d] = s.p.Constant()
	prediction := s.b
	for j, v := range x {
		prediction += s.w[j] * v
	}
	g := s.p.S[i] * float64(n) / s.p.N * s.p.Loss.Derivative(prediction, s.p.Y[i])
	square := 0.0
	for j, v := range x {
		s.w[j] = (1-1/s.t)*s.w[j] - g*v/(s.p.Lambda*s.t)
		square += s.w[j] * s.w[j]
	}
	if s.p.Bias == problem.Free {
		s.b -= g / math.Sqrt(s.t)
	}
	shrink := math.Min(1, s.r/math.Sqrt(square))
	for j := range s.w {
		if square > 0 {
			s.w[j] *= shrink
		}
		s.sum[j] += s.t * s.w[j]
	}
	s.sumB += s.t * s.b
	s.total += s.t
}

// TestPegasosTwin: the scaled representation equals dense updates to 1e-10 from
// the first step on, |w_t| <= R always (R = 1/sqrt(lambda) for the hinge), and
// the lazy average equals the dense one to 1e-8.
func TestPegasosTwin(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.Absolute{}, loss.Squared{}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			p := generate(l, "l2", bias, 50, 12, true)
			s := Pegasos{}.Start(p, nil, 1).(*pegasos)
			twin := &plainPegasos{p: p, w: make([]float64, 13), sum: make([]float64, 13), b: s.b, r: math.Sqrt(p.Zero() / p.Lambda)}
			r := rand.New(rand.NewPCG(32, 1))
			for step := range 3000 {
				i := r.IntN(50)
				s.step(i)
				twin.step(i)
				if step%500 == 250 {
					s.refresh()
				}
				pegasosStep(t, s, twin, step)
			}
		}
	}
}

func pegasosStep(t *testing.T, s *pegasos, twin *plainPegasos, step int) {
	t.Helper()
	w, average, square := make([]float64, len(s.v)), make([]float64, len(s.v)), 0.0
	for j, v := range s.v {
		w[j] = s.c * v
		average[j] = (s.sumA*v + s.z[j]) / s.total
		twin.sum[j] /= twin.total
		square += w[j] * w[j]
	}
	size := math.Max(math.Sqrt(square), 1e-3*s.radius)
	if !near(w, twin.w, 1e-10, size) || math.Abs(s.b-twin.b) > 1e-10*(1+math.Abs(s.b)) {
		t.Fatalf("%T, bias %v, step %d: w = %v, b = %v, dense %v, %v", s.p.Loss, s.p.Bias, step+1, w, s.b, twin.w, twin.b)
	}
	if !near(average, twin.sum, 1e-8, size) {
		t.Fatalf("%T, bias %v, step %d: average %v, dense %v", s.p.Loss, s.p.Bias, step+1, average, twin.sum)
	}
	for j := range twin.sum {
		twin.sum[j] *= twin.total
	}
	if math.Sqrt(square) > s.radius*(1+1e-12) {
		t.Fatalf("%T, bias %v, step %d: |w| = %g, R = %g", s.p.Loss, s.p.Bias, step+1, math.Sqrt(square), s.radius)
	}
	if _, hinge := s.p.Loss.(loss.Hinge); hinge && math.Abs(s.radius-1/math.Sqrt(s.p.Lambda)) > 1e-12*s.radius {
		t.Fatalf("R = %g, want 1/sqrt(lambda) = %g", s.radius, 1/math.Sqrt(s.p.Lambda))
	}
}

// TestPegasosDual: after T visits with t-weights, the dual variable of a row is
// the weighted mean of the derivatives used there, by hand for two steps.
func TestPegasosDual(t *testing.T) {
	m := stored([][]float32{{1}}, false)
	p := must(problem.NewLinear(problem.NewRows(m, 1), []float64{1}, nil, loss.Squared{}, penalty.L2{}, 1, problem.None))
	s := Pegasos{}.Start(p, nil, 1).(*pegasos)
	// p=0: g=-1, w=1, but R^2 = P(0)/lambda = 1/2, so w = sqrt(1/2);
	// then g = sqrt(1/2)-1.
	s.step(0)
	s.step(0)
	want := (1*-1 + 2*(math.Sqrt(0.5)-1)) / 3
	if got := s.slopes[0] / s.visits[0]; math.Abs(got-want) > 1e-15 {
		t.Errorf("mean derivative %v, want %v", got, want)
	}
}

// TestCDComesBackFromAPlateau: the second step of Newton's method goes far out
// to where no row is curved. Steps of a constant size then took 3500 epochs.
func TestCDComesBackFromAPlateau(t *testing.T) {
	m := stored([][]float32{{0}, {1.5}}, false)
	p := must(problem.NewLinear(problem.NewRows(m, 1), []float64{1, 1}, []float64{1, 0.5}, loss.HuberHinge{Width: 0.5},
		penalty.L1{}, 0.003441847573532708, problem.Feature))
	sol := must(solver.Run(context.Background(), CD{}, p, solver.Options{Gap: 1e-9, Epochs: 60}))
	if sol.Status != solver.Converged {
		t.Errorf("%s after %d epochs with relative gap %g", sol.Status, sol.Epochs, sol.Certificate.Relative())
	}
}

// TestCDViolation: the distance of 0 from g + lambda (ratio sign(w) + mu w), by
// hand for lambda = 1/20, ratio = mu = 1/2; a free bias has no penalty.
func TestCDViolation(t *testing.T) {
	s := CD{}.Start(generate(loss.Squared{}, "elastic-net", problem.Free, 10, 3, false), nil, 1).(*cd)
	for _, c := range []struct {
		column     int
		w, g, want float64
	}{
		{0, 0, 0.01, 0}, {0, 0, -0.025, 0}, {0, 0, 0.035, 0.01}, {0, 0, -0.035, 0.01},
		{0, 2, 0.01, 0.085}, {0, -2, 0.01, 0.065}, {3, 0, 0.01, 0.01}, {3, 2, -0.01, 0.01},
	} {
		if got := s.violation(c.column, c.w, c.g); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("column %d, w=%g, g=%g: %g, want %g", c.column, c.w, c.g, got, c.want)
		}
	}
}

// TestLooksChangeNothing: sdca goes the same way however often it is judged.
func TestLooksChangeNothing(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.SquaredHinge{}, loss.Logistic{}} {
		p := generate(l, "l2", problem.None, 40, 5, false)
		seen, unseen := SDCA{}.Start(p, nil, 1).(*sdca), SDCA{}.Start(p, nil, 1).(*sdca)
		for epoch := range 30 {
			seen.Epoch()
			unseen.Epoch()
			seen.Point()
			if !slices.Equal(seen.a, unseen.a) {
				t.Errorf("%T: other dual variables after %d looks", l, epoch+1)
				break
			}
		}
	}
}

// TestRest: a row that stays calm sleeps for ever longer, up to a limit that is nearer
// for one that was spared, and one that moves does not sleep.
func TestRest(t *testing.T) {
	for _, c := range []struct {
		most uint32
		want []uint32 // epochs until the next visit
	}{{longestRest, []uint32{0, 2, 4, 8, 16, 32, 64, 64, 64, 64, 64, 64}}, {longestSpare, []uint32{0, 2, 4, 8, 16, 16, 16, 16, 16, 16, 16, 16}}} {
		s := &sdca{calmVisits: 1, epoch: 7, calm: make([]uint8, 2), wake: make([]uint32, 2)}
		for visit, want := range c.want {
			s.wake[1] = s.epoch
			if s.rest(1, c.most); s.wake[1]-s.epoch != want || s.wake[0] != 0 {
				t.Errorf("at most %d epochs: after %d calm visits %v, want %d", c.most, visit+1, s.wake[1]-s.epoch, want)
			}
		}
	}
	p := generate(loss.Hinge{}, "l2", problem.None, 40, 5, false)
	s := SDCA{}.Start(p, nil, 1).(*sdca)
	asleep := 0
	for range 40 {
		before := slices.Clone(s.a)
		s.Epoch()
		for i, wake := range s.wake {
			if wake > s.epoch {
				asleep++
				if s.a[i] != before[i] {
					t.Errorf("row %d moved and sleeps", i)
				}
			}
		}
	}
	if asleep == 0 {
		t.Error("no row ever sleeps")
	}
}

// TestShuffleIsAPermutation that depends on the random numbers alone.
func TestShuffleIsAPermutation(t *testing.T) {
	fresh := func() []uint32 {
		order := make([]uint32, 100)
		for i := range order {
			order[i] = uint32(i)
		}
		return order
	}
	a, b, c := fresh(), fresh(), fresh()
	shuffle(a, rand.NewPCG(1, 2))
	shuffle(b, rand.NewPCG(1, 2))
	shuffle(c, rand.NewPCG(1, 3))
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("the permutation does not depend on the random numbers alone")
	}
	slices.Sort(c)
	if !slices.Equal(c, fresh()) {
		t.Errorf("no permutation: %v", c)
	}
}

func TestUnknownSolver(t *testing.T) {
	_, err := New("sdac")
	if err == nil || !strings.HasPrefix(err.Error(), `unknown solver "sdac": did you mean "sdca"?`) {
		t.Errorf("New: %v", err)
	}
}
