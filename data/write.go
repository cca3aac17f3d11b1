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
	if _, several := writer.(set.TargetsWriter); s.Target.Names != nil && !several {
		return fmt.Errorf("%s: found %d targets a row, expected one, or a file .csv or .npz, which hold several", path, len(s.Target.Names))
	}
	return file.WriteFilePacked(path, func(w io.Writer) error { return writer.Write(file.Writer(ctx, w), s) })
}

// writerFor finds the format that writes path.
func writerFor(path, format string) (set.Writer, error) {
	if format != "" {
		f, err := set.Registered.New(format)
		if err != nil {
			return nil, err
		}
		w, ok := f.(set.Writer)
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
		if w, ok := f.(set.Writer); ok {
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
