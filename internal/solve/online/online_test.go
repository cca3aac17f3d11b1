package online_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/solve/online"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
)

// twin is the slow learner: a map of features, the losses and closed forms of Vowpal Wabbit as its papers and gd.cc have
// them, the squared loss (p-y)^2 among them, and Lambert's W by bisection.
type twin struct {
	loss             string
	tau              float64
	w, s, n          map[int]float64
	steps, norm      float64
	least, most, sum float64
	rows             int
}

func newTwin(name string, tau float64) *twin {
	return &twin{loss: name, tau: tau, w: map[int]float64{}, s: map[int]float64{}, n: map[int]float64{}}
}

func (t *twin) learn(x map[int]float64, y float64) {
	if t.least, t.most = min(t.least, y), max(t.most, y); t.loss == "logistic" {
		t.least, t.most = -50, 50
	}
	p := 0.0
	for j, v := range x {
		p += t.w[j] * v
	}
	p = min(max(p, t.least), t.most)
	value, squares := t.judge(p, y)
	t.rows++
	if t.sum += value; value <= 0 || squares == 0 {
		return
	}
	norm, pull, rate := 0.0, 0.0, map[int]float64{}
	for j, v := range x {
		if v == 0 {
			continue
		}
		t.s[j] += squares * v * v
		if a := math.Abs(v); a > t.n[j] {
			if t.n[j] > 0 {
				t.w[j] *= t.n[j] / a
			}
			t.n[j] = a
		}
		norm += v * v / (t.n[j] * t.n[j])
		rate[j] = 1 / (math.Sqrt(t.s[j]) * t.n[j])
		pull += v * v * rate[j]
	}
	t.norm, t.steps = t.norm+norm, t.steps+1
	m := math.Sqrt(t.steps / t.norm)
	update := t.update(p, y, m*pull)
	for j, v := range x {
		t.w[j] += update * m * v * rate[j]
	}
}

// judge returns the loss and the square of its slope.
func (t *twin) judge(p, y float64) (value, squares float64) {
	switch e := y - p; t.loss {
	case "squared":
		return e * e, 4 * e * e
	case "logistic":
		return math.Log1p(math.Exp(-y * p)), math.Pow(1+math.Exp(y*p), -2)
	case "hinge":
		if y*p >= 1 {
			return 0, 0
		}
		return 1 - y*p, 1
	default:
		if e > 0 {
			return t.tau * e, t.tau * t.tau
		}
		return (t.tau - 1) * e, (1 - t.tau) * (1 - t.tau)
	}
}

// update is the step of the closed forms, with q how far a step of 1 moves the prediction.
func (t *twin) update(p, y, q float64) float64 {
	const rate = 0.5
	switch e := y - p; t.loss {
	case "squared":
		return -e * math.Expm1(-2*rate*q) / q
	case "logistic":
		return -(y*lambert(rate*q+y*p+math.Exp(y*p)) + p) / q
	case "hinge":
		return y * min(rate, (1-y*p)/q)
	default:
		if e > 0 {
			return min(t.tau*rate, e/q)
		}
		return max((t.tau-1)*rate, e/q)
	}
}

// lambert returns W(e^x) - x = -log W(e^x).
func lambert(x float64) float64 {
	lo, hi := -800.0, 800.0 // u with u + e^u = x
	for range 200 {
		if mid := (lo + hi) / 2; mid+math.Exp(mid) < x {
			lo = mid
		} else {
			hi = mid
		}
	}
	return -lo
}

