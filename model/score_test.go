package model

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// scorers are models of every way to score, of d features and k outputs.
func scorers(t testing.TB, d, k int) map[string]*Model {
	t.Helper()
	weights, offset, factor := make([]float64, d), make([]float64, d), make([]float64, d)
	for j := range d {
		weights[j], offset[j], factor[j] = math.Sqrt(float64(j+1)), float64(j%3)-1, 1/float64(j+2)
	}
	scaling, err := scaling.Restore("std", offset, factor)
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]*Model{}
	for name, s := range map[string]*data.Scaling{"plain": nil, "scaled": scaling} {
		m := &Model{Data: Data{Features: d}, Scaling: s, Statement: Statement{Loss: "logistic"}}
		for c := range k {
			m.Outputs = append(m.Outputs, Output{Weights: weights, Bias: float64(c)})
		}
		if m.Classes = []string{"no", "yes"}; k > 1 {
			m.Classes = make([]string, k)
		}
		if err := m.Seal(); err != nil {
			t.Fatal(err)
		}
		models[name] = m
	}
	return models
}

// machineLike makes a kernel machine with the scaling and the outputs of a
// linear model, of three support vectors.
func machineLike(m *Model) *Model {
	d := m.Cols()
	rows := &matrix.CSR{Cols: d, Start: []int64{0, 1, 2, 3}, Index: []uint32{0, 3, uint32(d - 1)}, Value: []float32{1, -1, 0.5}}
	machine := &Model{Data: m.Data, Scaling: m.Scaling, Statement: m.Statement, Classes: m.Classes, link: m.link,
		Support: &Support{Kernel: kernel.RBF{Gamma: 0.01}, Rows: rows}}
	for _, o := range m.Outputs {
		machine.Outputs = append(machine.Outputs, Output{Weights: o.Weights[:3], Bias: o.Bias})
	}
	return machine
}

// rowsOf are rows of d columns, dense and sparse, shorter and longer than d.
func rowsOf(d int) map[string]matrix.Vector {
	rows := map[string]matrix.Vector{"empty": {Index: []uint32{}}}
	for name, n := range map[string]int{"full": d, "short": d - 3, "long": d + 3} {
		value, index := make([]float32, n), make([]uint32, n)
		for j := range n {
			value[j], index[j] = float32(j)-1.5, uint32(j)
		}
		rows["dense "+name], rows["sparse "+name] = matrix.Vector{Value: value}, matrix.Vector{Index: index, Value: value}
	}
	return rows
}

// Scores are the definition: <w, (x - offset) factor> + b over all d features,
// whatever the storage, and whatever other rows were scored before.
func TestScoreIsTheDefinition(t *testing.T) {
	const d = 20
	for name, m := range scorers(t, d, 3) {
		for kind, x := range rowsOf(d) {
			want := 0.0
			for j := range d {
				v := 0.0
				for k, value := range x.Value {
					if x.Column(k) == j {
						v = float64(value)
					}
				}
				if s := m.Scaling; s != nil {
					v = (v - s.Offset[j]) * s.Factor[j]
				}
				want += v * m.Outputs[0].Weights[j]
			}
			scores := m.Scores([]float64{7}, x)
			if len(scores) != 4 || scores[0] != 7 {
				t.Fatalf("%s, %s: found %v, expected three scores appended", name, kind, scores)
			}
			for c, score := range scores[1:] {
				if math.Abs(score-want-float64(c)) > 1e-5 {
					t.Errorf("%s, %s: output %d scores %g, expected %g", name, kind, c, score, want+float64(c))
				}
			}
			if score := m.Score(x); score != scores[1] {
				t.Errorf("%s, %s: Score gives %g, Scores %g", name, kind, score, scores[1])
			}
			if class := m.Predict(x); class != 2 {
				t.Errorf("%s, %s: predicts %g, expected the class of the highest score", name, kind, class)
			}
		}
	}
}

