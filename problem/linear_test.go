package problem_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/solve/column"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// More seeds meet more corners: go test -args -seed=7
var (
	seed = flag.Uint64("seed", 6, "of the random small problems")
	long = flag.Bool("long", false, "search every problem of two features for its optimum, not every tenth")
)

// small is a problem as plain as the formula: package problem is compared with
// what these few lines compute.
type small struct {
	x       [][]float32
	y, s    []float64
	loss    loss.Loss
	penalty string
	lambda  float64
	bias    problem.Bias
}

func (q small) String() string {
	return fmt.Sprintf("%T %s bias=%v lambda=%g x=%v y=%v s=%v", q.loss, q.penalty, q.bias, q.lambda, q.x, q.y, q.s)
}

// value is P(w,b); the last number of w is b.
func (q small) value(w []float64) float64 {
	d := len(w) - 1
	sum, total := 0.0, 0.0
	for i, x := range q.x {
		p := w[d]
		for j, v := range x {
			p += w[j] * float64(v)
		}
		sum += q.s[i] * q.loss.Value(p, q.y[i])
		total += q.s[i]
	}
	if q.bias != problem.Feature {
		w = w[:d]
	}
	cost := 0.0
	for j, v := range w {
		switch q.penalty {
		case "fused", "image": // of one row
			cost += math.Abs(v) / 10
			if j > 0 {
				cost += math.Abs(v - w[j-1])
			}
		case "l2", "nonnegative":
			cost += v * v / 2
		case "l1", "nonnegative-l1":
			cost += math.Abs(v)
		case "elastic-net":
			cost += (math.Abs(v) + v*v/2) / 2
		case "lp":
			cost += math.Pow(math.Abs(v), 1.5)
		case "group", "nuclear": // below
		default:
			panic("small.value does not know the penalty " + q.penalty)
		}
	}
	if q.nonnegative() && slices.Min(w) < 0 {
		cost = math.Inf(1)
	}
	if q.penalty == "lp" {
		cost = math.Pow(cost, 4./3)
	}
	for lo := 0; q.penalty == "group" && lo < len(w); lo += 4 {
		square, hi := 0.0, min(len(w), lo+4)
		for _, v := range w[lo:hi] {
			square += v * v
		}
		cost += math.Sqrt(float64(hi-lo) * square)
	}
	if q.penalty == "nuclear" {
		for _, v := range w {
			cost += v * v
		}
		cost = math.Sqrt(cost)
	}
	return sum/total + q.lambda*cost
}

// nonnegative reports whether no weight may be below 0.
func (q small) nonnegative() bool { return strings.HasPrefix(q.penalty, "nonnegative") }

// minimum returns the least value over w and b, by one golden-section search
// inside the other: slow, and it knows nothing but values of P.
func (q small) minimum() (w []float64, value float64) {
	d := len(q.x[0])
	w = make([]float64, d+1)
	return w, q.nested(w, 0, q.box(d))
}

// box bounds |w_j| of a minimiser: lambda Omega(w) <= P(w) <= P(0).
func (q small) box(d int) float64 {
	r := q.value(make([]float64, d+1)) / q.lambda
	if q.penalty == "l2" || q.penalty == "lp" || q.penalty == "nonnegative" {
		return math.Sqrt(2 * r)
	}
	if q.penalty == "fused" || q.penalty == "image" {
		return 10 * r
	}
	if q.penalty == "elastic-net" {
		return 2 * min(r, math.Sqrt(r))
	}
	return r
}

// nested minimises over w[k], w[k+1] ... with the weights in [-box, box].
func (q small) nested(w []float64, k int, box float64) float64 {
	d := len(w) - 1
	if k == d && q.bias == problem.None || k > d {
		return q.value(w)
	}
	if k == d && q.bias == problem.Free { // b cancels the predictions and meets a target
		reach := 45.0
		for i, x := range q.x {
			p := math.Abs(q.y[i])
			for j, v := range x {
				p += math.Abs(w[j] * float64(v))
			}
			reach = math.Max(reach, 45+p)
		}
		box = reach
	}
	least := -box
	if k < d && q.nonnegative() {
		least = 0
	}
	at, value := golden(least, box, func(v float64) float64 {
		w[k] = v
		return q.nested(w, k+1, box)
	})
	w[k] = at
	if k < d {
		q.nested(w, k+1, box) // leaves the inner minimisers in w
	}
	return value
}

