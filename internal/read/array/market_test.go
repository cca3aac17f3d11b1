package array_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

const (
	marketSparse = "%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 4 5\n3 1 -2.5\n1 4 1e-3\n1 2 7\n\n2 2 0\n3 3 1.5\n"
	marketDense  = "%%MatrixMarket matrix array real general\n% rows of 3, columns of 2\n3 2\n1\n2\n3\n-4\n5.5\n0\n"
)

// Entries may come in any order, and chunks of any size give the same rows.
func TestMarket(t *testing.T) {
	for text, want := range map[string]string{
		marketSparse: "[map[1:7 3:0.001] map[] map[0:-2.5 2:1.5]]",
		marketDense:  "[map[0:1 1:-4] map[0:2 1:5.5] map[0:3]]",
		"%%MatrixMarket MATRIX Coordinate pattern General\n2 2 2\n2 1\n1 2\n":        "[map[1:1] map[0:1]]",
		"%%matrixmarket matrix coordinate integer general\n2 2 2\r\n2 1 -3\r\n1 2 4": "[map[1:4] map[0:-3]]",
	} {
		for _, opt := range []data.Options{{}, {Format: "mtx", Blocking: data.Blocking{Chunk: 3}, Threads: 3}} {
			s, err := readtest.ReadText(text, opt)
			if err != nil {
				t.Fatal(err)
			}
			var rows []map[int]float32
			for i := range s.Rows() {
				row, found := s.X.Row(i), map[int]float32{}
				for k, v := range row.Value {
					if v != 0 {
						found[row.Column(k)] = v
					}
				}
				rows = append(rows, found)
			}
			if fmt.Sprint(rows) != want || !s.Target.Absent() {
				t.Errorf("%q: found %v, expected %s", text, rows, want)
			}
		}
	}
	labels := readtest.Put(t, t.TempDir(), "labels", "a\nb\na\n")
	s, err := readtest.ReadText(marketSparse, data.Options{Labels: labels})
	if err != nil || fmt.Sprint(s.Target.Label, s.Target.Code) != "[a b] [0 1 0]" {
		t.Errorf("found %v, %v", s, err)
	}
	// Numbers too small or too close for single precision are kept as of NPZ and NPY.
	for _, text := range []string{"%%MatrixMarket matrix coordinate real general\n2 1 2\n1 1 1e-45\n2 1 3e-45\n", "%%MatrixMarket matrix array real general\n2 1\n1600000000.5\n1600000001\n"} {
		s, err := readtest.ReadText(text, data.Options{})
		if err != nil || s.Schema.Factors() == nil && s.Schema.Offsets() == nil {
			t.Errorf("%q: found %v, %v", text, s, err)
		}
	}
}

func TestMarketErrors(t *testing.T) {
	head := "%%MatrixMarket matrix coordinate real general\n"
	for _, c := range []struct{ text, want string }{
		{"%%MatrixMarket matrix coordinate real\n1 1 1\n", `1: found 4 words, expected %%MatrixMarket matrix coordinate|array real|integer|pattern general`},
		{"%%MatrixMarket vector coordinate real general\n1 1 1\n", `1: found "vector coordinate", expected matrix coordinate or matrix array`},
		{"%%MatrixMarket matrix coordinate complex general\n1 1 1\n", `1: found numbers that are "complex", expected real, integer, or pattern of a coordinate matrix`},
		{"%%MatrixMarket matrix array pattern general\n1 1\n", `1: found numbers that are "pattern", expected real, integer, or pattern of a coordinate matrix`},
		{"%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n", `1: found a matrix that is "symmetric", expected a general one, with all of its entries; one way: python`},
		{head, `1: found the end, expected the sizes of the matrix`},
		{head + "% x\n2 2\n", `3: found "2 2", expected 3 whole numbers: rows, columns and entries`},
		{head + "2 2 -1\n", `2: found "2 2 -1", expected 3 whole numbers: rows, columns and entries`},
		{head + "4294967296 2 1\n", `2: found 4294967296 rows and 2 columns, expected fewer than 2^32 of each`},
		{head + "4000000000 2 1\n1 1 1\n", `2: found 4000000000 rows for 1 entries, expected at most 1048640`},
		{head + "0 2 0\n", ` found 0 rows of 2 columns, expected at least one of each`},
		{head + "2 2 2\n1 1 1\n", `3: found the end after 1 entries, expected the 2 that line 2 says`},
		{head + "2 2 1\n1 1 1\n\n2 2 1\n", `5: found more than the 1 entries that line 2 says, expected as many`},
		{head + "2 2 2\n1 1 1\n1 1 2\n", ` row 1, column 1: found two values, expected one`},
		{head + "2 2 1\n1 3 1\n", `3:1: found "3", expected a whole number from 1 to 2, one of columns`},
		{head + "2 2 1\n0 1 1\n", `3:1: found "0", expected a whole number from 1 to 2, one of rows`},
		{head + "2 2 1\n1 1\n", `3:1: found "1 1", expected row column value`},
		{head + "2 2 1\n1 1 nan\n", `3:1: found "nan", expected `},
		{head + "2 2 1\n1 1 1e39\n", `3:1: found "1e39", expected `},
		{"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n", `3:1: found "1.5", expected a whole number, as the first line says`},
		{"%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n", `2: found 4000000000 rows and 4000000000 columns, expected fewer numbers`},
		{"%%MatrixMarket matrix array real general\n40000000 40000\n1\n", `3: found the end after 1 entries, expected the 1600000000000 that line 2 says`},
		{"%%MatrixMarket matrix array real general\n2 2\n1 2\n", `3:1: found "1 2", expected one number`},
	} {
		_, err := readtest.ReadText(c.text, data.Options{Format: "mtx"})
		if want := "standard input:" + c.want; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\nfound    %v\nexpected %s", c.text, err, want)
		}
	}
}

func FuzzMarket(f *testing.F) {
	for _, text := range []string{marketSparse, marketDense, "%%MatrixMarket matrix array integer general\n1 1\n", "%%MatrixMarket matrix coordinate pattern general\n2000000 2 1\n1 1\n"} {
		f.Add([]byte(text))
	}
	fuzzFormat(f, "mtx")
}
