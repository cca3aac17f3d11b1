package dataset

import (
	"syscall"
	"unsafe"
)

// largePage is the usual size of large pages.
const largePage = 2 << 20

// largePages asks for large pages under b: one fault instead of 512, and no
// table to walk through. It is a wish; no error matters.
func largePages(b []byte) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := int(-start & (largePage - 1))
	if n := (len(b) - skip) &^ (largePage - 1); n > 0 {
		_ = syscall.Madvise(b[skip:skip+n], syscall.MADV_HUGEPAGE)
	}
}