// golden minimises a convex function, which may be flat, on [lo, hi].
func golden(lo, hi float64, f func(float64) float64) (at, value float64) {
	const ratio = 0.6180339887498949
	a, b := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	fa, fb := f(a), f(b)
	for range 72 { // 0.618^72 = 9e-16
		if fa <= fb {
			hi, b, fb = b, a, fa
			a = hi - ratio*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + ratio*(hi-lo)
			fb = f(b)
		}
	}
	if fa <= fb {
		return a, fa
	}
	return b, fb
}

// problem builds the real thing, from dense or sparse rows.
func (q small) problem(sparse bool) *problem.Linear {
	d := len(q.x[0])
	var m matrix.Matrix = &matrix.Dense{Rows: len(q.x), Cols: d, Value: slices.Concat(q.x...)}
	if sparse {
		m = matrix.Transpose(matrix.Transpose(m))
	}
	return must(problem.NewLinear(problem.NewRows(m, 1), q.y, q.s, q.loss, must(penalty.New(q.penalty)), q.lambda, q.bias))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// random returns a problem with n rows and d features of one decimal, so that
// kinks and ties are common.
func random(r *rand.Rand, l loss.Loss, p string, bias problem.Bias, n, d int) small {
	q := small{loss: l, penalty: p, bias: bias, lambda: math.Pow(10, -2.5*r.Float64())}
	_, margin := l.(loss.Margin)
	for range n {
		row := make([]float32, d)
		for j := range row {
			if r.IntN(4) > 0 {
				row[j] = float32(math.Round(10*r.NormFloat64())) / 10
			}
		}
		y := math.Round(20*r.NormFloat64())/10 + 1
		if margin {
			y = float64(2*r.IntN(2) - 1)
		}
		if least, _ := loss.Targets(l); least == 0 {
			y = math.Abs(y)
		}
		q.x, q.y, q.s = append(q.x, row), append(q.y, y), append(q.s, []float64{1, 1, 1, 2, 3, 0.5, 0.1}[r.IntN(7)])
	}
	return q
}

var losses = []string{"hinge", "squared-hinge", "huber-hinge:width=0.5", "logistic", "squared", "absolute",
	"huber:delta=0.7", "quantile:tau=0.3", "poisson", "epsilon-insensitive", "squared-epsilon-insensitive"}

// each calls do for every loss, penalty and bias.
func each(t *testing.T, do func(l loss.Loss, p string, bias problem.Bias)) {
	t.Helper()
	seen := map[string]bool{}
	for _, spec := range losses {
		name, _, _ := strings.Cut(spec, ":")
		seen[name] = true
		for _, p := range penalty.Entries() {
			for _, b := range problem.BiasNames() {
				if b == "feature" && strings.HasPrefix(p.Name, "nonnegative") {
					continue // refused
				}
				do(must(loss.New(spec)), p.Name, must(problem.ParseBias(b)))
			}
		}
	}
	for _, e := range loss.Entries() {
		if !seen[e.Name] {
			t.Errorf("loss %q has no row in this table", e.Name)
		}
	}
}

// TestAgainstSlowOptimum has three random problems of one feature and one of
// two for every loss, penalty and bias: the certificate is examined at points
// that include the solvers' answers, and each answer is proved and is the
// optimum. Without -long every tenth problem of two features is tried, and every third
// certificate examined.
func TestAgainstSlowOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 1))
	count, turn := 0, 0
	each(t, func(l loss.Loss, p string, bias problem.Bias) {
		shapes := [][2]int{{1, 1}, {2 + r.IntN(3), 1}, {8, 1}, {5, 2}}
		if testing.Short() || count%3 != 0 {
			shapes = shapes[:3] // two features cost 0.1 s each
		}
		for k, shape := range shapes {
			q := random(r, l, p, bias, shape[0], shape[1])
			if k == 3 {
				if turn++; !*long && turn%10 != 1 {
					count++
					continue
				}
			}
			_, optimum := q.minimum()
			near := answers(t, q, optimum)
			if count++; !*long && count%3 != 0 { // the answers are proved and right
				continue
			}
			if err := conform.Certificate(q.problem(count%2 == 0), optimum, near...); err != nil {
				t.Errorf("%v:\n%v", q, err)
			}
		}
	})
	if count < 200 {
		t.Errorf("only %d problems", count)
	}
}

