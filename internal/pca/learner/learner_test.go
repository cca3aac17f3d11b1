package learner

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// summing is a method that adds up the second moment of all rows.
type summing struct{}

func (summing) Start(p method.Problem) method.State {
	return &momentSum{d: p.Cols, k: p.K, moment: make([]float64, p.Cols*p.Cols)}
}

type momentSum struct {
	d, k, rows int
	moment     []float64
}

func (s *momentSum) Learn(x view.Rows) {
	n, d := x.Dims()
	row := make([]float64, d)
	for i := range n {
		x.Row(row, i)
		for j, a := range row {
			for l, b := range row {
				s.moment[j*d+l] += float64(a * b)
			}
		}
		s.rows++
	}
}

func (s *momentSum) Rescale(by []float64) {
	for at := range s.moment {
		s.moment[at] *= by[at/s.d] * by[at%s.d]
	}
}

func (s *momentSum) Basis() method.Basis {
	var e algebra.Eigensystem
	values, a := make([]float64, s.d), append([]float64{}, s.moment...)
	vectors := e.Decompose(values, a, s.d)
	algebra.Scale(values, 1/float64(s.rows))
	return method.Basis{K: s.k, Cols: s.d, Component: append([]float64{}, vectors[:s.k*s.d]...), Value: values[:s.k]}
}

func (s *momentSum) Keep(k *method.Kept) {
	k.Count("rows", &s.rows)
	k.List("moment", &s.moment)
	k.Require(len(s.moment) == s.d*s.d, "state: found a moment of %d numbers", len(s.moment))
}

// stream makes rows with means and deviations of their own.
func streamed(n, d int, dense bool) matrix.Matrix {
	rng := rand.New(rand.NewPCG(3, 3))
	if dense {
		m := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
		for i := range m.Value {
			m.Value[i] = float32(100*float64(i%d) + float64(1+i%d)*rng.NormFloat64())
		}
		return m
	}
	m := &matrix.CSR{Cols: d, Start: []int64{0}, Index: []uint32{}}
	for range n {
		j := uint32(rng.IntN(d - 1))
		m.Append([]uint32{j, uint32(d - 1)}, []float32{float32(rng.NormFloat64()), 5 + float32(rng.NormFloat64())})
	}
	return m
}

// What a state was given is the covariance of the rows that are said to be learned,
// and the rows may come in any pieces and with a break between.
func TestLearner(t *testing.T) {
	const n, d, k = 5000, 6, 2
	for _, dense := range []bool{true, false} {
		for _, center := range []bool{true, false} {
			x := streamed(n, d, dense)
			p := method.Problem{Cols: d, K: k}
			whole := NewLearner(summing{}, p, center, "none")
			if err := whole.Learn(x); err != nil {
				t.Fatal(err)
			}
			answer, err := whole.Answer()
			if err != nil {
				t.Fatal(err)
			}
			if answer.Learned+len(answer.HeldOut) != n || answer.Score.Rows != len(answer.HeldOut) {
				t.Errorf("found %d rows learned and %d held out, expected %d in all", answer.Learned, len(answer.HeldOut), n)
			}
			held := map[int]bool{}
			for _, i := range answer.HeldOut {
				held[i] = true
			}
			var learned []int
			for i := range n {
				if !held[i] {
					learned = append(learned, i)
				}
			}
			exact, err := view.Preprocess(matrix.Subset(x, learned), "none", center, 1)
			if err != nil {
				t.Fatal(err)
			}
			total, _ := exact.Sizes(1)
			if math.Abs(answer.Total-total) > 1e-9*total {
				t.Errorf("dense %v, center %v: found the variance %.12g, expected %.12g", dense, center, answer.Total, total)
			}
			want := &momentSum{d: d, k: k, moment: make([]float64, d*d)}
			want.Learn(exact)
			b := want.Basis()
			for i := range k {
				if math.Abs(answer.Basis.Value[i]-b.Value[i]) > 1e-9*b.Value[0] {
					t.Errorf("dense %v, center %v: found the eigenvalue %.12g, expected %.12g", dense, center, answer.Basis.Value[i], b.Value[i])
				}
			}
			if center && farthest(answer.Mean, exact.Offset) > 1e-9*500 {
				t.Errorf("found the mean %v, expected %v", answer.Mean, exact.Offset)
			}
			pieces := inPieces(t, x, p, center)
			if farthest(pieces.Basis.Component, answer.Basis.Component) != 0 || farthest(pieces.Basis.Value, answer.Basis.Value) != 0 || pieces.Score != answer.Score {
				t.Errorf("dense %v, center %v: other bits from pieces", dense, center)
			}
		}
	}
}

