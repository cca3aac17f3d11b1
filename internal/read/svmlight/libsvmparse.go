package svmlight

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// libsvmParser parses chunks; it does not change.
type libsvmParser struct {
	arena   *memory.Arena
	room    room   // may be none
	first   uint64 // smallest index
	columns uint64 // of the model; 2^32: no limit
	places  bool   // rows are to keep their place and reach

	measures bool // what rounding does is measured
}

// maxIndex is the largest index.
const maxIndex = math.MaxUint32

func (p *libsvmParser) parse(c *lines.Chunk) (*sparseChunk, error) {
	out := p.room.chunk(c)
	if out == nil {
		out = newSparseChunk(p.arena, c.Lines, c.Pairs)
	}
	err := p.parseInto(c, out)
	p.arena.Keep(out.memory, len(out.index))
	if err == nil && p.measures && len(out.end) > 0 {
		out.spread = p.measure(c, out)
	}
	return out, err
}

func (p *libsvmParser) parseInto(c *lines.Chunk, out *sparseChunk) error {
	t, end, line := c.Padded(), len(c.Text), 0
	for i := 0; i < end; {
		switch t[i] {
		case ' ', '\t', '\r':
			i++
		case '\n':
			i++
			line++
		case '#':
			i += bytes.IndexByte(t[i:end], '\n')
		default:
			stop := wordEnd(t, i)
			err := p.label(c, i, t[i:stop], out)
			if err == nil {
				i, err = p.features(c, stop, out)
			}
			if err != nil {
				return err
			}
			if p.places {
				out.line = append(out.line, uint32(line))
			}
			line++
		}
	}
	return nil
}

// wordEnd returns where the word at t[i:] ends. Control bytes other than
// blanks belong to it, to be reported with it.
func wordEnd(t []byte, i int) int {
	for {
		switch t[i] {
		case ' ', '\t', '\r', '\n', '#':
			return i
		}
		i++
	}
}

// label gives the next row its label, unless that is a feature or a list.
func (p *libsvmParser) label(c *lines.Chunk, at int, word []byte, out *sparseChunk) error {
	if out.labels.Again(word) {
		return nil
	}
	if _, status := decimal.Float64(word); status == decimal.Text {
		switch {
		case bytes.IndexByte(word, ':') >= 0:
			return c.Errorf(at, fault.Quote(word), "a label before the features")
		case isLabelList(word):
			return c.Errorf(at, fault.Quote(word), "one label a row (several labels a row are not supported)")
		}
	}
	return out.labels.Add(c, at, word)
}

// isLabelList tells "1,2" from a name with a comma.
func isLabelList(word []byte) bool {
	lists := false
	for part := range bytes.SplitSeq(word, []byte{','}) {
		if lists {
			return true
		}
		_, status := decimal.Float64(part)
		if status != decimal.Number {
			return false
		}
		lists = true
	}
	return false
}

// features reads the rest of a line from t[i] on and returns where the next
// one begins. All speed of reading is here: the usual feature, a blank, an
// index of up to seven digits, a colon and a short number, costs no branch that
// depends on how many digits there are. All else is left to feature.
func (p *libsvmParser) features(c *lines.Chunk, i int, out *sparseChunk) (next int, err error) {
	w := decimal.NewWindow(c.Padded())
	least, k := p.first, len(out.index) // the index must not be smaller
	columns := out.index[:cap(out.index)]
	values := out.value[:len(columns)]
	for w.At(i) != '\n' {
		x := w.Digits(i + 1)
		n := decimal.DigitBits(x)
		at := i + 2 + int(n/8)
		index := decimal.Leading(x, n)
		ok := w.At(i) == ' ' && n-8 <= 48 && byte(x>>(n&63)) == ':'^'0' && index >= least
		var bits uint32
		var end int
		if b := w.At(at + 1); ok && b <= ' ' && w.At(at)-'0' <= 9 {
			bits, end = math.Float32bits(float32(int32(w.At(at)-'0'))), at+1
		} else if ok {
			bits, end, ok = w.ShortNumber(at)
		}
		if !ok || w.At(end) > ' ' {
			if w.At(i+1) == '\n' && w.At(i) <= ' ' { // a blank at the end of the line
				i++
				continue
			}
			if index, bits, end, err = p.unusual(c, i, least, out); err != nil {
				return 0, err
			}
			if end < 0 {
				i = ^end
				continue
			}
		}
		i, least = end, index+1
		column := index - p.first
		if column >= p.columns {
			out.leaveOut(column, bits)
			continue
		}
		columns[k], values[k] = uint32(column), math.Float32frombits(bits)
		if bits<<1 != 0 { // no branch; nor is -0 kept
			k++
		}
	}
	out.index, out.value = columns[:k], values[:k]
	out.end = append(out.end, uint32(k))
	out.cols = max(out.cols, least-p.first)
	if p.places {
		out.reach = append(out.reach, least-p.first)
	}
	return i + 1, nil
}

