package file

import (
	"bufio"
	"bytes"
	"io"
)

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
