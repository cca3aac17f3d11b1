//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package dataset

func largePages([]byte) {}

func populate[T uint32 | float32]([]T) {}

func largeHeapPages[T uint32 | uint64 | float32]([]T) {}
