package dual

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// sharp is a problem on which the epochs of SDCA are slow, and faces too, with a run on it
// that never goes over to proximal unless that is wanted.
func sharp(l loss.Loss, pen penalty.Penalty, bias problem.Bias, threads int) *problem.Linear {
	const n = 1200
	p := sharpRows()
	all := p.X.(*matrix.CSR)
	end := all.Start[n]
	x := &matrix.CSR{Start: all.Start[:n+1], Index: all.Index[:end], Value: all.Value[:end], Cols: all.Cols}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = float64(1 + i%2)
	}
	return must(problem.NewLinear(problem.NewRows(x, threads), p.Y[:n], weights, l, pen, 1.0/(1000*n), bias))
}

var sharpRows = sync.OnceValue(func() *problem.Linear { return documents(loss.Hinge{}, problem.None, 1) })

// sharply is SDCA in one partition, whatever the gap that is asked for.
type sharply struct{ alone bool }

func (sharply) Accepts(p problem.Problem) error { return SDCA{}.Accepts(p) }

func (k sharply) Start(p problem.Problem, start solver.Start) solver.State {
	start.Gap = 0
	s := SDCA{}.Start(p, start).(*sdca)
	if k.alone {
		s.respite = math.Inf(1)
	}
	return s
}

// TestProximal: for every loss with corners, both penalties and every bias, SDCA that goes over
// to it gets to a gap for which SDCA alone takes more than twice the epochs, with the same bits
// for any number of threads.
func TestProximal(t *testing.T) {
	biases := []problem.Bias{problem.None, problem.Feature, problem.Free}
	for i, l := range []loss.Loss{loss.Hinge{}, loss.Absolute{}, loss.EpsilonInsensitive{Epsilon: 0.1}, loss.HuberHinge{Width: 0.1}} {
		for k, pen := range []penalty.Penalty{penalty.L2{}, penalty.ElasticNet{Ratio: 0.5}} {
			bias := biases[(i+k)%len(biases)]
			var first *solver.Solution
			for _, threads := range []int{1, 2} {
				s := must(solver.Run(context.Background(), sharply{}, sharp(l, pen, bias, threads), solver.Options{Gap: 1e-2, Epochs: 400}))
				if s.Status != solver.Converged {
					t.Errorf("%T, %T, %v: %s at %g after %d epochs", l, pen, bias, s.Status, s.Certificate.Relative(), s.Epochs)
				}
				if first == nil {
					first = s
				} else if !slices.Equal(s.Point.W, first.Point.W) || !slices.Equal(s.Point.A, first.Point.A) {
					t.Errorf("%T, %T, %v: other bits with %d threads", l, pen, bias, threads)
				}
			}
			alone := must(solver.Run(context.Background(), sharply{alone: true}, sharp(l, pen, bias, 1), solver.Options{Gap: 1e-2, Epochs: 2 * first.Epochs}))
			if alone.Status != solver.EpochLimit {
				t.Errorf("%T, %T, %v: alone %s after %d epochs, else %d", l, pen, bias, alone.Status, alone.Epochs, first.Epochs)
			}
		}
	}
}

// TestProximalEstimate: what it says of its point is what a certificate says, or with a corner of
// the penalty no less, and when it ends SDCA has that point.
func TestProximalEstimate(t *testing.T) {
	for _, pen := range []penalty.Penalty{penalty.L2{}, penalty.ElasticNet{Ratio: 0.5}} {
		p := sharp(loss.Hinge{}, pen, problem.Feature, 1)
		s, m := goneOver(p)
		for range 20 {
			s.Epoch()
			if estimate, gap := s.Report().Gap, p.Certify(s.Point()).Relative(); gap > estimate+1e-9 || m.corner == nil && gap < estimate-1e-9 {
				t.Fatalf("%T: estimate %g, gap %g", pen, estimate, gap)
			}
		}
		before := p.Certify(s.Point())
		for s.proximal != nil {
			s.Epoch()
		}
		if after := p.Certify(s.Point()); after.Relative() > before.Relative() {
			t.Errorf("%T: the gap grew from %g to %g", pen, before.Relative(), after.Relative())
		}
		if m.since != proximalWait && !m.stuck {
			t.Errorf("%T: ended %d steps after the gap was halved", pen, m.since)
		}
	}
}

// TestSDCAHeeds: a step of proximal makes hardly a product once a limit is reached, and the
// run has a point.
func TestSDCAHeeds(t *testing.T) {
	p := sharp(loss.Hinge{}, penalty.L2{}, problem.Feature, 1)
	asked, ends := 0, false
	s := SDCA{}.Start(p, solver.Start{Seed: 1, Over: func() bool { asked++; return ends }}).(*sdca)
	s.proximal = newProximal(s)
	most := 0
	for range 6 {
		asked = 0
		s.Epoch()
		most = max(most, asked)
	}
	if most < 5 {
		t.Fatalf("asked %d times in an epoch: this test shows nothing", most)
	}
	asked, ends = 0, true
	s.Epoch()
	if asked > 2 {
		t.Errorf("asked %d times although a limit was reached", asked)
	}
	if gap := p.Certify(s.Point()).Relative(); !(gap < 2) {
		t.Errorf("a gap of %g", gap)
	}
}

