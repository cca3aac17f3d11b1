package support

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/problem"
)

// Longest returns the largest norm of a Phi(x_i); 1 if all are zero, or if the
// kernel has none.
func Longest(gram *gram.Gram, constant float64) float64 {
	if squared := slices.Max(gram.Diagonal) + constant; squared > 0 {
		return math.Sqrt(squared)
	}
	return 1
}

// Square returns K, row-major, with the constant of a bias that is a feature, in
// double precision; some of it, or nil, where over is reached.
func Square(p *problem.Kernel, over Limit) []float64 {
	n, gram := p.Len(), p.Gram
	m := allocate(n*n, over)
	if m == nil {
		return nil
	}
	if gram.Single() {
		gram = gram.InDouble(RowsOfSquare)
	}
	most := min(gram.Capacity(), RowsOfSquare)
	rows := make([]int, 0, most)
	for first := 0; first < n && !over.Reached(); first += most {
		rows = rows[:0]
		for i := first; i < min(first+most, n); i++ {
			rows = append(rows, i)
		}
		for k, row := range gram.Rows(rows) {
			copy(m[rows[k]*n:], row.Double)
		}
	}
	if p.Constant() != 0 {
		for i := range m {
			m[i] += p.Constant()
		}
	}
	return m
}

// RowsOfSquare is how many rows of K are asked for at once.
const RowsOfSquare = 256
