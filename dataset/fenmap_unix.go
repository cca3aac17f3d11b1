//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package dataset

import (
	"os"
	"syscall"
)

// mapFile maps a file of that size for reading. The pages are the system's: it
// brings them in when they are touched and drops them when memory is short.
func mapFile(f *os.File, size int) (data []byte, unmap func() error, err error) {
	data, err = syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