// inPieces learns rows in small pieces, with answers and breaks between.
func inPieces(t *testing.T, x matrix.Matrix, p method.Problem, center bool) Answer {
	t.Helper()
	n, _ := x.Dims()
	l := NewLearner(summing{}, p, center, "none")
	for lo := 0; lo < n; lo += 700 {
		if err := l.Learn(matrix.Part(x, lo, min(lo+700, n))); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Answer(); err != nil {
			t.Fatal(err)
		}
		again := NewLearner(summing{}, p, center, "none")
		if err := method.Restore(again, method.Keep(l)); err != nil {
			t.Fatal(err)
		}
		l = again
	}
	answer, err := l.Answer()
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// Sparse rows may go on where dense ones were, and the other way round.
func TestRowStore(t *testing.T) {
	dense, sparse := matrix.Vector{Value: []float32{0, 2, 3}}, matrix.Vector{Index: []uint32{1, 2}, Value: []float32{2, 3}}
	for _, first := range []matrix.Vector{dense, sparse} {
		var s rowStore
		for _, v := range []matrix.Vector{first, dense, sparse} {
			s.add(v)
		}
		x := view.Rows{X: s.matrix(3)}
		for i := range 3 {
			row := make([]float64, 3)
			if x.Row(row, i); farthest(row, []float64{0, 2, 3}) != 0 {
				t.Errorf("found row %v", row)
			}
		}
	}
}

// A stream of a few rows, all of which might be held out, has an answer too.
func TestLearnerFewRows(t *testing.T) {
	for n := 1; n < 60; n++ {
		l := NewLearner(summing{}, method.Problem{Cols: 3, K: 1}, false, "none")
		if err := l.Learn(streamed(n, 3, true)); err != nil {
			t.Fatal(err)
		}
		if a, err := l.Answer(); err != nil || a.Learned == 0 {
			t.Fatalf("%d rows: %d learned, %v", n, a.Learned, err)
		}
	}
	if _, err := NewLearner(summing{}, method.Problem{Cols: 3, K: 1}, false, "none").Answer(); err == nil {
		t.Error("a stream without rows has an answer, expected an error")
	}
}

// A state with a list that is missing, longer or shorter, or of other numbers is
// refused, or else goes on; nothing panics.
func TestLearnerRestoresAnything(t *testing.T) {
	for _, dense := range []bool{true, false} {
		l := NewLearner(summing{}, method.Problem{Cols: 6, K: 2}, true, "std")
		if err := l.Learn(streamed(3000, 6, dense)); err != nil {
			t.Fatal(err)
		}
		kept := method.Keep(l)
		for name, list := range kept {
			for _, other := range [][]float64{nil, append(list, 1), list[:len(list)/2], {-1}, {math.NaN()}, {1e300}, {0.5}, {1, 2, 3}} {
				changed := map[string][]float64{}
				for n, l := range kept {
					changed[n] = append([]float64{}, l...)
				}
				if changed[name] = other; other == nil {
					delete(changed, name)
				}
				again := NewLearner(summing{}, method.Problem{Cols: 6, K: 2}, true, "std")
				err := method.Restore(again, changed)
				if other == nil && err == nil {
					t.Errorf("restored without %s, expected an error", name)
				}
				if err == nil {
					_ = again.Learn(streamed(3000, 6, dense))
					_, _ = again.Answer()
				}
			}
		}
	}
}

// Variances are those of the rows, whatever the scale of the method's own values, and
// fall from component to component.
func TestLearnerVariances(t *testing.T) {
	x := streamed(6000, 6, true)
	exact, err := view.Preprocess(x, "none", true, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := &momentSum{d: 6, k: 2, moment: make([]float64, 36)}
	want.Learn(exact)
	for _, spec := range []string{"block-power", "ccipca", "frequent-directions", "oja", "history", "incremental", "capped-msg"} {
		m, err := methods.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		l := NewLearner(m.(method.Streaming), method.Problem{Cols: 6, K: 2, Seed: 1}, true, "none")
		if err := l.Learn(x); err != nil {
			t.Fatal(err)
		}
		a, err := l.Answer()
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want.Basis().Value {
			if got := a.Basis.Value[i]; math.Abs(got-v) > 0.25*v || i > 0 && got > a.Basis.Value[i-1] {
				t.Errorf("%s: found the variances %v, expected about %v", spec, a.Basis.Value, want.Basis().Value)
				break
			}
		}
	}
}

// Scaled rows, too: what a state was given, the moves of the mean included, is the
// covariance of the learned rows times the factors.
func TestLearnerScales(t *testing.T) {
	const n, d, k = 5000, 6, 2
	x := streamed(n, d, false)
	l := NewLearner(summing{}, method.Problem{Cols: d, K: k}, true, "std")
	if err := l.Learn(x); err != nil {
		t.Fatal(err)
	}
	answer, err := l.Answer()
	if err != nil {
		t.Fatal(err)
	}
	var learned []int
	for i := range n {
		if !slices.Contains(answer.HeldOut, i) {
			learned = append(learned, i)
		}
	}
	rows := matrix.Subset(x, learned)
	exact := view.Rows{X: rows, Offset: view.ColumnMeans(rows, 1), Factor: answer.Factor}
	values := make([]float64, d)
	new(algebra.Eigensystem).Decompose(values, secondOf(exact), d)
	total, _ := exact.Sizes(1)
	if off := farthest(answer.Basis.Value, values[:k]); off > 1e-9*values[0] || math.Abs(answer.Total-total) > 1e-9*total || answer.Factor == nil {
		t.Errorf("found the variances %v of %v, expected %v of %v", answer.Basis.Value, answer.Total, values[:k], total)
	}
}
