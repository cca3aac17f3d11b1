package adversary

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
)

func near(t *testing.T, what string, found number, expected float64) {
	t.Helper()
	if d := math.Abs(float(found) - expected); !(d <= 1e-13*math.Max(1, math.Abs(expected))) {
		t.Errorf("%s: found %s, expected %.17g", what, describe(found), expected)
	}
}

// exp and log are each other's inverse, in all bits but some, and right in doubles.
func TestNumbers(t *testing.T) {
	for _, x := range []float64{-3000, -40, -1, -1e-30, 1e-300, 0.5, 1, 7, 300} {
		if y := log(exp(num(x))); float(abs(sub(y, num(x)))) > 1e-100*math.Max(1, math.Abs(x)) {
			t.Errorf("log(exp(%g)) = %s", x, describe(y))
		}
		near(t, "exp", exp(num(x)), math.Exp(x))
	}
	near(t, "log", log(num(1e-300)), math.Log(1e-300))
	near(t, "log1p", quo(log1p(num(1e-200)), num(1e-200)), 1)
	if x := add(num(1), exp(num(-1e300))); x.Cmp(num(1)) != 0 {
		t.Errorf("1 + exp(-1e300) = %s", describe(x))
	}
}

// Every loss of which there is a twin has its values. The adversary draws no other.
func TestLosses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name := range lossDefaults {
		l, err := loss.New(name)
		if err != nil {
			t.Fatal(err)
		}
		twin, err := newLoss(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			y := float64(2*r.IntN(2) - 1)
			if !twin.margin {
				y = r.NormFloat64()
			}
			p := 3 * r.NormFloat64()
			near(t, name, twin.value(num(p), y), l.Value(p, y))
			lo, hi := l.Domain(y)
			if first, last := twin.domain(y); first != lo || last != hi {
				t.Errorf("%s: found the domain [%g, %g], expected [%g, %g]", name, first, last, lo, hi)
			}
			a := min(max(r.NormFloat64(), lo), hi)
			near(t, name+" conjugate", twin.conjugate(num(a), y), l.Conjugate(a, y))
		}
	}
}

// Every penalty of which there is a twin has its values.
func TestPenalties(t *testing.T) {
	for _, name := range []string{"l2", "l1", "elastic-net"} {
		p, err := penalty.New(name)
		if err != nil {
			t.Fatal(err)
		}
		twin, err := newPenalty(name)
		if err != nil {
			t.Fatal(err)
		}
		w := []float64{0.3, -2, 0, 1e-9}
		near(t, name, twin.value(nums(w)), p.Value(w))
		scale, value := p.Conjugate(w)
		foundScale, found := twin.conjugate(nums(w))
		near(t, name+" conjugate", found, value)
		near(t, name+" scale", foundScale, scale)
	}
}

// Every kernel of which there is a twin has its values.
func TestKernels(t *testing.T) {
	r := drawOf(1, 1)
	for range 300 {
		twin := r.tree(3, 0)
		used, err := kernel.New(twin.spec())
		if err != nil {
			t.Fatal(err)
		}
		x := [][]float64{{0.5, 1, 0}, {2, 0.25, 0.125}}
		expected := used.Eval(row32(x[0]), row32(x[1]))
		if found := float(twin.between(x[0], x[1], 0, 1)); math.Abs(found-expected) > 1e-9*math.Abs(expected)+1e-300 {
			t.Errorf("%s: found %g, expected %g", twin.spec(), found, expected)
		}
	}
}

// The strings of the kernel ssk have the value of the program's own.
func TestSubsequences(t *testing.T) {
	r := drawOf(2, 2)
	for range 100 {
		p := 1 + r.IntN(3)
		x := r.strings(2, 8)
		used, err := kernel.New(kernelTwin{name: "ssk", power: p}.spec())
		if err != nil {
			t.Fatal(err)
		}
		near(t, "ssk", subsequences(symbols(x[0]), symbols(x[1]), p), used.Eval(row32(x[0]), row32(x[1])))
	}
}

