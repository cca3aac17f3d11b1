package exact

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
)

func near(t *testing.T, what string, found Number, expected float64) {
	t.Helper()
	if d := math.Abs(Float(found) - expected); !(d <= 1e-13*math.Max(1, math.Abs(expected))) {
		t.Errorf("%s: found %s, expected %.17g", what, Describe(found), expected)
	}
}

// exp and log are each other's inverse, in all bits but some, and right in doubles.
func TestNumbers(t *testing.T) {
	for _, x := range []float64{-3000, -40, -1, -1e-30, 1e-300, 0.5, 1, 7, 300} {
		if y := log(exp(Num(x))); Float(Abs(Sub(y, Num(x)))) > 1e-100*math.Max(1, math.Abs(x)) {
			t.Errorf("log(exp(%g)) = %s", x, Describe(y))
		}
		near(t, "exp", exp(Num(x)), math.Exp(x))
	}
	near(t, "log", log(Num(1e-300)), math.Log(1e-300))
	near(t, "log1p", Quo(log1p(Num(1e-200)), Num(1e-200)), 1)
	if x := Add(Num(1), exp(Num(-1e300))); x.Cmp(Num(1)) != 0 {
		t.Errorf("1 + exp(-1e300) = %s", Describe(x))
	}
}

// Every loss of which there is a twin has its values. The adversary draws no other.
func TestLosses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name := range LossDefaults {
		l, err := loss.New(name)
		if err != nil {
			t.Fatal(err)
		}
		twin, err := NewLoss(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			y := float64(2*r.IntN(2) - 1)
			if !twin.Margin {
				y = r.NormFloat64()
			}
			p := 3 * r.NormFloat64()
			near(t, name, twin.value(Num(p), y), l.Value(p, y))
			lo, hi := l.Domain(y)
			if first, last := twin.domain(y); first != lo || last != hi {
				t.Errorf("%s: found the domain [%g, %g], expected [%g, %g]", name, first, last, lo, hi)
			}
			a := min(max(r.NormFloat64(), lo), hi)
			near(t, name+" conjugate", twin.conjugate(Num(a), y), l.Conjugate(a, y))
		}
	}
}

// Every penalty of which there is a twin has its values.
func TestPenalties(t *testing.T) {
	for _, name := range []string{"l2", "l1", "elastic-net", "nonnegative-l1", "nonnegative:ratio=0.2"} {
		p, err := penalty.New(name)
		if err != nil {
			t.Fatal(err)
		}
		twin, err := NewPenalty(name)
		if err != nil {
			t.Fatal(err)
		}
		w := []float64{0.3, -2, 0, 1e-9}
		if strings.HasPrefix(name, "nonnegative") {
			if value := twin.value(Nums(w)); !value.IsInf() {
				t.Errorf("%s of a weight below 0: %g, expected infinity", name, value)
			}
			near(t, name, twin.value(Nums([]float64{0.3, 2, 0, 1e-9})), p.Value([]float64{0.3, 2, 0, 1e-9}))
		} else {
			near(t, name, twin.value(Nums(w)), p.Value(w))
		}
		scale, value := p.Conjugate(w)
		foundScale, found := twin.conjugate(Nums(w))
		near(t, name+" conjugate", found, value)
		near(t, name+" scale", foundScale, scale)
	}
}

// One row x = 1 with the target 1 and lambda 1, without a bias: the least of
// (w-1)^2/2 + w^2/2 is 1/4, at w = 1/2, a = -1/2.
func TestRidge(t *testing.T) {
	l, _ := NewLoss("squared")
	p, _ := NewPenalty("l2")
	g := LinearRows{X: [][]float64{{1}}}
	r := NewRisk(g, l, "none", []int{0}, []float64{1}, []float64{1})
	for _, j := range []Judge{&Penalised{r, g, p, Num(1)}, &Machine{NewRisk(&KernelRows{K: [][]Number{{Num(1)}}, error: func(int, int) float64 { return 0 }}, l, "none", []int{0}, []float64{1}, []float64{1}), Num(1)}} {
		primal, _ := j.Primal([]float64{0.5}, 0)
		near(t, "primal", primal, 0.25)
		near(t, "dual", j.Dual([]float64{-0.5}), 0.25)
		near(t, "dual at 0", j.Dual([]float64{0}), 0)
	}
	// |w| <= 1/4: the least is (3/4)^2/2, and a = -3/4.
	b := &Ball{r, Num(0.25)}
	primal, _ := b.Primal([]float64{7}, 0)
	near(t, "ball", primal, 9.0/32)
	near(t, "ball dual", b.Dual([]float64{-0.75}), 9.0/32)
}

// Two rows x = 1, -1 of the classes 1, -1. With slack nu the margin is 1 + nu. With
// nu = 1 and two classes w is 1 and the level 1: the objective is 1/2 - 1.
func TestMargins(t *testing.T) {
	l, _ := NewLoss("hinge")
	g := LinearRows{X: [][]float64{{1}, {-1}}}
	r := NewRisk(g, l, "none", []int{0, 1}, []float64{1, -1}, []float64{1, 1})
	s := &Slack{r, Num(0.5), true}
	primal, _ := s.Primal([]float64{3}, 0)
	near(t, "slack", primal, -1.5)
	near(t, "slack dual", s.Dual([]float64{-1, 1}), -1.5)

	r.bias = "free"
	nu := &Share{r, Num(1), Num(1), "classification"}
	primal, _ = nu.Primal([]float64{1}, 0)
	near(t, "nu", primal, -0.5)
	near(t, "nu dual", nu.Dual([]float64{-1, 1}), -0.5)

	one := &Share{r, Num(1), Num(1), "one-class"} // the mean of x is 0
	primal, _ = one.Primal([]float64{0}, 0)
	near(t, "one class", primal, 0)
	near(t, "one class dual", one.Dual([]float64{-1, -1}), 0)

	tube := &Share{NewRisk(g, l, "free", []int{0, 1}, []float64{1, -1}, []float64{1, 1}), Num(1), Num(1), "regression"}
	primal, _ = tube.Primal([]float64{1}, 0) // no error, no tube
	near(t, "tube", primal, 0.5)
	near(t, "tube dual", tube.Dual([]float64{-1, 1}), 0.5)
}

// A free bias: the dual is balanced.
func TestBalance(t *testing.T) {
	l, _ := NewLoss("hinge")
	g := LinearRows{X: [][]float64{{0}, {0}, {0}}}
	p, _ := NewPenalty("l2")
	r := NewRisk(g, l, "free", []int{0, 1, 2}, []float64{1, 1, -1}, []float64{1, 1, 1})
	j := &Penalised{r, g, p, Num(1)}
	near(t, "dual", j.Dual([]float64{-1, -1, 1}), 2.0/3) // 1/2 + 1/2 + 1, over 3
}
