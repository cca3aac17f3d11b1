//go:build !linux

package memory

// LargeHeap does nothing: large pages are asked for on Linux only.
func LargeHeap() {}
