package table_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

func FuzzCSV(f *testing.F) {
	for _, text := range readtest.AllKinds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readtest.FuzzRead(t, data, "csv") })
}

func FuzzARFF(f *testing.F) {
	for _, text := range readtest.AllKinds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readtest.FuzzRead(t, data, "arff") })
}

// What a stream gives of a table without an error is what Read gives.
func FuzzBlocksOfTables(f *testing.F) {
	for _, text := range []string{"a,b,y\n1,-2.5,no\n0.1,3e-5,yes\n7,1,no\n", "1;2\n3;4\n", "1,2\nx,4\n", "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n{1 -2.5}\n"} {
		f.Add([]byte(text), uint8(7), uint8(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, chunk, rows uint8) {
		opt := data.Options{Format: "csv", Source: data.Source{Stdin: bytes.NewReader(text)}, Threads: 2, Unlabelled: true, Blocking: data.Blocking{Chunk: 1 + int(chunk), BlockRows: 1 + int(rows)}}
		if bytes.HasPrefix(text, []byte("@")) {
			opt.Format = "arff"
		}
		got, cols, failed := readtest.Streamed(t, []string{"-"}, opt)
		opt.Stdin = bytes.NewReader(text)
		s, err := data.Read(t.Context(), []string{"-"}, opt)
		if err == nil && slices.ContainsFunc(s.Schema.Columns, func(c data.Column) bool { return c.Why != "" }) {
			t.Skip("a stream knows the first rows alone of what numbers all")
		}
		switch {
		case err != nil && slices.ContainsFunc([]string{"target", "label", "class", "y"}, func(name string) bool { return strings.Contains(strings.ToLower(string(text)), name) }):
			// it may be the target, which does not matter to a stream
		case failed == nil && (err != nil || s.Cols() != cols || !reflect.DeepEqual(got, readtest.RowsOf(s.X))):
			t.Fatalf("found %v, expected %v, %v", got, s, err)
		case failed != nil && err == nil && !strings.Contains(failed.Error(), "a number in all of column") && !strings.Contains(failed.Error(), "no column of features"):
			t.Fatalf("found error %v, but the rows can be read", failed)
		case err == nil && failed != nil && s.Cols() == cols && len(got) > 0 && !reflect.DeepEqual(got, readtest.RowsOf(s.X)[:len(got)]):
			t.Fatalf("found %v before %v, expected the rows", got, failed)
		}
	})
}
