package array_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

func TestArrayOffsets(t *testing.T) {
	for _, descr := range []string{"<f8", ">f8", "<i8", "<u4"} {
		for _, fortran := range []bool{false, true} {
			for _, target := range []string{"", "2"} {
				rows := readtest.Times(20000)
				if strings.Contains("<i8<u4", descr) {
					for i := range rows {
						rows[i] = []float64{(1 << 31) + float64(3*i), 7, float64(i % 5), 0, float64(i % 7)}
					}
				}
				features := make([][]float64, len(rows))
				at := 4
				if target != "" {
					at = 1
				}
				for i, row := range rows {
					features[i] = slices.Delete(slices.Clone(row), at, at+1)
				}
				name := fmt.Sprintf("%s, fortran %v, target %q", descr, fortran, target)
				t.Run(name, func(t *testing.T) {
					text := readtest.ArrayOf(rows, descr, fortran)
					s := readtest.ReadNamed(t, "a.npy", text, data.Options{Threads: 1, Target: target})
					readtest.CheckTimes(t, s, features)
					if got := s.Schema.Offsets(); got == nil || got[0] == 0 || got[1] != 0 || got[2] != 0 || !s.Schema.Array || s.Schema.Table() {
						t.Errorf("offsets %v, expected one of the first column", got)
					}
					other := readtest.ReadNamed(t, "a.npy", text, data.Options{Threads: 3, Target: target})
					if s.Digest() != other.Digest() {
						t.Error("threads change the rows")
					}
					later := readtest.ReadNamed(t, "b.npy", readtest.ArrayOf(rows[5000:6000], descr, !fortran), data.Options{Schema: s.Schema, Columns: s.Cols()})
					for i := range 1000 {
						if !slices.Equal(readtest.RowOf(s, 5000+i), readtest.RowOf(later, i)) {
							t.Fatalf("row %d: other features for the same schema", i+1)
						}
					}
					if err := s.Schema.Check(s.Cols()); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// An array of mostly zeros is sparse, whatever an offset makes of one column.
func TestArrayOffsetSparse(t *testing.T) {
	rows := make([][]float64, 3000)
	for i := range rows {
		rows[i] = make([]float64, 12)
		rows[i][3], rows[i][11] = 1.7e9+float64(i), 1
	}
	s := readtest.ReadNamed(t, "a.npy", readtest.ArrayOf(rows, "<f8", false), data.Options{Labels: ""})
	readtest.CheckTimes(t, s, rows)
	if _, dense := s.X.(*matrix.Dense); dense {
		t.Error("found dense rows, expected sparse ones")
	}
}
