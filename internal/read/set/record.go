package set

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/terms"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Row makes the row of one record, a value for each column of features by its name, into
// the memory of dst: dense where no column has categories, else sparse. Once dst is large
// enough it allocates nothing, but for dates with a time zone as text. Any number of
// goroutines may call it; the columns must not change after the first call.
//
// Values are what the reader of tables makes of a field: of a column of numbers any of Go's
// numbers, or text; of dates a time.Time or text; of true and false a bool or text; of
// categories text, or the number or bool that the category spells; of texts text. A category that the
// schema does not have is none. nil, and text that is empty, ?, NA, N/A or null, is a
// missing value; a column that is not in the record is an error, but of features that sparse rows name, and so is a value of
// another type. Target, weights, ignored columns and names that no column has do not count.
func (s *Schema) Row(dst matrix.Vector, record map[string]any) (matrix.Vector, error) {
	m, err := s.recordMaker()
	if err != nil {
		return matrix.Vector{}, err
	}
	out := matrix.Vector{Value: dst.Value[:0]}
	if m.sparse {
		if out.Index = dst.Index[:0]; out.Index == nil {
			out.Index = make([]uint32, 0, len(m.columns))
		}
	}
	for slot := range m.columns {
		c := &m.columns[slot]
		value, ok := record[c.Name]
		if !ok && s.Named() {
			continue
		}
		if !ok {
			return matrix.Vector{}, fmt.Errorf("column %q: found nothing in the record, expected a value, or nil for a missing one", c.Name)
		}
		if c.Text != nil || c.Size > 0 {
			if out, err = m.appendMany(out, slot, value); err != nil {
				return matrix.Vector{}, fmt.Errorf("column %q: %w", c.Name, err)
			}
			continue
		}
		cell, ok := c.cell(value)
		if !ok {
			return matrix.Vector{}, fmt.Errorf("column %q: found %#v, expected %s", c.Name, value, c.expected())
		}
		index, x := m.Feature(c.codes, slot, cell)
		if m.sparse && x != 0 {
			out.Index = append(out.Index, index)
		}
		if !m.sparse || x != 0 {
			out.Value = append(out.Value, x)
		}
	}
	if m.cross != nil {
		var large string
		if out, large = m.cross.Append(out); large != "" {
			return matrix.Vector{}, fmt.Errorf("product %q: found a number too large for single precision, expected at most 3.4e38", large)
		}
	}
	return out, nil
}

// appendMany appends the features of a text, or of a vector: a list of all its numbers.
func (m *recordMaker) appendMany(row matrix.Vector, slot int, value any) (matrix.Vector, error) {
	c := &m.columns[slot]
	if c.Size > 0 {
		return m.appendVector(row, slot, value)
	}
	text, ok := value.(string)
	if !ok && value != nil {
		return row, fmt.Errorf("found %#v, expected a text", value)
	}
	if trimmed := strings.TrimSpace(text); IsMissing([]byte(trimmed)) || slices.Contains(c.also, trimmed) {
		return row, nil
	}
	found := c.index.Count(text)
	return m.appendTerms(row, slot, found, c.Text.Weigh(found)), nil
}

func (m *recordMaker) appendVector(row matrix.Vector, slot int, value any) (matrix.Vector, error) {
	size := m.columns[slot].Size
	list, ok := value.([]float64)
	if !ok || len(list) != size {
		return row, fmt.Errorf("found %.40q, expected a list of %s", fmt.Sprint(value), fault.Plural(size, "number", "numbers"))
	}
	for j, v := range list {
		x := float32(v)
		if x-x != 0 {
			return row, fmt.Errorf("found %g, expected a finite number of single precision", v)
		}
		if x != 0 {
			row.Index, row.Value = append(row.Index, uint32(m.First[slot]+j)), append(row.Value, x)
		}
	}
	return row, nil
}

// A recordMaker is what a schema needs to make rows of records.
type recordMaker struct {
	Encoder
	columns []recordColumn // of each slot
	sparse  bool
	cross   *terms.Crosser // nil: no products
}

// A recordColumn finds the cells of one column.
type recordColumn struct {
	Column
	read  Speller
	also  []string           // spellings of a missing value
	from  float64            // of dates: the first day
	codes []uint32           // of each category, and of any other; nil: numbers
	text  map[string]uint32  // the code of a category
	value map[float64]uint32 // of one that is a number
	index *terms.Index       // of a column of texts
}

// recordMaker returns what makes rows, made at the first call.
func (s *Schema) recordMaker() (*recordMaker, error) {
	if s == nil {
		return nil, errors.New("schema: found none, expected one of a table")
	}
	if m := s.records.Load(); m != nil {
		return m, nil
	}
	if err := s.Check(s.Width()); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	m := &recordMaker{sparse: s.Named() || s.Crossings != nil, cross: s.Crosser()}
	first, _ := s.Places()
	for i, c := range s.Columns {
		if s.Answers(i) || c.Kind == KindIgnored {
			continue
		}
		m.Add(first[i], c, nil)
		m.columns = append(m.columns, newRecordColumn(c, s.Missing))
		m.sparse = m.sparse || !c.IsNumber()
	}
	s.records.Store(m)
	return m, nil
}

