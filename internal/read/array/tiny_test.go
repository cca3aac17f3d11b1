package array_test

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// tiny are rows with a column too small for single precision, one that is not, one that is too
// small and mostly zero, one with ordinary numbers among small ones, and targets.
func tiny(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = []float64{float64(i%97-40) * 1e-52, float64(i % 13), 0, 1e-60 * float64(i), float64(i % 2)}
		if i%3 == 0 && i >= 500 {
			rows[i][2] = float64(i) * 3e-47
		}
		if i == n/2 {
			rows[i][3] = 7
		}
	}
	return rows
}

// tinyFiles are such rows in all formats that hold such numbers.
func tinyFiles(t *testing.T, rows [][]float64) map[string]string {
	var csv, svm strings.Builder
	var data, indices, indptr, y []byte
	for _, r := range rows {
		fmt.Fprintf(&csv, "%g,%g,%g,%g,%g\n", r[0], r[1], r[2], r[3], r[4])
		fmt.Fprintf(&svm, "%g", r[4])
		indptr = binary.LittleEndian.AppendUint64(indptr, uint64(len(indices)/8))
		for j, v := range slices.Backward(r[:4]) { // unsorted
			if v != 0 {
				data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
				indices = binary.LittleEndian.AppendUint64(indices, uint64(j))
			}
		}
		for j, v := range r[:4] {
			if v != 0 {
				fmt.Fprintf(&svm, " %d:%g", j+1, v)
			}
		}
		y = binary.LittleEndian.AppendUint64(y, uint64(r[4]))
		svm.WriteString("\n")
	}
	indptr = binary.LittleEndian.AppendUint64(indptr, uint64(len(indices)/8))
	column := func(descr string, n int, raw []byte) string {
		return string(readtest.NpyFile(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", descr, n), string(raw)))
	}
	shape := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(len(rows))), 4)
	sparse := npzFile(t, zip.Store, "shape", column("<i8", 2, shape), "indptr", column("<i8", len(rows)+1, indptr),
		"indices", column("<i8", len(indices)/8, indices), "data", column("<f8", len(data)/8, data), "y", column("<i8", len(rows), y))
	dense := make([][]float64, len(rows))
	for i, r := range rows {
		dense[i] = r[:4]
	}
	return map[string]string{"a.csv": csv.String(), "a.svm": svm.String(), "s.npz": string(sparse), "a.npy": readtest.ArrayOf(rows, "<f8", false), "f.npy": readtest.ArrayOf(rows, ">f8", true),
		"d.npz": string(npzFile(t, zip.Deflate, "X", readtest.ArrayOf(dense, "<f8", false), "y", column("<i8", len(rows), y)))}
}

