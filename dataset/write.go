package dataset

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/dataset/internal/memory"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Write writes the set to a file, in the format that is named or, if format is
// "", the one that the extension of path names. Two extensions compress: .gz
// and .zst. Numbers keep every bit, labels their spelling. Either the whole
// file is there in the end or path is as it was before.
func Write(ctx context.Context, path string, s *Set, format string) error {
	writer, err := writerFor(path, format)
	if err != nil {
		return err
	}
	if err := s.Check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	packer, err := packerFor(path)
	if err != nil {
		return err
	}
	return WriteFile(path, func(w io.Writer) error {
		packed, err := packer(&cancellable{ctx, w})
		if err != nil {
			return err
		}
		if err := writer.Write(packed, s); err != nil {
			return err
		}
		return packed.Close()
	})
}

// writerFor finds the format that writes path.
func writerFor(path, format string) (Writer, error) {
	if format != "" {
		f, err := formats.New(format)
		if err != nil {
			return nil, err
		}
		w, ok := f.(Writer)
		if !ok {
			return nil, fmt.Errorf("format %q can be read but not written", format)
		}
		return w, nil
	}
	var known []string
	ext := strings.ToLower(filepath.Ext(plainName(path)))
	for _, e := range formats.Entries() {
		f, err := e.New(nil)
		if err != nil {
			return nil, err
		}
		if w, ok := f.(Writer); ok {
			known = append(known, w.Extensions()...)
			if slices.Contains(w.Extensions(), ext) {
				return w, nil
			}
		}
	}
	return nil, fmt.Errorf("%s: %w", path, registry.Unknown("extension", ext, known))
}

// WritesOffsets reports whether a file of that name, or of a format unless it is "", holds
// what offsets keep of numbers: others hold these in single precision.
func WritesOffsets(path, format string) bool {
	w, err := writerFor(path, format)
	if err != nil {
		return false
	}
	switch w.(type) {
	case fen, csv:
		return true
	}
	return false
}

// packerFor returns what compresses a file of that name.
func packerFor(path string) (func(io.Writer) (io.WriteCloser, error), error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".gz":
		return func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }, nil
	case ".zst":
		return func(w io.Writer) (io.WriteCloser, error) {
			return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		}, nil
	case ".bz2", ".xz":
		return nil, fmt.Errorf("%s: found the extension %s, expected .gz or .zst to compress", path, ext)
	}
	return func(w io.Writer) (io.WriteCloser, error) { return unpacked{w}, nil }, nil
}

type unpacked struct{ io.Writer }

func (unpacked) Close() error { return nil }

// cancellable stops writing when ctx ends.
type cancellable struct {
	ctx context.Context
	w   io.Writer
}

func (c *cancellable) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}

// WriteFile makes path hold what write writes: into a temporary file in the
// same folder, which is synced and then takes the place of path. If anything
// fails, path stays as it was; after a power cut within seconds it may be as it was,
// too: the folder is not synced. An existing file keeps its permissions; a
// symbolic link stays a link, to the new content. What is not a regular file,
// such as /dev/null or a pipe, is written to directly.
func WriteFile(path string, write func(io.Writer) error) error {
	return WriteFileChecked(path, write, nil)
}

// WriteFileChecked is WriteFile that lets check, unless it is nil, read the temporary
// file before it takes the place of path: if it fails, path stays as it was. The data are
// gone when check returns.
func WriteFileChecked(path string, write func(io.Writer) error, check func(data []byte) error) error {
	mode := fs.FileMode(0o666)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: found a directory, expected a file", path)
	case err == nil && !info.Mode().IsRegular():
		return writeDirectly(path, write)
	case err == nil:
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return renamed(path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return renamed(path, err)
	}
	removeAbandoned(filepath.Dir(path))
	temp, err := createTemp(path, mode)
	if err != nil {
		return renamed(path, err)
	}
	defer writing(temp.Name())()
	err = fill(temp, write)
	if err == nil && info != nil {
		err = temp.Chmod(mode) // what the umask took away
	}
	if err == nil {
		err = temp.Sync()
	}
	if err == nil && check != nil {
		err = readBack(temp, check)
	}
	if closing := temp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return renamed(path, err)
	}
	return nil
}

func fill(f *os.File, write func(io.Writer) error) error {
	buffered := bufio.NewWriterSize(f, 1<<16)
	if err := write(buffered); err != nil {
		return err
	}
	return buffered.Flush()
}

// readBack has check read a file: mapped, since memory may be full of what it was made
// of, where the system can do that.
func readBack(f *os.File, check func(data []byte) error) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if data, unmap, err := memory.Map(f, int(info.Size())); err == nil {
		defer unmap()
		return check(data)
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return err
	}
	return check(data)
}

func writeDirectly(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return renamed(path, err)
	}
	err = fill(f, write)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return renamed(path, err)
	}
	return nil
}

// appendFloat32 appends the shortest text that reads back as the same bits.
func appendFloat32(dst []byte, v float32) []byte {
	return strconv.AppendFloat(dst, float64(v), 'g', -1, 32)
}

// appendLabel appends the target of row i, labels in their spelling.
func appendLabel(dst []byte, t *Target, i int) []byte {
	if t.Code != nil {
		return append(dst, t.Label[t.Code[i]]...)
	}
	return strconv.AppendFloat(dst, t.Number[i], 'g', -1, 64)
}

func hasExtension(name string, extensions ...string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(name)))
}
