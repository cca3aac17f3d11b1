package svmlight

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

func init() {
	set.Register("vw", "sparse text of Vowpal Wabbit: label importance 'tag |namespace feature:value ...", vw{})
}

// vw is the text format of Vowpal Wabbit: each line holds
//
//	[label [importance]] ['tag]|[namespace[:scale]] feature[:value] ... |...
//
// A feature without a value is 1, a scale multiplies the values of its namespace, and the values of a feature that stands in a row
// more than once are added up. Names are not hashed: a feature is called namespace^feature, as Vowpal Wabbit's --audit calls it, or
// feature where the namespace has no name; features are numbered by first appearance, and the schema keeps their names, by which
// rows to predict find them again. The importance is the weight of the row; a tag is not kept. Either all rows have labels or none has; a row to predict may lack it. A
// label may be any text without blanks, bars, colons and commas. Values are single-precision numbers, as in Vowpal Wabbit.
type vw struct{}

var _ set.LineFormat = vw{}

// Takes implements set.Format: weights are in the rows.
func (vw) Takes() []string { return nil }

// Begin says that rows are lines.
func (vw) Begin([]byte, *set.Options) (header int, last func([]byte) int, ok bool) {
	return 0, lines.LastLine, true
}

// vwLine is a first line that is no table: a bar, and behind it a feature with a number.
var vwLine = regexp.MustCompile(`^[^|\n]*\|[^|\n]* [^\s:|]+:-?[0-9.]+`)

func (vw) Detect(name string, head []byte) set.Match {
	first, _, _ := bytes.Cut(head, []byte{'\n'})
	switch {
	case bytes.IndexByte(head, 0) >= 0 || bytes.IndexByte(first, '|') < 0:
		return set.NoMatch
	case vwLine.Match(head):
		return set.MatchMagic
	case set.HasExtension(name, ".vw"):
		return set.MatchExtension
	}
	return set.NoMatch
}

// vwChunk is the rows of one chunk. Columns are the numbers of its words, until it is renumbered.
type vwChunk struct {
	*structuredChunk
	names   names
	code    []uint32      // of each word, in all rows
	weights []float64     // of each row; nil: 1
	places  []fault.Place // of each row
}

// names numbers the names of features by first appearance.
type names struct {
	code map[string]uint32
	all  []string
}

func (n *names) number(name []byte) uint32 {
	code, ok := n.code[string(name)]
	if !ok {
		if n.code == nil {
			n.code = map[string]uint32{}
		}
		code = uint32(len(n.all))
		n.all = append(n.all, string(name))
		n.code[n.all[code]] = code
	}
	return code
}

// vwRows gathers the chunks in order.
type vwRows struct {
	labelled
	names   names // of all features; the first are those of a model
	chunks  []*vwChunk
	rows    int
	weights []float64 // nil: 1 each
}

func (a *vwRows) take(c *vwChunk) error {
	if err := a.labelled.take(c.structuredChunk); err != nil {
		return err
	}
	for _, name := range c.names.all {
		c.code = append(c.code, a.names.number([]byte(name)))
	}
	if c.names = (names{}); c.weights != nil && a.weights == nil {
		a.weights = slices.Repeat([]float64{1}, a.rows)
	}
	if a.rows += len(c.end); c.weights != nil {
		a.weights = append(a.weights, c.weights...)
	}
	for a.weights != nil && len(a.weights) < a.rows {
		a.weights = append(a.weights, 1)
	}
	a.chunks = append(a.chunks, c)
	return c.err
}

