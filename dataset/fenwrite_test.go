package dataset

import (
	"math/rand/v2"
	"testing"

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
	if err := (fen{}).Write(&found, &Set{X: x}); err != nil {
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
