package pcatest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Missed returns the suboptimality for a diagonal second moment, descending.
func Missed(b method.Basis, k int, sigma []float64) float64 {
	best, captured := 0.0, 0.0
	for _, s := range sigma[:k] {
		best += s
	}
	for i, u := range b.Component {
		captured += u * u * sigma[i%b.Cols]
	}
	return best - captured
}

// StartOf starts the streaming method that spec describes.
func StartOf(t testing.TB, spec string, p method.Problem) method.State {
	t.Helper()
	m, err := method.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := method.Accepts(m, p); err != nil {
		t.Fatal(err)
	}
	return m.(method.Streaming).Start(p)
}

// A Gaussian is rows with eigenvalues 6, 5, 4, 1, ..., 1 along random axes.
type Gaussian struct {
	Rows view.Rows
	Axes []float64 // d x d, orthonormal
}

// EasyDims and EasyK are those of easy problems, see [Gaussian].
const EasyDims, EasyK = 30, 3

// EasyValue returns eigenvalue j of a [Gaussian].
func EasyValue(j int) float64 {
	if j < EasyK {
		return float64(6 - j)
	}
	return 1
}

// NewGaussian returns n rows of d features.
func NewGaussian(seed uint64, n, d int) Gaussian {
	g := Gaussian{Axes: algebra.RandomBasis(seed, d, d)}
	rng := rand.New(rand.NewPCG(seed, 77))
	m := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	x := make([]float64, d)
	for i := range n {
		clear(x)
		for j := range d {
			vec.Axpy64(x, math.Sqrt(EasyValue(j))*rng.NormFloat64(), g.Axes[j*d:(j+1)*d])
		}
		for j, v := range x {
			m.Value[i*d+j] = float32(v)
		}
	}
	g.Rows = view.Rows{X: m}
	return g
}

// Missed returns the part of the optimum that b does not capture of the population.
func (g Gaussian) Missed(b method.Basis) float64 {
	best, captured := 0.0, 0.0
	for j := range b.Cols {
		if j < b.K {
			best += EasyValue(j)
		}
		for i := range b.K {
			y := vec.Dot64(b.Row(i), g.Axes[j*b.Cols:(j+1)*b.Cols])
			captured += EasyValue(j) * y * y
		}
	}
	return (best - captured) / best
}

// MissedOf returns the part of the best captured by k directions of rows that b
// does not capture.
func MissedOf(x view.Rows, b method.Basis) float64 {
	sigma := SecondOf(x)
	captured := method.Captured(sigma, b)
	values := make([]float64, b.Cols)
	new(algebra.Eigensystem).Decompose(values, sigma, b.Cols)
	return 1 - captured/algebra.Total(values[:b.K])
}

// ProblemOf says all of x that a Problem says.
func ProblemOf(x view.Rows, k int) method.Problem {
	n, d := x.Dims()
	p := method.Problem{Rows: n, Cols: d, K: k, Seed: 5, Threads: 1}
	p.Squared, p.Fourth = x.Sizes(1)
	return p
}

// SameBits compares what two runs found.
func SameBits(t *testing.T, what string, a, b method.Basis) {
	t.Helper()
	equal := len(a.Component) == len(b.Component) && len(a.Value) == len(b.Value)
	for i := 0; equal && i < len(a.Component); i++ {
		equal = math.Float64bits(a.Component[i]) == math.Float64bits(b.Component[i])
	}
	for i := 0; equal && i < len(a.Value); i++ {
		equal = math.Float64bits(a.Value[i]) == math.Float64bits(b.Value[i])
	}
	if !equal {
		t.Errorf("%s: other bits", what)
	}
}

// SameLists reports whether what was kept of two states is the same.
func SameLists(a, b map[string][]float64) bool {
	if len(a) != len(b) {
		return false
	}
	for name, list := range a {
		if !slices.Equal(list, b[name]) {
			return false
		}
	}
	return true
}