// answers returns the proved answers of all solvers that accept q, after
// comparing them with the optimum.
func answers(t *testing.T, q small, optimum float64) (points []problem.Point) {
	t.Helper()
	names, goal, room := []string{"sdca", "cd"}, 1e-9, 1e-7
	if q.penalty == "fused" || q.penalty == "group" || q.penalty == "nuclear" {
		names, goal, room = []string{"accelerated"}, 1e-5, 1e-5 // without strong convexity slow in the end
		if math.IsInf(q.loss.Smoothness(), 1) {
			names = []string{"admm"}
		}
	}
	for _, name := range names {
		s, p := must(linear.New(name)), q.problem(false)
		if s.Accepts(p) != nil {
			continue
		}
		sol := must(solver.Run(context.Background(), s, p, solver.Options{Gap: goal, Epochs: 20000, Seed: 1}))
		c := sol.Certificate
		if !proved(sol, optimum, p.Zero()) {
			t.Errorf("%s: %s after %d epochs, relative gap %g, P %g, optimum %g\n%v", name, sol.Status, sol.Epochs, c.Relative(), c.Primal, optimum, q)
			continue
		}
		// The search's own predictions are up to 45 in size, and rounded.
		slack := 1e-10*optimum + 1e-12*(1+p.Zero())
		if c.Primal < optimum-slack || c.Primal > optimum*(1+room)+slack || math.Abs(c.Primal-q.value(sol.Point.W)) > slack {
			t.Errorf("%s: P %v, by the formula %v, optimum %v\n%v", name, c.Primal, q.value(sol.Point.W), optimum, q)
		}
		points = append(points, sol.Point)
	}
	return points
}

// proved says that the run converged, or ended otherwise where it may: at an optimum
// that is zero to all digits no relative gap can be proved, and where three
// rows lie on the walls of their tubes up to the rounding of the data, dual
// coordinate ascent slows down at a gap of 1e-8.
func proved(sol *solver.Solution, optimum, zero float64) bool {
	return sol.Status == solver.Converged ||
		sol.Status != solver.Diverged && (optimum < 1e-9*zero+1e-15 || sol.Certificate.Relative() < 1e-7)
}

// TestSquaredAgainstNormalEquations: least squares with l2 has the gradient
// A v = c, with z_i = (x_i, 1), A = sum_i s_i z_i z_i'/N + lambda I (no lambda
// for a free bias), c = sum_i s_i y_i z_i/N.
func TestSquaredAgainstNormalEquations(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for trial := range 60 {
		q := random(r, loss.Squared{}, "l2", problem.Bias(trial%3), 3+r.IntN(6), 1+r.IntN(5))
		w := normalEquations(q)
		p := q.problem(trial%2 == 0)
		value, bound := p.Primal(w)
		if want := q.value(w); math.Abs(value-want) > bound+1e-15*want {
			t.Errorf("Primal = %v +- %g, by the formula %v", value, bound, want)
		}
		a := make([]float64, len(q.y)) // at the optimum, the derivatives
		p.Predict(a, w)
		for i, y := range q.y {
			a[i] -= y
		}
		c := p.Certify(problem.Point{W: w, A: a})
		if c.Gap() < 0 || c.Gap() > 1e-11*math.Max(c.Primal, p.Zero()) {
			t.Errorf("gap %g at the solution of the normal equations, primal %g\n%v", c.Gap(), c.Primal, q)
		}
		sol := must(solver.Run(context.Background(), dual.SDCA{}, p, solver.Options{Gap: 1e-9, Epochs: 100000}))
		if sol.Status != solver.Converged || sol.Certificate.Primal > value*(1+1e-8) {
			t.Errorf("sdca: %s with %v, optimum %v\n%v", sol.Status, sol.Certificate.Primal, value, q)
		}
	}
}

