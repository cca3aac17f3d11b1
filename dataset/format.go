package dataset

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/fenchel-ml/fenchel/dataset/internal/file"
	"github.com/fenchel-ml/fenchel/registry"
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
	// Takes lists those of the options header, target, weights, labels, ignore, categorical, numeric and id that
	// the format has a use for; Read is never given another.
	Takes() []string
}

// An Input is one opened source, decompressed.
type Input = file.Input

// A Writer is a Format that can write, chosen by the extension of the path.
type Writer interface {
	Write(w io.Writer, s *Set) error
	Extensions() []string // lower case with the dot; the first is the usual one
}

var formats = registry.New[Format]("format")

// register adds a format; each format's file calls it from init.
func register(name, summary string, f Format) {
	formats.Register(registry.Entry[Format]{
		Name: name, Summary: summary,
		New: func(*registry.Params) (Format, error) { return f, nil },
	})
}

// Formats returns the registered formats, sorted by name.
func Formats() []registry.Entry[Format] { return formats.Entries() }

// detect returns the format of an input: the one opt names, or else the one
// with the best match.
func detect(in *file.Input, opt *Options) (name string, f Format, err error) {
	if opt.Format != "" {
		f, err = formats.New(opt.Format)
		return opt.Format, f, err
	}
	head, err := in.Head()
	if err != nil {
		return "", nil, err
	}
	if err := refuseElsewhere(in, head); err != nil {
		return "", nil, err
	}
	best := NoMatch
	for _, e := range formats.Entries() {
		candidate, err := e.New(nil)
		if err != nil {
			return "", nil, err
		}
		if m := candidate.Detect(file.PlainName(in.Name), head); m > best {
			name, f, best = e.Name, candidate, m
		}
	}
	if best == NoMatch {
		if at := bytes.IndexByte(head, 0); at >= 16 { // what it begins with does not tell why
			before := head[:at]
			return "", nil, fault.At(in.Name, in.Line+1+bytes.Count(before, []byte{'\n'}), at-bytes.LastIndexByte(before, '\n'),
				"found a zero byte, expected text or one of the formats %s", strings.Join(formats.Names(), ", "))
		}
		return "", nil, fault.In(in.Name, "found %q, expected one of the formats %s", head[:min(len(head), 16)], strings.Join(formats.Names(), ", "))
	}
	return name, f, nil
}
