package dual

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// slow is a problem on which SDCA is slow: fewer rows than columns, nearly the
// same rows many times, a small lambda, weights.
func slow(l loss.Loss, bias problem.Bias, threads int) *problem.Linear {
	const n, d, words = 300, 900, 40
	r := rand.New(rand.NewPCG(11, 7))
	x, y, weight := &matrix.CSR{}, make([]float64, n), make([]float64, n)
	for i := range n {
		index := text(r, d, words, 2)
		value := make([]float32, len(index))
		for k := range value {
			value[k] = float32(math.Abs(r.NormFloat64()))
		}
		x.Append(index, value)
		y[i] = math.Copysign(1, r.NormFloat64())
		weight[i] = 1 + float64(i%3)
	}
	x.Append(nil, nil) // an empty row
	x.Cols = d
	return must(problem.NewLinear(problem.NewRows(x, threads), append(y, 1), append(weight, 1), l, penalty.L2{}, 1e-5, bias))
}

// eager returns a run on p that works on faces after its first epochs.
func eager(p *problem.Linear) *sdca {
	s := SDCA{}.Start(p, solver.Start{Seed: 3}).(*sdca)
	for range 10 {
		s.Epoch()
	}
	s.wait = faceWait
	return s
}

// eachFlat calls do for every kind of problem that has faces.
func eachFlat(do func(name string, p func(threads int) *problem.Linear)) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Absolute{}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			do(fmt.Sprintf("%T/%v", l, bias), func(threads int) *problem.Linear { return slow(l, bias, threads) })
		}
	}
}

// TestFaceAscends: a face never lowers the dual, keeps u the combination of the
// rows that a says, and every dual variable in its domain. With a free bias it is
// the dual with the constraint's multiplier that rises: only the rest is asked.
func TestFaceAscends(t *testing.T) {
	eachFlat(func(name string, problemOf func(int) *problem.Linear) {
		p := problemOf(2)
		s, raised := eager(p), 0
		for range 60 {
			working := s.face != nil
			before, _ := p.Dual(s.a)
			s.Epoch()
			after, bound := p.Dual(s.a)
			if working && s.face == nil && after > before {
				raised++
			}
			if working && p.Bias != problem.Free && after < before-2*bound {
				t.Errorf("%s: the dual fell from %g to %g", name, before, after)
			}
		}
		if raised == 0 {
			t.Errorf("%s: no face raised the dual: nothing is tested", name)
		}
		v := make([]float64, len(s.a))
		for i, a := range s.a {
			if lo, hi := p.Loss.Domain(p.Y[i]); a < lo || a > hi {
				t.Fatalf("%s: a[%d] = %g outside [%g, %g]", name, i, a, lo, hi)
			}
			v[i] = p.S[i] * a
		}
		u, _ := p.Combine(v)
		d := len(u) - 1
		for j := range d {
			if want := -s.factor * u[j]; math.Abs(s.u[j]-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("%s: u[%d] = %g, the dual variables say %g", name, j, s.u[j], want)
			}
		}
		if want := -s.factor * u[d]; p.Bias == problem.Feature && math.Abs(s.u[d]-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("%s: the bias is %g, the dual variables say %g", name, s.u[d], want)
		}
		if math.Abs(s.sum-u[d]) > 1e-9*(1+math.Abs(u[d])) {
			t.Errorf("%s: the sum of the dual variables is %g, kept as %g", name, u[d], s.sum)
		}
	})
}

// TestFaceOptimum: with faces the run ends where SDCA alone does, with the
// hinge in fewer epochs, and with the same bits on any number of threads.
func TestFaceOptimum(t *testing.T) {
	const goal = 4e-9 // a third of it is the bound on rounding errors
	eachFlat(func(name string, problemOf func(int) *problem.Linear) {
		alone := SDCA{}.Start(problemOf(1), solver.Start{Seed: 3}).(*sdca)
		gap, epochs := 1.0, 0
		for ; gap > goal && epochs < 40000; epochs += 20 {
			for range 20 {
				alone.wait, alone.mark = 0, 0
				alone.Epoch()
			}
			gap = alone.p.Certify(alone.Point()).Relative()
		}
		want := alone.p.Certify(alone.Point())
		var first *solver.Solution
		for _, threads := range []int{1, 2, 5} {
			p := problemOf(threads)
			s := must(solver.Run(context.Background(), SDCA{}, p, solver.Options{Gap: goal, Epochs: 20000}))
			_, hinge := p.Loss.(loss.Hinge)
			if s.Status != solver.Converged || hinge && s.Epochs >= epochs {
				t.Errorf("%s: %s at gap %g after %d epochs, alone %g after %d", name, s.Status, s.Certificate.Relative(), s.Epochs, gap, epochs)
			}
			if c := s.Certificate; c.Dual > want.Primal || c.Primal < want.Dual || math.Abs(c.Primal-want.Primal) > 1e-8*want.Primal {
				t.Errorf("%s: primal %.17g, dual %.17g, alone %.17g and %.17g", name, c.Primal, c.Dual, want.Primal, want.Dual)
			}
			if first == nil {
				first = s
			} else if !slices.Equal(s.Point.W, first.Point.W) || !slices.Equal(s.Point.A, first.Point.A) {
				t.Errorf("%s: other bits with %d threads", name, threads)
			}
		}
	})
}