// So have graphs those of random walks.
func TestWalks(t *testing.T) {
	r := drawOf(2, 3)
	for range 50 {
		twin := kernelTwin{name: "random-walk", gamma: one(r, 0.05, 0.11)}
		x := r.graphs(2)
		used, err := kernel.New(twin.spec())
		if err != nil {
			t.Fatal(err)
		}
		near(t, "random-walk", twin.between(x[0], x[1], 0, 1), used.Eval(row32(x[0]), row32(x[1])))
	}
}

// One row x = 1 with the target 1 and lambda 1, without a bias: the least of
// (w-1)^2/2 + w^2/2 is 1/4, at w = 1/2, a = -1/2.
func TestRidge(t *testing.T) {
	l, _ := newLoss("squared")
	p, _ := newPenalty("l2")
	g := linearRows{x: [][]float64{{1}}}
	r := newRisk(g, l, "none", []int{0}, []float64{1}, []float64{1})
	for _, j := range []judge{&penalised{r, g, p, num(1)}, &machine{newRisk(&kernelRows{k: [][]number{{num(1)}}, error: func(int, int) float64 { return 0 }}, l, "none", []int{0}, []float64{1}, []float64{1}), num(1)}} {
		primal, _ := j.primal([]float64{0.5}, 0)
		near(t, "primal", primal, 0.25)
		near(t, "dual", j.dual([]float64{-0.5}), 0.25)
		near(t, "dual at 0", j.dual([]float64{0}), 0)
	}
	// |w| <= 1/4: the least is (3/4)^2/2, and a = -3/4.
	b := &ball{r, num(0.25)}
	primal, _ := b.primal([]float64{7}, 0)
	near(t, "ball", primal, 9.0/32)
	near(t, "ball dual", b.dual([]float64{-0.75}), 9.0/32)
}

// Two rows x = 1, -1 of the classes 1, -1. With slack nu the margin is 1 + nu. With
// nu = 1 and two classes w is 1 and the level 1: the objective is 1/2 - 1.
func TestMargins(t *testing.T) {
	l, _ := newLoss("hinge")
	g := linearRows{x: [][]float64{{1}, {-1}}}
	r := newRisk(g, l, "none", []int{0, 1}, []float64{1, -1}, []float64{1, 1})
	s := &slack{r, num(0.5), true}
	primal, _ := s.primal([]float64{3}, 0)
	near(t, "slack", primal, -1.5)
	near(t, "slack dual", s.dual([]float64{-1, 1}), -1.5)

	r.bias = "free"
	nu := &share{r, num(1), num(1), "classification"}
	primal, _ = nu.primal([]float64{1}, 0)
	near(t, "nu", primal, -0.5)
	near(t, "nu dual", nu.dual([]float64{-1, 1}), -0.5)

	one := &share{r, num(1), num(1), "one-class"} // the mean of x is 0
	primal, _ = one.primal([]float64{0}, 0)
	near(t, "one class", primal, 0)
	near(t, "one class dual", one.dual([]float64{-1, -1}), 0)

	tube := &share{newRisk(g, l, "free", []int{0, 1}, []float64{1, -1}, []float64{1, 1}), num(1), num(1), "regression"}
	primal, _ = tube.primal([]float64{1}, 0) // no error, no tube
	near(t, "tube", primal, 0.5)
	near(t, "tube dual", tube.dual([]float64{-1, 1}), 0.5)
}

// A free bias: the dual is balanced.
func TestBalance(t *testing.T) {
	l, _ := newLoss("hinge")
	g := linearRows{x: [][]float64{{0}, {0}, {0}}}
	p, _ := newPenalty("l2")
	r := newRisk(g, l, "free", []int{0, 1, 2}, []float64{1, 1, -1}, []float64{1, 1, 1})
	j := &penalised{r, g, p, num(1)}
	near(t, "dual", j.dual([]float64{-1, -1, 1}), 2.0/3) // 1/2 + 1/2 + 1, over 3
}
