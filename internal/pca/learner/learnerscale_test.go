package learner

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// late returns rows of which half of the features do not vary before row 2500: three
// are 0 until then and three are 3.
func late(n int, dense bool) matrix.Matrix {
	x := streamed(n, 12, true).(*matrix.Dense)
	for i := range n {
		row := x.Value[i*12 : (i+1)*12]
		for j := range 6 {
			if row[j] = float32(j / 3 * 3); i >= 2500 {
				row[j] += 100 * (row[6+j] + row[11-j])
			}
		}
	}
	if dense {
		return x
	}
	s := rowStore{}
	for i := range n {
		v := matrix.Vector{Index: []uint32{}}
		for j, value := range x.Row(i).Value {
			if value != 0 {
				v.Index, v.Value = append(v.Index, uint32(j)), append(v.Value, value)
			}
		}
		s.add(v)
	}
	return s.matrix(12)
}

// Scaling is that of all rows learned, whatever the first were like: a feature that was
// constant then is not lost, and what was learned before is scaled along.
func TestLearnerScaleFollows(t *testing.T) {
	const n, d, k = 6000, 12, 3
	for _, c := range []struct {
		spec  string
		least float64 // share of the best; the row of the mean's move upsets short steps for long, scaled or not
	}{{"", 1 - 1e-9}, {"erm", 1 - 1e-9}, {"incremental:memory=12", 1 - 1e-9}, {"history", 1 - 1e-6}, {"frequent-directions:memory=13", 0.999},
		{"ipca:batch=500", 0.99}, {"oja", 0.35}, {"adaoja", 0.9}, {"capped-msg", 0.35}, {"ccipca", 0.9}, {"block-power", 0.9}} {
		for _, scale := range []string{"std", "thesis", "norm"} {
			for _, center := range []bool{true, false} {
				if scale == "thesis" && !center {
					continue
				}
				for _, dense := range []bool{true, false} {
					name := fmt.Sprintf("%s, scale %s, center %v, dense %v", c.spec, scale, center, dense)
					var m method.Streaming = summing{}
					if c.spec != "" {
						algorithm, err := methods.New(c.spec)
						if err != nil {
							t.Fatal(err)
						}
						m = algorithm.(method.Streaming)
					}
					l := NewLearner(m, method.Problem{Cols: d, K: k, Seed: 1}, center, scale)
					x := late(n, dense)
					if err := l.Learn(matrix.Part(x, 0, 4000)); err != nil {
						t.Fatal(err)
					}
					again := NewLearner(m, method.Problem{Cols: d, K: k, Seed: 1}, center, scale)
					if err := method.Restore(again, method.Keep(l)); err != nil {
						t.Fatal(name, err)
					}
					for _, l := range []*Learner{l, again} {
						if err := l.Learn(matrix.Part(x, 4000, n)); err != nil {
							t.Fatal(err)
						}
					}
					a, err := l.Answer()
					if err != nil {
						t.Fatal(err)
					}
					if b, err := again.Answer(); err != nil || !slices.Equal(a.Basis.Component, b.Basis.Component) || !slices.Equal(a.Factor, b.Factor) {
						t.Errorf("%s: another answer of a stream that was taken up again: %v", name, err)
					}
					follows(t, name, x, a, scale, center, c.least)
				}
			}
		}
	}
}

// follows checks an answer against the learned rows, scaled when all of them are there.
func follows(t *testing.T, name string, x matrix.Matrix, a Answer, scale string, center bool, least float64) {
	t.Helper()
	n, d := x.Dims()
	var learned []int
	for i := range n {
		if !slices.Contains(a.HeldOut, i) {
			learned = append(learned, i)
		}
	}
	exact, err := view.Preprocess(matrix.Subset(x, learned), scale, center, 1)
	if err != nil {
		t.Fatal(err)
	}
	for j, f := range exact.Factor {
		if math.Abs(a.Factor[j]-f) > 1e-9*f {
			t.Errorf("%s: found the factors %v, expected %v", name, a.Factor, exact.Factor)
			return
		}
	}
	second := secondOf(exact)
	values := make([]float64, d)
	new(algebra.Eigensystem).Decompose(values, slices.Clone(second), d) // it overwrites its argument
	best := algebra.Total(values[:a.Basis.K])
	if trace := algebra.Total(values); math.Abs(a.Total-trace) > 1e-9*trace {
		t.Errorf("%s: found the total %v, expected %v", name, a.Total, trace)
	}
	if captured := method.Captured(second, a.Basis); captured < least*best {
		t.Errorf("%s: captured %v, expected at least %v of %v", name, captured, least, best)
	}
}
