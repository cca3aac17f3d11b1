package array

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

// An arraySource is the bytes of an array's numbers, which are gone over twice: to
// find out what memory they need, and to put them there.
type arraySource interface {
	// open returns what reads the bytes, from 0 on, by several goroutines at once,
	// and what ends the reading. last says that it is the second time.
	open(last bool) (io.ReaderAt, func(), error)
}

// openArray returns the size bytes that must follow the first so many of an input, which
// were read. Those of a file that is not compressed are left where they are.
func openArray(ctx context.Context, in *file.Input, at, size int64) (arraySource, error) {
	if in.Path == "" || in.Size <= 0 {
		h, err := hold(ctx, in.Reader(), in.Name, size)
		if err == nil {
			err = noMore(in.Reader(), in.Name)
		}
		return h, err
	}
	switch found := in.Size - at; {
	case found < size:
		return nil, fewBytes(in.Name, max(found, 0), size)
	case found > size:
		return nil, moreBytes(in.Name)
	}
	return fileSection{path: in.Path, at: at, size: in.Size}, nil
}

// A fileSection is the bytes of a file from a place on. The file is opened
// when it is read: a set may have more files than can be open.
type fileSection struct {
	path string
	at   int64
	size int64 // of the whole file
}

func (s fileSection) open(bool) (io.ReaderAt, func(), error) {
	f, err := s.file()
	if err != nil {
		return nil, nil, err
	}
	return io.NewSectionReader(f, s.at, s.size-s.at), func() { f.Close() }, nil
}

// file opens the file, which must be as large as it was.
func (s fileSection) file() (*os.File, error) {
	f, err := os.Open(s.path)
	if err != nil {
		return nil, fault.Renamed(s.path, err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() != s.size {
		err = fault.In(s.path, "found %d bytes, expected %d as before: the file changed while it was read", info.Size(), s.size)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// values maps the file and returns so many numbers where they are; nil if that
// cannot be done.
func (s fileSection) values(count int) (value []float32, unmap func() error) {
	if !memory.LittleEndian || s.at%4 != 0 || int64(int(s.size)) != s.size {
		return nil, nil
	}
	f, err := s.file()
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	data, unmap, err := memory.Map(f, int(s.size))
	if err != nil {
		return nil, nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&data[s.at])), count), unmap
}

// A memorySection is a part of an archive in memory.
type memorySection struct{ io.ReaderAt }

func (s memorySection) open(bool) (io.ReaderAt, func(), error) { return s, func() {}, nil }

// heldPiece is how many bytes of a stream are held in one piece of memory.
const heldPiece = 4 << 20

// held is the bytes of a stream, which can be read only once. A piece is given
// back as soon as it was read for the second time, so that no more memory is in use
// than for the bytes, or what is made of them.
type held struct {
	pieces []*memory.Block
	left   []atomic.Int64 // bytes of each piece that will be read
	size   int64
	last   bool
}

// hold reads size bytes. A size that is only claimed costs no memory.
func hold(ctx context.Context, r io.Reader, name string, size int64) (*held, error) {
	h := &held{size: size}
	if err := h.fill(ctx, r, name); err != nil {
		h.free()
		return nil, err
	}
	return h, nil
}

func (h *held) fill(ctx context.Context, r io.Reader, name string) error {
	for at := int64(0); at < h.size; at += heldPiece {
		if err := ctx.Err(); err != nil {
			return err
		}
		length := int(min(h.size-at, heldPiece))
		h.pieces = append(h.pieces, memory.New((length+7)/8))
		n, err := io.ReadFull(r, h.piece(len(h.pieces) - 1)[:length])
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return fewBytes(name, at+int64(n), h.size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func fewBytes(name string, found, expected int64) error {
	return fault.In(name, "found %d bytes of data, expected %d", found, expected)
}

func (h *held) piece(i int) []byte { return memory.AsBytes(h.pieces[i].Words) }

func (h *held) open(last bool) (io.ReaderAt, func(), error) {
	if h.last = last; !last {
		return h, func() {}, nil
	}
	h.left = make([]atomic.Int64, len(h.pieces))
	for i := range h.left {
		h.left[i].Store(min(heldPiece, h.size-int64(i)*heldPiece))
	}
	return h, h.free, nil
}

// ReadAt reads len(p) bytes, which must be there.
func (h *held) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		i := int((off + int64(n)) / heldPiece)
		from := h.piece(i)
		c := copy(p[n:], from[off+int64(n)-int64(i)*heldPiece:])
		if n += c; h.last && h.left[i].Add(-int64(c)) == 0 {
			h.pieces[i].Free()
		}
	}
	return n, nil
}

// free gives back what is left.
func (h *held) free() {
	for i, m := range h.pieces {
		if h.left == nil || h.left[i].Load() > 0 {
			m.Free()
		}
	}
	h.pieces = nil
}
