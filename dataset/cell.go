package dataset

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/matrix"
)

// A cellChunk holds the features of one chunk's rows: for each row the cells
// that are not zero, by increasing column of the schema. A cell holds the bits
// of a number, NaN if it is missing, or the number of a category.
type cellChunk struct {
	column, cell []uint32
	end          []int // of each row
	words        []dictionary
}

// A dictionary numbers categories by first appearance.
type dictionary struct {
	code  map[string]uint32
	words []string
}

func (d *dictionary) intern(word []byte) uint32 {
	if code, ok := d.code[string(word)]; ok {
		return code
	}
	if d.code == nil {
		d.code = map[string]uint32{}
	}
	code := uint32(len(d.words))
	d.words = append(d.words, string(word))
	d.code[d.words[code]] = code
	return code
}

func (t *table) parseCells(c *chunk) (*cellChunk, error) {
	columns := len(t.schema.Columns)
	most := min(columns*bytes.Count(c.text, []byte{'\n'}), len(c.text)/2) // a field and what ends it are two bytes
	out := &cellChunk{column: make([]uint32, 0, most), cell: make([]uint32, 0, most), words: make([]dictionary, columns)}
	ordered := slices.IsSorted(t.use)
	err := t.eachRow(c, func(fields []field, _ bool) error {
		if !ordered { // columns matched by name
			slices.SortFunc(fields, func(a, b field) int { return t.use[a.column] - t.use[b.column] })
		}
		for _, f := range fields {
			if f.column == t.target || f.column == t.weight || t.use[f.column] < 0 {
				continue
			}
			if err := t.addCell(c, f, out); err != nil {
				return err
			}
		}
		out.end = append(out.end, len(out.cell))
		return nil
	})
	return out, err
}

var missingBits = math.Float32bits(float32(math.NaN()))

func (t *table) addCell(c *chunk, f field, out *cellChunk) error {
	column := t.use[f.column]
	cell := missingBits
	switch {
	case t.schema.Columns[column].Category != nil:
		word := f.text
		if f.missing {
			word = []byte(missingCategory)
		} else if err := t.allowed(c, f); err != nil {
			return err
		}
		var known bool
		if cell, known = out.words[column].code[string(word)]; known {
			break
		}
		if err := c.checkText(f.at, word); err != nil {
			return err
		}
		cell = out.words[column].intern(word)
	case !f.missing:
		v, status := f.number()
		switch {
		case status == isNoValue:
			return c.errorf(f.at, quote(f.text), "a finite number (leave the field empty for a missing value)")
		case status != isNumber:
			return c.errorf(f.at, quote(f.text), status.expected())
		case v == 0:
			return nil
		}
		cell = math.Float32bits(v)
	}
	out.column = append(out.column, uint32(column))
	out.cell = append(out.cell, cell)
	return nil
}

// noCategory is the cell of a category that the model does not know.
const noCategory = math.MaxUint32

// number gives categories their places in the whole table and, unless the
// schema is a model's, completes it: categories and means.
func (t *table) number() {
	all := make([]dictionary, len(t.schema.Columns))
	for i, c := range t.schema.Columns {
		for _, word := range c.Category {
			all[i].intern([]byte(word))
		}
	}
	unknown, example := 0, ""
	sum, missing := make([]float64, len(all)), make([]int, len(all))
	for _, c := range t.cells {
		codes := t.merge(all, c.words)
		for k, column := range c.column {
			switch {
			case codes[column] != nil:
				local := c.cell[k]
				c.cell[k] = codes[column][local]
				if word := c.words[column].words[local]; c.cell[k] == noCategory && word != missingCategory {
					if unknown++; unknown == 1 {
						example = fmt.Sprintf("%q in column %q", word, t.schema.Columns[column].Name)
					}
				}
			case c.cell[k] == missingBits:
				missing[column]++
			default:
				sum[column] += float64(math.Float32frombits(c.cell[k]))
			}
		}
		c.words = nil
	}
	if unknown > 0 {
		t.warnings = append(t.warnings, fmt.Errorf("%s unknown to the model (first: %s): ignored", plural(unknown, "category is", "categories are"), example))
	}
	if t.fixed {
		return
	}
	for i := range t.schema.Columns {
		c := &t.schema.Columns[i]
		if c.Category != nil {
			c.Category = all[i].words
		} else if known := t.count - missing[i]; known > 0 {
			c.Fill = sum[i] / float64(known)
		}
	}
}

