package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// digestRows is how many rows are hashed as one block. It is part of what the
// digest means: never change it.
const digestRows = 4096

// Digest names the parsed rows: "sha256:" and the SHA-256, in hexadecimal, of
// n, d and the SHA-256 of each block of 4096 rows. A block is hashed as its
// number of rows and, for each row, the number of its nonzeros, their columns
// (uint32), their values (float32), the target (a tag, then a float64 or a
// text with its length) and the weight (float64; 1 if there is none); all
// integers little-endian. So it depends on what the rows say, not on how they
// were written down: text or binary, compressed or not, dense or sparse.
func (s *Set) Digest() string {
	n, d := s.X.Dims()
	blocks := make([][sha256.Size]byte, (n+digestRows-1)/digestRows)
	// Nothing here fails, and no context ends it.
	_ = each(context.Background(), matrix.Cores(0), len(blocks), func(b int) error {
		lo := b * digestRows
		blocks[b] = s.digestBlock(lo, min(lo+digestRows, n))
		return nil
	})
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

func (s *Set) digestBlock(lo, hi int) (sum [sha256.Size]byte) {
	h := sha256.New()
	buf := binary.LittleEndian.AppendUint64(nil, uint64(hi-lo))
	for i := lo; i < hi; i++ {
		buf = s.appendRow(buf, i)
		h.Write(buf)
		buf = buf[:0]
	}
	h.Sum(sum[:0])
	return sum
}

func (s *Set) appendRow(buf []byte, i int) []byte {
	row := s.X.Row(i)
	start, nonzeros := len(buf), uint64(0)
	buf = binary.LittleEndian.AppendUint64(buf, 0)
	for k, v := range row.Value {
		if v != 0 {
			nonzeros++
			buf = binary.LittleEndian.AppendUint32(buf, uint32(row.Column(k)))
		}
	}
	binary.LittleEndian.PutUint64(buf[start:], nonzeros)
	for _, v := range row.Value {
		if v != 0 {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
		}
	}
	buf = s.Target.appendDigest(buf, i)
	weight := 1.0
	if s.Weight != nil {
		weight = s.Weight[i]
	}
	return binary.LittleEndian.AppendUint64(buf, math.Float64bits(weight))
}

// appendDigest appends 0 for no target, 1 and a number, or 2 and a text.
func (t *Target) appendDigest(buf []byte, i int) []byte {
	switch {
	case t.Number != nil:
		return binary.LittleEndian.AppendUint64(append(buf, 1), math.Float64bits(t.Number[i]+0)) // no -0
	case t.Code != nil:
		label := t.Label[t.Code[i]]
		return append(binary.LittleEndian.AppendUint64(append(buf, 2), uint64(len(label))), label...)
	}
	return append(buf, 0)
}