// TestProximalAgain: where it ended before the goal and the epochs stay slow, it takes over
// again, once they have worked as much, and begins no farther from the goal than it ended.
func TestProximalAgain(t *testing.T) {
	s := sharply{}.Start(sharp(loss.Hinge{}, penalty.ElasticNet{Ratio: 0.5}, problem.None, 1), solver.Start{Seed: 1}).(*sdca)
	for s.proximal == nil {
		s.Epoch()
	}
	first, at := s.proximal, s.epoch
	spent := 0.0
	for step := 0; s.proximal != nil; step++ {
		if step == 20 {
			first.since = proximalWait - 1
		}
		s.Epoch()
		spent += productNumber * (2 + first.products)
	}
	for s.proximal == nil && s.epoch < 2000 {
		s.Epoch()
	}
	if epochs := float64(s.epoch - at); epochs < spent || epochs > spent+faceTrial*faceWindow {
		t.Errorf("again after %g epochs, it took as long as %g", epochs, spent)
	}
	if second := s.proximal; second.upper > first.upper || second.lower < first.lower {
		t.Errorf("between %g and %g, it ended between %g and %g", second.lower, second.upper, first.lower, first.upper)
	}
	if s.best, s.primal = make([]float64, len(s.u)), 0; newProximal(s).upper > 0 {
		t.Error("it forgets the best weights")
	}
}

// TestProximalFree: with a free bias the estimate is a guess; the best stays, unless a run
// that was told of the goal goes on.
func TestProximalFree(t *testing.T) {
	for _, pen := range []penalty.Penalty{penalty.L2{}, penalty.ElasticNet{Ratio: 0.5}} {
		p := sharp(loss.Hinge{}, pen, problem.Free, 1)
		s, m := goneOver(p)
		s.conjugate = -2 * p.N // of dual variables that are not balanced
		if begin := newProximal(s); !(begin.lower < begin.upper) {
			t.Errorf("%T: begins at %g above %g", pen, begin.lower, begin.upper)
		}
		before, worse := m.lower, 0
		for s.Report().Gap > m.goal {
			s.Epoch()
			if m.lower < before {
				t.Fatalf("%T: the bound fell from %g to %g", pen, before, m.lower)
			}
			if m.lower == before {
				worse++
			}
			before = m.lower
		}
		if gap := p.Certify(s.Point()).Relative(); gap > 2*m.goal || worse == 0 {
			t.Errorf("%T: gap %g, after %d steps to worse bounds", pen, gap, worse)
		}
		m.lower = 2 * m.upper
		s.Point()
		if s.Epoch(); m.lower >= m.upper {
			t.Errorf("%T: a wrong guess stays, %g", pen, m.lower)
		}
	}
}

// goneOver returns SDCA that has just gone over to proximal.
func goneOver(p *problem.Linear) (*sdca, *proximal) {
	s := sharply{}.Start(p, solver.Start{Seed: 1}).(*sdca)
	for s.epoch < 10 {
		s.Epoch()
	}
	m := newProximal(s)
	s.proximal = m
	return s, m
}

// filled returns p with dense rows.
func filled(p *problem.Linear) *problem.Linear {
	n, d := p.Dims()
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		row := p.X.Row(i)
		for k, v := range row.Value {
			x.Value[i*d+row.Column(k)] = v
		}
	}
	q := *p
	q.Rows = problem.NewRows(x, p.Threads)
	return &q
}

// TestActiveRows: the rows that are taken have the predictions and the products that they
// have among all, and no column that none of them uses.
func TestActiveRows(t *testing.T) {
	sparse := documents(loss.EpsilonInsensitive{Epsilon: 0.1}, problem.Feature, 1)
	for _, p := range []*problem.Linear{sparse, filled(sparse)} {
		n, d := p.Dims()
		a, w, used := make([]float64, n), make([]float64, d+1), make([]bool, d)
		for j := range w {
			w[j] = float64(j%7) - 2.5
		}
		var rows []uint32
		for i := range a { // ends of ramps, and now and then a row between
			if a[i] = float64(i%3 - 1); i%500 == 9 {
				a[i] = 0.3
				rows = append(rows, uint32(i))
				for k := range p.X.Row(i).Nonzeros() {
					used[p.X.Row(i).Column(k)] = true
				}
			}
		}
		active := newActiveRows(p)
		for range 2 { // the second time in the memory of the first
			q, c := active.take(p, a, func(s float64) float64 { return 3 * s })
			g, room := active.gather(w)
			if !slices.Equal(active.row, rows) || len(c) != len(rows) || c[0] != 3*p.S[rows[0]] {
				t.Fatalf("rows %v with curvatures %v, want %v", active.row, c, rows)
			}
			prediction, all := make([]float64, len(rows)), make([]float64, n)
			q.Predict(prediction, g)
			p.Predict(all, w)
			for k, i := range rows {
				if math.Abs(prediction[k]-all[i]) > 1e-12 {
					t.Errorf("prediction %g, among all rows %g", prediction[k], all[i])
				}
			}
			for j := range room {
				room[j] = g[j]
			}
			back := make([]float64, d+1)
			active.scatter(back, room)
			for j, w := range w[:d] {
				if use := used[j] || p != sparse; use && back[j] != w || !use && back[j] != 0 {
					t.Errorf("column %d: %g of %g, in use is %v", j, back[j], w, use)
				}
			}
		}
	}
}
