//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package dataset

func allocate(n int) []uint64 { return make([]uint64, n) }

func release([]uint64) {}

func largePages([]byte) {}

func populate[T uint32 | float32]([]T) {}

func largeHeapPages[T uint32 | uint64 | float32]([]T) {}
