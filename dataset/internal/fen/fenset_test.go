package fen_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/dataset/internal/datasettest"
	"github.com/fenchel-ml/fenchel/dataset/internal/fen"
	"github.com/fenchel-ml/fenchel/matrix"
)

// cache writes the rows of a source as a cache and returns its path.
func cache(t *testing.T, name string, opt dataset.Options, sources ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := dataset.Write(context.Background(), path, datasettest.MustRead(t, opt, sources...), "fen"); err != nil {
		t.Fatal(err)
	}
	return path
}

// Several caches, and caches read for a model, are like the texts they were
// made from: rows, targets, digest and warnings.
func TestFENLikeText(t *testing.T) {
	folder := t.TempDir()
	a := datasettest.Put(t, folder, "a.svm", "+1 1:1 3:0.5\n-1 2:2\n\n1 3:-1\n")
	b := datasettest.Put(t, folder, "b.svm", "-1 1:4 5:2 7:1\n2\n-1 6:1e-3\n")
	w := datasettest.Put(t, folder, "w.txt", "1\n2\n3\n4\n5\n6\n")
	l := datasettest.Put(t, folder, "l.txt", "a\nb\na\nb\na\nc\n")
	caches := map[string]string{a: cache(t, "a.fen", dataset.Options{}, a), b: cache(t, "b.fen", dataset.Options{}, b)}
	for _, c := range []struct {
		sources []string
		opt     dataset.Options
		sparse  bool // the rows are those of the file
	}{
		{[]string{a}, dataset.Options{}, true},
		{[]string{b}, dataset.Options{Columns: 7}, true},
		{[]string{a}, dataset.Options{Columns: 9}, true},
		{[]string{b}, dataset.Options{Columns: 5}, false},
		{[]string{b}, dataset.Options{Columns: 1}, false},
		{[]string{a, b}, dataset.Options{}, false},
		{[]string{b, a, b}, dataset.Options{Threads: 3}, false},
		{[]string{a, b}, dataset.Options{Columns: 2}, false},
		{[]string{a, b}, dataset.Options{Columns: 70}, false},
		{[]string{a, b}, dataset.Options{Weights: w}, false},
	} {
		want := datasettest.MustRead(t, c.opt, c.sources...)
		var paths []string
		for _, s := range c.sources {
			paths = append(paths, caches[s])
		}
		got := datasettest.MustRead(t, c.opt, paths...)
		name := fmt.Sprint(c.sources, c.opt)
		if got.Digest() != want.Digest() || datasettest.Show(got) != datasettest.Show(want) || got.CachedDigest() != want.Digest() {
			t.Errorf("%s: found\n%s, expected\n%s", name, datasettest.Show(got), datasettest.Show(want))
		}
		if !reflect.DeepEqual(got.Target, want.Target) || !reflect.DeepEqual(got.Weight, want.Weight) || matrix.Nonzeros(got.X) != matrix.Nonzeros(want.X) {
			t.Errorf("%s: other targets, weights or values", name)
		}
		if g, w := fmt.Sprint(got.Warnings), fmt.Sprint(want.Warnings); g != w {
			t.Errorf("%s: found the warnings %s, expected %s", name, g, w)
		}
		if _, sparse := got.X.(*matrix.CSR); sparse != c.sparse {
			t.Errorf("%s: found rows in %T", name, got.X)
		}
		// What is put together from several caches can be written as one.
		again, err := readBytes(fenBytes(t, got), dataset.Options{})
		if err != nil || again.Digest() != want.Digest() {
			t.Errorf("%s: written as one: %v, or other rows", name, err)
		}
	}
	if got := datasettest.Show(datasettest.MustRead(t, dataset.Options{Labels: l}, caches[a], caches[b])); !strings.HasSuffix(got, " a,b,a,b,a,c") {
		t.Errorf("found %s, expected the labels of another file", got)
	}
}

