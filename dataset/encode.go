package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/matrix"
)

// complete gives the schema its categories and means, unless it is a model's.
func (t *table) complete() {
	if t.unknown > 0 {
		t.warnings = append(t.warnings, fmt.Errorf("%s unknown to the model (first: %s): ignored", plural(t.unknown, "category is", "categories are"), t.example))
	}
	if t.fixed {
		return
	}
	for i, at := range t.place {
		c := &t.schema.Columns[at]
		if c.Category != nil {
			c.Category = t.words[i].words
		} else if known := t.count - t.missing[i]; known > 0 {
			c.Fill = t.sum[i] / float64(known)
		}
	}
}

// An encoder turns cells into features.
type encoder struct {
	first []int     // feature of each slot
	fill  []float32 // of each slot
	cols  int
}

// encode makes the matrix: sparse if there are categories or mostly zeros.
func (t *table) encode(ctx context.Context, opt *Options) (matrix.Matrix, error) {
	first, cols := t.schema.places()
	if int64(cols) > math.MaxUint32 {
		return nil, fmt.Errorf("%s: found %d features, expected at most 2^32-1", t.in[0].Name, cols)
	}
	e := &encoder{cols: cols}
	nonzeros := int64(0)
	for _, p := range t.parts {
		nonzeros += int64(p.filled)
	}
	for i, at := range t.place {
		e.first, e.fill = append(e.first, first[at]), append(e.fill, float32(t.schema.Columns[at].Fill))
		if e.fill[i] == 0 {
			nonzeros -= int64(t.missing[i])
		}
	}
	categorical := slices.ContainsFunc(t.schema.Columns, func(c Column) bool { return c.Category != nil })
	if !categorical && 2*nonzeros >= int64(t.count)*int64(cols) {
		return t.encodeDense(ctx, e, opt)
	}
	return t.encodeSparse(ctx, e, opt)
}

// feature returns what a cell becomes; zero stands for nothing.
func (e *encoder) feature(codes []uint32, slot int, cell uint32) (index uint32, value float32) {
	index = uint32(e.first[slot])
	switch {
	case codes == nil && cell == missingBits:
		return index, e.fill[slot]
	case codes == nil:
		return index, asNumber(cell)
	case codes[cell-1] == noCategory:
		return index, 0
	}
	return index + codes[cell-1], 1
}

// eachPart calls do for the parts, in parallel, and gives back their memory.
func (t *table) eachPart(ctx context.Context, opt *Options, do func(i int, p *tablePart)) error {
	return each(ctx, opt.workers(), len(t.parts), func(i int) error {
		do(i, t.parts[i])
		return nil
	})
}

// encodeDense makes the matrix of a table of numbers.
func (t *table) encodeDense(ctx context.Context, e *encoder, opt *Options) (matrix.Matrix, error) {
	d := &matrix.Dense{Rows: t.count, Cols: e.cols, Value: large[float32](t.count * e.cols)}
	firstRow := make([]int, len(t.parts)+1)
	for i, p := range t.parts {
		firstRow[i+1] = firstRow[i] + p.rows
	}
	err := t.eachPart(ctx, opt, func(i int, p *tablePart) {
		values := d.Value[firstRow[i]*e.cols : firstRow[i+1]*e.cols]
		if p.column == nil {
			populate(values)
			copy(values, asNumbers(p.cell))
		}
		if p.column != nil || p.gaps() {
			p.eachRow(func(row int, slots, cell []uint32) {
				for k, c := range cell {
					slot := slotOf(slots, k)
					_, values[row*e.cols+slot] = e.feature(nil, slot, c)
				}
			})
		}
		p.drop()
	})
	return d, err
}

// encodeSparse makes the matrix of a table with categories or of mostly zeros.
func (t *table) encodeSparse(ctx context.Context, e *encoder, opt *Options) (matrix.Matrix, error) {
	counts := make([]int, len(t.parts))
	gone := t.fixed // some cells that are not zero become nothing
	for i, n := range t.missing {
		gone = gone || n > 0 && e.fill[i] == 0
	}
	err := t.eachPart(ctx, opt, func(i int, p *tablePart) {
		if !gone {
			counts[i] = p.filled
			return
		}
		p.eachRow(func(_ int, slots, cell []uint32) {
			for k, c := range cell {
				slot := slotOf(slots, k)
				if _, value := e.feature(p.codes[slot], slot, c); value != 0 {
					counts[i]++
				}
			}
		})
	})
	if err != nil {
		return nil, err
	}
	firstRow, firstValue := make([]int, len(t.parts)+1), make([]int, len(t.parts)+1)
	for i, p := range t.parts {
		firstRow[i+1], firstValue[i+1] = firstRow[i]+p.rows, firstValue[i]+counts[i]
	}
	all := firstValue[len(t.parts)]
	m := &matrix.CSR{Cols: e.cols, Start: make([]int64, t.count+1), Index: large[uint32](all), Value: large[float32](all)}
	err = t.eachPart(ctx, opt, func(i int, p *tablePart) {
		start, n := m.Start[firstRow[i]+1:], firstValue[i]
		p.eachRow(func(row int, slots, cell []uint32) {
			for k, c := range cell {
				slot := slotOf(slots, k)
				if index, value := e.feature(p.codes[slot], slot, c); value != 0 {
					m.Index[n], m.Value[n] = index, value
					n++
				}
			}
			start[row] = int64(n)
		})
		p.drop()
	})
	return m, err
}
