package race

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/learner"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/pca"
)

// pcaContest is one problem of principal components, and who showed what on it.
type pcaContest struct {
	*lab
	task.PcaProblem
	t        *task.Task
	x        matrix.Matrix // as all competitors have it
	loaded   map[peer.Reducer]peer.Reduction
	first    int // of this contest's measurements in the log
	deadline time.Time

	rows   view.Rows // centred if that is the problem; for the judge
	shared view.Rows // those of the basis, with what its method leaves for the certificate
	basis  method.Basis
	chosen string // the method of the basis
	bound  certificate.Certificate
}

// row begins a measurement of this contest.
func (c *pcaContest) row(kind, contender, setting string) measure.Measurement {
	m := c.t.Describe("pca", kind)
	n, _ := c.x.Dims()
	m.Rows, m.Components, m.Loss = int64(n), int64(c.K), c.String()
	m.Contender, m.Setting, m.Threads = contender, setting, c.opt.Threads
	return m
}

func (c *pcaContest) late() bool { return time.Now().After(c.deadline) }

func (c *pcaContest) run(ctx context.Context) error {
	c.progress("pca %s %s", c.t.Name, c)
	defer c.settle()
	var err error
	if c.rows, err = view.Preprocess(c.x, "none", c.Center, c.opt.Threads); err != nil {
		return err
	}
	entries, err := c.enterFenchel(ctx)
	if err != nil {
		return err
	}
	for _, r := range c.reducers {
		if c.loaded[r] != nil {
			more, err := c.enterReducer(ctx, r)
			if err != nil {
				return err
			}
			entries = append(entries, more...)
		}
	}
	if err := again(ctx, entries, c.opt.repeats, c.late); err != nil {
		return err
	}
	if err := c.otherBatches(ctx); err != nil {
		return err
	}
	if c.StreamFaster > 0 {
		if err := c.otherStreams(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// enterFenchel makes the first runs: of the chosen method, of its certificate, of
// the stream and of the whole command.
func (c *pcaContest) enterFenchel(ctx context.Context) ([]entry, error) {
	entries := []entry{func(ctx context.Context, repeat int) error { return c.Solve(ctx, "memory", "", repeat) }}
	if err := entries[0](ctx, 1); err != nil {
		return nil, err
	}
	for repeat := range min(2, c.opt.repeats) {
		if err := c.certify(ctx, repeat+1); err != nil {
			return nil, err
		}
	}
	if c.StreamFaster > 0 {
		entries = append(entries, func(ctx context.Context, repeat int) error {
			return c.learn(ctx, "stream", pca.StreamMethod, c.opt.limit, repeat)
		})
	}
	if c.Within > 0 && !c.opt.quick {
		binary, err := c.fenchelBinary(ctx)
		if err != nil {
			return nil, err
		}
		entries = append(entries, func(ctx context.Context, repeat int) error { return c.Command(ctx, binary, repeat) })
	}
	for _, e := range entries[1:] {
		if err := e(ctx, 1); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// Solve finds components in memory: means, the choice of a method unless it is
// given, and the method. Kind "memory" is the chosen one, "batches" another.
func (c *pcaContest) Solve(ctx context.Context, kind, name string, repeat int) error {
	n, d := c.x.Dims()
	runtime.GC() // what earlier runs left behind is not this one's work
	begin := time.Now()
	x, err := view.Preprocess(c.x, "none", c.Center, c.opt.Threads)
	if err != nil {
		return err
	}
	x = x.Sharing()
	p := method.Problem{Rows: n, Cols: d, K: c.K, Seed: 1, Threads: c.opt.Threads}
	if name == "" {
		name = c.choose()
	}
	algorithm, err := methods.New(name)
	if err != nil {
		return err
	}
	batch, ok := algorithm.(method.Batch)
	if !ok {
		return fmt.Errorf("method %s: expected one for all rows", name)
	}
	basis, err := batch.Solve(ctx, x, p)
	if err != nil {
		return err
	}
	basis.Orient()
	m := c.row(kind, measure.OwnName, name)
	m.Repeat, m.Seconds = repeat, time.Since(begin).Seconds()
	m.Objective = c.captured(basis.Component, basis.K)
	c.log.Add(m)
	if kind == "memory" {
		c.basis, c.chosen, c.shared = basis, name, x
	}
	return nil
}

// choose names the method for the sizes of the rows.
func (c *pcaContest) choose() string {
	n, d := c.x.Dims()
	stored, sparse := int64(n)*int64(d), false
	if _, dense := c.x.(*matrix.Dense); !dense {
		stored, sparse = matrix.Nonzeros(c.x), true
	}
	name, _ := batch.Choose(n, d, stored, sparse, c.K)
	return name
}

// certify proves what the last basis is worth, as package fenchel does: with the second
// moment that the method has formed. The bound holds for all competitors.
func (c *pcaContest) certify(ctx context.Context, repeat int) (err error) {
	m := c.row("certificate", measure.OwnName, "")
	begin := time.Now()
	if c.bound, err = certificate.Certify(ctx, c.shared, c.basis, c.opt.Threads, 1); err != nil {
		return err
	}
	m.Repeat, m.Seconds, m.Setting = repeat, time.Since(begin).Seconds(), c.bound.Route
	m.Objective, m.Total = c.bound.Captured, c.bound.Total
	m.Note = "for certain"
	if c.bound.Failure > 0 {
		m.Note = fmt.Sprintf("but for chance %.2g", c.bound.Failure)
	}
	c.log.Add(m)
	return nil
}

// captured judges components: the mean squared length of the projections of all
// rows on their span, in double precision.
func (c *pcaContest) captured(component []float64, k int) float64 {
	_, d := c.x.Dims()
	b := method.Basis{K: k, Cols: d, Component: append([]float64(nil), component...)}
	for i := range k {
		row := b.Row(i)
		for range 2 { // those of peers are orthonormal to single precision
			for j := range i {
				vec.Axpy64(row, -vec.Dot64(row, b.Row(j)), b.Row(j))
			}
		}
		length := math.Sqrt(vec.SquaredNorm64(row))
		for j := range row {
			row[j] /= length
		}
	}
	return learner.NewHeldOut(c.rows, b).Captured
}

// enterReducer makes the first run of each of a peer's ways, whatever time is left.
func (c *pcaContest) enterReducer(ctx context.Context, r peer.Reducer) ([]entry, error) {
	_, d := c.x.Dims()
	var entries []entry
	for _, way := range r.Reducers(c.PcaProblem, d) {
		run := func(ctx context.Context, repeat int) error { return c.reduce(ctx, r, way, d, repeat) }
		switch err := run(ctx, 1); {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			m := c.row("unreached", r.Name()+" "+way.Name, way.Setting)
			m.Note = err.Error()
			c.log.Add(m)
		default:
			slow := c.log.Rows[len(c.log.Rows)-1].Seconds > slowRun
			entries = append(entries, func(ctx context.Context, repeat int) error {
				if slow && repeat > slowTurns {
					return nil
				}
				if err := run(ctx, repeat); err != nil {
					c.note("%s %s %s on %s, %s, run %d: %v", r.Name(), way.Name, way.Setting, c.t.Name, c, repeat, err)
				}
				return ctx.Err() // the first time stands
			})
		}
	}
	return entries, nil
}

// Who takes longer than slowRun seconds takes only so many turns, so that there are
// more for those that are near each other.
const (
	slowRun   = 2
	slowTurns = 3
)

// reduce runs one way of a peer.
func (c *pcaContest) reduce(ctx context.Context, r peer.Reducer, way peer.ReducerMethod, d, repeat int) error {
	limited, cancel := context.WithTimeout(ctx, c.opt.limit)
	defer cancel()
	took, found, err := c.loaded[r].Components(limited, way, c.K, d)
	if errors.Is(err, peer.ErrTimeout) {
		return fmt.Errorf("stopped after %s", measure.Seconds(c.opt.limit.Seconds()))
	}
	if err != nil {
		return err
	}
	m := c.row("memory", r.Name()+" "+way.Name, way.Setting)
	if way.Stream {
		m.Kind = "stream"
	}
	m.Repeat, m.Seconds, m.Objective = repeat, took, c.captured(found, c.K)
	c.log.Add(m)
	return nil
}

// settle notes how much each may miss, by proof.
func (c *pcaContest) settle() {
	for i := c.first; i < len(c.log.Rows); i++ {
		if m := &c.log.Rows[i]; m.Objective != 0 && c.bound.Upper > 0 {
			m.Accuracy, m.Total = 1-m.Objective/c.bound.Upper, c.bound.Total
		}
	}
}
