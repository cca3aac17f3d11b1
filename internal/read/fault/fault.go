// Package fault is errors about inputs, and the words in which they are put. It imports
// the standard library alone. Begin with [ReadError], and make one by [At].
package fault

import (
	"errors"
	"fmt"
	"io/fs"
)

// A ReadError is what is wrong with an input, and where. Every error about what is in a
// file, or about the file, is one or wraps one.
type ReadError struct {
	File         string // the source as given, "standard input" for "-"
	Line, Column int    // from 1, the column in bytes; 0: not known, or the file has none
	Err          error  // what was found, and what was expected
}

// Error returns file:line:column: what was found, expected ...
func (e *ReadError) Error() string {
	return Place{e.File, e.Line, e.Column}.String() + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *ReadError) Unwrap() error { return e.Err }

// A Place is a place in a file.
type Place struct {
	File         string
	Line, Column int // from 1; 0: not known
}

func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

func (p Place) Fault(format string, args ...any) error {
	return At(p.File, p.Line, p.Column, format, args...)
}

// In is At of a file as a whole.
func In(file, format string, args ...any) error { return At(file, 0, 0, format, args...) }

// At is a ReadError of what format and args say.
func At(file string, line, column int, format string, args ...any) error {
	return &ReadError{File: file, Line: line, Column: column, Err: fmt.Errorf(format, args...)}
}

// Renamed says what went wrong with a path in the words of the other errors.
func Renamed(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &ReadError{File: path, Err: err}
}
