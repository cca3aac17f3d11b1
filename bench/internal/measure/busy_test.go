package measure

import (
	"context"
	"sync/atomic"
	"testing"
)

// A core that works is seen.
func TestBusy(t *testing.T) {
	var stop atomic.Bool
	defer stop.Store(true)
	go func() {
		for !stop.Load() {
		}
	}()
	cores, ok := Busy(context.Background())
	if !ok {
		t.Skip("this system does not tell")
	}
	if cores < 0.5 {
		t.Errorf("found %g cores in use, expected at least about 1", cores)
	}
}