func newLearner(t *testing.T, spec string, cols int) *online.Learner {
	t.Helper()
	l, err := loss.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	n, err := online.NewLearner(l, cols)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// unit is what a loss here is of that of Vowpal Wabbit, in reports: absolute is twice its quantile of 0.5.
var specs = []struct {
	spec, twin string
	tau, unit  float64
}{{"squared", "squared", 0, 1}, {"logistic", "logistic", 0, 1}, {"hinge", "hinge", 0, 1}, {"quantile:tau=0.3", "quantile", 0.3, 1}, {"absolute", "quantile", 0.5, 2}}

// The learner is its twin, on rows with zeros, values that grow and features that are rare; dense rows are sparse ones.
func TestTwin(t *testing.T) {
	const d, rows = 7, 400
	for _, c := range specs {
		r := rand.New(rand.NewPCG(3, 5))
		slow, fast, dense := newTwin(c.twin, c.tau), newLearner(t, c.spec, d), newLearner(t, c.spec, d)
		for i := range rows {
			x, all, sparse := map[int]float64{d: 1}, make([]float32, d), matrix.Vector{Index: []uint32{}}
			sum := 0.3
			for j := range d {
				v := float32(r.NormFloat64() * math.Pow(10, float64(j-3)) * (1 + float64(i)/50))
				if r.IntN(3) == 0 || j == 6 && i%97 != 3 {
					continue
				}
				sum += float64(v) * float64(3-j)
				x[j], all[j] = float64(v), v
				sparse.Index, sparse.Value = append(sparse.Index, uint32(j)), append(sparse.Value, v)
			}
			y := sum / 10
			if slices.Contains([]string{"logistic", "hinge"}, c.twin) {
				y = math.Copysign(1, sum+r.NormFloat64())
			}
			slow.learn(x, y)
			p, v := fast.Learn(sparse, y)
			if q, w := dense.Learn(matrix.Vector{Value: all}, y); p != q || v != w {
				t.Fatalf("%s, row %d: found %g, %g of the dense row, expected %g, %g", c.spec, i, q, w, p, v)
			}
		}
		s, w, b := fast.State()
		if want := slow.sum / rows * c.unit; math.Abs(s.All.Mean()-want) > 1e-9*want {
			t.Errorf("%s: found progressive loss %.12g, expected %.12g", c.spec, s.All.Mean(), want)
		}
		for j, found := range append(w, b) {
			if math.Abs(found-slow.w[j]) > 1e-8*(1e-6+math.Abs(slow.w[j])) {
				t.Errorf("%s: found the weight %.12g of feature %d, expected %.12g", c.spec, found, j, slow.w[j])
			}
		}
		if int(s.Steps) != int(slow.steps) || math.Abs(s.Norm-slow.norm) > 1e-9*slow.norm {
			t.Errorf("%s: found %d steps and the norm %g, expected %g and %g", c.spec, s.Steps, s.Norm, slow.steps, slow.norm)
		}
	}
}

// Progressive losses are those of Vowpal Wabbit at 1, 2, 4, ... rows, which bench/python/stream.py --golden prints.
func TestVowpalWabbit(t *testing.T) {
	for _, c := range vowpalWabbit {
		s, err := data.Read(context.Background(), []string{c.rows}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := newLearner(t, c.loss, s.Cols())
		at := 0
		for i := range s.Rows() {
			n.Learn(s.X.Row(i), s.Target.Number[i])
			if rows := i + 1; rows == 1<<at || rows == s.Rows() {
				if found, want := n.Sums().All.Mean(), c.average[at]; math.Abs(found-want) > 1e-5*want {
					t.Errorf("%s of %s, %d rows: found %.9g, expected %.9g", c.loss, c.rows, rows, found, want)
				}
				at++
			}
		}
		if at != len(c.average) {
			t.Errorf("%s: found %d averages, expected %d", c.rows, at, len(c.average))
		}
	}
}

// A run over A, its state kept in a file, and then B is one over both, to the bit.
func TestResume(t *testing.T) {
	s, err := data.Read(context.Background(), []string{"@text:n=500,d=300"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range specs {
		l, _ := loss.New(c.spec)
		whole, part := newLearner(t, c.spec, s.Cols()), newLearner(t, c.spec, s.Cols())
		for i := range s.Rows() {
			if whole.Learn(s.X.Row(i), s.Target.Number[i]); i%199 == 7 {
				state, w, b := part.State()
				text, err := json.Marshal(state)
				again := &online.State{Index: state.Index, Squares: state.Squares, Scale: state.Scale}
				if err == nil {
					err = json.Unmarshal(text, again)
				}
				if err == nil && i > 0 {
					part, err = online.Restore(l, again, w, b)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			part.Learn(s.X.Row(i), s.Target.Number[i])
		}
		one, w, b := whole.State()
		two, v, a := part.State()
		if !reflect.DeepEqual(one, two) || !slices.Equal(w, v) || a != b {
			t.Errorf("%s: found another state than in one run", c.spec)
		}
	}
}

// Sums of parts are those of all rows, and the last rows are an eighth to three tenths of them.
func TestWindow(t *testing.T) {
	n := newLearner(t, "absolute", 1)
	for i := range 5000 {
		n.Learn(matrix.Vector{Value: []float32{float32(i % 3)}}, float64(i%7))
		s, w := n.Sums(), n.Sums().Window()
		parts := online.Sum{}
		for _, p := range s.Parts {
			parts.Rows, parts.Losses = parts.Rows+p.Rows, parts.Losses+p.Losses
		}
		if parts.Rows != s.All.Rows || math.Abs(parts.Losses-s.All.Losses) > 1e-9*s.All.Losses {
			t.Fatalf("%d rows: found parts of %d rows and the loss %g, expected %g", i+1, parts.Rows, parts.Losses, s.All.Losses)
		}
		if share := float64(w.Rows) / float64(i+1); i+1 >= 32 && (share < 0.125 || share > 0.32) || i+1 < 32 && w.Rows > 0 {
			t.Fatalf("%d rows: the last are %d", i+1, w.Rows)
		}
	}
}

// Values of every size, and targets up to the largest, give finite weights, of which a run can go on.
func TestExtremes(t *testing.T) {
	for _, c := range specs {
		r := rand.New(rand.NewPCG(1, 9))
		n := newLearner(t, c.spec, 4)
		for range 2000 {
			x := make([]float32, 4)
			for j := range x {
				x[j] = float32(math.Copysign(math.Pow(10, 83*r.Float64()-45), r.NormFloat64()))
			}
			y := math.Copysign(1, r.NormFloat64())
			if c.twin != "logistic" && c.twin != "hinge" {
				y *= math.Pow(10, 120*r.Float64()-60)
			}
			n.Learn(matrix.Vector{Value: x}, y)
		}
		s, w, b := n.State()
		for _, v := range append(slices.Clone(w), b, s.All.Mean(), s.All.Error()) {
			if v-v != 0 {
				t.Fatalf("%s: found %g among the weights %g", c.spec, v, w)
			}
		}
		l, _ := loss.New(c.spec)
		if err := s.Check(l, w, b); err != nil {
			t.Errorf("%s: %v", c.spec, err)
		}
	}
}

// States that no run could have come to are refused.
func TestForgedStates(t *testing.T) {
	l, _ := loss.New("squared")
	n := newLearner(t, "squared", 3)
	for i := range 40 {
		n.Learn(matrix.Vector{Index: []uint32{1}, Value: []float32{float32(i)}}, float64(i%5))
	}
	n.Judge(matrix.Vector{Value: []float32{1, 2, 3}}, 1)
	for expected, change := range map[string]func(s *online.State, w []float64){
		"":                             func(*online.State, []float64) {},
		"which no row had":             func(_ *online.State, w []float64) { w[0] = 1 },
		"a weight of feature 2, which": func(_ *online.State, w []float64) { w[2] = 1 },
		"increasing ones":              func(s *online.State, _ []float64) { s.Index[1] = 9 },
		"expected as many":             func(s *online.State, _ []float64) { s.Scale = s.Scale[1:] },
		"numbers >= 0 and > 0":         func(s *online.State, _ []float64) { s.Scale[0] = 0 },
		"the sum -1":                   func(s *online.State, _ []float64) { s.Squares[0] = -1 },
		"a norm of that size":          func(s *online.State, _ []float64) { s.Norm = math.NaN() },
		"0 between them":               func(s *online.State, _ []float64) { s.Least = 1 },
		"found parts of":               func(s *online.State, _ []float64) { s.All.Rows++ },
		"at most 32 of at least one":   func(s *online.State, _ []float64) { s.Size = 0 },
		"found a part of":              func(s *online.State, _ []float64) { s.Parts[0].Rows = 0 },
		"rows held out":                func(s *online.State, _ []float64) { s.Held.Rows = 0 },
		"a bias, which no row has moved": func(s *online.State, _ []float64) {
			s.Index, s.Squares, s.Scale = s.Index[:1], s.Squares[:1], s.Scale[:1]
		},
	} {
		s, w, b := n.State()
		change(s, w)
		if err := s.Check(l, w, b); expected == "" && err != nil || expected != "" && (err == nil || !strings.Contains(err.Error(), expected)) {
			t.Errorf("found %v, expected %q", err, expected)
		}
	}
	if p, err := loss.New("poisson"); err != nil {
		t.Error(err)
	} else if _, err := online.NewLearner(p, 3); err == nil {
		t.Error("a loss without a flow was taken")
	}
}

func BenchmarkLearn(b *testing.B) {
	for _, source := range []string{"@text:n=2000,d=20000", "@toy:n=2000,d=20"} {
		s, err := data.Read(context.Background(), []string{source}, data.Options{})
		if err != nil {
			b.Fatal(err)
		}
		l, _ := loss.New("logistic")
		b.Run(fmt.Sprintf("rows=%s", bytes.TrimLeft([]byte(source), "@")), func(b *testing.B) {
			n, _ := online.NewLearner(l, 1<<18)
			for i := range b.N {
				n.Learn(s.X.Row(i%s.Rows()), s.Target.Number[i%s.Rows()])
			}
		})
	}
}
