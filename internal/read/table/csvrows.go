package table

import (
	"bytes"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// csvRows is the syntax of rows with one delimiter.
type csvRows struct {
	separator byte
	// lines says that quotes do not go beyond a line, and that one which is not closed before a delimiter is a character like
	// others: texts behind labels have such.
	lines bool
}

func (r csvRows) last(text []byte) int {
	_, last := r.ends(text)
	return last
}

// ends returns where the first and the last whole record of text end, 0 for
// none. It goes from quote to quote: a line break between two does not count.
func (r csvRows) ends(text []byte) (first, last int) {
	if r.lines {
		return bytes.IndexByte(text, '\n') + 1, bytes.LastIndexByte(text, '\n') + 1
	}
	at, open := 0, text[:0] // open will be the last text between quotes with a line break
	for end := 0; ; {
		quoted := bytes.IndexByte(text[at:], '"')
		between := text[at:]
		if quoted >= 0 {
			between = between[:quoted]
		}
		if i := bytes.IndexByte(between, '\n'); i >= 0 {
			if first == 0 {
				first = at + i + 1
			}
			open, end = between, at
		}
		closing := -1
		if quoted >= 0 {
			if at += quoted; !r.opens(text, at) {
				at++
				continue
			}
			closing, _ = closingQuote(text, at)
		}
		if closing < 0 {
			return first, end + bytes.LastIndexByte(open, '\n') + 1
		}
		at = closing + 1
	}
}

// opens reports whether the quote at text[at] begins a field. Elsewhere it is
// a character like others.
func (r csvRows) opens(text []byte, at int) bool {
	for at--; at >= 0 && r.blank(text[at]); at-- {
	}
	return at < 0 || text[at] == r.separator || text[at] == '\n'
}

func (r csvRows) blank(b byte) bool {
	return b == ' ' || b == '\r' || b == '\t' && r.separator != '\t'
}

// closingQuote returns where the quotes opened at text[at] close, -1 if they
// do not, and whether there are doubled ones before.
func closingQuote(text []byte, at int) (closing int, doubled bool) {
	for at++; ; at += 2 {
		i := bytes.IndexByte(text[at:], '"')
		if i < 0 {
			return -1, doubled
		}
		at += i
		if at+1 >= len(text) || text[at+1] != '"' {
			return at, doubled
		}
		doubled = true
	}
}

func (r csvRows) delimiter() byte { return r.separator }

func (csvRows) weight([]byte) (from, to int) { return 0, 0 }

func (r csvRows) begin(c *lines.Chunk, at int) (int, rowKind) {
	t := c.Text
	for at < len(t) && r.blank(t[at]) {
		at++
	}
	if at == len(t) || t[at] == '\n' {
		return min(at+1, len(t)), noRow
	}
	return at, denseRow
}

func (r csvRows) row(c *lines.Chunk, at int, dst []field) ([]field, int, error) {
	at, kind := r.begin(c, at)
	if kind == noRow {
		return dst, at, nil
	}
	return denseFields(r, c, at, dst)
}

func (r csvRows) field(c *lines.Chunk, at int) (f field, end int, err error) {
	t := c.Text
	for r.blank(t[at]) {
		at++
	}
	if t[at] == '"' && (!r.lines || r.closes(t, at)) {
		return r.quoted(c, at)
	}
	end = at
	for t[end] != r.separator && t[end] != '\n' {
		end++
	}
	stop := end
	for stop > at && r.blank(t[stop-1]) {
		stop--
	}
	text := t[at:stop]
	return field{at: at, text: text, missing: set.IsMissing(text)}, end, nil
}

// closes reports whether the quote at text[at] is closed in its line, where a delimiter follows.
func (r csvRows) closes(text []byte, at int) bool {
	line := text[at:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end+1]
	}
	closing, _ := closingQuote(line, 0)
	if closing < 0 {
		return false
	}
	rest := line[closing+1:]
	for len(rest) > 0 && r.blank(rest[0]) {
		rest = rest[1:]
	}
	return len(rest) == 0 || rest[0] == r.separator || rest[0] == '\n'
}

func (r csvRows) quoted(c *lines.Chunk, at int) (f field, end int, err error) {
	t := c.Text
	closing, doubled := closingQuote(t, at)
	if closing < 0 {
		return f, 0, c.Errorf(at, "an opening quote", "a closing one")
	}
	end = closing + 1
	for end < len(t) && r.blank(t[end]) {
		end++
	}
	if end == len(t) || t[end] != r.separator && t[end] != '\n' {
		return f, 0, c.Errorf(end, fault.Quote(t[end:min(end+1, len(t))]), fmt.Sprintf("%q or a line break after the closing quote", r.separator))
	}
	text := t[at+1 : closing]
	if doubled {
		text = bytes.ReplaceAll(text, []byte(`""`), []byte(`"`))
	}
	return field{at: at, text: text, missing: set.IsMissing(text)}, end, nil
}
