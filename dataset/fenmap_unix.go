//go:build unix

package dataset

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/fenchel-ml/fenchel/parallel"
)

// mapFile maps a file of that size for reading. The pages are the system's: it
// brings them in when they are touched and drops them when memory is short.
func mapFile(f *os.File, size int) (data []byte, unmap func() error, err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	parallel.Mapped(f.Name(), data)
	return data, func() error { return unix.Munmap(data) }, nil
}

// adviseRandom tells the system not to read ahead: rows will be taken in any
// order. It matters only for pages that were dropped since the file was
// checked, that is for files larger than memory, but there a great deal.
func adviseRandom(data []byte) {
	_ = unix.Madvise(data, unix.MADV_RANDOM) // advice: to fail at it is no failure
}
