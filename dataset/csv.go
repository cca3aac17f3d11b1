package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
)

func init() {
	register("csv", "table: comma, semicolon, tab or bar between fields, found by content", csv{})
	register("tsv", "table: tab between fields", csv{delimiter: '\t'})
}

// csv reads tables of text. A field may stand in double quotes, doubled inside
// ("") when they are meant; delimiters and line breaks in quotes belong to the
// field. Blanks around a field do not count. Missing values are empty, ?, NA,
// N/A or null. What columns become is told at Schema.
type csv struct{ delimiter byte } // 0: found by content

var (
	_ Format    = csv{}
	_ Writer    = csv{}
	_ rowReader = csvRows{}
)

func (f csv) Extensions() []string {
	if f.delimiter == '\t' {
		return []string{".tsv", ".tab"}
	}
	return []string{".csv"}
}

func (csv) Takes() []string {
	return []string{"header", "target", "weights", "ignore", "categorical", "numeric", "id"}
}

func (f csv) Detect(name string, head []byte) Match {
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return NoMatch
	case hasExtension(name, f.Extensions()...):
		return MatchExtension
	case f.delimiter == 0 && findDelimiter(head) != 0 && !isVW(head):
		return MatchPossible
	}
	return NoMatch
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
	if cut := r.last(head); cut > 0 && len(head) >= headSize {
		head = head[:cut]
	}
	c := &chunk{text: append(slices.Clip(head), '\n')}
	width, score, rows := 0, 1, 0
	for at := 0; at < len(c.text) && rows < 20; {
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

func (f csv) Read(ctx context.Context, in []*Input, opt *Options) (*Set, error) {
	t, err := f.open(in, opt)
	if err != nil {
		return nil, err
	}
	return t.read(ctx, opt)
}

// open reads the headers.
func (f csv) open(in []*Input, opt *Options) (*table, error) {
	head, err := in[0].head()
	if err != nil {
		return nil, err
	}
	r := csvRows{cmp.Or(f.delimiter, opt.separator)}
	if r.separator == 0 {
		r.separator = namedDelimiter(head)
	}
	if r.separator == 0 {
		if r.separator = findDelimiter(head); r.separator == 0 {
			r.separator = ','
		}
	}
	t := &table{rows: r, in: in}
	for i := range in {
		if err := r.columns(t, i, opt); err != nil {
			return nil, err
		}
	}
	return t, nil
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

// columns reads the header of input i, if it has one, and sets the columns of
// the table from the first input.
func (r csvRows) columns(t *table, i int, opt *Options) error {
	in := t.in[i]
	if head, err := in.head(); err == nil && namedDelimiter(head) == r.separator {
		in.line++
		in.discard(bytes.IndexByte(head, '\n') + 1)
	}
	c, first, later, err := r.firstRows(in)
	if err != nil {
		return err
	}
	first = unshifted(first, later, opt)
	guess := headerGuess{header: opt.Header == "yes"}
	if opt.Header == "" {
		guess = guessHeader(first, later, opt.Schema)
	}
	header := guess.header || i > 0 && t.header && opt.Header == "" && slices.EqualFunc(first, t.names, isNamed)
	names, err := columnNames(c, first, header)
	if err != nil {
		return err
	}
	if i == 0 {
		t.names, t.header = names, header
		t.kinds = firstKinds(first, later, header)
	}
	if i == 0 && guess.open {
		t.warnings = append(t.warnings, guess.doubt(c))
	}
	switch {
	case header && t.header && !slices.Equal(names, t.names):
		return fmt.Errorf("%s:%d: found other column names, expected those of %s", in.Name, in.line+1, t.in[0].Name)
	case header:
		return r.skip(in)
	}
	return nil
}

// unshifted puts an empty field before the first row where that names all columns but
// the first, the names of rows, as R writes tables.
func unshifted(first []field, later [][]field, opt *Options) []field {
	if len(later) == 0 || slices.ContainsFunc(later, func(row []field) bool { return len(row) != len(first)+1 }) {
		return first
	}
	all := append([]field{{missing: true}}, first...)
	if opt.Header == "yes" || opt.Header == "" && guessHeader(all, later, opt.Schema).header {
		return all
	}
	return first
}

func isNamed(f field, name string) bool { return string(f.text) == name }

// columnNames returns the names in a header, or else, and where it has none, positions.
func columnNames(c *chunk, first []field, header bool) ([]string, error) {
	names := make([]string, len(first))
	for k, f := range first {
		names[k] = strconv.Itoa(k + 1)
		if !header {
			continue
		}
		if len(f.text) == 0 {
			if slices.ContainsFunc(first, func(f field) bool { return string(f.text) == names[k] }) {
				names[k] = "column " + names[k]
			}
			continue
		}
		if err := c.checkText(f.at, f.text); err != nil {
			return nil, err
		}
		names[k] = string(f.text)
	}
	if twice := repeated(first); header && twice != "" {
		return nil, fmt.Errorf("%s:%d: found two columns named %q, expected different names", c.name, c.line, twice)
	}
	return names, nil
}

// firstKinds notes what the first rows tell of the columns.
func firstKinds(first []field, later [][]field, header bool) []columnKind {
	kinds := make([]columnKind, len(first))
	for i := range kinds {
		kinds[i].unnamed = header && len(first[i].text) == 0
		kinds[i].digits = header || first[i].missing || areDigits(first[i].text)
		kinds[i].blank = len(first[i].text) == 0
		for _, row := range later {
			kinds[i].blank = kinds[i].blank && (i >= len(row) || row[i].missing)
			kinds[i].digits = kinds[i].digits && (i >= len(row) || row[i].missing || areDigits(row[i].text))
		}
	}
	return kinds
}

// firstRows returns the first row that is not blank, in a chunk of its own,
// and up to headerRows later ones, without reading on. A first row longer than the
// head is no matter; later ones then count as absent.
func (r csvRows) firstRows(in *Input) (c *chunk, first []field, later [][]field, err error) {
	text, err := in.record(r)
	if err != nil {
		return nil, nil, nil, err
	}
	c = &chunk{name: in.Name, line: in.line + 1, text: text}
	first, _, err = r.row(c, 0, nil)
	if err != nil || len(first) == 0 {
		return c, first, nil, err
	}
	rest, _ := in.reader().Peek(min(in.reader().Buffered(), headSize))
	if len(rest) <= len(text) {
		return c, first, nil, nil
	}
	below := &chunk{text: append(slices.Clip(rest[len(text):]), '\n')}
	for at := 0; at < len(below.text) && len(later) < headerRows; {
		var row []field
		if row, at, err = r.row(below, at, nil); err != nil {
			break // found again when the rows are read
		}
		if len(row) > 0 {
			later = append(later, row)
		}
	}
	return c, first, later, nil
}

// record returns the first record that is not blank, and leaves it unread.
// Blank lines before it are taken from the input.
func (in *Input) record(r csvRows) ([]byte, error) {
	for {
		head, err := in.reader().Peek(headSize)
		blank := 0
		for blank < len(head) && (head[blank] == '\n' || r.blank(head[blank])) {
			blank++
		}
		lines := head[:lastLine(head[:blank])]
		if len(lines) == 0 && blank < len(head) {
			return in.peekRecord(r)
		}
		if len(lines) == 0 {
			if lines = head; err == io.EOF || len(head) == 0 {
				return nil, in.noRows(err)
			}
		}
		in.line += bytes.Count(lines, []byte{'\n'})
		in.discard(len(lines))
	}
}

// noRows explains why there is no first row.
func (in *Input) noRows(err error) error {
	if err == nil || err == io.EOF {
		return fmt.Errorf("%s: found no rows, expected at least one", in.Name)
	}
	return err
}

// peekRecord looks at the first record, through ever wider windows.
func (in *Input) peekRecord(r csvRows) ([]byte, error) {
	for size := headSize; ; size *= 2 {
		in.R = bufio.NewReaderSize(in.reader(), size) // the same one if it is wide enough
		head, err := in.reader().Peek(size)
		if end, _ := r.ends(head); end > 0 {
			return slices.Clone(head[:end]), nil
		}
		switch {
		case err == io.EOF && len(head) > 0:
			return append(slices.Clone(head), '\n'), nil
		case err != nil:
			return nil, in.noRows(err)
		case size > maxRecord:
			return nil, fmt.Errorf("%s:%d: found a line longer than %d bytes, expected a line break", in.Name, in.line+1, maxRecord)
		}
	}
}

// skip takes the first record from the input.
func (r csvRows) skip(in *Input) error {
	text, err := in.peekRecord(r)
	if err != nil {
		return err
	}
	in.line += bytes.Count(text, []byte{'\n'})
	in.discard(min(len(text), in.reader().Buffered()))
	return nil
}
