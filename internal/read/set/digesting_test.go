package set_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestDigestIsTheDefinition: the digest is that of the bytes of which its
// documentation tells, however they are hashed.
func TestDigestIsTheDefinition(t *testing.T) {
	s := readtest.MustRead(t, data.Options{}, "@text:n=9000,d=40")
	n, d := s.X.Dims()
	little := func(to *bytes.Buffer, v any) { _ = binary.Write(to, binary.LittleEndian, v) }
	var whole bytes.Buffer
	little(&whole, []uint64{uint64(n), uint64(d)})
	for lo := 0; lo < n; lo += 4096 {
		hi := min(lo+4096, n)
		var block bytes.Buffer
		little(&block, uint64(hi-lo))
		for i := lo; i < hi; i++ {
			var columns []uint32
			var values []float32
			row := s.X.Row(i)
			for k, v := range row.Value {
				if v != 0 {
					columns, values = append(columns, uint32(row.Column(k))), append(values, v)
				}
			}
			little(&block, uint64(len(values)))
			little(&block, columns)
			little(&block, values)
			little(&block, byte(1)) // a number
			little(&block, s.Target.Number[i])
			little(&block, math.Float64bits(1)) // the weight
		}
		sum := sha256.Sum256(block.Bytes())
		whole.Write(sum[:])
	}
	if got, want := s.Digest(), fmt.Sprintf("sha256:%x", sha256.Sum256(whole.Bytes())); got != want {
		t.Errorf("found %s, expected %s", got, want)
	}
}

// A digest that is computed beside other work is the same one, however many cores
// there are; one that nobody waits for ends.
func TestDigesting(t *testing.T) {
	for _, spec := range []string{"@text:n=1,d=40", "@text:n=9000,d=40", "@blobs:n=4096"} {
		s := readtest.MustRead(t, data.Options{}, spec)
		want := s.Digest()
		for _, threads := range []int{1, 2, 5} {
			if got := s.BeginDigest(threads).Wait(); got != want {
				t.Errorf("%s, %d threads: found %s, expected %s", spec, threads, got, want)
			}
			s.BeginDigest(threads).Stop()
			late := s.BeginDigest(threads)
			if got := late.Wait(); got != want {
				t.Errorf("%s, %d threads: found %s, expected %s", spec, threads, got, want)
			}
			late.Stop()
		}
	}
	path := filepath.Join(t.TempDir(), "x.fen")
	s := readtest.MustRead(t, data.Options{}, "@text:n=5000,d=40")
	if err := data.Write(t.Context(), path, s, ""); err != nil {
		t.Fatal(err)
	}
	cached := readtest.MustRead(t, data.Options{}, path)
	if got := cached.BeginDigest(2).Wait(); got != s.Digest() {
		t.Errorf("from a cache: found %s, expected %s", got, s.Digest())
	}
	cached.Target.Number = nil // no longer what the cache holds
	if got := cached.BeginDigest(2).Wait(); got != cached.Digest() || got == s.Digest() {
		t.Errorf("from a changed cache: found %s, expected %s", got, cached.Digest())
	}
}

func BenchmarkDigest(b *testing.B) {
	s, err := data.Read(context.Background(), []string{readtest.RealData(b, "imdb/imdb_tfidf.train.svm.gz")}, data.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(8 * matrix.Nonzeros(s.X))
	for b.Loop() {
		s.Digest()
	}
}

func TestDigest(t *testing.T) {
	dense := &data.Set{X: &matrix.Dense{Rows: 2, Cols: 2, Value: []float32{1, 0, 0, 2}}, Target: data.Target{Number: []float64{1, 0}}}
	sparse, err := readtest.ReadText("1 1:1\n-0 2:2\n", data.Options{Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	if dense.Digest() != sparse.Digest() {
		t.Error("dense and sparse rows have different digests")
	}
	sparse.Weight = []float64{1, 1}
	if dense.Digest() != sparse.Digest() {
		t.Error("weights of 1 change the digest")
	}
	seen := map[string]bool{dense.Digest(): true}
	for _, text := range []string{"1 1:1\n0 2:3\n", "1 1:1\n2 2:2\n", "a 1:1\n0 2:2\n", "1 1:1\n0 2:2 3:0\n", "1 2:1\n0 2:2\n", "1 1:1\n0 2:2\n0"} {
		s, _ := readtest.ReadText(text, data.Options{})
		if d := s.Digest(); seen[d] || !strings.HasPrefix(d, "sha256:") || len(d) != 71 {
			t.Errorf("%q: the digest %s is not new", text, d)
		} else {
			seen[d] = true
		}
	}
}
