package set

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"unsafe"

	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/matrix"
)

// digestRows is how many rows are hashed as one block. It is part of what the
// digest means: never change it.
const digestRows = 4096

// digestBuffer is how many bytes are hashed at a time: enough to make a call cheap,
// few enough to stay in the first cache and to give way often.
const digestBuffer = 4 << 10

// digestBlock returns the digest of the rows lo to hi. It calls pause, if there is one,
// after every buffer.
func (s *Set) digestBlock(lo, hi int, pause func()) (sum [sha256.Size]byte) {
	h := sha256.New()
	buf := binary.LittleEndian.AppendUint64(make([]byte, 0, 2*digestBuffer), uint64(hi-lo))
	var columns []uint32 // 0, 1, ... of dense rows without a zero
	for i := lo; i < hi; i++ {
		if buf, columns = s.appendRow(buf, i, columns); len(buf) >= digestBuffer {
			h.Write(buf)
			buf = buf[:0]
			if pause != nil {
				pause()
			}
		}
	}
	h.Write(buf)
	h.Sum(sum[:0])
	return sum
}

// wholeDigest is the digest of n rows and d columns with these digests of blocks.
func wholeDigest(n, d int, blocks [][sha256.Size]byte) string {
	whole := sha256.New()
	var sizes []byte
	sizes = binary.LittleEndian.AppendUint64(sizes, uint64(n))
	sizes = binary.LittleEndian.AppendUint64(sizes, uint64(d))
	whole.Write(sizes)
	for _, b := range blocks {
		whole.Write(b[:])
	}
	return "sha256:" + hex.EncodeToString(whole.Sum(nil))
}

// appendRow appends a row to buf. It may make columns longer.
func (s *Set) appendRow(buf []byte, i int, columns []uint32) (_ []byte, all []uint32) {
	row := s.X.Row(i)
	nonzeros := CountNonzeros(row.Value)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(nonzeros))
	if nonzeros == len(row.Value) {
		index := row.Index
		if index == nil {
			for len(columns) < nonzeros {
				columns = append(columns, uint32(len(columns)))
			}
			index = columns[:nonzeros]
		}
		buf = appendWords(buf, index)
		buf = appendWords(buf, row.Value)
	} else {
		buf = appendNonzeros(buf, row, nonzeros)
	}
	buf = s.Target.appendDigest(buf, i)
	weight := 1.0
	if s.Weight != nil {
		weight = s.Weight[i]
	}
	return binary.LittleEndian.AppendUint64(buf, math.Float64bits(weight)), columns
}

// CountNonzeros counts two at a time, as a tally does.
func CountNonzeros(value []float32) int {
	const magnitude, sign = 0x7fffffff7fffffff, 0x8000000080000000
	raw, found := memory.AsBytes(value), uint64(0)
	for ; len(raw) >= 8; raw = raw[8:] {
		found += (binary.NativeEndian.Uint64(raw)&magnitude + magnitude) & sign >> 31
	}
	if len(raw) == 4 {
		found += (uint64(binary.NativeEndian.Uint32(raw)<<1) + math.MaxUint32) >> 32
	}
	return int(found>>32 + found&math.MaxUint32)
}

// appendWords appends the elements as little-endian integers.
func appendWords[T uint32 | float32](buf []byte, v []T) []byte {
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
	if memory.LittleEndian {
		return append(buf, raw...)
	}
	for i := 0; i < len(raw); i += 4 {
		buf = binary.LittleEndian.AppendUint32(buf, binary.NativeEndian.Uint32(raw[i:]))
	}
	return buf
}

// appendNonzeros appends the columns and then the values of so many nonzeros.
// Each element is written, and then kept or not, without a branch.
func appendNonzeros(buf []byte, row matrix.Vector, nonzeros int) []byte {
	const spare = 4 // for an element that is not kept
	at := len(buf)
	end := at + 8*nonzeros
	buf = slices.Grow(buf, 8*nonzeros+spare)[:end+spare]
	columns, values := buf[at:], buf[at+4*nonzeros:]
	at = 0
	for k, v := range row.Value {
		binary.LittleEndian.PutUint32(columns[at:], uint32(row.Column(k)))
		if math.Float32bits(v)<<1 != 0 {
			at += 4
		}
	}
	at = 0
	for _, v := range row.Value {
		binary.LittleEndian.PutUint32(values[at:], math.Float32bits(v))
		if math.Float32bits(v)<<1 != 0 {
			at += 4
		}
	}
	return buf[:end]
}

// appendDigest appends 0 for no target, 1 and a number, 2 and a text, or 3, how many targets there are, and as many numbers.
func (t *Target) appendDigest(buf []byte, i int) []byte {
	switch {
	case t.Names != nil:
		buf = binary.LittleEndian.AppendUint64(append(buf, 3), uint64(len(t.Names)))
		for _, column := range t.Columns() {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(column[i]+0))
		}
		return buf
	case t.Number != nil:
		return binary.LittleEndian.AppendUint64(append(buf, 1), math.Float64bits(t.Number[i]+0)) // no -0
	case t.Code != nil:
		label := t.Label[t.Code[i]]
		return append(binary.LittleEndian.AppendUint64(append(buf, 2), uint64(len(label))), label...)
	}
	return append(buf, 0)
}
