package table

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// probe has the chunk read again if the first rows of a column are so close to each other
// that its values are to be measured.
func (p *rowParser) probe() {
	o := p.out
	if p.probed || o.column != nil || o.rows == 0 {
		return
	}
	p.probed = true
	for column, role := range o.roles {
		if role > roleKept || p.wide[p.slot[column]].Load() {
			continue
		}
		if s := o.roughly(p.slot[column]); !s.Some || set.IsTight(s.Low, s.High) {
			p.tight[column], p.redo = true, true
		}
	}
}

// tighten has the chunk read again with a column measured that has a number too small for
// single precision.
func (p *rowParser) tighten(column int) {
	if p.measures && p.out.column == nil && !p.wide[p.slot[column]].Load() {
		p.tight[column], p.redo = true, true
	}
}

// roughly is the spread of the first rows of a slot after they were rounded.
func (c *cells) roughly(slot int) (s set.Spread) {
	for row := range min(c.rows, set.ProbeRows) {
		if v := c.cell[row*c.width+slot]; v != set.MissingBits {
			s.Add(float64(set.AsNumber(v)))
		}
	}
	return s
}

// measure reads a number of a column that is measured, up to its delimiter, if it has a
// common spelling.
func (p *rowParser) measure(column, at int, want byte) (cell uint32, end int, ok bool) {
	w := p.w
	if w.At(at) == ' ' {
		at++
	}
	if p.out.roles[column] == roleInteger && w.At(at) == '0' && w.At(at+1)-'0' <= 9 {
		return 0, 0, false // it may be a code
	}
	d, end, ok := w.Decimal(at)
	if !ok || w.At(end) != want {
		return 0, 0, false
	}
	exact, sure := d.Float64()
	if size := math.Abs(exact); !sure || decimal.NearMiddle(exact) || !(size <= math.MaxFloat32) || size < 0x1p-126 {
		return 0, 0, false
	}
	cell = math.Float32bits(float32(exact))
	p.note(p.slot[column], exact, cell)
	return cell, end, true
}

// note takes the value of a cell before it was rounded. It is kept once one differs.
func (p *rowParser) note(slot int, v float64, cell uint32) {
	o := p.out
	o.spread[slot].Add(v)
	if o.exact[slot] == nil {
		if float64(set.AsNumber(cell)) == v || o.column != nil || p.strict {
			return
		}
		o.exact[slot] = make([]float64, p.most)
		for row := range o.rows {
			o.exact[slot][row] = float64(set.AsNumber(o.at(row, slot)))
		}
	}
	o.exact[slot][o.rows] = v
}

// measured ends the measuring of a chunk. Sparse rows leave out zeros: they have none.
func (p *rowParser) measured() {
	o := p.out
	for column, role := range o.roles {
		if role > roleKept {
			continue
		}
		slot := p.slot[column]
		s := &o.spread[slot]
		if s.Settle(); !p.tight[column] || o.column != nil {
			*s = set.Spread{Wide: o.column != nil || !o.zeros(slot), Some: true}
		}
		if s.Wide {
			o.exact[slot] = nil
			p.wide[slot].Store(true)
		}
	}
}

// zeros reports whether a slot of dense rows has zeros alone: they tell nothing of the others.
func (c *cells) zeros(slot int) bool {
	for row := range c.rows {
		if v := c.cell[row*c.width+slot]; v != 0 && v != set.MissingBits {
			return false
		}
	}
	return true
}

// move takes offsets off the columns of numbers that need one, and multiplies those that are
// too small.
func (t *table) move(opt *set.Options) {
	var note set.OffsetNote
	for slot, at := range t.place {
		c := &t.schema.Columns[at]
		if !t.measures || c.Kind == set.KindIgnored || c.IsWords() {
			continue
		}
		words := t.recoded != nil && t.recoded[slot] != nil
		s := t.spread[slot]
		if words {
			s = t.spreadOfWords(slot)
		}
		offset := s.Offset()
		factor := s.Factor(offset)
		switch {
		case offset == 0 && factor == 0:
			continue
		case opt.Unmoved:
			t.rounding = max(t.rounding, s.Rounding())
			if s.Matters() {
				t.warnings = append(t.warnings, s.Lost(set.ColumnNamed(c.Name)))
			}
			continue
		}
		if c.Offset, c.Factor = offset, factor; words {
			for k := range t.recoded[slot] {
				t.recoded[slot][k] = c.Stored(t.recoded[slot][k])
			}
		} else {
			t.moveCells(slot, c)
		}
		note.Add(s, c)
	}
	t.warnings = append(t.warnings, note.Warning()...)
	for _, p := range t.parts {
		p.exact = nil
	}
}

// spreadOfWords is the spread of a slot of words that are numbers.
func (t *table) spreadOfWords(slot int) (s set.Spread) {
	for _, v := range t.recoded[slot] {
		if !math.IsNaN(v) {
			s.Add(v)
		}
	}
	s.Settle()
	return s
}

// moveCells makes of the numbers of a slot what their column stores.
func (t *table) moveCells(slot int, c *set.Column) {
	t.sum[slot] = 0
	for _, p := range t.parts {
		for row := range p.rows {
			cell := p.ref(row, slot)
			if cell == nil || *cell == set.MissingBits { // zero stays zero where there is no offset
				continue
			}
			v := float64(set.AsNumber(*cell))
			if p.exact[slot] != nil {
				v = p.exact[slot][row]
			}
			before := *cell
			rest := float32(c.Stored(v)) + 0 // nor -0
			if *cell = math.Float32bits(rest); rest == 0 && before != 0 {
				p.filled--
			} else if rest != 0 && before == 0 {
				p.filled++
			}
			t.sum[slot] += float64(rest)
		}
	}
}
