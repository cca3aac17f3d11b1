package decimal

import (
	"encoding/binary"
	"math"

	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

// Finite reports whether x is a number and not infinite.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// AllFinite reports whether no value is infinite or not a number: whether no
// exponent has all bits set. One more in the exponent then reaches the place of
// the sign. Two values are tested together.
func AllFinite(value []float32) bool {
	const magnitude, one, sign = 0x7fffffff7fffffff, 0x0080000000800000, 0x8000000080000000
	reached, raw := uint64(0), memory.AsBytes(value)
	for ; len(raw) >= 16; raw = raw[16:] {
		reached |= binary.NativeEndian.Uint64(raw)&magnitude + one
		reached |= binary.NativeEndian.Uint64(raw[8:])&magnitude + one
	}
	for ; len(raw) >= 4; raw = raw[4:] {
		reached |= uint64(binary.NativeEndian.Uint32(raw))&magnitude + one
	}
	return reached&sign == 0
}
