package svmlight

import (
	"fmt"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Strings is the format of strings: each line holds a label, a tab and a text. A
// row of the set is the text, the code point of its k-th character in column k;
// so it is for kernels of strings, and means little to others. Blanks of the text
// count, and so do more tabs.
var Strings = &structured{name: "strings", extension: ".strings", kind: structure.Sequences,
	summary:  "texts, a row a line: label, tab, text; for string kernels",
	expected: "a label, a tab and a text",
	add:      addText, write: appendText}

// addText makes a row of the characters of a text.
func addText(out *structuredChunk, c *lines.Chunk, at int, text []byte) error {
	begin := len(out.index)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == 0 {
			return c.Errorf(at, "a zero byte", "text")
		}
		out.append(begin, float32(r))
		text, at = text[size:], at+size
	}
	return nil
}

// appendText appends row i as text.
func appendText(line []byte, row matrix.Vector, i int) ([]byte, error) {
	value := row.Value
	for row.Index == nil && len(value) > 0 && value[len(value)-1] == 0 {
		value = value[:len(value)-1]
	}
	for k, v := range value {
		r := rune(max(-1, min(v, utf8.MaxRune+1)))
		if float32(r) != v || !utf8.ValidRune(r) || r == 0 || r == '\n' || row.Column(k) != k {
			return nil, fmt.Errorf("row %d, column %d: found %g, expected the code point of a character other than a line break, without gaps", i+1, row.Column(k)+1, v)
		}
		line = utf8.AppendRune(line, r)
	}
	if len(value) > 0 && value[len(value)-1] == '\r' {
		return nil, fmt.Errorf("row %d: found a carriage return at the end, expected another character", i+1)
	}
	return line, nil
}
