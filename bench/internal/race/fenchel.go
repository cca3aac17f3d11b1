package race

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/train"
)

// training is one run of the library in this process.
type training struct {
	seconds, certify float64
	primal, dual     float64
	epochs           int
	status           solver.Status
	model            string // SHA-256 of the file it would be
	trace            []tracePoint
}

// tracePoint is one certificate on the way.
type tracePoint struct {
	seconds, primal, gap float64
}

// ask is what is asked of the library.
type ask struct {
	loss    string
	lambda  task.Lambda
	solver  string
	gap     float64
	epochs  int
	threads int
	limit   time.Duration
}

// fit trains on a task. Its seconds are those of the solver and of the norms
// of the rows, which the library computes before it starts its clock and
// LIBLINEAR after; proof is counted apart.
func fit(ctx context.Context, t *task.Task, a ask) (*training, error) {
	runtime.GC() // what earlier runs left behind is not this one's work
	begin := time.Now()
	problem.NewRows(t.Set.X, a.threads)
	norms := time.Since(begin)
	run := &training{}
	r, err := train.Fit(ctx, t.Set, train.Spec{
		Task: "classification", Loss: a.loss, Lambda: a.lambda.Value(t.Rows), Bias: "none", Scaling: "none",
		Solver: a.solver, Gap: a.gap, Epochs: a.epochs, Seed: 1, Threads: a.threads, Time: a.limit,
		Progress: func(p train.Progress) {
			run.trace = append(run.trace, tracePoint{(p.Train + norms).Seconds(), p.Certificate.Primal, p.Certificate.Relative()})
		},
	})
	if err != nil {
		return nil, err
	}
	run.seconds, run.certify = (r.Train + norms).Seconds(), r.Certify.Seconds()
	run.primal, run.dual, run.epochs, run.status = r.Summary.Primal, r.Summary.Dual, r.Epochs, r.Status
	hash := sha256.New()
	if err := r.Model.Write(hash); err != nil {
		return nil, err
	}
	run.model = hex.EncodeToString(hash.Sum(nil))
	return run, ctx.Err()
}

// judge returns the objective of a competitor's weights.
func judge(t *task.Task, lossName string, l task.Lambda, weights []float64) (float64, error) {
	f, err := loss.New(lossName)
	if err != nil {
		return 0, err
	}
	p, err := problem.NewLinear(t.X, t.Y, nil, f, penalty.L2{}, l.Value(t.Rows), problem.None)
	if err != nil {
		return 0, err
	}
	value, _ := p.Primal(append(weights[:len(weights):len(weights)], 0))
	return value, nil
}
