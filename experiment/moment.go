package experiment

import (
	"github.com/fenchel-ml/fenchel/pca"
	"github.com/fenchel-ml/fenchel/vec"
)

// A mean is the empirical second moment as a state: empirical risk minimisation at
// every step, which costs d^2 a row and d^3 each time that it is asked. The gold
// standard of the reference, 2.1.
type mean struct {
	k, d  int
	rows  int
	sum   []float64 // d x d, of x x^T
	value []float64
	eigen vec.Eigensystem

	x, work, vectors []float64 // scratch
}

func newMean(p pca.Problem) *mean {
	d := p.Cols
	return &mean{k: p.K, d: d, sum: make([]float64, d*d), value: make([]float64, d),
		x: make([]float64, d), work: make([]float64, d*d), vectors: make([]float64, d*d)}
}

// Learn implements pca.State.
func (m *mean) Learn(x pca.Rows) {
	n, _ := x.Dims()
	for i := range n {
		x.Row(m.x, i)
		for j, v := range m.x {
			if v != 0 {
				vec.Axpy64(m.sum[j*m.d:(j+1)*m.d], v, m.x)
			}
		}
	}
	m.rows += n
}

// Basis implements pca.State.
func (m *mean) Basis() pca.Basis {
	copy(m.work, m.sum)
	m.eigen.Decompose(m.value, m.vectors, m.work, m.d, 1)
	return pca.Basis{K: m.k, Cols: m.d, Component: append([]float64{}, m.vectors[:m.k*m.d]...)}
}

// Keep implements pca.State.
func (m *mean) Keep(k *pca.Kept) {
	k.Count("rows", &m.rows)
	k.List("sum", &m.sum)
}

// secondMoment returns (1/n) sum_i x_i x_i^T, d x d numbers.
func secondMoment(x pca.Rows, threads int) []float64 {
	const block = 512
	n, d := x.Dims()
	all := vec.Block[float64]{Value: make([]float64, d*d), Rows: d, Cols: d, Stride: d}
	part := make([]float64, block*d)
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		for i := lo; i < hi; i++ {
			x.Row(part[(i-lo)*d:(i-lo+1)*d], i)
		}
		vec.SyrkCols64(all, vec.Block[float64]{Value: part, Rows: hi - lo, Cols: d, Stride: d}, threads)
	}
	for j := range all.Value {
		all.Value[j] /= float64(n)
	}
	return all.Value
}

// against returns the judge by a second moment, of which it finds the eigenvalues:
// d x d numbers, or d of a diagonal one.
func against(second []float64, k, d, threads int) judge {
	value := make([]float64, d)
	dense := make([]float64, d*d)
	if len(second) == d {
		for j, v := range second {
			dense[j*d+j] = v
		}
	} else {
		copy(dense, second)
	}
	vec.Eigen(value, nil, dense, d, threads)
	var best vec.Sum
	for _, v := range value[:k] {
		best.Add(v)
	}
	return func(b pca.Basis) float64 { return pca.Suboptimality(second, best.Value(), b) }
}
