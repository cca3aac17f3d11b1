package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A relaxed state is its eigenvalues and directions, its
// rounding is a mean of projections that captures as much, and its regret is within
// the bound of the theory.
func TestRelaxedStatesCanBeUsed(t *testing.T) {
	const n, d, k = 3000, 9, 3
	rng := rand.New(rand.NewPCG(11, 1))
	for _, spec := range []string{"msg", "capped-msg", "warmuth-kuzmin", "rmsg"} {
		m, err := method.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		state := m.(method.Streaming).Start(method.Problem{Cols: d, K: k, Seed: 1, Squared: 1, Fourth: 1}).(Relaxed)
		regret := NewRegret(d, k)
		x, row := make([]float64, d), make([]float32, d)
		for range n {
			norm := 0.0
			for j := range x {
				row[j] = float32(rng.NormFloat64() / float64(1+j))
				norm += float64(row[j]) * float64(row[j])
			}
			for j := range x {
				row[j] /= float32(math.Sqrt(norm))
				x[j] = float64(row[j])
			}
			regret.AddM(x, state.Captured(x))
			state.Learn(view.Rows{X: &matrix.Dense{Rows: 1, Cols: d, Value: row}})
		}
		if mean := regret.Mean(); !(mean < 2*math.Sqrt(k/float64(n))*2) {
			t.Errorf("%s: regret %.3g, expected less", spec, mean)
		}
		p, u := state.Eigenvalues(), state.Directions()
		if len(u) != len(p)*d {
			t.Fatalf("%s: found %d eigenvalues and %d numbers of directions", spec, len(p), len(u))
		}
		captured := func(index []int) (sum float64) {
			for _, i := range index {
				dot := 0.0
				for j, v := range x {
					dot += u[i*d+j] * v
				}
				sum += dot * dot
			}
			return sum
		}
		pieces, err := Decompose(p, k)
		if spec == "rmsg" && err != nil {
			continue // a background has a part of the trace
		}
		if err != nil {
			t.Fatal(spec, err)
		}
		mean := 0.0
		for _, piece := range pieces {
			mean += piece.Probability * captured(piece.Index)
		}
		if want := state.Captured(x); math.Abs(mean-want) > 1e-9 {
			t.Errorf("%s: rounding captures %.12g on average, expected %.12g", spec, mean, want)
		}
	}
}
