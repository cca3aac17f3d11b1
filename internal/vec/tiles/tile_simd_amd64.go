//go:build !purego

package tiles

import "github.com/fenchel-ml/fenchel/internal/vec/cpu"

// sparseTile32 does the first rows, and returns how many.
func sparseTile32(dst []float32, at []int, block []float32, width int, slot []uint32, start []int64, index []uint32, value []float32) (done int) {
	switch wide := width == Width32; {
	case cpu.HasAVX512 && slot == nil && wide:
		return sparseTile32WideAVX512(dst, at, block, start, index, value)
	case cpu.HasAVX512 && wide:
		return sparseTile32WideMappedAVX512(dst, at, block, slot, start, index, value)
	case cpu.HasAVX2 && slot == nil && wide:
		return sparseTile32WideAVX2(dst, at, block, start, index, value)
	case cpu.HasAVX2 && slot == nil:
		return sparseTile32NarrowAVX2(dst, at, block, start, index, value)
	case cpu.HasAVX2 && wide:
		return sparseTile32WideMappedAVX2(dst, at, block, slot, start, index, value)
	case cpu.HasAVX2:
		return sparseTile32NarrowMappedAVX2(dst, at, block, slot, start, index, value)
	}
	return 0
}

// sparseTile64 does the first rows, and returns how many.
func sparseTile64(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) (done int) {
	switch wide := width == Width64; {
	case cpu.HasAVX512 && slot == nil && wide:
		return sparseTile64WideAVX512(dst, at, block, start, index, value)
	case cpu.HasAVX512 && wide:
		return sparseTile64WideMappedAVX512(dst, at, block, slot, start, index, value)
	case cpu.HasAVX2 && slot == nil && wide:
		return sparseTile64WideAVX2(dst, at, block, start, index, value)
	case cpu.HasAVX2 && slot == nil:
		return sparseTile64NarrowAVX2(dst, at, block, start, index, value)
	case cpu.HasAVX2 && wide:
		return sparseTile64WideMappedAVX2(dst, at, block, slot, start, index, value)
	case cpu.HasAVX2:
		return sparseTile64NarrowMappedAVX2(dst, at, block, slot, start, index, value)
	}
	return 0
}

// leastTile64 does the first rows, and returns how many.
func leastTile64(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) (done int) {
	switch wide := width == Width64; {
	case cpu.HasAVX512 && slot == nil && wide:
		return leastTile64WideAVX512(dst, at, block, start, index, value)
	case cpu.HasAVX512 && wide:
		return leastTile64WideMappedAVX512(dst, at, block, slot, start, index, value)
	case cpu.HasAVX2 && slot == nil && wide:
		return leastTile64WideAVX2(dst, at, block, start, index, value)
	case cpu.HasAVX2 && slot == nil:
		return leastTile64NarrowAVX2(dst, at, block, start, index, value)
	case cpu.HasAVX2 && wide:
		return leastTile64WideMappedAVX2(dst, at, block, slot, start, index, value)
	case cpu.HasAVX2:
		return leastTile64NarrowMappedAVX2(dst, at, block, slot, start, index, value)
	}
	return 0
}

// harmonicTile64 does the first rows, and returns how many.
func harmonicTile64(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) (done int) {
	switch wide := width == Width64; {
	case cpu.HasAVX2 && slot == nil && wide:
		return harmonicTile64WideAVX2(dst, at, block, start, index, value)
	case cpu.HasAVX2 && slot == nil:
		return harmonicTile64NarrowAVX2(dst, at, block, start, index, value)
	case cpu.HasAVX2 && wide:
		return harmonicTile64WideMappedAVX2(dst, at, block, slot, start, index, value)
	case cpu.HasAVX2:
		return harmonicTile64NarrowMappedAVX2(dst, at, block, slot, start, index, value)
	}
	return 0
}
