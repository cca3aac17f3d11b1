package table

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

func init() {
	set.Register("arff", "table of Weka: @attribute lines, then dense or sparse rows", arff{})
}

// arff reads the tables of Weka: "@attribute NAME TYPE" lines with the types
// numeric, real, integer, {nominal, values} and string, then "@data" and rows,
// dense "1.5, x, ?" or sparse "{0 1.5, 3 x}". Names and values may stand in
// single or double quotes, with \ before a quote; % begins a comment line. A
// sparse row leaves out zeros and, by the rules of Weka, the first declared
// value of a nominal attribute. Relations are not supported. Both
// nominal and string attributes are categories; a date is found by what is in it, as in CSV.
// A number in braces behind a row, as in "1.5, x, {2}", is its weight. Rows without a comma
// have blanks between values.
type arff struct{}

var (
	_ set.Format = arff{}
	_ rowReader  = arffRows{}
)

func (arff) Takes() []string {
	return []string{"target", "weights", "ignore", "categorical", "numeric", "text", "id", "missing", "skip-unlabelled"}
}

func (arff) Detect(name string, head []byte) set.Match {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '%' {
			continue
		}
		word := bytes.Fields(line)[0]
		if decimal.EqualFold(word, "@relation") || decimal.EqualFold(word, "@attribute") {
			return set.MatchMagic
		}
		break
	}
	if set.HasExtension(name, ".arff") && bytes.IndexByte(head, 0) < 0 {
		return set.MatchExtension
	}
	return set.NoMatch
}

func (f arff) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	t, err := f.open(in)
	if err != nil {
		return nil, err
	}
	return t.read(ctx, opt)
}

// open reads the headers.
func (arff) open(in []*file.Input) (*table, error) {
	t := &table{in: in, header: true}
	for i, input := range in {
		names, kinds, err := readARFFHeader(input)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			t.names, t.kinds = names, kinds
		}
		same := func(a, b columnKind) bool { return a.kind == b.kind && bytes.Equal(a.omitted, b.omitted) }
		if !slices.Equal(names, t.names) || !slices.EqualFunc(kinds, t.kinds, same) {
			return nil, fault.In(input.Name, "found other attributes, expected those of %s", in[0].Name)
		}
		for k := range kinds { // a value may be declared by either file
			for word := range kinds[k].allowed {
				t.kinds[k].allowed[word] = struct{}{}
			}
		}
	}
	t.rows = arffRows{len(t.names)}
	for _, input := range in {
		if head, err := input.Head(); err == nil && len(t.names) > 1 && withoutCommas(head) {
			input.SeparateBlanks(',', `'"`)
		}
	}
	return t, nil
}

// withoutCommas reports whether the first row has blanks between its values.
func withoutCommas(rows []byte) bool {
	for line := range bytes.Lines(rows) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '%' {
			return bytes.IndexByte(line, ',') < 0 && line[0] != '{'
		}
	}
	return false
}

// maxHeaderLine bounds a line of the header: a nominal attribute may list many
// values, but a line without end must not fill the memory.
const maxHeaderLine = 1 << 24

// readHeaderLine reads one line, with its line break unless it is the last.
func readHeaderLine(in *file.Input) (text []byte, err error) {
	for {
		part, err := in.Reader().ReadSlice('\n')
		in.Taken += len(part)
		text = append(text, part...)
		if err != bufio.ErrBufferFull {
			return text, err
		}
		if len(text) > maxHeaderLine {
			return nil, fault.At(in.Name, in.Line+1, 1, "found a line longer than %d bytes, expected the header", maxHeaderLine)
		}
	}
}

// readARFFHeader reads up to the line @data.
func readARFFHeader(in *file.Input) (names []string, kinds []columnKind, err error) {
	seen := map[string]bool{}
	for {
		text, err := readHeaderLine(in)
		if err == io.EOF && len(text) > 0 {
			text, err = append(text, '\n'), nil
		}
		if err == io.EOF {
			return nil, nil, fault.At(in.Name, in.Line+1, 1, "found the end of the file, expected @data")
		}
		if err != nil {
			return nil, nil, err
		}
		c := &lines.Chunk{Name: in.Name, Line: in.Line + 1, Text: text}
		in.Line++
		at := skipBlanks(text, 0)
		end := at
		for text[end] > ' ' {
			end++
		}
		word := text[at:end]
		switch {
		case len(word) == 0 && text[end] == '\n', len(word) > 0 && word[0] == '%', decimal.EqualFold(word, "@relation"):
		case decimal.EqualFold(word, "@attribute"):
			name, kind, err := parseAttribute(c, end)
			if err != nil {
				return nil, nil, err
			}
			if seen[name] {
				return nil, nil, c.Errorf(at, fmt.Sprintf("a second attribute %q", name), "different names")
			}
			seen[name] = true
			names, kinds = append(names, name), append(kinds, kind)
		case decimal.EqualFold(word, "@data"):
			if len(names) == 0 {
				return nil, nil, c.Errorf(at, "@data", "an @attribute before it")
			}
			return names, kinds, nil
		default:
			return nil, nil, c.Errorf(at, fault.Quote(bytes.TrimSpace(text[at:])), "@relation, @attribute or @data")
		}
	}
}

// parseAttribute reads the name and the type behind "@attribute".
func parseAttribute(c *lines.Chunk, at int) (name string, k columnKind, err error) {
	t := c.Text
	at = skipBlanks(t, at)
	word, end, err := arffWord(c, at, " \t{")
	if err != nil {
		return "", k, err
	}
	if len(word) == 0 {
		return "", k, c.Errorf(at, "nothing", "the name of an attribute")
	}
	if err := c.CheckText(at, word); err != nil {
		return "", k, err
	}
	name = string(word)
	at = skipBlanks(t, end)
	if t[at] == '{' {
		k, err = parseNominal(c, at)
		return name, k, err
	}
	kind := bytes.TrimSpace(t[at:])
	switch first, _, _ := strings.Cut(strings.ToLower(string(kind)), " "); first {
	case "numeric", "real", "integer":
		k = columnKind{kind: kindNumber, omitted: []byte("0")}
	case "string":
		k = columnKind{kind: kindCategory, omitted: []byte("0")}
	case "date": // found by what is in it, as in CSV; sparse rows leave out the number 0
		k = columnKind{omitted: []byte("1970-01-01")}
	case "relational":
		err = c.Errorf(at, first, "numeric, date, string or {values} (this type is not supported)")
	default:
		err = c.Errorf(at, fault.Quote(kind), "numeric, real, integer, date, string or {values}")
	}
	return name, k, err
}

// parseNominal reads "{a, 'b c', d}".
func parseNominal(c *lines.Chunk, at int) (k columnKind, err error) {
	k = columnKind{kind: kindCategory, allowed: map[string]struct{}{}}
	for c.Text[at] != '}' {
		at = skipBlanks(c.Text, at+1)
		if c.Text[at] == '}' && len(k.allowed) == 0 {
			break
		}
		word, end, err := arffWord(c, at, ",}")
		if err != nil {
			return k, err
		}
		if len(k.allowed) == 0 {
			k.omitted = word
		}
		k.allowed[string(word)] = struct{}{}
		at = skipBlanks(c.Text, end)
		if b := c.Text[at]; b != ',' && b != '}' {
			return k, c.Errorf(at, fault.Quote(c.Text[at:at+1]), "a comma or } in the list of values")
		}
	}
	return k, nil
}

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