// TestFacePoint: a face goes on after a look at where it leads, and when it ends the
// estimate is the gap of the weights where it led.
func TestFacePoint(t *testing.T) {
	p := slow(loss.Hinge{}, problem.None, 2)
	s := eager(p)
	for s.face == nil {
		s.Epoch()
	}
	if s.Point(); s.face == nil || s.best == nil {
		t.Fatal("the look ended the face, or saw nothing of it")
	}
	for s.face != nil {
		if !s.Report().Exact {
			t.Fatal("the estimate does not follow the face at work")
		}
		s.Epoch()
	}
	primal, _ := p.Primal(s.best)
	dual, _ := p.Dual(s.a)
	if got, want := s.Report().Gap, problem.Relative(primal, dual, p.Zero()); math.Abs(got-want) > 1e-6*want || !s.Report().Exact {
		t.Errorf("the estimate after a face is %g, the gap %g; of the point: %v", got, want, s.Report().Exact)
	}
	if point := s.Point(); &point.W[0] != &s.best[0] {
		t.Error("the estimate is that of the weights where the face led, the point is another")
	}
}

// TestFaceVectors: nothing that an earlier face left is seen by the next.
func TestFaceVectors(t *testing.T) {
	var want []float64
	for _, left := range []float64{0, math.NaN()} {
		s := eager(slow(loss.Hinge{}, problem.Feature, 2))
		for range 16 {
			s.used = append(s.used, slices.Repeat([]float64{left}, len(s.u)))
		}
		f := s.newFace()
		for f.advance() {
		}
		w := make([]float64, len(s.u))
		f.lead(w)
		if want == nil {
			want = w
		} else if !slices.Equal(w, want) {
			t.Error("a face depends on what is left in its vectors")
		}
	}
}

// TestFaceRows: rows that a step of their own would put on a bound, and rows that
// are there, are not of the face; free rows with a step that stays free are.
func TestFaceRows(t *testing.T) {
	p := slow(loss.Hinge{}, problem.Feature, 2)
	s := eager(p)
	f := s.newFace()
	if f == nil {
		t.Fatal("no face")
	}
	of := map[uint32]bool{}
	for _, i := range f.rows {
		of[i] = true
	}
	kinds := map[bool]int{}
	d := len(s.u) - 1
	for i, a := range s.a {
		x := p.X.Row(i)
		q := p.S[i] * s.factor * (p.SquaredNorm[i] + s.beta)
		step, _ := loss.StepOf(p.Loss)
		after, _, _ := step(a, x.Dot(s.u[:d])+s.u[d], q, p.Y[i])
		want := s.inside(p.Y[i], a) && s.inside(p.Y[i], after)
		kinds[want]++
		if of[uint32(i)] != want {
			t.Errorf("row %d, from %g to %g by itself: of the face is %v", i, a, after, of[uint32(i)])
		}
	}
	if len(kinds) < 2 {
		t.Errorf("rows of the face and others: %v", kinds)
	}
}

// TestFaceRecurrences: the residual and the change of u by it, which follow from step
// to step, are what the steps so far make them.
func TestFaceRecurrences(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		f := eager(slow(loss.Hinge{}, bias, 2)).newFace()
		for f.steps < 12 && f.advance() {
		}
		w, r := make([]float64, len(f.ur)), make([]float64, len(f.rows))
		f.lead(w)
		f.predict(r, w, 0, len(r))
		for k, i := range f.rows {
			want := r[k] - f.e[k]*f.s.p.Y[i]
			if math.Abs(f.r[k]-want) > 1e-10*f.first {
				t.Fatalf("%v: after %d steps the residual of row %d is %g, kept as %g", bias, f.steps, i, want, f.r[k])
			}
		}
		change := make([]float64, len(f.ur))
		f.combine(change, f.r)
		size := math.Sqrt(vec.SquaredNorm64(change))
		for j, want := range change {
			if math.Abs(f.ur[j]-want) > 1e-9*size {
				t.Fatalf("%v: after %d steps the residual moves u[%d] by %g, kept as %g", bias, f.steps, j, want, f.ur[j])
			}
		}
	}
}

// TestFaceLeaves: no face where there is nothing to solve, or more free rows than
// columns.
func TestFaceLeaves(t *testing.T) {
	p := slow(loss.Hinge{}, problem.None, 1)
	s := SDCA{}.Start(p, solver.Start{Seed: 3}).(*sdca)
	if s.newFace() != nil {
		t.Error("a face without free rows")
	}
	dense := documents(loss.Hinge{}, problem.None, 1)
	s = SDCA{}.Start(dense, solver.Start{Seed: 3}).(*sdca)
	for i := range s.a {
		s.a[i] = -0.5 * dense.Y[i]
	}
	if f := s.newFace(); f != nil {
		t.Errorf("a face of %d rows in %d columns", len(f.rows), len(s.u)-1)
	}
}
