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
		state := m.(method.Streaming).Start(method.Problem{Cols: d, K: k, Seed: 1, Squared: 1, Fourth: 1}).(relaxed)
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

// A relaxed state is a matrix M of the relaxed problem, 0 <= M <= I of trace k. Its
// eigenvalues are what rounding takes, and what it captures of a row before it learns
// from it is what regret is made of.
type relaxed interface {
	Spectrum
	// Directions returns the directions of the eigenvalues, k' orthonormal rows of d numbers.
	Directions() []float64
	// Captured returns x^T M x, for d numbers x.
	Captured(x []float64) float64
}

// Directions returns those of M.
func (s *msg) Directions() []float64 { return s.a.Directions(s.a.Rank()) }

// Captured returns x^T M x for the M so far.
func (s *msg) Captured(x []float64) float64 { return s.a.weighted(x, s.a.Value, 0) }

func (s *msg) Outside() float64 { return outside(s.a.Value, s.k) }

// Directions returns those of M.
func (s *rmsg) Directions() []float64 { return s.a.Directions(s.a.Rank()) }

// Captured returns x^T M x for the M so far.
func (s *rmsg) Captured(x []float64) float64 { return s.a.weighted(x, s.a.Value, s.a.Background) }

// Outside counts the background too.
func (s *rmsg) Outside() float64 {
	return outside(s.a.Value, s.k) + float64(s.a.Background*float64(s.a.cols-max(s.k, s.a.Rank())))
}

// Directions returns those of M.
func (s *warmuthKuzmin) Directions() []float64 { return s.a.Directions(s.a.Rank()) }

// Captured returns x^T M x for the M so far.
func (s *warmuthKuzmin) Captured(x []float64) float64 { return s.a.weighted(x, s.Eigenvalues(), 0) }

func (s *warmuthKuzmin) Outside() float64 { return outside(s.Eigenvalues(), s.k) }

// Directions returns those of C_t.
func (s *incremental) Directions() []float64 { return s.a.Directions(s.a.Rank()) }

func (s *incremental) Outside() float64 { return outside(s.Eigenvalues(), s.k) }
