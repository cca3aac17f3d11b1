// Package library runs Fenchel's library in the process of the races, and evaluates the
// objective of the weights of others.
package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Training is one run of the library in this process.
type Training struct {
	Seconds, Certify float64
	Primal, Dual     float64
	Epochs           int
	Status           solver.Status
	Model            string // SHA-256 of the file it would be
	Trace            []tracePoint
}

// tracePoint is one certificate on the way.
type tracePoint struct {
	Seconds, Primal, Gap float64
}

// Ask is what is asked of the library.
type Ask struct {
	Loss    string
	Lambda  task.Lambda
	Solver  string
	Gap     float64
	Epochs  int
	Threads int
	Limit   time.Duration
}

// Fit trains on a task. Its seconds are those of the solver and of the norms
// of the rows, which the library computes before it starts its clock and
// LIBLINEAR after; proof is counted apart.
func Fit(ctx context.Context, t *task.Task, a Ask) (*Training, error) {
	runtime.GC() // what earlier runs left behind is not this one's work
	begin := time.Now()
	problem.NewRows(t.Set.X, a.Threads)
	norms := time.Since(begin)
	run := &Training{}
	r, err := fenchel.Train(ctx, t.Set, fenchel.Spec{
		Task: "classification", Loss: a.Loss, Lambda: a.Lambda.Value(t.Rows), Bias: "none", Scaling: "none",
		Solver: a.Solver, Gap: a.Gap, Run: fenchel.Run{Epochs: a.Epochs, Threads: a.Threads, Time: a.Limit, Progress: func(p fenchel.Progress) {
			run.Trace = append(run.Trace, tracePoint{(p.Train + norms).Seconds(), p.Certificate.Primal, p.Certificate.Relative()})
		}}, Seed: 1,
	})
	if err != nil {
		return nil, err
	}
	run.Seconds, run.Certify = (r.Train + norms).Seconds(), r.Certify.Seconds()
	run.Primal, run.Dual, run.Epochs, run.Status = r.Summary.Primal, r.Summary.Dual, r.Epochs, r.Status
	hash := sha256.New()
	if err := r.Model.Write(hash); err != nil {
		return nil, err
	}
	run.Model = hex.EncodeToString(hash.Sum(nil))
	return run, ctx.Err()
}

// Judge returns the objective of a competitor's weights.
func Judge(t *task.Task, lossName string, l task.Lambda, weights []float64) (float64, error) {
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
