package set

import (
	"context"
	"io"

	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// A Match says how sure a format is that a file is its own.
type Match int

// From a veto to certainty. The format with the highest match reads the file;
// among equals the first by name.
const (
	NoMatch        Match = iota // cannot be
	MatchPossible               // nothing in the head speaks against it
	MatchExtension              // the extension says so and nothing in the head speaks against it
	MatchContent                // the head looks like it
	MatchMagic                  // the head begins as no other format does
)

// A Format reads files of one kind. A format that can also write implements
// [Writer]. Laws: Detect depends on its arguments alone; Read gives the same
// Set whatever opt.Threads, and reads all inputs as one set, in order; every
// value of X is finite; errors name the input, the place in it, what was found
// and what was expected; memory grows with what was read, never with what a
// header claims.
type Format interface {
	// Detect is given the path without the extension of the compression and
	// up to the first 64 KiB of the decompressed file; head is never empty.
	Detect(name string, head []byte) Match
	Read(ctx context.Context, in []*Input, opt *Options) (*Set, error)
	// Takes lists those of the options header, target, weights, labels, ignore, categorical, numeric, text (with all of
	// Terms), id, missing, dates and skip-unlabelled that the format has a use for; Read is never given another.
	Takes() []string
}

// An Input is one opened source, decompressed.
type Input = file.Input

// A Writer is a Format that can write, chosen by the extension of the path.
type Writer interface {
	Write(w io.Writer, s *Set) error
	Extensions() []string // lower case with the dot; the first is the usual one
}

// An OffsetWriter is a Writer of which the files hold what offsets keep of numbers: others hold
// these in single precision.
type OffsetWriter interface {
	Writer
	KeepsOffsets()
}

// A TargetsWriter is a Writer of which the files hold several targets a row.
type TargetsWriter interface {
	Writer
	KeepsTargets()
}

// A Result is a column of results of rows, such as predictions.
type Result struct {
	Name string
	Text bool // else numbers
}

// A ResultWriter is a Format that writes results, in columns of different names.
type ResultWriter interface {
	Format
	// Results returns what takes rows, any number of whole ones at a time: a number as 8 bytes, a text as the number of
	// its bytes in 4 and these, little-endian. Close ends the file.
	Results(w io.Writer, columns []Result) (io.WriteCloser, error)
}

// A LineFormat is a Format of which the rows are lines, so that they can be read as they come.
type LineFormat interface {
	Format
	// Begin decides on what the first rows tell of all, in opt, and returns how long the
	// header is and where the last whole record of a text ends; nil where more must have
	// come, not ok where all must.
	Begin(pending []byte, opt *Options) (header int, last func(text []byte) int, ok bool)
}

// Registered are the formats that have registered.
var Registered = registry.New[Format]("format")

// Register adds a format; each format's file calls it from init.
func Register(name, summary string, f Format) {
	Registered.Register(registry.Entry[Format]{
		Name: name, Summary: summary,
		New: func(*registry.Params) (Format, error) { return f, nil },
	})
}
