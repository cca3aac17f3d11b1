package main

import (
	"context"
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
		open, err := r.load(ctx, &l.opt.config, t, rows, problems[0].dense)
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

// distinctSets are the sets of some problems.
func distinctSets(problems []pcaProblem) []string {
	var names []string
	for _, p := range problems {
		if !slices.Contains(names, p.set) {
			names = append(names, p.set)
		}
	}
	return names
}

// shareOf is the share of the race that the problems of a set have.
func shareOf(set string) (sum float64) {
	for _, p := range pcaProblems {
		if p.set == set {
			sum += p.share
		}
	}
	return sum
}
