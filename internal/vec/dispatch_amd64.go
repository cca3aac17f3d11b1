//go:build !purego

package vec

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// The branches below always go the same way, so that the processor predicts
// them; a call through a variable would cost more and hide the slices from
// escape analysis.
// AVX-512 includes AVX2.
var hasAVX512, hasAVX2 bool

// levels returns what the processor and the operating system support, the best
// last.
func levels() []level {
	l := []level{portable}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2 {
		l = append(l, avx2)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL {
			l = append(l, avx512)
		}
	}
	return l
}

func use(l level) { hasAVX512, hasAVX2 = l == avx512, l == avx2 || l == avx512 }

func chosen() level {
	switch {
	case hasAVX512:
		return avx512
	case hasAVX2:
		return avx2
	}
	return portable
}

func dot(w []float64, x []float32) float64 {
	if hasAVX2 {
		return dotAVX2(w, x)
	}
	return product(w, x)
}

func dot64(x, y []float64) float64 {
	if hasAVX2 {
		return dot64AVX2(x, y)
	}
	return product(x, y)
}

func squaredNorm(x []float32) float64 {
	if hasAVX2 {
		return squaredNormAVX2(x)
	}
	return product(x, x)
}

func axpy(dst []float64, scale float64, x []float32) {
	if hasAVX2 {
		axpyAVX2(dst, scale, x)
	} else {
		axpyPortable(dst, scale, x)
	}
}

func axpy64(dst []float64, scale float64, x []float64) {
	if hasAVX2 {
		axpy64AVX2(dst, scale, x)
	} else {
		axpyPortable(dst, scale, x)
	}
}

func scaledAdd(dst []float64, alpha, beta float64, x []float64) {
	if hasAVX2 {
		scaledAddAVX2(dst, alpha, beta, x)
	} else {
		scaledAddPortable(dst, alpha, beta, x)
	}
}

func sparseDot(w []float64, index []uint32, value []float32) float64 {
	if hasAVX2 && len(w) > 0 {
		if sum, ok := sparseDotAVX2(w, index, value); ok {
			return sum
		}
	}
	// Plain Go names a bad index in its panic, and can reach past 2^31.
	return sparseDotPortable(w, index, value)
}

// sparseDots does the first rows, and returns how many.
func sparseDots(dst, w []float64, start []int64, index []uint32, value []float32) (done int) {
	if hasAVX2 && len(w) > 0 {
		return sparseDotsAVX2(dst, w, start, index, value)
	}
	return 0
}

func sparseAxpy(w []float64, scale float64, index []uint32, value []float32) {
	done := 0
	if hasAVX2 && len(w) > 0 {
		done = sparseAxpyAVX2(w, scale, index, value)
	}
	if done < len(value) { // as above
		sparseAxpyPortable(w, scale, index[done:], value[done:])
	}
}

// sparseAxpys does the first rows, and returns how many, and how many elements
// of the next.
func sparseAxpys(w, scale []float64, start []int64, index []uint32, value []float32) (done, part int) {
	if hasAVX2 && len(w) > 0 {
		return sparseAxpysAVX2(w, scale, start, index, value)
	}
	return 0, 0
}

// sparseGemv reports whether it did all; where it did not, the row that is missing panics in plain Go.
func sparseGemv(dst, w []float64, index []uint32, value []float32) bool {
	return hasAVX2 && sparseGemvAVX2(dst, w, len(w)/len(dst), index, value)
}

func sparseGer(w, v []float64, index []uint32, value []float32) bool {
	return hasAVX2 && sparseGerAVX2(w, v, len(w)/len(v), index, value)
}

func prefetch(index []uint32, value []float32) { prefetchRow(index, value) }

// prefetchElements hands over where x begins: the kernel reads nothing of it.
func prefetchElements[T any](x []T, at []uint32) {
	size := int(unsafe.Sizeof(*new(T)))
	prefetchAt(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), size*len(x)), size, at)
}

func expTo(dst, src []float64) {
	if hasAVX2 {
		expToAVX2(dst, src)
	} else {
		each(dst, src, Exp)
	}
}

func exp32To(dst, src []float32) {
	if hasAVX2 {
		exp32ToAVX2(dst, src)
	} else {
		each(dst, src, Exp32)
	}
}

func sigmoidTo(dst, src []float64) {
	if hasAVX2 {
		sigmoidToAVX2(dst, src)
	} else {
		each(dst, src, Sigmoid)
	}
}

func softplusTo(dst, src []float64) {
	if hasAVX2 {
		softplusToAVX2(dst, src)
	} else {
		each(dst, src, Softplus)
	}
}

func entropyTo(dst, src []float64) {
	if hasAVX2 {
		entropyToAVX2(dst, src)
	} else {
		each(dst, src, Entropy)
	}
}

func sinTo(dst, src []float64) {
	if hasAVX2 {
		sinToAVX2(dst, src)
	} else {
		each(dst, src, Sin)
	}
}

func cosTo(dst, src []float64) {
	if hasAVX2 {
		cosToAVX2(dst, src)
	} else {
		each(dst, src, Cos)
	}
}

// The sizes of tiles are those of internal/asm.
var (
	tile64s = map[level]tile[float64, float64]{
		portable: tile64Portable,
		avx2: {6, 8, func(k int, a, b, c []float64, stride int) {
			tile64AVX2(k, &a[0], &b[0], &c[0], stride)
		}},
		avx512: {12, 16, func(k int, a, b, c []float64, stride int) {
			tile64AVX512(k, &a[0], &b[0], &c[0], stride)
		}},
	}
	tileWides = map[level]tile[float32, float64]{
		portable: tileWidePortable,
		avx2: {6, 16, func(k int, a, b []float32, c []float64, stride int) {
			tileWideAVX2(k, &a[0], &b[0], &c[0], stride)
		}},
		avx512: {12, 32, func(k int, a, b []float32, c []float64, stride int) {
			tileWideAVX512(k, &a[0], &b[0], &c[0], stride)
		}},
	}
)

func tile64() tile[float64, float64]   { return tile64s[chosen()] }
func tileWide() tile[float32, float64] { return tileWides[chosen()] }
