package table

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// How a CSV begins: its delimiter, the names of its columns, and what the first rows tell
// of these.

// open reads the headers.
func (f CSV) open(in []*file.Input, opt *set.Options) (*table, error) {
	head, err := in[0].Head()
	if err != nil {
		return nil, err
	}
	r := csvRows{separator: cmp.Or(f.delimiter, opt.Separator)}
	if r.separator == 0 {
		r.separator = namedDelimiter(head)
	}
	if r.separator == 0 {
		if r.separator = findDelimiter(head); r.separator == 0 {
			r.separator = ','
		}
	}
	r.lines = r.separator == '\t' && sameTabs(head)
	if r.separator == ' ' {
		r.separator = '\t'
		for _, i := range in {
			i.SeparateBlanks('\t', `"`)
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

// sameTabs reports whether all lines of a head have the same number of tabs: no field has a line break or a tab in quotes.
func sameTabs(head []byte) bool {
	tabs := -1
	for line := range bytes.Lines(head) {
		n := bytes.Count(line, []byte{'\t'})
		if whole := line[len(line)-1] == '\n'; len(bytes.TrimSpace(line)) > 0 && whole {
			if tabs >= 0 && n != tabs {
				return false
			}
			tabs = n
		}
	}
	return tabs > 0
}

// columns reads the header of input i, if it has one, and sets the columns of
// the table from the first input.
func (r csvRows) columns(t *table, i int, opt *set.Options) error {
	in := t.in[i]
	if head, err := in.Head(); err == nil && namedDelimiter(head) == r.separator {
		in.Line++
		in.Discard(bytes.IndexByte(head, '\n') + 1)
	}
	if err := r.skipTitles(t, in, opt); err != nil {
		return err
	}
	c, first, later, err := r.firstRows(in)
	if err != nil {
		return err
	}
	first = unshifted(first, later, opt)
	guess := headerGuess{header: opt.Header == "yes"}
	if opt.Header == "" {
		guess = guessHeader(first, others(first, later), opt.Schema)
	}
	if opt.Header == "" && opt.Schema == nil && len(t.in) == 1 && len(first) > 1 && !guess.header && len(later) == 0 && len(c.Text) < file.HeadSize/2 && allWords(first) {
		return fault.At(in.Name, c.Line, 0, "found one line, which seems to name the columns, expected rows below it (if it is a row: 'header=no')")
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
		return fault.At(in.Name, in.Line+1, 0, "found other column names, expected those of %s", t.in[0].Name)
	case header:
		return r.skip(in)
	}
	return nil
}

// skipTitles takes the lines above the table from an input: those that begin with #, and
// titles. The last # may begin the names of the columns.
func (r csvRows) skipTitles(t *table, in *file.Input, opt *set.Options) error {
	head, err := in.Head()
	if err != nil {
		return err
	}
	skip := comments(head)
	rows := r.sample(head[skip:])
	last := lines.LastLine(head[:max(0, skip-1)])
	named := opt.Header == "yes" && skip > last+1 && !r.blank(head[last+1]) // as a column #NAME
	if skip > 0 && len(rows) > 0 && (named || !guessHeader(rows[0], rows[1:], opt.Schema).header) {
		for _, from := range []int{last, last + 2} { // without the # if that is a field
			if names := r.sample(head[from:skip]); len(names) > 0 && len(names[0]) == len(rows[0]) {
				skip, rows = from, nil
				break
			}
		}
	}
	if above := titles(rows); above > 0 {
		skip += lines.LastLine(head[skip:][:rows[above][0].at])
	}
	if skip == 0 || skip == len(head) {
		return nil
	}
	if count := bytes.Count(head[:skip], []byte{'\n'}); count > 0 {
		first, _, _ := bytes.Cut(head, []byte{'\n'})
		t.warnings = append(t.warnings, fmt.Errorf("%s:%d: %s above the table skipped (first: %s)", in.Name, in.Line+1, fault.Plural(count, "line", "lines"), fault.Quote(bytes.Join(bytes.Fields(first), []byte{' '}))))
		in.Line += count
	}
	in.Discard(skip)
	return nil
}

// unshifted puts an empty field before the first row where that names all columns but
// the first, the names of rows, as R writes tables.
func unshifted(first []field, later [][]field, opt *set.Options) []field {
	if len(later) == 0 || slices.ContainsFunc(later, func(row []field) bool { return len(row) != len(first)+1 }) {
		return first
	}
	all := append([]field{{missing: true}}, first...)
	if opt.Header == "yes" || opt.Header == "" && guessHeader(all, later, opt.Schema).header {
		return all
	}
	return first
}

// others leaves out rows that repeat the first if that has words above numbers: they are no
// rows, which is said when they are read.
func others(first []field, later [][]field) [][]field {
	same := func(row []field) bool {
		return slices.EqualFunc(row, first, func(a, b field) bool { return bytes.Equal(a.text, b.text) })
	}
	other := slices.DeleteFunc(slices.Clone(later), same)
	if len(other) < len(later) && allWords(first) && compareHeader(first, other).above > 0 {
		return other
	}
	return later
}

// columnNames returns the names in a header, or else, and where it has none, positions.
func columnNames(c *lines.Chunk, first []field, header bool) ([]string, error) {
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
		if err := c.CheckText(f.at, f.text); err != nil {
			return nil, err
		}
		names[k] = string(f.text)
	}
	if twice := repeated(first); header && twice != "" {
		return nil, fault.At(c.Name, c.Line, 0, "found two columns named %q, expected different names", twice)
	}
	return names, nil
}

// firstKinds notes what the first rows tell of the columns.
func firstKinds(first []field, later [][]field, header bool) []columnKind {
	kinds := make([]columnKind, len(first))
	for i := range kinds {
		kinds[i].unnamed = header && len(first[i].text) == 0
		kinds[i].digits = header || first[i].missing || set.IsDash(first[i].text) || set.AreDigits(first[i].text)
		kinds[i].blank = len(first[i].text) == 0
		kinds[i].sentences = !header && areLong(i, first, later)
		kinds[i].pointed = !header && bytes.IndexByte(first[i].text, '.') >= 0
		for _, row := range later {
			kinds[i].blank = kinds[i].blank && (i >= len(row) || row[i].missing)
			kinds[i].pointed = kinds[i].pointed || i < len(row) && bytes.IndexByte(row[i].text, '.') >= 0
			kinds[i].digits = kinds[i].digits && (i >= len(row) || row[i].missing || set.IsDash(row[i].text) || set.AreDigits(row[i].text))
		}
	}
	return kinds
}

// areLong reports whether the fields of a column in the first rows are sentences: four words and more in the mean.
func areLong(column int, first []field, later [][]field) bool {
	rows, blanks := 0, 0
	for _, row := range append([][]field{first}, later...) {
		if column < len(row) {
			rows++
			blanks += bytes.Count(row[column].text, []byte{' '})
		}
	}
	return rows >= 3 && blanks >= 3*rows
}

// firstRows returns the first row that is not blank, in a chunk of its own,
// and up to headerRows later ones, without reading on. A first row longer than the
// head is no matter; later ones then count as absent.
func (r csvRows) firstRows(in *file.Input) (c *lines.Chunk, first []field, later [][]field, err error) {
	text, err := r.first(in)
	if err != nil {
		return nil, nil, nil, err
	}
	c = &lines.Chunk{Name: in.Name, Line: in.Line + 1, Text: text}
	first, _, err = r.row(c, 0, nil)
	if err != nil || len(first) == 0 {
		return c, first, nil, err
	}
	rest, _ := in.Reader().Peek(min(in.Reader().Buffered(), file.HeadSize))
	if len(rest) <= len(text) {
		return c, first, nil, nil
	}
	below := &lines.Chunk{Text: append(slices.Clip(rest[len(text):]), '\n')}
	for at := 0; at < len(below.Text) && len(later) < headerRows; {
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

// first returns the first record that is not blank, and leaves it unread.
// Blank lines before it are taken from the input.
func (r csvRows) first(in *file.Input) ([]byte, error) {
	for {
		head, err := in.Reader().Peek(file.HeadSize)
		blank := 0
		for blank < len(head) && (head[blank] == '\n' || r.blank(head[blank])) {
			blank++
		}
		lines := head[:lines.LastLine(head[:blank])]
		if len(lines) == 0 && blank < len(head) {
			return r.peek(in)
		}
		if len(lines) == 0 {
			if lines = head; err == io.EOF || len(head) == 0 {
				return nil, noRows(in, err)
			}
		}
		in.Line += bytes.Count(lines, []byte{'\n'})
		in.Discard(len(lines))
	}
}

// noRows explains why there is no first row.
func noRows(in *file.Input, err error) error {
	if err == nil || err == io.EOF {
		return fault.In(in.Name, "found no rows, expected at least one")
	}
	return err
}

// peek looks at the first record, through ever wider windows.
func (r csvRows) peek(in *file.Input) ([]byte, error) {
	for size := file.HeadSize; ; size *= 2 {
		in.R = bufio.NewReaderSize(in.Reader(), size) // the same one if it is wide enough
		head, err := in.Reader().Peek(size)
		if end, _ := r.ends(head); end > 0 {
			return slices.Clone(head[:end]), nil
		}
		switch {
		case err == io.EOF && len(head) > 0:
			return append(slices.Clone(head), '\n'), nil
		case err != nil:
			return nil, noRows(in, err)
		case size > lines.MaxRecord:
			return nil, fault.At(in.Name, in.Line+1, 0, "found a line longer than %d bytes, expected a line break", lines.MaxRecord)
		}
	}
}

// skip takes the first record from the input.
func (r csvRows) skip(in *file.Input) error {
	text, err := r.peek(in)
	if err != nil {
		return err
	}
	in.Line += bytes.Count(text, []byte{'\n'})
	in.Discard(min(len(text), in.Reader().Buffered()))
	return nil
}

func (f CSV) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	t, err := f.open(in, opt)
	if err != nil {
		return nil, err
	}
	return t.read(ctx, opt)
}
