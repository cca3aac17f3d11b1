package file

import (
	"bufio"
	"bytes"
	"io"
)

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

// A crReader gives carriage returns as line feeds, unless one follows.
type crReader struct{ r *bufio.Reader }

func (c crReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	text := p[:n]
	for at := bytes.IndexByte(text, '\r'); at >= 0; at = bytes.IndexByte(text, '\r') {
		next := text[at+1:]
		if len(next) == 0 {
			next, _ = c.r.Peek(1) // an error comes with the next Read again
		}
		if len(next) == 0 || next[0] != '\n' {
			text[at] = '\n'
		}
		text = text[at+1:]
	}
	return n, err
}

// Separate reads text with blanks between fields: the last blank of those between two
// becomes the delimiter, and every other a space. So each character stays where it is.
// Blanks in quotes belong to a field.
func Separate(r *bufio.Reader, delimiter byte, quotes string) io.Reader {
	return &blankReader{r: r, delimiter: delimiter, quotes: quotes}
}

type blankReader struct {
	r         *bufio.Reader
	delimiter byte
	quotes    string
	field     bool // the line has one so far
	before    bool // the last character was of one, and no quote
	quote     byte // that is open; 0: none
}

func (b *blankReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	for i, c := range p[:n] {
		switch {
		case b.quote != 0:
			if c == b.quote {
				b.quote, b.before = 0, false // one more is a quote in the field
			}
		case c == '\n':
			b.field, b.before = false, false
		case c == ' ' || c == '\t' || c == '\r':
			b.before = false
			next := p[i+1 : n]
			if len(next) == 0 {
				next, _ = b.r.Peek(1)
			}
			switch {
			case b.field && len(next) > 0 && bytes.IndexByte([]byte(" \t\r\n"), next[0]) < 0:
				p[i] = b.delimiter
			case c == '\t':
				p[i] = ' '
			}
		case !b.before && bytes.IndexByte([]byte(b.quotes), c) >= 0:
			b.quote, b.field = c, true
		default:
			b.field, b.before = true, true
		}
	}
	return n, err
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
