package data_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

// streamFiles has files of all formats with rows of five columns, and what
// options they need.
func streamFiles(t *testing.T, n int) map[string]data.Options {
	folder, r := t.TempDir(), rand.New(rand.NewPCG(3, 1))
	var csv, semicolon, arff, sparse, svm, named bytes.Buffer
	table := &matrix.Dense{Rows: n, Cols: 5}
	image := []byte{0, 0, 8, 2, 0, 0, byte(n >> 8), byte(n), 0, 0, 0, 5}
	array := bytes.NewBufferString("\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n", fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 5), }", n)))
	arff.WriteString("@relation r\n@attribute a numeric\n@attribute b real\n@attribute c integer\n@attribute d numeric\n@attribute e numeric\n@data\n")
	sparse.Write(arff.Bytes())
	named.WriteString("a,b,y,d,e,f\n")
	for i := range n {
		row := make([]float32, 5)
		for j := range row {
			if r.IntN(3) > 0 || i == 0 {
				row[j] = float32(r.IntN(1000)) / 8
			}
		}
		table.Value = append(table.Value, row...)
		fmt.Fprintf(&csv, "%v,%v,%v,%v,%v\n", row[0], row[1], row[2], row[3], row[4])
		fmt.Fprintf(&semicolon, "%v\t%v\t%v\t%v\t%v\n", row[0], row[1], row[2], row[3], row[4])
		fmt.Fprintf(&arff, "%v,%v,%v,%v,%v\n", row[0], row[1], row[2], row[3], row[4])
		fmt.Fprintf(&named, "%v,%v,%s,%v,%v,%v\n", row[0], row[1], []string{"yes", "no"}[i%2], row[2], row[3], row[4])
		fmt.Fprintf(&svm, "%+d", 2*(i%2)-1)
		sparse.WriteString("{")
		for j, v := range row {
			if v != 0 {
				fmt.Fprintf(&svm, " %d:%v", j+1, v)
			}
			if v != 0 && j != 3 {
				fmt.Fprintf(&sparse, "%d %v,", j, v)
			}
			image = append(image, byte(v))
			binary.Write(array, binary.LittleEndian, v)
		}
		fmt.Fprintf(&sparse, "3 %v}\n", row[3])
		svm.WriteString(" # a comment\n\n"[r.IntN(2)*12:])
	}
	files := map[string]data.Options{"../internal/read/array/testdata/numpy_fortran.npy": {}, "@low-rank:n=2500,d=7": {}, "@heavy-tailed:n=2500,d=90,rank=3": {}, "@pca-orthogonal:n=2500": {}, "@toy:n=1500": {}}
	write := func(name string, text []byte) {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		files[path] = data.Options{}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(text)
		z.Close()
		if err := os.WriteFile(path+".gz", packed.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		files[path+".gz"] = data.Options{}
	}
	write("rows.csv", csv.Bytes())
	write("named.csv", named.Bytes())
	write("rows.tsv", semicolon.Bytes())
	write("rows.arff", arff.Bytes())
	write("rows.svm", svm.Bytes())
	write("rows.npy", array.Bytes())
	write("rows.idx", image)
	write("rows.strings", bytes.ReplaceAll(csv.Bytes(), []byte(","), []byte("\t")))
	write("words.csv", bytes.ReplaceAll(csv.Bytes(), []byte("\n"), []byte(",word\n")))
	set := &data.Set{X: table, Target: data.Numbers(make([]float64, n))}
	svmSet, err := data.Read(t.Context(), []string{filepath.Join(folder, "rows.svm")}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*data.Set{"rows.fen": set, "rows.npz": set, "sparse.fen": svmSet, "sparse.npz": svmSet} {
		if err := data.Write(t.Context(), filepath.Join(folder, name), s, ""); err != nil {
			t.Fatal(err)
		}
		files[filepath.Join(folder, name)] = data.Options{}
	}
	return files
}

// The rows are those of Read, of every format, compressed or not, of one file
// or two, whatever the chunks, the threads and the blocks.
func TestBlocksAreRead(t *testing.T) {
	for path, opt := range streamFiles(t, 2100) {
		opt.Unlabelled = true
		sources := []string{path}
		s, err := data.Read(t.Context(), sources, opt)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		want := readtest.RowsOf(s.X)
		for _, c := range []struct{ chunk, threads, rows int }{{0, 0, 0}, {100, 1, 1}, {3000, 2, 1000}, {100, 3, 2100}, {5000, 2, 2101}} {
			if c.rows == 1 && testing.Short() {
				continue
			}
			opt.Chunk, opt.Threads, opt.BlockRows = c.chunk, c.threads, c.rows
			got, cols, err := readtest.Streamed(t, sources, opt)
			if err != nil || cols != s.Cols() || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %+v: found %d rows of %d, %v, expected %d of %d", path, c, len(got), cols, err, len(want), s.Cols())
			}
		}
		if strings.HasPrefix(path, "@") {
			continue
		}
		got, _, err := readtest.Streamed(t, []string{path, path}, opt)
		if err != nil || !reflect.DeepEqual(got, append(want[:len(want):len(want)], want...)) {
			t.Errorf("%s twice: found %d rows, %v, expected %d", path, len(got), err, 2*len(want))
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		opt.Stdin, opt.Format = bytes.NewReader(text), formatOf(path)
		if got, _, err := readtest.Streamed(t, []string{"-"}, opt); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s from standard input: found %d rows, %v, expected %d", path, len(got), err, len(want))
		}
	}
}

