package set

import (
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// The digest that a cache holds is taken as it is, for as long as the set is.
func TestStoredDigest(t *testing.T) {
	s := &Set{X: &matrix.Dense{Rows: 2, Cols: 1, Value: []float32{1, 2}}, Weight: []float64{1, 2}}
	s.StoreDigest([]byte{1, 0xab})
	if got := s.CachedDigest(); got != "sha256:01ab" {
		t.Errorf("found %s, expected the stored digest", got)
	}
	s.Weight = []float64{2, 1}
	if got := s.CachedDigest(); got != s.Digest() {
		t.Errorf("changed: found %s, expected %s", got, s.Digest())
	}
}
