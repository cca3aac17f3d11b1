package dataset

import (
	"archive/zip"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"github.com/fenchel-ml/fenchel/dataset/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// show writes a set on one line: rows in brackets, then labels or numbers.
func show(s *Set) string {
	rows, cols := s.X.Dims()
	text := ""
	for i := range rows {
		full := make([]float32, cols)
		row := s.X.Row(i)
		for k, v := range row.Value {
			full[row.Column(k)] = v
		}
		text += fmt.Sprint(full)
	}
	switch {
	case s.Target.Absent():
		return text
	case s.Target.Code == nil:
		return text + fmt.Sprint(s.Target.Number)
	}
	for i, c := range s.Target.Code {
		if label := s.Target.Label[c]; i == 0 {
			text += " " + label
		} else {
			text += "," + label
		}
	}
	return text
}

func readPath(path string, opt Options) (*Set, error) {
	return Read(context.Background(), []string{path}, opt)
}

// wantRead reads a path and compares it with what show gives, or with the
// error, in which dir stands for the folder of the path.
func wantRead(t *testing.T, path string, opt Options, expected string) {
	t.Helper()
	s, err := readPath(path, opt)
	got := ""
	if err != nil {
		got = err.Error()
	} else {
		got = show(s)
	}
	if got != expected {
		t.Errorf("%s\nfound    %s\nexpected %s", path, got, expected)
	}
}

func writeTemp(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// The storage depends on the share of nonzeros alone, not on their order, and
// never changes the values.
func TestRowBuilder(t *testing.T) {
	zero, full := []float32{0, 0, 0, 0}, []float32{1, 2, 3, 4}
	for _, c := range []struct {
		name  string
		rows  [][]float32
		dense bool
	}{
		{"all zero", [][]float32{zero, zero}, false},
		{"full first", [][]float32{full, zero, zero}, false},
		{"full last", [][]float32{zero, zero, full}, false},
		{"half", [][]float32{zero, full}, true},
		{"more than half", [][]float32{full, zero, full}, true},
	} {
		b := set.NewRowBuilder(4, &Options{})
		for _, r := range c.rows {
			b.AddDense(r)
		}
		m, _ := b.Matrix()
		if _, dense := m.(*matrix.Dense); dense != c.dense {
			t.Errorf("%s: dense is %v", c.name, dense)
		}
		if got, expected := show(&Set{X: m}), fmt.Sprint(c.rows[0])+fmt.Sprint(c.rows[1]); got[:len(expected)] != expected {
			t.Errorf("%s: found %s", c.name, got)
		}
	}
}

func TestRowBuilderColumns(t *testing.T) {
	for _, c := range []struct {
		columns  int
		expected string
		warnings int
	}{
		{0, "[1 0 3][4 5 6]", 0}, {3, "[1 0 3][4 5 6]", 0}, {2, "[1 0][4 5]", 1}, {4, "[1 0 3 0][4 5 6 0]", 0},
	} {
		a, b := set.NewRowBuilder(3, &Options{Columns: c.columns}), set.NewRowBuilder(3, &Options{Columns: c.columns})
		a.AddDense([]float32{1, 0, 3})
		a.AddDense([]float32{4, 5, 6})
		b.AddSparse([]uint32{0, 2}, []float32{1, 3})
		b.AddSparse([]uint32{0, 1, 2}, []float32{4, 5, 6})
		for _, builder := range []*set.RowBuilder{a, b} {
			m, warnings := builder.Matrix()
			if got := show(&Set{X: m}); got != c.expected || len(warnings) != c.warnings {
				t.Errorf("columns %d: found %s %v, expected %s", c.columns, got, warnings, c.expected)
			}
			for _, w := range warnings {
				if w.Error() != "2 values of 1 feature (first: 3) are unknown to the model: ignored" {
					t.Error(w)
				}
			}
		}
	}
}

func TestNumberTarget(t *testing.T) {
	got := set.NumberTarget([]float64{1, math.Copysign(0, -1), 2.5, 0, 1e6, 1e300})
	expected := Target{Label: []string{"1", "0", "2.5", "1000000", "1e+300"}, Code: []uint32{0, 1, 2, 1, 3, 4},
		Number: []float64{1, 0, 2.5, 0, 1e6, 1e300}}
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("found %+v", got)
	}
	many := make([]float64, MaxLabels+1)
	for i := range many {
		many[i] = float64(i)
	}
	if got := set.NumberTarget(many[:MaxLabels]); len(got.Label) != MaxLabels {
		t.Errorf("found %d labels, expected %d", len(got.Label), MaxLabels)
	}
	if got := set.NumberTarget(many); got.Code != nil || got.Label != nil || len(got.Number) != len(many) {
		t.Errorf("found labels for %d distinct numbers", len(many))
	}
}

func TestMergeTargets(t *testing.T) {
	number, text := set.NumberTarget([]float64{2, 1}), Target{Label: []string{"b", "1"}, Code: []uint32{0, 1, 0}}
	for _, c := range []struct {
		parts    []Target
		expected Target
	}{
		{nil, Target{}},
		{[]Target{number, set.NumberTarget([]float64{3, 1})},
			Target{Label: []string{"2", "1", "3"}, Code: []uint32{0, 1, 2, 1}, Number: []float64{2, 1, 3, 1}}},
		{[]Target{number, text}, Target{Label: []string{"2", "1", "b"}, Code: []uint32{0, 1, 2, 1, 2}}},
		{[]Target{number, {Number: []float64{7}}}, Target{Number: []float64{2, 1, 7}}},
	} {
		if got, err := set.MergeTargets(c.parts); err != nil || !reflect.DeepEqual(got, c.expected) {
			t.Errorf("found %+v, %v, expected %+v", got, err, c.expected)
		}
	}
	if _, err := set.MergeTargets([]Target{text, {Number: []float64{7}}}); err == nil {
		t.Error("names and too many numbers were merged")
	}
}

// What a header claims costs no memory.
func TestHostileSizes(t *testing.T) {
	huge := string(npyOf("<f4", "(1000000000000, 1000)", "abcd"))
	for name, file := range map[string][]byte{
		"idx":     append([]byte{0, 0, 8, 2, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff}, 1, 2, 3),
		"npy":     []byte(huge),
		"fortran": npyFile("{'descr': '<f4', 'fortran_order': True, 'shape': (1000000000, 1000), }", "abcd"),
		"npz":     npzFile(t, zip.Deflate, "X", huge),
		"sparse": npzFile(t, zip.Deflate, "shape", string(npyOf("<i8", "(2,)", "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00")),
			"indptr", string(npyOf("<i8", "(2,)", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00")), "indices", bytesOf(1), "data", bytesOf(1)),
		"text": npzFile(t, zip.Deflate, "X", string(npyOf("|u1", "(1, 1)", "\x01")), "y", string(npyOf("<U500000000", "(1,)", "abcd"))),
	} {
		path := writeTemp(t, "data", file)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readPath(path, Options{})
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; err == nil || used > 4<<20 {
			t.Errorf("%s: %d bytes were allocated, error %v", name, used, err)
		}
	}
}

// isMapped reports whether the set has files to give back.
func isMapped(s *Set) bool { return !reflect.ValueOf(s).Elem().FieldByName("close").IsNil() }
