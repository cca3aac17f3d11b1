package dataset

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// sparseChunk is the rows of one chunk. What is read from a file is as large
// as the matrix that will be made of it, so it is kept outside the heap, where
// it can be given back as soon as it has been copied.
type sparseChunk struct {
	memory  *memory  // of entry; nil: the heap
	entry   []uint64 // the nonzeros: a column, then the bits of a value, from low to high
	end     []uint32 // of each row, in entry
	labels  *labels
	cols    uint64
	unknown []uint32 // columns beyond those of the model, as met

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

// newSparseChunk has room for so many rows and nonzeros.
func newSparseChunk(a *arena, rows, nonzeros int) *sparseChunk {
	m := a.lend(nonzeros)
	return &sparseChunk{memory: m, entry: m.words[m.used:m.used], end: make([]uint32, 0, rows), labels: newLabels(rows)}
}

// leaveOut notes a nonzero that the model does not know.
func (c *sparseChunk) leaveOut(column uint64, bits uint32) {
	if bits<<1 != 0 {
		c.unknown = append(c.unknown, uint32(column))
	}
}

// sparseRows gathers chunks in order.
type sparseRows struct {
	chunks       []*sparseChunk
	targets      *targets
	rows         int
	nonzeros     int64
	cols         uint64
	unknown      map[uint32]struct{}
	firstUnknown uint32
	ignored      int
}

func (a *sparseRows) take(c *sparseChunk) error {
	a.chunks = append(a.chunks, c)
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
	a.nonzeros += int64(len(c.entry))
	a.cols = max(a.cols, c.cols)
	c.labels, c.unknown = nil, nil
	return nil
}

// matrix copies the chunks into one matrix, in parallel, and frees them.
func (a *sparseRows) matrix(ctx context.Context, opt *Options) (*matrix.CSR, error) {
	if opt.Columns > 0 {
		a.cols = uint64(opt.Columns)
	}
	m := &matrix.CSR{Cols: int(a.cols), Start: make([]int64, a.rows+1),
		Index: large[uint32](int(a.nonzeros)), Value: large[float32](int(a.nonzeros))}
	firstRow, firstValue := make([]int, len(a.chunks)), make([]int64, len(a.chunks))
	row, value := 0, int64(0)
	for i, c := range a.chunks {
		firstRow[i], firstValue[i] = row, value
		row += len(c.end)
		value += int64(len(c.entry))
	}
	err := each(ctx, opt.workers(), len(a.chunks), func(i int) error {
		c := a.chunks[i]
		index, value := m.Index[firstValue[i]:][:len(c.entry)], m.Value[firstValue[i]:][:len(c.entry)]
		populate(index)
		populate(value)
		for k, e := range c.entry {
			index[k], value[k] = uint32(e), math.Float32frombits(uint32(e>>32))
		}
		for k, end := range c.end {
			m.Start[firstRow[i]+k+1] = firstValue[i] + int64(end)
		}
		a.chunks[i] = nil
		if len(c.entry) > 0 {
			c.memory.free()
		}
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