func normalEquations(q small) []float64 {
	m := len(q.x[0]) + 1
	a, total := make([][]float64, m), 0.0
	for j := range a {
		a[j] = make([]float64, m+1) // the last column is the right side
	}
	for i, x := range q.x {
		z := make([]float64, m)
		for j, v := range x {
			z[j] = float64(v)
		}
		z[m-1] = 1
		for j := range m {
			for k := range m {
				a[j][k] += q.s[i] * z[j] * z[k]
			}
			a[j][m] += q.s[i] * z[j] * q.y[i]
		}
		total += q.s[i]
	}
	for j := range m {
		if j < m-1 || q.bias == problem.Feature {
			a[j][j] += q.lambda * total
		}
	}
	if q.bias == problem.None {
		clear(a[m-1])
		a[m-1][m-1] = 1
	}
	return gauss(a)
}

// gauss solves the system whose right side is the last column, with pivots.
func gauss(a [][]float64) []float64 {
	m := len(a)
	for k := range m {
		pivot := k
		for i := k; i < m; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[pivot][k]) {
				pivot = i
			}
		}
		a[k], a[pivot] = a[pivot], a[k]
		for i := range m {
			if i == k {
				continue
			}
			f := a[i][k] / a[k][k]
			for j := k; j <= m; j++ {
				a[i][j] -= f * a[k][j]
			}
		}
	}
	x := make([]float64, m)
	for k := range m {
		x[k] = a[k][m] / a[k][k]
	}
	return x
}

// TestHingeAgainstKinks: with one feature and no bias P is a parabola between
// the kinks w = 1/(y_i x_i). Its minimum is at a kink or at the vertex of a
// piece, lambda w = sum over the rows inside the margin of s_i y_i x_i / N.
func TestHingeAgainstKinks(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 100 {
		q := random(r, loss.Hinge{}, "l2", problem.None, 1+r.IntN(8), 1)
		candidates := []float64{0}
		for i, x := range q.x {
			if x[0] != 0 {
				candidates = append(candidates, 1/(q.y[i]*float64(x[0])))
			}
		}
		for _, kink := range slices.Clone(candidates) {
			for _, side := range []float64{-1e-9, 1e-9} {
				candidates = append(candidates, vertex(q, kink+side))
			}
		}
		optimum := math.Inf(1)
		for _, w := range candidates {
			optimum = min(optimum, q.value([]float64{w, 0}))
		}
		sol := must(solver.Run(context.Background(), dual.SDCA{}, q.problem(true), solver.Options{Gap: 1e-9, Epochs: 100000}))
		if p := sol.Certificate.Primal; sol.Status != solver.Converged || p < optimum*(1-1e-14) || p > optimum*(1+1e-9) {
			t.Errorf("sdca: %s with %v, optimum %v\n%v", sol.Status, p, optimum, q)
		}
	}
}

// vertex returns the stationary point of the piece that w lies on.
func vertex(q small, w float64) float64 {
	sum, total := 0.0, 0.0
	for i, x := range q.x {
		if q.y[i]*w*float64(x[0]) < 1 {
			sum += q.s[i] * q.y[i] * float64(x[0])
		}
		total += q.s[i]
	}
	return sum / total / q.lambda
}

