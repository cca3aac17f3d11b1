package array_test

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// What is no number is missing for callers that make use of it, and the mean of its column stands in its place; others
// are refused as before.
func TestGapsOfNPY(t *testing.T) {
	rows := [][]float64{{1, 2}, {math.NaN(), 4}, {5, math.NaN()}}
	for _, fortran := range []bool{false, true} {
		for _, descr := range []string{"<f8", "<f4"} {
			path := readtest.WriteTemp(t, "gaps.npy", []byte(readtest.ArrayOf(rows, descr, fortran)))
			if _, err := readtest.ReadPath(path, data.Options{Unlabelled: true}); err == nil {
				t.Errorf("%s: NaN was taken for a number", descr)
			}
			s := readtest.MustRead(t, data.Options{Unlabelled: true, Observed: true}, path, path)
			if want := []set.Gap{{1, 0}, {2, 1}, {4, 0}, {5, 1}}; !slices.Equal(s.Gaps, want) {
				t.Errorf("%s: found the gaps %v, expected %v", descr, s.Gaps, want)
			}
			for i, want := range [][]float64{{1, 2}, {3, 4}, {5, 3}, {1, 2}, {3, 4}, {5, 3}} {
				if row := readtest.RowOf(s, i); !slices.Equal(row, want) {
					t.Errorf("%s: row %d is %v, expected %v", descr, i, row, want)
				}
			}
		}
	}
}
