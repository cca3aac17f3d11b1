// Package fen is the binary cache of a set: its layout, written once, checked and then mapped.
//
// It imports set, the rooms below it, stream, and of array the reader of labels. Begin with
// layout.go.
package fen

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

func init() {
	set.Register("fen", "Fenchel's own cache: rows as they are in memory, mapped instead of read", Format{})
}

// Format is the format of a set as it is in memory, with checksums: made once by
// fenchel convert, opened at the speed of memory ever after. layout.go has
// the layout, fencheck.go what is checked.
//
// A file is mapped, not read, where the system can do that and the file is a
// regular one, not compressed. The system then brings pages in as they are
// touched and drops them when memory is short: a set may be larger than memory.
// Else, and for several dense files as one set, the rows are copied to memory.
//
// A mapped file must not be changed while it is in use: what happens then is
// undefined, and truncating it ends the program, see parallel.OnFault. [Write] does
// neither, as it puts a new file in the place of the old.
//
// Missing values of tables were filled, and categories numbered, when the cache
// was made.
type Format struct{}

var (
	_ set.Format = Format{}
	_ set.Writer = Format{}
)

var errBigEndian = errors.New(".fen files hold little-endian numbers as they are in memory: this machine has them the other way round, expected another format such as .npz")

func (Format) Takes() []string { return []string{"target", "weights", "labels"} }

func (Format) Detect(name string, head []byte) set.Match {
	switch {
	case bytes.HasPrefix(head, []byte(Magic)):
		return set.MatchMagic
	case set.HasExtension(name, ".fen"):
		return set.MatchExtension
	}
	return set.NoMatch
}

func (Format) Read(ctx context.Context, in []*file.Input, opt *set.Options) (s *set.Set, err error) {
	if !memory.LittleEndian {
		return nil, errBigEndian
	}
	var files []*fenFile
	defer func() {
		if err != nil {
			for _, f := range files {
				f.close()
			}
		}
	}()
	for _, i := range in {
		f, err := openFen(ctx, i)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		if err := f.check(ctx, opt.Workers()); err != nil {
			return nil, err
		}
		if f.unmap != nil && !opt.InOrder {
			memory.AdviseRandom(f.data)
		}
	}
	if s, err = fenSet(ctx, files, opt); err == nil && opt.Unmoved && opt.Schema == nil {
		err = scaling.Follow(s, &set.Schema{}, opt.Threads)
	}
	return s, err
}

// openFen maps a file if that can be done, or else reads it into memory.
func openFen(ctx context.Context, in *file.Input) (*fenFile, error) {
	if info, err := os.Stat(in.Path); in.Path != "" && err == nil && info.Mode().IsRegular() {
		f, err := mapFen(in)
		if f != nil || err != nil {
			return f, err
		}
	}
	return readFen(ctx, in)
}

// mapFen maps a file; nil, nil if it cannot be mapped, or is compressed.
func mapFen(in *file.Input) (*fenFile, error) {
	file, err := os.Open(in.Path)
	if err != nil {
		return nil, fault.Renamed(in.Path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fault.Renamed(in.Path, err)
	}
	head := make([]byte, Head)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, fault.Renamed(in.Path, err)
	}
	if !strings.HasPrefix(string(head[:n]), Magic) {
		return nil, nil
	}
	h, err := DecodeHeader(in.Name, head[:n])
	if err != nil {
		return nil, err
	}
	if info.Size() != h.size {
		return nil, h.otherSize(in.Name, info.Size())
	}
	data, unmap, err := memory.Map(file, int(h.size))
	if err != nil {
		return nil, nil
	}
	f := newFenFile(in.Name, h, data)
	f.unmap = unmap
	return f, nil
}

func (h *fenHeader) otherSize(name string, found int64) error {
	what := "truncated"
	if found > h.size {
		what = "not only what was written"
	}
	return fault.In(name, "found %d bytes, expected %d: the file is %s", found, h.size, what)
}

// readFen reads a file into memory that grows with what was read.
func readFen(ctx context.Context, in *file.Input) (*fenFile, error) {
	var head [Head]byte
	n, err := io.ReadFull(in.Reader(), head[:])
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	h, err := DecodeHeader(in.Name, head[:n])
	if err != nil {
		return nil, err
	}
	data := memory.AlignedBytes(min(h.size, 1<<20))
	copy(data, head[:])
	for have := int64(Head); ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := io.ReadFull(in.Reader(), data[have:])
		have += int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, h.otherSize(in.Name, have)
		}
		if err != nil {
			return nil, err
		}
		if have == h.size {
			break
		}
		more := memory.AlignedBytes(min(h.size, 2*have))
		copy(more, data)
		data = more
	}
	if _, err := in.Reader().ReadByte(); err == nil {
		return nil, fault.In(in.Name, "found bytes after the %d of the header's size, expected the end", h.size)
	} else if err != io.EOF {
		return nil, err
	}
	return newFenFile(in.Name, h, data), nil
}

// close gives back the mapping.
func (f *fenFile) close() error {
	if f.unmap == nil {
		return nil
	}
	return f.unmap()
}
