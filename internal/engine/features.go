package engine

import (
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// mapRequest asks for a map that approximates a kernel, or for images by it.
type mapRequest struct {
	X         rows   `json:"x"`
	Kernel    string `json:"kernel"`
	Map       string `json:"map"`
	Seed      uint64 `json:"seed"`
	Threads   int    `json:"threads"`
	Landmarks *rows  `json:"landmarks"` // of a map that was made of rows
	Cols      int    `json:"cols"`      // that these rows had
}

// parts makes the kernel and the approximation that a request names, and its rows.
func (r *request) parts(q *mapRequest) (k kernel.Kernel, a featuremap.Approximation, x matrix.Matrix, err error) {
	if k, err = kernel.New(q.Kernel); err != nil {
		return nil, nil, nil, err
	}
	if a, err = featuremap.NewApproximation(q.Map); err != nil {
		return nil, nil, nil, err
	}
	if err = a.Accepts(k); err != nil {
		return nil, nil, nil, err
	}
	x, err = r.checked(q.X, q.X.Cols, false)
	return k, a, x, err
}

// makeMap makes a map of rows. Its answer has the landmarks, if the map depends on any.
func (r *request) makeMap(q *mapRequest) (any, error) {
	k, a, x, err := r.parts(q)
	if err != nil {
		return nil, err
	}
	n, d := x.Dims()
	if x, err = kernel.Prepare(k, x, d); err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	made, err := a.Fit(r.ctx, k, x, q.Seed, q.Threads)
	if err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	_, features := made.Dims()
	answer := map[string]any{"features": features, "rows": n}
	if marks := made.Landmarks(); marks != nil {
		answer["landmarks"], err = r.putRows(marks)
	}
	if rows, ok := made.(*featuremap.Nystrom); ok {
		answer["pivots"] = rows.Pivots
	}
	return answer, err
}

// putRows appends rows to the memory, as they are stored.
func (r *request) putRows(x matrix.Matrix) (w rows, err error) {
	w.Rows, w.Cols = x.Dims()
	switch x := x.(type) {
	case *matrix.Dense:
		w.Values, err = put(r.mapped, x.Value)
	case *matrix.CSR:
		starts, failed := put(r.mapped, x.Start)
		if failed != nil {
			return w, failed
		}
		w.Starts = &starts
		if w.Indices, err = put(r.mapped, x.Index); err != nil {
			return w, err
		}
		w.Values, err = put(r.mapped, x.Value)
	default:
		return r.putRows(matrix.Gather(x, count(w.Rows)))
	}
	return w, err
}

// count returns 0, 1, ..., n-1.
func count(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// images maps rows: its answer has the place of float32 numbers, rows x features.
func (r *request) images(q *mapRequest) (any, error) {
	k, a, x, err := r.parts(q)
	if err != nil {
		return nil, err
	}
	var landmarks matrix.Matrix
	if q.Landmarks != nil {
		if landmarks, err = q.Landmarks.matrix(r.mapped); err != nil {
			return nil, err
		}
	}
	if err := checkWidth(q.X.Cols, q.Cols); err != nil {
		return nil, err
	}
	made, err := a.Restore(k, q.Cols, q.Seed, landmarks)
	if err != nil {
		return nil, err
	}
	images, err := featuremap.Images(r.ctx, made, x, q.Threads)
	if err != nil {
		return nil, err
	}
	place, err := put(r.mapped, images.Value)
	return map[string]any{"images": place, "features": images.Cols}, err
}
