package engine

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/fenchel-ml/fenchel/internal/read/file"
)

// Memory is the file of the numbers in bulk, which the caller and the engine have open.
type Memory struct{ file *os.File }

// NewMemory takes an open file, readable and writable.
func NewMemory(file *os.File) *Memory { return &Memory{file} }

// region is what the caller has written for a request, and where its answer goes.
type region struct {
	file *os.File
	data []byte
	give func() error
	end  int64 // of what is written
}

// open maps what the caller has written.
func (m *Memory) open(size int64) (*region, error) {
	data, give, err := file.MapFile(m.file, size)
	if err != nil {
		return nil, err
	}
	return &region{m.file, data, give, size}, nil
}

func (r *region) close() error { return r.give() }

// Place is where numbers or bytes are in the memory.
type Place struct {
	Offset int64 `json:"offset"` // of the first byte, a multiple of 8
	Count  int64 `json:"count"`  // of the numbers
}

// numbers returns the numbers at a place, without copying them.
func numbers[T byte | uint32 | int64 | float32 | float64](r *region, p Place) ([]T, error) {
	var zero T
	size := int64(unsafe.Sizeof(zero))
	if p.Offset < 0 || p.Offset%8 != 0 || p.Count < 0 || p.Offset > int64(len(r.data)) || p.Count > (int64(len(r.data))-p.Offset)/size {
		return nil, fmt.Errorf("shared memory of %d bytes: found %d numbers of %d bytes at %d, expected them inside, at a multiple of 8", len(r.data), p.Count, size, p.Offset)
	}
	if p.Count == 0 {
		return []T{}, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&r.data[p.Offset])), p.Count), nil
}

// errNoRoom says that the memory takes no more of an answer: a full disk, or a limit of files.
var errNoRoom = errors.New("found no room for the answer, expected it for all of its numbers")

// Write appends the bytes of an answer.
func (r *region) Write(p []byte) (int, error) {
	n, err := r.file.WriteAt(p, r.end)
	r.end += int64(n)
	if err != nil {
		err = fmt.Errorf("shared memory: %w (%w)", errNoRoom, err)
	}
	return n, err
}

// place has write append to the memory, and returns where that is, counted in bytes.
func (r *region) place(write func(io.Writer) error) (Place, error) {
	r.end = (r.end + 63) &^ 63
	p, w := Place{Offset: r.end}, bufio.NewWriter(r)
	err := cmp.Or(write(w), w.Flush())
	p.Count = r.end - p.Offset
	return p, err
}

// put appends numbers, and returns where they are.
func put[T uint32 | int64 | float32 | float64](r *region, values []T) (Place, error) {
	var zero T
	p, err := r.place(func(w io.Writer) error {
		if len(values) == 0 {
			return nil
		}
		_, err := w.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(zero))))
		return err
	})
	p.Count /= int64(unsafe.Sizeof(zero))
	return p, err
}