// TestGolden has the values of reference/svm.md, section 7, items 1 and 2.
func TestGolden(t *testing.T) {
	one := small{x: [][]float32{{1}}, y: []float64{1}, s: []float64{1}, loss: loss.Hinge{}, penalty: "l2", bias: problem.None}
	three := one
	three.x, three.y, three.s = [][]float32{{1}, {1}, {1}}, []float64{1, 1, -1}, []float64{1, 1, 1}
	for _, c := range []struct {
		q       small
		lambda  float64
		w, want float64
	}{
		{one, 0.5, 1, 0.25}, // max(0,1-w) + w^2/4: slope -1/2 before w=1, 1/2 after
		{one, 2, 0.5, 0.75}, // w = 1/lambda
		{three, 0.25, 1, 0.125 + 2.0/3},
		{three, 1.0 / 3, 1, 1.0/6 + 2.0/3},
		{three, 1, 1.0 / 3, 0.5/9 + 1 - 1.0/9}, // w = 1/(3 lambda), mean loss 1 - w/3
	} {
		c.q.lambda = c.lambda
		sol := must(solver.Run(context.Background(), dual.SDCA{}, c.q.problem(false), solver.Options{Gap: 1e-12, Epochs: 1000}))
		if math.Abs(sol.Point.W[0]-c.w) > 1e-6 || math.Abs(sol.Certificate.Primal-c.want) > 1e-11 {
			t.Errorf("lambda %g: w %v, P %v, want %v, %v", c.lambda, sol.Point.W[0], sol.Certificate.Primal, c.w, c.want)
		}
	}
}

// TestGoldenDual: one row, x = y = 1, and a = -b: l*(a) = -b and u = b/lambda,
// so that D = b - b^2/(2 lambda). The bound on rounding may cost 1e-13 of it.
func TestGoldenDual(t *testing.T) {
	q := small{x: [][]float32{{1}}, y: []float64{1}, s: []float64{1}, loss: loss.Hinge{}, penalty: "l2", bias: problem.None, lambda: 0.5}
	p := q.problem(false)
	for _, b := range []float64{0, 0.125, 0.5, 0.75, 1} {
		c := p.Certify(problem.Point{W: []float64{1, 0}, A: []float64{-b}})
		if want := b - b*b/(2*q.lambda); math.Abs(c.Dual-want) > 1e-13 || c.Dual > want || math.Abs(c.Primal-0.25) > 1e-15 {
			t.Errorf("b=%g: P %v, D %v, want 0.25 and %v", b, c.Primal, c.Dual, want)
		}
	}
}

// TestWeightTwoIsTheRowTwice compares P, D and the slope of the bias.
func TestWeightTwoIsTheRowTwice(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	each(t, func(l loss.Loss, p string, bias problem.Bias) {
		q := random(r, l, p, bias, 4, 2)
		q.s = []float64{1, 2, 3, 1}
		twice := q
		twice.x, twice.y, twice.s = nil, nil, nil
		var source []int
		for i, s := range q.s {
			for range int(s) {
				twice.x, twice.y, twice.s = append(twice.x, q.x[i]), append(twice.y, q.y[i]), append(twice.s, 1)
				source = append(source, i)
			}
		}
		for range 10 {
			pt := problem.Point{W: gaussian(r, 3), A: gaussian(r, 4)}
			if bias == problem.None {
				pt.W[2] = 0
			}
			other := problem.Point{W: pt.W}
			for _, i := range source {
				other.A = append(other.A, pt.A[i])
			}
			a, b := q.problem(false).Certify(pt), twice.problem(true).Certify(other)
			if !close(a.Primal, b.Primal, 1e-13) || !close(a.Dual, b.Dual, 1e-12) || !close(a.Zero, b.Zero, 1e-13) {
				t.Errorf("%v: %v with weights, %v with copies", q, a, b)
			}
		}
	})
}

