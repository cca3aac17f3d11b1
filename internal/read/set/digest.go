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
	w := digestWriter{buf: binary.LittleEndian.AppendUint64(make([]byte, 0, 2*digestBuffer), uint64(hi-lo))}
	for i := lo; i < hi; i++ {
		if w.row(s, i); len(w.buf) >= digestBuffer {
			h.Write(w.buf)
			w.buf = w.buf[:0]
			if pause != nil {
				pause()
			}
		}
	}
	h.Write(w.buf)
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

// A digestWriter holds what is to be hashed.
type digestWriter struct {
	buf   []byte
	all   []uint32 // 0, 1, ... of dense rows without a zero
	index []uint32 // of the nonzeros of a row that has zeros
	value []float32

	nonzero []float64 // of a row of double precision
}

// row appends a row.
func (w *digestWriter) row(s *Set, i int) {
	row := s.X.Row(i)
	if matrix.IsDouble(s.X) {
		w.double(row, matrix.Values(nil, s.X, i))
	} else {
		w.single(row)
	}
	w.buf = s.Target.appendDigest(w.buf, i)
	weight := 1.0
	if s.Weight != nil {
		weight = s.Weight[i]
	}
	w.buf = binary.LittleEndian.AppendUint64(w.buf, math.Float64bits(weight))
}

// double is single of a row of double precision, which the number tells.
func (w *digestWriter) double(row matrix.Vector, value []float64) {
	w.nonzero = slices.DeleteFunc(append(w.nonzero[:0], value...), func(v float64) bool { return v == 0 })
	w.buf = binary.LittleEndian.AppendUint64(w.buf, 1<<63|uint64(len(w.nonzero)))
	for k, v := range value {
		if v != 0 {
			w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(row.Column(k)))
		}
	}
	for _, v := range w.nonzero {
		w.buf = binary.LittleEndian.AppendUint64(w.buf, math.Float64bits(v))
	}
}

// single appends the number of values that are not 0, their columns, and these.
func (w *digestWriter) single(row matrix.Vector) {
	nonzeros := CountNonzeros(row.Value)
	w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(nonzeros))
	index, value := row.Index, row.Value
	switch {
	case nonzeros < len(value):
		index, value = w.nonzeros(row, nonzeros)
	case index == nil:
		for len(w.all) < nonzeros {
			w.all = append(w.all, uint32(len(w.all)))
		}
		index = w.all[:nonzeros]
	}
	w.buf = appendWords(appendWords(w.buf, index), value)
}

// nonzeros returns the columns and values of so many, valid until the next call.
func (w *digestWriter) nonzeros(row matrix.Vector, count int) ([]uint32, []float32) {
	if cap(w.index) < count {
		w.index, w.value = make([]uint32, 2*count), make([]float32, 2*count)
	}
	index, value := w.index[:count], w.value[:count]
	Compress(index, value, row.Value)
	for k, at := range index {
		index[k] = uint32(row.Column(int(at)))
	}
	return index, value
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
