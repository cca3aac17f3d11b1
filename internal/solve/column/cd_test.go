package column

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestCDEpochIsBounded: an epoch visits each number some 16 times and one piece of work more,
// so that a limit of time is heard, and a model that takes longer is gone on with: weights
// stand still until it is done.
func TestCDEpochIsBounded(t *testing.T) {
	p := fields(loss.Logistic{}, "l1", 2.5e-6, problem.None)
	s := CD{}.Start(p, solver.Start{Seed: 1}).(*cd)
	if s.quantum < 16*p.Nonzeros || s.quantum > 32*p.Nonzeros+leastVisits {
		t.Errorf("an epoch visits %d numbers, of %d", s.quantum, p.Nonzeros)
	}
	s.quantum = 16 * p.Nonzeros // this set is so small that an epoch visits more
	parts := 0
	for epoch := 0; epoch < 5000 && s.gap > 1e-6; epoch++ {
		w, before := slices.Clone(s.w), int64(0)
		going := s.descent.open
		if going {
			before = s.model.visited
		}
		s.Epoch()
		m := &s.model
		piece := 2*p.Nonzeros + mostForming*s.quantum + 20*factorVisits(len(s.working))
		if visits := m.visited - before; visits > s.quantum+piece {
			t.Errorf("epoch %d visits %d numbers, more than %d and a piece of at most %d", epoch, visits, s.quantum, piece)
		}
		if s.descent.open {
			if !slices.Equal(w, s.w) {
				t.Errorf("epoch %d: weights moved before the model was done", epoch)
			}
			parts++
		}
	}
	if parts == 0 {
		t.Error("no model took more than an epoch: this test shows nothing")
	}
	if s.gap > 1e-6 {
		t.Errorf("after 5000 epochs the gap is %g", s.gap)
	}
}

// TestCDForming: the model's matrix is formed once the visits have cost as much, and not before.
func TestCDForming(t *testing.T) {
	formed, without := 0, 0
	s := CD{}.Start(fields(loss.Logistic{}, "l1", 2.5e-5, problem.Free), solver.Start{Seed: 1}).(*cd)
	quantum := s.quantum
	for range 40 {
		if s.quantum = quantum; !s.begin() {
			break
		}
		m, at := &s.model, &s.descent
		for s.quantum = 1; ; { // piece by piece
			visited := m.visited
			done := s.descend()
			if m.formed && visited < at.forming && m.visited-visited < at.forming {
				t.Fatalf("formed after %d visits, expected %d", visited, at.forming)
			}
			if at.forming == 0 || !m.formed && visited >= at.forming {
				t.Fatalf("not formed after %d visits, expected after %d", visited, at.forming)
			}
			if done {
				break
			}
		}
		if m.formed {
			formed++
		} else {
			without++
		}
		at.open = false
		if s.model.forming(s.use, at.forming-1) != 0 {
			t.Errorf("a matrix of %d visits is formed where %d are too many", at.forming, at.forming)
		}
		s.search()
		s.differentiate()
	}
	if formed == 0 || without == 0 {
		t.Errorf("formed for %d models, not for %d: this test shows nothing", formed, without)
	}
	if s.model.columns = make([]matrix.Vector, mostGram+1); s.model.forming(1, math.MaxInt64) != 0 {
		t.Errorf("a matrix of %d columns would be formed", mostGram+1)
	}
}

// TestCDGram: G is Z^T Z, and its image of d that of Z.
func TestCDGram(t *testing.T) {
	for _, dense := range []bool{false, true} {
		s := CD{}.Start(fields(loss.SquaredHinge{}, "l1", 1e-3, problem.Feature), solver.Start{Seed: 1}).(*cd)
		if dense {
			p := *s.p
			p.Rows = problem.NewRows(must(matrix.NewCSR(2, []int64{0, 2, 4, 6, 8}, []uint32{0, 1, 0, 1, 0, 1, 0, 1}, []float32{1, 2, -1, 3, 2, 5, 4, 1})), 1)
			p.Y, p.S, p.N = []float64{1, -1, 1, -1}, []float64{1, 1, 1, 1}, 4
			s = CD{}.Start(&p, solver.Start{Seed: 1}).(*cd)
		}
		s.begin()
		s.pass()
		m := &s.model
		size := len(m.columns)
		slopes, expected := make([]float64, size), make([]float64, size*size)
		for a := range size {
			slopes[a] = m.along(a)
			unit := make([]float64, m.rows)
			m.add(unit, a, 1)
			for b := range size {
				expected[a*size+b] = m.scale * m.columns[b].Dot(unit)
			}
		}
		m.form(s)
		for i, x := range expected {
			if math.Abs(m.gram[i]-x) > 1e-12*m.scale*float64(m.rows) {
				t.Fatalf("dense %v: element %d is %v, expected %v", dense, i, m.gram[i], x)
			}
		}
		for a, x := range slopes {
			if math.Abs(m.along(a)-x) > 1e-9*math.Abs(x)+1e-15 {
				t.Fatalf("dense %v: slope along %d is %v, expected %v", dense, a, m.along(a), x)
			}
		}
	}
}

// TestCDEstimate: without a free bias what the solver knows of the gap is what is proved.
func TestCDEstimate(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature} {
		for _, l := range []loss.Loss{loss.Logistic{}, loss.SquaredHinge{}} {
			for _, pen := range []string{"l1", "elastic-net"} {
				p := fields(l, pen, 1e-3, bias)
				s := CD{}.Start(p, solver.Start{Seed: 1}).(*cd)
				for range 4 {
					s.Epoch()
					if gap := p.Certify(s.Point()).Relative(); math.Abs(gap-s.Report().Gap) > 1e-6*gap+1e-12 {
						t.Errorf("%T, %s, bias %v: estimate %g, proved %g", l, pen, bias, s.Report().Gap, gap)
					}
				}
			}
		}
	}
}

