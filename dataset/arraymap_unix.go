//go:build unix

package dataset

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rewrite lets do change bytes of a mapped file. The system copies the pages that are
// written to: the file stays as it is.
func rewrite(part []byte, do func()) error {
	skip := int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) % uintptr(os.Getpagesize()))
	whole := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(part)), -skip)), len(part)+skip)
	if err := unix.Mprotect(whole, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return err
	}
	do()
	return unix.Mprotect(whole, unix.PROT_READ)
}
