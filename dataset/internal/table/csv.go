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

// CSV reads tables of text. A field may stand in double quotes, doubled inside
// ("") when they are meant; delimiters and line breaks in quotes belong to the
// field. Blanks around a field do not count. Missing values are empty, ?, NA,
// <NA>, N/A, #N/A, NaN, NaT, None or null, in any letter case, or \N; among numbers and dates
// also a single -, . or *. What columns become is told at Schema.
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
	return []string{"header", "target", "weights", "ignore", "categorical", "numeric", "id", "missing", "dates", "skip-unlabelled"}
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

// isVW reports whether a text begins like input for Vowpal Wabbit, with features and their
// values after a bar, as in "1 |house price:0.23 sqft:0.25". Read as a table, the bar would
// count as a delimiter and make two columns.
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
		fields, next, err := r.row(c, at, nil)
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

// Begin decides on the delimiter and the header, for all rows.
func (f CSV) Begin(pending []byte, opt *set.Options) (header int, last func([]byte) int, ok bool) {
	text := bytes.TrimPrefix(pending, []byte("\ufeff"))
	r := csvRows{f.delimiter}
	if namedDelimiter(text) != 0 || opt.Schema == nil { // later rows tell what the first is
		return 0, nil, false
	}
	if r.separator == 0 {
		if r.separator = findDelimiter(text); r.separator == 0 {
			r.separator = ','
		}
	}
	end, _ := r.ends(text)
	if end == 0 {
		return 0, nil, len(text) < file.HeadSize
	}
	opt.Separator = r.separator
	c := &lines.Chunk{Text: text[:end]}
	first, _, err := r.row(c, 0, nil)
	if named := err == nil && isHeader(first, opt); !named {
		opt.Header = "no"
		return 0, r.last, err == nil
	}
	opt.Header = "yes"
	return end + len(pending) - len(text), r.last, true
}

// isHeader tells a header from a row without the rows below: by the names that the model
// knows, or a word in the place of one of its numbers.
func isHeader(first []field, opt *set.Options) bool {
	if opt.Header != "" {
		return opt.Header == "yes"
	}
	s := opt.Schema
	if s.Header && namesAll(first, s) {
		return true
	}
	for i, f := range first {
		if i < len(s.Columns) && i != s.Target && i != s.Weight && s.Columns[i].Kind == set.KindPlain && s.Columns[i].Category == nil &&
			!f.missing && !set.IsDash(f.text) && !isNumeric(f.text) {
			return true
		}
	}
	return s.Header && allWords(first) && slices.ContainsFunc(s.Columns, func(c set.Column) bool {
		return slices.ContainsFunc(first, func(f field) bool { return isNamed(f, c.Name) })
	})
}
