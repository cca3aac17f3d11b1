package view

import "context"

// What the tests see besides.
var (
	SingleSecond = singleSecond
	RawSecond    = rawSecond
)

// SparseProduct sets dst to the product of q, m x d, with the second moment of sparse rows, of
// which some are multiplied at a time.
func SparseProduct(ctx context.Context, x Rows, atOnce, threads int, dst, q []float64, m int) error {
	return sparseMoment(x, atOnce, threads).Apply(ctx, dst, q, m)
}
