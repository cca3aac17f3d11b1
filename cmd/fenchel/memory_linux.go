package main

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"
)

// heapAhead is how much of the heap gets large pages.
const heapAhead = 32 << 20

// largeHeap has the heap grow in large pages, where the system has them on request:
// to touch a usual page for the first time costs 2 us on a virtual machine, and
// training in tens of milliseconds touches thousands. The runtime asks the system for
// memory a few megabytes at a time and has no way to say how; so it is made to ask
// for much at once, which the collector then finds unused, in a turn that is short as
// long as there is nothing else. What is never touched costs nothing.
func largeHeap() {
	if collectorIsSet() {
		return
	}
	usual := debug.SetGCPercent(-1) // a turn that begins at once would see it used
	growHeap()
	runtime.GC()
	debug.SetGCPercent(usual)
}

//go:noinline
func growHeap() {
	const page = 2 << 20 // the usual size of a large one
	ahead := make([]byte, heapAhead)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(ahead))) & (page - 1)
	_ = syscall.Madvise(ahead[skip:heapAhead-page+skip], syscall.MADV_HUGEPAGE) // a wish
	runtime.KeepAlive(ahead)
}
