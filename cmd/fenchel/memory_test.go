package main

import (
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/memory"
)

// pace waits until the collector works at that percentage: other tests may have made
// its next turn late.
func pace(t *testing.T, want uint64) {
	t.Helper()
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	for range 200 {
		if metrics.Read(sample); sample[0].Value.Uint64() == want {
			return
		}
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("found GOGC=%d, expected %d", sample[0].Value.Uint64(), want)
}

// The first turn is late, those after it are as usual.
func TestCollectLate(t *testing.T) {
	if memory.CollectorIsSet() {
		t.Skip("GOGC or GOMEMLIMIT is set")
	}
	pace(t, memory.UsualPercent)
	memory.CollectLate()
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/heap/goal:bytes"}}
	if metrics.Read(sample); sample[0].Value.Uint64() == memory.UsualPercent || sample[1].Value.Uint64() < memory.FirstTurn {
		t.Errorf("found GOGC=%d and a goal of %d bytes, expected at least %d", sample[0].Value.Uint64(), sample[1].Value.Uint64(), memory.FirstTurn)
	}
	pace(t, memory.UsualPercent)
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
		if code := run(args, strings.NewReader(""), io.Discard, os.Stderr); code != exitcode.OK {
			t.Errorf("%q: found the exit code %d", c.flags, code)
		}
		if limit := debug.SetMemoryLimit(before); (limit < math.MaxInt64) != c.limited || c.limited && limit < 1<<20 {
			t.Errorf("%q: found the memory limit %d, expected one: %v", c.flags, limit, c.limited)
		}
	}
}
