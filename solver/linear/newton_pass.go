package linear

import "github.com/fenchel-ml/fenchel/vec"

// A rows is a block of rows as the passes see them.
type rows struct {
	lo, hi       int
	away         []float64 // predictions, counted from t of the first ramp
	before, move []float64 // steps of the predictions: predictor's, corrector's
	weight       []float64 // s
}

// of returns the ramps of a block of rows. The passes over them are the loops of
// vec.Ramp: 2 to 8 ns a row where plain Go takes 25.
func (e *ramps) of(b rows) *vec.Ramp {
	return &vec.Ramp{Jump: e.jump, Width: e.width, Shift: e.shift, X: e.x[b.lo:b.hi], R: e.r[b.lo:b.hi], U: e.u[b.lo:b.hi],
		Away: b.away[b.lo:b.hi], Before: b.before[b.lo:b.hi], Move: b.move[b.lo:b.hi], Weight: b.weight[b.lo:b.hi]}
}

// common returns by how much the conjugate of a loss is below those of its two
// ramps: a slope comes from the first as far as that goes. That is so for corners; for
// wide ramps 0 will do.
func common(first, second *ramps, b rows) (sum float64) {
	if first.width > 0 || second.width > 0 {
		return 0
	}
	for i := b.lo; i < b.hi; i++ {
		_, left := vec.SplitRamp(first.x[i], first.jump)
		taken, _ := vec.SplitRamp(second.x[i], second.jump)
		sum += float64(b.weight[i] * float64((second.shift-first.shift)*min(left, taken)))
	}
	return sum
}

// addSlopes adds scale s a to v.
func addSlopes(v []float64, e *vec.Ramp, scale float64) {
	for i, x := range e.X {
		a, _ := vec.SplitRamp(x, e.Jump)
		v[i] += float64(float64(e.Weight[i]*scale) * a)
	}
}