func newRecordColumn(c Column, missing []string) recordColumn {
	r := recordColumn{Column: c, also: missing}
	r.read.Read, r.read.Expected = SpellingOf(c)
	r.from, _ = ParseDate([]byte(c.From))
	if c.Text != nil {
		r.index = c.Text.Index()
	}
	if c.Category == nil {
		return r
	}
	r.text, r.codes = map[string]uint32{}, make([]uint32, len(c.Category)+1)
	codes := slices.ContainsFunc(c.Category, func(word string) bool { return IsCode([]byte(word)) }) // 7 does not say which of 07 and 007
	for code, word := range c.Category {
		r.codes[code], r.text[word] = uint32(code), uint32(code)
		v, status := decimal.Float64([]byte(word))
		if status != decimal.Number || codes {
			continue
		}
		if r.value == nil {
			r.value = map[float64]uint32{}
		}
		if _, known := r.value[v]; !known || word == strconv.FormatFloat(v, 'f', -1, 64) {
			r.value[v] = uint32(code)
		}
	}
	r.codes[len(c.Category)] = NoCategory
	return r
}

// expected says what a record may have in the column.
func (c *recordColumn) expected() string {
	switch {
	case c.Kind.IsDate():
		return "a time.Time or a date as text such as 2024-05-31"
	case c.read.Expected != "":
		return c.read.Expected
	case c.codes == nil:
		return "a finite number, nil for a missing one"
	case c.value != nil:
		return "a category: text or a number"
	}
	return "a category: text"
}

// cell returns what the reader of tables makes of a field with this value.
func (c *recordColumn) cell(value any) (cell uint32, ok bool) {
	switch v := value.(type) {
	case nil:
		return c.missing(), true
	case string:
		return c.ofText(v)
	case json.Number:
		if c.Kind != KindComma {
			return c.ofText(string(v))
		}
		value, _ = v.Float64() // its point stands before decimals
	case bool:
		return c.ofBool(v)
	case time.Time:
		return NumberCell(c.Stored(daysOf(v) - c.from)), c.Kind.IsDate()
	}
	v, ok := asFloat(value)
	switch {
	case ok && len(c.also) > 0 && slices.Contains(c.also, strconv.FormatFloat(v, 'f', -1, 64)):
		return c.missing(), true
	case !ok || !decimal.Finite(v) || math.Abs(v) > math.MaxFloat32:
		return 0, false
	case c.codes == nil:
		return NumberCell(c.Stored(v)), c.Kind.IsNumber() || c.Kind == KindClock
	case c.value == nil:
		return 0, false
	}
	return c.ofNumber(v), true
}

// NumberCell is the cell of a number.
func NumberCell(v float64) uint32 { return math.Float32bits(float32(v) + 0) } // nor -0

func (c *recordColumn) missing() uint32 {
	if c.codes == nil {
		return MissingBits
	}
	if code, ok := c.text[MissingCategory]; ok {
		return code + 1
	}
	return c.unknown()
}

// unknown is the cell of a category that the schema does not have.
func (c *recordColumn) unknown() uint32 { return uint32(len(c.codes)) }

func (c *recordColumn) ofText(v string) (cell uint32, ok bool) {
	text := bytes.TrimSpace(unsafe.Slice(unsafe.StringData(v), len(v)))
	if code, ok := c.text[v]; ok {
		return code + 1, true
	}
	if code, ok := c.text[string(text)]; ok {
		return code + 1, true
	}
	switch {
	case IsMissing(text) || slices.Contains(c.also, string(text)) || c.codes == nil && IsDash(text):
		return c.missing(), true
	case c.codes != nil:
		return c.unknown(), true
	case c.read.Read != nil:
		v, ok := c.read.Read(text)
		return NumberCell(v), ok
	}
	x, status := decimal.Float32(text)
	return math.Float32bits(x + 0), status == decimal.Number
}

// ofNumber is the cell of the category that spells a number.
func (c *recordColumn) ofNumber(v float64) uint32 {
	if code, ok := c.value[v]; ok {
		return code + 1
	}
	return c.unknown()
}

// ofBool is the cell of true or false: also where these are two of more categories.
func (c *recordColumn) ofBool(v bool) (cell uint32, ok bool) {
	if c.Kind == KindBoolean {
		if v {
			return NumberCell(1), true
		}
		return NumberCell(0), true
	}
	words := [...]string{"false", "False", "FALSE"}
	if v {
		words = [...]string{"true", "True", "TRUE"}
	}
	for _, word := range words {
		if code, ok := c.text[word]; ok {
			return code + 1, true
		}
	}
	return 0, false
}

// asFloat returns the number that any of Go's is.
func asFloat(value any) (v float64, ok bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case float32:
		return float64(v), true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case int32:
		return float64(v), true
	case int16:
		return float64(v), true
	case int8:
		return float64(v), true
	case uint:
		return float64(v), true
	case uint64:
		return float64(v), true
	case uint32:
		return float64(v), true
	case uint16:
		return float64(v), true
	case uint8:
		return float64(v), true
	}
	return 0, false
}
