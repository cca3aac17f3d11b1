package dataset

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/fenchel-ml/fenchel/dataset/generate"
	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/fenchel-ml/fenchel/dataset/internal/file"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
)

// A RowStream gives the rows of sources in order, in blocks, for methods that
// need to see each row once: standard input and files may be larger than memory.
// It is not for several goroutines at once.
type RowStream struct {
	Feature  []string // names, as of Set; nil: none
	Schema   *Schema  // of a table; nil: the rows are not one
	Warnings []error  // doubts that did not stop the reading
	Late     []error  // doubts of which all rows tell; set once Next has returned an error

	blocks chan matrix.Matrix // closed after the last, when err is set
	err    error
	cancel context.CancelFunc
	next   matrix.Matrix // received but not given; nil: none
	cols   int
	rows   int64
	close  []func() error
}

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
// Targets do not matter: opt.Unlabelled is taken as set, labels of sparse text
// are skipped, a column asked for as the target or named as one is left out.
// There are no weights.
//
// LIBSVM text, tables of numbers (CSV, TSV, ARFF), IDX, NPY, caches and
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
	if err := opt.checkSchema(); err != nil {
		return nil, err
	}
	opt.Unlabelled = true
	ctx, cancel := context.WithCancel(ctx)
	s := &RowStream{blocks: make(chan matrix.Matrix, 1), cancel: cancel}
	b := newBlocks(ctx, s, &opt)
	produce, err := b.source(ctx, paths)
	if err != nil {
		cancel()
		return nil, err
	}
	go b.run(ctx, produce)
	if s.next, err = s.receive(); err != nil {
		s.Close()
		return nil, err
	}
	_, s.cols = s.next.Dims()
	return s, nil
}

// Cols returns the number of columns of every block.
func (s *RowStream) Cols() int { return s.cols }

// Rows returns the number of rows given so far.
func (s *RowStream) Rows() int64 { return s.rows }

// Next returns the next block, io.EOF after the last. It is valid until Close.
func (s *RowStream) Next() (matrix.Matrix, error) {
	if s.blocks == nil {
		return nil, errors.New("stream of rows: found none, expected one that Blocks made")
	}
	x, err := s.next, error(nil)
	if s.next = nil; x == nil {
		x, err = s.receive()
	}
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	s.rows += int64(n)
	return x, nil
}

func (s *RowStream) receive() (matrix.Matrix, error) {
	if x, ok := <-s.blocks; ok {
		return x, nil
	}
	if s.err != nil {
		return nil, s.err
	}
	return nil, io.EOF
}

// All returns the blocks that are left; at last the error, if there is one.
func (s *RowStream) All() iter.Seq2[matrix.Matrix, error] {
	return func(yield func(matrix.Matrix, error) bool) {
		for {
			x, err := s.Next()
			if err == io.EOF || !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// Close ends the reading and gives back the files: blocks must not be used after
// it.
func (s *RowStream) Close() error {
	if s.blocks == nil {
		return nil
	}
	s.cancel()
	for range s.blocks {
	}
	s.next = nil
	var errs []error
	for _, give := range s.close {
		errs = append(errs, give())
	}
	s.close = nil
	if s.err == nil {
		s.err = errors.New("stream of rows: found it closed")
	}
	return errors.Join(errs...)
}

// A streamer is a Format that can give rows as they come, in memory that does
// not grow with their number. It gives all rows before the first error.
type streamer interface {
	stream(ctx context.Context, in []*file.Input, opt *Options, b *blocks) error
}

// source returns what gives the rows of paths to b.
func (b *blocks) source(ctx context.Context, paths []string) (produce func() error, err error) {
	if spec, ok := strings.CutPrefix(paths[0], "@"); ok && len(paths) == 1 {
		if err := b.opt.check("a generator", nil); err != nil {
			return nil, err
		}
		return b.generator(spec)
	}
	format, in, err := open(ctx, paths, b.opt)
	if err != nil {
		closeAll(in)
		return nil, err
	}
	return func() error {
		defer closeAll(in)
		f, ok := format.(streamer)
		if ok {
			err = f.stream(ctx, in, b.opt, b)
		} else {
			err = b.fallBack(ctx, format, in)
		}
		if err == nil && b.given+int64(b.rows.rows) == 0 {
			err = fault.In(in[0].Name, "found no rows, expected at least one")
		}
		return err
	}, nil
}

// fallBack reads all rows of a format that cannot give them as they come.
func (b *blocks) fallBack(ctx context.Context, f Format, in []*file.Input) error {
	opt := *b.opt
	opt.Columns = 0
	s, err := f.Read(ctx, in, &opt)
	return b.readAll(in[0].Name, s, err)
}

// generator gives the rows that spec describes.
func (b *blocks) generator(spec string) (produce func() error, err error) {
	rows, info, err := generate.Stream(spec)
	if err == nil {
		err = b.fix("@"+spec, info.Cols)
	}
	return func() error {
		for row := range rows {
			if err := b.row(row.X); err != nil {
				return err
			}
		}
		return nil
	}, err
}

// run has the rows produced, and gives the last of them before the error.
func (b *blocks) run(ctx context.Context, produce func() error) {
	defer close(b.to.blocks)
	defer parallel.Guard()()
	err := produce()
	if left := b.flush(); err == nil {
		err = left
	}
	if ended := ctx.Err(); ended != nil {
		err = ended
	}
	b.to.err = err
}
