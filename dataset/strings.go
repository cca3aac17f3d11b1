package dataset

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"unicode/utf8"
)

func init() {
	register("strings", "texts, a row a line: label, tab, text; for string kernels", texts{})
}

// texts is the format of strings: each line holds a label, a tab and a text. A
// row of the set is the text, the code point of its k-th character in column k;
// so it is for kernels of strings, and means little to others. Blank lines are
// skipped. Blanks around the label do not count, those of the text do, and so do
// more tabs.
//
// No column is unknown to a model: columns are places, not features.
type texts struct{}

var _ Format = texts{}

// Detect goes by the extension: a table can look the same.
func (texts) Detect(name string, head []byte) Match {
	if hasExtension(name, ".strings") && bytes.IndexByte(head, 0) < 0 {
		return MatchExtension
	}
	return NoMatch
}

func (texts) Read(ctx context.Context, in []*Input, opt *Options) (*Set, error) {
	s := newSplitter(in, opt, lastLine)
	s.free = make(chan []byte, opt.workers()+1)
	arena := newArena(opt.workers())
	defer arena.close()
	all := sparseRows{unknown: map[uint32]struct{}{}, targets: newTargets()}
	parse := func(c *chunk) (*sparseChunk, error) { return parseTexts(c, arena) }
	if err := parseChunks(ctx, s, opt.workers(), parse, all.take); err != nil {
		return nil, err
	}
	if all.rows == 0 {
		return nil, fmt.Errorf("%s: found no rows, expected at least one", in[0].Name)
	}
	weights, err := readWeights(ctx, opt.Weights, opt, all.rows)
	if err != nil {
		return nil, err
	}
	widest := *opt
	widest.Columns = max(opt.Columns, int(all.cols))
	x, err := all.matrix(ctx, &widest)
	if err != nil {
		return nil, err
	}
	return &Set{X: x, Target: all.targets.target(), Weight: weights}, nil
}

// parseTexts makes rows of the lines of a chunk. No text has more characters
// than bytes.
func parseTexts(c *chunk, a *arena) (*sparseChunk, error) {
	out := newSparseChunk(a, c.lines, len(c.text))
	var err error
	for at := 0; at < len(c.text) && err == nil; {
		line := c.text[at : at+bytes.IndexByte(c.text[at:], '\n')]
		if len(bytes.TrimSpace(line)) > 0 {
			err = out.addText(c, at, bytes.TrimSuffix(line, []byte{'\r'}))
		}
		at += len(line) + 1
	}
	a.keep(out.memory, len(out.entry))
	return out, err
}

// addText makes a row of the line at an offset of c.
func (out *sparseChunk) addText(c *chunk, at int, line []byte) error {
	label, text, found := bytes.Cut(line, []byte{'\t'})
	if trimmed := bytes.Trim(label, " "); !found || len(trimmed) == 0 {
		return c.errorf(at, quote(line), "a label, a tab and a text")
	} else if err := out.labels.add(c, at, trimmed); err != nil {
		return err
	}
	at += len(label) + 1
	if err := c.checkText(at, text); err != nil {
		return err
	}
	column := uint64(0)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == 0 {
			return c.errorf(at, "a zero byte", "text")
		}
		out.entry = append(out.entry, column|uint64(math.Float32bits(float32(r)))<<32)
		column++
		text, at = text[size:], at+size
	}
	out.cols = max(out.cols, column)
	out.end = append(out.end, uint32(len(out.entry)))
	return nil
}
