package pca

import (
	"context"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pose"
)

// How many components a share of the variance needs is not known beforehand: some are
// found, and four times as many if these are too few.

const (
	firstComponents = 32
	// nothingLeft is the part of the largest variance below which one is rounding.
	nothingLeft = 1e-12
)

// firstGuess returns how many components to begin with, of at most so many: all of them for share 0,
// where their number is to be the most likely one. Where they
// are more than a sixth of all, all are found by the same decomposition.
func firstGuess(most int, share float64) int {
	if share == 1 || share == 0 || 6*firstComponents > most {
		return most
	}
	return firstComponents
}

// solveShare finds the fewest components that capture the share.
func (j *pcaJob) solveShare(ctx context.Context) error {
	most := min(j.problem.Rows, j.problem.Cols)
	for {
		if err := j.solve(ctx); err != nil {
			return err
		}
		if j.cut != "" {
			k, _ := fewest(j.basis.Value, j.spec.Share*j.problem.Squared)
			if j.spec.Likeliest {
				k = j.basis.K // as variances beyond are not known
			}
			j.keep(max(k, 1))
			return nil
		}
		if j.spec.Likeliest {
			j.keep(j.likeliest())
			return nil
		}
		k, enough := fewest(j.basis.Value, j.spec.Share*j.problem.Squared)
		if k < 1 {
			return pose.DataError{Reason: fmt.Sprintf("found no direction in which the rows vary, expected components of %g of their variance", j.spec.Share)}
		}
		if enough || j.problem.K == most {
			j.keep(k)
			return nil
		}
		if j.problem.K *= 4; 6*j.problem.K > most {
			j.problem.K = most
		}
		if j.spec.K = j.problem.K; j.result.Why != "" {
			j.spec.Method = "auto"
		}
		if err := j.pick(); err != nil {
			return err
		}
	}
}

// likeliest returns the most likely number of components, of the eigenvalues of all.
func (j *pcaJob) likeliest() int {
	n, values := j.problem.Rows, make([]float64, j.problem.Cols)
	copy(values, j.basis.Value)
	algebra.Scale(values, float64(n)/float64(max(n-1, 1)))
	return minka(values, n)
}

// fewest returns how many of the falling values have the sum, or how many are more than
// rounding if these have not.
func fewest(value []float64, sum float64) (k int, enough bool) {
	captured := 0.0
	for k < len(value) && value[k] > nothingLeft*value[0] {
		captured += value[k]
		if k++; captured >= sum*(1-nothingLeft) {
			return k, true
		}
	}
	return k, false
}

// keep makes the first k components the answer, of a problem that asked for so many.
func (j *pcaJob) keep(k int) {
	j.basis.K, j.basis.Component, j.basis.Value = k, j.basis.Component[:k*j.basis.Cols], j.basis.Value[:k]
	j.spec.K, j.problem.K = k, k
}
