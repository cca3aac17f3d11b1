//go:build !unix

package dataset

import (
	"errors"
	"os"
)

// mapFile says that this system cannot: the file is read into memory instead.
func mapFile(*os.File, int) ([]byte, func() error, error) {
	return nil, nil, errors.ErrUnsupported
}

func adviseRandom([]byte) {}
