package dataset

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/dataset/internal/decimal"
	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/fenchel-ml/fenchel/dataset/internal/file"
)

// maxChunkLabels is where a chunk stops looking for repeated labels: the rows
// have targets rather than classes, and looking would cost more than it saves.
const maxChunkLabels = 4096

// labels are the targets of one chunk: entries, and an entry for each row. No
// two of the first maxChunkLabels entries have the same spelling.
type labels struct {
	arena  []byte // spellings, one after another
	end    []int  // where each entry's spelling ends in arena
	number []float64
	entry  []uint32 // of each row
	known  map[string]uint32
	recent [2]recentLabel
	text   int   // entries before the first that is not a number
	late   error // says that this first one comes too late
}

func newLabels(rows int) *labels {
	return &labels{entry: make([]uint32, 0, rows), known: map[string]uint32{}, text: math.MaxInt}
}

func (l *labels) spelling(entry int) []byte {
	start := 0
	if entry > 0 {
		start = l.end[entry-1]
	}
	return l.arena[start:l.end[entry]]
}

// A recentLabel is an entry with a short spelling: most rows have one of two.
type recentLabel struct {
	key   uint64 // bytes and length; 0: none
	entry uint32
}

// labelKey packs a spelling of up to seven bytes; 0 stands for longer ones.
func labelKey(text []byte) (key uint64) {
	if len(text) > 7 {
		return 0
	}
	for _, b := range text {
		key = key<<8 | uint64(b)
	}
	return key | uint64(len(text)+1)<<56
}

// again gives the next row its target if an earlier row had the same spelling.
func (l *labels) again(text []byte) bool {
	key := labelKey(text)
	if key != 0 {
		e := l.recent[0].entry
		if l.recent[1].key == key {
			e = l.recent[1].entry
		}
		if l.recent[0].key == key || l.recent[1].key == key {
			l.entry = append(l.entry, e)
			return true
		}
	}
	e, ok := l.known[string(text)]
	if ok {
		l.remember(key, e)
		l.entry = append(l.entry, e)
	}
	return ok
}

// remember replaces the older of the recent labels.
func (l *labels) remember(key uint64, entry uint32) {
	if key != 0 {
		l.recent[1] = l.recent[0]
		l.recent[0] = recentLabel{key, entry}
	}
}

// add gives the next row its target, found at an offset of c.
func (l *labels) add(c *chunk, at int, text []byte) error {
	if l.again(text) {
		return nil
	}
	v, status := decimal.Float64(text)
	switch {
	case status == decimal.NoValue || status == decimal.Huge:
		return c.errorf(at, fault.Quote(text), "a finite number or a name as target")
	case status == decimal.Text && l.text == math.MaxInt:
		l.text = len(l.end)
		l.late = c.errorf(at, fault.Quote(text), fmt.Sprintf("a number as target, after more than %d distinct numbers", MaxLabels))
	}
	if err := c.checkText(at, text); err != nil {
		return err
	}
	entry := uint32(len(l.end))
	if entry < maxChunkLabels {
		l.known[string(text)] = entry
	}
	l.remember(labelKey(text), entry)
	if status == decimal.Text {
		v = math.NaN()
	}
	l.arena = append(l.arena, text...)
	l.end = append(l.end, len(l.arena))
	l.number = append(l.number, v+0) // + 0: no negative zero
	l.entry = append(l.entry, entry)
	return nil
}

// targets merges the labels of chunks, taken in order, into one Target.
type targets struct {
	label  []string
	byText map[string]uint32
	byBits map[uint64]uint32
	code   []uint32     // of each row, unless they are in parts
	number []float64    // likewise
	parts  []targetPart // of chunks
	rows   int          // in parts
	text   bool         // some label is not a number
	many   bool         // more than MaxLabels distinct numbers: labels and codes are gone
}

// A targetPart is the targets of some rows: entries, and an entry for each row.
type targetPart struct {
	code   []uint32
	number []float64
	entry  []uint32 // of each row
}

func newTargets() *targets {
	return &targets{byText: map[string]uint32{}, byBits: map[uint64]uint32{}}
}

