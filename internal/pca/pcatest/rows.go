package pcatest

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// SecondOf returns Sigma, formed from the rows as they are seen.
func SecondOf(r view.Rows) []float64 {
	n, d := r.Dims()
	a := make([]float64, d*d)
	r.Each(make([]float64, d), func(x []float64) { AddOuter(a, 1/float64(n), x) })
	return a
}

// Decaying returns n rows whose spectrum falls, of which a share is zero, dense
// or sparse, and some features have a mean.
func Decaying(n, d int, share float64, sparse bool) matrix.Matrix {
	rng := rand.New(rand.NewPCG(5, uint64(n*d)))
	full, csr := &matrix.Dense{Rows: n, Cols: d}, &matrix.CSR{Cols: d, Start: []int64{0}, Index: []uint32{}}
	for range n {
		common := rng.NormFloat64()
		var index []uint32
		var value []float32
		for j := range d {
			x := float32((rng.NormFloat64()+0.5*common)/(1+0.2*float64(j)) + float64(j%3))
			if rng.Float64() < share {
				x = 0
			} else {
				index, value = append(index, uint32(j)), append(value, x)
			}
			full.Value = append(full.Value, x)
		}
		csr.Append(index, value)
	}
	csr.Cols = d
	if sparse {
		return csr
	}
	return full
}

// SomeRows returns random rows, a third of the values not zero, dense or sparse,
// with an offset and factors or without.
func SomeRows(rng *rand.Rand, n, d int, sparse, moved bool) view.Rows {
	x := &matrix.CSR{Cols: d, Start: []int64{0}, Index: []uint32{}}
	full := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		var index []uint32
		var value []float32
		for j := range d {
			if rng.IntN(3) == 0 {
				v := float32(rng.NormFloat64())
				index, value = append(index, uint32(j)), append(value, v)
				full.Value[i*d+j] = v
			}
		}
		x.Append(index, value)
	}
	x.Cols = d
	r := view.Rows{X: full}
	if sparse {
		r.X = x
	}
	if moved {
		r.Offset, r.Factor = Normal(rng, d), Normal(rng, d)
	}
	return r
}

// TableOf returns the rows as the methods see them.
func TableOf(r view.Rows) []float64 {
	n, _ := r.Dims()
	return new(view.Formed[float64]).Form(r, 0, n, 1).Value
}

// SimulatedCols is how many dimensions the simulated distributions of the reference have, 3.2.
const SimulatedCols = 32

// simulatedMoment returns the diagonal of Sigma^(k), of trace 1.
func simulatedMoment(k int) []float64 {
	sum := 0.0
	sigma := make([]float64, SimulatedCols)
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

// Simulated returns rows of a distribution and the diagonal of its second moment.
func Simulated(name string, k, rows int, seed uint64) (view.Rows, []float64) {
	sigma := simulatedMoment(k)
	rng := rand.New(rand.NewPCG(seed, 32))
	x := &matrix.Dense{Rows: rows, Cols: SimulatedCols, Value: make([]float32, rows*SimulatedCols)}
	if name == "gaussian" {
		for i := range x.Value {
			x.Value[i] = float32(math.Sqrt(sigma[i%SimulatedCols]) * rng.NormFloat64())
		}
		return view.Rows{X: x}, sigma
	}
	if name == "orthogonal-sqrt" {
		sum := 0.0
		for i, s := range sigma {
			sigma[i] = math.Sqrt(s)
			sum += sigma[i]
		}
		algebra.Scale(sigma, 1/sum)
	}
	for i := range rows {
		u, at := rng.Float64(), 0
		for u -= sigma[0]; u > 0 && at+1 < SimulatedCols; u -= sigma[at] {
			at++
		}
		x.Value[i*SimulatedCols+at] = 1
	}
	return view.Rows{X: x}, sigma
}
