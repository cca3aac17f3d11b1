package data

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"iter"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// Arriving gives the rows of standard input as sets, each of the rows that have come
// since the one before: for answers that somebody waits for. Text of lines (CSV, TSV, JSON,
// LIBSVM, strings, tokens, graphs) arrives so; other formats, and what is compressed, are one set. The options
// must say what the features are, by Schema or Columns. A bad row is an error behind the
// rows before it. Warnings are those of each set.
func Arriving(ctx context.Context, opt Options) iter.Seq2[*Set, error] {
	return func(yield func(*Set, error) bool) {
		if err := cmp.Or(opt.System().CheckStdin(), opt.CheckSchema()); err != nil {
			yield(nil, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		a := newArrivals(ctx, opt)
		for {
			set, err := a.next(ctx)
			if err == io.EOF || !yield(set, err) || err != nil {
				return
			}
		}
	}
}

// arrivals cut what comes into whole records.
type arrivals struct {
	opt     Options
	got     chan []byte // closed at the end, when err is set
	err     error
	ended   bool
	pending []byte                // has come, not yet given
	last    func(text []byte) int // as Last of lines.Splitter; nil: not known yet
	header  []byte                // comes before the rows of each set
	lines   int                   // given, those of the header among them
	given   bool
}

// arrivalsAhead bounds what is read while rows are worked on, in reads of a pipe.
const arrivalsAhead = 64

func newArrivals(ctx context.Context, opt Options) *arrivals {
	a := &arrivals{opt: opt, got: make(chan []byte, arrivalsAhead)}
	go func() {
		defer close(a.got)
		r := file.NewInterruptible(ctx, opt.Stdin)
		for {
			buffer := make([]byte, file.HeadSize)
			n, err := r.Read(buffer)
			select {
			case a.got <- buffer[:n]:
			case <-ctx.Done():
				err = ctx.Err()
			}
			if err != nil {
				a.err = err
				return
			}
		}
	}()
	return a
}

// next returns the next set.
func (a *arrivals) next(ctx context.Context) (*Set, error) {
	for {
		if rows := a.take(); rows != nil {
			return a.read(ctx, rows)
		}
		if a.ended {
			return nil, io.EOF
		}
		if !a.wait() {
			return a.end(ctx)
		}
		if a.last == nil && !a.begin() {
			return a.all(ctx)
		}
	}
}

// wait waits for more, and takes all that has come; false at the end.
func (a *arrivals) wait() bool {
	text, more := <-a.got
	for more {
		a.pending = append(a.pending, text...)
		select {
		case text, more = <-a.got:
		default:
			return true
		}
	}
	return len(text) > 0
}

// end gives what is left, perhaps without a line break.
func (a *arrivals) end(ctx context.Context) (*Set, error) {
	a.ended = true
	if a.err != io.EOF {
		return nil, a.err
	}
	if a.last == nil && a.begin() && a.last != nil { // the header is no matter of when the end came
		a.pending = append(a.pending, '\n')
		if rows := a.take(); rows != nil {
			return a.read(ctx, rows)
		}
	}
	if a.given && len(bytes.TrimSpace(a.pending)) == 0 {
		return nil, io.EOF
	}
	rest := slices.Concat(a.header, a.pending)
	a.pending = nil
	return a.read(ctx, rest)
}

// all reads what has come and what will as one set.
func (a *arrivals) all(ctx context.Context) (*Set, error) {
	a.ended = true
	opt := a.opt
	opt.Stdin = io.MultiReader(bytes.NewReader(a.pending), &arriving{a: a})
	a.pending = nil
	return Read(ctx, []string{"-"}, opt)
}

// An arriving reads what comes.
type arriving struct {
	a    *arrivals
	rest []byte
}

func (r *arriving) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		text, more := <-r.a.got
		if !more {
			return 0, r.a.err
		}
		r.rest = text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// read makes a set of the header and some rows.
func (a *arrivals) read(ctx context.Context, text []byte) (*Set, error) {
	opt := a.opt
	header := bytes.Count(a.header, []byte{'\n'})
	opt.Stdin, opt.StdinLines = bytes.NewReader(text), a.lines-header
	a.lines += bytes.Count(text, []byte{'\n'}) - header
	a.given = true
	return Read(ctx, []string{"-"}, opt)
}

// begin finds out, once a line has come, what the format is, and takes the header of a
// table; false if the rows are no lines.
func (a *arrivals) begin() bool {
	if a.opt.Precomputed || a.isCompressed() {
		return false
	}
	end := bytes.IndexByte(a.pending, '\n') + 1
	if end == 0 || len(bytes.TrimSpace(a.pending[:end])) == 0 {
		return len(a.pending) < file.HeadSize
	}
	name, f, err := a.format()
	if err != nil {
		return false
	}
	a.opt.Format = name
	l, ok := f.(set.LineFormat)
	if !ok {
		return false
	}
	header, last, ok := l.Begin(a.pending, &a.opt)
	if a.last = last; header > 0 {
		a.header = slices.Clone(a.pending[:header])
		a.lines = bytes.Count(a.header, []byte{'\n'})
		a.pending = slices.Clone(a.pending[header:])
	}
	return ok
}

func (a *arrivals) isCompressed() bool {
	for _, c := range file.Compressions {
		if bytes.HasPrefix(a.pending, []byte(c.Magic)) {
			return true
		}
	}
	return false
}

// format returns the format of what has come.
func (a *arrivals) format() (name string, f set.Format, err error) {
	in, err := file.NewInput(&file.Input{Name: "standard input"}, bytes.NewReader(a.pending))
	if err != nil {
		return "", nil, err
	}
	return detect(in, &a.opt)
}

// take returns the whole records that have come, below the header; nil if there is none.
func (a *arrivals) take() []byte {
	if a.last == nil {
		return nil
	}
	end := a.last(a.pending)
	if end == 0 || !holdsRows(a.pending[:end]) {
		return nil
	}
	text := slices.Concat(a.header, a.pending[:end])
	a.pending = slices.Clone(a.pending[end:])
	return text
}

// holdsRows reports whether a line is neither blank nor a comment.
func holdsRows(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return true
		}
	}
	return false
}
