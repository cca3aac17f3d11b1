package array

import (
	"cmp"
	"context"

	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/stream"
)

// Streams of binary arrays and of caches.

var _, _ stream.Streamer = npy{}, idx{}

func (npy) Stream(ctx context.Context, in []*file.Input, opt *set.Options, b *stream.Blocks) error {
	all := &arrayRows{opt: opt}
	for _, i := range in {
		h, err := ReadHeader(i.Reader(), i.Name)
		if err != nil {
			return err
		}
		rows, cols, err := h.table(i.Name)
		if err != nil {
			return err
		}
		target, err := TargetColumn(opt, i.Name, cols)
		if err != nil {
			return err
		}
		features := cols
		if target >= 0 {
			features = max(features-1, 0)
		}
		if b.Offsets = false; opt.Schema == nil && opt.Columns == 0 && b.To.Schema == nil && !opt.Unmoved {
			all.moveFirst(i, h, rows, cols, target, b.To)
		}
		moves := cmp.Or(opt.Schema, b.To.Schema).Moves()
		read := func(do func([]float32)) error {
			_, err := h.ReadTable(ctx, i.Reader(), i.Name, rows, cols, target, moves, do)
			return err
		}
		if err := all.stream(i, rows, features, b, read); err != nil {
			return err
		}
	}
	return nil
}

func (idx) Stream(ctx context.Context, in []*file.Input, opt *set.Options, b *stream.Blocks) error {
	all := &arrayRows{opt: opt}
	b.Offsets = false
	for _, i := range in {
		e, dims, cols, err := idxTable(i)
		if err != nil {
			return err
		}
		read := func(do func([]float32)) error {
			return eachRow(ctx, i.Reader(), i.Name, e, dims[0], cols, e.scale(), opt.Schema.Moves(), do)
		}
		if err := all.stream(i, dims[0], cols, b, read); err != nil {
			return err
		}
	}
	return nil
}

// stream gives the rows of an array that read reads.
func (a *arrayRows) stream(in *file.Input, rows, cols int64, b *stream.Blocks, read func(do func([]float32)) error) error {
	if err := a.begin(in.Name, rows, cols); err != nil {
		return err
	}
	if err := b.Fix(in.Name, int(cols)); err != nil {
		return err
	}
	var ended error
	err := read(func(row []float32) {
		if ended == nil {
			ended = b.DenseRow(row)
		}
	})
	if err == nil {
		err = ended
	}
	if err == nil {
		err = noMore(in.Reader(), in.Name)
	}
	return err
}

// moveFirst gives the columns of a stream an offset that need one by the first rows.
func (a *arrayRows) moveFirst(in *file.Input, h npyHeader, rows, cols, target int64, to *stream.RowStream) {
	p := newArrayPart(in.Name, nil, h.element, 1, rows, cols, target, h.fortran)
	row := cols * int64(h.element.Size)
	if !p.rounds() || h.fortran || row > file.HeadSize {
		return
	}
	raw, _ := in.Reader().Peek(int(min(rows, set.ProbeRows, file.HeadSize/row) * row)) // what is missing is an error later
	of := make([]set.Spread, p.features())
	for ; int64(len(raw)) >= row; raw = raw[row:] {
		for j := range of {
			of[j].Add(h.element.get(raw[p.columnOf(int64(j))*int64(h.element.Size):]))
		}
	}
	found := arrayRows{opt: a.opt, parts: []*arrayPart{p}, target: target, spreads: spreads{of: of}}
	for j := range of {
		of[j].SettleFirst()
	}
	to.Warnings = append(to.Warnings, found.choose()...)
	to.Schema = found.schema
}
