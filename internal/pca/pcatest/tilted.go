package pcatest

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Spectra are those of [Table], Moves the ways of [Tilted].
var (
	Spectra = []string{"random", "deficient", "tied", "clustered", "steep", "zero", "axes", "equal"}
	Moves   = []string{"none", "means", "factors", "both", "huge", "tiny", "sparse", "sparse means"}
)

// Table returns n x d numbers.
func Table(rng *rand.Rand, n, d int, spectrum string) []float32 {
	x := make([]float64, n*d)
	rank := d
	if spectrum == "deficient" {
		rank = 1 + rng.IntN(d)
	}
	directions := algebra.RandomBasis(rng.Uint64(), rank, d)
	for i := range n {
		for l := range rank {
			size := rng.NormFloat64()
			switch spectrum {
			case "clustered":
				size *= 1 + 1e-6*float64(l)
			case "steep":
				size *= math.Pow(10, -float64(l))
			}
			vec.Axpy64(x[i*d:(i+1)*d], size, directions[l*d:(l+1)*d])
		}
		switch spectrum {
		case "tied": // equal numbers of plus and minus each axis
			clear(x[i*d : (i+1)*d])
			x[i*d+i%d] = 1 - 2*float64(i/d%2)
		case "axes":
			clear(x[i*d : (i+1)*d])
			x[i*d+rng.IntN(d)] = float64(1 + rng.IntN(2))
		case "equal":
			copy(x[i*d:(i+1)*d], x[:d])
		case "zero":
			clear(x)
		}
	}
	out := make([]float32, n*d)
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// Tilted returns rows with an offset and the like.
func Tilted(rng *rand.Rand, value []float32, n, d int, move string) view.Rows {
	x := view.Rows{X: &matrix.Dense{Rows: n, Cols: d, Value: value}}
	offset, factor := make([]float64, d), make([]float64, d)
	for j := range d {
		factor[j] = math.Exp(rng.NormFloat64())
		for i := range n {
			if move == "means" || move == "both" || move == "sparse means" {
				value[i*d+j] += float32(1000 * float64(j+1))
			}
			offset[j] += float64(value[i*d+j]) / float64(n)
		}
	}
	switch move {
	case "means", "sparse means":
		x.Offset = offset
	case "both":
		x.Offset, x.Factor = offset, factor
	case "factors":
		x.Factor = factor
	case "huge", "tiny":
		by := math.Pow(10, 18)
		if move == "tiny" {
			by = math.Pow(10, -18)
		}
		for i := range value {
			value[i] *= float32(by)
		}
	}
	if move == "sparse" || move == "sparse means" {
		for i := range value {
			if rng.IntN(2) == 0 {
				value[i] = 0
			}
		}
		x.X = matrix.Transpose(matrix.Transpose(x.X))
	}
	return x
}

// Many returns so many rows that their certificate sums in single precision, with a gap
// below the first k eigenvalues.
func Many(k int, gap float64) view.Rows {
	const n, d = 20000, 450
	rng := rand.New(rand.NewPCG(12, 10))
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range x.Value {
		size := 1.0
		if i%d < k {
			size += gap
		}
		x.Value[i] = float32(size * (rng.Float64() - 0.5))
	}
	return view.Rows{X: x}
}
