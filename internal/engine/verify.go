package engine

import (
	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/result"
)

// verify recomputes what a model claims.
func (r *request) verify(q *struct {
	Model   source `json:"model"`
	Data    arrays `json:"data"`
	Threads int    `json:"threads"`
}) (any, error) {
	m, set, err := r.modelAndSet(q.Model, q.Data)
	if err != nil {
		return nil, err
	}
	v, err := fenchel.Verify(r.ctx, m, set, fenchel.Options{Threads: q.Threads})
	if err != nil {
		return nil, err
	}
	return map[string]any{"claimed": result.Proved(v.Claimed), "certificate": result.Proved(v.Found), "problems": append([]string{}, v.Problems...), "unproved": v.Unproved, "rebuilt": v.Rebuilt}, nil
}

// audit bounds how far a model of LIBSVM or LIBLINEAR, of which the request has the bytes of
// the file, is from the best possible.
func (r *request) audit(q *struct {
	Model       source             `json:"model"`
	Data        arrays             `json:"data"`
	C           float64            `json:"C"`
	Nu          float64            `json:"nu"`
	Loss        string             `json:"loss"`
	ClassWeight map[string]float64 `json:"class_weight"`
	Refine      int                `json:"refine"`
	Threads     int                `json:"threads"`
}) (any, error) {
	m, set, err := r.modelAndSet(q.Model, q.Data)
	if err != nil {
		return nil, err
	}
	a, err := fenchel.Audit(r.ctx, m, set, fenchel.AuditOptions{C: q.C, Nu: q.Nu, Loss: q.Loss, ClassWeight: q.ClassWeight, Refine: q.Refine, Threads: q.Threads})
	if err != nil {
		return nil, err
	}
	return map[string]any{"certificate": result.Proved(a.Summary), "unproved": a.Unproved, "loss": a.Loss, "kernel": a.Kernel}, nil
}

// certifyRequest asks how far predictors, found elsewhere, are from the best possible
// of the problem that the spec states.
type certifyRequest struct {
	fitRequest
	Weights Place `json:"weights"` // float64, outputs x features, or x rows with a kernel
	Bias    Place `json:"bias"`    // float64, outputs
}

// certify solves the problem for its lower bound, and judges the predictors by it. The bound
// holds for any predictors, and so for these; their objective is computed as verify does.
func (r *request) certify(q *certifyRequest) (any, error) {
	set, err := q.Data.set(r.ctx, r.mapped)
	if err != nil {
		return nil, err
	}
	solved, err := fenchel.Train(r.ctx, set, q.Spec.spec())
	if err != nil {
		return nil, err
	}
	weights, err := numbers[float64](r.mapped, q.Weights)
	if err != nil {
		return nil, err
	}
	bias, err := numbers[float64](r.mapped, q.Bias)
	if err != nil {
		return nil, err
	}
	if err := pose.Replace(solved.Model, set, weights, bias, q.Spec.Threads); err != nil {
		return nil, err
	}
	v, err := fenchel.Verify(r.ctx, solved.Model, set, fenchel.Options{Threads: q.Spec.Threads})
	if err != nil {
		return nil, err
	}
	return map[string]any{"certificate": result.Proved(v.Found), "best": result.Proved(solved.Summary), "unproved": solved.Unproved, "status": solved.Status}, nil
}
