package table

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/terms"
	"github.com/fenchel-ml/fenchel/matrix"
)

// complete gives the schema its categories and means, unless it is a model's.
func (t *table) complete(threads int) {
	if t.unknown > 0 {
		t.warnings = append(t.warnings, fmt.Errorf("%s unknown to the model (first: %s): ignored", fault.Plural(t.unknown, "category is", "categories are"), t.example))
	}
	if t.other != "" {
		t.warnings = append(t.warnings, fmt.Errorf("keys of some rows are unknown to the model (first: %q): ignored", t.other))
	}
	if t.unweighed > 0 {
		t.warnings = append(t.warnings, fmt.Errorf("%s of weight 0: left out", fault.Plural(t.unweighed, "row", "rows")))
	}
	if t.skipped > 0 {
		slips := ""
		if len(t.bareWords) > 0 {
			slips = fmt.Sprintf("; no numbers: %s", fault.Few(slices.Sorted(maps.Keys(t.bareWords))))
		}
		t.warnings = append(t.warnings, fmt.Errorf("%s without a target (first: %s%s): left out", fault.Plural(t.skipped, "row", "rows"), t.firstBare, slips))
	}
	if t.fixed {
		t.sayMissing()
		return
	}
	for i, at := range t.place {
		c := &t.schema.Columns[at]
		switch {
		case c.Kind == set.KindIgnored:
			continue
		case c.Text != nil:
			t.fit(i, c.Text, threads)
			continue
		case c.Category != nil:
			c.Category = t.words[i].words
			continue
		case t.recoded != nil && t.recoded[i] != nil:
			t.sumWords(i)
		}
		if known := t.count - t.missing[i]; known > 0 {
			c.Fill = t.sum[i] / float64(known)
		}
	}
}

// sayMissing says what the rows lack that a model is asked about. Of numbers the schema does
// not say whether some were missing when it was made.
func (t *table) sayMissing() {
	var words, numbers []string
	lacking, missing := 0, 0
	for i, at := range t.use {
		if at < 0 || t.answers.has(i) || t.content[i].missing == 0 {
			continue
		}
		switch c := t.schema.Columns[at]; {
		case c.Text != nil: // it has no terms
		case c.Kind == set.KindIgnored || slices.Contains(c.Category, set.MissingCategory):
		case c.Category != nil:
			words, lacking = append(words, c.Name), lacking+t.content[i].missing
		default:
			numbers, missing = append(numbers, c.Name), missing+t.content[i].missing
		}
	}
	if lacking > 0 {
		t.warnings = append(t.warnings, fmt.Errorf("%s missing where none was in the training data (%s): taken as none of the categories", fault.Plural(lacking, "category is", "categories are"), fault.Few(words)))
	}
	if missing > 0 && !t.observed {
		t.warnings = append(t.warnings, fmt.Errorf("%s missing (%s): the mean of the training data stands for each", fault.Plural(missing, "number is", "numbers are"), fault.Few(numbers)))
	}
}

// sumWords takes the sum of a slot of words that are numbers, and what is missing.
func (t *table) sumWords(slot int) {
	for _, p := range t.parts {
		for row := range p.rows {
			if v := t.recoded[slot][p.codes[slot][p.at(row, slot)-1]]; math.IsNaN(v) {
				t.missing[slot]++
			} else {
				t.sum[slot] += float64(float32(v))
			}
		}
	}
}

// gaps returns the numbers that are missing.
func (t *table) gaps() (gaps []set.Gap) {
	first, _ := t.schema.Places()
	for slot, at := range t.place {
		c, row := t.schema.Columns[at], 0
		words := t.recoded != nil && t.recoded[slot] != nil
		for _, p := range t.parts {
			for i := 0; i < p.rows && t.missing[slot] > 0 && c.Kind != set.KindIgnored && !c.IsWords(); i++ {
				if cell := p.at(i, slot); !words && cell == set.MissingBits || words && math.IsNaN(t.recoded[slot][p.codes[slot][cell-1]]) {
					gaps = append(gaps, set.Gap{uint32(row + i), uint32(first[at])})
				}
			}
			row += p.rows
		}
	}
	slices.SortFunc(gaps, func(a, b set.Gap) int { return slices.Compare(a[:], b[:]) })
	return gaps
}

