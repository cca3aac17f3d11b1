package array

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

func init() {
	set.Register("mtx", "Matrix Market: a matrix as text, sparse (coordinate) or dense (array); targets from a file", market{})
}

// market is the format of Matrix Market (NIST), of matrices that are general:
//
//	%%MatrixMarket matrix coordinate|array real|integer|pattern general
//	% comments
//	rows columns entries             of an array: rows columns
//	row column value                 of an array: value, column after column; of a pattern: row column
//
// Rows and columns count from 1; an entry of a pattern is 1; places may come in any order, each once. There are no targets in it.
type market struct{}

var _ set.Format = market{}

func (market) Takes() []string { return []string{"weights", "labels"} }

const marketMagic = "%%MatrixMarket"

func (market) Detect(_ string, head []byte) set.Match {
	if len(head) >= len(marketMagic) && bytes.EqualFold(head[:len(marketMagic)], []byte(marketMagic)) {
		return set.MatchMagic
	}
	return set.NoMatch
}

func (market) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	all := &arrayRows{opt: opt}
	for _, i := range in {
		m, err := readMarket(ctx, i, opt)
		if err != nil {
			return nil, err
		}
		if m.dense {
			err = all.addMarket(ctx, m)
		} else {
			var s *sparseArrays
			if s, err = m.sparse(); err == nil {
				err = all.addSparse(i.Name, s)
			}
		}
		if err == nil {
			err = all.Take(i.Name, nil)
		}
		if err != nil {
			return nil, err
		}
	}
	return all.set(ctx)
}

// addMarket adds a dense matrix.
func (a *arrayRows) addMarket(ctx context.Context, m *marketMatrix) error {
	if err := a.begin(m.name, m.rows, m.cols); err != nil {
		return err
	}
	double, _ := ElementOf('f', 8, binary.NativeEndian)
	from := memorySection{bytes.NewReader(memory.AsBytes(m.values))}
	return a.add(ctx, newArrayPart(m.name, from, double, 1, m.rows, m.cols, -1, true))
}

// A marketMatrix is what a file holds.
type marketMatrix struct {
	name             string
	dense            bool
	field            string // real, integer or pattern
	rows, cols, size int64  // as the header says; size: entries
	at               int    // line of the sizes
	entries          []marketEntry
	values           []float64 // of a dense one
}

type marketEntry struct {
	row, column uint32
	value       float64
}

func readMarket(ctx context.Context, in *file.Input, opt *set.Options) (*marketMatrix, error) {
	m := &marketMatrix{name: in.Name}
	if err := m.readHeader(in); err != nil {
		return nil, err
	}
	s := lines.NewSplitter([]*file.Input{in}, opt.Chunk, lines.LastLine)
	s.Free = make(chan []byte, opt.Workers()+1)
	err := lines.Parse(ctx, s, opt.Workers(), m.parse, func(p *marketMatrix) error {
		m.entries, m.values = append(m.entries, p.entries...), append(m.values, p.values...)
		if found := m.found(); found > m.size {
			return fault.At(m.name, p.at, 0, "found more than the %d entries that line %d says, expected as many", m.size, m.at)
		}
		return nil
	})
	if err == nil && m.found() < m.size {
		err = fault.At(m.name, in.Line, 0, "found the end after %d entries, expected the %d that line %d says", m.found(), m.size, m.at)
	}
	return m, err
}

func (m *marketMatrix) found() int64 { return int64(len(m.entries) + len(m.values)) }

// readHeader reads all lines before the entries.
func (m *marketMatrix) readHeader(in *file.Input) error {
	for {
		line, err := in.Reader().ReadSlice('\n')
		if err == bufio.ErrBufferFull || err != nil && err != io.EOF {
			return fault.At(in.Name, in.Line+1, 0, "found a line of more than %d bytes or a broken file, expected the sizes of the matrix", file.HeadSize)
		}
		if len(line) == 0 {
			return fault.At(in.Name, in.Line, 0, "found the end, expected the sizes of the matrix")
		}
		in.Line++
		in.Taken += len(line)
		words := strings.Fields(string(line))
		switch {
		case in.Line == 1:
			err = m.describe(words)
		case len(words) == 0 || words[0][0] == '%':
			continue
		default:
			if err = m.measure(words); err == nil {
				m.at = in.Line
				return nil
			}
		}
		if err != nil && err != io.EOF {
			return fault.At(in.Name, in.Line, 0, "%w", err)
		}
	}
}

// describe takes the words of the first line.
func (m *marketMatrix) describe(words []string) error {
	if len(words) != 5 {
		return fmt.Errorf("found %d words, expected %s matrix coordinate|array real|integer|pattern general", len(words), marketMagic)
	}
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
	m.dense, m.field = words[2] == "array", words[3]
	way := `one way: python -c "import scipy.io, scipy.sparse; scipy.sparse.save_npz('OUT.npz', scipy.sparse.csr_matrix(scipy.io.mmread('IN')))"`
	switch {
	case words[1] != "matrix" || !m.dense && words[2] != "coordinate":
		return fmt.Errorf("found %q, expected matrix coordinate or matrix array", words[1]+" "+words[2])
	case m.field != "real" && m.field != "integer" && m.field != "double" && (m.field != "pattern" || m.dense):
		return fmt.Errorf("found numbers that are %q, expected real, integer, or pattern of a coordinate matrix", m.field)
	case words[4] != "general":
		return fmt.Errorf("found a matrix that is %q, expected a general one, with all of its entries; %s", words[4], way)
	}
	return nil
}

