// Package lines cuts inputs into chunks of whole records and parses these on all cores, with
// results in order. It knows nothing of sets: it imports fault, file and parallel. Begin with
// [Splitter] and [Parse].
package lines

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
)

// Line formats are read in chunks of whole records, which a splitter cuts from
// the inputs; see [Parse].

// chunkSize is large enough to make hand-over free and small enough to stay,
// with what is made of it, in a core's cache.
const chunkSize = 256 << 10

// padding is how far behind the text of a chunk its buffer can be read, so
// that loops over eight bytes at a time need not look where the text ends.
const padding = 32

// MaxRecord bounds one line, or one CSV record with line breaks in quotes.
var MaxRecord = 1 << 28

// A Chunk is some whole records. Its text always ends with a line break.
type Chunk struct {
	Name   string // of the input
	Line   int    // of the first byte, from 1
	Lines  int    // in the text
	Column int    // bytes of that line before the text
	Text   []byte

	// Frame has the rows where their columns are apart: each is a byte of the text, and a line for messages.
	Frame any

	// Of sparse text alone: more pairs index:value than are in the text, and
	// how many the chunks before it may have, so counted.
	Pairs, Before int
}

// Padded returns the text and what lies behind it, at least padding bytes of
// whatever.
func (c *Chunk) Padded() []byte {
	n := len(c.Text)
	if cap(c.Text)-n < padding {
		c.Text = slices.Grow(c.Text, padding)
	}
	return c.Text[:n+padding]
}

// Errorf reports what was found at an offset of the text. Positions are
// counted only here, so that they cost nothing while all is well.
func (c *Chunk) Errorf(at int, found, expected string) error {
	return c.Locate(at).Fault("found %s, expected %s", found, expected)
}

// Place spells an offset of the text as file:line:column.
func (c *Chunk) Place(at int) string { return c.Locate(at).String() }

// Locate returns where an offset of the text is.
func (c *Chunk) Locate(at int) fault.Place {
	if c.Frame != nil {
		return fault.Place{File: c.Name, Line: c.Line + at}
	}
	before := c.Text[:at]
	p := fault.Place{File: c.Name, Line: c.Line + bytes.Count(before, []byte{'\n'}), Column: at - bytes.LastIndexByte(before, '\n')}
	if p.Line == c.Line {
		p.Column += c.Column
	}
	return p
}

// CheckText refuses text that a model could not keep: its JSON would turn
// other bytes into U+FFFD, and two labels or categories into one.
func (c *Chunk) CheckText(at int, text []byte) error {
	if utf8.Valid(text) {
		return nil
	}
	return c.Errorf(at, fault.Quote(text), c.ExpectedText())
}

// ExpectedText is what CheckText expects, and how to come by it.
func (c *Chunk) ExpectedText() string {
	if c.Name == file.StandardInput || c.Frame != nil {
		return "UTF-8 text"
	}
	return fmt.Sprintf("UTF-8 text; one way: iconv -f LATIN1 -t UTF-8 %s > OUT", c.Name)
}

// A Splitter cuts inputs into chunks.
type Splitter struct {
	In   []*file.Input
	size int
	// last returns the end of the last whole record of text, 0 for none. Text
	// begins where a record begins.
	last   func(text []byte) int
	rest   []byte                 // read but not yet part of a chunk
	Free   chan []byte            // buffers to be used again; nil when chunks are kept
	Again  []*Chunk               // come before those of in
	Next   func() (*Chunk, error) // gives the chunks of what is no text; nil: they are cut from in
	Pairs  func(text []byte) int  // counts those of a chunk; nil: they are not counted
	before int                    // pairs so far
}

// LastLine is Last of the Splitter of formats in which a record is a line.
func LastLine(text []byte) int { return bytes.LastIndexByte(text, '\n') + 1 }

// NewSplitter cuts inputs into chunks of so many bytes; 0: as many as a cache of a core has room for.
func NewSplitter(in []*file.Input, size int, last func([]byte) int) *Splitter {
	if size == 0 {
		size = largestChunk(in)
	}
	return &Splitter{In: in, size: size, last: last}
}

// largestChunk is the size of chunks: no buffer needs to be larger than any file.
func largestChunk(in []*file.Input) int {
	largest := int64(0)
	for _, i := range in {
		if i.Size <= 0 { // not known
			return chunkSize
		}
		largest = max(largest, i.Size)
	}
	return int(min(largest, chunkSize))
}

// next returns the next chunk, io.EOF after the last. No chunk spans inputs.
func (s *Splitter) next() (*Chunk, error) {
	if len(s.Again) > 0 {
		c := s.Again[0]
		s.Again = s.Again[1:]
		return c, nil
	}
	if s.Next != nil {
		return s.Next()
	}
	for len(s.In) > 0 {
		in := s.In[0]
		text, err := s.read(in)
		if err == io.EOF {
			s.In = s.In[1:]
			continue
		}
		if err != nil {
			return nil, err
		}
		c := &Chunk{Name: in.Name, Line: in.Line + 1, Column: in.Column, Lines: bytes.Count(text, []byte{'\n'}), Text: text}
		if in.Line += c.Lines; c.Lines > 0 {
			in.Column = 0
		}
		in.Column += len(text) - LastLine(text)
		if s.Pairs != nil {
			c.Before, c.Pairs = s.before, s.Pairs(text)
			s.before += c.Pairs
		}
		return c, nil
	}
	return nil, io.EOF
}

// read returns at least one whole record. An error is returned only when no
// whole record is left before it: an input gives its error again.
func (s *Splitter) read(in *file.Input) ([]byte, error) {
	buf := s.rest
	s.rest = nil
	for want := s.size; ; want = 2 * len(buf) {
		var err error
		buf = slices.Grow(buf, max(0, want-len(buf))+1+padding) // one more for a missing line break
		buf, err = file.ReadUpTo(in.Reader(), buf, want)
		end := s.last(buf)
		if err == io.EOF && len(buf) > 0 && end < len(buf) {
			buf = append(buf, '\n') // the last line may lack it
			end = len(buf)
		}
		if end > 0 {
			s.rest = append(s.buffer(), buf[end:]...)
			return buf[:end], nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) >= MaxRecord {
			return nil, fault.At(in.Name, in.Line+1, 0, "found a line longer than %d bytes, expected a line break", MaxRecord)
		}
	}
}

func (s *Splitter) buffer() []byte {
	select {
	case b := <-s.Free:
		return b[:0]
	default:
		return make([]byte, 0, s.size+1+padding)
	}
}

func (s *Splitter) recycle(c *Chunk) {
	select {
	case s.Free <- c.Text:
	default:
	}
}

// Each calls do(0) to do(n-1) on so many workers and returns the error of the
// lowest number.
func Each(ctx context.Context, workers, n int, do func(i int) error) error {
	errs := make([]error, n)
	parallel.Blocks(n, 1, workers, func(i, _, _ int) {
		if ctx.Err() == nil {
			errs[i] = do(i)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
