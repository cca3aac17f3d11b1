package dual

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// dense is a problem of normally distributed rows, of a target that is about linear in
// them, with a tenth of the labels wrong if they are labels.
func dense(t *testing.T, n, d int, k kernel.Kernel, l loss.Loss, bias problem.Bias, c float64, threads int) *problem.Kernel {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 7))
	values, y := make([]float32, n*d), make([]float64, n)
	_, labels := l.(loss.Margin)
	least, _ := loss.Targets(l)
	for i := range n {
		for j := range d {
			v := random.NormFloat64()
			values[i*d+j] = float32(v)
			y[i] += v * float64(j%3-1)
		}
		y[i] += math.Abs(float64(values[i*d])) + random.NormFloat64()/2
		if labels {
			y[i] = math.Copysign(1, y[i])
			if random.IntN(10) == 0 {
				y[i] = -y[i]
			}
		}
		if least == 0 {
			y[i] = math.Abs(y[i])
		}
	}
	gram, err := gram.NewGram(k, &matrix.Dense{Rows: n, Cols: d, Value: values}, gram.Options{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewKernel(gram, y, nil, l, 1/(c*float64(n)), bias)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// unscaled is a kernel with values of some thousands.
var unscaled = kernel.Poly{Degree: 3, Gamma: 1, Coef0: 1}

// wholeBlock is the working set of all rows, where they begin.
func wholeBlock(p *problem.Kernel) *block {
	all := make([]int, p.Len())
	for i := range all {
		all[i] = i
	}
	b := new(block)
	b.begin(newDual(p, nil), all, p)
	b.face.begin(&b.Dual, &b.square, b.square.times, b.roundings(false), false)
	return b
}

// TestIllConditioned: a gap of 1e-6 takes a few rounds where K is of low rank, or its
// eigenvalues are far apart, and most coefficients are free. Pairs alone are far from it after
// as many rounds.
func TestIllConditioned(t *testing.T) {
	for _, e := range loss.Entries() {
		l, err := loss.New(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := l.(loss.Invertible); !ok {
			continue // refused
		}
		for _, c := range []struct {
			kernel kernel.Kernel
			c      float64
		}{{kernel.Linear{}, 100}, {kernel.RBF{Gamma: 0.01}, 1000}, {unscaled, 1}} {
			for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
				p := dense(t, 120, 6, c.kernel, l, bias, c.c, 0)
				if sol := kerneltest.Run(t, Working{}, p, solver.Options{Gap: 1e-6, Epochs: 12}); sol.Status != solver.Converged {
					t.Errorf("%s, %+v, C=%g, bias %v: %s, gap %.3g", e.Name, c.kernel, c.c, bias, sol.Status, sol.Certificate.Relative())
				}
			}
		}
	}
}

// TestFaceOracle: without any pairs, the face finds the optimum of an interior-point
// method which shares no code with it.
func TestFaceOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 3))
	for trial := range 200 {
		p := small(random, []problem.Bias{problem.Free, problem.Free, problem.None, problem.Feature}[trial%4])
		_, want := kerneltest.QuadraticOf(p).Solve()
		b := wholeBlock(p)
		for range 4 {
			b.face.solve(0)
		}
		if got := b.objective(); !(math.Abs(got-want) <= 1e-7*math.Abs(want)) {
			t.Errorf("trial %d, %d rows, bias %v, %T: %.12g, expected %.12g", trial, p.Len(), p.Bias, p.Kernel, got, want)
		}
	}
}

