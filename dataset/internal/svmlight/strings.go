package svmlight

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/fenchel-ml/fenchel/dataset/internal/file"
	"github.com/fenchel-ml/fenchel/dataset/internal/lines"
	"github.com/fenchel-ml/fenchel/dataset/internal/memory"
	"github.com/fenchel-ml/fenchel/dataset/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

func init() {
	set.Register("strings", "texts, a row a line: label, tab, text; for string kernels", Strings{})
}

// Strings is the format of strings: each line holds a label, a tab and a text. A
// row of the set is the text, the code point of its k-th character in column k;
// so it is for kernels of strings, and means little to others. Blank lines are
// skipped. Blanks around the label do not count, those of the text do, and so do
// more tabs.
//
// No column is unknown to a model: columns are places, not features.
type Strings struct{}

var (
	_ set.Format = Strings{}
	_ set.Writer = Strings{}
)

func (Strings) Extensions() []string { return []string{".strings"} }

func (Strings) Takes() []string { return []string{"weights"} }

// Detect goes by the extension: a table can begin the same way.
func (f Strings) Detect(name string, head []byte) set.Match {
	if set.HasExtension(name, f.Extensions()...) && bytes.IndexByte(head, 0) < 0 {
		return set.MatchExtension
	}
	return set.NoMatch
}

func (Strings) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	s := lines.NewSplitter(in, opt.Chunk, lines.LastLine)
	s.Free = make(chan []byte, opt.Workers()+1)
	arena := memory.NewArena(opt.Workers())
	defer arena.Close()
	all := sparseRows{targets: set.NewTargets()}
	parse := func(c *lines.Chunk) (*sparseChunk, error) { return parseTexts(c, arena) }
	if err := lines.Parse(ctx, s, opt.Workers(), parse, all.take); err != nil {
		return nil, err
	}
	if all.rows == 0 {
		return nil, fault.In(in[0].Name, "found no rows, expected at least one")
	}
	weights, err := set.ReadWeights(ctx, opt.Weights, opt, all.rows)
	if err != nil {
		return nil, err
	}
	widest := *opt
	widest.Columns = max(opt.Columns, int(all.cols))
	x, err := all.matrix(ctx, &widest)
	if err != nil {
		return nil, err
	}
	return &set.Set{X: x, Target: all.targets.Target(), Weight: weights, Text: true}, nil
}

// parseTexts makes rows of the lines of a chunk. No text has more characters
// than bytes.
func parseTexts(c *lines.Chunk, a *memory.Arena) (*sparseChunk, error) {
	out := newSparseChunk(a, c.Lines, len(c.Text))
	var err error
	for at := 0; at < len(c.Text) && err == nil; {
		line := c.Text[at : at+bytes.IndexByte(c.Text[at:], '\n')]
		if len(bytes.TrimSpace(line)) > 0 {
			err = out.addText(c, at, bytes.TrimSuffix(line, []byte{'\r'}))
		}
		at += len(line) + 1
	}
	a.Keep(out.memory, len(out.index))
	return out, err
}

// addText makes a row of the line at an offset of c.
func (out *sparseChunk) addText(c *lines.Chunk, at int, line []byte) error {
	label, text, found := bytes.Cut(line, []byte{'\t'})
	if trimmed := bytes.Trim(label, " "); !found || len(trimmed) == 0 {
		return c.Errorf(at, fault.Quote(line), "a label, a tab and a text")
	} else if err := out.labels.Add(c, at, trimmed); err != nil {
		return err
	}
	at += len(label) + 1
	if err := c.CheckText(at, text); err != nil {
		return err
	}
	column := uint64(0)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == 0 {
			return c.Errorf(at, "a zero byte", "text")
		}
		out.index, out.value = append(out.index, uint32(column)), append(out.value, float32(r))
		column++
		text, at = text[size:], at+size
	}
	out.cols = max(out.cols, column)
	out.end = append(out.end, uint32(len(out.index)))
	return nil
}

// Write writes one row a line. It refuses rows that are no texts, and those that
// a line cannot hold.
func (Strings) Write(w io.Writer, s *set.Set) error {
	if s.Weight != nil {
		return fmt.Errorf("a file of strings has no place for row weights: expected another format, such as CSV")
	}
	if s.Target.Absent() {
		return fmt.Errorf("a file of strings needs a label in each row: found a set without targets")
	}
	if used := usedColumns(s.X); used < s.Cols() {
		return fmt.Errorf("found %d columns and no text longer than %d characters, expected one that fills the columns", s.Cols(), used)
	}
	for _, l := range s.Target.Label {
		if strings.Trim(l, " ") != l || l == "" || strings.ContainsAny(l, "\t\r\n") {
			return fmt.Errorf("label %q: a file of strings cannot hold tabs, line breaks or blanks around in a label", l)
		}
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for i := range s.Rows() {
		line, err := appendText(append(set.AppendLabel(nil, &s.Target, i), '\t'), s.X.Row(i), i)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// appendText appends row i as text.
func appendText(line []byte, row matrix.Vector, i int) ([]byte, error) {
	value := row.Value
	for row.Index == nil && len(value) > 0 && value[len(value)-1] == 0 {
		value = value[:len(value)-1]
	}
	for k, v := range value {
		r := rune(max(-1, min(v, utf8.MaxRune+1)))
		if float32(r) != v || !utf8.ValidRune(r) || r == 0 || r == '\n' || row.Column(k) != k {
			return nil, fmt.Errorf("row %d, column %d: found %g, expected the code point of a character other than a line break, without gaps", i+1, row.Column(k)+1, v)
		}
		line = utf8.AppendRune(line, r)
	}
	if len(value) > 0 && value[len(value)-1] == '\r' {
		return nil, fmt.Errorf("row %d: found a carriage return at the end, expected another character", i+1)
	}
	return line, nil
}
