package vec

import "math"

// SparseOuters adds to the lower triangle of h, size rows of size numbers, the outer
// products of the rows of a matrix, as SparseDots has it, with themselves, each times its
// element of scale unless that is 0, in order: for columns j and l <= j of a row, whose values are y and z,
//
//	h[j][l] = fma(scale*y, z, h[j][l])
//
// What it leaves above the diagonal is unspecified. x is room for the values of the longest row, in
// double precision. A column that h does not have panics. The kernel goes over four rows
// of h at a time, and over four columns where they are beside each other.
func SparseOuters(h []float64, size int, scale []float64, start []int64, index []uint32, value []float32, x []float64) {
	index, start, h = index[:len(value)], start[:len(scale)+1], h[:size*size]
	for i := sparseOuters(h, size, scale, start, index, value, x); i < len(scale); i++ {
		if lo, hi := start[i], start[i+1]; scale[i] != 0 {
			sparseOuterPortable(h, size, scale[i], index[lo:hi], value[lo:hi])
		}
	}
}

// SparseOuter64 is SparseOuters of one row in double precision.
func SparseOuter64(h []float64, size int, scale float64, index []uint32, value []float64) {
	sparseOuterPortable(h, size, scale, index, value)
}

func sparseOuterPortable[X Float](h []float64, size int, scale float64, index []uint32, value []X) {
	for k, v := range value {
		c, row := float64(scale*float64(v)), h[int(index[k])*size:][:size]
		for l, v := range value[:k+1] {
			j := index[l]
			row[j] = math.FMA(c, float64(v), row[j])
		}
	}
}
