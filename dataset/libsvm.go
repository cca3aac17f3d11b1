package dataset

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/fenchel-ml/fenchel/matrix"
)

func init() {
	register("libsvm", "sparse text, a row a line: label index:value ... (also SVMlight)", libsvm{})
}

// libsvm is the text format of LIBSVM and SVMlight: each line holds
//
//	label [qid:N] index:value index:value ... [# comment]
//
// with blanks or tabs between, indices increasing from 1 (from 0 if the
// options say so). Blank lines and comment lines are skipped, qid is checked
// and dropped, and so is a value that is exactly zero, though its index counts
// for the number of columns. A label may be any text without blanks.
type libsvm struct{}

var (
	_ Format = libsvm{}
	_ Writer = libsvm{}
)

func (libsvm) Extensions() []string { return []string{".svm", ".libsvm", ".txt"} }

// Detect looks at the lines of the head that have features.
func (libsvm) Detect(name string, head []byte) Match {
	match := NoMatch
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return NoMatch
	case hasExtension(name, ".svm", ".libsvm"):
		match = MatchExtension
	}
	if cut := lastLine(head); cut > 0 {
		head = head[:cut]
	}
	for line := range bytes.Lines(head) {
		words := bytes.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		features := 0
		for _, w := range words[1:] {
			if w[0] == '#' {
				break
			}
			if !looksLikeFeature(w) {
				return match
			}
			features++
		}
		if features > 0 || looksLikeFeature(words[0]) {
			return MatchContent
		}
		match = max(match, MatchPossible) // a row without features, or another format
	}
	return match
}

// looksLikeFeature accepts bad values too, so that reading can say where they
// are, but not the times of day that tables hold.
func looksLikeFeature(word []byte) bool {
	index, value, found := bytes.Cut(word, []byte{':'})
	if !found || len(index) == 0 || bytes.ContainsAny(value, ",;|:\"") {
		return false
	}
	_, err := strconv.ParseUint(string(index), 10, 64)
	return err == nil || string(index) == "qid"
}

func (libsvm) Read(ctx context.Context, in []*Input, opt *Options) (*Set, error) {
	s := newSplitter(in, opt, lastLine)
	s.free = make(chan []byte, 4*opt.workers())
	p := &libsvmParser{first: 1, limit: math.MaxUint32}
	if opt.ZeroBased {
		p.first = 0
	}
	if opt.Columns > 0 {
		p.columns = uint64(opt.Columns)
	}
	all := sparseRows{unknown: map[uint32]struct{}{}, targets: newTargets()}
	if err := parseChunks(ctx, s, opt.workers(), p.parse, all.take); err != nil {
		return nil, err
	}
	if all.rows == 0 {
		return nil, fmt.Errorf("%s: found no rows, expected at least one", in[0].Name)
	}
	weights, err := readWeights(ctx, opt.Weights, opt, all.rows)
	if err != nil {
		return nil, err
	}
	x, err := all.matrix(ctx, opt)
	if err != nil {
		return nil, err
	}
	return &Set{X: x, Target: all.targets.target(), Weight: weights, Warnings: all.warnings(uint64(p.first))}, nil
}

// sparseChunk is what one chunk holds.
type sparseChunk struct {
	index   []uint32
	value   []float32
	end     []int // of each row
	labels  *labels
	cols    int64
	unknown []uint32 // columns beyond those of the model, as met
}

// sparseRows gathers chunks in order.
type sparseRows struct {
	chunks       []*sparseChunk
	targets      *targets
	rows         int
	nonzeros     int64
	cols         int64
	unknown      map[uint32]struct{}
	firstUnknown uint32
	ignored      int
}

func (a *sparseRows) take(c *sparseChunk) error {
	if err := a.targets.take(c.labels); err != nil {
		return err
	}
	if a.ignored == 0 && len(c.unknown) > 0 {
		a.firstUnknown = c.unknown[0]
	}
	for _, j := range c.unknown {
		a.unknown[j] = struct{}{}
	}
	a.ignored += len(c.unknown)
	a.rows += len(c.end)
	a.nonzeros += int64(len(c.index))
	a.cols = max(a.cols, c.cols)
	c.labels, c.unknown = nil, nil
	a.chunks = append(a.chunks, c)
	return nil
}

// matrix copies the chunks into one matrix, in parallel.
func (a *sparseRows) matrix(ctx context.Context, opt *Options) (*matrix.CSR, error) {
	if opt.Columns > 0 {
		a.cols = int64(opt.Columns)
	}
	m := &matrix.CSR{Cols: int(a.cols), Start: make([]int64, a.rows+1),
		Index: make([]uint32, a.nonzeros), Value: make([]float32, a.nonzeros)}
	firstRow, firstValue := make([]int, len(a.chunks)), make([]int64, len(a.chunks))
	row, value := 0, int64(0)
	for i, c := range a.chunks {
		firstRow[i], firstValue[i] = row, value
		row += len(c.end)
		value += int64(len(c.index))
	}
	err := each(ctx, opt.workers(), len(a.chunks), func(i int) error {
		c := a.chunks[i]
		copy(m.Index[firstValue[i]:], c.index)
		copy(m.Value[firstValue[i]:], c.value)
		for k, end := range c.end {
			m.Start[firstRow[i]+k+1] = firstValue[i] + int64(end)
		}
		a.chunks[i] = nil
		return nil
	})
	return m, err
}

func (a *sparseRows) warnings(first uint64) []error {
	if a.ignored == 0 {
		return nil
	}
	return []error{fmt.Errorf("%s of %s (first: %d) %s unknown to the model: ignored", plural(a.ignored, "value", "values"),
		plural(len(a.unknown), "feature", "features"), uint64(a.firstUnknown)+first, are(a.ignored))}
}

