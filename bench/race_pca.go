package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/matrix"
)

// The race of principal components: k directions that capture the most variance of
// rows that are in memory, in single precision, for everyone. What directions
// capture is computed by package pca in double precision, whoever found them, and
// compared with a proven bound on what any could capture. For each problem
//
//  1. Fenchel finds components by the method that it chooses, and the certificate
//     of these is the bound for all;
//  2. each way of each peer finds them with its defaults;
//  3. both are timed again, taking turns;
//  4. Fenchel's other methods for streams run, once.
//
// Beside that: products of matrices against the peer's BLAS, the whole command from
// text, and how the time of a row of capped MSG grows.
func init() {
	register(race{name: "pca", order: 80, share: 16, run: runPCA})
}

func runPCA(ctx context.Context, l *lab) error {
	if err := l.products(ctx); err != nil {
		return err
	}
	if err := l.stepCosts(ctx); err != nil {
		return err
	}
	var sets []source
	for _, name := range distinctSets(pcaProblems) {
		if wants(l.opt.sets, name) {
			s := sourceOf(name)
			s.share = shareOf(name)
			sets = append(sets, s)
		}
	}
	return l.eachTask(ctx, sets, func(t *task, _ sessions, end time.Time) error { return l.reduceTask(ctx, t, end) })
}

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

func distinctSets(problems []pcaProblem) []string {
	var names []string
	for _, p := range problems {
		if !slices.Contains(names, p.set) {
			names = append(names, p.set)
		}
	}
	return names
}

func shareOf(set string) (sum float64) {
	for _, p := range pcaProblems {
		if p.set == set {
			sum += p.share
		}
	}
	return sum
}

// String spells the problem as the tables have it: "k = 8, centred".
func (p pcaProblem) String() string {
	text := fmt.Sprintf("k = %d", p.k)
	if p.center {
		text += ", centred"
	}
	return text
}

// reduceTask runs the problems of one set, which peers load once for all that have
// it in the same way.
func (l *lab) reduceTask(ctx context.Context, t *task, end time.Time) error {
	problems := slices.DeleteFunc(slices.Clone(pcaProblems), func(p pcaProblem) bool {
		return p.set != t.name || l.opt.quick && !p.quick
	})
	x := t.set.X
	if l.opt.quick {
		x = matrix.Part(x, 0, min(quickRows, t.rows))
	}
	if problems[0].dense {
		x = denseOf(x)
	}
	rows, _ := x.Dims()
	loaded := map[reducer]reduction{}
	for _, r := range l.reducers {
		open, err := r.load(ctx, &l.opt, t, rows, problems[0].dense)
		if err != nil {
			l.note("%s did not load %s: %v", r.name(), t.name, err)
			continue
		}
		defer open.close()
		loaded[r] = open
	}
	left := 0.0
	for _, p := range problems {
		left += p.share
	}
	for _, p := range problems {
		c := &pcaContest{lab: l, pcaProblem: p, t: t, x: x, loaded: loaded, first: len(l.log.rows),
			deadline: later(sliceOf(time.Now(), end, p.share, left), time.Now().Add(leastShare))}
		left -= p.share
		if err := c.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// denseOf has every value in memory.
func denseOf(x matrix.Matrix) *matrix.Dense {
	n, d := x.Dims()
	dense := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		row := x.Row(i)
		for k, v := range row.Value {
			dense.Value[i*d+row.Column(k)] = v
		}
	}
	return dense
}
