package table

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Values are the fields of a column of some rows.
type Values interface {
	Missing(row int) bool
	// Number returns a number that rounds to single precision as its text does; not ok: the text tells.
	Number(row int) (v float64, ok bool)
	// Append appends the field as a CSV spells it.
	Append(dst []byte, row int) []byte
}

// Vectors are the fields of a column of vectors of one length.
type Vectors interface {
	Values
	// Vector returns the entries of a row by increasing index, and what these are; nil: 0, 1 and so on.
	Vector(row int) (index []int64, value []float64, err error)
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
	Sizes   []int  // of the vectors of a column; 0: it has other fields
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
		t.kinds[i].unnamed, t.kinds[i].size = unnamed, c.Sizes[i]
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
	if len(t.vectors) > 0 {
		size = min(size, vectorChunk)
	}
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

func (v rowsFrom) Vector(row int) ([]int64, []float64, error) {
	return v.all.(Vectors).Vector(v.from + row)
}

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
		if role == roleVector {
			if err := p.vector(column, values.(Vectors), at); err != nil {
				return err
			}
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

// vectorChunk is how many rows of vectors are a chunk at most: each may have many entries.
const vectorChunk = 1024

// vectorRows are the vectors of a column in some rows, of which entries of zero are left out.
type vectorRows struct {
	index   []uint32
	value   []float32
	end     []int              // of each row
	small   []set.Small        // values that are too small for single precision: where one rounds to zero, value has another small one
	spreads []set.SparseSpread // of the features that all rows have, as far as rounding may matter
}

// vector reads a vector of a frame.
func (p *rowParser) vector(column int, values Vectors, at int) error {
	index, value, err := values.Vector(at)
	v := &p.out.vectors[slices.Index(p.vectors, column)]
	for k := 0; k < len(value) && err == nil; k++ {
		x, j := float32(value[k]), uint32(k)
		if index != nil {
			j = uint32(index[k])
		}
		if x-x != 0 {
			err = fmt.Errorf("found %g, expected a finite number of single precision", value[k])
		} else if p.measures && value[k] != 0 && set.IsSmall(math.Float32bits(x)) {
			v.small = append(v.small, set.Small{Row: p.out.rows, Column: j, Value: value[k]})
			if x == 0 {
				x = math.SmallestNonzeroFloat32
			}
		}
		if x != 0 {
			v.index, v.value = append(v.index, j), append(v.value, x)
		}
	}
	if err != nil {
		return fault.At(p.c.Name, p.c.Line+at, 0, "column %q: %w", p.names[column], err)
	}
	if p.measures {
		v.measure(index, value)
	}
	v.end = append(v.end, len(v.index))
	return nil
}

// measure takes the next row into the spreads of the features that all rows have.
func (v *vectorRows) measure(index []int64, value []float64) {
	if len(v.end) == 0 {
		for _, j := range v.index {
			v.spreads = append(v.spreads, set.SparseSpread{Column: j})
		}
	}
	entry := func(column uint32) float64 {
		k, found := int(column), int(column) < len(value)
		if index != nil {
			k, found = slices.BinarySearch(index, int64(column))
		}
		if !found {
			return 0
		}
		return value[k]
	}
	kept := v.spreads[:0]
	for _, s := range v.spreads {
		x := entry(s.Column)
		s.Add(x)
		if s.Settle(); x != 0 && !s.Wide {
			kept = append(kept, s)
		}
	}
	v.spreads = kept
}

// takeVectors takes what is known of the vectors of a part.
func (t *table) takeVectors(p *tablePart) {
	for k, v := range p.vectors {
		for _, s := range v.small {
			s.Row += t.count
			t.tiny[k] = append(t.tiny[k], s)
		}
		t.spreads[k].Take(v.spreads)
	}
}

// A vectorColumn is where a column of vectors has its features.
type vectorColumn struct{ slot, first int } // slots before it, and the first feature

func (t *table) vectorsOf() (all []vectorColumn) {
	first, _ := t.schema.Places()
	for _, i := range t.vectors {
		slot, _ := slices.BinarySearch(t.place, t.use[i])
		all = append(all, vectorColumn{slot, first[t.use[i]]})
	}
	return all
}

// append appends the vector of a row.
func (c vectorColumn) append(x matrix.Vector, v vectorRows, row int) matrix.Vector {
	from := 0
	if row > 0 {
		from = v.end[row-1]
	}
	for k, j := range v.index[from:v.end[row]] {
		x.Index, x.Value = append(x.Index, uint32(c.first)+j), append(x.Value, v.value[from+k])
	}
	return x
}

// small puts the values of vectors that are too small for single precision where they belong, rounded, and says what is lost by that.
func (t *table) small(x *matrix.CSR, vectors []vectorColumn) (matrix.Matrix, error) {
	sparse, names := &set.SparseRows{X: x, Weight: t.weights}, t.schema.Features
	for k, v := range vectors {
		said, most := t.spreads[k].Lost(func(j uint32) string { return set.ColumnNamed(names()[v.first+int(j)]) })
		t.rounding, t.warnings = max(t.rounding, most), append(t.warnings, said...)
		for _, s := range t.tiny[k] {
			s.Column += uint32(v.first)
			sparse.Small = append(sparse.Small, s)
		}
	}
	slices.SortFunc(sparse.Small, set.Small.Compare)
	_, said, rounding, err := set.Multiply([]*set.SparseRows{sparse}, &set.Options{Unmoved: true})
	t.rounding, t.warnings = max(t.rounding, rounding), append(t.warnings, said...)
	return sparse.X, err
}
