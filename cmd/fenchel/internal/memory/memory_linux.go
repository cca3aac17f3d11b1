package memory

import (
	"strings"
	"syscall"
	"unsafe"
)

// heapAhead is how much of the heap gets large pages.
const heapAhead = 32 << 20

// LargeHeap has the heap grow in large pages, where the system has them on request:
// to touch a usual page for the first time costs 2 us on a virtual machine, and
// reading and training in tens of milliseconds touches thousands. The runtime asks the
// system for memory a few megabytes at a time and has no way to say how. So it is made to ask
// for much at once, for the stack of a goroutine: unlike what only the collector
// finds unused, that is the heap's as soon as the goroutine ends. What is never
// touched costs nothing.
func LargeHeap() {
	if CollectorIsSet() {
		return // whoever sets it knows better
	}
	asked := make(chan uintptr)
	go func() { asked <- deep(false) - heapAhead }() // the stack begins there, or at most a page behind
	begin := (<-asked + heapPage - 1) &^ (heapPage - 1)
	start := (begin + largePage - 1) &^ (largePage - 1)
	_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, start, heapAhead, syscall.MADV_HUGEPAGE) // a wish
	if start-begin > 1<<16 {
		for place, try := uintptr(0), 0; place < begin && try < 4; try++ { // there may be others before
			place = untouched(int(start - begin))
		}
	}
}

// The usual sizes of a large page, and of what the runtime deals out.
const largePage, heapPage = 2 << 20, 8 << 10

// untouched takes so many bytes off the heap, the first that are free, until the next
// turn of the collector, and returns where they are. It touches but one page of them,
// and nobody else any: where a large page has been begun by small ones, what is left
// of it comes in usual pages, up to 500.
func untouched(bytes int) uintptr {
	var b strings.Builder // does not zero what it grows by
	b.Grow(bytes)
	b.WriteByte(0)
	return uintptr(unsafe.Pointer(unsafe.StringData(b.String())))
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