// Columns too small for single precision are multiplied in every format, to the same rows; so are
// the rows of another format that come to a model, as a set and as a stream.
func TestTinyInEveryFormat(t *testing.T) {
	rows := tiny(3000)
	files := tinyFiles(t, rows)
	want := readtest.ReadNamed(t, "a.csv", files["a.csv"], data.Options{})
	factors := want.Schema.Factors()
	if factors == nil || factors[0] == 1 || factors[1] != 1 || factors[2] == 1 || factors[3] != 1 {
		t.Fatalf("found the factors %v", factors)
	}
	for name, text := range files {
		for _, opt := range []data.Options{{}, {Threads: 1, Blocking: data.Blocking{Chunk: 300}}, {Threads: 3, Blocking: data.Blocking{Chunk: 40}}} {
			got := readtest.ReadNamed(t, name, text, opt)
			if !slices.Equal(got.Schema.Factors(), factors) || !slices.EqualFunc(readtest.RowsOf(got.X), readtest.RowsOf(want.X), slices.Equal) {
				t.Errorf("%s: found other rows or the factors %v", name, got.Schema.Factors())
			}
			if said := fmt.Sprint(got.Warnings); strings.Count(said, "too small for single precision") != 1 || strings.Contains(said, "spread") {
				t.Errorf("%s: found the warnings %v", name, got.Warnings)
			}
			opt.Schema, opt.Columns = got.Schema, 4
			half := tinyFiles(t, rows[:600])
			for other, text := range half {
				if other == "a.csv" && got.Schema.Target < 0 { // has another column
					continue
				}
				if later := readtest.ReadNamed(t, other, text, opt); !slices.EqualFunc(readtest.RowsOf(later.X), readtest.RowsOf(want.X)[:600], slices.Equal) {
					t.Errorf("%s for a model of %s: found other rows", other, name)
				}
				streamed, _, err := readtest.Streamed(t, []string{readtest.Put(t, t.TempDir(), other, text)}, opt)
				if err != nil || !slices.EqualFunc(streamed, readtest.RowsOf(want.X)[:600], slices.Equal) {
					t.Errorf("%s for a model of %s: streamed other rows, %v", other, name, err)
				}
			}
		}
		whole := readtest.ReadNamed(t, name, text, data.Options{Unmoved: true})
		if whole.Schema.Factors() != nil || whole.Rounding == 0 || !strings.Contains(fmt.Sprint(whole.Warnings), "of their spread") {
			t.Errorf("%s, as it is: found the factors %v, rounding %g, %v", name, whole.Schema.Factors(), whole.Rounding, whole.Warnings)
		}
	}
	if _, s := readtest.StreamOf(t, "a.svm", files["a.svm"], data.Options{}); !strings.HasPrefix(fmt.Sprint(s.Late), "[feature 1: values below 1e-30 are lost") || len(s.Late) != 2 {
		t.Errorf("a stream of sparse text: found %v", s.Late)
	}
	for name, text := range tinyFiles(t, [][]float64{{1, 2, 3, 4, 1}, {5, 6, 1e30, 8, 0}}) {
		_, err := data.Read(t.Context(), []string{readtest.Put(t, t.TempDir(), name, text)}, data.Options{Schema: want.Schema, Columns: 4})
		if err == nil || !strings.Contains(err.Error(), "expected a") {
			t.Errorf("%s: large numbers in a column that a model multiplies: found %v", name, err)
		}
	}
}