// TestFaceDescends: from whatever pairs have left, and whatever the weight of
// the distance, the objective does not rise, bounds and the sum are kept, and the
// responses are those of the coefficients.
func TestFaceDescends(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	for _, e := range loss.Entries() {
		l, _ := loss.New(e.Name)
		if _, ok := l.(loss.Invertible); !ok {
			continue // refused
		}
		for trial := range 24 {
			bias := []problem.Bias{problem.Free, problem.None}[trial%2]
			k := []kernel.Kernel{kernel.Linear{}, kernel.RBF{Gamma: 0.1}, unscaled}[trial%3]
			p := dense(t, 40, 5, k, l, bias, math.Pow(10, float64(trial%6-1)), 1)
			b := wholeBlock(p)
			for range random.IntN(400) {
				b.advance(0)
			}
			b.face.mu = math.Pow(10, 4-10*random.Float64())
			before, sum := b.objective(), vec.Total(b.Beta)
			b.face.minimise()
			b.face.mend()
			b.face.adopt()
			what := fmt.Sprintf("%s, %T, bias %v, trial %d", e.Name, k, bias, trial)
			if after := b.objective(); !(after <= before+1e-12*math.Abs(before)) {
				t.Errorf("%s: from %.15g to %.15g", what, before, after)
			}
			size := 0.0
			for i, v := range b.Beta {
				size += math.Abs(v)
				if v < b.Lo[i] || v > b.Hi[i] {
					t.Errorf("%s: %g is not between %g and %g", what, v, b.Lo[i], b.Hi[i])
				}
			}
			if now := vec.Total(b.Beta); p.Bias == problem.Free && math.Abs(now-sum) > 1e-14*size {
				t.Errorf("%s: the sum went from %g to %g", what, sum, now)
			}
			r := make([]float64, len(b.R))
			b.square.times(r, b.Beta)
			for i, v := range r {
				if math.Abs(v-b.R[i]) > 1e-10*(1+size*b.K[i]) {
					t.Fatalf("%s: response %d is %g, expected %g", what, i, b.R[i], v)
				}
			}
		}
	}
}

// TestFaceAnswers: B(p) is optimal, its slope is the one that differences have, and the
// slope of the line search is that of the function which it searches, as convex
// functions have it: it grows, and is zero at the minimum.
func TestFaceAnswers(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	for _, e := range loss.Entries() {
		l, _ := loss.New(e.Name)
		if _, ok := l.(loss.Invertible); !ok {
			continue // refused
		}
		p := dense(t, 30, 3, kernel.RBF{Gamma: 0.3}, l, problem.Free, 3, 1)
		b := wholeBlock(p)
		f := &b.face
		for range 200 {
			i := random.IntN(p.Len())
			f.mu = math.Pow(10, 2-6*random.Float64())
			f.anchor[i] = min(max(f.C[i]*random.NormFloat64(), f.Lo[i]), f.Hi[i])
			at := p.Y[i] + 3*random.NormFloat64()
			beta, slope := f.answerOf(i, at)
			pull := at + f.mu*(beta-f.anchor[i])
			if up, low := f.targets(i, beta); up > pull+1e-8*(1+math.Abs(pull)) || low < pull-1e-8*(1+math.Abs(pull)) {
				t.Errorf("%s: the answer %g to %g has the targets %g and %g, expected %g between them", e.Name, beta, at, up, low, pull)
			}
			step := 1e-5
			above, slopeAbove := f.answerOf(i, at+step)
			below, slopeBelow := f.answerOf(i, at-step)
			if differs := math.Abs(slopeAbove - slopeBelow); math.Abs((below-above)/(2*step)-slope) > 1e-5*slope+2*differs {
				t.Errorf("%s: slope %g, expected %g", e.Name, slope, (below-above)/(2*step))
			}
		}
		f.mu = 0.1
		if f.minimise() == mostNewton {
			t.Errorf("%s: no minimum", e.Name)
		}
		for i := range f.v {
			if math.Abs(f.v[i]-f.best[i]) > 1e-7*f.C[i] {
				t.Errorf("%s: coefficient %g at the minimum answers with %g", e.Name, f.v[i], f.best[i])
			}
			f.delta[i] = random.NormFloat64()
		}
		f.k.times(f.change, f.delta)
		if f.turn = 0.5; !(f.slopeAt(-0.1) < 0 && f.slopeAt(0.1) > 0 && math.Abs(f.slopeAt(0)) < 1e-6*f.slopeAt(0.1)) {
			t.Errorf("%s: slopes %g, %g, %g around the minimum", e.Name, f.slopeAt(-0.1), f.slopeAt(0), f.slopeAt(0.1))
		}
	}
}

