package printing

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
)

// A RowFormat spells rows of results: fields separated by tabs, or, in a file that is
// called .csv, by commas below a line of names. Rows may begin with ids.
type RowFormat struct {
	csv bool
	id  string // name of the column of ids
	ids []string
}

func NewRowFormat(path string, set *data.Set) RowFormat {
	return RowFormat{csv: strings.EqualFold(filepath.Ext(path), ".csv"), id: set.IDName, ids: set.ID}
}

// Header is the line of names, nil where there is none.
func (f RowFormat) Header(names []string) []byte {
	if !f.csv {
		return nil
	}
	var text []byte
	if f.ids != nil {
		text = f.Field(text, f.id)
	}
	for _, name := range names {
		text = f.Field(text, name)
	}
	return f.End(text)
}

// Begin begins row i.
func (f RowFormat) Begin(text []byte, i int) []byte {
	if f.ids == nil {
		return text
	}
	return f.Field(text, f.ids[i])
}

// Field appends a text.
func (f RowFormat) Field(text []byte, field string) []byte {
	switch {
	case !f.csv:
		return append(append(text, Spell(field)...), '\t')
	case strings.ContainsAny(field, "\",\r\n;\t|") || strings.TrimSpace(field) != field:
		return append(append(text, `"`+strings.ReplaceAll(field, `"`, `""`)+`"`...), ',')
	}
	return append(append(text, field...), ',')
}

// Numbers appends numbers.
func (f RowFormat) Numbers(text []byte, numbers []float64) []byte {
	between := byte('\t')
	if f.csv {
		between = ','
	}
	for _, x := range numbers {
		text = append(strconv.AppendFloat(text, x, 'g', -1, 64), between)
	}
	return text
}

// End ends a row.
func (RowFormat) End(text []byte) []byte {
	text[len(text)-1] = '\n'
	return text
}

// Numbered names columns by a word and a number from 1.
func Numbered(word string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = word + strconv.Itoa(i+1)
	}
	return names
}
