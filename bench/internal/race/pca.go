package race

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
)

// The race of principal components: k directions that capture the most variance of
// rows that are in memory, in single precision, for all. What directions
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
	var sets []task.Source
	for _, name := range distinctSets(task.PcaProblems) {
		if wants(l.opt.sets, name) {
			s := task.SourceOf(name)
			s.Share = shareOf(name)
			sets = append(sets, s)
		}
	}
	return l.eachTask(ctx, sets, func(t *task.Task, _ sessions, end time.Time) error { return l.reduceTask(ctx, t, end) })
}

// reduceTask runs the problems of one set, which peers load once for all that have
// it in the same way.
func (l *lab) reduceTask(ctx context.Context, t *task.Task, end time.Time) error {
	problems := slices.DeleteFunc(slices.Clone(task.PcaProblems), func(p task.PcaProblem) bool {
		return p.Set != t.Name || l.opt.quick && !p.Quick
	})
	x := t.Set.X
	if l.opt.quick {
		x = matrix.Part(x, 0, min(task.QuickRows, t.Rows))
	}
	if problems[0].Dense {
		x = denseOf(x)
	}
	rows, _ := x.Dims()
	loaded := map[peer.Reducer]peer.Reduction{}
	for _, r := range l.reducers {
		open, err := r.Load(ctx, &l.opt.Config, t, rows, problems[0].Dense)
		if err != nil {
			l.note("%s did not load %s: %v", r.Name(), t.Name, err)
			continue
		}
		defer open.Close()
		loaded[r] = open
	}
	left := 0.0
	for _, p := range problems {
		left += p.Share
	}
	for _, p := range problems {
		c := &pcaContest{lab: l, PcaProblem: p, t: t, x: x, loaded: loaded, first: len(l.log.Rows),
			deadline: later(sliceOf(time.Now(), end, p.Share, left), time.Now().Add(leastShare))}
		left -= p.Share
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
func distinctSets(problems []task.PcaProblem) []string {
	var names []string
	for _, p := range problems {
		if !slices.Contains(names, p.Set) {
			names = append(names, p.Set)
		}
	}
	return names
}

// shareOf is the share of the race that the problems of a set have.
func shareOf(set string) (sum float64) {
	for _, p := range task.PcaProblems {
		if p.Set == set {
			sum += p.Share
		}
	}
	return sum
}

// productShape is that of the second moment of as many images as mnist has.
func (o *options) productShape() task.ProductShape {
	if o.quick {
		return task.ProductShape{Rows: 4000, Columns: 200}
	}
	return task.ProductShape{Rows: 60000, Columns: 784}
}

// products times the second moment in single precision against the peer's.
func (l *lab) products(ctx context.Context) error {
	if len(l.reducers) == 0 {
		return nil
	}
	theirs, err := l.reducers[0].Load(ctx, &l.opt.Config, nil, 0, true)
	if err != nil {
		return err
	}
	defer theirs.Close()
	s := l.opt.productShape()
	l.progress("product %s", s)
	x := uniform(s.Rows, s.Columns)
	moment := blas.Block[float64]{Value: make([]float64, s.Columns*s.Columns), Rows: s.Columns, Cols: s.Columns, Stride: s.Columns}
	for _, threads := range slices.Compact([]int{1, l.opt.Threads}) {
		for repeat := range l.opt.repeats + 1 { // the first warms up
			begin := time.Now()
			blas.GramSingle(moment, x, threads)
			l.product(s, measure.OwnName, "GramSingle", threads, repeat, time.Since(begin).Seconds())
			took, err := theirs.Multiply(ctx, s, threads)
			if err != nil {
				return err
			}
			l.product(s, l.reducers[0].Name(), "BLAS of numpy", threads, repeat, took)
		}
	}
	return nil
}

// product notes one run, but for the first.
func (l *lab) product(s task.ProductShape, contender, setting string, threads, repeat int, took float64) {
	if repeat > 0 {
		l.log.Add(measure.Measurement{Race: "pca", Kind: "product", Set: s.String(), Contender: contender, Setting: setting, Threads: threads,
			Repeat: repeat, Seconds: took, Evaluations: s.Work()})
	}
}

// uniform is a matrix of numbers from 0 to 1.
func uniform(rows, cols int) blas.Block[float32] {
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float32, rows*cols)
	for i := range x {
		x[i] = r.Float32()
	}
	return blas.Block[float32]{Value: x, Rows: rows, Cols: cols, Stride: cols}
}
