package learner

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// A Shard is what is known of some of the rows.
type Shard struct {
	Rows  int
	Basis method.Basis // with the variance along each component
	Mean  []float64    // of the rows before scaling; nil: not centred
	Total float64      // mean squared norm, about the mean
}

// Merge returns what is known of the rows of all shards together, of which the
// features were scaled by the same factor (nil: by none): the k best components of
//
//	Sigma = sum_s (n_s/n) ( U_s^T diag(Value_s) U_s + (m_s - m) (m_s - m)^T ),
//
// with the scaled means m_s and that of all rows m. What a shard left out is
// missing here too: k components of each are enough where the shards are alike.
// Fewer than k come back where the sum has a smaller rank.
func Merge(shards []Shard, factor []float64, k int) Shard {
	d := shards[0].Basis.Cols
	all := Shard{Mean: mixedMean(shards)}
	for _, s := range shards {
		all.Rows += s.Rows
	}
	var stack []float64
	for _, s := range shards {
		share := float64(s.Rows) / float64(all.Rows)
		all.Total += float64(share * s.Total)
		for i, v := range s.Basis.Value {
			stack = append(stack, s.Basis.Row(i)...)
			algebra.Scale(stack[len(stack)-d:], math.Sqrt(float64(share*max(v, 0))))
		}
		if all.Mean != nil {
			stack = append(stack, s.Mean...)
			away := stack[len(stack)-d:]
			vec.Axpy64(away, -1, all.Mean)
			for j, f := range factor {
				away[j] *= f
			}
			algebra.Scale(away, math.Sqrt(share))
			all.Total += vec.SquaredNorm64(away)
		}
	}
	all.Basis = principal(stack, len(stack)/d, d, k)
	return all
}

// mixedMean returns the mean of all rows, nil where rows are not centred.
func mixedMean(shards []Shard) []float64 {
	if shards[0].Mean == nil {
		return nil
	}
	n := 0
	for _, s := range shards {
		n += s.Rows
	}
	mean := make([]float64, len(shards[0].Mean))
	for _, s := range shards {
		vec.Axpy64(mean, float64(s.Rows)/float64(n), s.Mean)
	}
	return mean
}

// principal returns the k best components of the m rows of a, and the squares of
// its singular values, by the products of the rows with each other; fewer where a
// has a smaller rank.
func principal(a []float64, m, d, k int) method.Basis {
	gram := make([]float64, m*m)
	blas.SyrkRows64(algebra.Block(gram, m, m), algebra.Block(a, m, d), 1)
	var e algebra.Eigensystem
	value := make([]float64, m)
	vectors := e.Decompose(value, gram, m)
	k = min(k, m, d)
	for k > 0 && !(value[k-1] > algebra.Negligible*value[0]) {
		k--
	}
	b := method.Basis{K: k, Cols: d, Component: algebra.Combine(nil, vectors, a, k, m, d), Value: value[:k]}
	algebra.Orthonormalise(b.Component, k, d)
	return b
}
