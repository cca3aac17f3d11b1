package dataset

import (
	"context"
	"math"

	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/fenchel-ml/fenchel/dataset/internal/file"
	"github.com/fenchel-ml/fenchel/dataset/internal/memory"
)

var _ Streamer = libsvm{}

func (libsvm) Stream(ctx context.Context, in []*file.Input, opt *Options, b *blocks) error {
	s := newSplitter(in, opt.Chunk, lastLine)
	s.free = make(chan []byte, opt.workers()+1)
	s.pairs = countPairs
	p := &libsvmParser{arena: memory.NewArena(opt.workers()), first: 1, columns: math.MaxUint32 + 1, places: true}
	defer p.arena.Close()
	if opt.ZeroBased {
		p.first = 0
	}
	p.measures = opt.Columns == 0
	var all sparseSpreads
	parse := func(c *chunk) (*sparseChunk, error) {
		out, err := p.parse(c)
		out.bad, out.from = err, place{c.name, c.line}
		return out, nil
	}
	err := parseChunks(ctx, s, opt.workers(), parse, func(c *sparseChunk) error {
		all.take(c)
		return c.give(b, p.first)
	})
	b.to.Late, _ = all.lost(p.first)
	return err
}

// give gives the rows of a chunk to a stream, up to the first that is bad.
func (c *sparseChunk) give(b *blocks, first uint64) error {
	if len(c.index) > 0 {
		defer c.memory.Free()
	}
	from := uint32(0)
	for k, end := range c.end {
		reach := c.reach[k]
		if b.width > 0 && reach > uint64(b.width) {
			return fault.At(c.from.name, c.from.line+int(c.line[k]), 0, "found index %d, expected at most %d, %s",
				reach-1+first, uint64(b.width)-1+first, b.whose)
		}
		if err := b.pairs(c.index[from:end], c.value[from:end], reach); err != nil {
			return err
		}
		from = end
	}
	return c.bad
}
