package dataset

import (
	"bytes"
	"context"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/fenchel-ml/fenchel/dataset/internal/file"
	"github.com/fenchel-ml/fenchel/parallel"
)

// Line formats are read in chunks of whole records, which a splitter cuts from
// the inputs; see parseChunks.

// chunkSize is large enough to make hand-over free and small enough to stay,
// with what is made of it, in a core's cache.
const chunkSize = 256 << 10

// padding is how far behind the text of a chunk its buffer can be read, so
// that loops over eight bytes at a time need not look where the text ends.
const padding = 32

// maxRecord bounds one line, or one CSV record with line breaks in quotes.
var maxRecord = 1 << 28

// A chunk is some whole records. Its text always ends with a line break.
type chunk struct {
	name  string // of the input
	line  int    // of the first byte, from 1
	lines int    // in the text
	text  []byte

	// Of sparse text alone: more pairs index:value than are in the text, and
	// how many the chunks before it may have, so counted.
	pairs, before int
}

// padded returns the text and what lies behind it, at least padding bytes of
// whatever.
func (c *chunk) padded() []byte {
	n := len(c.text)
	if cap(c.text)-n < padding {
		c.text = slices.Grow(c.text, padding)
	}
	return c.text[:n+padding]
}

// errorf reports what was found at an offset of the text. Positions are
// counted only here, so that they cost nothing while all is well.
func (c *chunk) errorf(at int, found, expected string) error {
	return c.locate(at).Fault("found %s, expected %s", found, expected)
}

// place spells an offset of the text as file:line:column.
func (c *chunk) place(at int) string { return c.locate(at).String() }

// locate returns where an offset of the text is.
func (c *chunk) locate(at int) fault.Place {
	before := c.text[:at]
	return fault.Place{File: c.name, Line: c.line + bytes.Count(before, []byte{'\n'}), Column: at - bytes.LastIndexByte(before, '\n')}
}

// checkText refuses text that a model could not keep: its JSON would turn
// other bytes into U+FFFD, and two labels or categories into one.
func (c *chunk) checkText(at int, text []byte) error {
	if utf8.Valid(text) {
		return nil
	}
	return c.errorf(at, fault.Quote(text), "UTF-8 text")
}

// A splitter cuts inputs into chunks.
type splitter struct {
	in   []*file.Input
	size int
	// last returns the end of the last whole record of text, 0 for none. Text
	// begins where a record begins.
	last   func(text []byte) int
	rest   []byte                // read but not yet part of a chunk
	free   chan []byte           // buffers to be used again; nil when chunks are kept
	again  []*chunk              // come before those of in
	pairs  func(text []byte) int // counts those of a chunk; nil: nobody wants to know
	before int                   // pairs so far
}

// lastLine is splitter.last of formats in which a record is a line.
func lastLine(text []byte) int { return bytes.LastIndexByte(text, '\n') + 1 }

func newSplitter(in []*file.Input, size int, last func([]byte) int) *splitter {
	if size == 0 {
		size = largestChunk(in)
	}
	return &splitter{in: in, size: size, last: last}
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
func (s *splitter) next() (*chunk, error) {
	if len(s.again) > 0 {
		c := s.again[0]
		s.again = s.again[1:]
		return c, nil
	}
	for len(s.in) > 0 {
		in := s.in[0]
		text, err := s.read(in)
		if err == io.EOF {
			s.in = s.in[1:]
			continue
		}
		if err != nil {
			return nil, err
		}
		c := &chunk{name: in.Name, line: in.Line + 1, lines: bytes.Count(text, []byte{'\n'}), text: text}
		in.Line += c.lines
		if s.pairs != nil {
			c.before, c.pairs = s.before, s.pairs(text)
			s.before += c.pairs
		}
		return c, nil
	}
	return nil, io.EOF
}

// read returns at least one whole record. An error is returned only when no
// whole record is left before it: an input gives its error again.
func (s *splitter) read(in *file.Input) ([]byte, error) {
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
		if len(buf) >= maxRecord {
			return nil, fault.At(in.Name, in.Line+1, 0, "found a line longer than %d bytes, expected a line break", maxRecord)
		}
	}
}

func (s *splitter) buffer() []byte {
	select {
	case b := <-s.free:
		return b[:0]
	default:
		return make([]byte, 0, s.size+1+padding)
	}
}

func (s *splitter) recycle(c *chunk) {
	select {
	case s.free <- c.text:
	default:
	}
}

// each calls do(0) to do(n-1) on so many workers and returns the error of the
// lowest number.
func each(ctx context.Context, workers, n int, do func(i int) error) error {
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
