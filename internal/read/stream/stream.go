// Package stream gives rows in blocks, in memory that does not grow with their number: the
// stream that a consumer sees, and the blocks that a format fills. It imports set and scaling.
// Begin with [RowStream] and [Blocks].
package stream

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A RowStream gives the rows of sources in order, in blocks, for methods that
// need to see each row once: standard input and files may be larger than memory.
// It is not for several goroutines at once.
type RowStream struct {
	Feature  []string    // names, as of Set; nil: none
	Schema   *set.Schema // of a table; nil: the rows are not one
	Warnings []error     // doubts that did not stop the reading
	Late     []error     // doubts of which all rows tell; set once Next has returned an error
	Target   set.Target  // of the rows that Next gave last, where Options.Bits asks for targets; labels are those of all rows so far

	blocks chan block // closed after the last, when err is set
	err    error
	cancel context.CancelFunc
	next   block // received but not given; without rows: none
	cols   int
	rows   int64
	close  []func() error
}

// A block is some rows and, where they are asked for, their targets.
type block struct {
	x      matrix.Matrix
	target set.Target
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
	b, err := s.next, error(nil)
	if s.next = (block{}); b.x == nil {
		b, err = s.receive()
	}
	if err != nil {
		return nil, err
	}
	n, _ := b.x.Dims()
	s.rows += int64(n)
	s.Target = b.target
	return b.x, nil
}

func (s *RowStream) receive() (block, error) {
	if b, ok := <-s.blocks; ok {
		return b, nil
	}
	if s.err != nil {
		return block{}, s.err
	}
	return block{}, io.EOF
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
	s.next = block{}
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

// Start has the rows produced beside the consumer, from the first block on.
func (b *Blocks) Start(ctx context.Context, produce func() error) (*RowStream, error) {
	s := b.To
	go b.run(ctx, produce)
	var err error
	if s.next, err = s.receive(); err != nil {
		s.Close()
		return nil, err
	}
	_, s.cols = s.next.x.Dims()
	return s, nil
}

// run has the rows produced, and gives the last of them before the error.
func (b *Blocks) run(ctx context.Context, produce func() error) {
	defer close(b.To.blocks)
	defer parallel.Guard()()
	err := produce()
	if left := b.flush(); err == nil {
		err = left
	}
	if ended := ctx.Err(); ended != nil {
		err = ended
	}
	b.To.err = err
}

// A Streamer is a Format that can give rows as they come, in memory that does
// not grow with their number. It gives all rows before the first error.
type Streamer interface {
	Stream(ctx context.Context, in []*file.Input, opt *set.Options, b *Blocks) error
}
