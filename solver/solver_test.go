package solver

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/problem"
)

// page is a problem whose certificates the solver writes itself: the primal is
// W[0], the dual A[0], and the objective of zero is 100, above all points here.
type page struct{ certified int }

func (*page) Dims() (rows, cols int) { return 1, 0 }

func (p *page) Certify(pt problem.Point) problem.Certificate {
	p.certified++
	c := problem.Certificate{Primal: pt.W[0], Dual: math.Inf(-1), Zero: 100}
	if pt.A != nil {
		c.Dual = pt.A[0]
	}
	return c
}

// script is a solver whose primal and dual are functions of the epochs done.
type script struct {
	primal, dual func(epoch int) float64
	epoch        func(epoch int) // called by Epoch
	refusal      error
	start        Start // of the last run
	epochs       int
	w, a         [1]float64 // reused by every Point, as the law allows
}

func (s *script) Accepts(problem.Problem) error { return s.refusal }

func (s *script) Start(_ problem.Problem, start Start) State {
	s.start = start
	return s
}

func (s *script) Epoch() {
	s.epochs++
	if s.epoch != nil {
		s.epoch(s.epochs)
	}
}

func (s *script) Point() problem.Point {
	s.w[0] = s.primal(s.epochs)
	if s.dual == nil {
		return problem.Point{W: s.w[:]}
	}
	s.a[0] = s.dual(s.epochs)
	return problem.Point{W: s.w[:], A: s.a[:]}
}

func constant(x float64) func(int) float64 { return func(int) float64 { return x } }

// halving is 1 + 2^-epoch.
func halving(epoch int) float64 { return 1 + math.Ldexp(1, -epoch) }

