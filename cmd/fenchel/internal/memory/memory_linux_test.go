package memory

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// What was asked for is the heap's and nobody's stack, without a turn of the collector.
func TestLargeHeap(t *testing.T) {
	if CollectorIsSet() {
		t.Skip("GOGC or GOMEMLIMIT is set")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	LargeHeap()
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

// What is taken so that nobody touches it is not touched.
func TestUntouched(t *testing.T) {
	const pages = 1 << 14 // more than any other test leaves unused
	place := untouched(pages * os.Getpagesize())
	resident := make([]byte, pages)
	if _, _, err := syscall.Syscall(syscall.SYS_MINCORE, place, uintptr(pages*os.Getpagesize()), uintptr(unsafe.Pointer(&resident[0]))); err != 0 {
		t.Skip(err)
	}
	touched := 0
	for _, r := range resident {
		touched += int(r & 1)
	}
	if touched > pages/4 {
		t.Errorf("found %d pages of %d in memory, expected next to none", touched, pages)
	}
}