func (vw) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	s := lines.NewSplitter(in, opt.Chunk, lines.LastLine)
	s.Free = make(chan []byte, opt.Workers()+1)
	arena := memory.NewArena(opt.Workers())
	defer arena.Close()
	var all vwRows
	schema := opt.Schema
	switch {
	case schema.Named():
		for _, c := range schema.Columns {
			all.names.number([]byte(c.Name))
		}
	case schema != nil || opt.Columns > 0:
		return nil, fault.In(in[0].Name, "found features with names (Vowpal Wabbit), expected rows as those that the model was trained on: %s without such names", fault.Plural(opt.Columns, "feature", "features"))
	}
	parse := func(c *lines.Chunk) (*vwChunk, error) { return parseVW(c, arena), nil }
	if err := lines.Parse(ctx, s, opt.Workers(), parse, all.take); err != nil {
		return nil, err
	}
	if schema == nil {
		schema = &set.Schema{Target: -1, Weight: -1, Header: true, Array: true, Sparse: true}
		for _, name := range all.names.all {
			schema.Columns = append(schema.Columns, set.Column{Name: name})
		}
	}
	if all.rows == 0 || len(schema.Columns) == 0 {
		return nil, fault.In(in[0].Name, "found %s and %s, expected at least one of each", fault.Plural(all.rows, "row", "rows"), fault.Plural(len(schema.Columns), "feature", "features"))
	}
	out := &set.Set{Schema: schema, Feature: schema.Features(), Moved: true}
	if !opt.Unweighted {
		out.Weight = all.weights
	}
	err := all.fill(ctx, out, opt)
	if err == nil && opt.Schema == nil {
		scaling.Fill(schema, out.X)
	}
	return out, err
}

// fill gives a set its rows and targets.
func (a *vwRows) fill(ctx context.Context, out *set.Set, opt *set.Options) error {
	columns := len(out.Schema.Columns)
	if err := lines.Each(ctx, opt.Workers(), len(a.chunks), func(i int) error { return a.chunks[i].renumber(columns) }); err != nil {
		return err
	}
	rows := sparseRows{targets: set.NewTargets()}
	for _, c := range a.chunks {
		if err := rows.take(c.sparseChunk); err != nil {
			return err
		}
	}
	widest := *opt
	widest.Columns = columns
	x, err := rows.matrix(ctx, &widest)
	out.X, out.Target = x, rows.targets.Target()
	out.Warnings = rows.unknown.Named(func(j uint32) string { return fault.Quote([]byte(a.names.all[j])) })
	return err
}

// renumber gives the values of a chunk their places among so many columns, increasing in each row, and adds up those of one place.
func (c *vwChunk) renumber(columns int) error {
	type entry struct {
		column uint32
		value  float32
	}
	var row []entry
	kept, from := 0, uint32(0)
	for i, end := range c.end {
		row = row[:0]
		for k := from; k < end; k++ {
			row = append(row, entry{c.code[c.index[k]], c.value[k]})
		}
		slices.SortStableFunc(row, func(a, b entry) int { return cmp.Compare(a.column, b.column) })
		for k := 0; k < len(row); {
			column, sum := row[k].column, float32(0)
			for ; k < len(row) && row[k].column == column; k++ {
				sum += row[k].value
			}
			switch {
			case sum == 0:
			case sum-sum != 0:
				return c.places[i].Fault("found values of a feature that add up to %g, expected a finite number", sum)
			case int(column) >= columns:
				c.unknown = append(c.unknown, column)
			default:
				c.index[kept], c.value[kept] = column, sum
				kept++
			}
		}
		from, c.end[i] = end, uint32(kept)
	}
	c.index, c.value = c.index[:kept], c.value[:kept]
	return nil
}

// parseVW makes rows of the lines of a chunk. No row has more values than half as many as its line has bytes.
func parseVW(c *lines.Chunk, a *memory.Arena) *vwChunk {
	out := &vwChunk{structuredChunk: &structuredChunk{sparseChunk: newSparseChunk(a, c.Lines, len(c.Text)/2+1)}}
	for at := 0; at < len(c.Text) && out.err == nil; {
		line := c.Text[at : at+bytes.IndexByte(c.Text[at:], '\n')]
		if len(bytes.Trim(line, " \t\r")) > 0 {
			out.err = out.addRow(c, at, line)
		}
		at += len(line) + 1
	}
	a.Keep(out.memory, len(out.index))
	return out
}

