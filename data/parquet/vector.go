package parquet

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go"
)

// Vectors are written by org.apache.spark.ml as a structure: type is 0 of a sparse vector, which has a size, indices and values, and 1
// of a dense one, which has values alone.

// The parts of a vector.
const (
	partType = iota
	partSize
	partIndices
	partValues
)

// partsOf describes the leaves of a column of vectors; nil: it is none.
func partsOf(top *parquet.Column, half []bool) (parts []*column) {
	want := []struct {
		name string
		kind parquet.Kind
	}{{"type", parquet.Int32}, {"size", parquet.Int32}, {"indices", parquet.Int32}, {"values", parquet.Double}}
	if top.Repeated() || len(top.Columns()) != len(want) {
		return nil
	}
	for k, w := range want {
		child := top.Column(w.name)
		if child == nil {
			return nil
		}
		c := columnOf(child, half)
		c.name = top.Name() + "." + w.name
		if c.refused != "" || c.list != (k >= partIndices) || c.leaf.Type().Kind() != w.kind {
			return nil
		}
		c.ragged = c.list
		parts = append(parts, c)
	}
	return parts
}

// split gives the entries from before on to lists of any length.
func (d *spreader) split(before int, starts, levels []byte) error {
	if len(starts) != d.entries-before {
		return fmt.Errorf("found %d levels of %d values", len(starts), d.entries-before)
	}
	for k, start := range starts {
		if start == 0 {
			d.from, d.count, d.rows = append(d.from, before+k), append(d.count, 0), d.rows+1
		} else if d.rows == 0 {
			return errors.New("found a list without a row")
		}
		if levels[k] >= d.present {
			d.count[d.rows-1]++
		}
	}
	return nil
}

// vectors are the values of a column of vectors.
type vectors struct {
	fields
	parts []*decoded
}

// newVectors puts the parts of a column together: what is missing in the first is, under the name of the column, missing as a whole.
func newVectors(c *column, parts []*decoded) vectors {
	whole := *parts[partType]
	whole.column = c
	return vectors{fields{&whole, 0, 1}, parts}
}

func (v vectors) Number(int) (float64, bool)      { return 0, false }
func (v vectors) Append(dst []byte, _ int) []byte { return dst }

// measure takes the size of the first vector of some rows for that of all.
func (c *column) measure(v vectors, rows int) {
	for row := 0; row < rows && c.length == 0; row++ {
		switch {
		case v.Missing(row):
		case v.whole[row] == 0:
			c.length = int(v.parts[partSize].whole[row])
		default:
			c.length = v.parts[partValues].count[row]
		}
	}
	if c.length <= 0 {
		c.refused = "vectors of which the first rows have none"
	}
}

// span returns the span of a list.
func (d *decoded) span(row int) (from, to int, err error) {
	from, to = d.from[row], d.from[row]+d.count[row]
	for i := from; i < to && d.missing != nil; i++ {
		if d.missing[i] {
			return 0, 0, errors.New("found a null in a vector, expected numbers")
		}
	}
	return from, to, nil
}

// Vector returns the entries of a row.
func (v vectors) Vector(row int) (index []int64, value []float64, err error) {
	if v.Missing(row) {
		return nil, nil, fmt.Errorf("found no vector (null), expected one of %d", v.length)
	}
	from, to, err := v.parts[partIndices].span(row)
	if err == nil {
		index = v.parts[partIndices].whole[from:to]
		from, to, err = v.parts[partValues].span(row)
	}
	if err != nil {
		return nil, nil, err
	}
	value = v.parts[partValues].long[from:to]
	size := len(value)
	switch kind := v.whole[row]; {
	case kind == 0 && v.parts[partSize].missing != nil && v.parts[partSize].missing[row]:
		return nil, nil, errors.New("found a sparse vector without a size")
	case kind == 0:
		size = int(v.parts[partSize].whole[row])
	case kind != 1 || len(index) > 0:
		return nil, nil, fmt.Errorf("found a vector of type %d with %d indices, expected 0 (sparse), or 1 (dense) without any", kind, len(index))
	default:
		index = nil
	}
	if size != v.length {
		return nil, nil, fmt.Errorf("found a vector of %d, expected %d as in the first row", size, v.length)
	}
	if index == nil {
		return nil, value, nil
	}
	if len(index) != len(value) {
		return nil, nil, fmt.Errorf("found %d indices and %d values in a vector, expected as many", len(index), len(value))
	}
	last := int64(-1)
	for _, i := range index {
		if i <= last || i >= int64(size) {
			return nil, nil, fmt.Errorf("found the index %d behind %d in a vector of %d, expected increasing ones below that", i, last, size)
		}
		last = i
	}
	return index, value, nil
}
