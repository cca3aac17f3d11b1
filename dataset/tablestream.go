package dataset

import (
	"context"
	"fmt"
	"math"
)

// Streams of tables: columns are numbers, by declaration or until a field is
// not, which is an error then.

var _, _ streamer = csv{}, arff{}

func (f csv) stream(ctx context.Context, in []*Input, opt *Options, b *blocks) error {
	t, err := f.open(in, opt)
	if err != nil {
		return err
	}
	return t.stream(ctx, opt, b, func(column int) bool {
		_, first, later, err := t.rows.(csvRows).firstRows(in[0])
		if err != nil {
			return false // found again when the rows are read
		}
		for _, row := range append(later, first) {
			if column < len(row) && !row[column].missing {
				if _, status := parseFloat32(row[column].text); status == isText || isCode(row[column].text) && t.roles[column] == roleInteger {
					return true
				}
			}
		}
		return false
	})
}

func (f arff) stream(ctx context.Context, in []*Input, opt *Options, b *blocks) error {
	t, err := f.open(in)
	if err != nil {
		return err
	}
	return t.stream(ctx, opt, b, func(column int) bool { return t.kinds[column].kind == kindCategory })
}

// stream gives the rows of a table of numbers as they come. If the schema or
// else holdsText finds a column of categories, all rows are read first.
func (t *table) stream(ctx context.Context, opt *Options, b *blocks, holdsText func(column int) bool) error {
	unread := *t
	if err := t.plan(opt); err != nil {
		return err
	}
	t.assign()
	for i, role := range t.roles {
		if role == roleCategory || role <= roleInteger && !t.fixed && holdsText(i) {
			s, err := unread.read(ctx, opt)
			return b.readAll(t.in[0].Name, s, err)
		}
		if role == roleTarget || role == roleWeight {
			t.roles[i] = roleIgnored
		}
		if role == roleInteger {
			t.roles[i] = roleNumber
		}
	}
	if !t.fixed {
		t.schema, t.fixed, t.strict = &Schema{Target: t.target, Weight: t.weight, Header: t.header}, true, true
		for i := range t.names {
			t.schema.Columns = append(t.schema.Columns, t.column(i))
			t.open[i] = false
		}
	}
	if len(t.place) == 0 {
		return fmt.Errorf("%s: found no column of features, expected at least one", t.in[0].Name)
	}
	if err := b.fix(t.in[0].Name, len(t.place)); err != nil {
		return err
	}
	b.to.Feature, b.to.Warnings = t.schema.features(), t.warnings
	s := newSplitter(t.in, opt, t.rows.last)
	s.free = make(chan []byte, opt.workers()+1)
	t.arena = newArena(opt.workers())
	defer t.arena.close()
	return parseChunks(ctx, s, opt.workers(), t.parseNumbers, func(p *tablePart) error { return t.give(p, b) })
}

// parseNumbers reads the rows of a chunk, up to one that is bad.
func (t *table) parseNumbers(c *chunk) (*tablePart, error) {
	p := t.parser(c)
	p.begin()
	if err := p.readAll(); err != nil && p.out.bad == nil {
		p.out.bad, p.out.badRow = err, p.out.rows
	}
	p.finish()
	p.out.chunk = nil
	return p.out, nil
}

// give gives the rows of a part to a stream, up to one that is bad.
func (t *table) give(p *tablePart, b *blocks) error {
	defer p.drop()
	fill := p.gaps()
	var err error
	p.eachRow(func(row int, slots, cell []uint32) {
		switch {
		case err != nil:
		case p.bad != nil && row == p.badRow:
			err = p.bad
		case slots == nil && !fill:
			err = b.denseRow(asNumbers(cell))
		default:
			err = b.someRow(slots, t.filled(slots, cell))
		}
	})
	if err == nil {
		err = p.bad // behind the last row
	}
	return err
}

// filled puts the numbers of the schema in the place of missing ones.
func (t *table) filled(slots, cell []uint32) []uint32 {
	for k, c := range cell {
		if c == missingBits {
			cell[k] = math.Float32bits(float32(t.schema.Columns[t.place[slotOf(slots, k)]].Fill))
		}
	}
	return cell
}
