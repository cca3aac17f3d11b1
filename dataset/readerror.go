package dataset

import (
	"errors"
	"fmt"
	"strings"
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

// faultAt is a ReadError of what format and args say.
func faultAt(file string, line, column int, format string, args ...any) error {
	return &ReadError{File: file, Line: line, Column: column, Err: fmt.Errorf(format, args...)}
}

// located makes a ReadError of an error that begins with the name of one of the inputs.
func located(in []*Input, err error) error {
	var known *ReadError
	if err == nil || errors.As(err, &known) {
		return err
	}
	for _, i := range in {
		if found, ok := strings.CutPrefix(err.Error(), i.Name+": "); ok {
			return &ReadError{File: i.Name, Err: &unnamed{found, err}}
		}
	}
	return err
}

// unnamed is an error without the name of the input in front.
type unnamed struct {
	text string
	err  error
}

func (e *unnamed) Error() string { return e.text }
func (e *unnamed) Unwrap() error { return e.err }
