package matrix

import (
	"slices"
	"testing"
)

func TestPart(t *testing.T) {
	dense := &Dense{Rows: 4, Cols: 2, Value: []float32{1, 2, 3, 4, 5, 6, 7, 8}}
	sparse := &CSR{Cols: 2, Start: []int64{0, 1, 1, 3, 4}, Index: []uint32{0, 0, 1, 1}, Value: []float32{1, 2, 3, 4}}
	for _, m := range []Matrix{dense, sparse} {
		p := Part(Part(m, 1, 4), 1, 3)
		if rows, cols := p.Dims(); rows != 2 || cols != 2 {
			t.Fatalf("%T: found %d x %d, expected 2 x 2", m, rows, cols)
		}
		for i := range 2 {
			if !slices.Equal(p.Row(i).Value, m.Row(2+i).Value) {
				t.Errorf("%T: row %d is another", m, i)
			}
		}
	}
}
