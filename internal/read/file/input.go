package file

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/mikelolasagasti/xz"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
)

// HeadSize is how much of an input is given to Detect.
const HeadSize = 64 << 10

// An Input is one opened source: what is left after decompression.
type Input struct {
	Name string        // for messages: the path as given, "standard input" for "-"
	Path string        // the system's file behind it, "" when there is none
	R    *bufio.Reader // decompressed; Peek reaches HeadSize bytes; nil while put away: see reader

	Line     int          // lines taken from R
	Column   int          // bytes taken of the line that comes next, of formats of which a row is no line
	before   [2]int       // both before the first row, as a header takes them
	Taken    int          // bytes of these
	ahead    bool         // decompress beside the parsing
	Again    func() error // opens a regular file at the first row; nil: it can be read once
	Rotation *Rotation    // of many files; nil: all are open
	Size     int64        // bytes of a file that is not compressed; 0: not known
	Member   string       // name in an archive; "": the input is none of one
	filter   func(*bufio.Reader) *bufio.Reader
	close    func() error

	tallied *tallied // nil: not counted
}

// NewInput completes in with what raw gives after decompression.
func NewInput(in *Input, raw io.Reader) (*Input, error) {
	packed := bufio.NewReaderSize(&NamedReader{R: raw, Name: in.Name}, HeadSize)
	magic, _ := packed.Peek(6)
	in.R = packed
	for _, c := range Compressions {
		if !bytes.HasPrefix(magic, []byte(c.Magic)) {
			continue
		}
		source := &NamedReader{R: packed, Name: in.Name, kind: c.name}
		in.Size = 0
		r, stop, err := c.open(packed)
		if err != nil {
			return nil, source.explain(err)
		}
		source.R = in.decode(r, stop)
		in.R = bufio.NewReaderSize(source, HeadSize)
		if err := in.checkOnce(source.kind); err != nil {
			in.Close() // the decoder
			return nil, err
		}
		break
	}
	if mark, _ := in.R.Peek(3); string(mark) == "\ufeff" { // the byte order mark of some Windows programs
		in.R.Discard(3)
	}
	if head, _ := in.R.Peek(HeadSize); endsWithCR(head) {
		in.R = bufio.NewReaderSize(crReader{in.R}, HeadSize)
	}
	return in, nil
}

// decode returns what a decoder gives, and has the decoder stopped when the
// input is closed.
func (in *Input) decode(r io.Reader, stop func()) io.Reader {
	closeFile := in.close
	if closeFile == nil {
		closeFile = func() error { return nil }
	}
	if !in.ahead {
		in.close = func() error { stop(); return closeFile() }
		return r
	}
	a := newReadAhead(r, func() { stop(); closeFile() }) // a file read from loses nothing if it does not close
	in.close = func() error { a.close(); return nil }
	return a
}

// checkOnce refuses what is still compressed after one decompression: further
// ones would make the work unbounded, and no format begins so.
func (in *Input) checkOnce(kind string) error {
	magic, _ := in.R.Peek(6)
	for _, c := range Compressions {
		if bytes.HasPrefix(magic, []byte(c.Magic)) {
			return fault.In(in.Name, "found %s data inside %s data, expected data compressed once", c.name, kind)
		}
	}
	return nil
}

// Close gives back the file.
func (in *Input) Close() error {
	if in.close == nil {
		return nil
	}
	err := in.close()
	in.close = nil
	return err
}

// Discard takes the next n bytes, which are before the rows.
func (in *Input) Discard(n int) {
	n, _ = in.Reader().Discard(n)
	in.Taken += n
}

// Head returns what is given to Detect. An error behind the head is left for
// the reader, so that an earlier fault in the rows is reported first.
func (in *Input) Head() ([]byte, error) {
	head, err := in.Reader().Peek(HeadSize)
	if len(head) > 0 {
		return head, nil
	}
	if err == io.EOF {
		return nil, fault.In(in.Name, "found nothing, expected rows")
	}
	return nil, err
}

