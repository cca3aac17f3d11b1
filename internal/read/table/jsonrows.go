package table

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/jsontext"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// jsonBlanks are what may stand between values.
const jsonBlanks = " \t\r\n"

// objectRows is the syntax of rows that are objects of JSON.
type objectRows struct {
	alone bool // each row is a line
	array bool // the rows are in one array, of which [ was read
	keys  keySet

	known   []bool         // of each column whether it is a feature of a model; nil: there is none
	sampled [][]namedField // of the first rows
	first   [][]field      // the same, a field for each column
}

// A namedField is a value and its key.
type namedField struct {
	key string
	field
}

// A keySet numbers keys by first appearance.
type keySet struct {
	names  []string
	column map[string]int
}

func (k *keySet) add(key []byte) {
	if _, ok := k.column[string(key)]; ok {
		return
	}
	if k.column == nil {
		k.column = map[string]int{}
	}
	k.column[string(key)] = len(k.names)
	k.names = append(k.names, string(key))
}

func (k *keySet) has(name string) bool {
	_, ok := k.column[name]
	return ok
}

func (objectRows) delimiter() byte { return ',' }

func (objectRows) weight([]byte) (from, to int) { return 0, 0 }

// field is for rows of which all fields are known by their place.
func (objectRows) field(c *lines.Chunk, at int) (field, int, error) {
	return field{}, 0, c.Errorf(at, "a field", "an object")
}

func (r objectRows) last(text []byte) int {
	if r.alone {
		return lines.LastLine(text)
	}
	return objectEnds(text, r.array)
}

// objectEnds returns where the last whole object ends, 0 if there is none: in an array behind its comma, and before the end of the
// text, so that nothing behind a comma shows as what it is.
func objectEnds(text []byte, array bool) (end int) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth = max(0, depth-1); depth == 0 && !array {
				end = i + 1
			}
		case ',':
			if depth == 0 && array && i+1 < len(text) {
				end = i + 1
			}
		}
	}
	return end
}

// rowsAreLines reports whether the first line that is not blank is an object.
func (objectRows) rowsAreLines(text []byte) bool {
	text = bytes.TrimLeft(text, jsonBlanks)
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	s := jsontext.New(text)
	return s.Skip() == nil && s.End() == nil
}

func (r objectRows) begin(c *lines.Chunk, at int) (int, rowKind) {
	t := c.Text
	for at < len(t) && bytes.IndexByte([]byte(jsonBlanks), t[at]) >= 0 {
		at++
	}
	switch {
	case at == len(t) && !r.array:
		return at, noRow
	case r.array && at < len(t) && t[at] == ']' && len(bytes.TrimLeft(t[at+1:], jsonBlanks)) == 0:
		return len(t), noRow
	}
	return at, recordRow
}

// most bounds the rows of a chunk.
func (r objectRows) most(c *lines.Chunk) int {
	if r.alone {
		return c.Lines
	}
	return bytes.Count(c.Text, []byte{'{'})
}

// absent is a row without any value.
func (r objectRows) absent(dst []field, at int) []field {
	for column := range r.keys.names {
		dst = append(dst, field{column: column, at: at, missing: true})
	}
	return dst
}

// noField is the place of a field that was not found yet.
const noField = -1

// row returns a field for each column, and one behind them for each other key.
func (r objectRows) row(c *lines.Chunk, at int, dst []field) ([]field, int, error) {
	if at, kind := r.begin(c, at); kind == noRow {
		return dst, at, nil
	}
	start, known, next := at, len(dst)+len(r.keys.names), 0
	dst = r.absent(dst, noField)
	row := dst[known-len(r.keys.names):]
	end, err := r.object(c, at, func(key []byte, f field) error {
		if next == len(row) || r.keys.names[next] != string(key) {
			var ok bool
			if next, ok = r.keys.column[string(key)]; !ok {
				dst = append(dst, field{column: len(row), at: f.at, text: bytes.Clone(key)})
				next = 0
				return nil
			}
		}
		if row[next].at != noField {
			return c.Errorf(f.at, fmt.Sprintf("the key %q twice", key), "different keys")
		}
		f.column = next
		row[next] = f
		next++
		return nil
	})
	none := r.known != nil
	for i := range row {
		if row[i].at == noField {
			row[i].at = start
		} else if r.known != nil && r.known[i] {
			none = false
		}
	}
	if err == nil && none {
		err = c.Errorf(start, "none of the columns of the model", "some: "+fault.Few(r.features()))
	}
	return dst, end, err
}

// features are the columns that a model knows.
func (r objectRows) features() (names []string) {
	for i, known := range r.known {
		if known {
			names = append(names, r.keys.names[i])
		}
	}
	return names
}