// unusual is feature that keeps what a value was that is too small for single precision.
func (p *libsvmParser) unusual(c *lines.Chunk, i int, least uint64, out *sparseChunk) (index uint64, bits uint32, end int, err error) {
	index, bits, end, err = p.feature(c, i, least)
	if err == nil && end >= 0 && set.IsSmall(bits) && index-p.first < p.columns {
		bits = out.takeSmall(c.Text[i:end], index-p.first, bits)
	}
	return index, bits, end, err
}

// feature reads what stands at text[i:] however it is spelled: a feature, or
// blanks, a comment or qid:N, for which it returns the complement of their end.
func (p *libsvmParser) feature(c *lines.Chunk, i int, least uint64) (number uint64, bits uint32, end int, err error) {
	t := c.Text
	for t[i] == ' ' || t[i] == '\t' || t[i] == '\r' {
		i++
	}
	if t[i] == '\n' {
		return 0, 0, ^i, nil
	}
	if t[i] == '#' {
		return 0, 0, ^(i + bytes.IndexByte(t[i:], '\n')), nil
	}
	start := i
	for ; t[i]-'0' <= 9; i++ {
		number = number*10 + uint64(t[i]-'0')
	}
	if t[i] != ':' || i == start || i-start > 19 || number < least || number > maxIndex {
		end, err = p.oddFeature(c, start, least)
		return 0, 0, ^end, err
	}
	at := i + 1
	if bits, end, ok := decimal.NewWindow(t).LongNumber(at); ok && (t[end] <= ' ' || t[end] == '#') {
		return number, bits, end, nil
	}
	d, end, ok := decimal.Scan(t, at)
	if !ok || t[end] > ' ' && t[end] != '#' {
		return 0, 0, 0, badValue(c, at)
	}
	v, sure := d.Float32()
	if !sure {
		var status decimal.Status
		if v, status = decimal.SlowFloat32(t[at:end]); status != decimal.Number {
			return 0, 0, 0, badValue(c, at)
		}
	}
	return number, math.Float32bits(v), end, nil
}

// oddFeature deals with words that are not index:value with a fit index. It
// returns where qid:N ends, or else the error.
func (p *libsvmParser) oddFeature(c *lines.Chunk, at int, least uint64) (int, error) {
	end := wordEnd(c.Text, at)
	word := c.Text[at:end]
	index, value, found := bytes.Cut(word, []byte{':'})
	number, err := strconv.ParseUint(string(index), 10, 64)
	switch {
	case string(index) == "qid" && found:
		if _, err := strconv.ParseInt(string(value), 10, 64); err != nil {
			return 0, c.Errorf(at, fault.Quote(word), "qid:N with a whole number N")
		}
		return end, nil
	case !found || err != nil && !isDigits(index):
		return 0, c.Errorf(at, fault.Quote(word), "index:value")
	case err != nil || number > uint64(maxIndex):
		return 0, c.Errorf(at, "index "+string(index[:min(len(index), 40)]), fmt.Sprintf("at most %d", uint64(maxIndex)))
	case number < p.first:
		return 0, c.Errorf(at, "index 0", "indices from 1 (read the file with 'zero-based' if its indices begin with 0)")
	case number < least:
		return 0, c.Errorf(at, fmt.Sprintf("index %d after %d", number, least-1), "increasing indices")
	}
	// An index with so many leading zeros that the fast way gave up.
	return 0, c.Errorf(at, fault.Quote(word), "index:value without leading zeros")
}

