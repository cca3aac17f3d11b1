package main

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/dataset"
)

// A rowFormat spells rows of results: fields separated by tabs, or, in a file that is
// called .csv, by commas below a line of names. Rows may begin with ids.
type rowFormat struct {
	csv bool
	id  string // name of the column of ids
	ids []string
}

func newRowFormat(path string, set *dataset.Set) rowFormat {
	return rowFormat{csv: strings.EqualFold(filepath.Ext(path), ".csv"), id: set.IDName, ids: set.ID}
}

// header is the line of names, nil where there is none.
func (f rowFormat) header(names []string) []byte {
	if !f.csv {
		return nil
	}
	var text []byte
	if f.ids != nil {
		text = f.field(text, f.id)
	}
	for _, name := range names {
		text = f.field(text, name)
	}
	return f.end(text)
}

// begin begins row i.
func (f rowFormat) begin(text []byte, i int) []byte {
	if f.ids == nil {
		return text
	}
	return f.field(text, f.ids[i])
}

// field appends a text.
func (f rowFormat) field(text []byte, field string) []byte {
	switch {
	case !f.csv:
		return append(append(text, spell(field)...), '\t')
	case strings.ContainsAny(field, "\",\r\n;\t|") || strings.TrimSpace(field) != field:
		return append(append(text, `"`+strings.ReplaceAll(field, `"`, `""`)+`"`...), ',')
	}
	return append(append(text, field...), ',')
}

// numbers appends numbers.
func (f rowFormat) numbers(text []byte, numbers []float64) []byte {
	between := byte('\t')
	if f.csv {
		between = ','
	}
	for _, x := range numbers {
		text = append(strconv.AppendFloat(text, x, 'g', -1, 64), between)
	}
	return text
}

// end ends a row.
func (rowFormat) end(text []byte) []byte {
	text[len(text)-1] = '\n'
	return text
}

// numbered names columns by a word and a number from 1.
func numbered(word string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = word + strconv.Itoa(i+1)
	}
	return names
}
