package data

import (
	"context"
	"errors"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/stream"
)

// Blocks opens sources, as [Read] does, as a stream of rows. Decompressing and
// parsing go on beside the consumer, on opt.Threads cores, a few blocks ahead.
//
// A block has opt.BlockRows rows, or fewer if these store 2^20 values, so that
// it takes some megabytes; the last has what is left. Where blocks end depends
// on the rows alone. A block is dense if at least half of its values are not
// zero, unless the format is sparse; it is a CSR or a Dense.
//
// All blocks have the same number of columns: opt.Columns if that is not 0; else
// what a table or an array has; else, in sparse text, what the first block
// needs. A row that needs more, or has another number of values, is an error; so
// is a value that is not finite. All rows before that in error are given first,
// and Rows counts them.
//
// Targets do not matter unless opt.Bits asks for them: else opt.Unlabelled is taken as set, labels of sparse text
// are skipped, a column asked for as the target or named as one is left out.
// There are no weights.
//
// LIBSVM text, tables of numbers (CSV, TSV, ARFF, JSON), IDX, NPY, caches and
// generators take memory that does not grow with the rows, if NPY has its rows
// one after another and caches are mapped. Of other formats, of tables with
// categories, which must show in the declarations, a model's schema or the first
// rows, all rows are read before the first block. A table of which a field in
// mid-stream is no number, or is missing without a model's mean to stand for it,
// is an error.
func Blocks(ctx context.Context, sources []string, opt Options) (*RowStream, error) {
	if opt.Weights != "" || opt.Precomputed {
		return nil, errors.New("stream of rows: found weights or values of a kernel asked for, expected rows alone")
	}
	paths, err := expand(sources, &opt)
	if err != nil {
		return nil, err
	}
	if err := opt.CheckSchema(); err != nil {
		return nil, err
	}
	opt.Unlabelled = opt.Bits == 0
	ctx, cancel := context.WithCancel(ctx)
	b := stream.NewBlocks(ctx, cancel, &opt)
	produce, err := source(ctx, b, paths, &opt)
	if err != nil {
		cancel()
		return nil, err
	}
	return b.Start(ctx, produce)
}

// source returns what gives the rows of paths to b.
func source(ctx context.Context, b *stream.Blocks, paths []string, opt *Options) (produce func() error, err error) {
	if spec, ok := strings.CutPrefix(paths[0], "@"); ok && len(paths) == 1 {
		if err := checkOptions(opt, "a generator", nil); err != nil {
			return nil, err
		}
		return generator(b, spec)
	}
	format, in, err := open(ctx, paths, opt)
	if err != nil {
		closeAll(in)
		return nil, err
	}
	return func() error {
		defer closeAll(in)
		f, ok := format.(stream.Streamer)
		if ok {
			err = f.Stream(ctx, in, opt, b)
		} else {
			err = fallBack(ctx, b, opt, format, in)
		}
		if err == nil && b.Empty() {
			err = fault.In(in[0].Name, "found no rows, expected at least one")
		}
		return err
	}, nil
}

// fallBack reads all rows of a format that cannot give them as they come.
func fallBack(ctx context.Context, b *stream.Blocks, given *Options, f set.Format, in []*file.Input) error {
	opt := *given
	opt.Columns = 0
	s, err := f.Read(ctx, in, &opt)
	return b.ReadAll(in[0].Name, s, err)
}

// generator gives the rows that spec describes.
func generator(b *stream.Blocks, spec string) (produce func() error, err error) {
	rows, info, err := generate.Stream(spec)
	if err == nil {
		err = b.Fix("@"+spec, info.Cols)
	}
	return func() error {
		for row := range rows {
			if err := labelOf(row, info, b); err != nil {
				return err
			}
			if err := b.Row(row.X); err != nil {
				return err
			}
		}
		return nil
	}, err
}

// labelOf gives the target of a generated row, which reads as it would from a file.
func labelOf(row generate.Row, info generate.Info, b *stream.Blocks) error {
	if info.Unlabelled {
		return nil
	}
	text, l := row.Label, set.NewLabels(1)
	if info.Labels == nil {
		text = set.SpellNumber(row.Number)
	}
	if err := l.Add(&lines.Chunk{}, 0, []byte(text)); err != nil {
		return err
	}
	return b.Labels(l)
}
