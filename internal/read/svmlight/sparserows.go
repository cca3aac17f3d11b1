package svmlight

import (
	"bytes"
	"context"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"

	"github.com/fenchel-ml/fenchel/matrix"
)

// sparseChunk is the rows of one chunk.
type sparseChunk struct {
	memory  *memory.Block // of index and value; nil: the heap
	index   []uint32      // the columns of the nonzeros
	value   []float32     // what stands there
	end     []uint32      // of each row, in index
	labels  *set.Labels
	cols    uint64
	unknown []uint32 // columns beyond those of the model, as met
	spread  []sparseSpread
	small   []set.Small // increasing, rows from that of the chunk

	// Of a stream alone: for each row its line in the chunk and the columns up to
	// its last index; what is wrong with the row after the last; whence they are.
	line  []uint32
	reach []uint64
	bad   error
	from  place
}

// A place is where a chunk begins.
type place struct {
	name string
	line int
}

// newSparseChunk has room for so many rows and nonzeros, outside of the heap:
// what is there must be copied, and can then be given back at once.
func newSparseChunk(a *memory.Arena, rows, nonzeros int) *sparseChunk {
	m := a.Lend(nonzeros)
	index, value := m.Pairs()
	return &sparseChunk{memory: m, index: index[m.Used:m.Used], value: value[m.Used:m.Used], end: make([]uint32, 0, rows), labels: set.NewLabels(rows)}
}

// leaveOut notes a nonzero that the model does not know.
func (c *sparseChunk) leaveOut(column uint64, bits uint32) {
	if bits<<1 != 0 {
		c.unknown = append(c.unknown, uint32(column))
	}
}

// takeSmall takes a value that single precision rounds to less than set.Tiny. Of one that is not
// zero it returns bits that are kept.
func (c *sparseChunk) takeSmall(word []byte, column uint64, bits uint32) uint32 {
	_, text, _ := bytes.Cut(word, []byte{':'})
	v, _ := decimal.Float64(text)
	if v == 0 {
		return bits
	}
	c.small = append(c.small, set.Small{Row: len(c.end), Column: uint32(column), Value: v})
	if bits<<1 == 0 {
		bits |= 1
	}
	return bits
}

// room is where the rows of sparse text are to lie in the end. Chunks are
// parsed into it side by side: how many colons are before a chunk is known
// when it is read. A copy of all rows would cost a third of reading (a9a 2.7 of
// 8.9 ms, covtype2 4.1 of 17.4), and for a moment twice the memory.
type room struct {
	index []uint32
	value []float32
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

// countPairs returns a number that the pairs index:value of a text do not exceed:
// each has a colon, and four bytes with the blank before it.
func countPairs(text []byte) int {
	return min(bytes.Count(text, []byte{':'}), len(text)/4+1)
}

// chunk makes a place for the rows of c; nil if the room is too small.
func (r room) chunk(c *lines.Chunk) *sparseChunk {
	from, to := c.Before, c.Before+c.Pairs
	if r.index == nil || to > len(r.index) {
		return nil
	}
	return &sparseChunk{index: r.index[from:from:to], value: r.value[from:from:to],
		end: make([]uint32, 0, c.Lines), labels: set.NewLabels(c.Lines)}
}

// sparseRows gathers chunks in order.
type sparseRows struct {
	room     room
	spilled  bool // some chunks are not in the room
	chunks   []*sparseChunk
	small    []set.Small
	spreads  sparseSpreads
	targets  *set.Targets
	rows     int
	nonzeros int64
	cols     uint64
	unknown  set.UnknownColumns
}

func (a *sparseRows) take(c *sparseChunk) error {
	if len(c.end) == 0 { // blank lines and comments, without end perhaps
		return nil
	}
	if len(c.end) < cap(c.end)/2 { // there was room for a row in each line
		c.end = slices.Clone(c.end)
	}
	a.spreads.take(c)
	a.chunks = append(a.chunks, c)
	if err := a.targets.Take(c.labels); err != nil {
		return err
	}
	for _, j := range c.unknown {
		a.unknown.Add(j)
	}
	if a.spilled = a.spilled || c.memory != nil; !a.spilled {
		a.settle(c)
	}
	for _, v := range c.small {
		v.Row += a.rows
		a.small = append(a.small, v)
	}
	a.rows += len(c.end)
	a.nonzeros += int64(len(c.index))
	a.cols = max(a.cols, c.cols)
	c.labels, c.unknown, c.small = nil, nil, nil
	return nil
}

// settle closes the gap between a chunk in the room and those before it, if it
// has one: zeros are not kept, and a colon may stand elsewhere.
func (a *sparseRows) settle(c *sparseChunk) {
	n := int64(len(c.index))
	index, value := a.room.index[a.nonzeros:][:n:n], a.room.value[a.nonzeros:][:n:n]
	if n > 0 && &index[0] != &c.index[0] {
		copy(index, c.index)
		copy(value, c.value)
	}
	c.index, c.value = index, value
}

// matrix makes the chunks one matrix, in parallel, and frees them.
func (a *sparseRows) matrix(ctx context.Context, opt *set.Options) (*matrix.CSR, error) {
	if opt.Columns > 0 {
		a.cols = uint64(opt.Columns)
	}
	m := &matrix.CSR{Cols: int(a.cols), Start: make([]int64, a.rows+1)}
	if a.spilled {
		m.Index, m.Value = memory.Large[uint32](int(a.nonzeros)), memory.Large[float32](int(a.nonzeros))
	} else {
		m.Index, m.Value = a.room.index[:a.nonzeros:a.nonzeros], a.room.value[:a.nonzeros:a.nonzeros]
	}
	firstRow, firstValue := make([]int, len(a.chunks)), make([]int64, len(a.chunks))
	row, value := 0, int64(0)
	for i, c := range a.chunks {
		firstRow[i], firstValue[i] = row, value
		row += len(c.end)
		value += int64(len(c.index))
	}
	err := lines.Each(ctx, opt.Workers(), len(a.chunks), func(i int) error {
		c := a.chunks[i]
		if a.spilled {
			c.copyTo(m.Index[firstValue[i]:], m.Value[firstValue[i]:])
		}
		for k, end := range c.end {
			m.Start[firstRow[i]+k+1] = firstValue[i] + int64(end)
		}
		a.chunks[i] = nil
		return nil
	})
	return m, err
}

// copyTo copies the nonzeros to where index and value begin, and frees them.
func (c *sparseChunk) copyTo(index []uint32, value []float32) {
	index, value = index[:len(c.index)], value[:len(c.index)]
	memory.Populate(index)
	memory.Populate(value)
	copy(index, c.index)
	copy(value, c.value)
	if len(c.index) > 0 {
		c.memory.Free()
	}
}