// A NamedReader gives errors the name of the input, and gives the same error
// again when it is read on.
type NamedReader struct {
	R          io.Reader
	Name, kind string
	err        error
}

func (r *NamedReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.R.Read(p)
	if err != nil && err != io.EOF {
		err = r.explain(err)
	}
	r.err = err
	return n, err
}

// explain names the input, and the decoder's many words for truncated.
func (r *NamedReader) explain(err error) error {
	var named *fault.ReadError
	if errors.As(err, &named) {
		return err
	}
	doing := ""
	if r.kind != "" {
		doing = r.kind + " data: "
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, xz.ErrBuf) {
			doing = r.kind + " data is truncated: "
		}
	}
	return fault.In(r.Name, "%s%w", doing, err)
}

// A Rotation keeps one of many files open at a time. They are read one after another, and
// what is taken before the rows is counted: so each can be closed and opened again.
type Rotation struct{ open *Input }

// unopened gives the error of opening a file as one of reading it.
type unopened struct{ err error }

func (u unopened) Read([]byte) (int, error) { return 0, u.err }

// Reader returns R, of a file that was put away opened again at the first row.
func (in *Input) Reader() *bufio.Reader {
	if in.R != nil || in.Again == nil {
		return in.R
	}
	if in.Rotation != nil {
		if in.Rotation.open != nil {
			in.Rotation.open.PutAway()
		}
		in.Rotation.open = in
	}
	if err := in.Again(); err != nil {
		in.R = bufio.NewReader(unopened{err})
	}
	return in.R
}

// Mark notes that the first row comes next.
func (in *Input) Mark() { in.before = [2]int{in.Line, in.Column} }

// Rewind goes back to the first row.
func (in *Input) Rewind() {
	in.PutAway()
	in.Line, in.Column = in.before[0], in.before[1]
}

// Hold keeps in memory all that an input gives that can be read once, so that it can be read again.
func (in *Input) Hold() error {
	if in.Again != nil {
		return nil
	}
	text, err := io.ReadAll(in.R)
	if err != nil {
		return err
	}
	from := in.Taken
	again := func() error {
		in.R = bufio.NewReaderSize(bytes.NewReader(text), HeadSize)
		_, err := in.R.Discard(in.Taken - from)
		return err
	}
	in.Again = again
	return again()
}

// PutAway closes a regular file until reader is called.
func (in *Input) PutAway() {
	if in.Again != nil {
		in.Close()
		in.R = nil
	}
}

// SeparateBlanks has the input read by [Separate] from now on, when it is opened again too.
func (in *Input) SeparateBlanks(delimiter byte, quotes string) {
	in.filter = func(r *bufio.Reader) *bufio.Reader {
		return bufio.NewReaderSize(Separate(r, delimiter, quotes), HeadSize)
	}
	if in.R != nil {
		in.R = in.filter(in.R)
	}
}

// endsWithCR reports whether a file is text of which a carriage return alone ends most
// lines, as on a Macintosh before 2001 and out of some spreadsheets: its head has more of
// them than line feeds, of which there may be one at the end. A return that ends a full
// head may have its line feed behind. Quoted fields do not count.
func endsWithCR(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 || bytes.IndexByte(head, '\r') < 0 {
		return false
	}
	full, returns, feeds := len(head) == HeadSize, 0, 0
	if full {
		head = head[:len(head)-1]
	}
	for i, before := 0, byte('\n'); i < len(head); i++ {
		switch c := head[i]; {
		case c == '"' && bytes.IndexByte([]byte("\" \t\r\n,;|"), before) >= 0: // a field, or the rest of one
			if length := bytes.IndexByte(head[i+1:], '"'); length >= 0 {
				i += length + 1
			} else if full {
				return returns > feeds
			}
		case c == '\n':
			feeds++
		case c == '\r' && (i+1 == len(head) || head[i+1] != '\n'):
			returns++
		}
		before = head[i]
	}
	return returns > feeds
}