func gaussian(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

func close(a, b, relative float64) bool {
	return a == b || math.Abs(a-b) <= relative*(1+math.Abs(a)+math.Abs(b))
}

// TestEquivalentProblems: all weights times 5 change nothing; rows times c and
// lambda times c^2 (l2) or c (l1) divide w by c and keep P and D.
func TestEquivalentProblems(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	for _, power := range []struct {
		penalty string
		of      float64
	}{{"l2", 2}, {"l1", 1}} {
		for _, bias := range []problem.Bias{problem.Free, problem.None} {
			q := random(r, loss.Logistic{}, power.penalty, bias, 8, 2)
			scaled := q
			scaled.x, scaled.s, scaled.lambda = nil, nil, q.lambda*math.Pow(4, power.of)
			for i, x := range q.x {
				scaled.x = append(scaled.x, []float32{4 * x[0], 4 * x[1]})
				scaled.s = append(scaled.s, 5*q.s[i])
			}
			w, a := gaussian(r, 3), gaussian(r, 8)
			if bias == problem.None {
				w[2] = 0
			}
			one := q.problem(false).Certify(problem.Point{W: w, A: a})
			two := scaled.problem(false).Certify(problem.Point{W: []float64{w[0] / 4, w[1] / 4, w[2]}, A: a})
			if !close(one.Primal, two.Primal, 1e-13) || !close(one.Dual, two.Dual, 1e-12) {
				t.Errorf("%s, %v: %v, scaled %v", power.penalty, bias, one, two)
			}
		}
	}
}

// TestForgottenBias has 30 rows of 3 features whose targets have a large mean.
// At w = 0 and b = 0 the formula without the constraint sum_i s_i a_i = 0 has a
// dual above the optimum, so that its gap is below the true suboptimality.
func TestForgottenBias(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	q := random(r, loss.Squared{}, "l1", problem.Free, 30, 3)
	q.lambda = 0.05
	for i := range q.y {
		q.y[i] += 6
	}
	p := q.problem(false)
	best := must(solver.Run(context.Background(), column.CD{}, p, solver.Options{Gap: 1e-10, Epochs: 1000}))
	if best.Status != solver.Converged {
		t.Fatal(best.Status)
	}
	pt := problem.Point{W: make([]float64, 4), A: make([]float64, 30)}
	forgetful, total := 0.0, 0.0 // the dual at a = l'(0) = -y, scaled into the box
	for i, y := range q.y {
		pt.A[i] = -y
		total += q.s[i]
	}
	largest := 0.0
	for j := range 3 {
		u := 0.0
		for i, x := range q.x {
			u += q.s[i] * q.y[i] * float64(x[j]) / (q.lambda * total)
		}
		largest = math.Max(largest, math.Abs(u))
	}
	for i, y := range q.y {
		a := -y / math.Max(1, largest)
		forgetful -= q.s[i] * (a*y + a*a/2) / total
	}
	optimum := best.Certificate.Primal
	suboptimality := q.value(pt.W) - optimum
	if gap := q.value(pt.W) - forgetful; gap >= suboptimality {
		t.Errorf("the example is no good: forgetful gap %g, suboptimality %g", gap, suboptimality)
	}
	if c := p.Certify(pt); c.Gap() < suboptimality || c.Dual > optimum {
		t.Errorf("gap %g below the suboptimality %g", c.Gap(), suboptimality)
	}
}

// TestThreads has enough rows for several blocks and partitions.
func TestThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	const n, d = 9000, 5
	x, y := make([]float32, n*d), make([]float64, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for i := range y {
		y[i] = float64(2*r.IntN(2) - 1)
	}
	pt := problem.Point{W: gaussian(r, d+1), A: gaussian(r, n)}
	var want problem.Certificate
	var bias float64
	for _, threads := range []int{1, 2, 3, 4, 0} {
		rows := problem.NewRows(&matrix.Dense{Rows: n, Cols: d, Value: x}, threads)
		p := must(problem.NewLinear(rows, y, nil, loss.Logistic{}, penalty.L1{}, 1e-3, problem.Free))
		c, b := p.Certify(pt), p.BestBias(nil, 3, 1e-12)
		if threads == 1 {
			want, bias = c, b
		} else if c.Primal != want.Primal || c.Dual != want.Dual || b != bias {
			t.Errorf("%d threads: %v, bias %v, with one %v, %v", threads, c, b, want, bias)
		}
	}
}

// TestBestBias compares with golden section, for starts near and far.
func TestBestBias(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	each(t, func(l loss.Loss, p string, bias problem.Bias) {
		q := random(r, l, p, problem.Free, 2+r.IntN(7), 1)
		q.y[0], q.y[1] = 1, -1 // else the best bias of logistic is infinite
		if least, _ := loss.Targets(l); least == 0 {
			q.y[1] = 0
		}
		m := gaussian(r, len(q.y))
		mean := func(b float64) float64 {
			sum := 0.0
			for i, y := range q.y {
				sum += q.s[i] * l.Value(m[i]+b, y)
			}
			return sum
		}
		_, want := golden(-60, 60, mean)
		for _, start := range []float64{0, -3, 1e3, -1e9} {
			b := q.problem(false).BestBias(m, start, 1e-12)
			if got := mean(b); got > want*(1+1e-10)+1e-10 {
				t.Errorf("%v: from %g to %g with %v, least %v", q, start, b, got, want)
			}
		}
	})
}

// TestBiasThatIsNotThere: a point with a bias is no point of a problem that
// has none, and must not be praised for it.
func TestBiasThatIsNotThere(t *testing.T) {
	q := small{x: [][]float32{{0}}, y: []float64{3}, s: []float64{1}, loss: loss.Squared{}, penalty: "l2", bias: problem.None, lambda: 1}
	c := q.problem(false).Certify(problem.Point{W: []float64{0, 3}, A: []float64{0}})
	if !math.IsInf(c.Primal, 1) || !math.IsInf(c.Relative(), 1) || len(c.Warnings) != 1 {
		t.Errorf("got %+v, want an infinite primal and a warning", c)
	}
}

func TestNewLinearRefuses(t *testing.T) {
	rows := problem.NewRows(&matrix.Dense{Rows: 2, Cols: 1, Value: []float32{1, 2}}, 1)
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name             string
		rows             *problem.Rows
		targets, weights []float64
		loss             loss.Loss
		lambda           float64
		wantErr          string
	}{
		{"good", rows, []float64{1, -1}, []float64{1, 2}, loss.Hinge{}, 1, ""},
		{"no rows", problem.NewRows(&matrix.Dense{Cols: 1}, 1), nil, nil, loss.Hinge{}, 1, "problem: found no rows, expected at least one"},
		{"targets", rows, []float64{1}, nil, loss.Hinge{}, 1, "problem: found 1 target, expected one for each of 2 rows"},
		{"weights", rows, []float64{1, 1}, []float64{1}, loss.Hinge{}, 1, "problem: found 1 row weight, expected one for each of 2 rows"},
		{"weights", rows, []float64{1, 1}, []float64{1e308, 1e308}, loss.Hinge{}, 1, "problem: row 1: weight 1e+308, expected a number from 1e-150 to 1e+150"},
		{"lambda 0", rows, []float64{1, 1}, nil, loss.Hinge{}, 0, "problem: lambda=0: expected a number > 0"},
		{"lambda NaN", rows, []float64{1, 1}, nil, loss.Hinge{}, nan, "problem: lambda=NaN: expected a number > 0"},
		{"lambda infinite", rows, []float64{1, 1}, nil, loss.Hinge{}, inf, "problem: lambda=+Inf: expected a number > 0"},
		{"margin", rows, []float64{1, 0}, nil, loss.Logistic{}, 1, "problem: row 2: target 0, expected -1 or +1 for this loss"},
		{"target", rows, []float64{inf, 0}, nil, loss.Squared{}, 1, "problem: row 1: target +Inf, expected a finite number"},
		{"weight 0", rows, []float64{1, 0}, []float64{1, 0}, loss.Squared{}, 1, "problem: row 2: weight 0, expected a number from 1e-150 to 1e+150"},
		{"weight NaN", rows, []float64{1, 0}, []float64{nan, 1}, loss.Squared{}, 1, "problem: row 1: weight NaN, expected a number from 1e-150 to 1e+150"},
		{"weight that may underflow", rows, []float64{1, 0}, []float64{1, 1e-300}, loss.Squared{}, 1, "problem: row 2: weight 1e-300, expected a number from 1e-150 to 1e+150"},
		{"lambda out of range", rows, []float64{1, 0}, nil, loss.Squared{}, 1e-300, "problem: lambda=1e-300, times the sum of the row weights 2e-300: expected both from 1e-200 to 1e+200"},
		{"targets whose squares underflow", rows, []float64{1e-170, 0}, nil, loss.Squared{}, 1, "problem: the average loss of zero predictions is 0, with targets of up to 1e-170: expected at least 1e-280, as smaller numbers underflow: multiply the targets by a large number, or choose another parameter of the loss"},
		{"targets whose squares overflow", rows, []float64{1e170, 0}, nil, loss.Squared{}, 1, "problem: the average loss of zero predictions overflows, with targets of up to 1e+170: multiply the targets by a small number, or choose another parameter of the loss"},
		{"targets inside of the tube", rows, []float64{1e-170, 0}, nil, loss.EpsilonInsensitive{Epsilon: 1}, 1, ""},
		{"targets of 0", rows, []float64{0, 0}, nil, loss.Squared{}, 1, ""},
	} {
		_, err := problem.NewLinear(c.rows, c.targets, c.weights, c.loss, penalty.L2{}, c.lambda, problem.Free)
		if text := fmt.Sprint(err); text != c.wantErr && !(err == nil && c.wantErr == "") {
			t.Errorf("%s: error %q, want %q", c.name, text, c.wantErr)
		}
	}
}

