package main

import (
	"fmt"
	"time"
)

// A pcaProblem is a set and what is wanted of it.
type pcaProblem struct {
	set    string
	k      int
	center bool
	dense  bool // everyone has all values in memory, zeros too

	// What is required, where it is not 0: to be so many times faster than the
	// fastest of the peer's ways that are as accurate, and than the peer's stream.
	faster, streamFaster float64
	// every is that it is compared with every way of the peer, accurate or not.
	every bool
	// The whole command is run too, and may take so long, and so much memory.
	within time.Duration
	peak   int64

	quick bool    // belongs to a run with --quick too
	share float64 // of the race's time
}

var pcaProblems = []pcaProblem{
	{set: "mnist", k: 8, center: true, dense: true, faster: 1.5, streamFaster: 10, quick: true, share: 5},
	{set: "mnist", k: 50, center: true, dense: true, faster: 1.5, streamFaster: 10, share: 6},
	{set: "imdb", k: 50, faster: 1, every: true, within: 5 * time.Second, peak: 400e6, quick: true, share: 4},
	{set: "imdb", k: 50, center: true, share: 2},
}

// quickRows are the rows of a set in a run with --quick.
const quickRows = 4000

// String spells the problem as the tables have it: "k = 8, centred".
func (p pcaProblem) String() string {
	text := fmt.Sprintf("k = %d", p.k)
	if p.center {
		text += ", centred"
	}
	return text
}

// A productShape is a product of matrices in single precision: A B^T, where A is
// m x k and B n x k, or X^T X, where X is k x m.
type productShape struct {
	m, n, k int
	gram    bool
}

// String is "A B^T, 2048 x 2048 x 2048" or "X^T X, 60000 x 784".
func (s productShape) String() string {
	if s.gram {
		return fmt.Sprintf("X^T X, %d x %d", s.k, s.m)
	}
	return fmt.Sprintf("A B^T, %d x %d x %d", s.m, s.n, s.k)
}

// work returns the multiplications and additions of all elements of the result; who
// uses that X^T X is symmetric does half of them.
func (s productShape) work() int64 { return 2 * int64(s.m) * int64(s.n) * int64(s.k) }
