package spectral

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
)

// walkOf returns the walk of a state.
func walkOf(s method.State) *walk {
	switch s := s.(type) {
	case *msg:
		return &s.walk
	case *warmuthKuzmin:
		return &s.walk
	}
	return nil
}

// Row 20 on the answers: projections drawn by either rule are M on average, and the best of them captures
// at least as much of the rows kept apart as the k largest eigenvalues.
func TestRoundedAnswers(t *testing.T) {
	t.Parallel()
	const d, k, draws = 6, 2, 4000
	for _, name := range []string{"msg:c=0.3", "capped-msg:cap=4,c=0.3", "warmuth-kuzmin:c=0.5"} {
		for _, round := range []string{"systematic", "decompose"} {
			s := pcatest.StartOf(t, name+",round="+round, method.Problem{Cols: d, K: k, Seed: 3})
			s.Learn(gaussianRows(40, d, 0.5, 1))
			w := walkOf(s)
			m, mean := denseWalk{w}.copyTo(nil), make([]float64, d*d)
			for seed := range uint64(draws) {
				w.seed = seed
				b := s.Basis()
				if b.K != k || b.Departure() > 1e-10 {
					t.Fatalf("%s, %s: found %d directions, %g off orthonormal", name, round, b.K, b.Departure())
				}
				for i := range k {
					pcatest.AddOuter(mean, 1./draws, b.Row(i))
				}
			}
			if worst := pcatest.LargestDifference(m, mean); worst > 5*0.5/math.Sqrt(draws) {
				t.Errorf("%s, %s: projections are %g off M on average", name, round, worst)
			}
		}
		s := pcatest.StartOf(t, name+",round=best", method.Problem{Cols: d, K: k, Seed: 3})
		s.Learn(gaussianRows(400, d, 0.5, 1))
		w := walkOf(s)
		if w.jury.taken < 10 || w.jury.captured(s.Basis().Component) < w.jury.captured(w.a.Directions(k)) {
			t.Errorf("%s: the best of %d rows captures %g, the largest %g", name, w.jury.taken, w.jury.captured(s.Basis().Component), w.jury.captured(w.a.Directions(k)))
		}
	}
}

// Row 21 on the answers: iterate=average answers with the first directions of the dense mean of the matrices
// before each row.
func TestAverageOfStates(t *testing.T) {
	const d, k, steps = 7, 2, 150
	for _, name := range []string{"msg", "capped-msg", "warmuth-kuzmin"} {
		x := gaussianRows(steps, d, 0.7, 5)
		p := method.Problem{Cols: d, K: k, Seed: 2}
		last, average := pcatest.StartOf(t, name, p), pcatest.StartOf(t, name+":iterate=average", p)
		mean := make([]float64, d*d)
		for i := range steps {
			for j, v := range (denseWalk{walkOf(last)}).copyTo(nil) {
				mean[j] += v / steps
			}
			last.Learn(x.Part(i, i+1))
		}
		average.Learn(x)
		_, vectors := pcatest.Jacobi(mean, d)
		want := method.Basis{K: k, Cols: d, Component: vectors[:k*d]}
		want.Orient()
		if worst := pcatest.LargestDifference(average.Basis().Component, want.Component); worst > 1e-8 {
			t.Errorf("%s: the answer is %g off the directions of the mean", name, worst)
		}
	}
}

// iterate=best answers with the iterate that captures the most of rows that were not learned: not the last
// where the rows at the end are others.
func TestBestOfStates(t *testing.T) {
	const d, k, steps = 6, 1, 4000
	for _, name := range []string{"msg:schedule=constant,c=0.5", "capped-msg:schedule=constant,c=0.5"} {
		s := pcatest.StartOf(t, name+",iterate=best", method.Problem{Cols: d, K: k, Seed: 2})
		learn := func(i, n int) {
			for range n {
				s.Learn(viewOf(axisOf(i, d)))
			}
		}
		learn(0, steps*3/4)
		learn(1, steps/4)
		w := walkOf(s)
		if b := s.Basis(); math.Abs(b.Component[0]) < 0.99 || math.Abs(w.a.Directions(1)[1]) < 0.99 {
			t.Errorf("%s: found %v, and %v at last", name, b.Component, w.a.Directions(1))
		}
		if share := float64(w.jury.taken) / steps; share < 0.05 || share > 0.08 || w.cost.Steps != steps-w.jury.taken {
			t.Errorf("%s: %d rows kept apart and %d learned of %d", name, w.jury.taken, w.cost.Steps, steps)
		}
	}
}

