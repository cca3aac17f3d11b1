package set

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
)

// Targets merges the labels of chunks, taken in order, into one Target.
type Targets struct {
	Label  []string
	byText map[string]uint32
	byBits map[uint64]uint32
	Code   []uint32     // of each row, unless they are in parts
	Number []float64    // likewise
	parts  []targetPart // of chunks
	rows   int          // in parts
	Text   bool         // some label is not a number
	many   bool         // more than MaxLabels distinct numbers: labels and codes are gone
}

// A targetPart is the targets of some rows: entries, and an entry for each row.
type targetPart struct {
	code   []uint32
	number []float64
	entry  []uint32 // of each row
}

// NewTargets has no rows yet.
func NewTargets() *Targets {
	return &Targets{byText: map[string]uint32{}, byBits: map[uint64]uint32{}}
}

// Take appends the targets of the next chunk.
func (t *Targets) Take(l *Labels) error {
	p, err := t.part(l)
	if err != nil {
		return err
	}
	t.parts = append(t.parts, p)
	t.rows += len(p.entry)
	return nil
}

// part gives the entries of the next chunk their codes.
func (t *Targets) part(l *Labels) (targetPart, error) {
	p := targetPart{number: l.number, entry: l.entry, code: make([]uint32, 0, len(l.end))}
	for e := range l.end {
		if t.many {
			if l.text != math.MaxInt {
				return p, l.late
			}
			break
		}
		p.code = append(p.code, t.Intern(l.spelling(e), l.number[e]))
		if len(t.Label) > MaxLabels && !t.Text {
			*t = Targets{parts: t.parts, rows: t.rows, many: true}
		}
	}
	return p, nil
}

// Passing are the targets of rows that come in chunks and leave in blocks, where blocks end elsewhere. The labels are those of all rows so far.
type Passing struct {
	all   *Targets
	chunk targetPart
	taken int // rows of the chunk
	block Target
}

// NewPassing has no rows yet.
func NewPassing() *Passing { return &Passing{all: NewTargets()} }

// Begin takes the labels of the next chunk.
func (p *Passing) Begin(l *Labels) (err error) {
	p.taken = 0
	p.chunk, err = p.all.part(l)
	return err
}

// Next moves the target of the next row of the chunk into the block; false if it has none.
func (p *Passing) Next() bool {
	if p.taken == len(p.chunk.entry) {
		return false
	}
	e := p.chunk.entry[p.taken]
	p.taken++
	p.block.Number = append(p.block.Number, p.chunk.number[e])
	if !p.all.many {
		p.block.Code = append(p.block.Code, p.chunk.code[e])
	}
	return true
}

// Block returns the targets of the block, and begins another.
func (p *Passing) Block() Target {
	out := p.block
	p.block = Target{}
	if p.all.many {
		out.Code = nil
	} else {
		out.Label = p.all.Label[:len(p.all.Label):len(p.all.Label)]
	}
	if p.all.Text {
		out.Number = nil
	}
	return out
}

// SameLabel reports whether two spellings mean the same label: as the same number, exactly.
func SameLabel(a, b string) bool {
	x, known := decimal.Float64([]byte(a))
	y, too := decimal.Float64([]byte(b))
	exact, _ := decimal.Exact([]byte(a))
	other, _ := decimal.Exact([]byte(b))
	return a == b || known == decimal.Number && too == decimal.Number && x == y && exact == other
}

// Intern returns the code of a label; number is NaN when it is not one.
func (t *Targets) Intern(spelling []byte, number float64) uint32 {
	code := uint32(len(t.Label))
	if math.IsNaN(number) {
		if known, ok := t.byText[string(spelling)]; ok {
			return known
		}
		t.byText[string(spelling)] = code
		t.Text, t.Number = true, nil
	} else if exact, ok := decimal.Exact(spelling); ok { // float64 might not tell it from others
		if known, ok := t.byText[exact]; ok {
			return known
		}
		t.byText[exact] = code
	} else {
		bits := math.Float64bits(number)
		if known, ok := t.byBits[bits]; ok {
			return known
		}
		t.byBits[bits] = code
	}
	t.Label = append(t.Label, string(spelling))
	return code
}

// Target gives each row its code and its number, as far as there are such.
func (t *Targets) Target() Target {
	out := Target{Label: slices.Clip(t.Label), Code: slices.Clip(t.Code), Number: slices.Clip(t.Number)}
	if t.rows == 0 {
		return out
	}
	if !t.many {
		out.Code = make([]uint32, 0, t.rows)
	}
	if !t.Text {
		out.Number = make([]float64, 0, t.rows)
	}
	for _, p := range t.parts {
		for _, e := range p.entry {
			if !t.many {
				out.Code = append(out.Code, p.code[e])
			}
			if !t.Text {
				out.Number = append(out.Number, p.number[e])
			}
		}
	}
	return out
}

// NumberTarget makes a Target of finite numbers, one a row.
func NumberTarget(values []float64) Target {
	t := NewTargets()
	for i, v := range values {
		values[i] = v + 0 // no negative zero
	}
	for _, v := range values {
		code, ok := t.byBits[math.Float64bits(v)]
		if !ok {
			code = t.Intern([]byte(SpellNumber(v)), v)
		}
		if len(t.Label) > MaxLabels {
			return Target{Number: values}
		}
		t.Code = append(t.Code, code)
	}
	t.Number = values
	return t.Target()
}

// TextTarget makes a Target of one label a row, which must be there and, if it
// reads as a number, be finite.
func TextTarget(name string, text []string) (Target, error) {
	t := NewTargets()
	l := NewLabels(len(text))
	for i, label := range text {
		if label == "" {
			return Target{}, fault.In(name, "row %d: found an empty label, expected a number or a name", i+1)
		}
		if err := l.Add(&lines.Chunk{Name: name, Line: i + 1, Text: []byte(label)}, 0, []byte(label)); err != nil {
			return Target{}, err
		}
	}
	err := t.Take(l)
	return t.Target(), err
}
