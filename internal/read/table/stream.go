package table

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/stream"
	"github.com/fenchel-ml/fenchel/internal/read/terms"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Streams of tables: columns are numbers, by declaration or until a field is
// not, which is an error then. Of rows that are to be learned from, those of words are hashed.

var _, _ stream.Streamer = CSV{}, arff{}

func (f CSV) Stream(ctx context.Context, in []*file.Input, opt *set.Options, b *stream.Blocks) error {
	t, err := f.open(in, opt)
	if err != nil {
		return err
	}
	_, first, later, err := t.rows.(csvRows).firstRows(in[0])
	if err != nil {
		later = nil // found again when the rows are read
	}
	return t.stream(ctx, opt, b, append([][]field{first}, later...))
}

func (f arff) Stream(ctx context.Context, in []*file.Input, opt *set.Options, b *stream.Blocks) error {
	t, err := f.open(in)
	if err != nil {
		return err
	}
	return t.stream(ctx, opt, b, nil)
}

// holdsText reports whether a column of categories or codes shows in the first rows.
func (t *table) holdsText(first [][]field, column int) bool {
	return slices.ContainsFunc(first, func(row []field) bool {
		if column >= len(row) || t.isMissing(row[column]) {
			return false
		}
		_, status := decimal.Float32(row[column].text)
		return status == decimal.Text || set.IsCode(row[column].text) && t.roles[column] == roleInteger
	})
}

// ignoreNumbers leaves out the columns that number the first rows, or by their name and these
// are ids: later ones are not known when the first are given. So integers in random order are
// ids only where the name says so.
func (t *table) ignoreNumbers(first [][]field) {
	var names []string
	var columns []int
	how := "consecutive"
	features := 0
	for i, name := range t.names {
		if t.answers.has(i) || t.kinds[i].asked == askedIgnore {
			continue
		}
		features++
		enough := len(first) >= leastRows(name)
		numbered := t.kinds[i].unnamed && areWhole(first, i) || enough && !namesTime(name) && areNumbered(first, i)
		if !numbered && enough && namesRows(name) && areWhole(first, i) && allDiffer(first, i) {
			numbered, how = true, "different"
		}
		if numbered && t.kinds[i].asked == askedNothing {
			names, columns = append(names, name), append(columns, i)
		}
	}
	if len(columns) == 0 || len(columns) == features {
		return
	}
	for _, i := range columns {
		t.kinds[i].asked = askedIgnore
	}
	t.warnings = append(t.warnings, fmt.Errorf("%s: %s integers in the first rows, as of an id: ignored (to keep: 'numeric=%s')", fault.Quoted(names), how, strings.Join(names, ",")))
}

// areNumbered reports whether the fields of a column are consecutive integers.
func areNumbered(rows [][]field, column int) bool {
	fields := make([]field, 0, len(rows))
	columns := make([]int, len(rows))
	for i, row := range rows {
		if column >= len(row) {
			return false
		}
		fields, columns[i] = append(fields, row[column]), i
	}
	return areConsecutive(fields, columns)
}

// allDiffer reports whether no two fields of a column have the same text.
func allDiffer(rows [][]field, column int) bool {
	seen := map[string]bool{}
	for _, row := range rows {
		seen[string(row[column].text)] = true
	}
	return len(seen) == len(rows)
}

// areWhole reports whether the fields of a column are integers.
func areWhole(rows [][]field, column int) bool {
	return !slices.ContainsFunc(rows, func(row []field) bool {
		return column >= len(row) || row[column].missing || !set.AreDigits(row[column].text)
	})
}

