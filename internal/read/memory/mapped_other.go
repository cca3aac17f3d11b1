//go:build !unix

package memory

import (
	"errors"
	"os"
)

// mapFile says that this system cannot: the file is read into memory instead.
func Map(*os.File, int) ([]byte, func() error, error) {
	return nil, nil, errors.ErrUnsupported
}

func AdviseRandom([]byte) {}

// Rewrite is of no use where files cannot be mapped.
func Rewrite([]byte, func()) error { return nil }
