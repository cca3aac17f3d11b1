package main

import (
	"runtime"
	"testing"
	"time"
)

// What was asked for is the heap's and nobody's stack, without a turn of the collector.
func TestLargeHeap(t *testing.T) {
	if collectorIsSet() {
		t.Skip("GOGC or GOMEMLIMIT is set")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	largeHeap()
	for range 200 { // the goroutine may not have ended
		runtime.ReadMemStats(&after)
		if after.HeapIdle >= heapAhead && after.StackInuse < heapAhead {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if after.HeapIdle < heapAhead || after.StackInuse >= heapAhead {
		t.Errorf("found %d unused bytes of heap and %d of stacks, expected at least %d unused", after.HeapIdle, after.StackInuse, heapAhead)
	}
	if after.HeapSys < before.HeapSys {
		t.Errorf("found a heap of %d bytes after %d, expected none of it to be given back", after.HeapSys, before.HeapSys)
	}
}
