package table

import (
	"context"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// Values are the fields of a column of some rows.
type Values interface {
	Missing(row int) bool
	// Number returns a number that rounds to single precision as its text does; not ok: the text tells.
	Number(row int) (v float64, ok bool)
	// Append appends the field as a CSV spells it.
	Append(dst []byte, row int) []byte
}

// A Frame is some rows of a table of which the columns are apart.
type Frame struct {
	Name    string   // of the input
	Before  int      // rows before these in it
	Rows    int      // how many
	Columns []Values // nil where a column is not wanted
}

// Columnar is a table of which the columns are apart.
type Columnar struct {
	Names   []string
	Unnamed []bool // columns that have names of rows, in a format that has no place for them
	First   *Frame // all columns of the first rows, at most 100
	// Open returns what gives the wanted columns of all rows, in order, and io.EOF behind the last.
	Open func(wanted []bool) (next func() (*Frame, error))
}

// ReadColumns makes a set of the rows, by the rules of a CSV.
func ReadColumns(ctx context.Context, in []*file.Input, opt *set.Options, c Columnar) (*set.Set, error) {
	t := &table{in: in, header: true, rows: frameRows{c}}
	t.names = c.Names
	var header []field
	var first [][]field
	for _, name := range c.Names {
		header = append(header, field{text: []byte(name)})
	}
	for row := range c.First.Rows {
		first = append(first, c.First.fields(row, nil))
	}
	t.kinds = firstKinds(header, first, true)
	for i, unnamed := range c.Unnamed {
		t.kinds[i].unnamed = unnamed
	}
	return t.read(ctx, opt)
}

// fields appends a field for each column of a row.
func (f *Frame) fields(row int, dst []field) []field {
	for column, values := range f.Columns {
		dst = append(dst, f.field(values, column, row, nil))
	}
	return dst
}

// field returns a field, of which the text is appended to one of no length.
func (f *Frame) field(values Values, column, row int, text []byte) field {
	if values == nil || values.Missing(row) {
		return field{column: column, at: row, missing: true}
	}
	text = values.Append(text, row)
	return field{column: column, at: row, text: text, missing: set.IsMissing(text)}
}

// frameRows is a rowReader of chunks of a frame, in which a row is a byte.
type frameRows struct{ Columnar }

var _ rowReader = frameRows{}

func (frameRows) begin(_ *lines.Chunk, at int) (int, rowKind) { return at, frameRow }

func (frameRows) field(c *lines.Chunk, at int) (field, int, error) {
	return field{}, 0, c.Errorf(at, "a field", "a row")
}

func (frameRows) delimiter() byte { return ',' }

func (frameRows) row(c *lines.Chunk, at int, dst []field) ([]field, int, error) {
	return c.Frame.(*Frame).fields(at, dst), at + 1, nil
}

func (frameRows) weight([]byte) (from, to int) { return 0, 0 }

func (frameRows) last(text []byte) int { return len(text) }

// frameBytes is how much memory the features of a chunk take.
const frameBytes = 256 << 10

// chunks cuts frames, of which next gives one after the other.
func (t *table) chunks(opt *set.Options) func() (*lines.Chunk, error) {
	size := max(1, frameBytes/4/len(t.names))
	if opt.Chunk > 0 {
		size = opt.Chunk
	}
	wanted := make([]bool, len(t.names))
	for i, role := range t.roles {
		wanted[i] = role != roleIgnored || slices.Contains(t.kept, i)
	}
	text := make([]byte, size, size+64)
	var f *Frame
	next, at := t.rows.(frameRows).Open(wanted), 0
	return func() (*lines.Chunk, error) {
		for f == nil || at == f.Rows {
			var err error
			if f, err = next(); err != nil {
				return nil, err
			}
			at = 0
		}
		part := &Frame{Name: f.Name, Before: f.Before + at, Rows: min(size, f.Rows-at)}
		for _, values := range f.Columns {
			if values != nil {
				values = rowsFrom{values, at}
			}
			part.Columns = append(part.Columns, values)
		}
		at += part.Rows
		return &lines.Chunk{Name: f.Name, Line: part.Before + 1, Lines: part.Rows, Text: text[:part.Rows], Frame: part}, nil
	}
}

// rowsFrom are values from a row on.
type rowsFrom struct {
	all  Values
	from int
}

func (v rowsFrom) Missing(row int) bool              { return v.all.Missing(v.from + row) }
func (v rowsFrom) Number(row int) (float64, bool)    { return v.all.Number(v.from + row) }
func (v rowsFrom) Append(dst []byte, row int) []byte { return v.all.Append(dst, v.from+row) }

// splitter cuts the rows into chunks.
func (t *table) splitter(opt *set.Options) *lines.Splitter {
	if _, ok := t.rows.(frameRows); ok {
		return &lines.Splitter{Next: t.chunks(opt)}
	}
	return lines.NewSplitter(t.in, opt.Chunk, t.rows.last)
}

// frame reads a row of a frame.
func (p *rowParser) frame(at int) error {
	f := p.c.Frame.(*Frame)
	row, filled := p.out.next(), 0
	for column, role := range p.paths {
		values := f.Columns[column]
		if values == nil {
			continue
		}
		cell, ok := uint32(0), false
		if role <= roleInteger {
			cell, ok = number(values, at)
		}
		if !ok {
			one := f.field(values, column, at, p.word[:0])
			if one.text != nil {
				p.word = one.text
			}
			var err error
			if cell, err = p.cell(one); err != nil {
				return err
			}
		}
		if role <= roleSpelled {
			if row[p.slot[column]] = cell; cell != 0 {
				filled++
			}
		}
	}
	p.out.close(filled)
	return nil
}

// number returns the cell of a number that needs no look at its text.
func number(values Values, row int) (cell uint32, ok bool) {
	v, ok := values.Number(row)
	if size := math.Abs(v); !ok || v != 0 && (!(size <= math.MaxFloat32) || size < 0x1p-126 || decimal.NearMiddle(v)) {
		return 0, false
	}
	return set.NumberCell(v), true
}
