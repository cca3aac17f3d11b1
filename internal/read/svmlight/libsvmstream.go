package svmlight

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/stream"
	"github.com/fenchel-ml/fenchel/matrix"
)

var _ stream.Streamer = LIBSVM{}

func (LIBSVM) Stream(ctx context.Context, in []*file.Input, opt *set.Options, b *stream.Blocks) error {
	s := lines.NewSplitter(in, opt.Chunk, lines.LastLine)
	s.Free = make(chan []byte, opt.Workers()+1)
	s.Pairs = countPairs
	p := &libsvmParser{arena: memory.NewArena(opt.Workers()), first: 1, columns: math.MaxUint32 + 1, places: true}
	defer p.arena.Close()
	if opt.ZeroBased {
		p.first = 0
	}
	p.measures = opt.Columns == 0
	if opt.Bits > 0 && b.Width == 0 {
		if err := b.Fix(in[0].Name, 1<<opt.Bits); err != nil {
			return err
		}
		b.Whose = fmt.Sprintf("of 2^bits features ('bits=%d')", opt.Bits)
	}
	var all sparseSpreads
	factors := opt.Schema.Factors()
	if factors != nil {
		b.To.Schema = opt.Schema.Multiplying(len(factors))
	}
	parse := func(c *lines.Chunk) (*sparseChunk, error) {
		out, err := p.parse(c)
		out.bad, out.from = err, place{c.Name, c.Line}
		return out, nil
	}
	err := lines.Parse(ctx, s, opt.Workers(), parse, func(c *sparseChunk) error {
		all.take(c)
		all.takeSmall(c)
		if len(c.small) > 0 || factors != nil {
			rows, err := c.multiplied(opt)
			if err != nil {
				return fault.In(c.from.name, "%w", err)
			}
			defer c.memory.Free()
			return rows.give(b, p.first)
		}
		return c.give(b, p.first)
	})
	b.To.Late, _ = all.Lost(p.nameOf)
	b.To.Late = append(b.To.Late, all.vanished(p.first)...)
	return err
}

// give gives the rows of a chunk to a stream, up to the first that is bad.
func (c *sparseChunk) give(b *stream.Blocks, first uint64) error {
	if len(c.index) > 0 {
		defer c.memory.Free()
	}
	if err := b.Labels(c.labels); err != nil {
		return err
	}
	from := uint32(0)
	for k, end := range c.end {
		reach := c.reach[k]
		if b.Width > 0 && reach > uint64(b.Width) {
			return fault.At(c.from.name, c.from.line+int(c.line[k]), 0, "found index %d, expected at most %d, %s",
				reach-1+first, uint64(b.Width)-1+first, b.Whose)
		}
		if err := b.Pairs(c.index[from:end], c.value[from:end], reach); err != nil {
			return err
		}
		from = end
	}
	return c.bad
}

// multiplied is the chunk with its small values where they belong, multiplied as a model says.
func (c *sparseChunk) multiplied(opt *set.Options) (*sparseChunk, error) {
	x := &matrix.CSR{Cols: int(c.cols), Start: make([]int64, 1, len(c.end)+1), Index: c.index, Value: c.value}
	for _, end := range c.end {
		x.Start = append(x.Start, int64(end))
	}
	alone := *opt
	alone.Columns = max(opt.Columns, 1) // no factors of its own
	rows := &set.SparseRows{X: x, Small: c.small}
	if _, _, _, err := set.Multiply([]*set.SparseRows{rows}, &alone); err != nil {
		return nil, err
	}
	again := *c
	again.index, again.value, again.memory = rows.X.Index, rows.X.Value, nil
	for i := range again.end {
		again.end[i] = uint32(rows.X.Start[i+1])
	}
	return &again, nil
}
