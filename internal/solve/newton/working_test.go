package newton

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// cornered lists losses of one ramp and two, with and without width.
var cornered = []string{"hinge", "huber-hinge:width=0.5", "absolute", "huber", "epsilon-insensitive:epsilon=0.2"}

// Epoch is an epoch of the method with all rows, the slow twin of working.
func (s *interior) Epoch() {
	if s.mean > s.end {
		s.step(s.direction())
	}
}

// TestWorkingSet: with most rows left out the answer is that of the method with all
// rows, estimates are what is certified, and threads change no bit. Enough rows for
// a sample.
func TestWorkingSet(t *testing.T) {
	for _, spec := range cornered {
		l := must(loss.New(spec)).(loss.Cornered)
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			for _, lambda := range []float64{1e-2, 1e-5} {
				p := draw.Problem(l, "l2", bias, 5000, 12, bias == problem.Feature)
				p.Lambda = lambda
				s, two := newWorking(p, l, nil, 0), newWorking(p, l, nil, 0)
				all := newInterior(p, l, make([]float64, 13), 0)
				fewest := 5000
				for range 40 {
					p.Threads = 1
					s.Epoch()
					if s.near != nil {
						fewest = min(fewest, len(s.near))
					}
					all.Epoch()
					p.Threads = 2
					two.Epoch()
				}
				estimate, point := s.Report().Gap, s.Point()
				if !slices.Equal(point.W, two.w) {
					t.Errorf("%s, bias %v, lambda %g: two threads give other bits", spec, bias, lambda)
				}
				c := p.Certify(point)
				if c.Relative() > 1e-9 || estimate > 1e-9 {
					t.Errorf("%s, bias %v, lambda %g: relative gap %g, estimated %g", spec, bias, lambda, c.Relative(), estimate)
				}
				for j, w := range all.w {
					if math.Abs(w-s.w[j]) > 1e-4*(1+math.Abs(w)) {
						t.Errorf("%s, bias %v, lambda %g: w_%d = %v, with all rows %v", spec, bias, lambda, j, s.w[j], w)
					}
				}
				if fewest > 2500 && spec != "huber" {
					t.Errorf("%s, bias %v, lambda %g: %d of 5000 rows at least", spec, bias, lambda, fewest)
				}
			}
		}
	}
}

// TestBeside: beside its ramps a loss is the line l(p) = a p - l*(a) through the
// prediction.
func TestBeside(t *testing.T) {
	for _, spec := range cornered {
		l := must(loss.New(spec)).(loss.Cornered)
		s := newWorking(draw.Problem(l, "l2", problem.Free, 20, 3, false), l, nil, 0)
		for _, y := range []float64{-1, 1} {
			c := s.inner.corners.of(y)
			for k := range 200 {
				p := 0.05*float64(k) - 5.01
				beside := true
				for j := range s.inner.ramps {
					q := p - c.at - s.inner.ramps[j].shift
					beside = beside && (q < 0 || q > s.inner.ramps[j].end())
				}
				rise, value, size := s.beside(y, p-c.at)
				a := c.slope + rise
				line := a*p - l.Conjugate(a, y)
				ramped := c.value + c.slope*(p-c.at) + value
				if beside && (math.Abs(line-l.Value(p, y)) > 1e-12 || math.Abs(ramped-l.Value(p, y)) > 1e-12 || size != math.Abs(a)) {
					t.Errorf("%s, y = %v: the line is %v at %v, by its ramps %v, the loss %v, the slope %v is %v long", spec, y, line, p, ramped, l.Value(p, y), a, size)
				}
			}
		}
	}
}

// TestMet: who goes too far is found, whatever block it is in and whoever cannot move.
func TestMet(t *testing.T) {
	r := rand.New(rand.NewPCG(66, 1))
	n := 5*parts.BlockRows + 7
	s := &working{p: &problem.Linear{Rows: &problem.Rows{Threads: 2}}, ramps: newRamps(loss.Hinge{}, 0),
		away: make([]float64, n), row: make([]float64, n)}
	for i := range s.away {
		if s.away[i] = 1 + r.Float64(); i%3 == 0 {
			s.away[i] = math.Inf(1) // is in already
		}
		s.row[i] = 0.5 * r.NormFloat64()
	}
	clear(s.row[parts.BlockRows : 2*parts.BlockRows])
	for _, share := range []float64{0.5, 0.9, 1.2} {
		var want []uint32
		worst := 0.0
		for i, q := range s.away {
			worst = max(worst, -s.row[i]/q)
			if -s.row[i] > share*q {
				want = append(want, uint32(i))
			}
		}
		all, most := s.worst()
		if got := s.met(share, most); all != worst || !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("share %g: %d rows of at most %g, expected %d of %g", share, len(got), all, len(want), worst)
		}
	}
}

// TestJoinedTooOften: after too many steps that had to be made again all rows are
// back, and the method still ends.
func TestJoinedTooOften(t *testing.T) {
	p := draw.Problem(loss.Hinge{}, "l2", problem.Free, 2000, 8, false)
	s := newWorking(p, loss.Hinge{}, nil, 0)
	for range 12 {
		s.Epoch()
	}
	if s.near == nil {
		t.Fatal("no row was left out")
	}
	s.joined = mostJoins
	s.begin()
	for range 40 {
		s.Epoch()
	}
	if gap := p.Certify(s.Point()).Relative(); s.near != nil || len(s.inner.away) != 2000 || gap > 1e-9 {
		t.Errorf("%d rows, relative gap %g", len(s.inner.away), gap)
	}
}

// TestSample: as many rows of both classes, or all of a rare one; their weights are
// those of their class; rows come from everywhere; twice the same.
func TestSample(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Absolute{}} {
		p := draw.Problem(l, "l2", problem.None, 5000, 4, true)
		if _, ok := l.(loss.Margin); ok {
			for i := range p.Y {
				p.Y[i] = -1
				if i%50 == 7 {
					p.Y[i] = 1
				}
			}
		}
		q := sample(p, 600)
		total, of := map[float64]float64{}, map[float64]float64{}
		count := map[float64]int{}
		for i, y := range p.Y {
			total[math.Copysign(1, y)] += p.S[i]
		}
		for i, y := range q.Y {
			of[math.Copysign(1, y)] += q.S[i]
			count[math.Copysign(1, y)]++
		}
		if _, ok := l.(loss.Margin); ok {
			if count[-1] != 300 || count[1] != 100 || math.Abs(of[1]-total[1]) > 1e-9 || math.Abs(of[-1]-total[-1]) > 1e-9 {
				t.Errorf("hinge: rows %v with weights %v of %v", count, of, total)
			}
		} else if len(q.Y) != 600 || math.Abs(of[1]+of[-1]-p.N) > 1e-9 {
			t.Errorf("absolute: %d rows with weights %v, want 600 with %v", len(q.Y), of, p.N)
		}
		again := sample(p, 600)
		if !slices.Equal(q.Y, again.Y) || matrix.Nonzeros(q.X) != q.Nonzeros {
			t.Error("twice not the same, or not what it says")
		}
	}
}
