package table

import (
	"context"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// readWhole is read, of objects too.
func (t *table) readWhole(ctx context.Context, opt *set.Options) (*set.Set, error) {
	if _, ok := t.rows.(objectRows); ok {
		return t.readObjects(ctx, opt)
	}
	return t.read(ctx, opt)
}

// read turns the rows into a set.
func (t *table) read(ctx context.Context, opt *set.Options) (*set.Set, error) {
	if err := t.plan(opt); err != nil {
		return nil, err
	}
	t.plain = opt.Precomputed || opt.Columns > 0
	t.measures = !t.fixed && !opt.Precomputed && (opt.Columns == 0 || opt.Unmoved)
	t.assign()
	if err := t.passes(ctx, opt); err != nil {
		return nil, err
	}
	t.dropTargets()
	if err := t.fault(); err != nil {
		return nil, err
	}
	if err := t.settle(opt); err != nil {
		return nil, err
	}
	if err := t.numbersOnly(opt); err != nil {
		return nil, err
	}
	target, err := t.labels()
	if err == nil && t.schema.Further != nil {
		target, err = t.several(target)
	}
	if err != nil {
		return nil, err
	}
	t.move(opt)
	t.complete(opt.Workers())
	x, err := t.encode(ctx, opt)
	if err == nil {
		x, err = t.cross(x, opt)
	}
	if err != nil {
		return nil, err
	}
	out := &set.Set{X: x, Target: target, TargetBy: t.targetBy(), Weight: t.weights, Feature: t.schema.Features(), Schema: t.schema, Gaps: t.missed, Warnings: t.warnings, Rounding: t.rounding, Moved: true}
	if err := t.keep(out, opt.ID != ""); err != nil {
		return nil, err
	}
	if opt.Columns > 0 {
		out.Fit(opt.Columns)
	}
	return out, nil
}

// keep gives a set the fields of the columns to be kept, the first of which may be the id.
func (t *table) keep(out *set.Set, id bool) error {
	for k, column := range t.kept {
		c := set.Kept{Name: t.keptNames[k], Fields: t.gathered.fields[k].all()}
		if t.header {
			c.Name = t.names[column]
		}
		if len(c.Fields) != t.count {
			return fault.In(t.in[0].Name, "column %q: found %s for %s, expected one in each row", t.names[column], fault.Plural(len(c.Fields), "field", "fields"), fault.Plural(t.count, "row", "rows"))
		}
		if k == 0 && id {
			out.ID, out.IDName = c.Fields, c.Name
		} else {
			out.Kept = append(out.Kept, c)
		}
	}
	return nil
}

// passes reads the rows as often as it takes to know what the columns are.
func (t *table) passes(ctx context.Context, opt *set.Options) error {
	s := t.splitter(opt)
	_, behind := t.rows.(arffRows)
	_, framed := t.rows.(frameRows)
	keep := !framed && (t.skip || t.weight >= 0 || behind || slices.Contains(t.open, true)) && slices.ContainsFunc(t.in, func(in *file.Input) bool { return in.Again == nil })
	for _, in := range t.in {
		in.Mark()
	}
	if err := t.pass(ctx, s, keep, opt); err != nil {
		return err
	}
	if t.late() || t.weightless.Load() {
		if err := t.passAgain(ctx, keep, opt); err != nil {
			return err
		}
	}
	if t.fixed || t.plain {
		t.readTargets()
	} else if t.readWords() {
		if err := t.passAgain(ctx, keep, opt); err != nil {
			return err
		}
		t.readWords()
	}
	return nil
}

// numbersOnly refuses categories where a model knows features, but none by the
// name of a category: those of this table would be others.
func (t *table) numbersOnly(opt *set.Options) error {
	if t.fixed || opt.Columns == 0 {
		return nil
	}
	for i, c := range t.schema.Columns {
		if c.IsWords() {
			first := "categories"
			if found := t.content[i]; found.text != "" {
				first = found.text + " at " + found.place.String()
			}
			return fault.In(t.in[0].Name, "column %q: found %s, expected numbers: the model knows %s without names", c.Name, first, fault.Plural(opt.Columns, "feature", "features"))
		}
	}
	return nil
}

// pass parses all chunks of s and gathers what is in them.
func (t *table) pass(ctx context.Context, s *lines.Splitter, keep bool, opt *set.Options) error {
	t.gathered = t.gather()
	if !keep {
		s.Free = make(chan []byte, opt.Workers()+1)
	}
	t.arena = memory.NewArena(opt.Workers())
	defer t.arena.Close()
	r, objects := t.rows.(objectRows)
	apart := objects && !r.alone
	err := lines.Parse(ctx, s, opt.Workers(), t.parse, func(p *tablePart) error {
		if p.line, p.lines = p.chunk.Line, p.chunk.Lines; apart {
			p.lines = -1 // a row may have several, and a line several rows
		}
		if !keep {
			p.chunk = nil
		}
		return t.take(p)
	})
	if t.weights != nil {
		t.weights = withOnes(t.weights, t.count)
	}
	if err == nil && t.count == 0 {
		err = fault.In(t.in[0].Name, "found no rows, expected at least one")
	}
	return err
}

// late reports whether a column of categories was taken for numbers where
// nothing spoke against it. From now on its role is known.
func (t *table) late() bool {
	for i := range t.roles {
		if t.text[i].Load() {
			t.roles[i] = roleCategory
		}
	}
	return slices.ContainsFunc(t.parts, func(p *tablePart) bool { return !slices.Equal(p.roles, t.roles) })
}

// passAgain reads the input once more: from the file, or from the chunks that
// were kept because there is none.
func (t *table) passAgain(ctx context.Context, kept bool, opt *set.Options) error {
	t.late()
	s, unweighed, skipped := t.splitter(opt), t.unweighed, t.skipped
	if kept { // chunks that have rows
		s.In = nil
		for _, p := range t.parts {
			s.Again = append(s.Again, p.chunk)
		}
		err := t.pass(ctx, s, true, opt)
		t.unweighed, t.skipped = max(t.unweighed, unweighed), max(t.skipped, skipped)
		return err
	}
	for _, in := range t.in {
		in.Rewind()
	}
	rows := t.count
	if err := t.pass(ctx, s, false, opt); err != nil {
		return err
	}
	if t.count != rows && t.bareWords == nil && !t.weightless.Load() || t.late() {
		return fault.In(t.in[0].Name, "found other rows when reading it a second time, expected a file that does not change")
	}
	return nil
}
