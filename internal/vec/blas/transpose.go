package blas

import "github.com/fenchel-ml/fenchel/internal/vec"

// Transpose32 copies src to dst, the rows of one being the columns of the other.
// They must not overlap.
func Transpose32(dst, src Block[float32]) {
	checkTransposed(dst, src)
	rows, cols := transpose32(dst, src)
	transposePortable(dst, src, rows, cols)
}

// Transpose64 is Transpose32 in double precision.
func Transpose64(dst, src Block[float64]) {
	checkTransposed(dst, src)
	rows, cols := transpose64(dst, src)
	transposePortable(dst, src, rows, cols)
}

func checkTransposed[T vec.Float](dst, src Block[T]) {
	dst.check()
	src.check()
	if dst.Rows != src.Cols || dst.Cols != src.Rows {
		panic("blas: a transpose of other shape")
	}
}

// transposePortable does what is not in the first rows and columns of src.
func transposePortable[T vec.Float](dst, src Block[T], rows, cols int) {
	for i := range src.Rows {
		first := cols
		if i >= rows {
			first = 0
		}
		for j := first; j < src.Cols; j++ {
			dst.Value[j*dst.Stride+i] = src.Value[i*src.Stride+j]
		}
	}
}
