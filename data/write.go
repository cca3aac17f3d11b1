package data

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Write writes the set to a file, in the format that is named or, if format is
// "", the format that the extension of path names. Two extensions compress: .gz
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
	packer, err := file.PackerFor(path)
	if err != nil {
		return err
	}
	return file.WriteFile(path, func(w io.Writer) error {
		packed, err := packer(file.Writer(ctx, w))
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
		f, err := set.Registered.New(format)
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
	ext := strings.ToLower(filepath.Ext(file.PlainName(path)))
	for _, e := range set.Registered.Entries() {
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
	_, keeps := w.(set.OffsetWriter)
	return err == nil && keeps
}

// WriteFile makes path hold what write writes: into a temporary file in the same folder, which
// is synced and then takes the place of path. If anything fails, path stays as it was.
func WriteFile(path string, write func(io.Writer) error) error { return file.WriteFile(path, write) }

// WriteFileChecked is WriteFile that lets check read the temporary file before it takes the
// place of path: if it fails, path stays as it was. The data are gone when check returns.
func WriteFileChecked(path string, write func(io.Writer) error, check func(data []byte) error) error {
	return file.WriteFileChecked(path, write, check)
}

// Discard removes the temporary files of all that is being written, for a process that is
// to end at once: nothing else is written from then on.
func Discard() { file.Discard() }