func isDigits(text []byte) bool {
	for _, b := range text {
		if b-'0' > 9 {
			return false
		}
	}
	return len(text) > 0
}

func badValue(c *lines.Chunk, at int) error {
	word := c.Text[at:wordEnd(c.Text, at)]
	if len(word) == 0 {
		return c.Errorf(at, "nothing", "a value after the colon")
	}
	_, status := decimal.Float32(word)
	return c.Errorf(at, fault.Quote(word), status.Expected())
}

// roomSpare is the part of the room that is beyond what was estimated. What is
// never used costs no memory but addresses.
const roomSpare = 1.0 / 16

// mostRoom bounds the estimate: a file can be longer than what is in it.
const mostRoom = 1 << 26

// mostSample bounds the rows that are read twice, to see what is kept of them.
const mostSample = 16 << 10

// newRoom estimates by the first rows how many pairs there will be. There is no
// room where the size of the text is not known, and none if most of it would be
// gaps: 50 MB of text with 95 % zeros would take 86 MB instead of 21.
func newRoom(in []*file.Input, p *libsvmParser) room {
	size := int64(0)
	for _, i := range in {
		if i.Size <= 0 {
			return room{}
		}
		size += i.Size
	}
	head, err := in[0].Head()
	if err != nil { // reading will say why
		return room{}
	}
	n := int((1 + roomSpare) * float64(size) * float64(countPairs(head)) / float64(len(head)))
	if n > mostRoom || !p.keepsMost(head) {
		return room{}
	}
	all := memory.Block{Words: make([]uint64, n)}
	memory.LargeHeapPages(all.Words)
	index, value := all.Pairs()
	return room{index, value}
}

// keepsMost reports whether at least half of the counted pairs of a text are
// rows' nonzeros, and not zeros, in comments or unknown to the model.
func (p *libsvmParser) keepsMost(head []byte) bool {
	text := slices.Clone(head[:lines.LastLine(head[:min(len(head), mostSample)])])
	c := &lines.Chunk{Text: text, Lines: bytes.Count(text, []byte{'\n'}), Pairs: countPairs(text)}
	out := &sparseChunk{index: make([]uint32, 0, c.Pairs), value: make([]float32, 0, c.Pairs), labels: set.NewLabels(c.Lines)}
	_ = p.parseInto(c, out) // reading will say what is wrong
	return 2*len(out.index) >= c.Pairs
}

// measure returns the spreads of the features of a chunk before they were rounded, as far
// as that matters.
func (p *libsvmParser) measure(c *lines.Chunk, out *sparseChunk) []set.SparseSpread {
	found := out.tight()
	if len(found) == 0 {
		return nil
	}
	for at := range found {
		found[at].Spread = set.Spread{}
	}
	for line := range bytes.Lines(c.Text) {
		line, _, _ = bytes.Cut(line, []byte{'#'})
		k := 0
		for word := range bytes.FieldsSeq(line) {
			index, value, ok := bytes.Cut(word, []byte{':'})
			number, err := strconv.ParseUint(string(index), 10, 64)
			if !ok || err != nil || number < p.first {
				continue
			}
			for k < len(found) && uint64(found[k].Column) < number-p.first {
				k++
			}
			if v, status := decimal.Float64(value); k < len(found) && uint64(found[k].Column) == number-p.first && status == decimal.Number {
				found[k].Add(v)
				found[k].Rows++
			}
		}
	}
	for at := range found {
		found[at].Settle()
	}
	return slices.DeleteFunc(found, func(s set.SparseSpread) bool { return s.Wide || s.Rows != len(out.end) })
}
