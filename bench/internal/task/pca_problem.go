package task

import (
	"fmt"
	"time"
)

// A PcaProblem is a set and what is wanted of it.
type PcaProblem struct {
	Set    string
	K      int
	Center bool
	Dense  bool // all competitors have all values in memory, zeros too

	// What is required, where it is not 0: to be so many times faster than the
	// fastest of the peer's ways that are as accurate, and than the peer's stream.
	Faster, StreamFaster float64
	// every is that it is compared with every way of the peer, accurate or not.
	Every bool
	// The whole command is run too, and may take so long, and so much memory.
	Within time.Duration
	Peak   int64

	Quick bool    // belongs to a run with --quick too
	Share float64 // of the race's time
}

var PcaProblems = []PcaProblem{
	{Set: "mnist", K: 8, Center: true, Dense: true, Faster: 1.5, StreamFaster: 10, Quick: true, Share: 5},
	{Set: "mnist", K: 50, Center: true, Dense: true, Faster: 1.5, StreamFaster: 10, Share: 6},
	{Set: "imdb", K: 50, Faster: 1, Every: true, Within: 5 * time.Second, Peak: 400e6, Quick: true, Share: 4},
	{Set: "imdb", K: 50, Center: true, Share: 2},
}

// QuickRows are the rows of a set in a run with --quick.
const QuickRows = 4000

// String spells the problem as the tables have it: "k = 8, centred".
func (p PcaProblem) String() string {
	text := fmt.Sprintf("k = %d", p.K)
	if p.Center {
		text += ", centred"
	}
	return text
}

// A ProductShape is that of an X in single precision whose product X^T X is taken.
type ProductShape struct{ Rows, Columns int }

// String is "X^T X, 60000 x 784".
func (s ProductShape) String() string { return fmt.Sprintf("X^T X, %d x %d", s.Rows, s.Columns) }

// Work returns the multiplications and additions of all elements of the result; who
// uses that X^T X is symmetric does half of them.
func (s ProductShape) Work() int64 { return 2 * int64(s.Rows) * int64(s.Columns) * int64(s.Columns) }
