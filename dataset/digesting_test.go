package dataset

import (
	"path/filepath"
	"testing"
)

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
