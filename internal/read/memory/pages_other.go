//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package memory

func allocate(n int) []uint64 { return make([]uint64, n) }

func release([]uint64) {}

func largePages([]byte) {}

func Populate[T uint32 | float32]([]T) {}

func LargeHeapPages[T uint32 | uint64 | float32]([]T) {}
