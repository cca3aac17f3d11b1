package svmlight

import (
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Tokens is the format of sequences of words: each line holds a label, a tab and words with
// blanks or tabs between. A row of the set has the symbol of the k-th word in column k, as
// [structure.Symbol] makes it: whole numbers are their own, of other words it is a hash.
// Should two words of a file share one, a warning says so. Symbols are written as numbers, which
// are read as the same symbols.
var Tokens = &structured{name: "tokens", extension: ".tokens", kind: structure.Sequences,
	summary:  "lists of words or whole numbers, a row a line: label, tab, words; for string kernels",
	expected: "a label, a tab and words",
	add:      addTokens, write: appendTokens}

// addTokens makes a row of words.
func addTokens(out *structuredChunk, _ *lines.Chunk, at int, text []byte) error {
	begin := len(out.index)
	return eachWord(at, text, func(_ int, word []byte) error {
		out.append(begin, out.doubts.symbol(word))
		return nil
	})
}

// appendTokens appends row i as numbers.
func appendTokens(line []byte, row matrix.Vector, i int) ([]byte, error) {
	value, err := placed(row, i)
	for k, v := range value {
		if k > 0 {
			line = append(line, ' ')
		}
		line = strconv.AppendInt(line, int64(v), 10)
	}
	return line, err
}