// merge returns, for each column of categories, the code in all of each word.
func (t *table) merge(all, words []dictionary) [][]uint32 {
	codes := make([][]uint32, len(all))
	for i, d := range words {
		if t.schema.Columns[i].Category == nil {
			continue
		}
		codes[i] = make([]uint32, len(d.words))
		for k, word := range d.words {
			code, known := all[i].code[word]
			switch {
			case !known && t.fixed:
				code = noCategory
			case !known:
				code = all[i].intern([]byte(word))
			}
			codes[i][k] = code
		}
	}
	return codes
}

// encode makes the matrix: sparse if there are categories or mostly zeros.
func (t *table) encode(ctx context.Context, opt *Options) (matrix.Matrix, error) {
	first, cols := t.schema.places()
	if int64(cols) > math.MaxUint32 {
		return nil, fmt.Errorf("%s: found %d features, expected at most 2^32-1", t.in[0].Name, cols)
	}
	categorical := slices.ContainsFunc(t.schema.Columns, func(c Column) bool { return c.Category != nil })
	if !categorical && 2*t.nonzeros() >= int64(t.count)*int64(cols) {
		return t.encodeDense(ctx, opt, first, cols)
	}
	all := sparseRows{cols: uint64(cols), chunks: make([]*sparseChunk, len(t.cells))}
	err := each(ctx, opt.workers(), len(t.cells), func(i int) error {
		all.chunks[i] = t.toFeatures(t.cells[i], first)
		t.cells[i] = nil
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, c := range all.chunks {
		all.rows += len(c.end)
		all.nonzeros += int64(len(c.entry))
	}
	return all.matrix(ctx, &Options{Threads: opt.Threads})
}

// nonzeros counts the values of a table of numbers that are not zero.
func (t *table) nonzeros() (n int64) {
	for _, c := range t.cells {
		n += int64(len(c.cell))
		for k, cell := range c.cell {
			if cell == missingBits && float32(t.schema.Columns[c.column[k]].Fill) == 0 {
				n--
			}
		}
	}
	return n
}

// encodeDense makes the matrix of a table of numbers.
func (t *table) encodeDense(ctx context.Context, opt *Options, first []int, cols int) (matrix.Matrix, error) {
	d := &matrix.Dense{Rows: t.count, Cols: cols, Value: make([]float32, t.count*cols)}
	firstRow := make([]int, len(t.cells)+1)
	for i, c := range t.cells {
		firstRow[i+1] = firstRow[i] + len(c.end)
	}
	err := each(ctx, opt.workers(), len(t.cells), func(i int) error {
		c, k := t.cells[i], 0
		for r, end := range c.end {
			row := d.Row(firstRow[i] + r).Value
			for ; k < end; k++ {
				value := math.Float32frombits(c.cell[k])
				if c.cell[k] == missingBits {
					value = float32(t.schema.Columns[c.column[k]].Fill)
				}
				if value != 0 { // nor -0
					row[first[c.column[k]]] = value
				}
			}
		}
		t.cells[i] = nil
		return nil
	})
	return d, err
}

// toFeatures turns cells into features; first[i] is the first feature of column i.
func (t *table) toFeatures(c *cellChunk, first []int) *sparseChunk {
	out := &sparseChunk{entry: make([]uint64, 0, len(c.cell)), end: make([]uint32, 0, len(c.end))}
	k := 0
	for _, end := range c.end {
		for ; k < end; k++ {
			column := c.column[k]
			index, value := uint32(first[column]), float32(1)
			switch {
			case t.schema.Columns[column].Category == nil:
				if value = math.Float32frombits(c.cell[k]); c.cell[k] == missingBits {
					value = float32(t.schema.Columns[column].Fill)
				}
			case c.cell[k] == noCategory:
				value = 0
			default:
				index += c.cell[k]
			}
			if value != 0 {
				out.entry = append(out.entry, uint64(index)|uint64(math.Float32bits(value))<<32)
			}
		}
		out.end = append(out.end, uint32(len(out.entry)))
	}
	return out
}