// Rows of weight 0 are left out, wherever the weights are.
func TestWeightlessInEveryFormat(t *testing.T) {
	rows := tiny(400) // the rows that count have the factors of all
	var weights strings.Builder
	var raw, kept []byte
	var left [][]float64
	for i := range rows {
		w := float64((i + 1) % 4)
		fmt.Fprintln(&weights, w)
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(w))
		if w != 0 {
			left = append(left, rows[i])
			kept = binary.LittleEndian.AppendUint64(kept, math.Float64bits(w))
		}
	}
	archive := func(rows [][]float64, weights []byte) string {
		return string(npzFile(t, zip.Store, "X", readtest.ArrayOf(rows, "<f8", false), "weight",
			string(readtest.NpyFile(fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }", len(weights)/8), string(weights)))))
	}
	want := readtest.ReadNamed(t, "x.npz", archive(left, kept), data.Options{})
	side := readtest.Put(t, t.TempDir(), "w.txt", weights.String())
	whole := readtest.ReadNamed(t, "y.npz", string(npzFile(t, zip.Store, "X", readtest.ArrayOf(rows, "<f8", false))), data.Options{})
	cache := t.TempDir() + "/x.fen"
	if err := data.Write(t.Context(), cache, whole, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ source, weights string }{{readtest.Put(t, t.TempDir(), "x.npz", archive(rows, raw)), ""}, {cache, side},
		{readtest.Put(t, t.TempDir(), "x.npy", readtest.ArrayOf(rows, "<f8", false)), side}} {
		opt := data.Options{Weights: c.weights, Unlabelled: true}
		got := readtest.MustRead(t, opt, c.source)
		if got.Digest() != want.Digest() || fmt.Sprint(got.Schema) != fmt.Sprint(want.Schema) || !strings.Contains(fmt.Sprint(got.Warnings), "100 rows of weight 0: left out") {
			t.Errorf("%s: found %d rows, %v, the warnings %v, expected %v", c.source, got.Rows(), got.Schema, got.Warnings, want.Schema)
		}
		opt.Unweighted = true
		if got = readtest.MustRead(t, opt, c.source); got.Rows() != 400 || got.Weight != nil {
			t.Errorf("%s without weights: found %d rows", c.source, got.Rows())
		}
	}
	if _, err := data.Read(t.Context(), []string{readtest.Put(t, t.TempDir(), "x.npz", archive(rows, make([]byte, 3200)))}, data.Options{}); err == nil || !strings.Contains(err.Error(), "weight 0 in all rows") {
		t.Errorf("all weights 0: found %v", err)
	}
}

// Rows of weight 0 choose no offsets and factors either.
func TestWeightlessMeasuresNothing(t *testing.T) {
	var rows, left [][]float64
	var weights strings.Builder
	for i := range 400 {
		r := []float64{1.7e9 + float64(i)/64, float64(i%7) * 1e-47, float64(i % 5), 1, float64(i % 2)}
		if fmt.Fprintln(&weights, (i+1)%4); (i+1)%4 == 0 {
			r[0], r[1] = float64(i%3), []float64{1e-25, 1e-31}[i/4%2]
		} else {
			left = append(left, slices.Clone(r))
		}
		rows = append(rows, r)
	}
	side, counted := readtest.Put(t, t.TempDir(), "w.txt", weights.String()), tinyFiles(t, left)
	for name, text := range tinyFiles(t, rows) {
		if name == "a.csv" { // has a column of weights
			continue
		}
		half := readtest.ReadNamed(t, name, counted[name], data.Options{})
		got := readtest.ReadNamed(t, name, text, data.Options{Weights: side})
		if !slices.EqualFunc(readtest.RowsOf(got.X), readtest.RowsOf(half.X), slices.Equal) || fmt.Sprint(got.Schema) != fmt.Sprint(half.Schema) || half.Schema.Factors() == nil {
			t.Errorf("%s: found %v, expected %v", name, got.Schema, half.Schema)
		}
		if dense := name != "a.svm" && name != "s.npz"; dense != (got.Schema.Offsets() != nil) {
			t.Errorf("%s: found the offsets %v", name, got.Schema.Offsets())
		}
	}
}

// Files of dense and of sparse rows are one set: their small columns are multiplied as of either.
func TestTinyOfDenseAndSparse(t *testing.T) {
	rows := tiny(3000)
	first, last, want := tinyFiles(t, rows[:1000]), tinyFiles(t, rows[1000:]), readtest.ReadNamed(t, "s.npz", tinyFiles(t, rows)["s.npz"], data.Options{})
	for _, names := range [][2]string{{"s.npz", "d.npz"}, {"d.npz", "s.npz"}} {
		one, two := readtest.Put(t, t.TempDir(), "1.npz", first[names[0]]), readtest.Put(t, t.TempDir(), "2.npz", last[names[1]])
		for _, opt := range []data.Options{{}, {Schema: want.Schema, Columns: 4, Threads: 1}} {
			got := readtest.MustRead(t, opt, one, two)
			if !slices.EqualFunc(readtest.RowsOf(got.X), readtest.RowsOf(want.X), slices.Equal) || opt.Schema == nil && fmt.Sprint(got.Schema) != fmt.Sprint(want.Schema) {
				t.Errorf("%v: found other rows or %v, expected %v", names, got.Schema, want.Schema)
			}
		}
		large := readtest.Put(t, t.TempDir(), "3.npz", tinyFiles(t, [][]float64{{1, 2, 3, 4, 1}, {5, 6, 1e30, 8, 0}})[names[0]])
		_, err := data.Read(t.Context(), []string{large, two}, data.Options{Schema: want.Schema, Columns: 4})
		if err == nil || !strings.Contains(err.Error(), "row 1, column 1: found") {
			t.Errorf("large numbers in a column that a model multiplies: found %v", err)
		}
	}
}
