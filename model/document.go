package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/safetensors"
)

// A document is the file of a model of any kind: safetensors, with the parts of the
// model as JSON in the metadata, and digests of both.

// firstFormat is the format's version of files that every program reads rightly. A file with a
// field that an older program would miss has the next number, and is refused there.
const firstFormat = "1"

// formats are the versions that are read.
var formats = []string{firstFormat, "2", "3", "4", "5", "6"}

// kindPCA is the kind of components.
const kindPCA = "pca"

// ErrTampered is wrapped by the error of reading a model when its numbers are
// not those that were written: its digest does not fit.
var ErrTampered = errors.New("the numbers are not those that were written")

// writeDocument writes parts, as JSON, and tensors as a safetensors file that says
// which kind of model it is, "" for a model that predicts, and holds digests of both.
func writeDocument(w io.Writer, kind, format, version string, parts map[string]any, tensors map[string]safetensors.Tensor) error {
	metadata := map[string]string{"format": "fenchel", "format_version": format, "program_version": version,
		"tensors_digest": safetensors.Digest(tensors)}
	if kind != "" {
		metadata["kind"] = kind
	}
	for key, value := range parts {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("model: %s: %w", key, err)
		}
		metadata[key] = string(text)
	}
	metadata["metadata_digest"] = safetensors.DigestMetadata(metadata)
	return safetensors.Write(w, metadata, tensors)
}

// replaceFile has path hold what write writes, once decode, that of an ordinary reader
// of files, has read it: an unreadable file never replaces a readable one. What is not a
// regular file, such as a pipe, is not read again.
func replaceFile[T any](path string, write func(io.Writer) error, decode func([]byte) (*T, error)) error {
	return file.WriteFileChecked(path, write, func(data []byte) error {
		if _, err := decode(data); err != nil {
			return fmt.Errorf("the model that was written cannot be read, and was not kept: %w", err)
		}
		return nil
	})
}

// readFile decodes what is in path.
func readFile[T any](path string, decode func([]byte) (*T, error)) (*T, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a device may never end
		return nil, fmt.Errorf("%s: found a %s, expected a model file", path, kindOf(info.Mode()))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, err := decode(data)
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func kindOf(mode fs.FileMode) string {
	if mode.IsDir() {
		return "directory"
	}
	return "device or pipe"
}

// readDocument undoes writeDocument, without looking at the digests.
func readDocument(data []byte, kind string) (map[string]string, map[string]safetensors.Tensor, error) {
	metadata, tensors, err := safetensors.Read(data)
	if err != nil {
		return nil, nil, fmt.Errorf("not a model: %w", err)
	}
	if metadata["format"] != "fenchel" {
		return nil, nil, fmt.Errorf("not a model: found format %q in the metadata, expected \"fenchel\"", metadata["format"])
	}
	if v := metadata["format_version"]; !slices.Contains(formats, v) {
		return nil, nil, fmt.Errorf("found model format version %q, expected %s: written by program version %q", v, strings.Join(formats, ", "), metadata["program_version"])
	}
	if found := metadata["kind"]; found != kind {
		return nil, nil, &KindError{Found: found, Expected: kind}
	}
	return metadata, tensors, nil
}

// A KindError says that a model file is of another kind: "" for a model that predicts,
// "pca".
type KindError struct{ Found, Expected string }

func (e *KindError) Error() string {
	what := map[string]string{"": "a model that predicts", kindPCA: "principal components"}
	found, ok := what[e.Found]
	if !ok {
		found = fmt.Sprintf("a model of the kind %q", e.Found)
	}
	return fmt.Sprintf("found %s, expected %s", found, what[e.Expected])
}

// checkDigests returns an error that wraps ErrTampered unless the digests fit.
func checkDigests(metadata map[string]string, tensors map[string]safetensors.Tensor) error {
	if found := safetensors.Digest(tensors); found != metadata["tensors_digest"] {
		return fmt.Errorf("%w: found tensors with %s, expected %s", ErrTampered, found, metadata["tensors_digest"])
	}
	if found := safetensors.DigestMetadata(metadata); found != metadata["metadata_digest"] {
		return fmt.Errorf("%w: found metadata with %s, expected %s", ErrTampered, found, metadata["metadata_digest"])
	}
	return nil
}

// readParts reads the parts that are there.
func readParts(metadata map[string]string, parts map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		text, ok := metadata[key]
		if !ok {
			continue
		}
		if err := json.Unmarshal([]byte(text), parts[key]); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// Notes are what users say of a model: nothing depends on them. They stand in a part of
// the file of their own, so that no name is taken.
const (
	maxNotes    = 100      // of a model
	maxNoteName = 100      // bytes
	maxNoteText = 64 << 10 // bytes of all names and values
)

// CheckNotes refuses notes that are too many or too long, and names that do not fit on a
// line. Values may have several lines.
func CheckNotes(notes map[string]string) error {
	if n := len(notes); n > maxNotes {
		return fmt.Errorf("found %d notes, expected at most %d", n, maxNotes)
	}
	size := 0
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		value := notes[name]
		switch {
		case name == "" || len(name) > maxNoteName || name != strings.TrimSpace(name) || strings.Contains(name, "=") ||
			strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name):
			return fmt.Errorf("note %.120q: expected a name of 1 to %d bytes in UTF-8 without \"=\", control characters, and spaces around it", name, maxNoteName)
		case !utf8.ValidString(value):
			return fmt.Errorf("note %q: found bytes that are no UTF-8, expected text", name)
		}
		size += len(name) + len(value)
	}
	if size > maxNoteText {
		return fmt.Errorf("found notes of %d bytes together, expected at most %d", size, maxNoteText)
	}
	return nil
}

// readNotes reads the notes that are there, after a look at their length: JSON takes at
// most six bytes for one.
func readNotes(metadata map[string]string, notes *map[string]string) error {
	if n := len(metadata["notes"]); n > 8*maxNoteText {
		return fmt.Errorf("notes: found %d bytes, expected at most %d", n, 8*maxNoteText)
	}
	if err := readParts(metadata, map[string]any{"notes": notes}); err != nil {
		return err
	}
	return CheckNotes(*notes)
}
