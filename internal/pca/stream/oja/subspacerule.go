package oja

import (
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// SubspaceRule is Oja's subspace rule, which keeps U orthonormal on average without
// ever making it so:
//
//	U <- U + eta_t y (x - U^T y)^T,   y = U x
//
// It is stable while eta |x|^2 is small: more than 1/2 counts as 1/2.
//
// Returned: U, made orthonormal. Cost of a step: O(k d).
//
// Oja 1989; reference 2.3.
type SubspaceRule struct{ Steps schedule.Schedule }

func init() {
	method.Register("subspace-rule", "Oja's subspace rule, which never orthonormalises; "+schedulesHelp,
		func(p *registry.Params) (method.Method, error) { return SubspaceRule{stepsOf(p)}, p.Err() })
}

// stableStep is the most that eta |x|^2 may be of a rule that nothing but itself
// keeps near orthonormal. For k = 1 and s = |u|^2 a step adds
// eta y^2 (2(1-s) + eta |x|^2 + eta y^2 (s-2)) to s, which is negative for 5/4 < s < 4.
const stableStep = 0.5

// Start implements Streaming.
func (m SubspaceRule) Start(p method.Problem) method.State {
	keep := func(eta, _, _ float64) (alpha, beta float64) { return eta, -eta }
	return newRankOne(p, rule{longest: stableStep, move: keep}, m.Steps)
}
