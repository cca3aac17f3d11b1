package pca

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/pca/internal/algebra"
	"github.com/fenchel-ml/fenchel/pca/view"
	"github.com/fenchel-ml/fenchel/vec"
)

// A gaussian is rows with eigenvalues 6, 5, 4, 1, ..., 1 along random axes.
type gaussian struct {
	rows view.Rows
	axes []float64 // d x d, orthonormal
}

const easyDims, easyK = 30, 3

func easyValue(j int) float64 {
	if j < easyK {
		return float64(6 - j)
	}
	return 1
}

func newGaussian(seed uint64, n, d int) gaussian {
	g := gaussian{axes: algebra.RandomBasis(seed, d, d)}
	rng := rand.New(rand.NewPCG(seed, 77))
	m := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	x := make([]float64, d)
	for i := range n {
		clear(x)
		for j := range d {
			vec.Axpy64(x, math.Sqrt(easyValue(j))*rng.NormFloat64(), g.axes[j*d:(j+1)*d])
		}
		for j, v := range x {
			m.Value[i*d+j] = float32(v)
		}
	}
	g.rows = view.Rows{X: m}
	return g
}

// missed returns the part of the optimum that b does not capture of the population.
func (g gaussian) missed(b Basis) float64 {
	best, captured := 0.0, 0.0
	for j := range b.Cols {
		if j < b.K {
			best += easyValue(j)
		}
		for i := range b.K {
			y := vec.Dot64(b.Row(i), g.axes[j*b.Cols:(j+1)*b.Cols])
			captured += easyValue(j) * y * y
		}
	}
	return (best - captured) / best
}

// missedOf returns the part of the best captured by k directions of rows that b
// does not capture.
func missedOf(x view.Rows, b Basis) float64 {
	n, d := x.Dims()
	sigma, row := make([]float64, d*d), make([]float64, d)
	captured := 0.0
	for i := range n {
		x.Row(row, i)
		for j, v := range row {
			vec.Axpy64(sigma[j*d:(j+1)*d], v, row)
		}
		for j := range b.K {
			y := vec.Dot64(b.Row(j), row)
			captured += y * y
		}
	}
	values, best := make([]float64, d), 0.0
	new(algebra.Eigensystem).Decompose(values, sigma, d)
	for _, v := range values[:b.K] {
		best += v
	}
	return (best - captured) / best
}

// problemOf says all of x that a Problem says.
func problemOf(x view.Rows, k int) Problem {
	n, d := x.Dims()
	p := Problem{Rows: n, Cols: d, K: k, Seed: 5, Threads: 1}
	row := make([]float64, d)
	for i := range n {
		x.Row(row, i)
		squared := vec.SquaredNorm64(row)
		p.Squared += squared / float64(n)
		p.Fourth += squared * squared / float64(n)
	}
	return p
}

// thinned is rows of which about a third is not zero, dense and sparse.
func thinned(n, d int) (dense, sparse view.Rows) {
	rng := rand.New(rand.NewPCG(6, 6))
	m := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	s := &matrix.CSR{Cols: d, Start: []int64{0}}
	for i := range n {
		length := rng.NormFloat64()
		for j := range d {
			if rng.IntN(3) == 0 {
				v := float32(rng.NormFloat64() + 3*length*float64(j%5)/5)
				m.Value[i*d+j] = v
				s.Index, s.Value = append(s.Index, uint32(j)), append(s.Value, v)
			}
		}
		s.Start = append(s.Start, int64(len(s.Value)))
	}
	factor := make([]float64, d)
	for j := range factor {
		factor[j] = 0.5 + rng.Float64()
	}
	return view.Rows{X: m, Factor: factor}, view.Rows{X: s, Factor: factor}
}
