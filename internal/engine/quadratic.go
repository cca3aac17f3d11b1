package engine

import (
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/internal/solve/quadratic/convex"
	"github.com/fenchel-ml/fenchel/internal/solve/quadratic/qpfile"
)

// numberMatrix is a matrix in double precision, as a request has it: all numbers, row after row, or
// compressed rows.
type numberMatrix struct {
	Rows    int    `json:"rows"`
	Values  Place  `json:"values"`
	Starts  *Place `json:"starts"`
	Indices Place  `json:"indices"`
}

// matrix reads one of so many columns, nil for nil.
func (r *request) matrix(q *numberMatrix, cols int) (m convex.Sparse, err error) {
	if q == nil {
		return m, nil
	}
	values, err := numbers[float64](r.mapped, q.Values)
	if err != nil {
		return m, err
	}
	if q.Starts == nil {
		if q.Rows < 0 || len(values) != q.Rows*cols {
			return m, pose.DataError{Reason: "found a matrix of another number of columns, expected as many as q has numbers"}
		}
		return convex.DenseRows(q.Rows, cols, values), nil
	}
	starts, err := numbers[int64](r.mapped, *q.Starts)
	if err != nil {
		return m, err
	}
	indices, err := numbers[uint32](r.mapped, q.Indices)
	if err != nil {
		return m, err
	}
	if m, err = qpfile.Compressed(q.Rows, cols, starts, indices, values); err != nil {
		err = pose.DataError{Reason: err.Error()}
	}
	return m, err
}

// quadratic solves a quadratic program.
func (r *request) quadratic(q *struct {
	P       *numberMatrix     `json:"P"`
	A       *numberMatrix     `json:"A"`
	Lists   map[string]*Place `json:"lists"` // q, and l, u, lb and ub, absent where infinite
	Gap     float64           `json:"gap"`
	Steps   int               `json:"steps"`
	Threads int               `json:"threads"`
}) (any, error) {
	lists := map[string][]float64{}
	for name, place := range q.Lists {
		values, err := numbers[float64](r.mapped, *place)
		if err != nil {
			return nil, err
		}
		lists[name] = slices.Clone(values)
	}
	f := &qpfile.File{Program: convex.Program{Q: lists["q"], Lower: lists["l"], Upper: lists["u"], Least: lists["lb"], Most: lists["ub"]}}
	var err error
	if f.P, err = r.matrix(q.P, len(f.Q)); err != nil {
		return nil, err
	}
	if f.A, err = r.matrix(q.A, len(f.Q)); err != nil {
		return nil, err
	}
	if err := f.Check(); err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	s := f.Solve(convex.Limits{Tolerance: q.Gap, Steps: q.Steps, Threads: q.Threads, Stop: func() bool { return r.ctx.Err() != nil }})
	return r.solution(f, s)
}

// solution is the answer, with the numbers of the solution in the memory.
func (r *request) solution(f *qpfile.File, s *convex.Solution) (any, error) {
	arrays := map[string]Place{}
	for _, a := range qpfile.Arrays(s) {
		place, err := put(r.mapped, a.Value)
		if err != nil {
			return nil, err
		}
		arrays[a.Name] = place
	}
	return struct {
		result.Quadratic
		Arrays map[string]Place `json:"arrays"`
	}{result.QuadraticOf(f, s), arrays}, nil
}
