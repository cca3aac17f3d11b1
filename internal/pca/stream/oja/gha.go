package oja

import (
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// GHA is Sanger's generalized Hebbian algorithm: row j of U learns from what the
// rows before it and itself leave of x, and so becomes component j, in order.
//
//	u_j <- u_j + eta_t y_j ( x - sum_{i<=j} y_i u_i ),   y = U x
//
// Nothing else keeps U near orthonormal; eta |x|^2 above 1/2 counts as 1/2 (see
// SubspaceRule).
//
// Returned: U, made orthonormal from the first row on. Cost of a step: O(k d).
//
// Sanger 1989; reference 2.3.
type GHA struct{ Steps schedule.Schedule }

func init() {
	method.Register("gha", "Sanger's rule: components in order, never orthonormalised; "+schedulesHelp,
		func(p *registry.Params) (method.Method, error) { return GHA{stepsOf(p)}, p.Err() })
}

// Start implements Streaming.
func (m GHA) Start(p method.Problem) method.State {
	return &ghaState{guess: newGuess(p), steps: m.Steps, rest: make([]float64, p.Cols)}
}

type ghaState struct {
	guess
	steps schedule.Schedule
	rest  []float64 // d
}

// Learn implements State. A row of U is read and written once.
func (s *ghaState) Learn(x view.Rows) {
	rows, _ := x.Dims()
	for i := range rows {
		xx := s.next(x, i)
		if xx == 0 {
			continue
		}
		eta := min(s.steps.Step(s.t), stableStep/xx)
		clear(s.rest)
		s.x.AddTo(s.rest, 1)
		for j := range s.k {
			u := s.row(j)
			y := s.x.Dot(u)
			vec.Axpy64(s.rest, -y, u)
			vec.Axpy64(u, eta*y, s.rest)
		}
	}
}
