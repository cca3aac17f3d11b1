package dataset

import "fmt"

// A ReadError is what is wrong with an input, and where. Every error about what is in a
// file, or about the file, is one or wraps one.
type ReadError struct {
	File         string // the source as given, "standard input" for "-"
	Line, Column int    // from 1, the column in bytes; 0: not known, or the file has none
	Err          error  // what was found, and what was expected
}

// Error returns file:line:column: what was found, expected ...
func (e *ReadError) Error() string {
	return position{e.File, e.Line, e.Column}.String() + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *ReadError) Unwrap() error { return e.Err }

// A position is a place in a file.
type position struct {
	file         string
	line, column int // from 1; 0: not known
}

func (p position) String() string {
	switch {
	case p.line == 0:
		return p.file
	case p.column == 0:
		return fmt.Sprintf("%s:%d", p.file, p.line)
	}
	return fmt.Sprintf("%s:%d:%d", p.file, p.line, p.column)
}

func (p position) fault(format string, args ...any) error {
	return faultAt(p.file, p.line, p.column, format, args...)
}

// faultIn is faultAt of a file as a whole.
func faultIn(file, format string, args ...any) error { return faultAt(file, 0, 0, format, args...) }

// faultAt is a ReadError of what format and args say.
func faultAt(file string, line, column int, format string, args ...any) error {
	return &ReadError{File: file, Line: line, Column: column, Err: fmt.Errorf(format, args...)}
}