// measure takes the words of the line of sizes.
func (m *marketMatrix) measure(words []string) (err error) {
	want := 3
	if m.dense {
		want = 2
	}
	sizes := make([]int64, want)
	for i := 0; i < want && i < len(words) && err == nil; i++ {
		sizes[i], err = strconv.ParseInt(words[i], 10, 64)
	}
	if err != nil || len(words) != want || slices.Min(sizes) < 0 {
		return fmt.Errorf("found %s, expected %d whole numbers: rows, columns%s", fault.Quote([]byte(strings.Join(words, " "))), want, []string{"", " and entries"}[want-2])
	}
	if m.rows, m.cols = sizes[0], sizes[1]; m.rows >= math.MaxUint32 || m.cols >= math.MaxUint32 {
		return fmt.Errorf("found %d rows and %d columns, expected fewer than 2^32 of each", m.rows, m.cols)
	}
	if m.size = m.rows * m.cols; m.dense {
		if m.rows > 0 && m.size/m.rows != m.cols || m.size > math.MaxInt64/8 {
			return fmt.Errorf("found %d rows and %d columns, expected fewer numbers", m.rows, m.cols)
		}
		return nil
	}
	// Rows cost memory but no bytes in the file.
	if m.size = sizes[2]; m.rows > 1<<20+64*min(m.size, 1<<40) {
		return fmt.Errorf("found %d rows for %d entries, expected at most %d", m.rows, m.size, 1<<20+64*m.size)
	}
	return nil
}

// parse reads the entries of a chunk.
func (m *marketMatrix) parse(c *lines.Chunk) (*marketMatrix, error) {
	p := &marketMatrix{at: c.Line + c.Lines - 1}
	for at := 0; at < len(c.Text); {
		line := c.Text[at : at+bytes.IndexByte(c.Text[at:], '\n')]
		if err := m.entry(p, c, at, line); err != nil {
			return nil, err
		}
		at += len(line) + 1
	}
	return p, nil
}

// entry reads the entry of a line; there may be none.
func (m *marketMatrix) entry(p *marketMatrix, c *lines.Chunk, at int, line []byte) error {
	words := bytes.Fields(line)
	if len(words) == 0 {
		return nil
	}
	want, names := 3, "row column value"
	if m.dense {
		want, names = 1, "one number"
	} else if m.field == "pattern" {
		want, names = 2, "row column"
	}
	if len(words) != want {
		return c.Errorf(at, fault.Quote(bytes.TrimSpace(line)), names)
	}
	e := marketEntry{value: 1}
	if m.field != "pattern" {
		v, status := decimal.Float64(words[want-1])
		if status != decimal.Number || math.Abs(v) > math.MaxFloat32 {
			return c.Errorf(at, fault.Quote(words[want-1]), status.Expected()+" (up to 3.4e38)")
		}
		if m.field == "integer" && v != math.Trunc(v) {
			return c.Errorf(at, fault.Quote(words[want-1]), "a whole number, as the first line says")
		}
		e.value = v + 0 // no negative zero
	}
	if m.dense {
		p.values = append(p.values, e.value)
		return nil
	}
	for k, most := range []int64{m.rows, m.cols} {
		i, err := strconv.ParseInt(string(words[k]), 10, 64)
		if err != nil || i < 1 || i > most {
			return c.Errorf(at, fault.Quote(words[k]), fmt.Sprintf("a whole number from 1 to %d, one of %s", most, []string{"rows", "columns"}[k]))
		}
		if e.column = uint32(i - 1); k == 0 {
			e.row = e.column
		}
	}
	p.entries = append(p.entries, e)
	return nil
}

// sparse compresses the rows.
func (m *marketMatrix) sparse() (*sparseArrays, error) {
	s := &sparseArrays{shape: []int64{m.rows, m.cols}, start: make([]int64, m.rows+1)}
	for _, e := range m.entries {
		s.start[e.row+1]++
	}
	for i := range m.rows {
		s.start[i+1] += s.start[i]
	}
	s.index, s.value = memory.Large[uint32](len(m.entries)), memory.Large[float32](len(m.entries))
	next := slices.Clone(s.start)
	for _, e := range m.entries {
		at := next[e.row]
		next[e.row]++
		if s.index[at], s.value[at] = e.column, float32(e.value); set.IsSmall(math.Float32bits(s.value[at])) && e.value != 0 {
			s.small = append(s.small, set.Small{Row: int(e.row), Column: e.column, Value: e.value})
		}
	}
	m.entries = nil
	return s, s.sort(m.name)
}
