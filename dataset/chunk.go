package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Line formats are read by a pipeline: a splitter cuts the inputs into chunks
// of whole records, workers parse chunks, and the results are taken in order.
// What is taken depends neither on the number of workers nor, if parse treats
// every record alone, on the size of the chunks.

// chunkSize is large enough to make hand-over free and small enough to stay
// in a core's cache.
const chunkSize = 1 << 20

// maxRecord bounds one line, or one CSV record with line breaks in quotes.
var maxRecord = 1 << 28

// A chunk is some whole records. Its text always ends with a line break.
type chunk struct {
	name string // of the input
	line int    // of the first byte, from 1
	text []byte
}

// errorf reports what was found at an offset of the text. Positions are
// counted only here, so that they cost nothing while all is well.
func (c *chunk) errorf(at int, found, expected string) error {
	return fmt.Errorf("%s: found %s, expected %s", c.place(at), found, expected)
}

// place spells an offset of the text as file:line:column.
func (c *chunk) place(at int) string {
	before := c.text[:at]
	line := c.line + bytes.Count(before, []byte{'\n'})
	column := at - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", c.name, line, column)
}

// checkText refuses text that a model could not keep: its JSON would turn
// other bytes into U+FFFD, and two labels or categories into one.
func (c *chunk) checkText(at int, text []byte) error {
	if utf8.Valid(text) {
		return nil
	}
	return c.errorf(at, quote(text), "UTF-8 text")
}

// plural puts a number before the right form of its noun.
func plural[T int | int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// are is the verb that goes with a number.
func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// quote shows input in an error message: short, and on one line.
func quote(text []byte) string {
	const most = 40
	if len(text) <= most {
		return strconv.Quote(string(text))
	}
	cut := most
	for cut > most-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strconv.Quote(string(text[:cut]) + "...")
}

// A splitter cuts inputs into chunks.
type splitter struct {
	in   []*Input
	size int
	// last returns the end of the last whole record of text, 0 for none. Text
	// begins where a record begins.
	last func(text []byte) int
	rest []byte      // read but not yet part of a chunk
	free chan []byte // buffers to be used again; nil when chunks are kept
}

// lastLine is splitter.last of formats in which a record is a line.
func lastLine(text []byte) int { return bytes.LastIndexByte(text, '\n') + 1 }

func newSplitter(in []*Input, opt *Options, last func([]byte) int) *splitter {
	size := opt.chunk
	if size == 0 {
		size = chunkSize
	}
	return &splitter{in: in, size: size, last: last}
}

// next returns the next chunk, io.EOF after the last. No chunk spans inputs.
func (s *splitter) next() (*chunk, error) {
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
		c := &chunk{name: in.Name, line: in.line + 1, text: text}
		in.line += bytes.Count(text, []byte{'\n'})
		return c, nil
	}
	return nil, io.EOF
}

// read returns at least one whole record. An error is returned only when no
// whole record is left before it: an input gives its error again.
func (s *splitter) read(in *Input) ([]byte, error) {
	buf := s.rest
	s.rest = nil
	for want := s.size; ; want = 2 * len(buf) {
		var err error
		buf, err = readUpTo(in.R, buf, want)
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
			return nil, fmt.Errorf("%s:%d: found a line longer than %d bytes, expected a line break", in.Name, in.line+1, maxRecord)
		}
	}
}

// readUpTo appends to buf until it holds want bytes or r fails.
func readUpTo(r io.Reader, buf []byte, want int) ([]byte, error) {
	buf = slices.Grow(buf, max(0, want-len(buf))+1) // one more for a missing line break
	for len(buf) < want {
		n, err := r.Read(buf[len(buf):want])
		buf = buf[:len(buf)+n]
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

func (s *splitter) buffer() []byte {
	select {
	case b := <-s.free:
		return b[:0]
	default:
		return make([]byte, 0, s.size+1)
	}
}

func (s *splitter) recycle(c *chunk) {
	select {
	case s.free <- c.text:
	default:
	}
}

// workers is how many goroutines opt allows.
func (opt *Options) workers() int { return matrix.Cores(opt.Threads) }

// parseChunks parses all chunks of s and hands the results to take, in order.
// It returns the first error in the order of the input, and only after all
// its goroutines have ended.
func parseChunks[T any](ctx context.Context, s *splitter, workers int, parse func(*chunk) (T, error), take func(T) error) error {
	if workers <= 1 {
		return parseAlone(ctx, s, parse, take)
	}
	inner, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()

	todo := make(chan *job[T])
	order := make(chan *job[T], 2*workers) // bounds the chunks in flight
	group.Go(func() { splitAll(inner, s, todo, order) })
	for range workers {
		group.Go(func() {
			for j := range todo {
				j.out, j.err = parse(j.c)
				close(j.done)
			}
		})
	}
	for j := range order {
		select {
		case <-j.done:
		case <-ctx.Done():
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if j.err != nil {
			return j.err
		}
		if err := take(j.out); err != nil {
			return err
		}
		s.recycle(j.c)
	}
	return ctx.Err()
}

// A job is one chunk on its way; out and err are valid when done is closed.
type job[T any] struct {
	c    *chunk
	out  T
	err  error
	done chan struct{}
}

// splitAll sends every chunk to both channels; an error of the input takes
// its place in the order.
func splitAll[T any](ctx context.Context, s *splitter, todo, order chan<- *job[T]) {
	defer close(order)
	defer close(todo)
	for {
		c, err := s.next()
		if err == io.EOF {
			return
		}
		j := &job[T]{c: c, err: err, done: make(chan struct{})}
		select {
		case order <- j:
		case <-ctx.Done():
			return
		}
		if err != nil {
			close(j.done)
			return
		}
		select {
		case todo <- j:
		case <-ctx.Done():
			return
		}
	}
}

// parseAlone is parseChunks on the calling goroutine.
func parseAlone[T any](ctx context.Context, s *splitter, parse func(*chunk) (T, error), take func(T) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := s.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		out, err := parse(c)
		if err != nil {
			return err
		}
		if err := take(out); err != nil {
			return err
		}
		s.recycle(c)
	}
}

// each calls do(0) to do(n-1) on so many workers and returns the error of the
// lowest number.
func each(ctx context.Context, workers, n int, do func(i int) error) error {
	errs := make([]error, n)
	matrix.Blocks(n, 1, workers, func(i, _, _ int) {
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
