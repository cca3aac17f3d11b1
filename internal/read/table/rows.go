package table

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// parse reads the rows of a chunk. A column found to be one of categories
// makes it begin again, at the latest when twice as many rows have been read.
func (t *table) parse(c *lines.Chunk) (*tablePart, error) {
	p := t.parser(c)
	if tooFew(p.most, len(t.place), len(c.Text)) {
		return nil, fault.At(c.Name, c.Line, 0, "%w", errTooFew)
	}
	for {
		p.begin()
		if err := p.readAll(); err != nil {
			p.arena.Keep(p.out.memory, 0)
			return nil, err
		}
		if p.probe(); !p.redo {
			p.finish()
			return p.out, nil
		}
	}
}

// parser returns what reads the rows of a chunk.
func (t *table) parser(c *lines.Chunk) *rowParser {
	p := &rowParser{table: t, c: c, w: decimal.NewWindow(c.Padded())}
	p.most = min(c.Lines, len(c.Text)/len(t.names)+1) // a field and what ends it are a byte at least
	if r, ok := t.rows.(objectRows); ok {             // or absent
		p.most = r.most(c)
	} else if c.Frame != nil {
		p.most = c.Lines
	}
	p.out = &tablePart{chunk: c, name: c.Name, roles: slices.Clone(t.roles), cells: cells{width: len(t.place)}}
	for i := range t.text {
		if t.text[i].Load() {
			p.out.roles[i] = roleCategory
		}
	}
	p.tight, p.probed = make([]bool, len(t.roles)), !t.measures
	return p
}

// begin forgets all rows.
func (p *rowParser) begin() {
	o := p.out
	p.redo = false
	p.paths = append(p.paths[:0], o.roles...)
	for i, tight := range p.tight {
		switch {
		case o.roles[i] > roleInteger:
		case p.misses: // no number is read without a look at its spelling
			p.paths[i] = roleKept
		case tight:
			p.paths[i] = roleMeasured
		}
	}
	o.reset()
	*o = tablePart{chunk: o.chunk, name: o.name, roles: o.roles, cells: o.cells, labels: set.NewLabels(p.most), fields: make([]fieldTexts, len(p.kept)), spread: make([]set.Spread, o.width), exact: make([][]float64, o.width),
		content: make([]content, len(o.roles)), words: make([]dictionary, o.width), missing: make([]int, o.width), vectors: make([]vectorRows, len(p.vectors))}
}

// finish leaves zeros out if they are the most, and ends the loan of memory.
func (p *rowParser) finish() {
	o := p.out
	p.measured()
	small := false // zeros may be other numbers
	for slot, s := range o.spread {
		small = small || o.exact[slot] != nil && s.Small()
	}
	if 2*o.filled < o.rows*o.width && !small {
		o.thin(p.arena)
	}
	p.arena.Keep(o.memory, (len(o.cell)+1)/2)
}

func (p *rowParser) readAll() error {
	for at, end := 0, len(p.c.Text); at < end; {
		next, kind := p.rows.begin(p.c, at)
		var err error
		if kind == noRow || (p.skip || p.weightless.Load()) && p.leftOut(at, &next, kind != denseRow) {
			if at = next; len(p.out.blank) < 1<<10 { // no more memory than rows of such a chunk take
				p.out.blank = append(p.out.blank, p.out.cells.rows)
			}
			continue
		}
		switch kind {
		case denseRow:
			p.out.reserve(p.arena, p.most)
			next, err = p.dense(at, next)
		case sparseRow:
			p.out.thin(p.arena)
			next, err = p.sparse(next)
		case recordRow:
			p.out.reserve(p.arena, p.most)
			next, err = p.record(next)
		case frameRow:
			p.out.reserve(p.arena, p.most)
			next, err = next+1, p.frame(next)
		}
		if kind != noRow && err == nil {
			err = p.weigh(at, next)
		}
		if err != nil {
			return err
		}
		at = next
		rows := p.out.cells.rows
		if rows == set.ProbeRows {
			p.probe()
		}
		if p.redo && rows&(rows-1) == 0 {
			return nil
		}
	}
	return nil
}

// leftOut reports whether the row that begins at at has the weight 0, or no target where such rows
// are left out; next is then behind it.
func (p *rowParser) leftOut(at int, next *int, sparse bool) bool {
	fields, end, err := p.rows.row(p.c, at, nil)
	if err != nil || !sparse && len(fields) != len(p.names) {
		return false
	}
	if p.weightless.Load() {
		from, to := p.rows.weight(p.c.Text[at:end])
		k := slices.IndexFunc(fields, func(f field) bool { return f.column == p.weight })
		if k >= 0 && isZero(fields[k].text) || to > 0 && isZero(bytes.TrimSpace(p.c.Text[at+from:at+to])) {
			p.out.weightless++
			*next = end
			return true
		}
	}
	k := slices.IndexFunc(fields, func(f field) bool {
		_, bare := p.bareWords[string(f.text)]
		bare = f.column == p.target && (bare || f.missing && !set.MayBeLabel(f.text) || p.isAlso(f.text))
		return bare || slices.Contains(p.further, f.column) && p.isMissing(f)
	})
	if !p.skip || k < 0 {
		return false
	}
	if p.out.skipped++; p.out.skipped == 1 {
		p.out.firstBare = p.c.Place(fields[k].at)
	}
	*next = end
	return true
}

