package table

import (
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A tablePart is what is in one chunk.
type tablePart struct {
	cells
	chunk   *lines.Chunk // nil unless it may be needed again
	name    string       // of the input
	line    int          // of the first byte
	lines   int          // in the chunk
	blank   []int        // of each line that is no row, how many rows are before it
	roles   []role       // what the columns were taken for
	labels  *set.Labels
	fields  []fieldTexts // of each column to keep
	weights []float64
	further [][]float64  // of each further target
	content []content    // of each column
	words   []dictionary // of each slot
	codes   [][]uint32   // of each slot with categories: for each word its code in the whole table
	missing []int        // numbers of each slot
	spread  []set.Spread // of the numbers of each slot
	exact   [][]float64  // of each slot the numbers before they are rounded; nil: as they are in the cells, or wide
	sparse  int          // fields of sparse rows
	present int          // fields of objects
	other   string       // the first key of these that a model does not know
	vectors []vectorRows // of each column of them

	leftOut
	firstBad
}

// firstBad is the first feature that is no feature.
type firstBad struct {
	bad              error
	badRow, badPlace int // its row and its place in the schema
}

// leftOut counts rows that lack something.
type leftOut struct {
	untargeted int    // rows without a target
	skipped    int    // those of them that are left out
	weightless int    // rows of weight 0, which are left out
	firstBare  string // place of the first without a target
}

// A content counts the fields of an open column that are not missing.
type content struct {
	missing int
	text    string      // the first field that is text, "" for none
	place   fault.Place // of it
}

// fieldTexts are fields as they are spelled, one after another.
type fieldTexts struct {
	text []byte
	end  []int // of each in text
}

func (f *fieldTexts) add(text []byte) {
	f.text = append(f.text, text...)
	f.end = append(f.end, len(f.text))
}

func (f *fieldTexts) join(later fieldTexts) {
	before := len(f.text)
	f.text = append(f.text, later.text...)
	for _, end := range later.end {
		f.end = append(f.end, before+end)
	}
}

func (f *fieldTexts) all() []string {
	text, all, from := string(f.text), make([]string, len(f.end)), 0
	for i, end := range f.end {
		all[i], from = text[from:end], end
	}
	return all
}

// A dictionary numbers categories by first appearance.
type dictionary struct {
	code  map[string]uint32
	words []string
}

func (d *dictionary) intern(word []byte) uint32 {
	if code, ok := d.code[string(word)]; ok {
		return code
	}
	if d.code == nil {
		d.code = map[string]uint32{}
	}
	code := uint32(len(d.words))
	d.words = append(d.words, string(word))
	d.code[d.words[code]] = code
	return code
}

// gathered is what the chunks so far hold.
type gathered struct {
	parts   []*tablePart
	count   int // rows
	targets *set.Targets
	weights []float64
	others  [][]float64  // of each further target
	fields  []fieldTexts // of each column to keep
	content []content    // of each column
	words   []dictionary // of each slot
	sum     []float64    // of the numbers of each slot
	missing []int        // numbers of each slot
	spread  []set.Spread // of the numbers of each slot
	sparse  int          // fields of sparse rows, with the categories these leave out
	present int          // fields of objects
	other   string       // the first key of these that a model does not know

	tiny    [][]set.Small       // of each column of vectors, their values that are too small for single precision
	spreads []set.SparseSpreads // of each column of vectors

	unknown int    // categories that the model does not know
	example string // the first of them

	skipped   int // rows without a target that were left out
	unweighed int // rows of weight 0 that were left out

	untargeted int    // rows without a target, which only a fixed schema allows
	firstBare  string // place of the first of them
}

// gather begins anew.
func (t *table) gather() gathered {
	slots := len(t.place)
	g := gathered{targets: set.NewTargets(), others: make([][]float64, len(t.further)), fields: make([]fieldTexts, len(t.kept)), content: make([]content, len(t.names)),
		words: make([]dictionary, slots), sum: make([]float64, slots), missing: make([]int, slots), spread: make([]set.Spread, slots),
		tiny: make([][]set.Small, len(t.vectors)), spreads: make([]set.SparseSpreads, len(t.vectors))}
	if t.fixed {
		for i, at := range t.place {
			for _, word := range t.schema.Columns[at].Category {
				g.words[i].intern([]byte(word))
			}
		}
	}
	return g
}

// maxOmitted bounds the categories that sparse rows leave out: a small file
// could otherwise ask for any amount of memory.
const maxOmitted = 1 << 24

// take gathers the parts, in order.
func (t *table) take(p *tablePart) error {
	t.unweighed += p.weightless
	if t.skipped += p.skipped; t.skipped > 0 && t.firstBare == "" {
		t.firstBare = p.firstBare
	}
	if p.rows == 0 {
		return nil
	}
	for i, c := range p.content {
		all := &t.content[i]
		if all.text == "" {
			all.text, all.place = c.text, c.place
		}
		all.missing += c.missing
	}
	if p.untargeted > 0 && t.untargeted == 0 {
		t.firstBare = p.firstBare
	}
	t.untargeted += p.untargeted
	if t.sparse += p.sparse; t.sparse > maxOmitted && slices.ContainsFunc(t.kinds, columnKind.fills) {
		return fault.In(p.name, "found more than %d values in sparse rows with nominal attributes, expected dense rows", maxOmitted)
	}
	if t.present += p.present; t.other == "" {
		t.other = p.other
	}
	if _, ok := t.rows.(objectRows); ok && tooFew(t.count+p.rows, len(t.place), t.present) {
		return fault.In(p.name, "%w", errTooFew)
	}
	if p.weights != nil {
		t.weights = append(withOnes(t.weights, t.count), withOnes(p.weights, p.rows)...)
	}
	for k, numbers := range p.further {
		t.others[k] = append(t.others[k], numbers...)
	}
	t.takeVectors(p)
	t.count += p.rows
	t.parts = append(t.parts, p)
	t.merge(p)
	for i, n := range p.missing {
		t.missing[i] += n
		t.spread[i].Merge(p.spread[i])
	}
	if !t.fixed {
		t.add(p)
	}
	err := t.targets.Take(p.labels)
	p.labels, p.weights, p.further, p.content = nil, nil, nil, nil
	return err
}

// merge gives the categories of a part their codes in the whole table, and takes its fields to keep.
func (t *table) merge(p *tablePart) {
	for k, fields := range p.fields {
		t.gathered.fields[k].join(fields)
	}
	p.fields = nil
	unknown := false
	p.codes = make([][]uint32, len(t.words))
	for i := range t.words {
		words := p.words[i].words
		if len(words) == 0 {
			continue
		}
		fixed := t.fixed && t.schema.Columns[t.place[i]].Text == nil
		p.codes[i] = make([]uint32, len(words))
		for k, word := range words {
			code, known := t.words[i].code[word]
			switch {
			case !known && fixed:
				code = set.NoCategory
				unknown = unknown || word != set.MissingCategory
			case !known:
				code = t.words[i].intern([]byte(word))
			}
			p.codes[i][k] = code
		}
	}
	if unknown {
		t.countUnknown(p)
	}
	p.words = nil
}

// countUnknown counts the categories that the model does not know.
func (t *table) countUnknown(p *tablePart) {
	p.eachRow(func(_ int, slots, cell []uint32) {
		for k, c := range cell {
			slot := set.SlotOf(slots, k)
			if p.codes[slot] == nil || p.codes[slot][c-1] != set.NoCategory {
				continue
			}
			word := p.words[slot].words[c-1]
			if word == set.MissingCategory {
				continue
			}
			if t.unknown++; t.unknown == 1 {
				t.example = fmt.Sprintf("%q in column %q", word, t.schema.Columns[t.place[slot]].Name)
			}
		}
	})
}

// add adds the numbers of a part to the sums. These are taken row by row, so
// that they do not depend on the chunks.
func (t *table) add(p *tablePart) {
	numbers := !slices.ContainsFunc(p.codes, func(codes []uint32) bool { return codes != nil })
	if p.column == nil && numbers && !p.gaps() {
		for i := range p.rows {
			vec.Axpy(t.sum, 1, memory.AsFloats(p.cell[i*p.width:(i+1)*p.width]))
		}
		return
	}
	p.eachRow(func(_ int, slots, cell []uint32) {
		for k, c := range cell {
			if slot := set.SlotOf(slots, k); p.codes[slot] == nil && c != set.MissingBits {
				t.sum[slot] += float64(set.AsNumber(c))
			}
		}
	})
}

// gaps reports whether a number is missing.
func (p *tablePart) gaps() bool {
	return slices.ContainsFunc(p.missing, func(n int) bool { return n > 0 })
}

// dropTargets makes the target absent when rows lack it: the rest belong to no
// known rows.
func (t *table) dropTargets() {
	if t.untargeted == 0 {
		return
	}
	if t.untargeted < t.count {
		t.warnings = append(t.warnings, fmt.Errorf("%d of %d targets %s missing (first: %s): none is used ('skip-unlabelled' leaves out rows without one)",
			t.untargeted, t.count, fault.Are(t.untargeted), t.firstBare))
	}
	t.targets = set.NewTargets()
}

// fault returns the first feature that is no feature.
func (t *table) fault() error {
	for _, p := range t.parts {
		if p.bad != nil {
			return p.bad
		}
	}
	return nil
}

// A rowParser reads the rows of one chunk.
type rowParser struct {
	*table
	c    *lines.Chunk
	w    decimal.Window
	out  *tablePart
	most int // rows in the chunk
	redo bool

	fields []field // of a row of which each field has its name
	word   []byte  // of a field of a frame
	paths  []role  // of each column how its fields are read
	tight  []bool  // of each column whether it is measured
	probed bool    // the first rows told which are
}

// withOnes appends the weight 1 for each row that has none, up to that number of rows.
func withOnes(weights []float64, rows int) []float64 {
	for len(weights) < rows {
		weights = append(weights, 1)
	}
	return weights
}
