package fen_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/fen"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// fenBytes is a set as a cache.
func fenBytes(t testing.TB, s *data.Set) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := (fen.Format{}).Write(&out, s); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readBytes reads a cache as it comes through a pipe.
func readBytes(content []byte, opt data.Options) (*data.Set, error) {
	opt.Stdin = bytes.NewReader(content)
	return data.Read(context.Background(), []string{"-"}, opt)
}

// wantSame compares all that a set holds.
func wantSame(t *testing.T, name string, got, want *data.Set) {
	t.Helper()
	if reflect.TypeOf(got.X) != reflect.TypeOf(want.X) {
		t.Errorf("%s: found rows in %T, expected %T", name, got.X, want.X)
	}
	gotDims, wantDims := fmt.Sprint(got.X.Dims()), fmt.Sprint(want.X.Dims())
	if gotDims != wantDims {
		t.Fatalf("%s: found %s, expected %s", name, gotDims, wantDims)
	}
	for i := range want.Rows() {
		if a, b := got.X.Row(i), want.X.Row(i); !reflect.DeepEqual(a, b) && (len(a.Value) > 0 || len(b.Value) > 0 || a.Index == nil) {
			t.Fatalf("%s: row %d: found %v, expected %v", name, i, a, b)
		}
	}
	if got.Digest() != want.Digest() || got.CachedDigest() != want.Digest() {
		t.Errorf("%s: found the digests %s and %s, expected %s", name, got.Digest(), got.CachedDigest(), want.Digest())
	}
	for what, pair := range map[string][2]any{"target": {got.Target, want.Target}, "weights": {got.Weight, want.Weight},
		"features": {got.Feature, want.Feature}, "schema": {got.Schema, want.Schema}} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: found the %s %v, expected %v", name, what, pair[0], pair[1])
		}
	}
}

// someSets are sets of every kind: all generators, and what files hold.
func someSets(t testing.TB) map[string]*data.Set {
	sets := map[string]*data.Set{}
	for _, g := range generate.Generators() {
		for _, p := range []string{"n=1", "n=257"} {
			if g.Name == "text" || g.Name == "linear" {
				p += ",d=40"
			}
			sets["@"+g.Name+":"+p] = readtest.MustRead(t, data.Options{}, "@"+g.Name+":"+p)
		}
	}
	folder := t.TempDir()
	many := make([]string, set.MaxLabels+2)
	for i := range many {
		many[i] = fmt.Sprintf("%d.5 1:1\n", i)
	}
	table := readtest.Put(t, folder, "t.csv", "n,c,w,y\n1,u,2,a\n,v,1,b\n5,,3,a\n")
	for name, s := range map[string]*data.Set{
		"labels":  readtest.MustRead(t, data.Options{}, readtest.Put(t, folder, "l.svm", "b 1:1 3:0.5\na 2:-1\nb\n+1 4:3e-42\n")),
		"numbers": readtest.MustRead(t, data.Options{}, readtest.Put(t, folder, "n.svm", "+1 1:1\n-1.0 7:2\n0.5\n")),
		"many":    readtest.MustRead(t, data.Options{}, readtest.Put(t, folder, "m.svm", strings.Join(many, ""))),
		"empty":   readtest.MustRead(t, data.Options{}, readtest.Put(t, folder, "e.svm", "1\n2\n")),
		"table":   readtest.MustRead(t, data.Options{Target: "y", Weights: "w"}, table),
		"dense":   readtest.MustRead(t, data.Options{}, "../array/testdata/numpy_dense.npz"),
		"bare":    readtest.MustRead(t, data.Options{}, "../array/testdata/scipy_csr.npz"),
		"weights": readtest.MustRead(t, data.Options{Weights: readtest.Put(t, folder, "w.txt", "1\n0.25\n")}, readtest.Put(t, folder, "w.svm", "1 1:1\n2 2:1\n")),
	} {
		sets[name] = s
	}
	return sets
}

func TestFENRoundTrip(t *testing.T) {
	folder := t.TempDir()
	for name, s := range someSets(t) {
		content := fenBytes(t, s)
		if !bytes.Equal(content, fenBytes(t, s)) {
			t.Errorf("%s: two caches of one set differ", name)
		}
		path := filepath.Join(folder, "x.fen")
		if err := data.Write(context.Background(), path, s, ""); err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 3} {
			mapped := readtest.MustRead(t, data.Options{Threads: threads}, path)
			wantSame(t, name, mapped, s)
			if !bytes.Equal(fenBytes(t, mapped), content) {
				t.Errorf("%s: the cache of a cache differs", name)
			}
			if err := mapped.Close(); err != nil {
				t.Error(err)
			}
		}
		piped, err := readBytes(content, data.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantSame(t, name+" piped", piped, s)
		for _, extension := range []string{".gz", ".zst"} {
			path := filepath.Join(folder, "x.fen"+extension)
			if err := data.Write(context.Background(), path, s, ""); err != nil {
				t.Fatal(err)
			}
			wantSame(t, name+extension, readtest.MustRead(t, data.Options{}, path), s)
		}
	}
}

// fenSample has all sections.
func fenSample(t testing.TB) []byte {
	s, err := data.FromSparse([]matrix.Vector{
		{Index: []uint32{0, 2}, Value: []float32{1, -2}}, {}, {Index: []uint32{1, 2, 3}, Value: []float32{4, 5, 6}},
	}, 4, data.Labels([]string{"+1", "2", "+1"}))
	if err != nil {
		t.Fatal(err)
	}
	s.Weight = []float64{1, 2, 0.5}
	s.Feature = []string{"a", "b", "c", "d"}
	return fenBytes(t, s)
}

// Every bit of a cache is guarded: no change and no cut goes unnoticed.
func TestFENDamage(t *testing.T) {
	content := fenSample(t)
	folder := t.TempDir()
	refuse := func(what string, damaged []byte) {
		t.Helper()
		path := filepath.Join(folder, "x.fen")
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := data.Read(context.Background(), []string{path}, data.Options{Format: "fen"})
		if err == nil || !strings.HasPrefix(err.Error(), path+": found ") || !strings.Contains(err.Error(), "expected ") || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%s: error %v", what, err)
		}
		if _, err := readBytes(damaged, data.Options{Format: "fen"}); err == nil || !strings.HasPrefix(err.Error(), "standard input: found ") {
			t.Fatalf("%s, piped: error %v", what, err)
		}
	}
	for at := range content {
		damaged := bytes.Clone(content)
		damaged[at] ^= 1 << (at % 8)
		refuse(fmt.Sprintf("byte %d changed", at), damaged)
	}
	for size := 1; size < len(content); size++ {
		refuse(fmt.Sprintf("cut to %d bytes", size), content[:size])
	}
	refuse("more at the end", append(bytes.Clone(content), 0))
}
