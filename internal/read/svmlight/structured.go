package svmlight

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// structured is what the formats of sequences and graphs share: each line holds a label, a
// tab and what the row stands for. Blank lines are skipped, and blanks around a label do
// not count. Labels may be empty, but in all rows: the set then has no targets.
//
// Columns are places, not features: none is unknown to a model. Each of the formats is one value of
// this type.
type structured struct {
	name, extension string
	summary         string // for the list of formats
	kind            structure.Kind
	expected        string // of a line
	// add makes a row of a text at an offset of the chunk, by value and warnings.
	add func(out *structuredChunk, c *lines.Chunk, at int, text []byte) error
	// write appends the text of row i.
	write func(line []byte, row matrix.Vector, i int) ([]byte, error)
}

var (
	_ set.LineFormat = (*structured)(nil)
	_ set.Writer     = (*structured)(nil)
)

// Takes implements set.Format.
func (*structured) Takes() []string { return []string{"weights"} }

// Begin implements set.LineFormat.
func (*structured) Begin([]byte, *set.Options) (header int, last func([]byte) int, ok bool) {
	return 0, lines.LastLine, true
}

// Extensions implements set.Format.
func (f *structured) Extensions() []string { return []string{f.extension} }

// structuredChunk is the rows of one chunk.
type structuredChunk struct {
	*sparseChunk
	begun  bool        // there is a row, if perhaps a bad one
	bare   bool        // the first row has no label
	first  fault.Place // where it is
	err    error       // what is wrong with the row after the last
	doubts doubts
}

// Detect goes by the extension: a table can begin the same way.
func (f *structured) Detect(name string, head []byte) set.Match {
	if set.HasExtension(name, f.extension) && bytes.IndexByte(head, 0) < 0 {
		return set.MatchExtension
	}
	return set.NoMatch
}

// Read implements set.Format.
func (f *structured) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	s := lines.NewSplitter(in, opt.Chunk, lines.LastLine)
	s.Free = make(chan []byte, opt.Workers()+1)
	arena := memory.NewArena(opt.Workers())
	defer arena.Close()
	all, labels, found := sparseRows{targets: set.NewTargets()}, labelled{}, doubts{}
	parse := func(c *lines.Chunk) (*structuredChunk, error) { return f.parse(c, arena), nil }
	err := lines.Parse(ctx, s, opt.Workers(), parse, func(c *structuredChunk) error {
		if err := labels.take(c); err != nil {
			return err
		}
		found.merge(&c.doubts)
		if err := all.take(c.sparseChunk); err != nil {
			return err
		}
		return c.err
	})
	if err != nil {
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
	return &set.Set{X: x, Target: all.targets.Target(), Weight: weights, Structure: f.kind, Warnings: found.warnings()}, nil
}

// labelled says whether rows have labels: all of them, or none.
type labelled struct{ begun, bare bool }

func (l *labelled) take(c *structuredChunk) error {
	if c.begun && l.begun && c.bare != l.bare {
		return mixed(c.first, c.bare)
	}
	if c.begun && !l.begun {
		l.begun, l.bare = true, c.bare
	}
	return nil
}

// mixed is the error of the first row with a label among rows without, or the other way round.
func mixed(at fault.Place, bare bool) error {
	if bare {
		return at.Fault("found no label, expected one, as the rows before have")
	}
	return at.Fault("found a label, expected none, as in the rows before")
}

// parse makes rows of the lines of a chunk. No row has more values than its line has bytes.
func (f *structured) parse(c *lines.Chunk, a *memory.Arena) *structuredChunk {
	out := &structuredChunk{sparseChunk: newSparseChunk(a, c.Lines, len(c.Text))}
	for at := 0; at < len(c.Text) && out.err == nil; {
		line := c.Text[at : at+bytes.IndexByte(c.Text[at:], '\n')]
		if len(bytes.Trim(line, " \r")) > 0 {
			out.err = f.addLine(out, c, at, bytes.TrimSuffix(line, []byte{'\r'}))
		}
		at += len(line) + 1
	}
	a.Keep(out.memory, len(out.index))
	return out
}

// addLine makes a row of the line at an offset of c.
func (f *structured) addLine(out *structuredChunk, c *lines.Chunk, at int, line []byte) error {
	label, text, found := bytes.Cut(line, []byte{'\t'})
	if !found {
		return c.Errorf(at, fault.Quote(line), f.expected)
	}
	label = bytes.Trim(label, " ")
	bare := len(label) == 0
	if !out.begun {
		out.begun, out.bare, out.first = true, bare, c.Locate(at)
	}
	if bare != out.bare {
		return mixed(c.Locate(at), bare)
	}
	begin := len(out.index)
	textAt := at + bytes.IndexByte(line, '\t') + 1
	err := c.CheckText(textAt, text)
	if err == nil && !bare {
		err = out.labels.Add(c, at, label)
	}
	if err == nil {
		err = f.add(out, c, textAt, text)
	}
	if err != nil {
		return err
	}
	out.cols = max(out.cols, uint64(len(out.index)-begin))
	out.end = append(out.end, uint32(len(out.index)))
	return nil
}

// append appends a value to the present row, which begins at a place of all.
func (out *structuredChunk) append(begin int, v float32) {
	out.index, out.value = append(out.index, uint32(len(out.index)-begin)), append(out.value, v)
}

// eachWord calls do with the words between blanks and tabs, and where they are.
func eachWord(at int, text []byte, do func(at int, word []byte) error) error {
	for begin := 0; begin < len(text); {
		end := bytes.IndexAny(text[begin:], " \t") + begin
		if end < begin {
			end = len(text)
		}
		if end > begin {
			if err := do(at+begin, text[begin:end]); err != nil {
				return err
			}
		}
		begin = end + 1
	}
	return nil
}

// Write writes one row a line. It refuses rows that stand for something else, and those
// that a line cannot hold.
func (f *structured) Write(w io.Writer, s *set.Set) error {
	switch {
	case s.Structure != f.kind && s.Structure != structure.Points:
		return fmt.Errorf("found %s, and a file of %s is for %s", s.Structure, f.name, f.kind)
	case s.Weight != nil:
		return fmt.Errorf("a file of %s has no place for row weights: expected another format, such as CSV", f.name)
	}
	if used := usedColumns(s.X); used < s.Cols() {
		return fmt.Errorf("found %d columns and no row with more than %d values, expected one that fills the columns", s.Cols(), used)
	}
	for _, l := range s.Target.Label {
		if strings.Trim(l, " ") != l || l == "" || strings.ContainsAny(l, "\t\r\n") {
			return fmt.Errorf("label %q: a file of %s cannot hold tabs, line breaks or blanks around in a label", l, f.name)
		}
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for i := range s.Rows() {
		var line []byte
		if !s.Target.Absent() {
			line = set.AppendLabel(nil, &s.Target, i)
		}
		line, err := f.write(append(line, '\t'), s.X.Row(i), i)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// placed returns the symbols of a row, which must be whole numbers from the first column on
// without gaps.
func placed(row matrix.Vector, i int) ([]float32, error) {
	value := row.Value
	for row.Index == nil && len(value) > 0 && value[len(value)-1] == 0 {
		value = value[:len(value)-1]
	}
	for k, v := range value {
		if !(v >= 1 && v <= structure.MaxSymbol) || v != float32(int(v)) || row.Column(k) != k {
			return nil, fmt.Errorf("row %d, column %d: found %g, expected a whole number from 1 to %d, without gaps", i+1, row.Column(k)+1, v, structure.MaxSymbol)
		}
	}
	return value, nil
}
