package vec

// A sparse row is the columns index[k], strictly increasing, with the values
// value[k]. An index that is not below len(w) panics; no kernel reads or writes
// outside w, whatever the indices are.

// SparseDot returns sum_k w[index[k]]*value[k] over len(value) elements: a
// sparse sum.
func SparseDot(w []float64, index []uint32, value []float32) float64 {
	return sparseDot(w, index[:len(value)], value)
}

// SparseDot64 is SparseDot of values in double precision.
func SparseDot64(w []float64, index []uint32, value []float64) float64 {
	return sparseDotPortable(w, index, value)
}

// SparseDots sets dst[i] to the SparseDot of w and row i of a matrix, whose
// elements are start[i] to start[i+1] of index and value.
func SparseDots(dst, w []float64, start []int64, index []uint32, value []float32) {
	index, start = index[:len(value)], start[:len(dst)+1]
	for i := sparseDots(dst, w, start, index, value); i < len(dst); i++ {
		lo, hi := start[i], start[i+1]
		dst[i] = sparseDot(w, index[lo:hi], value[lo:hi])
	}
}

// SparseAxpy adds scale*value[k] to w[index[k]], each with one rounding:
// w[j] = fma(scale, value[k], w[j]). What a row that repeats an index adds there
// is unspecified.
func SparseAxpy(w []float64, scale float64, index []uint32, value []float32) {
	sparseAxpy(w, scale, index[:len(value)], value)
}

// SparseAxpy64 is SparseAxpy of values in double precision.
func SparseAxpy64(w []float64, scale float64, index []uint32, value []float64) {
	sparseAxpyPortable(w, scale, index, value)
}

// SparseAxpys adds to w the rows of a matrix, as SparseDots has it, each times
// its element of scale: SparseAxpy for every row whose scale is not 0, in order.
func SparseAxpys(w, scale []float64, start []int64, index []uint32, value []float32) {
	index, start = index[:len(value)], start[:len(scale)+1]
	done, part := sparseAxpys(w, scale, start, index, value)
	for i := done; i < len(scale); i++ {
		lo, hi := start[i]+int64(part), start[i+1]
		if part = 0; scale[i] != 0 {
			sparseAxpy(w, scale[i], index[lo:hi], value[lo:hi])
		}
	}
}

// SparseGemv adds to dst the rows index[k] of w, each of len(dst) numbers, times value[k], in order:
// dst[c] = fma(value[k], w[index[k]][c], dst[c]). With a nil index row k is that of element k, and elements that are
// 0 are left out. A row that w does not have panics. The product of a sparse row with a matrix: dst stays in
// registers, up to 20 columns at a time.
func SparseGemv(dst, w []float64, index []uint32, value []float32) {
	if index != nil && len(dst) > 0 && sparseGemv(dst, w, index[:len(value)], value) {
		return
	}
	for k, v := range value {
		if v != 0 || index != nil {
			Axpy64(dst, float64(v), rowOf(w, len(dst), index, k))
		}
	}
}

// SparseGer adds v times value[k] to row index[k] of w, as [SparseGemv] has it: an outer product.
func SparseGer(w, v []float64, index []uint32, value []float32) {
	if index != nil && len(v) > 0 && sparseGer(w, v, index[:len(value)], value) {
		return
	}
	for k, x := range value {
		if x != 0 || index != nil {
			Axpy64(rowOf(w, len(v), index, k), float64(x), v)
		}
	}
}

// rowOf is the row of w, each of size numbers, of element k.
func rowOf(w []float64, size int, index []uint32, k int) []float64 {
	if index != nil {
		k = int(index[k])
	}
	return w[k*size : (k+1)*size]
}

// PrefetchRow asks the processor to bring the row into the second-level cache,
// for a visit soon after; the first level has too few places for a whole row
// under way. It is a hint and changes no result. Rows of a kilobyte in random
// order take 1.4 ns a nonzero with it, 3.3 without, 2.4 with the first level.
func PrefetchRow(index []uint32, value []float32) {
	prefetch(index[:len(value)], value)
}

// PrefetchElements asks the processor for the elements of x at these places, as
// PrefetchRow does for rows. A place that x does not have is no error.
func PrefetchElements[T any](x []T, at []uint32) { prefetchElements(x, at) }
