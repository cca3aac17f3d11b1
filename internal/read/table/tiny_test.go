package table_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// A column of numbers too small for single precision is multiplied by a power of two before
// it is rounded: the same however the rows are cut, for other rows by the schema, and written
// as it was.
func TestTinyColumns(t *testing.T) {
	var text strings.Builder
	text.WriteString("tiny,near,plain,y\n")
	for i := range 300 {
		fmt.Fprintf(&text, "%de-52,%d.5e-60,%d,%d.5\n", (i-150)*(i%7), int64(1000000000000)+int64(i), i%13, i)
	}
	want := readtest.MustRead(t, data.Options{}, readtest.Put(t, t.TempDir(), "x.csv", text.String()))
	c := want.Schema.Columns
	if c[0].Factor == 0 || c[0].Offset != 0 || c[1].Factor == 0 || c[1].Offset == 0 || c[2].Factor != 0 || !strings.Contains(fmt.Sprint(want.Warnings), `"tiny" (by 2^`) {
		t.Fatalf("found the columns %+v and the warnings %v", c, want.Warnings)
	}
	for i, row := range readtest.RowsOf(want.X) {
		tiny := float64((i-150)*(i%7)) * 1e-52
		near := (1000000000000.5 + float64(i)) * 1e-60
		if math.Abs(float64(row[0])/c[0].Factor-tiny) > 1e-7*math.Abs(tiny) || math.Abs(float64(row[1])/c[1].Factor+c[1].Offset-near) > 1e-6*300e-60 {
			t.Fatalf("row %d: found %v, expected %g and %g", i, row, tiny, near)
		}
	}
	for _, opt := range []data.Options{{Blocking: data.Blocking{Chunk: 2000}}, {Blocking: data.Blocking{Chunk: 40}}, {Blocking: data.Blocking{Chunk: 3000}, Threads: 3}, {Schema: want.Schema}} {
		got, err := readtest.ReadText(text.String(), opt)
		if err != nil || !reflect.DeepEqual(got.X, want.X) || !reflect.DeepEqual(got.Schema.Columns, c) {
			t.Errorf("%+v: found other rows or columns, %v", opt, err)
		}
	}
	written := t.TempDir() + "/y.csv"
	if err := data.Write(t.Context(), written, want, ""); err != nil {
		t.Fatal(err)
	}
	if again := readtest.MustRead(t, data.Options{}, written); !slices.EqualFunc(readtest.RowsOf(again.X), readtest.RowsOf(want.X), slices.Equal) {
		t.Error("written and read again: found other rows")
	}
	rows, _, err := readtest.Streamed(t, []string{readtest.Put(t, t.TempDir(), "x.csv", text.String())}, data.Options{Schema: want.Schema})
	for i, row := range readtest.RowsOf(want.X) {
		if err != nil || !slices.Equal(rows[i], row) {
			t.Fatalf("streamed row %d: found %v, %v, expected %v", i, rows, err, row)
		}
	}
	if s, err := readtest.ReadText("a,b,y\n1e-300,0.5,1\n1,2,3\n4,1e-50,5\n0,0,7\n", data.Options{}); err != nil || s.Schema.Factors() != nil {
		t.Errorf("a small number among others: found %+v, %v", s.Schema, err)
	}
	if _, err := readtest.ReadText("1 1:1 2:2 3:1\n", data.Options{Schema: want.Schema}); err == nil || !strings.Contains(err.Error(), "expected a magnitude below") {
		t.Errorf("rows of another format: found %v", err)
	}
}