// TestCDWorkingSet: besides the columns in use there are twice as many, or 30, and those
// are the ones that violate optimality most.
func TestCDWorkingSet(t *testing.T) {
	s := CD{}.Start(fields(loss.Logistic{}, "l1", 1e-3, problem.None), solver.Start{Seed: 1}).(*cd)
	for j := range 12 { // so few that more than those and twice as many violate optimality
		s.w[6*j] = 1e-3
	}
	s.p.Predict(s.prediction, s.w)
	s.differentiate()
	for range 3 {
		s.choose()
		in := map[int]bool{}
		least := math.Inf(1)
		for _, j := range s.working {
			in[j] = true
			if s.w[j] == 0 {
				least = min(least, s.violation(j, 0, s.g[j]))
			}
		}
		if most := s.use + max(30, 2*s.use); len(s.working) > most {
			t.Errorf("%d columns, expected at most %d", len(s.working), most)
		}
		for j, w := range s.w[:len(s.w)-1] {
			if !in[j] && (w != 0 || s.violation(j, w, s.g[j]) > least) {
				t.Errorf("column %d is missing", j)
			}
		}
		s.Epoch()
	}
}

// TestCDDamping: columns that only rows far out use are damped once a step was cut, others
// never, and flat ones always.
func TestCDDamping(t *testing.T) {
	p := fields(loss.Logistic{}, "l1", 1e-5, problem.None)
	w := make([]float64, 81)
	for j := range w[:20] { // of the first field, so that each row is as far out as its column
		w[j] = 2 * float64(j)
	}
	s := CD{}.Start(p, solver.Start{From: &problem.Point{W: w}, Seed: 1}).(*cd)
	flat, far, others := 0, 0, 0
	for _, s.cut = range []bool{false, true} {
		s.choose()
		s.model.open(s)
		for at, j := range s.working {
			square, want := s.model.square[at], 0.0
			switch share := square / s.bound[j]; {
			case share <= 1e-10:
				want = s.flat*s.bound[j] - square
				flat++
			case share <= 1e-3 && s.cut:
				want = s.flat*s.bound[j] - square
				far++
			default:
				others++
			}
			if got := s.model.damp[at]; math.Abs(got-want) > 1e-12*s.bound[j] {
				t.Errorf("cut %v, column %d with %g of its largest curvature: %g is added, expected %g", s.cut, j, square/s.bound[j], got, want)
			}
		}
	}
	if flat == 0 || far == 0 || others == 0 {
		t.Errorf("%d columns flat, %d far out, %d others: this test shows nothing", flat, far, others)
	}
}

// TestCDWideFace: steps over a face of more than half as many columns as rows become rare,
// those over others stay as frequent.
func TestCDWideFace(t *testing.T) {
	for _, rows := range []int{60, 400} {
		s := CD{}.Start(draw.Problem(loss.SquaredHinge{}, "l1", problem.None, rows, 60, false), solver.Start{Seed: 1}).(*cd)
		for j := range s.w[:60] {
			s.w[j] = 1e-3
		}
		s.p.Predict(s.prediction, s.w)
		s.differentiate()
		s.begin()
		rest := s.descent.rest
		s.cross()
		if wide := s.descent.rest > rest; wide != (2*len(s.face.at) > rows) || wide != (rows == 60) {
			t.Errorf("%d columns in use, %d rows: %d passes between steps, before %d", len(s.face.at), rows, s.descent.rest, rest)
		}
	}
}

// TestCDComesBackFromAPlateau: the second step of Newton's method goes far out
// to where no row is curved. Steps of a constant size then took 3500 epochs.
func TestCDComesBackFromAPlateau(t *testing.T) {
	m := draw.Stored([][]float32{{0}, {1.5}}, false)
	p := must(problem.NewLinear(problem.NewRows(m, 1), []float64{1, 1}, []float64{1, 0.5}, loss.HuberHinge{Width: 0.5},
		penalty.L1{}, 0.003441847573532708, problem.Feature))
	sol := must(solver.Run(context.Background(), CD{}, p, solver.Options{Gap: 1e-9, Epochs: 60}))
	if sol.Status != solver.Converged {
		t.Errorf("%s after %d epochs with relative gap %g", sol.Status, sol.Epochs, sol.Certificate.Relative())
	}
}

// TestCDViolation: the distance of 0 from g + lambda (ratio sign(w) + mu w), by
// hand for lambda = 1/20, ratio = mu = 1/2; a free bias has no penalty.
func TestCDViolation(t *testing.T) {
	s := CD{}.Start(draw.Problem(loss.Squared{}, "elastic-net", problem.Free, 10, 3, false), solver.Start{Seed: 1}).(*cd)
	for _, c := range []struct {
		column     int
		w, g, want float64
	}{
		{0, 0, 0.01, 0}, {0, 0, -0.025, 0}, {0, 0, 0.035, 0.01}, {0, 0, -0.035, 0.01},
		{0, 2, 0.01, 0.085}, {0, -2, 0.01, 0.065}, {3, 0, 0.01, 0.01}, {3, 2, -0.01, 0.01},
	} {
		if got := s.violation(c.column, c.w, c.g); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("column %d, w=%g, g=%g: %g, want %g", c.column, c.w, c.g, got, c.want)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