func TestParseBias(t *testing.T) {
	for _, name := range problem.BiasNames() {
		if b, err := problem.ParseBias(name); err != nil || b.String() != name {
			t.Errorf("ParseBias(%q) = %v, %v", name, b, err)
		}
	}
	if _, err := problem.ParseBias("fre"); err == nil || err.Error() != `unknown bias "fre": known: free, none, feature` {
		t.Errorf("ParseBias: %v", err)
	}
}

func TestRelative(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ primal, dual, zero, want float64 }{
		{2, 1, 1, 0.5}, {1, 1, 1, 0}, {0, 0, 0, 0}, {1, -3, 1, 4.0 / 3}, {-1, -3, 1, 2.0 / 3},
		{1e-30, 0, 1, 1e-18}, // against 1e-12 of the objective of zero
		{1, -inf, 1, inf}, {nan, 0, 1, inf}, {inf, 0, 1, inf}, {inf, inf, 1, inf}, {1, nan, 1, inf},
	} {
		if got := problem.Relative(c.primal, c.dual, c.zero); got != c.want && math.Abs(got-c.want) > 1e-15*c.want {
			t.Errorf("Relative(%g, %g, %g) = %g, want %g", c.primal, c.dual, c.zero, got, c.want)
		}
	}
}

// TestRoundingOntoAFlatPieceIsBooked has a target so large that p-y rounds onto
// the wall of the tube: the loss is 1/2 and is computed as 0. With y = eps + 2,
// P(w) = max(0, 2-w) + w^2/20 for 0 <= w, 0.2 at the optimum w = 2, and 0.6125 at
// w = 1.5.
func TestRoundingOntoAFlatPieceIsBooked(t *testing.T) {
	const epsilon = 1 << 53
	x := &matrix.Dense{Rows: 1, Cols: 1, Value: []float32{1}}
	p, err := problem.NewLinear(problem.NewRows(x, 1), []float64{epsilon + 2}, nil, loss.EpsilonInsensitive{Epsilon: epsilon}, penalty.L2{}, 0.1, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	c := p.Certify(problem.Point{W: []float64{1.5, 0}, A: []float64{0}})
	if suboptimality := 0.6125 - 0.2; c.Gap() < suboptimality {
		t.Errorf("gap %g (primal %g, dual %g), but the point is %g from the optimum", c.Gap(), c.Primal, c.Dual, suboptimality)
	}
}