// TestFaceSameBits: threads change no bit of a run that needs the face.
func TestFaceSameBits(t *testing.T) {
	for _, l := range []loss.Loss{loss.Logistic{}, loss.Absolute{}} {
		var first *solver.Solution
		for _, threads := range []int{1, 2, 3} {
			sol := kerneltest.Run(t, Working{}, dense(t, 200, 6, unscaled, l, problem.Free, 10, threads), solver.Options{Gap: 1e-5})
			if first == nil {
				first = sol
			}
			if !slices.Equal(sol.Point.W, first.Point.W) || !slices.Equal(sol.Point.A, first.Point.A) || sol.Status != solver.Converged {
				t.Errorf("%T: other bits with %d threads, or %s", l, threads, sol.Status)
			}
		}
	}
}

// TestLowRank: L L^T is K but for what is left, and solve is the inverse of what it
// says, on some of the rows.
func TestLowRank(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for _, c := range []struct {
		kernel  kernel.Kernel
		columns int // expected at most
	}{{kernel.Linear{}, 7}, {kernel.RBF{Gamma: 0.01}, 700}, {kernel.RBF{Gamma: 1}, 700}} {
		p := dense(t, 700, 6, c.kernel, loss.Hinge{}, problem.Feature, 1, 2)
		d := newDual(p, nil)
		k := newLowRank(p, d.K)
		if k.columns > c.columns || k.columns < min(c.columns, 7) {
			t.Errorf("%T: %d columns, expected %d at most", c.kernel, k.columns, c.columns)
		}
		x, got, want := make([]float64, 700), make([]float64, 700), make([]float64, 700)
		var inside []int
		var weight []float64
		for i := range x {
			if i%3 > 0 {
				x[i] = random.NormFloat64()
				inside, weight = append(inside, i), append(weight, 0.01+random.Float64())
			}
		}
		k.times(got, x)
		p.Combine(want, x)
		left := vec.Total(k.left)
		for i := range want {
			want[i] += vec.Total(x)
			if math.Abs(got[i]-want[i]) > 1e-8+left*math.Sqrt(vec.SquaredNorm64(x)) {
				t.Fatalf("%T: row %d is %g, expected %g but for %g", c.kernel, i, got[i], want[i], left)
			}
		}
		k.factor(inside, weight)
		rhs := make([]float64, len(inside))
		for r, i := range inside {
			rhs[r] = got[i] + weight[r]*x[i]
		}
		k.solve(rhs)
		for r, i := range inside {
			if math.Abs(rhs[r]-x[i]) > 1e-8 {
				t.Fatalf("%T: solution %d is %g, expected %g", c.kernel, r, rhs[r], x[i])
			}
		}
	}
}

// TestBroad: where more coefficients are free than a set has room for, some rounds
// on the face of all rows are enough, with the same bits from any threads.
func TestBroad(t *testing.T) {
	for _, c := range []struct {
		loss   loss.Loss
		kernel kernel.Kernel
		bias   problem.Bias
	}{{loss.Logistic{}, kernel.Linear{}, problem.Free}, {loss.SquaredHinge{}, kernel.Linear{}, problem.None}, {loss.Absolute{}, kernel.RBF{Gamma: 0.01}, problem.Feature}} {
		var first *solver.Solution
		for _, threads := range []int{1, 2} {
			sol := kerneltest.Run(t, Working{Q: leastBroad}, dense(t, 900, 6, c.kernel, c.loss, c.bias, 100, threads), solver.Options{Gap: 1e-5, Epochs: 60})
			if first == nil {
				first = sol
			}
			if !slices.Equal(sol.Point.W, first.Point.W) || !slices.Equal(sol.Point.A, first.Point.A) || sol.Status != solver.Converged {
				t.Errorf("%T, %d threads: other bits, or %s, gap %.3g", c.loss, threads, sol.Status, sol.Certificate.Relative())
			}
		}
	}
}

// TestFaceBegins: the first weight of the distance is a sum of rounded products, also
// where the compiler can fuse them.
func TestFaceBegins(t *testing.T) {
	for n := 20; n < 60; n++ {
		b := wholeBlock(dense(t, n, 5, unscaled, loss.Hinge{}, problem.Free, 3, 1))
		size := float64(1e-3 * (vec.Total(b.K) / float64(n)))
		if want := size + float64(0.1*b.violation()*float64(n)/vec.Total(b.C)); b.face.mu != want {
			t.Fatalf("%d rows: the weight is %v, expected %v", n, b.face.mu, want)
		}
	}
}
