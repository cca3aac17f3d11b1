package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// randomMachine is a support vector machine on n random points with random classes, which
// a few flips away are those of a curve.
func randomMachine(t testing.TB, seed uint64, n int, flips float64) *problem.Kernel {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	x := &matrix.Dense{Rows: n, Cols: 2, Value: make([]float32, 2*n)}
	y := make([]float64, n)
	for i := range y {
		a, b := random.NormFloat64(), random.NormFloat64()
		x.Value[2*i], x.Value[2*i+1] = float32(a), float32(b)
		if y[i] = math.Copysign(1, a*b+0.5*a); random.Float64() < flips {
			y[i] = -y[i]
		}
	}
	p, err := problem.NewKernel(kerneltest.GramOf(t, x, 1), y, nil, loss.Hinge{}, 1/float64(n), problem.None)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// In one pass there are no more mistakes than L + |u| sqrt(L) + |u|^2, with u the
// optimum of the support vector machine; and each takes one row (T8).
func TestPerceptronBound(t *testing.T) {
	for seed := range uint64(100) {
		p := randomMachine(t, seed, 40, float64(seed%4)/10)
		u := kerneltest.Optimum(t, p)
		norm, l := p.Criteria(u.Point.W)
		L := 40 * l
		before := p.Counts().Requested
		s := Perceptron{}.Start(p, solver.Start{Seed: seed}).(*perceptron)
		s.Epoch()
		if bound := L + norm*math.Sqrt(L) + norm*norm; float64(s.mistakes) > bound || s.mistakes == 0 {
			t.Errorf("seed %d: %d mistakes, expected %g at most", seed, s.mistakes, bound)
		}
		if n := p.Counts().Requested - before; n != int64(40*s.mistakes) {
			t.Errorf("seed %d: %d evaluations for %d mistakes on 40 rows", seed, n, s.mistakes)
		}
	}
}

// A u with all margins 1 or more bounds the mistakes of all passes by |u|^2, and
// then there are no more (T8).
func TestPerceptronSeparable(t *testing.T) {
	for seed := range uint64(10) {
		p := randomMachine(t, seed, 30, 0)
		p.Lambda = 1e-5
		sol, err := solver.Run(context.Background(), SDCA{}, p, solver.Options{Gap: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		u := newEngine(p.Gram, 0, sol.Point.W, false)
		least := math.Inf(1)
		for i, y := range p.Y {
			least = min(least, y*u.response(i))
		}
		s := Perceptron{}.Start(p, solver.Start{Seed: seed}).(*perceptron)
		for range 1000 {
			s.Epoch()
		}
		if bound := u.squared / (least * least); least <= 0 || float64(s.mistakes) > bound {
			t.Errorf("seed %d: %d mistakes, expected %g at most", seed, s.mistakes, bound)
		}
		for i, y := range p.Y {
			if y*s.e.response(i) <= 0 {
				t.Errorf("seed %d: still wrong on row %d", seed, i)
			}
		}
	}
}

// The four ways to one predictor, from the iterates of a plain copy of the
// algorithm (T8).
func TestPerceptronOutputs(t *testing.T) {
	const n = 60
	p := randomMachine(t, 7, n, 0.2)
	order := rand.New(rand.NewPCG(3, 0)).Perm(n)
	var iterates [][]float64 // before each row
	w, r := make([]float64, n), make([]float64, n)
	average := make([]float64, n)
	for _, i := range order {
		iterates = append(iterates, append([]float64(nil), w...))
		for j := range w {
			average[j] += w[j] / n
		}
		p.Combine(r, w)
		if p.Y[i]*r[i] <= 0 {
			w[i] += p.Y[i]
		}
	}
	bound := func(t int) float64 {
		p.Combine(r, iterates[t])
		wrong := 0.0
		for _, i := range order[t:] {
			if p.Y[i]*r[i] <= 0 {
				wrong++
			}
		}
		return wrong/float64(n-t) + math.Sqrt(math.Log(n/0.05)/float64(n-t))
	}
	validated := 0
	for t := range n {
		if bound(t) < bound(validated) {
			validated = t
		}
	}
	for output, want := range map[string][]float64{"last": w, "average": average, "validated": iterates[validated]} {
		state := Perceptron{Output: output}.Start(p, solver.Start{Seed: 3})
		state.Epoch()
		if got := state.Point().W; !aligned(got[:n], want) {
			t.Errorf("%s: found %v, expected a multiple of %v", output, got, want)
		}
	}
	// Every iterate is sampled as often: the mean row at which one was taken is in
	// the middle.
	const runs = 2000
	sum := 0.0
	for seed := range uint64(runs) {
		s := &perceptron{output: "sampled", supported: newSupported(newEngine(p.Gram, 0, nil, false), solver.Start{}), choice: rand.New(rand.NewPCG(seed, 0))}
		for k := range 10 {
			s.e.coefficients[0] = float64(k)
			s.before(nil)
			s.seen++
		}
		sum += s.kept.w[0] / runs
	}
	if math.Abs(sum-4.5) > 4*math.Sqrt(99.0/12/runs) {
		t.Errorf("sampled: mean %v, expected 4.5", sum)
	}
}

// aligned says that a is a positive multiple of b.
func aligned(a, b []float64) bool {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	return ab > (1-1e-12)*math.Sqrt(aa*bb) && ab > 0
}

// The separating predictor errs on no more rows than v has small margins, with
// |v|^2 support vectors at most (T9).
func TestT9Separate(t *testing.T) {
	for seed := range uint64(20) {
		p := randomMachine(t, seed, 60, 0.1)
		v := kerneltest.Optimum(t, p).Point.W
		for i := range v {
			v[i] *= 1.01 // past the margin those that are just on it
		}
		before := newEngine(p.Gram, 0, v, false)
		w, err := Separate(p, responsesOf(before), before.squared, seed)
		if err != nil {
			t.Fatal(err)
		}
		after := newEngine(p.Gram, 0, w, false)
		small, wrong, support := 0, 0, 0.0
		for i, y := range p.Y {
			if y*before.response(i) < 1 {
				small++
			}
			if y*after.response(i) <= 0 {
				wrong++
			}
			if w[i] != 0 {
				support++
			}
		}
		if wrong > small || support > before.squared || support == 0 {
			t.Errorf("seed %d: %d wrong for %d small margins, %g support vectors for |v|^2 = %g", seed, wrong, small, support, before.squared)
		}
	}
}

// responsesOf are those of all rows.
func responsesOf(e *engine) []float64 {
	r := make([]float64, e.gram.Len())
	for i := range r {
		r[i] = e.response(i)
	}
	return r
}

// The rows that are kept to separate are those with a margin of at least 1.
func TestWideMargins(t *testing.T) {
	for seed := range uint64(20) {
		p := randomMachine(t, seed, 60, 0.1)
		v := kerneltest.Optimum(t, p).Point.W
		e := newEngine(p.Gram, 0, v, false)
		rows, bound := wideMargins(p, responsesOf(e), e.squared)
		k, between := 0, 0
		for i, y := range p.Y {
			margin := y * e.response(i)
			if margin >= 0.5 && margin < 1 {
				between++
			}
			if margin >= 1 {
				if k == len(rows) || rows[k] != i {
					t.Fatalf("seed %d: row %d with the margin %g is not among %v", seed, i, margin, rows)
				}
				k++
			}
		}
		if k != len(rows) || between == 0 || bound < e.squared {
			t.Errorf("seed %d: %d rows of %d with a margin of 1, %d between 1/2 and 1, bound %g for |v|^2 = %g", seed, len(rows), k, between, bound, e.squared)
		}
	}
}

// A run ends after its passes, and leaves a predictor that beats zero.
func TestPerceptronRun(t *testing.T) {
	p := randomMachine(t, 1, 50, 0.1)
	gram, _ := gram.NewGram(kernel.Linear{}, p.X, gram.Options{})
	q, err := problem.NewKernel(gram, p.Y, nil, loss.Hinge{}, 0.02, problem.Feature)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"perceptron", "perceptron:passes=3,output=average"} {
		s, err := support.Solvers.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []*problem.Kernel{p, q} {
			sol, err := solver.Run(context.Background(), s, p, solver.Options{})
			if err != nil || sol.Status != solver.EpochLimit || sol.Epochs != solver.TraitsOf(s).Passes {
				t.Fatal(spec, sol, err)
			}
			if c := sol.Certificate; c.Primal > 0.95*c.Zero || !math.IsInf(c.Dual, -1) || sol.Point.A != nil {
				t.Errorf("%s: primal %v, zero %v, dual %v", spec, c.Primal, c.Zero, c.Dual)
			}
		}
	}
}
