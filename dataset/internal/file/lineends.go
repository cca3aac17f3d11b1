package file

import (
	"bufio"
	"bytes"
)

// endsWithCR reports whether a file is text of which a carriage return alone ends the
// lines, as on a Macintosh before 2001 and out of some spreadsheets: its head has no
// line feed. A return that ends a full head may have its line feed behind.
func endsWithCR(head []byte) bool {
	if bytes.IndexByte(head, '\n') >= 0 || bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	if len(head) == HeadSize {
		head = head[:len(head)-1]
	}
	return bytes.IndexByte(head, '\r') >= 0
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
