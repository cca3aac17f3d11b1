package main

import (
	"syscall"
	"unsafe"
)

// heapAhead is how much of the heap gets large pages.
const heapAhead = 32 << 20

// largeHeap has the heap grow in large pages, where the system has them on request:
// to touch a usual page for the first time costs 2 us on a virtual machine, and
// training in tens of milliseconds touches thousands. The runtime asks the system for
// memory a few megabytes at a time and has no way to say how. So it is made to ask
// for much at once, for the stack of a goroutine: unlike what only the collector
// finds unused, that is the heap's as soon as the goroutine ends. What is never
// touched costs nothing.
func largeHeap() {
	if collectorIsSet() {
		return // whoever sets it knows better
	}
	done := make(chan struct{})
	go func() {
		const page = 2 << 20 // the usual size of a large one
		start := (deep(false) - uintptr(len(frame{}))) &^ (page - 1)
		_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, start, heapAhead, syscall.MADV_HUGEPAGE) // a wish
		close(done)
	}()
	<-done
}

// frame is what deep may have to have room for: with what the runtime adds, its stack
// has heapAhead bytes.
type frame [heapAhead - 1<<20]byte

// deep returns where its frame ends. Of the frame nothing else is touched, unless
// call, which it never is.
//
//go:noinline
func deep(call bool) uintptr {
	if call {
		f := newFrame()
		return uintptr(f[0])
	}
	var here byte
	return uintptr(unsafe.Pointer(&here))
}

//go:noinline
func newFrame() (f frame) { return f }
