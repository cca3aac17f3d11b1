package svmlight

import (
	"context"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

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
