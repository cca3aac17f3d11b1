package fen

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// pieces notes how much each call is to write.
type pieces []int

func (p *pieces) Write(b []byte) (int, error) {
	*p = append(*p, len(b))
	return len(b), nil
}

// A cache is written in pieces of fenWrites bytes, from multiples of them on.
func TestFenWrites(t *testing.T) {
	x := &matrix.Dense{Rows: 3000, Cols: 500, Value: make([]float32, 3000*500)}
	for i := range x.Value {
		x.Value[i] = rand.Float32()
	}
	var found pieces
	if err := (Format{}).Write(&found, &set.Set{X: x}); err != nil {
		t.Fatal(err)
	}
	if len(found) != 3 {
		t.Fatalf("found pieces of %v bytes, expected 3", found)
	}
	for _, n := range found[:2] {
		if n != fenWrites {
			t.Errorf("found pieces of %v bytes, expected all but the last to have %d", found, fenWrites)
		}
	}
}

// The checksums of a large cache are more than a block: writing them must not
// change them. The last one is that of the others.
func TestFENManyChecksums(t *testing.T) {
	var out bytes.Buffer
	sums := make([]byte, Block+400, 2*Block)
	for i := range sums {
		sums[i] = byte(i * 7)
	}
	f := &fenWriter{w: &out, buf: make([]byte, 0, Block), sums: sums}
	want := binary.LittleEndian.AppendUint32(bytes.Clone(sums), crc32.Checksum(sums, Castagnoli))
	f.checks()
	f.flush()
	if f.err != nil || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%v: other checksums were written than made", f.err)
	}
}
