package parquet

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// decode reads the values of a column in a row group; first: those of its first page.
func (c *column) decode(ctx context.Context, o *opened, group int, first bool) (*decoded, error) {
	d, err := c.read(ctx, o, group, first)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", c.name, err)
	}
	return d, nil
}

func (c *column) read(ctx context.Context, o *opened, group int, first bool) (*decoded, error) {
	if err := checkPages(o, group, c.leaf.Index(), first && !c.ragged); err != nil {
		return nil, err
	}
	pages := o.file.RowGroups()[group].ColumnChunks()[c.leaf.Index()].Pages()
	defer pages.Close()
	d := &spreader{decoded: decoded{column: c}, nothing: byte(c.leaf.MaxDefinitionLevel())}
	d.room = int(max(0, min(o.file.RowGroups()[group].NumRows(), mostRoom)))
	if first {
		d.room = 0
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		page, err := pages.ReadPage()
		if err == io.EOF || err == nil && page == nil {
			break
		}
		if err != nil {
			return nil, err
		}
		err = d.add(page, first)
		parquet.Release(page)
		if err != nil {
			return nil, err
		}
		if first && c.ragged && d.rows > 1 { // the last list may go on
			d.rows--
			break
		}
		if first && !c.ragged && d.rows > 0 {
			break
		}
	}
	return &d.decoded, d.end(first)
}

// mostRoom is how many values memory is made for before they come.
const mostRoom = 1 << 20

// A spreader puts values into rows.
type spreader struct {
	decoded
	nothing byte     // the level of a value that is there; lower ones are of nulls
	room    int      // values that will come, as far as they are believed
	entries int      // of the pages so far
	item    int      // entries of the list that is read
	open    bool     // there is one
	words   [][]byte // of the dictionary
	of      parquet.Dictionary
}

// add appends the values of a page.
func (d *spreader) add(page parquet.Page, first bool) error {
	values, n := page.Data(), int(page.NumValues())
	var index []int32
	if dictionary := page.Dictionary(); dictionary != nil {
		index = values.Int32()
		values = dictionary.Page().Data()
		if d.of != dictionary {
			d.of, d.words = dictionary, nil
		}
	} else {
		d.of, d.words = nil, nil
	}
	levels := page.DefinitionLevels()
	if d.nothing > 0 && len(levels) != n {
		return fmt.Errorf("found %d levels of %d values", len(levels), n)
	}
	d.kind = values.Kind()
	from := &picker{index: index, levels: levels, full: d.nothing, n: n, room: d.room}
	before := d.entries
	d.pick(&values, from)
	if from.err != nil {
		return from.err
	}
	if from.nulls && d.missing == nil {
		d.missing = make([]bool, before, before+n)
	}
	if d.missing != nil {
		for i := range n {
			d.missing = append(d.missing, levels != nil && levels[i] != d.nothing)
		}
	}
	d.entries += n
	if !d.list {
		d.rows += n
		return nil
	}
	if d.ragged {
		return d.split(before, page.RepetitionLevels(), levels)
	}
	return d.cut(before, page.RepetitionLevels(), levels, first)
}

// pick appends the values of a page to those of its kind.
func (d *spreader) pick(values *encoding.Values, from *picker) {
	switch d.kind {
	case encoding.Boolean:
		bits := values.Boolean()
		d.flags = pick(d.flags, from, 8*len(bits), func(i int) bool { return bits[i/8]>>(i%8)&1 != 0 })
	case encoding.Int32:
		v := values.Int32()
		d.whole = pick(d.whole, from, len(v), func(i int) int64 { return int64(v[i]) })
	case encoding.Int64:
		v := values.Int64()
		d.whole = pick(d.whole, from, len(v), func(i int) int64 { return v[i] })
	case encoding.Int96:
		v := values.Int96()
		d.whole = pick(d.whole, from, len(v), func(i int) int64 { // nanoseconds of a day, and the day
			const of1970 = 2440588
			return (int64(v[i][2])-of1970)*86400e9 + int64(uint64(v[i][1])<<32|uint64(v[i][0]))
		})
	case encoding.Float:
		v := values.Float()
		d.short = pick(d.short, from, len(v), func(i int) float32 { return v[i] })
	case encoding.Double:
		v := values.Double()
		d.long = pick(d.long, from, len(v), func(i int) float64 { return v[i] })
	default:
		words := d.wordsOf(*values, from.index != nil)
		d.text = pick(d.text, from, len(words), func(i int) []byte { return words[i] })
	}
}