// stream gives the rows of a table as they come. All rows are read first where their features depend on all: of products, and of columns
// of words, by the schema or else the first rows, that are not hashed.
func (t *table) stream(ctx context.Context, opt *set.Options, b *stream.Blocks, first [][]field) error {
	unread := *t
	unread.kinds = slices.Clone(t.kinds)
	if err := t.plan(opt); err != nil {
		return err
	}
	t.assign()
	words := t.wordColumns(first)
	if opt.Terms.Crossed != nil || t.schema != nil && t.schema.Crossings != nil || len(words) > 0 && (opt.Bits == 0 || !t.hashes(words)) {
		s, err := unread.readWhole(ctx, opt)
		return b.ReadAll(t.in[0].Name, s, err)
	}
	if !t.fixed && opt.Columns == 0 {
		t.ignoreNumbers(first)
		t.place = nil
		t.assign()
	}
	if !t.fixed {
		if err := t.settleFirst(words, first, opt); err != nil {
			return err
		}
	}
	if t.featuresAlone(opt.Bits > 0); opt.Bits > 0 && (t.target < 0 || t.further != nil) {
		return fault.In(t.in[0].Name, "found %s, expected the column of one", fault.Plural(len(t.further)+min(1, t.target+1), "target", "targets"))
	}
	if len(t.place) == 0 {
		return fault.In(t.in[0].Name, "found no column of features, expected at least one")
	}
	return t.giveAll(ctx, opt, b, len(words) > 0)
}

// giveAll gives the rows of a table with a schema, of which some columns may hold words.
func (t *table) giveAll(ctx context.Context, opt *set.Options, b *stream.Blocks, words bool) error {
	cols := len(t.place)
	if words {
		cols = t.schema.Width()
	} else {
		b.To.Feature = t.schema.Features()
	}
	if err := b.Fix(t.in[0].Name, cols); err != nil {
		return err
	}
	b.To.Schema, b.To.Warnings, t.gathered = t.schema, t.warnings, t.gather()
	s := lines.NewSplitter(t.in, opt.Chunk, t.rows.last)
	s.Free = make(chan []byte, opt.Workers()+1)
	t.arena = memory.NewArena(opt.Workers())
	defer t.arena.Close()
	t.spread, b.Offsets = make([]set.Spread, len(t.place)), false
	err := lines.Parse(ctx, s, opt.Workers(), t.parseNumbers, func(p *tablePart) error { return t.give(p, b, words) })
	for slot, s := range t.spread {
		if s.Matters() {
			b.To.Late = append(b.To.Late, s.Lost(set.ColumnNamed(t.schema.Columns[t.place[slot]].Name)))
		}
	}
	return err
}

// settleFirst makes the schema, by the first rows.
func (t *table) settleFirst(words []int, first [][]field, opt *set.Options) error {
	t.schema, t.fixed, t.strict, t.measures = &set.Schema{Target: t.target, Further: t.further, Weight: t.weight, Header: t.header, Missing: missingOf(opt), SkipUnlabelled: t.skip}, true, opt.Bits == 0, opt.Columns == 0
	for i := range t.names {
		t.schema.Columns = append(t.schema.Columns, t.column(i))
	}
	t.hash(words, first, opt.Bits)
	if t.measures && !opt.Unmoved {
		t.moveFirst(first)
	}
	t.place = nil
	t.assign()
	return t.checkTerms()
}

// wordColumns returns the columns of words, by the schema or else the first rows.
func (t *table) wordColumns(first [][]field) (words []int) {
	for i, role := range t.roles {
		if role == roleCategory || role <= roleInteger && !t.fixed && t.holdsText(first, i) {
			words = append(words, i)
		}
	}
	return words
}

// hashes reports whether these columns need no list of words: a schema numbers their terms by a hash, or one is still to be made.
func (t *table) hashes(words []int) bool {
	return !t.fixed || !slices.ContainsFunc(words, func(i int) bool {
		space := t.schema.Columns[t.use[i]].Text
		return space == nil || space.Bits == 0
	})
}

// hash numbers the words of columns by a hash, in 2^bits features together: a column has the same part of them as any other. Fields
// of sentences make a feature of each term, others are one.
func (t *table) hash(words []int, first [][]field, most int) {
	if len(words) == 0 {
		return
	}
	asked := t.terms
	asked.Bits = max(1, most-bits.Len(uint(len(words)-1)))
	for _, i := range words {
		if t.kinds[i].asked == askedIgnore {
			continue
		}
		space := &terms.Space{Least: 1, Most: 1, Bits: asked.Bits, Counts: true, Whole: true}
		if k := t.kinds[i].asked; k == askedText || k != askedCategory && len(first) > 0 && areLong(i, first[0], first[1:]) {
			space = asked.Space()
		}
		t.schema.Columns[i].Kind, t.schema.Columns[i].Text, t.kinds[i].kind = set.KindText, space, kindCategory
	}
}

