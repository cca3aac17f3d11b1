package printing

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/array"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// A RowFormat is how rows of results are written: as the extension of the file says, and else as fields separated by tabs. Rows
// begin with the columns of the input that are kept.
type RowFormat struct {
	syntax  syntax
	columns []set.Result
	keys    [][]byte // of JSON: each name, and what separates it from its value
	kept    []set.Kept
	rows    int
}

type syntax int

const (
	tabs syntax = iota
	commas
	objects     // of JSON, one a line
	objectArray // of JSON
	packed      // numbers and texts as set.ResultWriter takes them, of Parquet
	npy         // numbers
)

var syntaxes = map[string]syntax{".csv": commas, ".jsonl": objects, ".ndjson": objects, ".json": objectArray, ".parquet": packed, ".npy": npy}

// NewRowFormat is how results of these columns for each row of a set are written to a file of that name.
func NewRowFormat(path string, s *data.Set, results []set.Result) (*RowFormat, error) {
	extension := strings.ToLower(filepath.Ext(file.PlainName(path)))
	if extension == ".xlsx" || extension == ".xls" {
		return nil, fmt.Errorf("%s: found the extension %s of Excel, which is not written, expected .csv, which Excel opens, or .jsonl, .json, .parquet, .npy", path, extension)
	}
	f := &RowFormat{syntax: syntaxes[extension], rows: s.Rows()}
	if s.ID != nil {
		f.kept = append(f.kept, set.Kept{Name: s.IDName, Fields: s.ID})
	}
	f.kept = append(f.kept, s.Kept...)
	used := map[string]bool{}
	for k, c := range f.kept {
		f.columns = append(f.columns, set.Result{Name: c.Name, Text: true})
		if used[c.Name] && f.syntax > commas {
			f.columns[k].Name = unused(c.Name+"_", used)
		}
		used[f.columns[k].Name] = true
	}
	for _, c := range results {
		if used[c.Name] && f.syntax != tabs {
			c.Name = unused("predicted_"+c.Name, used)
		}
		used[c.Name] = true
		f.columns = append(f.columns, c)
	}
	for _, c := range f.columns {
		f.keys = append(f.keys, append(appendJSON(nil, c.Name), ':'))
	}
	if text := slices.IndexFunc(f.columns, func(c set.Result) bool { return c.Text }); f.syntax == npy && text >= 0 {
		return nil, fmt.Errorf("%s: found texts in the column %q, expected numbers, which are all that NPY holds (.csv, .jsonl and .parquet hold texts too)", path, f.columns[text].Name)
	}
	return f, nil
}

// unused returns a name that no column has.
func unused(name string, used map[string]bool) string {
	for used[name] {
		name += "_"
	}
	return name
}

// Write writes the results of all rows, of which do makes a block at a time: in parallel, and in order.
func (f *RowFormat) Write(w io.Writer, size, threads int, do func(r *Rows, lo, hi int)) error {
	var end io.Closer
	if f.syntax == packed {
		format, err := set.Registered.New("parquet")
		if err != nil {
			return err
		}
		results, err := format.(set.ResultWriter).Results(w, f.columns)
		if err != nil {
			return err
		}
		w, end = results, results
	}
	if _, err := w.Write(f.header()); err != nil {
		return err
	}
	err := parallel.Ordered(w, f.rows, size, threads, func(text []byte, lo, hi int) []byte {
		r := &Rows{f, text, 0}
		do(r, lo, hi)
		return r.text
	})
	switch {
	case err != nil:
	case end != nil:
		err = end.Close()
	case f.syntax == objectArray:
		_, err = w.Write([]byte("\n]\n"))
	}
	return err
}

// header is what comes before the rows.
func (f *RowFormat) header() []byte {
	switch f.syntax {
	case commas:
		r := &Rows{f, nil, 0}
		for _, c := range f.columns {
			r.Field(c.Name)
		}
		r.End()
		return r.text
	case npy:
		shape := fmt.Sprintf("(%d, %d)", f.rows, len(f.columns))
		if len(f.columns) == 1 {
			shape = fmt.Sprintf("(%d,)", f.rows)
		}
		return array.Header("<f8", shape)
	}
	return nil
}

// Rows are rows of results as they are spelled, which their methods append.
type Rows struct {
	*RowFormat
	text   []byte
	column int // of the next field
}

// Begin begins row i.
func (r *Rows) Begin(i int) {
	switch {
	case r.syntax == objectArray && i == 0:
		r.text = append(r.text, "[\n{"...)
	case r.syntax == objectArray:
		r.text = append(r.text, ",\n{"...)
	case r.syntax == objects:
		r.text = append(r.text, '{')
	}
	for _, c := range r.kept {
		r.Field(c.Fields[i])
	}
}

// Field appends a text, or the number that it is in a column of numbers, where the format has these.
func (r *Rows) Field(field string) {
	if r.syntax > commas && !r.columns[r.column].Text {
		v, _ := strconv.ParseFloat(field, 64)
		r.Numbers(v)
		return
	}
	switch r.syntax {
	case tabs:
		r.text = append(append(r.text, Spell(field)...), '\t')
	case packed:
		r.text = append(binary.LittleEndian.AppendUint32(r.text, uint32(len(field))), field...)
	case objects, objectArray:
		r.text = append(appendJSON(append(r.text, r.keys[r.column]...), field), ',')
	default:
		if strings.ContainsAny(field, "\",\r\n;\t|") || strings.TrimSpace(field) != field {
			field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
		}
		r.text = append(append(r.text, field...), ',')
	}
	r.column++
}

// Numbers appends numbers. JSON has null for those that are not finite.
func (r *Rows) Numbers(numbers ...float64) {
	for _, x := range numbers {
		switch {
		case r.syntax >= packed:
			r.text = binary.LittleEndian.AppendUint64(r.text, math.Float64bits(x))
		case r.syntax < objects:
			r.text = append(strconv.AppendFloat(r.text, x, 'g', -1, 64), "\t,"[r.syntax])
		case math.IsNaN(x) || math.IsInf(x, 0):
			r.text = append(append(r.text, r.keys[r.column]...), "null,"...)
		default:
			r.text = append(strconv.AppendFloat(append(r.text, r.keys[r.column]...), x, 'g', -1, 64), ',')
		}
		r.column++
	}
}

// End ends a row.
func (r *Rows) End() {
	r.column = 0
	last := len(r.text) - 1
	switch r.syntax {
	case tabs, commas:
		r.text[last] = '\n'
	case objects:
		r.text = append(r.text[:last], "}\n"...)
	case objectArray:
		r.text[last] = '}'
	}
}

// appendJSON appends a text as JSON spells it.
func appendJSON(dst []byte, text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil { // no text has one
		return append(dst, "null"...)
	}
	return append(dst, bytes.TrimSpace(b.Bytes())...)
}

// Numbered names columns by a word and a number from 1.
func Numbered(word string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = word + strconv.Itoa(i+1)
	}
	return names
}