// wordsOf cuts bytes into values, those of a dictionary once.
func (d *spreader) wordsOf(values encoding.Values, dictionary bool) (words [][]byte) {
	if dictionary && d.words != nil {
		return d.words
	}
	if values.Kind() == encoding.ByteArray {
		data, ends := values.ByteArray()
		data = bytes.Clone(data)
		for k := 1; k < len(ends); k++ {
			words = append(words, data[ends[k-1]:ends[k]:ends[k]])
		}
	} else if data, size := values.FixedLenByteArray(); size > 0 {
		data = bytes.Clone(data)
		for ; len(data) >= size; data = data[size:] {
			words = append(words, data[:size:size])
		}
	}
	if dictionary {
		d.words = words
	}
	return words
}

// A picker says which of the values of a page or a dictionary stand where.
type picker struct {
	index  []int32 // in the dictionary; nil: there is none
	levels []byte  // nil: no value is a null
	full   byte    // the level of one that is none
	n      int
	room   int // for all pages
	nulls  bool
	err    error
}

// pick appends n values, zeros for nulls, of those that at returns.
func pick[T any](dst []T, p *picker, known int, at func(i int) T) []T {
	var zero T
	next := 0
	if dst == nil {
		dst = make([]T, 0, p.room)
	}
	for i := range p.n {
		if p.levels != nil && p.levels[i] != p.full {
			dst, p.nulls = append(dst, zero), true
			continue
		}
		k := next
		if p.index != nil {
			if next >= len(p.index) {
				p.err = fmt.Errorf("found %d values, expected more", next)
				return dst
			}
			k = int(p.index[next])
		}
		if k < 0 || k >= known {
			p.err = fmt.Errorf("found value %d of %d", k, known)
			return dst
		}
		dst = append(dst, at(k))
		next++
	}
	return dst
}

// cut gives the entries from before on their places in rows of lists.
func (d *spreader) cut(before int, starts, levels []byte, first bool) error {
	if len(starts) != d.entries-before {
		return fmt.Errorf("found %d levels of %d values", len(starts), d.entries-before)
	}
	if first {
		d.measure(starts, levels)
	}
	for k, start := range starts {
		if start == 0 {
			if err := d.endRow(); err != nil {
				return err
			}
			d.item = 0
			d.open = true
		}
		if levels[k] < d.present {
			for d.item < d.length {
				d.place, d.item = append(d.place, -1), d.item+1
			}
			continue
		}
		if d.item++; d.item <= d.length {
			d.place = append(d.place, int32(before+k))
		}
	}
	return nil
}

// measure takes the length of the first list that is not null for that of all.
func (d *spreader) measure(starts, levels []byte) {
	for k, start := range starts {
		if start != 0 || levels[k] < d.present {
			continue
		}
		for d.length = 1; k+d.length < len(starts) && starts[k+d.length] != 0; d.length++ {
		}
		return
	}
	d.refused = "lists of which the first rows have none"
}

// endRow ends the list that was read.
func (d *spreader) endRow() error {
	if !d.open {
		return nil
	}
	if d.open = false; d.item != d.length {
		return fmt.Errorf("row %d of its group: found a list of %d, expected %d as in the first row", d.rows+1, d.item, d.length)
	}
	d.rows++
	return nil
}

// end ends the last row, which may be cut off where only the first are read.
func (d *spreader) end(first bool) error {
	err := d.endRow()
	if first && err != nil && d.rows > 0 {
		return nil
	}
	return err
}
