package pca

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Components of the observed numbers alone: missing ones are not replaced by means. The method ppca is told which
// are missing. A method that learns row by row is given rows whose missing numbers are those of their projections on the
// components so far, by least squares in the features that they have. GROUSE then moves as its authors have it: the
// residual is 0 in a feature that is missing. MSG moves as if these numbers had been observed. Means and deviations are
// those of the observed numbers of a feature.

// observe sets which numbers of the rows are missing, unless these are replaced by means.
func (j *pcaJob) observe() error {
	if !j.spec.Observes() {
		return nil
	}
	if j.spec.Missing = Observed; j.set.Gaps == nil {
		return nil
	}
	if j.spec.chooses() {
		j.spec.Method, j.result.Why = ppca, "numbers are missing"
	}
	n, d := j.set.X.Dims()
	j.rows.Missing = j.set.Missing()
	known := make([]int, d)
	for i := range known {
		known[i] = n
	}
	for _, g := range j.set.Gaps {
		known[g[1]]--
	}
	if i := slices.Index(known, 0); i >= 0 {
		return pose.DataError{Reason: fmt.Sprintf("feature %d has no number in any row: expected at least one, or to leave it out", i+1)}
	}
	if j.spec.Scale == "std" || j.spec.Scale == "thesis" { // computed of all rows, with means for missing numbers
		for i, seen := range known {
			j.rows.Factor[i] *= math.Sqrt(float64(seen) / float64(n))
		}
	}
	j.problem.Squared = observedSquare(j.rows, known)
	return nil
}

// observedSquare returns the sum over features of the mean square of the numbers that are there.
func observedSquare(x view.Rows, known []int) float64 {
	_, d := x.Dims()
	squares, row, i := make([]float64, d), make([]float64, d), 0
	x.Each(row, func(row []float64) {
		for _, j := range x.Missing[i] {
			row[j] = 0
		}
		for j, v := range row {
			squares[j] += float64(v * v)
		}
		i++
	})
	total := 0.0
	for j, s := range squares {
		total += s / float64(known[j])
	}
	return total
}

// completed returns rows whose missing numbers are those of their projections on the components.
func completed(x view.Rows, components func() method.Basis) view.Rows {
	missing := x.Missing
	x.Missing = nil
	if !slices.ContainsFunc(missing, func(gone []uint32) bool { return len(gone) > 0 }) {
		return x
	}
	b := components()
	n, d := x.Dims()
	out := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	row, z := make([]float64, d), make([]float64, b.K)
	for i, gone := range missing {
		into, stored := out.Value[i*d:(i+1)*d], x.X.Row(i)
		for k, v := range stored.Value {
			into[stored.Column(k)] = v
		}
		if len(gone) == 0 {
			continue
		}
		x.Row(row, i)
		for _, c := range gone {
			row[c] = 0
		}
		b.Observed(z, row, gone)
		for _, c := range gone {
			v := 0.0
			for l := range b.K {
				v += float64(z[l] * b.Row(l)[c])
			}
			if x.Factor != nil && x.Factor[c] != 0 {
				v /= x.Factor[c]
			}
			if x.Offset != nil {
				v += x.Offset[c]
			}
			into[c] = float32(v)
		}
	}
	x.X = out
	return x
}

// shift adds the mean that a method has found to the offset of the rows.
func (j *pcaJob) shift() {
	if j.basis.Shift == nil {
		return
	}
	offset := slices.Clone(j.rows.Offset)
	for i, v := range j.basis.Shift {
		if j.rows.Factor != nil && j.rows.Factor[i] != 0 {
			v /= j.rows.Factor[i]
		}
		offset[i] += v
	}
	j.rows.Offset, j.basis.Shift = offset, nil
}