// encoder returns what encodes the cells, and how many of the features are not zero at
// most.
func (t *table) encoder(threads int) (e *set.Encoder, nonzeros int64) {
	first, cols := t.schema.Places()
	e = &set.Encoder{Cols: cols, Same: cols == len(t.place)}
	for _, p := range t.parts {
		nonzeros += int64(p.filled)
	}
	for i, at := range t.place {
		c := t.schema.Columns[at]
		fill, none := float32(c.Fill), c.Kind == set.KindIgnored
		var value []float32
		if t.recoded != nil && t.recoded[i] != nil {
			value = t.values(i, fill)
		}
		switch {
		case none || value != nil:
			e.Odd, e.Same = true, false
			nonzeros -= t.zeros(i, value)
		case fill == 0:
			nonzeros -= int64(t.missing[i])
		}
		e.Add(first[at], c, value)
		if c.Text != nil {
			e.Texts[i] = set.NewTexts(c.Text, t.words[i].words, threads)
		}
	}
	return e, nonzeros
}

// values returns the value of each word of a slot of numbers.
func (t *table) values(slot int, fill float32) []float32 {
	value := make([]float32, len(t.recoded[slot]))
	for k, v := range t.recoded[slot] {
		if value[k] = float32(v) + 0; math.IsNaN(v) { // nor -0
			value[k] = fill
		}
	}
	return value
}

// zeros counts the cells of a slot that are not zero and become zero: values of words
// that are numbers, or all if there are none.
func (t *table) zeros(slot int, value []float32) (count int64) {
	for _, p := range t.parts {
		for row := range p.rows {
			if cell := p.at(row, slot); cell != 0 && (value == nil || value[p.codes[slot][cell-1]] == 0) {
				count++
			}
		}
	}
	return count
}

// encode makes the matrix: sparse if there are categories or mostly zeros.
func (t *table) encode(ctx context.Context, opt *set.Options) (matrix.Matrix, error) {
	t.missed = t.gaps()
	e, nonzeros := t.encoder(opt.Workers())
	if int64(e.Cols) > math.MaxUint32 {
		return nil, fault.In(t.in[0].Name, "found %d features, expected at most 2^32-1", e.Cols)
	}
	if len(t.vectors) > 0 || slices.ContainsFunc(e.Texts, func(x *set.Texts) bool { return x != nil }) {
		return t.encodeLong(ctx, e, opt)
	}
	categorical := slices.ContainsFunc(t.schema.Columns, func(c set.Column) bool { return c.IsWords() })
	if !categorical && t.schema.Crossings == nil && 2*nonzeros >= int64(t.count)*int64(e.Cols) {
		return t.encodeDense(ctx, e, opt)
	}
	return t.encodeSparse(ctx, e, opt)
}

// cross appends products of features to the rows.
func (t *table) cross(x matrix.Matrix, opt *set.Options) (matrix.Matrix, error) {
	s := t.schema
	for _, columns := range t.crossed {
		for _, at := range columns {
			if c := s.Columns[at]; c.Kind == set.KindIgnored || c.Width() == 0 {
				return nil, fault.In(t.in[0].Name, "cross column %q: found one that is ignored or makes no feature, expected one of features ('categorical', 'numeric' and 'text' keep one)", c.Name)
			}
		}
		s.Crossings = append(s.Crossings, terms.Crossing{Columns: columns, Bits: t.terms.Bits})
	}
	if t.crossed != nil {
		s.Crosser().Fit(x, opt.Workers())
	}
	cross := s.Crosser()
	if cross == nil {
		return x, nil
	}
	out, err := cross.Rows(x, opt.Workers())
	if err != nil {
		return nil, fault.In(t.in[0].Name, "%w", err)
	}
	return out, nil
}

