package pca

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/pca/view"
)

// What package view says of rows.
type (
	Rows = view.Rows
	Work = view.Work
)

// Preprocess returns rows that are centred and scaled as asked: see [view.Preprocess].
func Preprocess(x matrix.Matrix, scale string, center bool, threads int) (Rows, error) {
	return view.Preprocess(x, scale, center, threads)
}

// ColumnMeans returns the mean of every column.
func ColumnMeans(x matrix.Matrix, threads int) []float64 { return view.ColumnMeans(x, threads) }
