//go:build !purego

package vec

// sparseTile32 does the first rows, and returns how many.
func sparseTile32(dst []float32, at []int, block []float32, width int, slot []uint32, start []int64, index []uint32, value []float32) (done int) {
	switch wide := width == TileWidth32; {
	case hasAVX512 && slot == nil && wide:
		return sparseTile32WideAVX512(dst, at, block, start, index, value)
	case hasAVX512 && wide:
		return sparseTile32WideMappedAVX512(dst, at, block, slot, start, index, value)
	case hasAVX2 && slot == nil && wide:
		return sparseTile32WideAVX2(dst, at, block, start, index, value)
	case hasAVX2 && slot == nil:
		return sparseTile32NarrowAVX2(dst, at, block, start, index, value)
	case hasAVX2 && wide:
		return sparseTile32WideMappedAVX2(dst, at, block, slot, start, index, value)
	case hasAVX2:
		return sparseTile32NarrowMappedAVX2(dst, at, block, slot, start, index, value)
	}
	return 0
}

func gaussian32(dst, yy []float32, xx, minus float32) {
	if hasAVX2 {
		gaussian32AVX2(dst, yy, xx, minus)
	} else {
		gaussianPortable(Exp32, dst, yy, xx, minus)
	}
}

func addRows32(dst []float64, rows [][]float32, first int, c []float64) {
	if hasAVX2 {
		addRows32AVX2(dst, rows, first, c)
	} else {
		addRowsPortable(dst, rows, first, c)
	}
}

// sparseTile64 does the first rows, and returns how many.
func sparseTile64(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) (done int) {
	switch wide := width == TileWidth64; {
	case hasAVX512 && slot == nil && wide:
		return sparseTile64WideAVX512(dst, at, block, start, index, value)
	case hasAVX512 && wide:
		return sparseTile64WideMappedAVX512(dst, at, block, slot, start, index, value)
	case hasAVX2 && slot == nil && wide:
		return sparseTile64WideAVX2(dst, at, block, start, index, value)
	case hasAVX2 && slot == nil:
		return sparseTile64NarrowAVX2(dst, at, block, start, index, value)
	case hasAVX2 && wide:
		return sparseTile64WideMappedAVX2(dst, at, block, slot, start, index, value)
	case hasAVX2:
		return sparseTile64NarrowMappedAVX2(dst, at, block, slot, start, index, value)
	}
	return 0
}

func gaussian64(dst, yy []float64, xx, minus float64) {
	switch {
	case hasAVX512:
		gaussian64AVX512(dst, yy, xx, minus)
	case hasAVX2:
		gaussian64AVX2(dst, yy, xx, minus)
	default:
		gaussianPortable(Exp, dst, yy, xx, minus)
	}
}

func addRows64(dst []float64, rows [][]float64, first int, c []float64) {
	if hasAVX2 {
		addRows64AVX2(dst, rows, first, c)
	} else {
		addRowsPortable(dst, rows, first, c)
	}
}

// transpose32 does squares of the first rows and columns of src, and returns
// how many of these.
func transpose32(dst, src Block[float32]) (rows, cols int) {
	const size = 8
	count := src.Rows / size
	if count == 0 || !hasAVX2 {
		return 0, 0
	}
	for cols+size <= src.Cols {
		transpose32AVX2(dst.Value[cols*dst.Stride:], src.Value[cols:], dst.Stride, src.Stride, count)
		cols += size
	}
	return count * size, cols
}

// transpose64 does squares of the first rows and columns of src, and returns
// how many of these.
func transpose64(dst, src Block[float64]) (rows, cols int) {
	const size = 4
	count := src.Rows / size
	if count == 0 || !hasAVX2 {
		return 0, 0
	}
	for cols+size <= src.Cols {
		transpose64AVX2(dst.Value[cols*dst.Stride:], src.Value[cols:], dst.Stride, src.Stride, count)
		cols += size
	}
	return count * size, cols
}
