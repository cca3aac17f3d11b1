package path

import (
	"context"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// random makes problems with linear and Gaussian kernels, some rows twice, with equal and with
// opposite targets, any bias, weights and one class.
func random(t testing.TB, seed uint64, most int) *problem.Kernel {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 24))
	n, d := 1+r.IntN(most), 1+r.IntN(4)
	values, y, weights := make([]float32, 0, n*d), make([]float64, n), make([]float64, n)
	for i := range n {
		if i > 0 && r.IntN(5) == 0 {
			j := r.IntN(i)
			values = append(values, values[j*d:(j+1)*d]...)
		} else {
			for range d {
				values = append(values, float32(r.NormFloat64()))
			}
		}
		y[i] = float64(2*r.IntN(2) - 1)
		if seed%10 == 9 {
			y[i] = 1
		}
		weights[i] = 1 + float64(r.IntN(2))
	}
	x, err := matrix.NewDense(n, d, values)
	if err != nil {
		t.Fatal(err)
	}
	var k kernel.Kernel = kernel.Linear{}
	if seed%2 == 1 {
		k = kernel.RBF{Gamma: 0.5}
	}
	gram, err := gram.NewGram(k, x, gram.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	l := []loss.Loss{loss.Hinge{}, loss.Hinge{}, loss.Hinge{}, loss.Absolute{}, loss.Quantile{Tau: 0.3}}[seed%5]
	p, err := problem.NewKernel(gram, y, weights, l, 1/float64(n), []problem.Bias{problem.Free, problem.None, problem.Feature}[seed%3])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// kept is a breakpoint that outlives the call.
func kept(b Breakpoint) Breakpoint {
	b.Point.W = append([]float64(nil), b.Point.W...)
	b.Point.A = append([]float64(nil), b.Point.A...)
	b.Predictions = append([]float64(nil), b.Predictions...)
	return b
}

func follow(t testing.TB, f Follower, p *problem.Kernel) (all []Breakpoint) {
	t.Helper()
	if err := f.Accepts(p); err != nil {
		t.Fatal(err)
	}
	err := f.Follow(context.Background(), p, func(b Breakpoint) error {
		all = append(all, kept(b))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// between returns the objective at c of the point on the line between the breakpoints around it.
func between(p *problem.Kernel, all []Breakpoint, c float64) float64 {
	k := 1
	for k < len(all)-1 && all[k].C < c {
		k++
	}
	a, b := all[k-1], all[k]
	part := 0.0
	if b.C > a.C {
		part = (c - a.C) / (b.C - a.C)
	}
	w := make([]float64, len(a.Point.W))
	for i := range w {
		w[i] = (1-part)*a.Point.W[i] + part*b.Point.W[i]
	}
	n := len(w) - 1
	q := at(p, c)
	r := make([]float64, n)
	q.Combine(r, w[:n])
	if q.Bias == problem.Free {
		w[n] = q.BestBias(r, w[n], 1e-12)
	}
	return q.Certify(problem.Point{W: w}).Primal
}

// K24: between and at all breakpoints the path has the objective of separate fits (to 3e-8 where that is 0), and every
// breakpoint is proved to 1e-8 of its objective, or where the optimum is 0 to 1e-7 of that of zero.
func TestCosts(t *testing.T) {
	for seed := range uint64(short(400, 100)) {
		p := random(t, seed, 60)
		f := Costs{From: 0.01, To: 100}
		all := follow(t, f, p)
		last := 0.0
		for _, b := range all {
			if !(b.C > last) || b.Certificate.Gap() > 1e-8*math.Abs(b.Certificate.Primal)+1e-7*b.Certificate.Zero+8*b.Certificate.Rounding {
				t.Fatalf("seed %d: C %.17g after %.17g, gap %g of %g", seed, b.C, last, b.Certificate.Gap(), b.Certificate.Primal)
			}
			last = b.C
		}
		if all[0].C != 0.01 || math.Abs(last-100) > 1e-9 {
			t.Errorf("seed %d: from %g to %g", seed, all[0].C, last)
		}
		r := rand.New(rand.NewPCG(seed, 25))
		for range 4 {
			c := math.Pow(10, -2+4*r.Float64())
			want, err := solver.Run(context.Background(), dual.ActiveSet{}, at(p, c), solver.Options{Gap: 1e-10, Epochs: 2000})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := between(p, all, c), want.Certificate.Primal; math.Abs(got-want) > 1e-6*max(want, 3e-2) {
				t.Errorf("seed %d: objective %.12g at C %g, by a fit %.12g", seed, got, c, want)
			}
		}
	}
}

// By hand: x = -1, 1 with targets -1, 1, the linear kernel and a free bias has w = 2 C up to C =
// 1/2, and w = 1 from there on.
func TestTwoPoints(t *testing.T) {
	x, err := matrix.NewDense(2, 1, []float32{-1, 1})
	if err != nil {
		t.Fatal(err)
	}
	gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewKernel(gram, []float64{-1, 1}, nil, loss.Hinge{}, 1, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	all := follow(t, Costs{From: 0.1, To: 10}, p)
	if len(all) != 3 || math.Abs(all[1].C-0.5) > 1e-12 {
		t.Fatalf("found %d breakpoints, expected 3, the second at 0.5: %+v", len(all), all)
	}
	for k, want := range []float64{0.2, 1, 1} {
		if w := all[k].Point.W[1] - all[k].Point.W[0]; math.Abs(w-want) > 1e-12 {
			t.Errorf("C %g: w = %g, expected %g", all[k].C, w, want)
		}
	}
	if all[0].Bounded != 2 || all[0].Free != 0 || all[2].Bounded != 0 || all[2].Free+all[2].Bounded != len(all[2].Point.A) {
		t.Errorf("bounded and free rows: %d %d, %d %d", all[0].Bounded, all[0].Free, all[2].Bounded, all[2].Free)
	}
}

// An error of the caller, and a cancelled context, end the path.
func TestEnds(t *testing.T) {
	p := random(t, 1, 60)
	stop := errors.New("enough")
	if err := (Costs{From: 0.01, To: 100}).Follow(context.Background(), p, func(Breakpoint) error { return stop }); err != stop {
		t.Errorf("found %v, expected the error of the caller", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := (Costs{From: 0.01, To: 100}).Follow(ctx, p, func(Breakpoint) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("found %v, expected that the context is cancelled", err)
	}
}

var long = flag.Bool("long", false, "follow the paths of all problems, not the first quarter of them")

// short is fewer where tests are to be quick.
func short(all, few int) int {
	if !*long {
		return few
	}
	return all
}
