package set

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

const magnitude, sign = 0x7fffffff7fffffff, 0x8000000080000000 // of two values in one word

// CountNonzeros counts two at a time, as a tally does.
func CountNonzeros(value []float32) int {
	raw, found := memory.AsBytes(value), uint64(0)
	for ; len(raw) >= 8; raw = raw[8:] {
		found += (binary.NativeEndian.Uint64(raw)&magnitude + magnitude) & sign >> 31
	}
	if len(raw) == 4 {
		found += (uint64(binary.NativeEndian.Uint32(raw)<<1) + math.MaxUint32) >> 32
	}
	return int(found>>32 + found&math.MaxUint32)
}

// Compress puts where the nonzeros of a row are, and what they are, where index and value
// begin, as many as there is room for, and returns how many it put.
func Compress(index []uint32, value, row []float32) (n int) {
	value = value[:len(index)]
	for base := 0; base < len(row); base += 64 {
		some := row[base:min(base+64, len(row))]
		for mask := nonzeroBits(some); mask != 0; mask &= mask - 1 {
			if n == len(index) {
				return n
			}
			k := bits.TrailingZeros64(mask)
			index[n], value[n] = uint32(base+k), some[k&63]
			n++
		}
	}
	return n
}

// nonzeroBits has a bit for each of up to 64 values: bit k is 1 where value k is not zero.
func nonzeroBits(value []float32) (mask uint64) {
	k := 0
	if memory.LittleEndian {
		raw := memory.AsBytes(value)
		for ; k+8 <= len(value); k += 8 {
			eight := raw[4*k:][:32]
			a, b := binary.LittleEndian.Uint64(eight), binary.LittleEndian.Uint64(eight[8:])
			c, d := binary.LittleEndian.Uint64(eight[16:]), binary.LittleEndian.Uint64(eight[24:])
			a, b = (a&magnitude+magnitude)&sign, (b&magnitude+magnitude)&sign
			c, d = (c&magnitude+magnitude)&sign, (d&magnitude+magnitude)&sign
			all := a>>7 | b>>5 | c>>3 | d>>1 // bits 24, 26, 28, 30 and 56, 58, 60, 62
			mask |= (all>>24&0x55 | all>>55&0xaa) << k
		}
	}
	for ; k < len(value); k++ {
		if value[k] != 0 {
			mask |= 1 << k
		}
	}
	return mask
}
