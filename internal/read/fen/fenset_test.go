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

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/fen"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

// cache writes the rows of a source as a cache and returns its path.
func cache(t *testing.T, name string, opt data.Options, sources ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := data.Write(context.Background(), path, readtest.MustRead(t, opt, sources...), "fen"); err != nil {
		t.Fatal(err)
	}
	return path
}

// Several caches, and caches read for a model, are like the texts they were
// made from: rows, targets, digest and warnings.
func TestFENLikeText(t *testing.T) {
	folder := t.TempDir()
	a := readtest.Put(t, folder, "a.svm", "+1 1:1 3:0.5\n-1 2:2\n\n1 3:-1\n")
	b := readtest.Put(t, folder, "b.svm", "-1 1:4 5:2 7:1\n2\n-1 6:1e-3\n")
	w := readtest.Put(t, folder, "w.txt", "1\n2\n3\n4\n5\n6\n")
	l := readtest.Put(t, folder, "l.txt", "a\nb\na\nb\na\nc\n")
	caches := map[string]string{a: cache(t, "a.fen", data.Options{}, a), b: cache(t, "b.fen", data.Options{}, b)}
	for _, c := range []struct {
		sources []string
		opt     data.Options
		sparse  bool // the rows are those of the file
	}{
		{[]string{a}, data.Options{}, true},
		{[]string{b}, data.Options{Columns: 7}, true},
		{[]string{a}, data.Options{Columns: 9}, true},
		{[]string{b}, data.Options{Columns: 5}, false},
		{[]string{b}, data.Options{Columns: 1}, false},
		{[]string{a, b}, data.Options{}, false},
		{[]string{b, a, b}, data.Options{Threads: 3}, false},
		{[]string{a, b}, data.Options{Columns: 2}, false},
		{[]string{a, b}, data.Options{Columns: 70}, false},
		{[]string{a, b}, data.Options{Weights: w}, false},
	} {
		want := readtest.MustRead(t, c.opt, c.sources...)
		var paths []string
		for _, s := range c.sources {
			paths = append(paths, caches[s])
		}
		got := readtest.MustRead(t, c.opt, paths...)
		name := fmt.Sprint(c.sources, c.opt)
		if got.Digest() != want.Digest() || readtest.Show(got) != readtest.Show(want) || got.CachedDigest() != want.Digest() {
			t.Errorf("%s: found\n%s, expected\n%s", name, readtest.Show(got), readtest.Show(want))
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
		again, err := readBytes(fenBytes(t, got), data.Options{})
		if err != nil || again.Digest() != want.Digest() {
			t.Errorf("%s: written as one: %v, or other rows", name, err)
		}
	}
	if got := readtest.Show(readtest.MustRead(t, data.Options{Labels: l}, caches[a], caches[b])); !strings.HasSuffix(got, " a,b,a,b,a,c") {
		t.Errorf("found %s, expected the labels of another file", got)
	}
}

func TestFENDense(t *testing.T) {
	folder := t.TempDir()
	a := readtest.Put(t, folder, "a.csv", "1,2,0\n3,4,1\n")
	path := cache(t, "a.fen", data.Options{}, a)
	for columns, want := range []string{"[1 2][3 4] 0,1", "[1][3] 0,1", "[1 2][3 4] 0,1", "[1 2 0][3 4 0] 0,1"} {
		readtest.WantRead(t, path, data.Options{Columns: columns}, want)
	}
	if s := readtest.MustRead(t, data.Options{}, path, path); readtest.Show(s) != "[1 2][3 4][1 2][3 4] 0,1,0,1" {
		t.Errorf("found %s", readtest.Show(s))
	} else if _, dense := s.X.(*matrix.Dense); !dense {
		t.Errorf("found rows in %T, expected dense ones as of one file: scaling centres these", s.X)
	}
	wide := cache(t, "wide.fen", data.Options{}, readtest.Put(t, folder, "b.csv", "1,2,3,0\n"))
	sparse := cache(t, "sparse.fen", data.Options{}, readtest.Put(t, folder, "c.svm", "1 1:1\n"))
	for other, want := range map[string]string{
		wide:   wide + ": found features of a table with other columns or categories, expected those of " + path + ": convert with 'like'",
		sparse: sparse + ": found sparse rows, expected dense ones as in " + path,
	} {
		if _, err := data.Read(context.Background(), []string{path, other}, data.Options{}); err == nil || err.Error() != want {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
}

// A table's features mean something only beside their names.
func TestFENTables(t *testing.T) {
	folder := t.TempDir()
	first := readtest.Put(t, folder, "first.csv", "n,c,w,y\n1,u,2,a\n,v,1,b\n")
	later := readtest.Put(t, folder, "later.csv", "n,c,w,y\n1,v,2,b\n7,x,1,a\n")
	opt := data.Options{Target: "y", Weights: "w"}
	path := cache(t, "first.fen", opt, first)
	schema := readtest.MustRead(t, opt, first).Schema
	model := data.Options{Schema: schema, Columns: schema.Width()}
	wantSame(t, "with its own schema", readtest.MustRead(t, model, path), readtest.MustRead(t, opt, first))
	wantSame(t, "asked for its own target", readtest.MustRead(t, opt, path), readtest.MustRead(t, opt, first))
	wantSame(t, "asked by position", readtest.MustRead(t, data.Options{Target: "4"}, path), readtest.MustRead(t, opt, first))
	like := cache(t, "like.fen", model, later)
	if got, want := readtest.Show(readtest.MustRead(t, model, like)), readtest.Show(readtest.MustRead(t, model, later)); got != want {
		t.Errorf("made like the model: found %s, expected %s", got, want)
	}
	other := cache(t, "later.fen", opt, later)
	readtest.WantRead(t, other, model, other+": found features of a table with other columns or categories, expected the model's: convert with 'like'")
	readtest.WantRead(t, path, data.Options{Target: "n"}, path+`: found another target than "n" in the cache, expected to be asked for the one it was made with`)
}

// What no reader accepts, the writer refuses; what it writes, is read.
func TestFENWriteByHand(t *testing.T) {
	one := &matrix.CSR{Cols: 2, Start: []int64{0, 1, 2}, Index: []uint32{1, 0}, Value: []float32{1, 2}}
	rows := func(index []uint32, value []float32) *matrix.CSR {
		return &matrix.CSR{Cols: 2, Start: []int64{0, 2, 2}, Index: index, Value: value}
	}
	for _, c := range []struct {
		set  *data.Set
		want string
	}{
		{&data.Set{X: one, Target: data.Target{Label: []string{"b", "unused", "a"}, Code: []uint32{2, 0}}}, ""},
		{&data.Set{X: one, Target: data.Target{Label: []string{"1", "2"}, Code: []uint32{0, 1}}}, ""}, // numbers left out
		{&data.Set{X: &matrix.Dense{Rows: 2}}, ""},
		{&data.Set{X: &matrix.Dense{Rows: 2, Cols: 1, Value: []float32{0, 0}}}, ""},
		{&data.Set{X: &matrix.CSR{Cols: 2, Start: []int64{0}}}, "found 0 rows, 2 columns and 0 values, expected at least one row and at most 2^32 columns"},
		{&data.Set{X: rows([]uint32{1, 0}, []float32{1, 2})}, "row 1: found 2 values in columns [1 0], expected as many increasing columns below 2"},
		{&data.Set{X: rows([]uint32{1, 2}, []float32{1, 2})}, "row 1: found 2 values in columns [1 2], expected as many increasing columns below 2"},
		{&data.Set{X: rows([]uint32{0, 1}, []float32{1, float32(math.Inf(1))})}, "row 1: found a value that is not finite, expected finite numbers"},
		{&data.Set{X: one, Target: data.Target{Number: []float64{1}}}, "found 1 numbers, expected one for each of 2 rows"},
		{&data.Set{X: one, Target: data.Target{Number: []float64{1, math.NaN()}}}, "row 2: found the target NaN, expected a finite number"},
		{&data.Set{X: one, Target: data.Target{Label: []string{"1"}, Code: []uint32{0, 0}, Number: []float64{1, 2}}}, `row 2: found the label "1" and the number 2, expected the same`},
		{&data.Set{X: one, Target: data.Target{Label: []string{"a"}, Code: []uint32{0, 1}}}, "row 2: found the label code 1, expected one below 1"},
		{&data.Set{X: one, Target: data.Target{Label: []string{"a", "a"}, Code: []uint32{0, 1}}}, `found the label "a" twice, expected each once`},
		{&data.Set{X: one, Target: data.Target{Label: []string{"\xff"}, Code: []uint32{0, 0}}}, `found the label "\xff", expected a finite number or a name`},
		{&data.Set{X: one, Weight: []float64{1, -1}}, "row 2: found -1, expected a positive number as weight"},
		{&data.Set{X: one, Feature: []string{"a"}}, "found 1 names of features, expected 2"},
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
		if again, err := readBytes(out.Bytes(), data.Options{}); err != nil || again.Digest() != c.set.Digest() || readtest.Show(again) != readtest.Show(c.set) {
			t.Errorf("%+v: %v, or other rows", c.set, err)
		}
	}
	if err := (fen.Format{}).Write(&failing{after: 300}, &data.Set{X: one}); err != io.ErrShortWrite {
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
	path := cache(t, "x.fen", data.Options{}, "@toy:n=50,d=3")
	for name, change := range map[string]func(*data.Set){
		"rows":    func(s *data.Set) { s.X = &matrix.Dense{Rows: 50, Cols: 1, Value: make([]float32, 50)} },
		"weights": func(s *data.Set) { s.Weight = make([]float64, 50) },
		"labels":  func(s *data.Set) { s.Target = data.Numbers(make([]float64, 50)) },
	} {
		s := readtest.MustRead(t, data.Options{}, path)
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
	f.Fuzz(func(t *testing.T, content []byte) {
		readtest.CheckRead(t, "fen", content)
		s, err := readBytes(reseal(content), data.Options{Format: "fen"})
		if err != nil {
			return
		}
		checkLaws(t, s)
		again, err := readBytes(fenBytes(t, s), data.Options{})
		if err != nil || again.Digest() != s.Digest() {
			t.Fatalf("what was read cannot be written and read again: %v", err)
		}
	})
}

func checkLaws(t *testing.T, s *data.Set) {
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
	if _, err := data.FromSparse(sparse, cols, s.Target); err != nil {
		t.Fatal(err)
	}
}

// The digest of a cache is that of its own targets and weights, not of others
// that took their place.
func TestCachedDigestOfOthers(t *testing.T) {
	folder := t.TempDir()
	path := cache(t, "a.fen", data.Options{}, readtest.Put(t, folder, "a.svm", "1 1:1\n-1 2:1\n"))
	weights, labels := readtest.Put(t, folder, "w.txt", "2\n3\n"), readtest.Put(t, folder, "l.txt", "5\n6\n")
	for _, opt := range []data.Options{{}, {Weights: weights}, {Labels: labels}} {
		if s := readtest.MustRead(t, opt, path); s.CachedDigest() != s.Digest() {
			t.Errorf("%+v: found the digest of the cache, expected that of the set", opt)
		}
	}
}
