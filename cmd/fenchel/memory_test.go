package main

import (
	"io"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// The collector is left as it was.
func TestLargeHeap(t *testing.T) {
	before := debug.SetGCPercent(77)
	largeHeap()
	if got := debug.SetGCPercent(before); got != 77 {
		t.Errorf("found GOGC=%d, expected 77", got)
	}
}

// The memory limit is that of a kernel's matrix: a map has none, and its images may
// take much more.
func TestMemoryLimit(t *testing.T) {
	if os.Getenv("GOMEMLIMIT") != "" {
		t.Skip("GOMEMLIMIT is set")
	}
	for _, c := range []struct {
		flags   string
		limited bool
	}{{"", false}, {"--kernel rbf --map fourier:dim=4", false}, {"--kernel rbf --cache 1MB", true}} {
		before := debug.SetMemoryLimit(math.MaxInt64)
		args := append([]string{"train", "@toy:n=60", "-q"}, strings.Fields(c.flags)...)
		if code := run(args, strings.NewReader(""), io.Discard, os.Stderr); code != exitOK {
			t.Errorf("%q: found the exit code %d", c.flags, code)
		}
		if limit := debug.SetMemoryLimit(before); (limit < math.MaxInt64) != c.limited || c.limited && limit < 1<<20 {
			t.Errorf("%q: found the memory limit %d, expected one: %v", c.flags, limit, c.limited)
		}
	}
}