func (t *targets) take(l *labels) error {
	p := targetPart{number: l.number, entry: l.entry, code: make([]uint32, 0, len(l.end))}
	for e := range l.end {
		if t.many {
			if l.text != math.MaxInt {
				return l.late
			}
			break
		}
		p.code = append(p.code, t.intern(l.spelling(e), l.number[e]))
		if len(t.label) > MaxLabels && !t.text {
			*t = targets{parts: t.parts, rows: t.rows, many: true}
		}
	}
	t.parts = append(t.parts, p)
	t.rows += len(p.entry)
	return nil
}

// intern returns the code of a label; number is NaN when it is not one.
func (t *targets) intern(spelling []byte, number float64) uint32 {
	code := uint32(len(t.label))
	if math.IsNaN(number) {
		if known, ok := t.byText[string(spelling)]; ok {
			return known
		}
		t.byText[string(spelling)] = code
		t.text, t.number = true, nil
	} else {
		bits := math.Float64bits(number)
		if known, ok := t.byBits[bits]; ok {
			return known
		}
		t.byBits[bits] = code
	}
	t.label = append(t.label, string(spelling))
	return code
}

// target gives each row its code and its number, as far as there are such.
func (t *targets) target() Target {
	out := Target{Label: slices.Clip(t.label), Code: slices.Clip(t.code), Number: slices.Clip(t.number)}
	if t.rows == 0 {
		return out
	}
	if !t.many {
		out.Code = make([]uint32, 0, t.rows)
	}
	if !t.text {
		out.Number = make([]float64, 0, t.rows)
	}
	for _, p := range t.parts {
		for _, e := range p.entry {
			if !t.many {
				out.Code = append(out.Code, p.code[e])
			}
			if !t.text {
				out.Number = append(out.Number, p.number[e])
			}
		}
	}
	return out
}

// readTarget reads a file with one target a row, for formats without targets.
func readTarget(ctx context.Context, path string, opt *Options, rows int) (Target, error) {
	t := newTargets()
	err := readColumn(ctx, path, opt, rows, func(c *chunk) (*labels, error) {
		l := newLabels(0)
		return l, eachLine(c, func(at int, text []byte) error { return l.add(c, at, text) })
	}, func(l *labels) (int, error) { return len(l.entry), t.take(l) })
	return t.target(), err
}

// readWeights reads a file with one positive number a row; "" gives nil.
func readWeights(ctx context.Context, path string, opt *Options, rows int) ([]float64, error) {
	if path == "" {
		return nil, nil
	}
	var all []float64
	err := readColumn(ctx, path, opt, rows, func(c *chunk) (weights []float64, err error) {
		return weights, eachLine(c, func(at int, text []byte) error {
			weights, err = appendWeight(weights, c, at, text)
			return err
		})
	}, func(w []float64) (int, error) { all = append(all, w...); return len(w), nil })
	return all, err
}

// appendWeight appends the weight found at an offset of c.
func appendWeight(dst []float64, c *chunk, at int, text []byte) ([]float64, error) {
	w, status := decimal.Float64(text)
	if status != decimal.Number || w <= 0 {
		return dst, c.errorf(at, fault.Quote(text), "a positive number as weight")
	}
	return append(dst, w), nil
}

// readColumn reads a file of lines; take returns how many rows it was given.
func readColumn[T any](ctx context.Context, path string, opt *Options, rows int, parse func(*chunk) (T, error), take func(T) (int, error)) error {
	in, err := opt.system().Open(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	found := 0
	err = parseChunks(ctx, newSplitter([]*file.Input{in}, opt, lastLine), opt.workers(), parse, func(part T) error {
		n, err := take(part)
		found += n
		return err
	})
	if err == nil && found != rows {
		err = fault.In(in.Name, "found %s, expected %d, one for each row of the data", fault.Plural(found, "row", "rows"), rows)
	}
	return err
}

// eachLine calls do for the trimmed text of each line that is not blank.
func eachLine(c *chunk, do func(at int, text []byte) error) error {
	for at := 0; at < len(c.text); {
		line := c.text[at : at+bytes.IndexByte(c.text[at:], '\n')]
		text := bytes.TrimLeft(line, " \t\r")
		start := at + len(line) - len(text)
		text = bytes.TrimRight(text, " \t\r")
		if len(text) > 0 {
			if err := do(start, text); err != nil {
				return err
			}
		}
		at += len(line) + 1
	}
	return nil
}
