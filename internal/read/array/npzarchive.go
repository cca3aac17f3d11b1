package array

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// The zip archive around the arrays of an NPZ file.

// An archive is one opened NPZ file.
type archive struct {
	ctx   context.Context
	name  string
	path  string // of the file, "" if the archive is in memory
	raw   io.ReaderAt
	size  int64
	files map[string]*zip.File // by name without .npy
}

// openArchive reads the table of contents. A file that is not compressed as a whole
// stays open until it is given back; else the archive is read into memory.
func openArchive(ctx context.Context, in *file.Input) (a *archive, giveBack func() error, err error) {
	a = &archive{ctx: ctx, name: in.Name, files: map[string]*zip.File{}}
	if in.Path != "" && in.Size > 0 {
		f, err := fileSection{path: in.Path, size: in.Size}.file()
		if err != nil {
			return nil, nil, err
		}
		a.path, a.raw, a.size, giveBack = in.Path, f, in.Size, f.Close
	} else {
		var raw bytes.Buffer
		if _, err := raw.ReadFrom(file.Reader(ctx, in.Reader())); err != nil {
			return nil, nil, err
		}
		a.raw, a.size, giveBack = bytes.NewReader(raw.Bytes()), int64(raw.Len()), func() error { return nil }
	}
	if err := a.list(); err != nil {
		giveBack()
		return nil, nil, err
	}
	return a, giveBack, nil
}

// list finds the arrays.
func (z *archive) list() error {
	r, err := zip.NewReader(z.raw, z.size)
	if err != nil {
		return fault.In(z.name, "%w", err)
	}
	r.RegisterDecompressor(zip.Deflate, flate.NewReader)
	var packed uint64
	for _, f := range r.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		if z.files[name] != nil {
			return fault.In(z.name, "found array %q twice, expected it once", name)
		}
		z.files[name] = f
		packed += min(f.CompressedSize64, uint64(z.size)+1)
		if packed > uint64(z.size) {
			return fault.In(z.name, "found arrays that overlap, expected at most %d bytes in all", z.size)
		}
	}
	return nil
}

// names returns the names of the arrays as messages have them, sorted.
func (z *archive) names() []string {
	names := make([]string, 0, len(z.files))
	for name := range z.files {
		names = append(names, registry.Spell(name))
	}
	slices.Sort(names)
	return names
}

// first returns the first of the names that is there, or "".
func (z *archive) first(names []string) string {
	for _, name := range names {
		if z.files[name] != nil {
			return name
		}
	}
	return ""
}

// open gives do an array and checks that do reads it to its end, which also
// checks the sum of the archive.
func (z *archive) open(array string, do func(h npyHeader, r io.Reader, name string) error) error {
	name := fmt.Sprintf("%s: array %q", z.name, array)
	f := z.files[array]
	if f == nil {
		return fault.In(z.name, "found arrays %v, expected %q too", z.names(), array)
	}
	packed, err := f.Open()
	if err != nil {
		return fault.In(name, "%w", err)
	}
	defer packed.Close()
	r := &file.NamedReader{R: packed, Name: name}
	h, err := ReadHeader(r, name)
	if err != nil {
		return err
	}
	if err := do(h, r, name); err != nil {
		return err
	}
	return noMore(r, name)
}

// source returns the size bytes of an array that r gives next. What was only stored
// is left where it is, after the archive's sum was checked.
func (z *archive) source(f *zip.File, r io.Reader, name string, at, size int64) (arraySource, error) {
	if f.Method != zip.Store {
		return hold(z.ctx, r, name, size)
	}
	buf := make([]byte, rawBytes)
	for left := size; left > 0; {
		if err := z.ctx.Err(); err != nil {
			return nil, err
		}
		n, err := io.ReadFull(r, buf[:min(left, rawBytes)])
		left -= int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, fewBytes(name, size-left, size)
		}
		if err != nil {
			return nil, err
		}
	}
	begin, err := f.DataOffset()
	if z.path != "" {
		return fileSection{path: z.path, at: begin + at, size: z.size}, err
	}
	return memorySection{io.NewSectionReader(z.raw, begin+at, size)}, err
}