// libsvmParser parses chunks; it does not change.
type libsvmParser struct {
	first   uint64 // smallest index
	limit   uint64 // largest index
	columns uint64 // of the model; 0: no limit
}

func (p *libsvmParser) parse(c *chunk) (*sparseChunk, error) {
	most := bytes.Count(c.text, []byte{':'}) // exact but for comments and zeros
	rows := bytes.Count(c.text, []byte{'\n'})
	out := &sparseChunk{index: make([]uint32, 0, most), value: make([]float32, 0, most), end: make([]int, 0, rows), labels: newLabels(rows)}
	t := c.text
	for i := 0; i < len(t); {
		switch t[i] {
		case ' ', '\t', '\r', '\n':
			i++
		case '#':
			i += bytes.IndexByte(t[i:], '\n')
		default:
			end := wordEnd(t, i)
			if err := p.label(c, i, t[i:end], out); err != nil {
				return nil, err
			}
			next, err := p.features(c, end, out)
			if err != nil {
				return nil, err
			}
			out.end = append(out.end, len(out.index))
			i = next
		}
	}
	return out, nil
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

func (p *libsvmParser) label(c *chunk, at int, word []byte, out *sparseChunk) error {
	if _, status := parseFloat64(word); status == isText {
		switch {
		case bytes.IndexByte(word, ':') >= 0:
			return c.errorf(at, quote(word), "a label before the features")
		case isLabelList(word):
			return c.errorf(at, quote(word), "one label a row (several labels a row are not supported)")
		}
	}
	return out.labels.add(c, at, word)
}

// isLabelList tells "1,2" from a name with a comma.
func isLabelList(word []byte) bool {
	lists := false
	for part := range bytes.SplitSeq(word, []byte{','}) {
		if lists {
			return true
		}
		_, status := parseFloat64(part)
		if status != isNumber {
			return false
		}
		lists = true
	}
	return false
}

// features reads the rest of a line from t[i] on and returns where the next
// one begins. All speed of reading is here.
func (p *libsvmParser) features(c *chunk, i int, out *sparseChunk) (next int, err error) {
	t := c.text
	least := p.first // index must not be smaller
	for {
		switch t[i] {
		case '\n':
			return i + 1, nil
		case ' ', '\t', '\r':
			i++
			continue
		case '#':
			return i + bytes.IndexByte(t[i:], '\n') + 1, nil
		}
		start, index := i, uint64(0)
		for ; t[i]-'0' <= 9; i++ {
			index = index*10 + uint64(t[i]-'0')
		}
		if t[i] != ':' || i == start || i-start > 19 || index < least || index > p.limit {
			if i, err = p.oddFeature(c, start, least, out); err != nil {
				return 0, err
			}
			continue
		}
		at := i + 1
		d, end, ok := scanDecimal(t, at)
		if !ok || t[end] > ' ' && t[end] != '#' {
			return 0, badValue(c, at)
		}
		v, sure := d.float32()
		if !sure {
			var status numberStatus
			if v, status = slowFloat32(t[at:end]); status != isNumber {
				return 0, badValue(c, at)
			}
		}
		i, least = end, index+1
		p.put(index, v, out)
	}
}

// put adds a value to the row, if it is not zero and the model knows it.
func (p *libsvmParser) put(index uint64, v float32, out *sparseChunk) {
	column := index - p.first
	out.cols = max(out.cols, int64(column)+1)
	if v == 0 {
		return
	}
	if p.columns > 0 && column >= p.columns {
		out.unknown = append(out.unknown, uint32(column))
		return
	}
	out.index = append(out.index, uint32(column))
	out.value = append(out.value, v)
}

// oddFeature deals with words that are not index:value with a fit index. It
// returns where qid:N ends, or else the error.
func (p *libsvmParser) oddFeature(c *chunk, at int, least uint64, out *sparseChunk) (int, error) {
	end := wordEnd(c.text, at)
	word := c.text[at:end]
	index, value, found := bytes.Cut(word, []byte{':'})
	number, err := strconv.ParseUint(string(index), 10, 64)
	switch {
	case string(index) == "qid" && found:
		if _, err := strconv.ParseInt(string(value), 10, 64); err != nil {
			return 0, c.errorf(at, quote(word), "qid:N with a whole number N")
		}
		return end, nil
	case !found || err != nil && !isDigits(index):
		return 0, c.errorf(at, quote(word), "index:value")
	case err != nil || number > p.limit:
		return 0, c.errorf(at, "index "+string(index[:min(len(index), 40)]), fmt.Sprintf("at most %d", p.limit))
	case number < p.first:
		return 0, c.errorf(at, "index 0", "indices from 1 (read the file with --zero-based if its indices begin with 0)")
	case number < least:
		return 0, c.errorf(at, fmt.Sprintf("index %d after %d", number, least-1), "increasing indices")
	}
	// An index with so many leading zeros that the fast way gave up.
	return 0, c.errorf(at, quote(word), "index:value without leading zeros")
}

func isDigits(text []byte) bool {
	for _, b := range text {
		if b-'0' > 9 {
			return false
		}
	}
	return len(text) > 0
}

func badValue(c *chunk, at int) error {
	word := c.text[at:wordEnd(c.text, at)]
	if len(word) == 0 {
		return c.errorf(at, "nothing", "a value after the colon")
	}
	_, status := parseFloat32(word)
	return c.errorf(at, quote(word), status.expected())
}
