package linear

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// cornered lists losses of one ramp and two, with and without width.
var cornered = []string{"hinge", "huber-hinge:width=0.5", "absolute", "huber", "epsilon-insensitive:epsilon=0.2"}

// TestWorkingSet: with most rows left out the answer is that of the method with all
// rows, estimates are what is certified, and threads change no bit. Enough rows for
// a sample.
func TestWorkingSet(t *testing.T) {
	for _, spec := range cornered {
		l := must(loss.New(spec)).(loss.Cornered)
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			for _, lambda := range []float64{1e-2, 1e-5} {
				p := generate(l, "l2", bias, 5000, 12, bias == problem.Feature)
				p.Lambda = lambda
				s, two := newWorking(p, l, nil), newWorking(p, l, nil)
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
				estimate, point := s.Estimate(), s.Point()
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

// TestStraight: beside its ramps a loss is the line l(p) = a p - l*(a) through the
// prediction.
func TestStraight(t *testing.T) {
	for _, spec := range cornered {
		l := must(loss.New(spec)).(loss.Cornered)
		ramps := newRamps(l, 0)
		for _, y := range []float64{-1, 1} {
			_, all := l.Ramps(y)
			for k := range 200 {
				p := 0.05*float64(k) - 5.01
				beside := true
				for j := range ramps {
					beside = beside && ramps[j].distance(p-all[j].At) > 0
				}
				if a := straight(l, ramps, y, p-all[0].At); beside && math.Abs(a*p-l.Conjugate(a, y)-l.Value(p, y)) > 1e-12 {
					t.Errorf("%s, y = %v: the line is %v at %v, the loss %v", spec, y, a*p-l.Conjugate(a, y), p, l.Value(p, y))
				}
			}
		}
	}
}

// TestShare: a step that is one over the share long ends at the ramp; away from it there
// is none.
func TestShare(t *testing.T) {
	e := ramps{jump: 2, width: 0.5}
	for _, c := range []struct{ q, move, end float64 }{{-3, 0.7, 0}, {-3, 70, 0}, {4, -1, 1}, {4, -9, 1}} {
		if got := c.q + c.move/e.share(c.q, c.move); math.Abs(got-c.end) > 1e-14 {
			t.Errorf("from %v by %v: ends at %v, want %v", c.q, c.move, got, c.end)
		}
		if back := e.share(c.q, -c.move); back != 0 {
			t.Errorf("from %v by %v: share %v", c.q, -c.move, back)
		}
	}
}

// TestJoinedTooOften: after too many steps that had to be made again all rows are
// back, and the method still ends.
func TestJoinedTooOften(t *testing.T) {
	p := generate(loss.Hinge{}, "l2", problem.Free, 2000, 8, false)
	s := newWorking(p, loss.Hinge{}, nil)
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

// TestCentral: a + b = J, a r = b u = m and u - r = p - t, near and far.
func TestCentral(t *testing.T) {
	for _, jump := range []float64{1, 2} {
		away := []float64{-1e6, -3, -1e-9, 0, 0.1, 7, 1e5}
		for _, m := range []float64{1e-8, 0.3, 50} {
			n := len(away)
			e := ramps{jump: jump, x: make([]float64, n), r: make([]float64, n), u: make([]float64, n)}
			e.central(0, n, away, m)
			for i, q := range away {
				a, b := e.split(e.x[i])
				off := math.Abs(a+b-jump)/jump + math.Abs(a*e.r[i]-m)/m + math.Abs(b*e.u[i]-m)/m + math.Abs(e.u[i]-e.r[i]-q)/(e.u[i]+e.r[i])
				if !(off < 1e-8) || !(a > 0) || !(b > 0) {
					t.Errorf("J = %v, p - t = %v, m = %v: a = %v, b = %v, r = %v, u = %v", jump, q, m, a, b, e.r[i], e.u[i])
				}
			}
		}
	}
}

// TestSample: as many rows of both classes, or all of a rare one; their weights are
// those of their class; rows come from everywhere; twice the same.
func TestSample(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Absolute{}} {
		p := generate(l, "l2", problem.None, 5000, 4, true)
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

// TestParts: rows that are copied, left out and added again are those of the
// problem, sparse and dense.
func TestParts(t *testing.T) {
	for _, sparse := range []bool{true, false} {
		p := generate(loss.Hinge{}, "l2", problem.None, 50, 4, sparse)
		q := subset(p, []uint32{1, 4, 20, 21, 48, 49})
		same(t, p, q, 1, 4, 20, 21, 48, 49)
		shorten(q, []int32{0, 3, 5})
		same(t, p, q, 1, 21, 49)
		lengthen(q, p, []uint32{2, 20})
		same(t, p, q, 1, 21, 49, 2, 20)
		if q.N != p.N {
			t.Errorf("N = %v, want %v", q.N, p.N)
		}
	}
}

// same compares q with the given rows of p.
func same(t *testing.T, p, q *problem.Linear, rows ...int) {
	t.Helper()
	if n, d := q.Dims(); n != len(rows) || d != 4 || len(q.Y) != n || len(q.S) != n || q.Nonzeros != matrix.Nonzeros(q.X) {
		t.Fatalf("%d rows of %d, %d targets, %d weights, %d nonzeros", n, d, len(q.Y), len(q.S), q.Nonzeros)
	}
	for k, i := range rows {
		want, got := p.X.Row(i), q.X.Row(k)
		if !slices.Equal(want.Value, got.Value) || !slices.Equal(want.Index, got.Index) || (want.Index == nil) != (got.Index == nil) || q.Y[k] != p.Y[i] || q.S[k] != p.S[i] {
			t.Errorf("row %d is %v, want %v", k, got, want)
		}
	}
}
