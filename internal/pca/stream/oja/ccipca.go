package oja

import (
	"cmp"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// CCIPCA, "candid covariance-free incremental PCA", estimates v_j = lambda_j e_j by
// a running mean, each from what the ones before it leave of x:
//
//	v_j <- (1-w) v_j + w (x v_j/|v_j|) x,   x <- x - (x v_j) v_j/|v_j|^2,
//	w = (1+l)/t
//
// There is no step size; l makes it forget, so that what came of the first rows,
// when nothing was known yet, fades. Component j begins as the first row that the
// ones before leave anything of.
//
// Returned: the v_j made orthonormal, by decreasing length, which is the estimate of
// the eigenvalue. Cost of a step: O(k d).
//
// Weng, Zhang and Hwang 2003, Algorithm 1.
type CCIPCA struct{ Amnesia float64 } // l

func init() {
	method.Register("ccipca", "running means of components, without step size; amnesia=2", func(p *registry.Params) (method.Method, error) {
		return CCIPCA{p.Float("amnesia", 2, "a number from 0 to 100", func(v float64) bool { return 0 <= v && v <= 100 })}, p.Err()
	})
}

// Start implements Streaming.
func (m CCIPCA) Start(p method.Problem) method.State {
	s := &ccipcaState{guess: newGuess(p), amnesia: m.Amnesia, rest: make([]float64, p.Cols)}
	clear(s.u)
	return s
}

type ccipcaState struct {
	guess           // row j of u is v_j, 0 where it has not begun
	amnesia float64 // l
	rest    []float64
}

// Learn implements State.
func (s *ccipcaState) Learn(x view.Rows) {
	rows, _ := x.Dims()
	for i := range rows {
		if length := math.Sqrt(s.next(x, i)); length > 0 {
			clear(s.rest)
			s.x.AddTo(s.rest, 1)
			s.average(length)
		}
	}
}

// average lets the components learn from rest, a row of the given length.
func (s *ccipcaState) average(length float64) {
	w := 1 / float64(s.t)
	if float64(s.t) > 1+s.amnesia {
		w *= 1 + s.amnesia
	}
	for j := range s.k {
		v := s.row(j)
		before := vec.SquaredNorm64(v)
		if before == 0 {
			if left := math.Sqrt(vec.SquaredNorm64(s.rest)); left > algebra.Negligible*length {
				vec.Axpy64(v, left, s.rest)
			}
			return
		}
		y := vec.Dot64(v, s.rest) / math.Sqrt(before)
		vec.ScaledAdd(v, 1-w, w*y, s.rest)
		if after := vec.SquaredNorm64(v); after > 0 {
			vec.Axpy64(s.rest, -vec.Dot64(v, s.rest)/after, v)
		}
	}
}

// Basis implements State.
func (s *ccipcaState) Basis() method.Basis {
	type component struct {
		v      []float64
		length float64
	}
	var found []component
	for j := range s.k {
		if length := math.Sqrt(vec.SquaredNorm64(s.row(j))); length > 0 {
			found = append(found, component{s.row(j), length})
		}
	}
	slices.SortStableFunc(found, func(a, b component) int { return cmp.Compare(b.length, a.length) })
	b := method.Basis{K: len(found), Cols: s.d}
	for _, c := range found {
		b.Component = append(b.Component, c.v...)
		b.Value = append(b.Value, c.length/s.unit/s.unit)
	}
	algebra.Orthonormalise(b.Component, b.K, b.Cols)
	return b
}

// Keep visits the v_j, which are no longer than the square of the longest row.
func (s *ccipcaState) Keep(k *method.Kept) { s.keep(k, 1e130) }

// OwnScale marks values that forget, grow or shrink.
func (*ccipcaState) OwnScale() {}
