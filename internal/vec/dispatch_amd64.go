//go:build !purego

package vec

import (
	"unsafe"

	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
)

func dot(w []float64, x []float32) float64 {
	if cpu.HasAVX2 {
		return dotAVX2(w, x)
	}
	return product(w, x)
}

func dot64(x, y []float64) float64 {
	if cpu.HasAVX2 {
		return dot64AVX2(x, y)
	}
	return product(x, y)
}

func squaredNorm(x []float32) float64 {
	if cpu.HasAVX2 {
		return squaredNormAVX2(x)
	}
	return product(x, x)
}

func axpy(dst []float64, scale float64, x []float32) {
	if cpu.HasAVX2 {
		axpyAVX2(dst, scale, x)
	} else {
		axpyPortable(dst, scale, x)
	}
}

func axpy64(dst []float64, scale float64, x []float64) {
	if cpu.HasAVX2 {
		axpy64AVX2(dst, scale, x)
	} else {
		axpyPortable(dst, scale, x)
	}
}

func scaledAdd(dst []float64, alpha, beta float64, x []float64) {
	if cpu.HasAVX2 {
		scaledAddAVX2(dst, alpha, beta, x)
	} else {
		scaledAddPortable(dst, alpha, beta, x)
	}
}

func sparseDot(w []float64, index []uint32, value []float32) float64 {
	if cpu.HasAVX2 && len(w) > 0 {
		if sum, ok := sparseDotAVX2(w, index, value); ok {
			return sum
		}
	}
	// Plain Go names a bad index in its panic, and can reach past 2^31.
	return sparseDotPortable(w, index, value)
}

// sparseDots does the first rows, and returns how many.
func sparseDots(dst, w []float64, start []int64, index []uint32, value []float32) (done int) {
	if cpu.HasAVX2 && len(w) > 0 {
		return sparseDotsAVX2(dst, w, start, index, value)
	}
	return 0
}

func sparseAxpy(w []float64, scale float64, index []uint32, value []float32) {
	done := 0
	if cpu.HasAVX2 && len(w) > 0 {
		done = sparseAxpyAVX2(w, scale, index, value)
	}
	if done < len(value) { // as above
		sparseAxpyPortable(w, scale, index[done:], value[done:])
	}
}

// sparseAxpys does the first rows, and returns how many, and how many elements
// of the next.
func sparseAxpys(w, scale []float64, start []int64, index []uint32, value []float32) (done, part int) {
	if cpu.HasAVX2 && len(w) > 0 {
		return sparseAxpysAVX2(w, scale, start, index, value)
	}
	return 0, 0
}

// sparseGemv reports whether it did all; where it did not, the row that is missing panics in plain Go.
func sparseGemv(dst, w []float64, index []uint32, value []float32) bool {
	return cpu.HasAVX2 && sparseGemvAVX2(dst, w, len(w)/len(dst), index, value)
}

func sparseGer(w, v []float64, index []uint32, value []float32) bool {
	return cpu.HasAVX2 && sparseGerAVX2(w, v, len(w)/len(v), index, value)
}

func prefetch(index []uint32, value []float32) { prefetchRow(index, value) }

// prefetchElements hands over where x begins: the kernel reads nothing of it.
func prefetchElements[T any](x []T, at []uint32) {
	size := int(unsafe.Sizeof(*new(T)))
	prefetchAt(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), size*len(x)), size, at)
}

func addRows32(dst []float64, rows [][]float32, first int, c []float64) {
	if cpu.HasAVX2 {
		addRows32AVX2(dst, rows, first, c)
	} else {
		addRowsPortable(dst, rows, first, c)
	}
}

func addRows64(dst []float64, rows [][]float64, first int, c []float64) {
	if cpu.HasAVX2 {
		addRows64AVX2(dst, rows, first, c)
	} else {
		addRowsPortable(dst, rows, first, c)
	}
}

// sparseOuters does the first rows, and returns how many.
func sparseOuters(h []float64, size int, scale []float64, start []int64, index []uint32, value []float32, x []float64) (done int) {
	if cpu.HasAVX2 && size > 0 {
		return sparseOutersAVX2(&h[0], size, scale, start, index, value, x)
	}
	return 0
}

// extremes does the first elements, and returns how many.
func extremes(l *extremeLanes, up, low, r []float64) (done int) {
	if cpu.HasAVX2 {
		extremesAVX2(&l.best, &l.at, up, low, r)
	} else {
		return 0
	}
	return len(r) &^ 7
}

// partner does the first elements, and returns how many.
func partner(l *partnerLanes, h, diagonal, floor float64, low, r, own, row []float64) (done int) {
	if cpu.HasAVX2 {
		partnerAVX2(&l.best, &l.at, h, diagonal, floor, low, r, own, row)
	} else {
		return 0
	}
	return len(r) &^ 7
}