// object reads the object at at, and returns where the next may begin.
func (r objectRows) object(c *lines.Chunk, at int, do func(key []byte, f field) error) (next int, err error) {
	text := c.Text[at:]
	if r.alone {
		text = text[:bytes.IndexByte(text, '\n')]
	}
	s := jsontext.New(text)
	if s.Kind() != jsontext.Object {
		return 0, r.located(c, at, s.Errorf("found %s, expected an object for each row", fault.Quote(firstByte(text))))
	}
	err = s.Fields(func(key []byte) error {
		f, err := objectField(s, key, at)
		if err != nil {
			return err
		}
		return do(key, f)
	})
	if next = at + s.At(); err == nil && r.alone {
		err, next = s.End(), next+1+len(text)-s.At()
	}
	if err == nil && r.array {
		next, err = r.separator(c, s, at)
	}
	return next, r.located(c, at, err)
}

// separator goes to the object behind that which was read, or the end of the array.
func (objectRows) separator(c *lines.Chunk, s *jsontext.Scanner, at int) (next int, err error) {
	rest := c.Text[at+s.At():]
	text := bytes.TrimLeft(rest, jsonBlanks)
	next = at + s.At() + len(rest) - len(text)
	switch {
	case len(text) > 0 && text[0] == ',':
		return next + 1, nil
	case len(text) > 0 && text[0] == ']':
		return next, nil
	case len(text) == 0:
		return 0, s.Errorf("found the end of the file, expected a comma or ] behind an object of the array")
	}
	return 0, c.Errorf(next, fault.Quote(firstByte(text)), "a comma or ] behind an object of the array")
}

// firstByte is what a message quotes of a text: what is behind it may be in another chunk.
func firstByte(text []byte) []byte { return text[:min(len(text), 1)] }

// located says where in the file the scanner of the text at at found something.
func (objectRows) located(c *lines.Chunk, at int, err error) error {
	var e *jsontext.Error
	if errors.As(err, &e) {
		return c.Locate(min(at+e.At, len(c.Text)-1)).Fault("%w", e.Err)
	}
	return err
}

// objectField reads the value of a key; at is where the text of the scanner is in the chunk.
func objectField(s *jsontext.Scanner, key []byte, at int) (f field, err error) {
	kind := s.Kind()
	f.at = at + s.At()
	switch kind {
	case jsontext.Null:
		f.missing, err = true, s.Null()
	case jsontext.Number:
		f.text, err = s.Digits()
	case jsontext.String:
		f.text, err = s.Text()
		f.missing = set.IsMissing(f.text)
	case jsontext.Array, jsontext.Object:
		err = s.Errorf("found %v at %q, expected a number, a text, true, false or null: a table has one value for a column and row", kind, key)
	case jsontext.Bool:
		f.text, err = s.Raw()
	default:
		var e *jsontext.Error
		if err = s.Skip(); errors.As(err, &e) {
			e.Err = fmt.Errorf("%w of %q (null is a missing one)", e.Err, key)
		}
	}
	return f, err
}

// sample reads the first rows, up to one that is cut off or wrong; the first has to be whole.
func (r objectRows) sample(c *lines.Chunk, keys *keySet) (rows [][]namedField, err error) {
	for at := 0; at < len(c.Text) && len(rows) < headerRows; {
		next, kind := r.begin(c, at)
		if kind == noRow {
			break
		}
		if r.alone && bytes.IndexByte(c.Text[next:], '\n') < 0 {
			break
		}
		var row []namedField
		if at, err = r.object(c, next, func(key []byte, f field) error {
			row = append(row, namedField{string(key), f})
			return nil
		}); err != nil {
			if len(rows) > 0 {
				err = nil // found again when the rows are read
			}
			break
		}
		for _, f := range row {
			keys.add([]byte(f.key))
		}
		rows = append(rows, row)
	}
	return rows, err
}

// tooFew reports whether rows lack so many of the columns that a small file would take any amount of memory.
func tooFew(rows, columns, fields int) bool { return rows*columns > maxOmitted+32*fields }

var errTooFew = errors.New("found objects that have few of all keys, expected a table: rows with a value, or null, for most columns (features of which most are zero: LIBSVM text, NPZ)")

// record reads the row that begins at start, of which each field has its name.
func (p *rowParser) record(start int) (next int, err error) {
	fields, next, err := p.rows.row(p.c, start, p.fields[:0])
	p.fields = fields
	if err != nil {
		return 0, err
	}
	if others := fields[len(p.names):]; len(others) > 0 {
		if err := p.unseen(others[0]); err != nil {
			return 0, err
		}
	}
	o, row, filled := p.out, p.out.next(), 0
	for column, role := range p.paths {
		if fields[column].at != start {
			o.present++
		}
		cell, err := p.cell(fields[column])
		if err != nil {
			return 0, err
		}
		if role <= roleSpelled {
			if row[p.slot[column]] = cell; cell != 0 {
				filled++
			}
		}
	}
	o.close(filled)
	return next, nil
}

var errUnseen = errors.New("those of the first rows, as of rows that are read once")

// unseen is for a key that is no column: where a model does not know it, it is left out.
func (p *rowParser) unseen(f field) error {
	if !p.fixed || p.strict || p.weight < 0 && p.schema.Weight >= 0 && p.schema.Columns[p.schema.Weight].Name == string(f.text) {
		return p.c.Locate(f.at).Fault("found the key %q, expected one of %w", f.text, errUnseen)
	}
	if p.out.other == "" {
		p.out.other = string(f.text)
	}
	return nil
}
