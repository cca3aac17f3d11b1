package certificate

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// brokenCertificates are ways to make a certificate wrongly.
var brokenCertificates = map[string]func(*certifier){
	"a plain value of Lanczos as nu": func(c *certifier) {
		p := view.NewLaidOut(c.x, 1)
		b := c.couple(p)
		s := newSearch(c, p, b.frobenius)
		for range 3 {
			s.step()
		}
		c.Nu = s.value()
		c.Upper = b.upper(c.Nu)
	},
	"Ritz values of the basis as the optimum": func(c *certifier) {
		b := c.couple(view.NewLaidOut(c.x, 1))
		c.Upper, c.Nu = c.Captured, b.rest
	},
	"a dual that nobody proved": func(c *certifier) {
		s, _ := view.SecondMoment(context.Background(), c.x, 1)
		p := newDual(c.x, s, c.d, c.k, 0, 1)
		p.lead(context.Background(), nil, 0)
		c.Upper, c.Nu = 0, c.size.upper
		for _, v := range p.values[:c.k] {
			c.Upper += v
		}
	},
	"no coupling": func(c *certifier) {
		b := c.couple(view.NewLaidOut(c.x, 1))
		clear(b.squares)
		clear(b.lengths)
		c.Nu = b.rest
		c.Upper = b.upper(c.Nu)
	},
	"no allowance for the basis": func(c *certifier) {
		c.exact(context.Background())
		c.Captured *= 1 + 1e-11
	},
	"only half the trace left": func(c *certifier) {
		b := c.couple(view.NewLaidOut(c.x, 1))
		c.Nu = b.rest / 2
		c.Upper = b.upper(c.Nu)
	},
}

// A certificate that is made wrongly is seen by what TestCertificateIsATheorem asks.
func TestBrokenCertificatesAreSeen(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i := range 384 {
		c := newInstance(i)
		x, size, exponent, err := balanced(c.x, false, 1)
		if err != nil || size.raw == 0 {
			continue
		}
		truth := truthOf(c)
		for name, broken := range brokenCertificates {
			m := &certifier{x: x, k: c.u.K, threads: 1, seed: one, size: size}
			m.n, m.d = x.Dims()
			if m.setBasis(c.u); m.r == m.d {
				continue
			}
			broken(m)
			m.unbalance(-2 * exponent)
			if truth.violation(c, m.Certificate) != "" {
				seen[name]++
			}
		}
	}
	for name := range brokenCertificates {
		if t.Logf("%s: seen on %d of 384", name, seen[name]); seen[name] == 0 {
			t.Errorf("%s: not seen", name)
		}
	}
}

// gapped returns rows of which eigenvalue k+1 is at most half of eigenvalue k, and
// the best basis.
func gapped(rng *rand.Rand, n, d, k int) (view.Rows, method.Basis) {
	value := make([]float32, n*d)
	for i := range n {
		for j := range d {
			size := 1.0
			if j >= k {
				size = 0.5
			}
			value[i*d+j] = float32(size * rng.NormFloat64() * math.Pow(0.9, float64(j)))
		}
	}
	x := view.Rows{X: &matrix.Dense{Rows: n, Cols: d, Value: value}}
	return x, basisFor(rng, x, k, "exact")
}

// At the best basis the certificate says so, where there is a gap: of both routes.
func TestCertificateIsTight(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for _, size := range [][3]int{{200, 10, 3}, {1000, 40, 5}, {30, 60, 4}, {3000, 120, 8}} {
		x, u := gapped(rng, size[0], size[1], size[2])
		for _, exact := range []bool{true, false} {
			got, err := certify(t.Context(), x, u, 0, 1, exact)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v %s: loss %.2g in %d steps", size, got.Route, got.Loss(), got.Steps)
			if got.Loss() > 1e-9 {
				t.Errorf("%v %s: loss %.3g, expected at most 1e-9", size, got.Route, got.Loss())
			}
		}
	}
}