// featuresAlone ignores targets, unless they matter, and weights, and takes integers for numbers.
func (t *table) featuresAlone(labelled bool) {
	for i, role := range t.roles {
		switch role {
		case roleTarget:
			if !labelled {
				t.roles[i] = roleIgnored
			}
		case roleFurther, roleWeight:
			t.roles[i] = roleIgnored
		case roleInteger:
			t.roles[i] = roleNumber
		}
	}
}

// moveFirst gives the columns an offset that need one by the first rows. Wherever later
// rows are, the offset is no further from them than the spread is large.
func (t *table) moveFirst(first [][]field) {
	var note set.OffsetNote
	for i := range t.schema.Columns {
		if t.roles[i] > roleKept {
			continue
		}
		var s set.Spread
		for _, row := range first {
			if i < len(row) && !row[i].missing {
				if v, ok := set.ParsePlain(row[i].text); ok {
					s.Add(v)
				}
			}
		}
		s.SettleFirst()
		c := &t.schema.Columns[i]
		c.Offset = s.Offset()
		if c.Factor = s.Factor(c.Offset); c.Offset != 0 || c.Factor != 0 {
			note.Add(s, c)
		}
	}
	t.warnings = append(t.warnings, note.Warning()...)
}

// parseNumbers reads the rows of a chunk, up to one that is bad.
func (t *table) parseNumbers(c *lines.Chunk) (*tablePart, error) {
	p := t.parser(c)
	for again := true; again; again = p.redo {
		p.begin()
		if err := p.readAll(); err != nil && p.out.bad == nil {
			p.out.bad, p.out.badRow = err, p.out.rows
		}
		p.probe()
	}
	p.finish()
	p.out.chunk = nil
	return p.out, nil
}

// give gives the rows of a part to a stream, up to one that is bad.
func (t *table) give(p *tablePart, b *stream.Blocks, words bool) error {
	defer p.drop()
	if t.target >= 0 && p.untargeted > 0 && t.roles[t.target] == roleTarget {
		return fmt.Errorf("%s: found no target, expected one in each row", p.firstBare)
	}
	if err := b.Labels(p.labels); err != nil {
		return err
	}
	for slot, s := range p.spread {
		t.spread[slot].Merge(s)
	}
	fill := p.gaps()
	var encode func(slots, cell []uint32) matrix.Vector
	if words {
		encode = t.encoding(p)
	}
	var err error
	p.eachRow(func(row int, slots, cell []uint32) {
		switch {
		case err != nil:
		case p.bad != nil && row == p.badRow:
			err = p.bad
		case encode != nil:
			err = b.Row(encode(slots, cell))
		case slots == nil && !fill:
			err = b.DenseRow(memory.AsFloats(cell))
		default:
			err = b.SomeRow(slots, t.filled(slots, cell))
		}
	})
	if err == nil {
		err = p.bad // behind the last row
	}
	return err
}

// encoding returns what makes features of the cells of a part, valid until the next row.
func (t *table) encoding(p *tablePart) func(slots, cell []uint32) matrix.Vector {
	e, codes := &set.Encoder{}, make([][]uint32, len(t.place))
	first, _ := t.schema.Places()
	for slot, at := range t.place {
		c := t.schema.Columns[at]
		if e.Add(first[at], c, nil); c.Text != nil {
			e.Texts[slot] = set.NewTexts(c.Text, p.words[slot].words, 1)
			for code := range p.words[slot].words {
				codes[slot] = append(codes[slot], uint32(code))
			}
		}
	}
	x := matrix.Vector{Index: []uint32{}}
	return func(slots, cell []uint32) matrix.Vector {
		x.Index, x.Value = x.Index[:0], x.Value[:0]
		for k, c := range cell {
			slot := set.SlotOf(slots, k)
			x = e.Append(x, codes[slot], slot, c)
		}
		return x
	}
}

// filled puts the numbers of the schema in the place of missing ones.
func (t *table) filled(slots, cell []uint32) []uint32 {
	for k, c := range cell {
		if c == set.MissingBits {
			cell[k] = math.Float32bits(float32(t.schema.Columns[t.place[set.SlotOf(slots, k)]].Fill))
		}
	}
	return cell
}
