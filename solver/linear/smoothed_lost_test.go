package linear

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// planes returns n dense rows that a plane through 0 separates: about d of them are on
// the corner at the optimum.
func planes(n, d, threads int) *problem.Linear {
	r := rand.New(rand.NewPCG(1, 2))
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	plane, y := make([]float64, d), make([]float64, n)
	for j := range plane {
		plane[j] = r.NormFloat64()
	}
	for i := range y {
		sum := 0.0
		for j := range plane {
			v := float32(r.NormFloat64())
			x.Value[i*d+j] = v
			sum += float64(float64(v) * plane[j])
		}
		if y[i] = 1; sum < 0 {
			y[i] = -1
		}
	}
	return must(problem.NewLinear(problem.NewRows(x, threads), y, nil, loss.Hinge{}, penalty.L2{}, 1e-3/float64(n), problem.None))
}

// TestSmoothedLost: a centred step that leaves more than is allowed is not made;
// smoothing goes on from what was settled last, and gets near the optimum without them.
func TestSmoothedLost(t *testing.T) {
	p := planes(4000, 50, 2)
	s := newSmoothed(p, nil)
	for !s.centred {
		s.step()
	}
	for range 20 {
		if s.approach(0); !s.centred { // nothing was left: any amount is too much, unless the width is new
			break
		}
	}
	if !s.lost || s.centred {
		t.Fatalf("lost is %v, centred is %v", s.lost, s.centred)
	}
	if !slices.Equal(s.w, s.safe) || s.tau != s.safeTau || !(p.Certify(s.point()).Relative() < 1) {
		t.Errorf("goes on from gap %g, width %g, settled was %g", p.Certify(s.point()).Relative(), s.tau, s.safeTau)
	}
	for !s.done() {
		s.step()
	}
	if s.finish(); s.centred || !(p.Certify(s.point()).Relative() < 0.02) {
		t.Errorf("ends with gap %g, centred is %v", p.Certify(s.point()).Relative(), s.centred)
	}
}

// TestSmoothedInReserve: what SDCA takes over is as near the optimum as smoothed was,
// with the same bits for any number of threads.
func TestSmoothedInReserve(t *testing.T) {
	var first problem.Point
	for _, threads := range []int{1, 2} {
		p := planes(4000, 50, threads)
		k := begun{}.Start(p, solver.Start{Seed: 1}).(*sdca)
		for k.other != nil {
			k.Epoch()
		}
		point := k.Point()
		if gap := p.Certify(point).Relative(); !(gap < 0.02) {
			t.Errorf("hands over with gap %g", gap)
		}
		if first.W == nil {
			first = point
		} else if !slices.Equal(point.W, first.W) || !slices.Equal(point.A, first.A) {
			t.Errorf("other bits with %d threads", threads)
		}
	}
}
