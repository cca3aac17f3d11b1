package table

import (
	"bytes"
	"context"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/dataset/internal/file"
	"github.com/fenchel-ml/fenchel/dataset/internal/lines"
	"github.com/fenchel-ml/fenchel/dataset/set"
)

func init() {
	set.Register("csv", "table: comma, semicolon, tab or bar between fields, found by content", CSV{})
	set.Register("tsv", "table: tab between fields", CSV{delimiter: '\t'})
}

// csv reads tables of text. A field may stand in double quotes, doubled inside
// ("") when they are meant; delimiters and line breaks in quotes belong to the
// field. Blanks around a field do not count. Missing values are empty, ?, NA,
// <NA>, N/A, NaN or null, in any letter case. What columns become is told at Schema.
type CSV struct{ delimiter byte } // 0: found by content

var (
	_ set.Format = CSV{}
	_ set.Writer = CSV{}
	_ rowReader  = csvRows{}
)

func (f CSV) Extensions() []string {
	if f.delimiter == '\t' {
		return []string{".tsv", ".tab"}
	}
	return []string{".csv"}
}

func (CSV) Takes() []string {
	return []string{"header", "target", "weights", "ignore", "categorical", "numeric", "id"}
}

func (f CSV) Detect(name string, head []byte) set.Match {
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return set.NoMatch
	case set.HasExtension(name, f.Extensions()...):
		return set.MatchExtension
	case f.delimiter == 0 && findDelimiter(head) != 0 && !isVW(head):
		return set.MatchPossible
	}
	return set.NoMatch
}

// isVW reports whether a text begins as one for Vowpal Wabbit, with features and their
// values after a bar, as in "1 |house price:0.23 sqft:0.25": a table of two columns that
// nobody means.
func isVW(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	_, line, _ = bytes.Cut(line, []byte("|"))
	features := bytes.Fields(line)
	return len(features) > 1 && slices.ContainsFunc(features, func(f []byte) bool {
		name, value, found := bytes.Cut(f, []byte(":"))
		_, err := strconv.ParseFloat(string(value), 64)
		return found && len(name) > 0 && err == nil
	})
}

// findDelimiter returns the byte that cuts the first rows of the head into the
// same number of fields, at least two; 0 if none does. When several do, the
// semicolon wins over the comma, which some countries write in numbers.
func findDelimiter(head []byte) byte {
	best, bestScore := byte(0), 1
	for _, delimiter := range []byte("\t;,|") {
		if score := delimiterScore(head, delimiter); score > bestScore {
			best, bestScore = delimiter, score
		}
	}
	return best
}

// delimiterScore counts the rows, up to 20, that have as many fields as the
// first, and returns 1 if they have one field only.
func delimiterScore(head []byte, delimiter byte) int {
	if bytes.IndexByte(head, delimiter) < 0 {
		return 1
	}
	r := csvRows{delimiter}
	if cut := r.last(head); cut > 0 && len(head) >= file.HeadSize {
		head = head[:cut]
	}
	c := &lines.Chunk{Text: append(slices.Clip(head), '\n')}
	width, score, rows := 0, 1, 0
	for at := 0; at < len(c.Text) && rows < 20; {
		fields, next, err := r.Row(c, at, nil)
		if err != nil {
			break
		}
		at = next
		switch {
		case len(fields) == 0:
			continue
		case width == 0:
			width = len(fields)
		}
		if rows++; len(fields) == width {
			score++
		}
	}
	if width < 2 {
		return 1
	}
	return score
}

func (f CSV) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	t, err := f.open(in, opt)
	if err != nil {
		return nil, err
	}
	return t.read(ctx, opt)
}