// The rows kept apart are a uniform sample of all, of as many as there is memory for.
func TestJuryIsASample(t *testing.T) {
	const rows = 40000
	j := &jury{seed: 1, cols: 1}
	for i := range rows {
		j.takes([]float64{float64(i)})
	}
	mean, deviation := algebra.Total(j.rows)/juryRows, rows/math.Sqrt(12*juryRows)
	if len(j.rows) != juryRows || math.Abs(mean-rows/2) > 4*deviation {
		t.Errorf("%d rows of %d, their mean number is %g", len(j.rows), j.taken, mean)
	}
}

// Row 24 on the states: what a state tells of its regret is what is measured from outside, and within its
// bound on every sequence, for all schedules that the bound is about.
func TestRegretOfStates(t *testing.T) {
	t.Parallel()
	const d, k, steps = 7, 2, 400
	for spec, proved := range map[string]bool{
		"msg": true, "msg:schedule=constant,c=0.07": true, "msg:schedule=inverse,c=3": true, "capped-msg": false, "capped-msg:cap=7": true,
		"warmuth-kuzmin": false, "warmuth-kuzmin:schedule=constant,c=0.1": true, "warmuth-kuzmin:schedule=constant,c=3,start=uniform": true, "warmuth-kuzmin:schedule=constant,c=0.0005": true,
	} {
		colon := ":"
		if strings.Contains(spec, ":") {
			colon = ","
		}
		for name, next := range adversaries(d, k, steps) {
			s := pcatest.StartOf(t, fmt.Sprint(spec, colon, "regret=yes"), method.Problem{Cols: d, K: k, Seed: 24})
			outside, x := NewRegret(d, k), make([]float64, d)
			for step := range steps {
				m := denseWalk{walkOf(s)}.copyTo(nil)
				rows := viewOf(next(step, m))
				rows.Row(x, 0)
				outside.AddM(x, pcatest.Quadratic(m, x))
				s.Learn(rows)
			}
			r, ok := s.(interface{ Regret() (Regretted, bool) }).Regret()
			if !ok || r.Rows != steps || math.Abs(r.Mean-outside.Mean()) > 1e-10 || math.Abs(r.Best-outside.Best()) > 1e-12 {
				t.Fatalf("%s, %s: found %+v, %v, expected a regret of %g beside %g", spec, name, r, ok, outside.Mean(), outside.Best())
			}
			again := pcatest.StartOf(t, fmt.Sprint(spec, colon, "regret=yes"), method.Problem{Cols: d, K: k, Seed: 24})
			if err := method.Restore(again, method.Keep(s)); err != nil {
				t.Fatal(err)
			}
			if kept, _ := again.(interface{ Regret() (Regretted, bool) }).Regret(); kept != r {
				t.Errorf("%s, %s: found %+v after it was kept, expected %+v", spec, name, kept, r)
			}
			if math.IsInf(r.Bound, 1) == proved || r.Mean > r.Bound {
				t.Errorf("%s, %s: regret %g, bound %g", spec, name, r.Mean, r.Bound)
			}
		}
	}
	if _, ok := pcatest.StartOf(t, "msg", method.Problem{Cols: d, K: k}).(*msg).Regret(); ok {
		t.Error("found a regret that was not asked for")
	}
}

func TestOutputRefuses(t *testing.T) {
	for spec, want := range map[string]string{"msg:iterate=average": "iterate=average: found 3000 features", "warmuth-kuzmin:regret=yes": "regret=yes: found 3000 features", "msg:iterate=mean": "iterate", "capped-msg:round=up": "round"} {
		m, err := method.New(spec)
		if err == nil {
			err = method.Accepts(m, method.Problem{Cols: 3000, K: 2})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, expected %q", spec, err, want)
		}
	}
	m, _ := method.New("capped-msg:round=systematic")
	if err := method.Accepts(m, method.Problem{Cols: 1 << 20, K: 2}); err == nil {
		t.Error("rounding was accepted where not all eigenvalues are kept")
	}
}

// viewOf is one row.
func viewOf(x []float64) view.Rows { return view.Rows{X: denseRow(x)} }
