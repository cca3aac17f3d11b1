//go:build !purego

package vec

// leastTile64 does the first rows, and returns how many.
func leastTile64(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) (done int) {
	switch wide := width == TileWidth64; {
	case hasAVX512 && slot == nil && wide:
		return leastTile64WideAVX512(dst, at, block, start, index, value)
	case hasAVX512 && wide:
		return leastTile64WideMappedAVX512(dst, at, block, slot, start, index, value)
	case hasAVX2 && slot == nil && wide:
		return leastTile64WideAVX2(dst, at, block, start, index, value)
	case hasAVX2 && slot == nil:
		return leastTile64NarrowAVX2(dst, at, block, start, index, value)
	case hasAVX2 && wide:
		return leastTile64WideMappedAVX2(dst, at, block, slot, start, index, value)
	case hasAVX2:
		return leastTile64NarrowMappedAVX2(dst, at, block, slot, start, index, value)
	}
	return 0
}

// harmonicTile64 does the first rows, and returns how many.
func harmonicTile64(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) (done int) {
	switch wide := width == TileWidth64; {
	case hasAVX2 && slot == nil && wide:
		return harmonicTile64WideAVX2(dst, at, block, start, index, value)
	case hasAVX2 && slot == nil:
		return harmonicTile64NarrowAVX2(dst, at, block, start, index, value)
	case hasAVX2 && wide:
		return harmonicTile64WideMappedAVX2(dst, at, block, slot, start, index, value)
	case hasAVX2:
		return harmonicTile64NarrowMappedAVX2(dst, at, block, slot, start, index, value)
	}
	return 0
}
