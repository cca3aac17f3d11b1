package engine

import (
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
	"github.com/fenchel-ml/fenchel/solver"
)

// pcaSpec is a [pca.Spec] as a request has it.
type pcaSpec struct {
	K       int     `json:"k"`
	Share   float64 `json:"share"`
	MLE     bool    `json:"mle"`
	Missing string  `json:"missing"`
	Method  string  `json:"method"`
	Center  string  `json:"center"`
	Scale   string  `json:"scale"`
	Kernel  string  `json:"kernel"`
	Map     string  `json:"map"`
	Whiten  string  `json:"whiten"`
	Gap     float64 `json:"gap"`
	Seconds float64 `json:"seconds"`
	Epochs  int     `json:"epochs"`
	Seed    uint64  `json:"seed"`
	Threads int     `json:"threads"`
	HoldOut float64 `json:"hold_out"`
}

func (s pcaSpec) spec() pca.Spec {
	return pca.Spec{K: s.K, Share: s.Share, Likeliest: s.MLE, Missing: s.Missing, Method: s.Method, Center: s.Center, Scale: s.Scale, Kernel: s.Kernel, Map: s.Map, Whiten: s.Whiten, Gap: s.Gap, Time: duration(s.Seconds), Epochs: s.Epochs, Seed: s.Seed, Threads: s.Threads, HoldOut: s.HoldOut}
}

// componentsRequest asks for principal components, or for those of further rows.
type componentsRequest struct {
	Data arrays  `json:"data"`
	Spec pcaSpec `json:"spec"`
	From *source `json:"from"` // components to go on with; absent: these are the first rows
}

// components finds principal components of all rows.
func (r *request) components(q *componentsRequest) (any, error) {
	set, err := q.Data.set(r.ctx, r.mapped)
	if err != nil {
		return nil, err
	}
	solved, err := pca.Fit(r.ctx, set, q.Spec.spec())
	if err != nil {
		return nil, err
	}
	return r.found(solved)
}

// found says which components were found.
func (r *request) found(solved *pca.Result) (any, error) {
	place, err := r.writeModel(solved.Model)
	if err != nil {
		return nil, err
	}
	return map[string]any{"model": place, "status": solved.Status, "certificate": proof(solved.Model.Proof), "why": solved.Why, "noise": solved.Model.Noise(),
		"warnings": texts(solved.Warnings), "seconds": map[string]float64{"train": solved.Fit.Seconds(), "certify": solved.Certify.Seconds()}}, nil
}

// proof is what is proved of components.
func proof(p model.PCAProof) any {
	return struct {
		result.Captured
		Total model.Bound `json:"total"`
	}{result.CapturedOf(p), p.Total}
}

// learn goes on with further rows of a stream.
func (r *request) learn(q *componentsRequest) (any, error) {
	x, err := r.checked(q.Data.X, q.Data.X.Cols, false)
	if err != nil {
		return nil, err
	}
	var stream *pca.Stream
	if q.From == nil {
		stream, err = pca.NewStream(x, nil, q.Spec.spec())
	} else if before, failed := r.pca(*q.From); failed != nil {
		return nil, failed
	} else {
		stream, err = pca.Resume(before, q.Spec.Threads)
	}
	if err != nil {
		return nil, err
	}
	if err := stream.Learn(x); err != nil {
		return nil, err
	}
	solved, err := stream.Result(solver.EpochLimit)
	if err != nil {
		return nil, err
	}
	return r.found(solved)
}

// judgedComponents are components, and rows to judge them by.
type judgedComponents struct {
	Model   source `json:"model"`
	Data    arrays `json:"data"`
	Threads int    `json:"threads"`
}

// components reads both.
func (q *judgedComponents) components(r *request) (*model.PCA, *data.Set, error) {
	m, err := r.pca(q.Model)
	if err != nil {
		return nil, nil, err
	}
	set, err := q.Data.set(r.ctx, r.mapped)
	if err != nil {
		return nil, nil, err
	}
	return m, set, checkWidth(set.Cols(), m.Cols())
}

// verifyComponents recomputes what components claim.
func (r *request) verifyComponents(q *judgedComponents) (any, error) {
	m, set, err := q.components(r)
	if err != nil {
		return nil, err
	}
	v, err := pca.Verify(r.ctx, m, set, q.Threads)
	if err != nil {
		return nil, err
	}
	return map[string]any{"certificate": proof(v.Found), "problems": append([]string{}, v.Problems...), "unproved": v.Unproved}, nil
}

// evaluateComponents says what components capture of rows.
func (r *request) evaluateComponents(q *judgedComponents) (any, error) {
	m, set, err := q.components(r)
	if err != nil {
		return nil, err
	}
	e, err := pca.Evaluate(r.ctx, m, set, q.Threads)
	if err != nil {
		return nil, err
	}
	return result.EvaluatedOf(m, e), nil
}

// projected are rows, and the components to project them on, or coordinates to make rows of.
type projected struct {
	Model   source  `json:"model"`
	X       rows    `json:"x"`
	Gaps    *Place  `json:"gaps"`  // as of arrays
	Alpha   float64 `json:"alpha"` // of the ridge of a preimage
	Threads int     `json:"threads"`
}

// project answers with the coordinates of rows, float64, rows x components.
func (r *request) project(q *projected) (any, error) {
	m, err := r.pca(q.Model)
	if err != nil {
		return nil, err
	}
	x, err := r.checked(q.X, m.Cols(), false)
	if err != nil {
		return nil, err
	}
	gaps, err := gapsOf(r.mapped, q.Gaps)
	n, _ := x.Dims()
	if err == nil {
		err = set.CheckGaps(gaps, n, m.Cols())
	}
	if err != nil {
		return nil, err
	}
	score, err := m.Scorer(&data.Set{X: x, Gaps: gaps})
	if err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	return r.each(n, m.Statement.K, q.Threads, score)
}

// invert answers with the rows of coordinates along components of a kernel, float64, rows x features.
func (r *request) invert(q *projected) (any, error) {
	m, err := r.pca(q.Model)
	if err != nil {
		return nil, err
	}
	z, err := r.checked(q.X, m.Statement.K, false)
	if err != nil {
		return nil, err
	}
	p, err := m.NewPreimage(q.Alpha, q.Threads)
	if err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	n, _ := z.Dims()
	return r.each(n, m.Cols(), q.Threads, func(dst []float64, i int) {
		scores := make([]float64, m.Statement.K)
		z.Row(i).AddTo(scores, 1)
		p.Inverse(dst, scores)
	})
}

// each answers with width numbers made of each of n rows, unless the request ends.
func (r *request) each(n, width, threads int, do func(dst []float64, i int)) (any, error) {
	all := make([]float64, n*width)
	parallel.Blocks(n, 16, threads, func(_, lo, hi int) {
		for i := lo; i < hi && r.ctx.Err() == nil; i++ {
			do(all[i*width:(i+1)*width], i)
		}
	})
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	place, err := put(r.mapped, all)
	return map[string]any{"numbers": place}, err
}