func TestStatus(t *testing.T) {
	nap := func(int) { time.Sleep(time.Millisecond) }
	for _, c := range []struct {
		name   string
		script script
		opt    Options
		want   Status
		epochs int // -1: any
	}{
		// 2^-e <= 1e-3 (1+2^-e) from e = 10 on, and the looks follow the rate.
		{"converged", script{primal: halving, dual: constant(1)}, Options{}, Converged, -1},
		{"goal met on the last epoch", script{primal: constant(1), dual: constant(1)}, Options{Epochs: 1}, Converged, 1},
		{"epoch limit", script{primal: halving, dual: constant(1)}, Options{Epochs: 3}, EpochLimit, 3},
		{"epoch limit without a dual", script{primal: halving}, Options{Epochs: 5}, EpochLimit, 5},
		{"time limit", script{primal: constant(2), dual: constant(1), epoch: nap}, Options{Time: 5 * time.Millisecond}, TimeLimit, -1},
		{"stalled", script{primal: constant(2), dual: constant(1)}, Options{}, Stalled, -1},
		{"stalled without a dual", script{primal: constant(2)}, Options{}, Stalled, -1},
		{"NaN", script{primal: constant(math.NaN()), dual: constant(0)}, Options{}, Diverged, 1},
		{"infinite", script{primal: constant(math.Inf(1)), dual: constant(0)}, Options{}, Diverged, 1},
		{"grows", script{primal: func(e int) float64 { return math.Ldexp(1, 4*e) }, dual: constant(0)}, Options{}, Diverged, -1},
		// A tiny gap is not taken for the wrong sign of one.
		{"below", script{primal: constant(1), dual: constant(1 + 1e-15)}, Options{}, Converged, 1},
	} {
		sol, err := Run(context.Background(), &c.script, &page{}, c.opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if sol.Status != c.want || (c.epochs >= 0 && sol.Epochs != c.epochs) {
			t.Errorf("%s: %s after %d epochs, want %s after %d", c.name, sol.Status, sol.Epochs, c.want, c.epochs)
		}
		if sol.Epochs != c.script.epochs {
			t.Errorf("%s: reports %d epochs, made %d", c.name, sol.Epochs, c.script.epochs)
		}
	}
}

// TestOver: in the middle of an epoch the solver learns that the run was interrupted or
// that its time is over, and not before; no epoch follows.
func TestOver(t *testing.T) {
	for _, want := range []Status{Interrupted, TimeLimit} {
		ctx, cancel := context.WithCancel(context.Background())
		s, opt := &script{}, Options{Time: time.Hour}
		if want == TimeLimit {
			opt.Time = 10 * time.Millisecond
		}
		*s = script{primal: halving, dual: constant(0), epoch: func(int) {
			if want == Interrupted {
				if s.start.Over() {
					t.Error("over before the run was interrupted")
				}
				cancel()
				if !s.start.Over() {
					t.Error("not over though the run was interrupted")
				}
			}
			for !s.start.Over() { // or this test takes for ever
			}
		}}
		sol, err := Run(ctx, s, &page{}, opt)
		if err != nil || sol.Status != want || sol.Epochs != 1 || s.epochs != 1 {
			t.Errorf("got %+v, %v, want %s after 1 epoch", sol, err, want)
		}
		cancel()
	}
}

func TestInterruptedKeepsTheBestPoint(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &script{primal: halving, dual: constant(0), epoch: func(e int) {
		if e == 4 {
			cancel()
		}
	}}
	sol, err := Run(ctx, s, &page{}, Options{})
	if err != nil || sol.Status != Interrupted || sol.Epochs != 4 || sol.Point.W[0] != halving(4) {
		t.Errorf("got %+v, %v, want interrupted after 4 epochs with primal %g", sol, err, halving(4))
	}
	// Cancelled before it began: no epoch, but still a certified point.
	sol, err = Run(ctx, &script{primal: halving, dual: constant(0)}, &page{}, Options{})
	if err != nil || sol.Status != Interrupted || sol.Epochs != 0 || sol.Certificate.Primal != 2 {
		t.Errorf("got %+v, %v, want interrupted after 0 epochs with primal 2", sol, err)
	}
}

// TestBest has a primal that is best at epoch 3 and a dual that is best at
// epoch 2: the solution is both, though the last epochs are worse in both.
func TestBest(t *testing.T) {
	s := &script{
		primal: func(e int) float64 { return 2 + math.Abs(float64(e-3)) },
		dual:   func(e int) float64 { return 1 - math.Abs(float64(e-2)) },
	}
	p := &page{}
	var looks []int
	sol, err := Run(context.Background(), s, p, Options{Epochs: 8, Trace: func(at Progress) {
		looks = append(looks, at.Epoch)
		if at.Point.W[0] != at.Certificate.Primal || at.Certificate.Primal != s.primal(at.Epoch) {
			t.Errorf("epoch %d: traced primal %g of the point %v", at.Epoch, at.Certificate.Primal, at.Point)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if sol.Point.W[0] != 2 || sol.Point.A[0] != 1 || sol.Certificate.Primal != 2 || sol.Certificate.Dual != 1 {
		t.Errorf("best point %v with %+v, want primal 2 and dual 1", sol.Point, sol.Certificate)
	}
	if sol.Status != EpochLimit || looks[len(looks)-1] != 8 {
		t.Errorf("%s, looks %v, want the epoch limit and a look at epoch 8", sol.Status, looks)
	}
	// One certificate more than looks: the best point has parts of two.
	if p.certified != len(looks)+1 {
		t.Errorf("%d certificates for %d looks", p.certified, len(looks))
	}
}

// TestShort: what is returned was judged in single precision, unless that costs
// the gap, be it by a little or by much, and whether or not the solver knew that
// it was there. 1-3.1e-8 becomes 1-2^-24 = 1-5.96e-8; 1e300 becomes infinite.
func TestShort(t *testing.T) {
	for _, c := range []struct {
		name              string
		primal, dual, gap float64
		want              float64
	}{
		{"no harm", 1, 1 - 3.1e-8, 1e-7, 1 - 0x1p-24},
		{"it would cost the gap", 1, 1 - 3.1e-8, 4e-8, 1 - 3.1e-8},
		{"it would cost ten times the gap", 1 - 3e-8, 1 - 3.1e-8, 2e-9, 1 - 3.1e-8},
		{"too large", 1, -1e300, 1e301, -1e300},
	} {
		for _, knows := range []bool{false, true} {
			s := &script{primal: constant(c.primal), dual: constant(c.dual)}
			var solver Solver = s
			if knows {
				solver = oracle{s, constant(0)}
			}
			sol, err := Run(context.Background(), solver, &page{}, Options{Gap: c.gap, Short: true, Epochs: 9})
			if err != nil || sol.Status != Converged || sol.Point.A[0] != c.want || sol.Certificate.Dual != c.want {
				t.Errorf("%s, knows=%v: got %+v, %v, want the dual point %g", c.name, knows, sol, err, c.want)
				continue
			}
			if short := IsShort(sol.Point.A); short == (c.want == c.dual) {
				t.Errorf("%s, knows=%v: IsShort(%g) = %v", c.name, knows, sol.Point.A, short)
			}
			if s.a[0] != c.dual {
				t.Errorf("%s, knows=%v: the solver's own dual variables became %g", c.name, knows, s.a[0])
			}
		}
	}
}

// TestShortCosts: where an estimate is only a bit too small, a miss is one
// certificate, and so is a hit.
func TestShortCosts(t *testing.T) {
	s := &script{primal: halving, dual: func(e int) float64 { return 1 - math.Ldexp(1, -e) }}
	p, looks := &page{}, 0
	small := oracle{s, func(e int) float64 { return math.Ldexp(1, 1-e) / halving(e) / 1.5 }}
	sol, err := Run(context.Background(), small, p, Options{Gap: 0.1, Short: true, Trace: func(Progress) { looks++ }})
	if err != nil || sol.Status != Converged || looks < 2 || p.certified != looks {
		t.Errorf("got %+v, %v, %d certificates for %d looks, want one each", sol, err, p.certified, looks)
	}
}

// oracle is a script that says how large the gap is.
type oracle struct {
	*script
	estimate func(epoch int) float64
}

func (o oracle) Start(problem.Problem, Start) State { return o }

func (o oracle) Report() Report { return Report{Gap: o.estimate(o.epochs)} }

// TestSolutionOwnsItsPoint changes the solver's slices after the run.
func TestSolutionOwnsItsPoint(t *testing.T) {
	s := &script{primal: constant(1), dual: constant(1)}
	sol, err := Run(context.Background(), s, &page{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.w[0], s.a[0] = 77, 77
	if sol.Point.W[0] != 1 || sol.Point.A[0] != 1 {
		t.Errorf("the solution changed to %v with the solver", sol.Point)
	}
}

func TestFrom(t *testing.T) {
	point := func(w, a float64) *problem.Point { return &problem.Point{W: []float64{w}, A: []float64{a}} }
	for _, c := range []struct {
		name    string
		from    *problem.Point
		epochs  int // -1: some
		wantErr string
	}{
		{"nothing", nil, -1, ""},
		{"the answer", point(1, 1), 0, ""},
		{"near the answer", point(1.0005, 1), 0, ""},
		{"far from it", point(9, 0), -1, ""},
		{"without a dual", &problem.Point{W: []float64{1}}, -1, ""},
		{"too many weights", &problem.Point{W: make([]float64, 3)}, 0, "warm start: found 3 weights, expected 0 and the bias"},
		{"too many duals", &problem.Point{A: make([]float64, 2)}, 0, "warm start: found 2 dual variables, expected one for each of 1 rows"},
	} {
		s := &script{primal: halving, dual: constant(1)}
		sol, err := Run(context.Background(), s, &page{}, Options{From: c.from})
		if err != nil || c.wantErr != "" {
			if err == nil || err.Error() != c.wantErr {
				t.Errorf("%s: error %v, want %q", c.name, err, c.wantErr)
			}
			continue
		}
		if sol.Status != Converged || (sol.Epochs == 0) != (c.epochs == 0) {
			t.Errorf("%s: %s after %d epochs", c.name, sol.Status, sol.Epochs)
		}
	}
}

func TestRefused(t *testing.T) {
	reason := errors.New("no")
	sol, err := Run(context.Background(), &script{refusal: reason}, &page{}, Options{})
	if sol != nil || !errors.Is(err, reason) {
		t.Errorf("got %v, %v, want the solver's reason", sol, err)
	}
}

// TestTraceClock: the times only grow, and an epoch is training while a
// certificate is not.
func TestTraceClock(t *testing.T) {
	s := &script{primal: halving, dual: constant(1), epoch: func(int) { time.Sleep(time.Millisecond) }}
	var last Progress
	sol, err := Run(context.Background(), s, &page{}, Options{Trace: func(p Progress) {
		if p.Train < last.Train || p.Certify < last.Certify || p.Epoch <= last.Epoch {
			t.Errorf("progress went back: %+v after %+v", p, last)
		}
		last = p
		time.Sleep(2 * time.Millisecond) // the trace's own time is nobody's
	}})
	if err != nil {
		t.Fatal(err)
	}
	if least := time.Duration(sol.Epochs) * time.Millisecond; sol.Train < least || sol.Train != last.Train {
		t.Errorf("trained for %v, want at least %v", sol.Train, least)
	}
	if sol.Certify > sol.Train {
		t.Errorf("certified for %v, trained for %v: something is counted twice", sol.Certify, sol.Train)
	}
}

// TestScheduleCounts derives the looks by hand: 0, 1, then a quarter of the
// epochs on while there is no rate, and later when the rate says so.
func TestScheduleCounts(t *testing.T) {
	for _, c := range []struct {
		name string
		gap  func(epoch int) float64
		want string
	}{
		// No progress: the next look is max(1, epoch/4) epochs on.
		{"none", constant(1), "1 2 3 4 5 6 7 8 10 12 15 18 22 27"},
		// 2^-e: at epochs 1 and 2 the rate is one halving per epoch; to 1e-3 it
		// takes ceil(1.05 (9.97-2)) = 9 more, but at most half as many again;
		// from 9 it takes ceil(1.05 (9.97-9)) = 2 more.
		{"halving", func(e int) float64 { return math.Ldexp(1, -e) }, "1 2 3 4 6 9 11"},
	} {
		var got []string
		s, epoch := schedule{}, 0
		for range 14 {
			epoch = s.next()
			got = append(got, strconv.Itoa(epoch))
			s.record(epoch, proof(c.gap(epoch)), 1e-3)
			if c.gap(epoch) <= 1e-3 {
				break
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: looks at %s, want %s", c.name, text, c.want)
		}
	}
}

// TestEstimateIsBelieved: an estimate that is right, or wrong by a constant
// factor, asks for few certificates and for one soon after the goal is met; one
// that always promises the goal, or never, costs a bounded number.
func TestEstimateIsBelieved(t *testing.T) {
	gap := func(e int) float64 { return math.Pow(0.8, float64(e)) } // 1e-3 from epoch 31
	for _, c := range []struct {
		name     string
		estimate func(e int) float64
		looks    int // at most
		epoch    int // of the last, at most
	}{
		{"exact", gap, 3, 31},
		{"half", func(e int) float64 { return gap(e) / 2 }, 4, 33},
		{"twice", func(e int) float64 { return gap(e) * 2 }, 4, 33},
		{"always there", constant(0), 31, 31},
		{"nine times", func(e int) float64 { return gap(e) * 9 }, 2, 33},
		{"never there", constant(1), 1, 128},
		{"exact, of the point", gap, 1, 31},
		{"never there, of the point", constant(1), 1, 32},
	} {
		s, looks, epoch := schedule{goal: 1e-3}, 0, 0
		for s.gap > s.goal || looks == 0 {
			epoch++
			if s.due(epoch, c.estimate(epoch), strings.HasSuffix(c.name, "of the point")) {
				looks++
				s.record(epoch, proof(gap(epoch)), s.goal)
			}
		}
		if looks > c.looks || epoch > c.epoch {
			t.Errorf("%s: %d looks until epoch %d, want at most %d until %d", c.name, looks, epoch, c.looks, c.epoch)
		}
	}
}

// TestPresentCanChange: an estimate of the point is taken as it is however suddenly it
// fell, and what another exceeded says nothing of it; what a look teaches the state is
// no trend, and no excess.
func TestPresentCanChange(t *testing.T) {
	met := func() *schedule { // estimates of what was met, far from the goal, and a look
		s := &schedule{goal: 1e-3}
		for epoch, estimate := range []float64{0.5, 0.4} {
			if s.due(epoch+1, estimate, false) {
				t.Fatalf("a look at an estimate of %g", estimate)
			}
		}
		return s
	}
	s := met()
	s.record(2, proof(0.8), s.goal) // twice what was expected, and more
	if s.due(3, 1.1e-3, true) {
		t.Error("a look at an estimate of the point that misses the goal")
	}
	if !s.due(4, 0.9e-3, true) {
		t.Error("no look at an estimate of the point that meets the goal")
	}
	s = met()
	s.revise(0.04)
	s.record(2, proof(0.032), s.goal)
	if s.due(3, 3e-3, false) != true || math.Abs(s.excess-1) > 1e-9 {
		t.Errorf("a tenth of the estimate was confirmed, then it fell to 3e-3 as it fell before: no look; excess %g", s.excess)
	}
	s = met()
	s.revise(0.004)
	s.record(2, proof(0.0032), s.goal)
	if s.due(3, 0.0039, false) {
		t.Error("what the look taught is taken for a trend")
	}
}

// TestPresentCountsAnew: how long a run took before its estimates were of the point does not
// delay the looks that these promise, as where another solver goes on.
func TestPresentCountsAnew(t *testing.T) {
	s := &schedule{goal: 1e-3}
	for epoch := 1; epoch <= 512; epoch++ {
		if s.due(epoch, 0.5, false) {
			s.record(epoch, proof(0.5), s.goal)
		}
	}
	for epoch := 513; epoch <= 520; epoch++ {
		if !s.due(epoch, 1e-4, true) {
			t.Errorf("epoch %d: no look", epoch)
		}
		s.record(epoch, proof(2e-3), s.goal)
		s.excess = 1 // whatever it missed
	}
}

// TestStartGap: a solver is told which gap is asked for.
func TestStartGap(t *testing.T) {
	for gap, want := range map[float64]float64{0: DefaultGap, 1e-5: 1e-5} {
		s := &script{primal: halving}
		if _, err := Run(t.Context(), s, &page{}, Options{Gap: gap, Epochs: 1}); err != nil {
			t.Fatal(err)
		}
		if s.start.Gap != want {
			t.Errorf("asked for %g, told %g", gap, s.start.Gap)
		}
	}
}

// TestOneFallIsNoTrend: estimates that fell slowly and then once by far, though not to
// the goal, are not expected to fall as far again; those that always did are.
func TestOneFallIsNoTrend(t *testing.T) {
	s := &schedule{goal: 1e-3}
	for epoch := 1; epoch <= 20; epoch++ {
		if s.due(epoch, math.Pow(0.9, float64(epoch)), false) {
			t.Fatalf("a look after epoch %d", epoch)
		}
	}
	if s.due(21, 2e-3, false) {
		t.Error("a look where one estimate was a sixtieth of the one before")
	}
	s = &schedule{goal: 1e-3}
	if s.due(1, 0.1, false) || !s.due(2, 5e-3, false) {
		t.Error("no look where all estimates fall to a twentieth of the one before")
	}
}

// TestScheduleIsBounded: whatever the gaps are, the next look is at least one
// epoch on and at most max(1, epoch/2).
func TestScheduleIsBounded(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, before := range []float64{0, 1e-300, 1e-9, 1, inf, nan} {
		for _, gap := range []float64{0, 1e-300, 1e-9, 0.999, 1, inf, nan} {
			for _, goal := range []float64{1e-300, 1e-9, 0.5, 2} {
				for _, epoch := range []int{1, 2, 10, 1000} {
					s := schedule{}
					s.record(max(epoch/2, 1), proof(before), goal)
					s.record(epoch, proof(gap), goal)
					if next := s.next(); next <= epoch || next > epoch+max(1, epoch/2) {
						t.Errorf("gaps %g, %g, goal %g: from %d to %d", before, gap, goal, epoch, next)
					}
				}
			}
		}
	}
}

// TestStalled: a gap that falls by a tenth each time the epochs quadruple is
// progress, one that does not is none, but only after a thousand epochs, and
// more on fewer than 200 rows.
func TestStalled(t *testing.T) {
	for _, c := range []struct {
		name string
		gap  func(epoch int) float64
		want bool
	}{
		{"constant", constant(1), true},
		{"infinite", constant(math.Inf(1)), true},
		{"like 1/sqrt(epoch)", func(e int) float64 { return 1 / math.Sqrt(float64(e)) }, false},
		// It rests from 3^k to 3^(k+1): thousands of epochs, but not four times.
		{"in steps", func(e int) float64 { return math.Pow(10, -math.Floor(math.Log(float64(e))/math.Log(3)+1e-9)) }, false},
		{"floor at 1e-9", func(e int) float64 { return math.Max(1e-9, math.Ldexp(1, -e)) }, true},
	} {
		s, stalled, epoch := schedule{rows: 100}, false, 0
		for epoch < 100000 && !stalled {
			epoch = s.next()
			s.record(epoch, proof(c.gap(epoch)), 1e-12)
			stalled = s.stalled()
		}
		if stalled != c.want || stalled && epoch < 2000 {
			t.Errorf("%s: stalled is %v at epoch %d, want %v", c.name, stalled, epoch, c.want)
		}
	}
}

// proof is a certificate with that relative gap, for gaps up to 2.
func proof(gap float64) problem.Certificate {
	return problem.Certificate{Primal: 1, Dual: 1 - gap, Zero: 1}
}

// TestARisingBoundIsProgress: near a relative gap of 1 a lower bound may double
// without moving the gap by a tenth. That is no stall.
func TestARisingBoundIsProgress(t *testing.T) {
	s := schedule{rows: 1 << 20}
	dual := 0.001
	for epoch := 1; epoch < 1<<14; epoch = epoch*3/2 + 1 {
		s.record(epoch, problem.Certificate{Primal: 1, Dual: dual, Zero: 1}, 1e-3)
		if s.stalled() {
			t.Fatalf("stalled at epoch %d, although the bound rose to %g", epoch, dual)
		}
		dual *= 1.2
	}
}

// TestZeroIsBetterThanNothing: a run that is cut short at points worse than
// zero returns the zero point.
func TestZeroIsBetterThanNothing(t *testing.T) {
	sol, err := Run(context.Background(), &script{primal: constant(500), dual: constant(-1)}, &page{}, Options{Epochs: 3})
	if err != nil || sol.Status != EpochLimit || sol.Point.W[0] != 0 {
		t.Errorf("got %+v, %v; want the zero point at the epoch limit", sol, err)
	}
}

// blind is a solver without a proof.
type blind struct{ *script }

func (blind) Traits() Traits { return Traits{Passes: 3} }

// TestUnproved: a run without a proof ends by itself, at its last point, though
// earlier ones, and zero, had a lower objective.
func TestUnproved(t *testing.T) {
	for _, c := range []struct{ epochs, want int }{{0, 3}, {5, 5}} {
		s := blind{&script{primal: func(e int) float64 { return 200 + float64(e) }}}
		sol, err := Run(context.Background(), s, &page{}, Options{Epochs: c.epochs})
		if err != nil || sol.Status != EpochLimit || sol.Epochs != c.want || sol.Point.W[0] != 200+float64(c.want) || sol.Point.A != nil {
			t.Errorf("got %+v, %v, expected the point of epoch %d", sol, err, c.want)
		}
	}
}

// runner is a solver whose runs all begin anew, with an estimate that promises nothing.
type runner struct {
	primal func(epoch int) float64
	starts int
}

func (*runner) Accepts(problem.Problem) error { return nil }

func (s *runner) Start(problem.Problem, Start) State {
	s.starts++
	return oracle{&script{primal: s.primal, dual: constant(1)}, constant(1)}
}

// TestRetrace: what a run had reached before it was lost, unseen, is found again, and
// may be what was asked for; where every point was seen nothing is made again.
func TestRetrace(t *testing.T) {
	nan := math.NaN()
	lostFrom := func(lost int, primal func(int) float64) func(int) float64 {
		return func(e int) float64 {
			if e >= lost {
				return nan
			}
			return primal(e)
		}
	}
	for _, c := range []struct {
		name           string
		solver         runner
		opt            Options
		want           Status
		primal         float64
		epochs, starts int // -1: any
	}{
		{"best before", runner{primal: lostFrom(20, func(e int) float64 { return 1.5 + math.Abs(float64(e-9)) })}, Options{}, Diverged, 1.5, -1, 2},
		{"goal on the way", runner{primal: lostFrom(20, func(e int) float64 { return 1 + math.Abs(float64(e-9)) })}, Options{}, Converged, 1, -1, 2},
		{"lost to a number", runner{primal: func(e int) float64 {
			if e >= 20 {
				return 1e30
			}
			return 1 + math.Abs(float64(e-9))
		}}, Options{}, Converged, 1, -1, 2},
		{"lost at once", runner{primal: constant(nan)}, Options{Epochs: 1}, Diverged, 0, 1, 1},
		{"within the limit", runner{primal: lostFrom(20, halving)}, Options{Epochs: 136}, Diverged, halving(8), 136, 2},
	} {
		sol, err := Run(context.Background(), &c.solver, &page{}, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if sol.Status != c.want || sol.Certificate.Primal != c.primal || c.solver.starts != c.starts || c.epochs >= 0 && sol.Epochs != c.epochs {
			t.Errorf("%s: %s at %g after %d epochs and %d starts, expected %s at %g after %d and %d",
				c.name, sol.Status, sol.Certificate.Primal, sol.Epochs, c.solver.starts, c.want, c.primal, c.epochs, c.starts)
		}
	}
}
