package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"testing"
)

// TestDigestIsTheDefinition: the digest is that of the bytes of which its
// documentation tells, however they are hashed.
func TestDigestIsTheDefinition(t *testing.T) {
	s := mustRead(t, Options{}, "@text:n=9000,d=40")
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
		s := mustRead(t, Options{}, spec)
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
	s := mustRead(t, Options{}, "@text:n=5000,d=40")
	if err := Write(t.Context(), path, s, ""); err != nil {
		t.Fatal(err)
	}
	cached := mustRead(t, Options{}, path)
	if got := cached.BeginDigest(2).Wait(); got != s.Digest() {
		t.Errorf("from a cache: found %s, expected %s", got, s.Digest())
	}
	cached.Target.Number = nil // no longer what the cache holds
	if got := cached.BeginDigest(2).Wait(); got != cached.Digest() || got == s.Digest() {
		t.Errorf("from a changed cache: found %s, expected %s", got, cached.Digest())
	}
}
