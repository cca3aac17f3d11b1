//go:build unix

package memory

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// Map maps a file of that size for reading. The pages are the system's: it
// brings them in when they are touched and drops them when memory is short. A page
// that is made writable and written to is copied (see rewrite).
func Map(f *os.File, size int) (data []byte, unmap func() error, err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	parallel.Mapped(f.Name(), data)
	return data, func() error { return unix.Munmap(data) }, nil
}

// AdviseRandom tells the system not to read ahead: rows will be taken in any
// order. It matters only for pages that were dropped since the file was
// checked, that is for files larger than memory, but there a great deal.
func AdviseRandom(data []byte) {
	_ = unix.Madvise(data, unix.MADV_RANDOM) // advice: to fail at it is no failure
}

// Rewrite lets do change bytes of a mapped file. The system copies the pages that are
// written to: the file stays as it is.
func Rewrite(part []byte, do func()) error {
	skip := int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) % uintptr(os.Getpagesize()))
	whole := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(part)), -skip)), len(part)+skip)
	if err := unix.Mprotect(whole, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return err
	}
	do()
	return unix.Mprotect(whole, unix.PROT_READ)
}
