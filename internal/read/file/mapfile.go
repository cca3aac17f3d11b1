package file

import (
	"errors"
	"io"
	"os"

	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

// few is the number of bytes up to which reading is faster than mapping and unmapping.
const few = 1 << 16

// MapFile returns the first size bytes of an open file for reading: mapped, where they are
// many and the system can, else read. They are aligned as a page, or as a number of eight bytes; give, when they
// are not used any more, gives them back. The file must not become shorter meanwhile.
func MapFile(f *os.File, size int64) (data []byte, give func() error, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if size < 0 || size > info.Size() || int64(int(size)) != size {
		return nil, nil, io.ErrUnexpectedEOF
	}
	if size == 0 {
		return nil, func() error { return nil }, nil
	}
	if size > few {
		data, give, err = memory.Map(f, int(size))
		if !errors.Is(err, errors.ErrUnsupported) {
			return data, give, err
		}
	}
	data = memory.AlignedBytes(size)
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, nil, err
	}
	return data, func() error { return nil }, nil
}