// dense reads the row that begins at start and whose first field stands at at.
// All speed of reading tables is here: a number that goes up to the delimiter
// needs no field made of it.
func (p *rowParser) dense(start, at int) (next int, err error) {
	w, row, delimiter := p.w, p.out.next(), p.rows.delimiter()
	roles, filled := p.paths, uint32(0)
	for column, role := range roles {
		want := delimiter
		if column == len(roles)-1 {
			want = '\n'
		}
		if role <= roleInteger {
			if w.At(at) == ' ' {
				at++
			}
			bits, end, ok := uint32(0), at+1, false
			if digit := w.At(at) - '0'; digit <= 9 && w.At(end) == want {
				bits, ok = math.Float32bits(float32(int32(digit))), true
			} else if bits, end, ok = w.ShortNumber(at); !ok || w.At(end) != want {
				bits, end, ok = w.LongNumber(at)
				ok = ok && w.At(end) == want
			}
			if ok && (role == roleNumber || w.At(at) != '0' || w.At(at+1)-'0' > 9) {
				magnitude := bits << 1
				some := (magnitude | -magnitude) >> 31 // 1 unless the number is 0 or -0
				row[p.slot[column]] = bits & -some
				filled += some
				at = end + 1
				continue
			}
		}
		if role == roleMeasured {
			if cell, end, ok := p.measure(column, at, want); ok {
				row[p.slot[column]] = cell
				filled += (cell | -cell) >> 31
				at = end + 1
				continue
			}
		}
		cell, end, err := p.fieldCell(column, start, at, want)
		if err != nil {
			return 0, err
		}
		if role <= roleSpelled {
			row[p.slot[column]] = cell
			filled += (cell | -cell) >> 31
		}
		at = end + 1
	}
	p.out.close(int(filled))
	return at, nil
}

// weigh notes the weight of the last row that is in no column. Rows without one have 1.
func (p *rowParser) weigh(at, next int) error {
	from, to := p.rows.weight(p.c.Text[at:next])
	if to == 0 || p.unweighted {
		return nil
	}
	o := p.out
	if p.weight >= 0 {
		return p.c.Errorf(at+from, "a weight behind the row", "weights in one place: the column of them is given too")
	}
	o.weights = withOnes(o.weights, o.rows-1)
	return p.addWeight(at+from, bytes.TrimSpace(p.c.Text[at+from:at+to]))
}

// explain returns what is wrong with a row: its syntax, else its width, else
// what was found in a field.
func (p *rowParser) explain(start int, found error) error {
	fields, _, err := p.rows.row(p.c, start, nil)
	switch {
	case err != nil:
		return err
	case len(fields) != len(p.names):
		return p.c.Errorf(start, fault.Plural(len(fields), "field", "fields"), fmt.Sprint(len(p.names)))
	}
	return found
}

// sparse reads a row that leaves out zeros.
func (p *rowParser) sparse(start int) (next int, err error) {
	fields, next, err := p.rows.row(p.c, start, nil)
	if err != nil {
		return 0, err
	}
	o := p.out
	fields = p.fill(fields, start)
	o.sparse += len(fields)
	if !slices.IsSorted(p.use) { // columns matched by name
		slices.SortFunc(fields, func(a, b field) int { return p.use[a.column] - p.use[b.column] })
	}
	for _, f := range fields {
		cell, err := p.cell(f)
		if err != nil {
			return 0, err
		}
		if cell != 0 {
			o.appendCell(p.slot[f.column], cell)
		}
	}
	o.endRow()
	return next, nil
}

// fill adds what a sparse row leaves out and zero does not stand for.
func (t *table) fill(fields []field, at int) []field {
	given := len(fields)
	next := 0
	for column, k := range t.kinds {
		if next < given && fields[next].column == column {
			next++
			continue
		}
		if k.fills() || t.answers.has(column) {
			fields = append(fields, field{column: column, at: at, text: k.omitted})
		}
	}
	if len(fields) > given {
		slices.SortFunc(fields, func(a, b field) int { return a.column - b.column })
	}
	return fields
}

// fieldCell makes a cell of the field at at, whatever stands there.
func (p *rowParser) fieldCell(column, start, at int, want byte) (cell uint32, end int, err error) {
	f, end, err := p.rows.field(p.c, at)
	if err != nil {
		return 0, 0, err
	}
	f.column = column
	if cell, err = p.cell(f); err != nil || p.w.At(end) != want {
		return 0, 0, p.explain(start, err)
	}
	return cell, end, nil
}
