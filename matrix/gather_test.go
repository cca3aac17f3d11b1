package matrix_test

import (
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Gather keeps the rows, whatever their storage.
func TestGather(t *testing.T) {
	dense := &matrix.Dense{Rows: 3, Cols: 2, Value: []float32{1, 2, 0, 3, 5, 0}}
	sparse := &matrix.CSR{Cols: 2, Start: []int64{0, 2, 3, 4}, Index: []uint32{0, 1, 1, 0}, Value: []float32{1, 2, 3, 5}}
	rows := []uint32{2, 0}
	d, s := matrix.Gather(dense, rows), matrix.Gather(sparse, rows)
	if got := d.(*matrix.Dense).Value; !slices.Equal(got, []float32{5, 0, 1, 2}) {
		t.Errorf("dense: found %v, expected rows 2 and 0", got)
	}
	if got := matrix.Transpose(s).Value; !slices.Equal(got, []float32{5, 1, 2}) {
		t.Errorf("sparse: found the columns %v, expected those of rows 2 and 0", got)
	}
	if n, cols := matrix.Gather[uint32](sparse, nil).Dims(); n != 0 || cols != 2 {
		t.Errorf("nothing: found %d rows of %d", n, cols)
	}
}