func TestFENDense(t *testing.T) {
	folder := t.TempDir()
	a := datasettest.Put(t, folder, "a.csv", "1,2,0\n3,4,1\n")
	path := cache(t, "a.fen", dataset.Options{}, a)
	for columns, want := range []string{"[1 2][3 4] 0,1", "[1][3] 0,1", "[1 2][3 4] 0,1", "[1 2 0][3 4 0] 0,1"} {
		datasettest.WantRead(t, path, dataset.Options{Columns: columns}, want)
	}
	if s := datasettest.MustRead(t, dataset.Options{}, path, path); datasettest.Show(s) != "[1 2][3 4][1 2][3 4] 0,1,0,1" {
		t.Errorf("found %s", datasettest.Show(s))
	} else if _, dense := s.X.(*matrix.Dense); !dense {
		t.Errorf("found rows in %T, expected dense ones as of one file: scaling centres these", s.X)
	}
	wide := cache(t, "wide.fen", dataset.Options{}, datasettest.Put(t, folder, "b.csv", "1,2,3,0\n"))
	sparse := cache(t, "sparse.fen", dataset.Options{}, datasettest.Put(t, folder, "c.svm", "1 1:1\n"))
	for other, want := range map[string]string{
		wide:   wide + ": found features of a table with other columns or categories, expected those of " + path + ": convert with --like",
		sparse: sparse + ": found sparse rows, expected dense ones as in " + path,
	} {
		if _, err := dataset.Read(context.Background(), []string{path, other}, dataset.Options{}); err == nil || err.Error() != want {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
}

// A table's features mean something only beside their names.
func TestFENTables(t *testing.T) {
	folder := t.TempDir()
	first := datasettest.Put(t, folder, "first.csv", "n,c,w,y\n1,u,2,a\n,v,1,b\n")
	later := datasettest.Put(t, folder, "later.csv", "n,c,w,y\n1,v,2,b\n7,x,1,a\n")
	opt := dataset.Options{Target: "y", Weights: "w"}
	path := cache(t, "first.fen", opt, first)
	schema := datasettest.MustRead(t, opt, first).Schema
	model := dataset.Options{Schema: schema, Columns: schema.Width()}
	wantSame(t, "with its own schema", datasettest.MustRead(t, model, path), datasettest.MustRead(t, opt, first))
	wantSame(t, "asked for its own target", datasettest.MustRead(t, opt, path), datasettest.MustRead(t, opt, first))
	wantSame(t, "asked by position", datasettest.MustRead(t, dataset.Options{Target: "4"}, path), datasettest.MustRead(t, opt, first))
	like := cache(t, "like.fen", model, later)
	if got, want := datasettest.Show(datasettest.MustRead(t, model, like)), datasettest.Show(datasettest.MustRead(t, model, later)); got != want {
		t.Errorf("made like the model: found %s, expected %s", got, want)
	}
	other := cache(t, "later.fen", opt, later)
	datasettest.WantRead(t, other, model, other+": found features of a table with other columns or categories, expected the model's: convert with --like")
	datasettest.WantRead(t, path, dataset.Options{Target: "n"}, path+`: found another target than "n" in the cache, expected to be asked for the one it was made with`)
}

// What no reader accepts, the writer refuses; what it writes, is read.
func TestFENWriteByHand(t *testing.T) {
	one := &matrix.CSR{Cols: 2, Start: []int64{0, 1, 2}, Index: []uint32{1, 0}, Value: []float32{1, 2}}
	rows := func(index []uint32, value []float32) *matrix.CSR {
		return &matrix.CSR{Cols: 2, Start: []int64{0, 2, 2}, Index: index, Value: value}
	}
	for _, c := range []struct {
		set  *dataset.Set
		want string
	}{
		{&dataset.Set{X: one, Target: dataset.Target{Label: []string{"b", "unused", "a"}, Code: []uint32{2, 0}}}, ""},
		{&dataset.Set{X: one, Target: dataset.Target{Label: []string{"1", "2"}, Code: []uint32{0, 1}}}, ""}, // numbers left out
		{&dataset.Set{X: &matrix.Dense{Rows: 2}}, ""},
		{&dataset.Set{X: &matrix.Dense{Rows: 2, Cols: 1, Value: []float32{0, 0}}}, ""},
		{&dataset.Set{X: &matrix.CSR{Cols: 2, Start: []int64{0}}}, "found 0 rows, 2 columns and 0 values, expected at least one row and at most 2^32 columns"},
		{&dataset.Set{X: rows([]uint32{1, 0}, []float32{1, 2})}, "row 1: found 2 values in columns [1 0], expected as many increasing columns below 2"},
		{&dataset.Set{X: rows([]uint32{1, 2}, []float32{1, 2})}, "row 1: found 2 values in columns [1 2], expected as many increasing columns below 2"},
		{&dataset.Set{X: rows([]uint32{0, 1}, []float32{1, float32(math.Inf(1))})}, "row 1: found a value that is not finite, expected finite numbers"},
		{&dataset.Set{X: one, Target: dataset.Target{Number: []float64{1}}}, "found 1 numbers, expected one for each of 2 rows"},
		{&dataset.Set{X: one, Target: dataset.Target{Number: []float64{1, math.NaN()}}}, "row 2: found the target NaN, expected a finite number"},
		{&dataset.Set{X: one, Target: dataset.Target{Label: []string{"1"}, Code: []uint32{0, 0}, Number: []float64{1, 2}}}, `row 2: found the label "1" and the number 2, expected the same`},
		{&dataset.Set{X: one, Target: dataset.Target{Label: []string{"a"}, Code: []uint32{0, 1}}}, "row 2: found the label code 1, expected one below 1"},
		{&dataset.Set{X: one, Target: dataset.Target{Label: []string{"a", "a"}, Code: []uint32{0, 1}}}, `found the label "a" twice, expected each once`},
		{&dataset.Set{X: one, Target: dataset.Target{Label: []string{"\xff"}, Code: []uint32{0, 0}}}, `found the label "\xff", expected a finite number or a name`},
		{&dataset.Set{X: one, Weight: []float64{1, -1}}, "row 2: found -1, expected a positive number as weight"},
		{&dataset.Set{X: one, Feature: []string{"a"}}, "found 1 names of features, expected 2"},
	} {
		var out bytes.Buffer
		err := (fen.Format{}).Write(&out, c.set)
		if c.want != "" {
			if err == nil || err.Error() != c.want {
				t.Errorf("found %v, expected %s", err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if again, err := readBytes(out.Bytes(), dataset.Options{}); err != nil || again.Digest() != c.set.Digest() || datasettest.Show(again) != datasettest.Show(c.set) {
			t.Errorf("%+v: %v, or other rows", c.set, err)
		}
	}
	if err := (fen.Format{}).Write(&failing{after: 300}, &dataset.Set{X: one}); err != io.ErrShortWrite {
		t.Errorf("found %v, expected the error of the disk", err)
	}
}

// failing is a disk that gets full.
type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// The digest in a cache is that of its rows, not of others put in their place.
func TestCachedDigest(t *testing.T) {
	path := cache(t, "x.fen", dataset.Options{}, "@toy:n=50,d=3")
	for name, change := range map[string]func(*dataset.Set){
		"rows":    func(s *dataset.Set) { s.X = &matrix.Dense{Rows: 50, Cols: 1, Value: make([]float32, 50)} },
		"weights": func(s *dataset.Set) { s.Weight = make([]float64, 50) },
		"labels":  func(s *dataset.Set) { s.Target = dataset.Numbers(make([]float64, 50)) },
	} {
		s := datasettest.MustRead(t, dataset.Options{}, path)
		before := s.CachedDigest()
		if before != s.Digest() {
			t.Error("the cache holds a wrong digest")
		}
		change(s)
		if got := s.CachedDigest(); got == before || got != s.Digest() {
			t.Errorf("other %s: found the digest %s", name, got)
		}
	}
}

// FuzzFEN: whatever the bytes, there is an error or a set that keeps the laws.
// Checksums are made right, so that the fuzzer gets past them.
func FuzzFEN(f *testing.F) {
	f.Add(fenSample(f))
	for _, s := range someSets(f) {
		if s.Rows() < 10 {
			f.Add(fenBytes(f, s))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		datasettest.CheckRead(t, "fen", data)
		s, err := readBytes(reseal(data), dataset.Options{Format: "fen"})
		if err != nil {
			return
		}
		checkLaws(t, s)
		again, err := readBytes(fenBytes(t, s), dataset.Options{})
		if err != nil || again.Digest() != s.Digest() {
			t.Fatalf("what was read cannot be written and read again: %v", err)
		}
	})
}

func checkLaws(t *testing.T, s *dataset.Set) {
	t.Helper()
	if i, j, ok := matrix.Finite(s.X); !ok {
		t.Fatalf("row %d, column %d is not finite", i, j)
	}
	rows, cols := s.X.Dims()
	switch m := s.X.(type) {
	case *matrix.CSR:
		if _, err := matrix.NewCSR(m.Cols, m.Start, m.Index, m.Value); err != nil {
			t.Fatal(err)
		}
	case *matrix.Dense:
		if _, err := matrix.NewDense(m.Rows, m.Cols, m.Value); err != nil {
			t.Fatal(err)
		}
	}
	if rows == 0 || s.Feature != nil && len(s.Feature) != cols || s.Schema != nil && s.Schema.Width() != cols {
		t.Fatalf("found %d rows, %d columns, %d names", rows, cols, len(s.Feature))
	}
	sparse := make([]matrix.Vector, rows)
	for i := range sparse {
		v := s.X.Row(i)
		sparse[i].Value = v.Value
		for k := range v.Value {
			sparse[i].Index = append(sparse[i].Index, uint32(v.Column(k)))
		}
	}
	if _, err := dataset.FromSparse(sparse, cols, s.Target); err != nil {
		t.Fatal(err)
	}
}

// The digest of a cache is that of its own targets and weights, not of others
// that took their place.
func TestCachedDigestOfOthers(t *testing.T) {
	folder := t.TempDir()
	path := cache(t, "a.fen", dataset.Options{}, datasettest.Put(t, folder, "a.svm", "1 1:1\n-1 2:1\n"))
	weights, labels := datasettest.Put(t, folder, "w.txt", "2\n3\n"), datasettest.Put(t, folder, "l.txt", "5\n6\n")
	for _, opt := range []dataset.Options{{}, {Weights: weights}, {Labels: labels}} {
		if s := datasettest.MustRead(t, opt, path); s.CachedDigest() != s.Digest() {
			t.Errorf("%+v: found the digest of the cache, expected that of the set", opt)
		}
	}
}