// Near the best basis the quadratic bound is of second order, the linear one of
// first.
func TestQuadraticBoundBeatsLinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 2))
	x, u := gapped(rng, 500, 30, 4)
	for _, away := range []float64{1e-2, 1e-3, 1e-4} {
		moved := method.Basis{K: u.K, Cols: u.Cols, Component: append([]float64{}, u.Component...)}
		for j := range moved.Component {
			moved.Component[j] += away * rng.NormFloat64()
		}
		_, size, _, _ := balanced(x, false, 1)
		c := &certifier{x: x, k: u.K, threads: 1, size: size, seed: one}
		c.n, c.d = x.Dims()
		c.setBasis(moved)
		p := view.NewLaidOut(x, 1)
		b := c.couple(p)
		s := newSearch(c, p, b.frobenius)
		for range 25 {
			s.step()
		}
		nu := s.bound(b.rest)
		linear, quadratic := b.linear(nu)/c.Captured-1, b.quadratic(nu)/c.Captured-1
		t.Logf("off by %g: linear %.2g, quadratic %.2g", away, linear, quadratic)
		if quadratic > linear/5 || quadratic > 1000*away*away {
			t.Errorf("off by %g: quadratic %.3g, linear %.3g: expected the square of what the basis is off by", away, quadratic, linear)
		}
	}
}

// Threads change no bit.
func TestCertificateOnThreads(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(12, 3))
	for _, sparse := range []bool{false, true} {
		x := pcatest.SomeRows(rng, 2500, 120, sparse, true)
		u := basisFor(rng, x, 7, "near")
		for _, exact := range []bool{true, false} {
			one, err := certify(t.Context(), x, u, 1, 5, exact)
			if err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{2, 3, 0} {
				if got, err := certify(t.Context(), x, u, threads, 5, exact); got != one || err != nil {
					t.Errorf("%d threads: found %+v, %v, expected %+v", threads, got, err, one)
				}
			}
		}
	}
}

func TestCertificateRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	rows := func(v ...float32) view.Rows {
		return view.Rows{X: &matrix.Dense{Rows: len(v) / 2, Cols: 2, Value: v}}
	}
	good := method.Basis{K: 1, Cols: 2, Component: []float64{1, 0}}
	for _, c := range []struct {
		x    view.Rows
		u    method.Basis
		want string
	}{
		{rows(1, 2), good, ""},
		{rows(0, 0), good, ""},
		{rows(), good, "certificate: found no rows, expected at least one"},
		{rows(1, float32(nan)), good, "certificate: row 0, feature 1: found NaN, expected a finite number"},
		{rows(1, 2, float32(inf), 3), good, "certificate: row 1, feature 0: found +Inf, expected a finite number"},
		{view.Rows{X: rows(1, 2).X, Offset: []float64{0, nan}}, good, "certificate: found offsets or factors"},
		{view.Rows{X: rows(1, 2).X, Factor: []float64{0, inf}}, good, "certificate: found offsets or factors"},
		{view.Rows{X: rows(1, 2).X, Factor: []float64{1e300, 1}}, good, "certificate: the second moment of the rows exceeds the largest number"},
		{view.Rows{X: rows(1, 2).X, Factor: []float64{1.1e300, 1.1e-300}}, good, "certificate: found offsets or factors"},
		{rows(1, 2), method.Basis{K: 1, Cols: 2, Component: []float64{1, nan}}, "certificate: component 0, feature 1: found NaN, expected a finite number"},
		{rows(1, 2), method.Basis{K: 1, Cols: 3, Component: []float64{1, 0, 0}}, "certificate: found components of 3 features, expected 2 as the rows have"},
		{rows(1, 2), method.Basis{K: 3, Cols: 2, Component: make([]float64, 6)}, "certificate: found 3 components"},
		{rows(1, 2), method.Basis{K: 0, Cols: 2}, "certificate: found 0 components"},
		{rows(1, 2), method.Basis{K: 2, Cols: 2, Component: []float64{1}}, "certificate: found 2 components of 1 numbers"},
		{rows(1, 2), method.Basis{K: 1, Cols: 2, Component: []float64{0, 0}}, ""},
		{rows(1, 2), method.Basis{K: 1, Cols: 2, Component: []float64{1e300, 1e-300}}, ""},
	} {
		for _, exact := range []bool{true, false} {
			got, err := certify(t.Context(), c.x, c.u, 1, 1, exact)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if (text == "") != (c.want == "") || !strings.HasPrefix(text, c.want) {
				t.Errorf("exact %v: error %q, expected %q", exact, text, c.want)
			}
			if err == nil && !(got.Captured <= got.Upper && got.Upper <= 5.001) {
				t.Errorf("exact %v: found %+v", exact, got)
			}
		}
	}
}

func TestCertificateEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rng := rand.New(rand.NewPCG(12, 4))
	x := pcatest.SomeRows(rng, 100, 50, true, false)
	for _, exact := range []bool{true, false} {
		if _, err := certify(ctx, x, basisFor(rng, x, 3, "near"), 1, 1, exact); err != context.Canceled {
			t.Errorf("exact %v: found %v, expected %v", exact, err, context.Canceled)
		}
	}
}