// addRow makes a row of the line at an offset of c.
func (out *vwChunk) addRow(c *lines.Chunk, at int, line []byte) error {
	before, rest, found := bytes.Cut(line, []byte{'|'})
	if !found {
		return c.Errorf(at, fault.Quote(line), "a row with a bar, as in 1 |name feature:2 other")
	}
	if err := out.addLabel(c, at, before); err != nil {
		return err
	}
	begin := at
	at += len(before) + 1
	for part := range bytes.SplitSeq(rest, []byte{'|'}) {
		space, scale, first := []byte(nil), 1.0, len(part) > 0 && part[0] != ' ' && part[0] != '\t'
		if err := eachWord(at, bytes.TrimRight(part, "\r"), func(at int, word []byte) error {
			name, v, err := valued(c, at, word)
			if first {
				space, scale, first = name, v, false
				return cmp.Or(err, c.CheckText(at, space))
			}
			return cmp.Or(err, out.addFeature(c, at, space, name, scale*v))
		}); err != nil {
			return err
		}
		at += len(part) + 1
	}
	out.places = append(out.places, c.Locate(begin))
	out.end = append(out.end, uint32(len(out.index)))
	return nil
}

// valued splits NAME:VALUE; the value is 1 where there is none.
func valued(c *lines.Chunk, at int, word []byte) (name []byte, v float64, err error) {
	name, text, found := bytes.Cut(word, []byte{':'})
	if !found {
		return name, 1, nil
	}
	v, status := decimal.Float64(text)
	if status != decimal.Number {
		return name, 0, c.Errorf(at+len(name)+1, fault.Quote(text), "a finite number behind the colon")
	}
	return name, v, nil
}

// addFeature appends a value of the feature of a name in a namespace.
func (out *vwChunk) addFeature(c *lines.Chunk, at int, space, name []byte, v float64) error {
	size := math.Abs(v)
	switch {
	case len(name) == 0:
		return c.Errorf(at, "a feature without a name", "name:value")
	case size > math.MaxFloat32 || v != 0 && size < 0x1p-126:
		return c.Errorf(at, fmt.Sprintf("the value %g", v), "one of single precision: 0, or from 1.2e-38 to 3.4e38")
	}
	if err := c.CheckText(at, name); err != nil {
		return err
	}
	if len(space) > 0 {
		name = slices.Concat(space, []byte{'^'}, name)
	}
	out.index, out.value = append(out.index, out.names.number(name)), append(out.value, float32(v))
	return nil
}

// addLabel reads what stands before the first bar: label, importance, and a tag, which is what touches the bar or begins with '.
func (out *vwChunk) addLabel(c *lines.Chunk, at int, text []byte) error {
	words := bytes.Fields(text)
	if n := len(words); n > 0 {
		last, touches := words[n-1], bytes.LastIndexAny(text, " \t\r") < len(text)-1
		_, status := decimal.Float64(last)
		if touches && status == decimal.Number && n <= 2 {
			return c.Errorf(at, fault.Quote(last)+" before |, without a blank between, which makes it a tag", "a blank before |, or the tag '"+string(last[:min(len(last), 20)]))
		}
		if touches || last[0] == '\'' {
			words = words[:n-1]
		}
	}
	if len(words) > 2 {
		return c.Errorf(at, fmt.Sprintf("%d words before the bar", len(words)), "a label, an importance and a tag (an initial prediction is not read)")
	}
	bare := len(words) == 0
	if !out.begun {
		out.begun, out.bare, out.first = true, bare, c.Locate(at)
	}
	if bare != out.bare {
		return mixed(c.Locate(at), bare)
	}
	if bare {
		if out.weights != nil {
			out.weights = append(out.weights, 1)
		}
		return nil
	}
	at += bytes.Index(text, words[0])
	if bytes.ContainsAny(words[0], ":,") {
		return c.Errorf(at, fault.Quote(words[0]), "one label a row, without colons and commas")
	}
	if err := out.labels.Add(c, at, words[0]); err != nil {
		return err
	}
	weight := []byte{'1'}
	if len(words) == 2 {
		if weight = words[1]; out.weights == nil {
			out.weights = slices.Repeat([]float64{1}, len(out.end))
		}
	}
	if out.weights == nil {
		return nil
	}
	var err error
	out.weights, err = set.AppendWeight(out.weights, c, at+len(words[0]), weight)
	return err
}
