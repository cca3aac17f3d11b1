package lines

import (
	"context"
	"io"
	"sync"
)

// A pipeline reads and parses chunks on several workers. Each worker fetches
// a chunk itself, one at a time, so that the text is in the cache of the core
// that parses it and decompression by one worker runs beside parsing by the
// others. Results are taken in the order of the chunks. What is taken depends
// neither on the number of workers nor, if parse treats every record alone, on
// the size of the chunks.
type pipeline[T any] struct {
	s     *Splitter
	parse func(*Chunk) (T, error)
	take  func(T) error
	room  chan struct{} // bounds the chunks between fetching and taking

	fetching sync.Mutex // guards s and fetched
	fetched  int

	taking sync.Mutex // guards what follows
	done   map[int]result[T]
	taken  int
	err    error // the first in the order of the chunks
	ended  bool  // after the last chunk, or at err

	over chan struct{} // closed when ended
}

// A result is what became of one chunk; io.EOF stands behind the last.
type result[T any] struct {
	out T
	err error
}

// Parse parses all chunks of s and hands the results to take, in order.
// It returns the first error in the order of the input, and only after all
// its goroutines have ended.
func Parse[T any](ctx context.Context, s *Splitter, workers int, parse func(*Chunk) (T, error), take func(T) error) error {
	workers = max(1, workers)
	p := &pipeline[T]{s: s, parse: parse, take: take,
		room: make(chan struct{}, 2*workers), done: map[int]result[T]{}, over: make(chan struct{})}
	var group sync.WaitGroup
	for range workers - 1 {
		group.Go(func() { p.work(ctx) })
	}
	p.work(ctx)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.err
}

// work fetches and parses chunks until there are no more, one is bad, or ctx
// ends.
func (p *pipeline[T]) work(ctx context.Context) {
	for {
		select {
		case p.room <- struct{}{}:
		case <-p.over:
			return
		case <-ctx.Done():
			return
		}
		number, c, err := p.fetch(ctx)
		r := result[T]{err: err}
		if err == nil {
			r.out, r.err = p.parse(c)
			p.s.recycle(c)
		}
		p.deliver(number, r)
	}
}

// fetch returns the next chunk and its number.
func (p *pipeline[T]) fetch(ctx context.Context) (number int, c *Chunk, err error) {
	p.fetching.Lock()
	defer p.fetching.Unlock()
	number = p.fetched
	p.fetched++
	if err = ctx.Err(); err == nil {
		c, err = p.s.next()
	}
	return number, c, err
}

// deliver takes a result, and those that waited for it, when its turn has
// come.
func (p *pipeline[T]) deliver(number int, r result[T]) {
	p.taking.Lock()
	defer p.taking.Unlock()
	p.done[number] = r
	for !p.ended {
		next, ok := p.done[p.taken]
		if !ok {
			return
		}
		if next.err == nil {
			next.err = p.take(next.out)
		}
		if p.ended = next.err != nil; p.ended {
			close(p.over)
		}
		if next.err != io.EOF {
			p.err = next.err
		}
		delete(p.done, p.taken)
		p.taken++
		<-p.room
	}
}
