//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package memory

func largePages([]byte) {}

func Populate[T uint32 | float32]([]T) {}

func LargeHeapPages[T uint32 | uint64 | float32]([]T) {}
