package dual

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestSDCATwin compares with dual ascent as slow and plain as it can be written.
func TestSDCATwin(t *testing.T) {
	draw.Each(t, func(t *testing.T, l loss.Loss, p string, bias problem.Bias) {
		if p == "l1" {
			return // sdca refuses it
		}
		q := draw.Problem(l, p, bias, 8, 3, false)
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
