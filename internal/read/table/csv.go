package table

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

func init() {
	set.Register("csv", "table: comma, semicolon, tab, bar or blanks between fields, found by content", CSV{})
	set.Register("tsv", "table: tab between fields", CSV{delimiter: '\t'})
}

// CSV reads tables of text. A field may stand in double quotes, doubled inside
// ("") when they are meant; delimiters and line breaks in quotes belong to the
// field. Blanks around a field do not count. Lines above
// the table that begin with #, or have too few fields, are skipped. Missing values are empty, ?, NA,
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
	return []string{"header", "target", "weights", "ignore", "categorical", "numeric", "text", "id", "missing", "dates", "skip-unlabelled"}
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
// semicolon wins over the comma, which some countries write in numbers. A space is any
// number of blanks.
func findDelimiter(head []byte) byte {
	if below := head[comments(head):]; len(bytes.TrimSpace(below)) > 0 {
		head = below
	}
	best, bestScore := byte(0), 1
	for _, delimiter := range []byte("\t;,|") {
		if score := delimiterScore(head, delimiter); score > bestScore {
			best, bestScore = delimiter, score
		}
	}
	const alone = 2 // the first row is like no other
	for _, delimiter := range []byte("\t;,|") {
		if rows := (csvRows{separator: delimiter}).sample(head); bestScore <= alone && titles(rows) > 0 {
			best, bestScore = delimiter, len(rows)
		}
	}
	if areAligned(head, csvRows{separator: best}) {
		return ' '
	}
	return best
}

// sampleRows is how many rows show the delimiter.
const sampleRows = 20

// sample returns the first rows of the head, up to one that is cut off or wrong.
func (r csvRows) sample(head []byte) (rows [][]field) {
	if bytes.IndexByte(head, r.separator) < 0 {
		return nil
	}
	if cut := r.last(head); cut > 0 && len(head) >= file.HeadSize {
		head = head[:cut]
	}
	c := &lines.Chunk{Text: append(slices.Clip(head), '\n')}
	for at := 0; at < len(c.Text) && len(rows) < sampleRows; {
		fields, next, err := r.row(c, at, nil)
		if err != nil {
			break
		}
		if at = next; len(fields) > 0 {
			rows = append(rows, fields)
		}
	}
	return rows
}

// delimiterScore counts the first rows that have as many fields as the
// first, and returns 1 if they have one field only.
func delimiterScore(head []byte, delimiter byte) int {
	score := 1
	rows := csvRows{separator: delimiter}.sample(head)
	for _, row := range rows {
		if len(row) == len(rows[0]) {
			score++
		}
	}
	if score > 1 && len(rows[0]) < 2 {
		return 1
	}
	return score
}

// areAligned reports whether blanks cut the first rows into the same number of fields, where
// no other delimiter does; or where one does, but leaves several numbers in a field of each.
// Some column below the first row has numbers alone: else it may be any text.
func areAligned(head []byte, other csvRows) bool {
	cut := other.sample(head)
	ragged := slices.ContainsFunc(cut, func(row []field) bool { return len(row) != len(cut[0]) })
	if other.separator != 0 && !ragged && slices.ContainsFunc(cut, func(row []field) bool { return !slices.ContainsFunc(row, holdsNumbers) }) {
		return false
	}
	text, _ := io.ReadAll(file.Separate(bufio.NewReader(bytes.NewReader(head)), '\t', `"`))
	rows := csvRows{separator: '\t'}.sample(text)
	rows = rows[titles(rows):]
	if len(rows) < 2 || len(rows[1]) < 2 {
		return false
	}
	if d := len(rows[1]) - len(rows[0]); d != 0 && d != 1 { // of R, with no name of the first
		return false
	}
	numbers := len(rows[1])
	for i := range rows[1] {
		for _, row := range rows[1:] {
			if len(row) != len(rows[1]) {
				return false
			}
			if _, ok := set.ParsePlain(row[i].text); !ok && !row[i].missing {
				numbers--
				break
			}
		}
	}
	return numbers > 0
}

// holdsNumbers reports whether a field has several numbers, with more than one blank
// between two.
func holdsNumbers(f field) bool {
	words := bytes.Fields(f.text)
	return len(words) > 1 && (bytes.Contains(f.text, []byte("  ")) || bytes.IndexByte(f.text, '\t') >= 0) &&
		!slices.ContainsFunc(words, func(w []byte) bool { _, ok := set.ParsePlain(w); return !ok && !set.IsMissing(w) })
}

// comments returns how long the lines are, at the beginning, that a # begins.
func comments(head []byte) (length int) {
	for line := range bytes.Lines(head) {
		if line[0] != '#' {
			break
		}
		length += len(line)
	}
	return length
}

// titles returns how many of the first rows are none, but words above the table: rows of at
// most half as many fields as all below have.
func titles(rows [][]field) int {
	n := len(rows)
	if n < 3 || len(rows[n-1]) < 2 {
		return 0
	}
	k := n
	for ; k > 0 && len(rows[k-1]) == len(rows[n-1]); k-- {
	}
	long := func(row []field) bool { return 2*len(row) > len(rows[n-1]) }
	if n-k < 2 || n-k < k || slices.ContainsFunc(rows[:k], long) {
		return 0
	}
	if k == 1 && len(rows[0]) == len(rows[n-1])-1 && !guessHeader(rows[1], rows[2:], nil).header { // R names no column of names
		return 0
	}
	return k
}

// Begin decides on the delimiter and the header, for all rows.
func (f CSV) Begin(pending []byte, opt *set.Options) (header int, last func([]byte) int, ok bool) {
	text := bytes.TrimPrefix(pending, []byte("\ufeff"))
	r := csvRows{separator: f.delimiter}
	if namedDelimiter(text) != 0 || opt.Schema == nil { // later rows tell what the first is
		return 0, nil, false
	}
	if r.separator == 0 {
		if r.separator = findDelimiter(text); r.separator == 0 {
			r.separator = ','
		}
	}
	if r.separator == ' ' || comments(text) > 0 {
		return 0, nil, false
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
		if i < len(s.Columns) && !s.Answers(i) && s.Columns[i].Kind == set.KindPlain && s.Columns[i].Category == nil &&
			!f.missing && !set.IsDash(f.text) && !isNumeric(f.text) {
			return true
		}
	}
	return s.Header && allWords(first) && slices.ContainsFunc(s.Columns, func(c set.Column) bool {
		return slices.ContainsFunc(first, func(f field) bool { return isNamed(f, c.Name) })
	})
}

// namedDelimiter returns the delimiter that a first line as "sep=;" names, as Excel
// understands it; 0 for none.
func namedDelimiter(head []byte) byte {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	if line = bytes.TrimSuffix(line, []byte{'\r'}); len(line) == 5 && string(line[:4]) == "sep=" {
		return line[4]
	}
	return 0
}
