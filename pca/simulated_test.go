package pca

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// The simulated distributions of the reference, 3.2, in 32 dimensions.
const simulatedCols = 32

// simulatedMoment returns the diagonal of Sigma^(k), of trace 1.
func simulatedMoment(k int) []float64 {
	sum := 0.0
	sigma := make([]float64, simulatedCols)
	for i := range sigma {
		sigma[i] = math.Pow(1.1, -float64(i+1))
		sum += sigma[i]
	}
	for i := range sigma {
		sigma[i] /= 2 * sum
		if i < k {
			sigma[i] += 1 / (2 * float64(k))
		}
	}
	return sigma
}

// simulated returns rows of a distribution and the diagonal of its second moment.
func simulated(name string, k, rows int, seed uint64) (Rows, []float64) {
	sigma := simulatedMoment(k)
	rng := rand.New(rand.NewPCG(seed, 32))
	x := &matrix.Dense{Rows: rows, Cols: simulatedCols, Value: make([]float32, rows*simulatedCols)}
	if name == "gaussian" {
		for i := range x.Value {
			x.Value[i] = float32(math.Sqrt(sigma[i%simulatedCols]) * rng.NormFloat64())
		}
		return Rows{X: x}, sigma
	}
	if name == "orthogonal-sqrt" {
		sum := 0.0
		for i, s := range sigma {
			sigma[i] = math.Sqrt(s)
			sum += sigma[i]
		}
		scale(sigma, 1/sum)
	}
	for i := range rows {
		u, at := rng.Float64(), 0
		for u -= sigma[0]; u > 0 && at+1 < simulatedCols; u -= sigma[at] {
			at++
		}
		x.Value[i*simulatedCols+at] = 1
	}
	return Rows{X: x}, sigma
}

// missed returns the suboptimality for a diagonal second moment, descending.
func missed(b Basis, k int, sigma []float64) float64 {
	best, captured := 0.0, 0.0
	for _, s := range sigma[:k] {
		best += s
	}
	for i, u := range b.Component {
		captured += u * u * sigma[i%b.Cols]
	}
	return best - captured
}

func startOf(t testing.TB, spec string, p Problem) State {
	t.Helper()
	m, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Accepts(p); err != nil {
		t.Fatal(err)
	}
	return m.(Streaming).Start(p)
}
