package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// correlated is a problem of which each column is nearly the one before it: dual ascent
// needs thousands of epochs for small lambda.
func correlated(l loss.Loss, lambda float64, threads int) *problem.Linear {
	const n, d, share = 430, 155, 0.99
	r := rand.New(rand.NewPCG(3, 5))
	x, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]float64, n)
	for i := range n {
		before, score := 0.0, 0.3*r.NormFloat64()
		for j := range d {
			before = share*before + math.Sqrt(1-share*share)*r.NormFloat64()
			x.Value[i*d+j] = float32(before)
			score += before * math.Cos(float64(j))
		}
		y[i] = math.Copysign(1, score)
	}
	return must(problem.NewLinear(problem.NewRows(x, threads), y, nil, l, penalty.L2{}, lambda, problem.None))
}

// handedOver runs s, and returns the epochs after which another solver went on.
func handedOver(s *relay, goal float64) (at []int) {
	for epoch := range 20000 {
		before := s.now
		if s.Epoch(); s.now != before {
			at = append(at, epoch)
		}
		if s.Report().Gap <= goal {
			break
		}
	}
	return at
}

// TestRelayHandsOver: Newton's method takes over where dual ascent is slow, at the same
// epoch and with the same bits on any number of threads.
func TestRelayHandsOver(t *testing.T) {
	for _, l := range []loss.Loss{loss.Logistic{}, loss.SquaredHinge{}, loss.Hinge{}} {
		p := correlated(l, 1e-2/430, 1)
		opt := solver.Options{Gap: 1e-4, Epochs: 20000, Seed: 3}
		optimum := must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-9})).Certificate
		var first *solver.Solution
		var at []int // epochs
		for _, threads := range []int{1, 3} {
			p := correlated(l, 1e-2/430, threads)
			sol := must(solver.Run(context.Background(), Relay{Second: Newton{}}, p, opt))
			c := p.Certify(sol.Point)
			if sol.Status != solver.Converged || c.Relative() > 1e-4 || c.Primal < optimum.Dual || c.Dual > optimum.Primal {
				t.Errorf("%T: %s with %+v, the optimum is %+v", l, sol.Status, c, optimum)
			}
			over := handedOver(Relay{Second: Newton{}}.Start(p, solver.Start{Gap: 1e-4, Seed: 3}).(*relay), 1e-4)
			if first == nil {
				first, at = sol, over
			}
			if len(over) != 1 || !slices.Equal(over, at) || sol.Epochs != first.Epochs || !slices.Equal(sol.Point.W, first.Point.W) || !slices.Equal(sol.Point.A, first.Point.A) {
				t.Errorf("%T on %d threads: handed over after %v epochs of %d, on one after %v of %d; or other bits", l, threads, over, sol.Epochs, at, first.Epochs)
			}
		}
		if _, cornered := l.(loss.Cornered); cornered { // proximal brings dual ascent on, too
			continue
		}
		alone := must(solver.Run(context.Background(), SDCA{}, p, solver.Options{Gap: opt.Gap, Epochs: 10 * first.Epochs, Seed: opt.Seed}))
		if alone.Status == solver.Converged {
			t.Errorf("%T: %d epochs, dual ascent alone %d", l, first.Epochs, alone.Epochs)
		}
	}
}

// TestRelayColumns: with elastic-net CD takes over.
func TestRelayColumns(t *testing.T) {
	p := correlated(loss.Logistic{}, 0.1/430, 1)
	p.Penalty = must(penalty.New("elastic-net"))
	s := must(New("sdca+cd"))
	over := handedOver(s.Start(p, solver.Start{Seed: 3, Gap: 1e-3}).(*relay), 1e-3)
	sol := must(solver.Run(context.Background(), s, p, solver.Options{Epochs: 2000, Seed: 3}))
	if c := p.Certify(sol.Point); len(over) != 1 || sol.Status != solver.Converged || c.Relative() > 1e-3 {
		t.Errorf("handed over after %v epochs of %d: %s with a gap of %g", over, sol.Epochs, sol.Status, c.Relative())
	}
}

// TestRelayStays: where dual ascent gets on, the run is that of dual ascent.
func TestRelayStays(t *testing.T) {
	for _, l := range []loss.Loss{loss.Logistic{}, loss.Hinge{}, loss.SquaredHinge{}} {
		p, opt := documents(l, problem.Free, 2), solver.Options{Gap: 1e-3, Seed: 2}
		sol, alone := must(solver.Run(context.Background(), Relay{Second: Newton{}}, p, opt)), must(solver.Run(context.Background(), SDCA{}, p, opt))
		if sol.Status != solver.Converged || sol.Epochs != alone.Epochs || !slices.Equal(sol.Point.W, alone.Point.W) || !slices.Equal(sol.Point.A, alone.Point.A) {
			t.Errorf("%T: %s after %d epochs, dual ascent alone after %d", l, sol.Status, sol.Epochs, alone.Epochs)
		}
	}
}

