package fen

import (
	"context"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/stream"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Stream gives the rows of a mapped file where they are; those of several are
// copied, block by block.
func (f Format) Stream(ctx context.Context, in []*file.Input, opt *set.Options, b *stream.Blocks) error {
	sets, cols, err := f.each(ctx, in, opt)
	for _, s := range sets {
		b.OnClose(s)
	}
	if err != nil {
		return err
	}
	x, sparse := sets[0].X.(*matrix.CSR)
	if sparse && cols < b.Width { // the last columns may be empty
		sets[0].X, cols = &matrix.CSR{Cols: b.Width, Start: x.Start, Index: x.Index, Value: x.Value}, b.Width
	}
	if len(sets) == 1 {
		return b.ReadAll(in[0].Name, sets[0], nil)
	}
	b.To.Feature, b.To.Schema = sets[0].Feature, sets[0].Schema
	if err := b.Fix(in[0].Name+" and others", cols); err != nil {
		return err
	}
	for _, s := range sets {
		for i := range s.Rows() {
			if err := b.Row(s.X.Row(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// each opens caches as sets of their own, and returns how many columns they have
// together.
func (f Format) each(ctx context.Context, in []*file.Input, opt *set.Options) (sets []*set.Set, cols int, err error) {
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

var _ stream.Streamer = Format{}
