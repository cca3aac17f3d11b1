//go:build !purego

package vec

import "testing"

// TestGathers: what another maker's processor would run has the same bits.
func TestGathers(t *testing.T) {
	defer func(was bool) { gathers = was }(gathers)
	gathers = !gathers
	TestTwins(t)
	TestBadIndex(t)
}
