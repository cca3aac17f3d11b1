package ramp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

// drawRamp returns n rows in the state in which an interior-point method has them.
func drawRamp(r *rand.Rand, n int) Rows {
	e := Rows{Jump: 0.5 + r.Float64(), Shift: r.NormFloat64()}
	if r.IntN(2) == 0 {
		e.Width = r.Float64()
	}
	for range n {
		a := e.Jump * r.Float64()
		if r.IntN(3) == 0 {
			a *= 1e-9
		}
		if a > e.Jump/2 || r.IntN(3) == 0 {
			a = -min(a, e.Jump-a)
		}
		e.X = append(e.X, a)
		e.R, e.U = append(e.R, math.Exp(3*r.NormFloat64())), append(e.U, math.Exp(3*r.NormFloat64()))
		e.Away, e.Before, e.Move = append(e.Away, 2*r.NormFloat64()), append(e.Before, r.NormFloat64()), append(e.Move, r.NormFloat64())
		e.Weight = append(e.Weight, float64(1+r.IntN(3)))
	}
	return e
}

var rampLoops = map[string]func(e *Rows) []float64{
	"Linearise": func(e *Rows) []float64 {
		c, v := slices.Clone(e.R), slices.Clone(e.U)
		e.Linearise(c, v, 0.3)
		return append(c, v...)
	},
	"Predict": func(e *Rows) []float64 {
		p := e.Predict(0.6)
		return []float64{p.Loses, p.Now, p.Second, p.Alone}
	},
	"Correct": func(e *Rows) []float64 {
		v := slices.Clone(e.R)
		e.Correct(v, 0.1, 0.3)
		return v
	},
	"Measure": func(e *Rows) []float64 {
		c := e.Measure(0.1, 0.6, &[...]float64{1, 0.7, 0.5, 0.3, 0.2})
		return append(c.Lost[:], c.Loses, c.Moved)
	},
	"Step": func(e *Rows) []float64 {
		s := e.Step(0.1, 0.7, 0.6)
		return slices.Concat(e.X, e.R, e.U, []float64{s.Products, s.Losses, s.Defects})
	},
	"Reach": func(e *Rows) []float64 {
		s := e.Reach()
		return []float64{s.Products, s.Losses, s.Defects}
	},
	"Central": func(e *Rows) []float64 {
		e.Central(0.1)
		return slices.Concat(e.X, e.R, e.U)
	},
}

// TestRampTwins: every level computes the same bits as plain Go.
func TestRampTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 1))
	for n := range 70 {
		for name, loop := range rampLoops {
			e := drawRamp(r, n)
			if n%7 == 1 { // corners, exactly on them, and values that are not finite
				e.Width, e.Away[0], e.Move[0] = 0, e.Shift, math.Inf(1)
			}
			clone := func() *Rows {
				c := e
				c.X, c.R, c.U = slices.Clone(e.X), slices.Clone(e.R), slices.Clone(e.U)
				return &c
			}
			was := cpu.Chosen()
			cpu.Use(cpu.Portable)
			want := loop(clone())
			cpu.Use(was)
			vectest.EachLevel(t, func(l cpu.Level) {
				if got := loop(clone()); !vectest.SameBits(got, want) {
					t.Errorf("%s %s, n=%d: %v, plain Go has %v", name, l, n, got, want)
				}
			})
		}
	}
}

// TestRampRefuses slices of different length.
func TestRampRefuses(t *testing.T) {
	e := drawRamp(rand.New(rand.NewPCG(62, 1)), 9)
	e.Move = e.Move[:8]
	if !vectest.Panics(func() { e.Reach() }) || !vectest.Panics(func() { e.Central(1) }) || !vectest.Panics(func() { e.Move = e.Away; e.Linearise(e.R, e.U[:8:8], 1) }) {
		t.Error("no panic")
	}
}

// TestSteps: the corrector's equations hold after a whole step, but for what is of
// second order in it: (a + da)(r + dr) = m + da dr - da' dr', and the like, where da' dr'
// are the predictor's; u + du - r - dr = q + dp - Width (a + da).
func TestSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 1))
	for range 1000 {
		e := drawRamp(r, 1)
		const m = 0.1
		s := e.row(0)
		if min(s.a, s.b) < 1e-3 { // the steps are differences of much larger numbers
			continue
		}
		z, f, g := s.relative(e.Before[0])
		before := float64(z * float64(s.a*s.b))
		da, dr, du := s.steps(e.Before[0], e.Move[0], m)
		for _, c := range []struct{ got, want, size float64 }{
			{s.a*s.r + s.a*dr + s.r*da, m + before*s.r*(1+f), m + math.Abs(s.a*dr) + math.Abs(s.r*da) + math.Abs(before*s.r*(1+f))},
			{s.b*s.u + s.b*du - s.u*da, m - before*s.u*(1-g), m + math.Abs(s.b*du) + math.Abs(s.u*da) + math.Abs(before*s.u*(1-g))},
			{s.u + du - s.r - dr, e.Away[0] - e.Shift + e.Move[0] - e.Width*(s.a+da), s.u + s.r + math.Abs(du) + math.Abs(dr)},
		} {
			if math.Abs(c.got-c.want) > 1e-10*c.size {
				t.Fatalf("%+v: %v, want %v", e, c.got, c.want)
			}
		}
	}
}

// BenchmarkRamp times the loops over 1024 rows.
func BenchmarkRamp(b *testing.B) {
	e := drawRamp(rand.New(rand.NewPCG(64, 1)), 1024)
	for name, loop := range rampLoops {
		vectest.EveryLevel(b, fmt.Sprintf("loop=%s", name), func(b *testing.B) {
			for b.Loop() {
				loop(&e)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/1024, "ns/row")
		})
	}
}