// encodeLong makes the matrix of a table with texts or vectors.
func (t *table) encodeLong(ctx context.Context, e *set.Encoder, opt *set.Options) (matrix.Matrix, error) {
	vectors := t.vectorsOf()
	rows, ends := make([]matrix.Vector, len(t.parts)), make([][]int, len(t.parts))
	err := t.eachPart(ctx, opt, func(i int, p *tablePart) {
		x := matrix.Vector{Index: []uint32{}}
		p.eachRow(func(row int, slots, cell []uint32) {
			next := 0 // of the vectors
			for k, c := range cell {
				slot := set.SlotOf(slots, k)
				for ; next < len(vectors) && vectors[next].slot <= slot; next++ {
					x = vectors[next].append(x, p.vectors[next], row)
				}
				x = e.Append(x, p.codes[slot], slot, c)
			}
			for ; next < len(vectors); next++ {
				x = vectors[next].append(x, p.vectors[next], row)
			}
			ends[i] = append(ends[i], len(x.Value))
		})
		rows[i], p.vectors = x, nil
		p.drop()
	})
	if err != nil {
		return nil, err
	}
	all := 0
	for _, x := range rows {
		all += len(x.Value)
	}
	m := &matrix.CSR{Cols: e.Cols, Start: make([]int64, 1, t.count+1), Index: memory.Large[uint32](all)[:0], Value: memory.Large[float32](all)[:0]}
	for i, x := range rows {
		before := int64(len(m.Value))
		for _, end := range ends[i] {
			m.Start = append(m.Start, before+int64(end))
		}
		m.Index, m.Value = append(m.Index, x.Index...), append(m.Value, x.Value...)
		rows[i] = matrix.Vector{}
	}
	return t.small(m, vectors)
}

// eachPart calls do for the parts, in parallel, and gives back their memory.
func (t *table) eachPart(ctx context.Context, opt *set.Options, do func(i int, p *tablePart)) error {
	return lines.Each(ctx, opt.Workers(), len(t.parts), func(i int) error {
		do(i, t.parts[i])
		return nil
	})
}

// encodeDense makes the matrix of a table of numbers.
func (t *table) encodeDense(ctx context.Context, e *set.Encoder, opt *set.Options) (matrix.Matrix, error) {
	d := &matrix.Dense{Rows: t.count, Cols: e.Cols, Value: memory.Large[float32](t.count * e.Cols)}
	firstRow := make([]int, len(t.parts)+1)
	for i, p := range t.parts {
		firstRow[i+1] = firstRow[i] + p.rows
	}
	err := t.eachPart(ctx, opt, func(i int, p *tablePart) {
		values := d.Value[firstRow[i]*e.Cols : firstRow[i+1]*e.Cols]
		if p.column == nil && e.Same {
			memory.Populate(values)
			copy(values, memory.AsFloats(p.cell))
		}
		if p.column != nil || p.gaps() || !e.Same {
			p.eachRow(func(row int, slots, cell []uint32) {
				for k, c := range cell {
					slot := set.SlotOf(slots, k)
					if index, value := e.OddFeature(p.codes[slot], slot, c); !e.None[slot] {
						values[row*e.Cols+int(index)] = value
					}
				}
			})
		}
		p.drop()
	})
	return d, err
}

// encodeSparse makes the matrix of a table with categories or of mostly zeros.
func (t *table) encodeSparse(ctx context.Context, e *set.Encoder, opt *set.Options) (matrix.Matrix, error) {
	counts := make([]int, len(t.parts))
	gone := t.fixed || e.Odd // some cells that are not zero become nothing
	for i, n := range t.missing {
		gone = gone || n > 0 && e.Fill[i] == 0
	}
	err := t.eachPart(ctx, opt, func(i int, p *tablePart) {
		if !gone {
			counts[i] = p.filled
			return
		}
		p.eachRow(func(_ int, slots, cell []uint32) {
			for k, c := range cell {
				slot := set.SlotOf(slots, k)
				if _, value := e.OddFeature(p.codes[slot], slot, c); value != 0 {
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
	feature := e.Feature
	if e.Odd {
		feature = e.OddFeature
	}
	all := firstValue[len(t.parts)]
	m := &matrix.CSR{Cols: e.Cols, Start: make([]int64, t.count+1), Index: memory.Large[uint32](all), Value: memory.Large[float32](all)}
	err = t.eachPart(ctx, opt, func(i int, p *tablePart) {
		start, n := m.Start[firstRow[i]+1:], firstValue[i]
		p.eachRow(func(row int, slots, cell []uint32) {
			for k, c := range cell {
				slot := set.SlotOf(slots, k)
				if index, value := feature(p.codes[slot], slot, c); value != 0 {
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