func formatOf(path string) string {
	return strings.NewReplacer(".", "", "svm", "libsvm").Replace(filepath.Ext(file.PlainName(path)))
}

// All rows before an error are given first; the error tells the place.
func TestBlockErrors(t *testing.T) {
	long := strings.Repeat("1 1:1 2:2\n", 3000)
	table := strings.Repeat("1,2\n", 3000)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(strings.Repeat("1 1:1\n", 50000)))
	z.Close()
	array := "\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }")
	for _, c := range []struct {
		format, text string
		columns      int
		rows         int
		want         string
	}{
		{"libsvm", long + "1 7:1\n" + long, 0, 3000, "standard input:3001: found index 7, expected at most 2, the largest in the first 1024 rows (say how many columns there are)"},
		{"libsvm", "1 2:1\n# no\n\n1 5:1\n", 4, 1, "standard input:4: found index 5, expected at most 4, as asked for"},
		{"libsvm", "1 2:1\n1 5:0\n", 4, 1, "standard input:2: found index 5, expected at most 4, as asked for"},
		{"libsvm", long + "1 1:nan\n", 0, 3000, `standard input:3001:5: found "nan", expected a finite number`},
		{"libsvm", long + "1 1:1 1:1\n", 0, 3000, "standard input:3001:7: found index 1 after 1, expected increasing indices"},
		{"libsvm", "# only a comment\n", 0, 0, "standard input: found no rows, expected at least one"},
		{"csv", table + "1\n" + table, 0, 3000, "standard input:3001:1: found 1 field, expected 2"},
		{"csv", table + "1,inf\n" + table, 0, 3000, `standard input:3001:3: found "inf", expected a finite number (leave the field empty for a missing value)`},
		{"csv", table + "1,1e99\n", 0, 3000, `standard input:3001:3: found "1e99", expected a number that 32 bits can hold (below 3.4e38)`},
		{"csv", table + "1,cat\n" + table, 0, 3000, `standard input:3001:3: found "cat", expected a number in all of column "2": a stream cannot make it one of categories`},
		{"csv", "a,b\n" + table + "1,\n" + table, 0, 3000, `standard input:3002:3: found "", expected a number in all of column "b": a stream has no mean to stand for a missing one`},
		{"csv", table + "x,1\n1\n", 0, 3000, `standard input:3001:1: found "x", expected a number in all of column "1": a stream cannot make it one of categories`},
		{"csv", table, 3, 0, "standard input: found 2 columns, expected the 3 features of the model, or these with the target"},
		{"csv", "y\n1\n", 0, 0, "standard input: found one column, expected at least a feature and a target"},
		{"npy", array + "\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x80\x3f", 0, 2, "standard input: found 20 bytes of data, expected 24"},
		{"npy", array + "\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x80\x7f\x00\x00\x80\x3f", 0, 1, "standard input: row 2, column 2: found +Inf, expected a finite number of magnitude below 3.4e38"},
		{"idx", "\x00\x00\x08\x02\x00\x00\x00\x03\x00\x00\x00\x02abcde", 0, 2, "standard input: found 5 bytes of data, expected 6"},
		{"", packed.String()[:packed.Len()/2], 0, -1, "standard input: gzip data is truncated: unexpected EOF"},
	} {
		for _, chunk := range []int{0, 40, 1000} {
			opt := data.Options{Format: c.format, Source: data.Source{Stdin: strings.NewReader(c.text)}, Columns: c.columns, Blocking: data.Blocking{Chunk: chunk}, Threads: 2}
			rows, _, err := readtest.Streamed(t, []string{"-"}, opt)
			if err == nil || err.Error() != c.want || c.rows >= 0 && len(rows) != c.rows || c.rows < 0 && len(rows) < 1000 {
				t.Errorf("%s %.30q, chunks of %d: found %d rows and %v\nexpected %d and %s", c.format, c.text, chunk, len(rows), err, c.rows, c.want)
			}
		}
	}
	for want, c := range map[string]struct {
		source string
		opt    data.Options
	}{
		"stream of rows: found weights or values of a kernel asked for, expected rows alone":        {"@toy", data.Options{Weights: "w"}},
		`target y: a generator has no use for it, only formats arff, csv, fen, json, npy, tsv have`: {"@toy", data.Options{Target: "y"}},
		"@toy:n=5: found 10 columns, expected 3, as asked for":                                      {"@toy:n=5", data.Options{Columns: 3}},
	} {
		if _, err := data.Blocks(t.Context(), []string{c.source}, c.opt); err == nil || err.Error() != want {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
}

// A model's schema gives missing numbers a value, and categories their columns.
func TestBlocksOfSchema(t *testing.T) {
	for _, text := range []string{"a,b,y\n1,2,no\n,4,yes\n3,,no\n", "a,b,y\n1,u,no\n,v,yes\n3,u,no\n"} {
		s, err := data.Read(t.Context(), []string{"-"}, data.Options{Format: "csv", Source: data.Source{Stdin: strings.NewReader(text)}})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := readtest.Streamed(t, []string{"-"}, data.Options{Format: "csv", Source: data.Source{Stdin: strings.NewReader(text)}, Schema: s.Schema})
		if err != nil || !reflect.DeepEqual(got, readtest.RowsOf(s.X)) {
			t.Errorf("%q: found %v, %v, expected %v", text, got, err, readtest.RowsOf(s.X))
		}
	}
}
