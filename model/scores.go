package model

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Scores returns the scores of every row, rows x outputs.
func Scores(m *Model, x matrix.Matrix, threads int) [][]float64 {
	n, _ := x.Dims()
	k := len(m.Outputs)
	scores, all := make([][]float64, n), make([]float64, n*k)
	parallel.Blocks(n, 1024, threads, func(_, lo, hi int) {
		m.ScoreRows(all[lo*k:hi*k], x, lo, hi)
		for i := lo; i < hi; i++ {
			scores[i] = all[i*k : (i+1)*k : (i+1)*k]
		}
	})
	return scores
}
