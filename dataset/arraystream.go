package dataset

import (
	"cmp"
	"context"
	"slices"

	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/fenchel-ml/fenchel/dataset/internal/file"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Streams of binary arrays and of caches.

var _, _, _ streamer = npy{}, idx{}, fen{}

func (npy) stream(ctx context.Context, in []*file.Input, opt *Options, b *blocks) error {
	all := &arrayRows{opt: opt}
	for _, i := range in {
		h, err := readHeader(i.Reader(), i.Name)
		if err != nil {
			return err
		}
		rows, cols, err := h.table(i.Name)
		if err != nil {
			return err
		}
		target, err := targetColumn(opt, i.Name, cols)
		if err != nil {
			return err
		}
		features := cols
		if target >= 0 {
			features = max(features-1, 0)
		}
		if b.offsets = nil; opt.Schema == nil && opt.Columns == 0 && b.to.Schema == nil && !opt.Unmoved {
			all.moveFirst(i, h, rows, cols, target, b.to)
		}
		offsets := cmp.Or(opt.Schema, b.to.Schema).Offsets()
		read := func(do func([]float32)) error {
			_, err := h.readTable(ctx, i.Reader(), i.Name, rows, cols, target, offsets, do)
			return err
		}
		if err := all.stream(i, rows, features, b, read); err != nil {
			return err
		}
	}
	return nil
}

func (idx) stream(ctx context.Context, in []*file.Input, opt *Options, b *blocks) error {
	all := &arrayRows{opt: opt}
	for _, i := range in {
		e, dims, cols, err := idxTable(i)
		if err != nil {
			return err
		}
		read := func(do func([]float32)) error {
			return eachRow(ctx, i.Reader(), i.Name, e, dims[0], cols, e.scale(), nil, do)
		}
		if err := all.stream(i, dims[0], cols, b, read); err != nil {
			return err
		}
	}
	return nil
}

// stream gives the rows of an array that read reads.
func (a *arrayRows) stream(in *file.Input, rows, cols int64, b *blocks, read func(do func([]float32)) error) error {
	if err := a.begin(in.Name, rows, cols); err != nil {
		return err
	}
	if err := b.fix(in.Name, int(cols)); err != nil {
		return err
	}
	var ended error
	err := read(func(row []float32) {
		if ended == nil {
			ended = b.denseRow(row)
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

// stream gives the rows of a mapped file where they are; those of several are
// copied, block by block.
func (f fen) stream(ctx context.Context, in []*file.Input, opt *Options, b *blocks) error {
	sets, cols, err := f.each(ctx, in, opt)
	for _, s := range sets {
		b.to.close = append(b.to.close, s.Close)
	}
	if err != nil {
		return err
	}
	x, sparse := sets[0].X.(*matrix.CSR)
	if sparse && cols < b.width { // the last columns may be empty
		sets[0].X, cols = &matrix.CSR{Cols: b.width, Start: x.Start, Index: x.Index, Value: x.Value}, b.width
	}
	if len(sets) == 1 {
		return b.readAll(in[0].Name, sets[0], nil)
	}
	b.to.Feature, b.to.Schema = sets[0].Feature, sets[0].Schema
	if err := b.fix(in[0].Name+" and others", cols); err != nil {
		return err
	}
	for _, s := range sets {
		for i := range s.Rows() {
			if err := b.row(s.X.Row(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// each opens caches as sets of their own, and returns how many columns they have
// together.
func (f fen) each(ctx context.Context, in []*file.Input, opt *Options) (sets []*Set, cols int, err error) {
	inOrder := *opt
	inOrder.InOrder, inOrder.Columns, inOrder.Labels = true, 0, ""
	for _, i := range in {
		s, err := f.Read(ctx, []*file.Input{i}, &inOrder)
		if err != nil {
			return sets, 0, err
		}
		sets, cols = append(sets, s), max(cols, s.Cols())
		if err := sameOffsets(i.Name, s.Schema, sets[0].Schema); err != nil {
			return sets, 0, err
		}
		_, dense := s.X.(*matrix.Dense)
		_, first := sets[0].X.(*matrix.Dense)
		if dense != first || dense && s.Cols() != cols || !slices.Equal(s.Feature, sets[0].Feature) {
			return sets, 0, fault.In(i.Name, "found other columns or another storage, expected those of %s", in[0].Name)
		}
	}
	return sets, cols, nil
}

// moveFirst gives the columns of a stream an offset that need one by the first rows.
func (a *arrayRows) moveFirst(in *file.Input, h npyHeader, rows, cols, target int64, to *RowStream) {
	p := newArrayPart(in.Name, nil, h.element, 1, rows, cols, target, h.fortran)
	row := cols * int64(h.element.size)
	if !p.rounds() || h.fortran || row > file.HeadSize {
		return
	}
	raw, _ := in.Reader().Peek(int(min(rows, probeRows, file.HeadSize/row) * row)) // what is missing is an error later
	of := make([]spread, p.features())
	for ; int64(len(raw)) >= row; raw = raw[row:] {
		for j := range of {
			of[j].add(h.element.get(raw[p.columnOf(int64(j))*int64(h.element.size):]))
		}
	}
	found := arrayRows{opt: a.opt, parts: []*arrayPart{p}, target: target, spreads: spreads{of: of}}
	for j := range of {
		of[j].settleFirst()
	}
	to.Warnings = append(to.Warnings, found.choose()...)
	to.Schema = found.schema
}
