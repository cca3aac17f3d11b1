package set

import "testing"

// TestAgree: one field of a hundred may be a slip, not two.
func TestAgree(t *testing.T) {
	for _, c := range []struct {
		read, all int
		want      bool
	}{{0, 0, false}, {1, 1, true}, {99, 100, true}, {98, 99, false}, {98, 100, false}, {198, 200, true}} {
		if got := (&Reading{Read: c.read, All: c.all}).Agree(); got != c.want {
			t.Errorf("%d of %d: found %t", c.read, c.all, got)
		}
	}
}
