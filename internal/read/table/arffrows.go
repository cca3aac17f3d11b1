package table

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
)

// arffRows is the syntax of the rows of so many attributes.
type arffRows struct{ columns int }

func (arffRows) last(text []byte) int { return lines.LastLine(text) }

func (arffRows) delimiter() byte { return ',' }

func (arffRows) begin(c *lines.Chunk, at int) (int, rowKind) {
	t := c.Text
	at = skipBlanks(t, at)
	switch t[at] {
	case '\n':
		return at + 1, noRow
	case '%':
		return at + bytes.IndexByte(t[at:], '\n') + 1, noRow
	case '{':
		return at, sparseRow
	}
	return at, denseRow
}

func (r arffRows) row(c *lines.Chunk, at int, dst []field) ([]field, int, error) {
	at, kind := r.begin(c, at)
	switch kind {
	case noRow:
		return dst, at, nil
	case sparseRow:
		return r.sparse(c, at, dst)
	}
	return denseFields(r, c, at, dst)
}

func (r arffRows) field(c *lines.Chunk, at int) (field, int, error) {
	f, end, err := r.value(c, skipBlanks(c.Text, at), ",")
	if b := c.Text[end]; err == nil && b != ',' && b != '\n' {
		err = c.Errorf(end, fault.Quote(c.Text[end:end+1]), "a comma or a line break after the value")
	}
	if err == nil {
		_, _, end = instanceWeight(c.Text, end)
	}
	return f, end, err
}

// instanceWeight returns where the number is that is in braces behind the comma at at, as
// in "1,x,{2.5}", and where its row ends; 0, 0 and at if there is none.
func instanceWeight(t []byte, at int) (from, to, end int) {
	if t[at] != ',' {
		return 0, 0, at
	}
	open := skipBlanks(t, at+1)
	if t[open] != '{' {
		return 0, 0, at
	}
	for to = open; t[to] != '}' && t[to] != '\n'; to++ {
	}
	if end = skipBlanks(t, min(to+1, len(t)-1)); t[to] != '}' || t[end] != '\n' {
		return 0, 0, at
	}
	return skipBlanks(t, open+1), to, end
}

func (r arffRows) weight(row []byte) (from, to int) {
	if open := bytes.LastIndexByte(row, '{'); open > 0 && row[0] != '%' {
		if comma := bytes.LastIndexByte(row[:open], ','); comma >= 0 && skipBlanks(row, comma+1) == open {
			from, to, _ = instanceWeight(row, comma)
		}
	}
	return from, to
}

// value reads one value; only an unquoted ? is a missing one.
func (r arffRows) value(c *lines.Chunk, at int, stop string) (field, int, error) {
	word, end, err := arffWord(c, at, stop)
	if err != nil {
		return field{}, 0, err
	}
	if len(word) == 0 && end == at {
		return field{}, 0, c.Errorf(at, "nothing", "a value, or ? for a missing one")
	}
	missing := len(word) == 1 && c.Text[at] == '?'
	return field{at: at, text: word, missing: missing}, skipBlanks(c.Text, end), nil
}

// sparse reads "{index value, index value}" with indices from 0.
func (r arffRows) sparse(c *lines.Chunk, at int, dst []field) ([]field, int, error) {
	t := c.Text
	fail := func(at int, found, expected string) ([]field, int, error) {
		return dst, 0, c.Errorf(at, found, expected)
	}
	for least := 0; ; {
		at = skipBlanks(t, at+1)
		if t[at] == '}' && least == 0 {
			break
		}
		end := at
		for t[end]-'0' <= 9 {
			end++
		}
		column, err := strconv.Atoi(string(t[at:end]))
		if err != nil || column < least || column >= r.columns {
			end = at + bytes.IndexAny(t[at:], " \t\r,}\n")
			return fail(at, fault.Quote(t[at:end]), fmt.Sprintf("increasing positions of attributes from %d to %d", least, r.columns-1))
		}
		f, end, err := r.value(c, skipBlanks(t, end), ",}")
		if err != nil {
			return dst, 0, err
		}
		f.column = column
		dst = append(dst, f)
		least = column + 1
		if at = end; t[at] == '}' {
			break
		}
		if t[at] != ',' {
			return fail(at, fault.Quote(t[at:at+1]), "a comma or } after the value")
		}
	}
	at = skipBlanks(t, at+1)
	_, _, at = instanceWeight(t, at)
	if t[at] != '\n' {
		return fail(at, fault.Quote(t[at:at+1]), "a line break after }")
	}
	return dst, at + 1, nil
}

func skipBlanks(t []byte, at int) int {
	for t[at] == ' ' || t[at] == '\t' || t[at] == '\r' {
		at++
	}
	return at
}

// arffWord reads the word that begins at c.Text[at]: up to its closing quote, or, of a word without quotes, up
// to the next byte that is in stop. end is the position after the word and its quotes.
func arffWord(c *lines.Chunk, at int, stop string) (word []byte, end int, err error) {
	t := c.Text
	if t[at] != '\'' && t[at] != '"' {
		end = at
		for t[end] != '\n' && strings.IndexByte(stop, t[end]) < 0 {
			end++
		}
		return bytes.TrimRight(t[at:end], " \t\r"), end, nil
	}
	escaped := false
	for end = at + 1; t[end] != t[at]; end++ {
		if t[end] == '\\' && t[end+1] != '\n' {
			end++
			escaped = true
		}
		if t[end] == '\n' {
			return nil, 0, c.Errorf(at, "an opening quote", "a closing one in the same line")
		}
	}
	word = t[at+1 : end]
	if escaped {
		word = unescape(word)
	}
	return word, end + 1, nil
}

// unescape takes away the \ before quotes and before itself; other uses of it
// are kept as they are.
func unescape(word []byte) []byte {
	out := make([]byte, 0, len(word))
	for i := 0; i < len(word); i++ {
		if word[i] == '\\' && i+1 < len(word) && strings.IndexByte(`'"\`, word[i+1]) >= 0 {
			i++
		}
		out = append(out, word[i])
	}
	return out
}
