package gram

import (
	"syscall"
	"unsafe"
)

// inHugePages asks the system to back memory by pages of two megabytes, as many
// as lie inside. A tile goes to as many rows as it has; with small pages, to look
// these up takes longer than to write. It is a hint and may be refused.
func inHugePages[T float32 | float64](s []T) []T {
	const page = 2 << 20
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(s))) & (page - 1))
	if n := (len(b) - skip) &^ (page - 1); n > 0 {
		_ = syscall.Madvise(b[skip:skip+n], syscall.MADV_HUGEPAGE)
	}
	return s
}