// ScoreRows gives the bits of Scores, for any block of rows.
func TestScoreRows(t *testing.T) {
	for _, spec := range []string{"@text:n=50,d=40,nnz=7", "@linear:n=50,d=40"} {
		set, err := data.Read(t.Context(), []string{spec}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{1, 3} {
			for _, d := range []int{30, 40, 45} {
				models := scorers(t, d, k)
				models["machine"], models["scaled machine"] = machineLike(models["plain"]), machineLike(models["scaled"])
				for name, m := range models {
					for _, block := range [][2]int{{0, 50}, {7, 8}, {20, 45}, {9, 9}} {
						lo, hi := block[0], block[1]
						want, got := []float64{}, make([]float64, k*(hi-lo)+2)
						for i := lo; i < hi; i++ {
							want = m.Scores(want, set.X.Row(i))
						}
						m.ScoreRows(got, set.X, lo, hi)
						if !slices.Equal(got[:len(want)], want) || got[len(want)] != 0 {
							t.Errorf("%s, %s, %d features, rows %v: found %v, expected %v", spec, name, d, block, got, want)
						}
					}
				}
			}
		}
	}
}

// A row costs no memory: neither its score, nor its class, nor probabilities.
func TestScoringDoesNotAllocate(t *testing.T) {
	if racing {
		t.Skip("the race detector makes pools forget")
	}
	for _, k := range []int{1, 3, 20} {
		models := scorers(t, 50, k)
		models["machine"], models["scaled machine"] = machineLike(models["plain"]), machineLike(models["scaled"])
		for name, m := range models {
			dst := make([]float64, 0, 2*k+2)
			for kind, x := range rowsOf(50) {
				for what, score := range map[string]func(){
					"Score":         func() { m.Score(x) },
					"Scores":        func() { m.Scores(dst, x) },
					"Predict":       func() { m.Predict(x) },
					"Class":         func() { m.Class(x) },
					"Probabilities": func() { scores := m.Scores(dst, x); m.Probabilities(scores, scores) },
				} {
					if allocations := testing.AllocsPerRun(200, score); allocations != 0 {
						t.Errorf("%d outputs, %s, %s: %s makes %g allocations", k, name, kind, what, allocations)
					}
				}
			}
		}
	}
}

// Goroutines that score do not see each other. (The race detector agrees.)
func TestScoringTogether(t *testing.T) {
	models, rows := scorers(t, 30, 3), rowsOf(30)
	models["machine"], models["scaled machine"] = machineLike(models["plain"]), machineLike(models["scaled"])
	want := map[string]string{}
	for name, m := range models {
		for kind, x := range rows {
			want[name+kind] = fmt.Sprint(m.Scores(nil, x), m.Predict(x))
		}
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				for name, m := range models {
					for kind, x := range rows {
						if got := fmt.Sprint(m.Scores(nil, x), m.Predict(x)); got != want[name+kind] {
							t.Errorf("%s, %s: found %s, expected %s", name, kind, got, want[name+kind])
						}
					}
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkScore scores rows of 60 values, one at a time.
func BenchmarkScore(b *testing.B) {
	set := benchmarkRows(b)
	rows, cols := set.X.Dims()
	for _, k := range []int{1, 20} {
		for _, kind := range []string{"none", "max"} {
			m := scorers(b, cols, k)["plain"]
			var err error
			if m.Scaling, err = scaling.New(kind, set); err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("outputs=%d/scaling=%s", k, kind), func(b *testing.B) {
				dst := make([]float64, 0, k)
				b.SetBytes(8 * matrix.Nonzeros(set.X) / int64(rows))
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					m.Scores(dst, set.X.Row(i%rows))
					i++
				}
				b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

func benchmarkRows(b *testing.B) *data.Set {
	set, err := data.Read(b.Context(), []string{"@text:n=20000"}, data.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return set
}