// TestRelayLimits: a run that is cut short right after it was handed over returns the
// point of dual ascent, and hears its limits.
func TestRelayLimits(t *testing.T) {
	p := correlated(loss.Logistic{}, 1e-2/430, 1)
	at := handedOver(Relay{Second: Newton{}}.Start(p, solver.Start{Gap: 1e-9}).(*relay), 1e-9)[0]
	short := must(solver.Run(context.Background(), Relay{Second: Newton{}}, p, solver.Options{Gap: 1e-9, Epochs: at + 1}))
	alone := must(solver.Run(context.Background(), SDCA{}, p, solver.Options{Gap: 1e-9, Epochs: at}))
	if short.Status != solver.EpochLimit || short.Epochs != at+1 || short.Certificate.Relative() > 1.0001*alone.Certificate.Relative() {
		t.Errorf("%s with %g after %d epochs, dual ascent %g after %d", short.Status, short.Certificate.Relative(), short.Epochs, alone.Certificate.Relative(), at)
	}
	if sol := must(solver.Run(context.Background(), Relay{Second: Newton{}}, p, solver.Options{Gap: 1e-9, Time: 1})); sol.Status != solver.TimeLimit {
		t.Errorf("%s, want %s", sol.Status, solver.TimeLimit)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if sol := must(solver.Run(ctx, Relay{Second: Newton{}}, p, solver.Options{Gap: 1e-9})); sol.Status != solver.Interrupted {
		t.Errorf("%s, want %s", sol.Status, solver.Interrupted)
	}
}

// TestRelayHeeds: a second that a limit cuts short at its start leaves the point to dual ascent.
func TestRelayHeeds(t *testing.T) {
	asked := 0
	over := func() bool { asked++; return true }
	s := Relay{Second: CD{}}.Start(generate(loss.Logistic{}, "elastic-net", problem.Free, 300, 8, false), solver.Start{Seed: 1, Over: over}).(*relay)
	s.Epoch()
	if asked != 0 {
		t.Errorf("asked %d times before it was handed over", asked)
	}
	want := slices.Clone(s.Point().W)
	s.now.note(s.Report().Gap)
	s.now.left = s.usual
	s.handOver()
	s.Epoch()
	if asked == 0 || s.now.Reporter.(*cd).columns != nil {
		t.Errorf("after %d questions the second began all the same", asked)
	}
	if got := s.Point().W; !slices.Equal(got, want) {
		t.Errorf("found %v, expected the point of dual ascent, %v", got, want)
	}
}

// TestRelayWarm: both solvers begin at the point that is given.
func TestRelayWarm(t *testing.T) {
	p := correlated(loss.Logistic{}, 1e-2/430, 1)
	cold := must(solver.Run(context.Background(), Relay{Second: Newton{}}, p, solver.Options{Gap: 1e-6}))
	for gap, most := range map[float64]int{1e-5: 0, 1e-8: cold.Epochs} {
		warm := must(solver.Run(context.Background(), Relay{Second: Newton{}}, p, solver.Options{Gap: gap, From: &cold.Point}))
		if warm.Status != solver.Converged || warm.Epochs > most {
			t.Errorf("from a gap of 1e-6 to %g: %s after %d epochs, want at most %d", gap, warm.Status, warm.Epochs, most)
		}
	}
	from := slices.Clone(cold.Point.W)
	for j := range from {
		from[j] /= 2
	}
	s := Relay{Second: Newton{}}.Start(p, solver.Start{Gap: 1e-6, From: &problem.Point{W: from}, Seed: 1}).(*relay)
	if w := s.other.begin().Point().W; !slices.Equal(w, from) {
		t.Error("Newton's method does not begin at the given weights")
	}
}

// scripted is a run whose estimates are given.
type scripted struct {
	estimate []float64
	epoch    int
}

func (s *scripted) Epoch() { s.epoch++ }
func (s *scripted) Report() solver.Report {
	return solver.Report{Gap: s.estimate[min(s.epoch, len(s.estimate))-1], Exact: true}
}
func (s *scripted) Point() problem.Point { return problem.Point{W: s.estimate[:1]} }
func (s *scripted) leg(work float64) *leg {
	return &leg{Reporter: s, epoch: func() float64 { s.Epoch(); return work }}
}

// TestRelayLost: when Newton's method is lost, dual ascent goes on, for good.
func TestRelayLost(t *testing.T) {
	ascent, newton := &scripted{estimate: []float64{0.5}}, &scripted{estimate: []float64{math.NaN()}}
	s := &relay{goal: 1e-3, usual: 20, patience: 0.6, share: relayShare, now: ascent.leg(1)}
	s.other = &leg{left: 20, begin: func() *leg { return newton.leg(1) }}
	for range 10 {
		s.Epoch()
	}
	if newton.epoch == 0 {
		t.Fatal("it was never handed over")
	}
	before := newton.epoch
	if w := s.Point().W; w[0] != 0.5 {
		t.Errorf("found the point %v", w)
	}
	for range 1000 {
		s.Epoch()
	}
	if newton.epoch != before {
		t.Error("it went on")
	}
}

// falling is an estimate that falls so from 0.5 on, epoch by epoch.
func falling(by float64) (gap []float64) {
	for x := 0.5; len(gap) < 2000; x *= by {
		gap = append(gap, x)
	}
	return gap
}

// TestRelayTrial: dual ascent that stands at first, as where rows are few and dense, is not
// asked before a tenth of a usual run of the other, and after it is.
func TestRelayTrial(t *testing.T) {
	for stands, want := range map[int]int{9: 0, 11: 1} {
		ascent := &scripted{estimate: append(slices.Repeat([]float64{1}, stands), falling(0.5)...)}
		newton := &scripted{estimate: falling(0.1)}
		s := &relay{goal: 1e-3, usual: 100, patience: 100 * relayTrial, share: relayShare, now: ascent.leg(1)}
		s.other = &leg{left: 100, begin: func() *leg { return newton.leg(1) }}
		if at := handedOver(s, s.goal); len(at) != want {
			t.Errorf("stands for %d epochs: changes at %v, want %d", stands, at, want)
		}
	}
}

// TestRelayLooks: where rows use more columns than there are rows, a usual run is longer by
// the square of that; which is looked at once, and only if it would hand over.
func TestRelayLooks(t *testing.T) {
	const n, words = 40, 12 // every fourth row: 120 columns, three times n
	x, y := &matrix.CSR{Cols: mostColumns + 1}, make([]float64, n)
	for i := range n {
		var index []uint32
		for k := range words {
			index = append(index, uint32(i*words+k))
		}
		x.Append(index, make([]float32, words))
		y[i] = float64(1 - i%2*2)
	}
	p := must(problem.NewLinear(problem.NewRows(x, 1), y, nil, loss.Logistic{}, penalty.L2{}, 1, problem.None))
	for _, c := range []struct {
		by     float64 // how dual ascent gets on
		unseen bool
		left   float64
	}{{0.5, true, 20}, {0.9, false, 180}} {
		ascent, newton := &scripted{estimate: falling(c.by)}, &scripted{estimate: falling(0.1)}
		s := &relay{p: p, goal: 1e-3, usual: 20, patience: 0.6, share: relayShare, unseen: true, now: ascent.leg(1)}
		s.other = &leg{left: 20, begin: func() *leg { return newton.leg(1) }}
		for s.Epoch(); s.Report().Gap > s.goal; {
			s.Epoch()
		}
		if s.patience != 0.03*s.usual || s.usual != c.left {
			t.Errorf("falling by %g: a usual run of %g, asked after %g", c.by, s.usual, s.patience)
		}
		if newton.epoch > 0 || s.unseen != c.unseen || s.other.left != c.left {
			t.Errorf("falling by %g: %d epochs of Newton's method, unseen %t, expected work %g, want 0, %t and %g", c.by, newton.epoch, s.unseen, s.other.left, c.unseen, c.left)
		}
	}
}

// TestRelayRule: who goes on as it should keeps the run however slow it began, who does
// not hands over, and gets the run back if the other is slower still.
func TestRelayRule(t *testing.T) {
	for name, c := range map[string]struct {
		ascent, newton []float64
		want           []int // epochs with a change
	}{
		"ascent is fast":          {falling(0.5), falling(0.1), nil},
		"ascent is hopeless":      {falling(0.99), falling(0.1), []int{2}},
		"ascent is slow":          {falling(0.9), falling(0.1), []int{4}},
		"ascent is hardly slower": {falling(0.81), falling(0.1), []int{10}},
		"ascent is as slow":       {falling(0.77), falling(0.1), nil},
		"both are slow":           {falling(0.93), falling(0.99), []int{3, 45}},
		"neither gets on":         {falling(1), falling(1), []int{2, 403, 1204}},
		"ascent stands":           {append(falling(0.5)[:3], 0.125), falling(0.1), []int{7}},
		"newton comes late":       {falling(0.9), append(falling(0.94)[:40], 1e-4), []int{4}},
		"newton ends":             {falling(0.9), []float64{0.9, 0.8, 0}, []int{4, 32}},
		"nearly there":            {[]float64{0.5, 0.1, 0.004, 0.003, 0.0022, 0.0016, 0.0012, 0.0009}, falling(0.1), nil},
	} {
		ascent, newton := &scripted{estimate: c.ascent}, &scripted{estimate: c.newton}
		s := &relay{goal: 1e-3, usual: 20, patience: 0.6, share: relayShare, now: ascent.leg(1)}
		s.other = &leg{left: 20, begin: func() *leg { return newton.leg(1) }}
		var got []int
		for epoch := range 1500 {
			before := s.now
			if s.Epoch(); s.now != before {
				got = append(got, epoch)
			}
			if gap := s.now.Report().Gap; gap > 0 && gap <= s.goal { // 0: it ends, unproved
				break
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: changes at %v, want %v", name, got, c.want)
		}
		if best := s.Point().W[0]; best != c.ascent[0] && best != c.newton[0] {
			t.Errorf("%s: a point of nobody", name)
		}
	}
}
