package engine

import (
	"errors"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/sparsify"
	"github.com/fenchel-ml/fenchel/tune"
)

// spec says what to train; its time is in seconds.
type spec struct {
	fenchel.Spec
	Seconds float64 `json:"seconds"`
}

func (s spec) spec() fenchel.Spec {
	s.Spec.Time = duration(s.Seconds)
	return s.Spec
}

// duration rounds seconds up, so that no limit becomes none.
func duration(seconds float64) time.Duration {
	d := time.Duration(seconds * float64(time.Second))
	if seconds > 0 {
		d = max(d, 1)
	}
	return d
}

// fitRequest asks for a model of the data.
type fitRequest struct {
	Data arrays  `json:"data"`
	Spec spec    `json:"spec"`
	From *source `json:"from"` // a model to begin with; absent: at zero
}

// fit trains a model. Its answer has the place of the model's file.
func (r *request) fit(q *fitRequest) (any, error) {
	set, err := q.Data.set(r.ctx, r.mapped)
	if err != nil {
		return nil, err
	}
	spec := q.Spec.spec()
	if q.From != nil {
		if spec.From, err = r.model(*q.From); err != nil {
			return nil, err
		}
	}
	if f := (tune.Folds{K: 5, Seed: spec.Seed, Group: q.Data.Groups != nil, Time: q.Data.Times != nil}); f.Group || f.Time {
		if spec.Folds, err = f.Deal(set, set.Target.Code, set.Target.Label); err != nil {
			return nil, err
		}
		spec.Groups = f.Groups(set)
	}
	trace := newTrace()
	spec.Progress = trace.look
	begun := time.Now()
	solved, err := fenchel.Train(r.ctx, set, spec)
	if err != nil {
		return nil, err
	}
	took := time.Since(begun)
	place, err := r.writeModel(solved.Model)
	if err != nil {
		return nil, err
	}
	answer := fitted(solved, place, trace, took)
	if q.Data.Table != nil {
		answer["warnings"] = texts(append(slices.Clone(set.Warnings), solved.Warnings...))
	}
	return answer, nil
}

// fitted says what came out.
func fitted(f *fenchel.Result, place Place, trace *trace, took time.Duration) map[string]any {
	answer := map[string]any{
		"model": place, "status": f.Status, "certificate": result.Proved(f.Summary), "C": model.Bound(f.C), "N": f.N,
		"lambda": f.Model.Statement.Lambda, "loss": f.Model.Statement.Loss, "kernel": f.Model.Statement.Kernel, "solver": f.Model.Statement.Solver,
		"epochs": f.Epochs, "why": f.Why, "unproved": f.Unproved, "margins": f.Margins, "warnings": texts(f.Warnings), "trace": trace.lines,
		"seconds": map[string]float64{"train": f.Train.Seconds(), "certify": f.Certify.Seconds(), "total": took.Seconds()},
	}
	if m := f.Model.Facts; m != nil {
		answer["machine"] = map[string]any{"support": m.Support, "bounded": m.Bounded, "violation": m.Violation, "leave_one_out": m.LeaveOneOut}
	}
	return answer
}

// texts are errors as they are read.
func texts(errs []error) []string {
	list := make([]string, len(errs))
	for i, e := range errs {
		list[i] = e.Error()
	}
	return list
}

// trace gathers the certificates of a run.
type trace struct{ lines []traceLine }

// traceLine is one of them.
type traceLine struct {
	Output  int         `json:"output"`
	Epoch   int         `json:"epoch"`
	Seconds float64     `json:"seconds"` // in the solver
	Primal  model.Bound `json:"primal"`
	Dual    model.Bound `json:"dual"`
	Gap     model.Bound `json:"gap"`
}

// mostLines is how many are kept: the first, as they fall fastest.
const mostLines = 4096

func newTrace() *trace { return &trace{lines: []traceLine{}} }

func (t *trace) look(p fenchel.Progress) {
	if len(t.lines) < mostLines {
		c := p.Certificate
		t.lines = append(t.lines, traceLine{p.Class, p.Epoch, p.Train.Seconds(), model.Bound(c.Primal), model.Bound(c.Dual), model.Bound(c.Relative())})
	}
}

// sparsify makes a kernel machine of few support vectors from one of many.
func (r *request) sparsify(q *struct {
	Data     arrays  `json:"data"`
	Model    source  `json:"model"`
	Method   string  `json:"method"`
	Support  int     `json:"support"`
	Accuracy float64 `json:"accuracy"`
	C        float64 `json:"C"`
	Seed     uint64  `json:"seed"`
	Threads  int     `json:"threads"`
}) (any, error) {
	m, set, err := r.modelAndSet(q.Model, q.Data)
	if err != nil {
		return nil, err
	}
	s, err := sparsify.Sparsify(r.ctx, m, set, sparsify.Spec{Method: q.Method, Support: q.Support, Accuracy: q.Accuracy, C: q.C, Seed: q.Seed, Threads: q.Threads, Cache: gram.DefaultCache})
	if err != nil {
		return nil, err
	}
	if s.Empty != "" {
		return nil, errors.New(s.Empty)
	}
	place, err := r.writeModel(s.Model)
	tried := []map[string]any{}
	for _, t := range s.Tried {
		tried = append(tried, map[string]any{"method": t.Method, "vectors": t.Vectors, "objective": model.Bound(t.Refit.Primal), "lower_bound": model.Bound(t.Refit.Dual), "kept": t.Kept})
	}
	return map[string]any{"model": place, "certificate": result.Proved(fenchel.Summarise(s.Model)), "tried": tried, "gave_up": s.GaveUp, "vectors": s.Vectors, "full_vectors": s.FullVectors,
		"accuracy": s.Accuracy, "error": model.Bound(s.Small.Train), "full_error": model.Bound(s.Full.Train), "unit": s.Unit, "warnings": texts(s.Warnings)}, err
}
