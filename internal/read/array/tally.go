package array

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

// A tally is what a block of rows is found to hold.
type tally struct {
	nonzeros int64
	infinite bool // some value is not finite
	minus    bool // some zero is negative
}

// add counts values, two at a time: a magnitude that is not zero reaches the place
// of the sign when the largest one is added, as one that is not finite does with
// one more in the exponent.
func (t *tally) add(value []float32) {
	const magnitude, one, sign = 0x7fffffff7fffffff, 0x0080000000800000, 0x8000000080000000
	raw := memory.AsBytes(value)
	var found, reached, minus uint64
	for ; len(raw) >= 8; raw = raw[8:] {
		v := binary.NativeEndian.Uint64(raw)
		m := v & magnitude
		some := (m + magnitude) & sign
		found += some >> 31
		reached |= m + one
		minus |= v &^ some
	}
	if len(raw) == 4 {
		v := uint64(binary.NativeEndian.Uint32(raw))
		some := (v&magnitude + magnitude) & sign & math.MaxUint32
		found += some >> 31
		reached |= v&magnitude + one
		minus |= v &^ some
	}
	t.nonzeros += int64(found>>32) + int64(found&math.MaxUint32)
	t.infinite = t.infinite || reached&sign != 0
	t.minus = t.minus || minus&sign != 0
}

// nonzeroBytes counts eight bytes at a time: the largest seven bits added to those of
// a byte reach the eighth unless they are zero.
func nonzeroBytes(raw []byte) (n int64) {
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	for ; len(raw) >= 8; raw = raw[8:] {
		v := binary.NativeEndian.Uint64(raw)
		n += int64(bits.OnesCount64((v&low + low | v) & high))
	}
	for _, b := range raw {
		if b != 0 {
			n++
		}
	}
	return n
}
