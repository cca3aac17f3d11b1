package loss

// Shifted returns the loss l(p+by, y) of a prediction p: that of predictors whose bias is fixed. Its conjugate is
// l*(a, y) - a by. It declares of what l can do what the solvers that prove a small gap ask for, and is no loss of a margin.
func Shifted(l Loss, by float64) Loss {
	s := shifted{l, by}
	i, ok := l.(Invertible)
	if !ok {
		return s
	}
	v := shiftedInvertible{s, i}
	if c, ok := l.(Cornered); ok {
		return shiftedCornered{v, c}
	}
	if c, ok := l.(SelfConcordant); ok {
		return shiftedCurved{v, c}
	}
	return v
}

type shifted struct {
	of Loss
	by float64
}

func (s shifted) Value(p, y float64) float64        { return s.of.Value(p+s.by, y) }
func (s shifted) Derivative(p, y float64) float64   { return s.of.Derivative(p+s.by, y) }
func (s shifted) Conjugate(a, y float64) float64    { return s.of.Conjugate(a, y) - float64(a*s.by) }
func (s shifted) Domain(y float64) (lo, hi float64) { return s.of.Domain(y) }
func (s shifted) Prox(v, step, y float64) float64   { return s.of.Prox(v+s.by, step, y) - s.by }
func (s shifted) Smoothness() float64               { return s.of.Smoothness() }
func (s shifted) Targets() (least, most float64)    { return Targets(s.of) }

type shiftedInvertible struct {
	shifted
	invertible Invertible
}

var _ Invertible = shiftedInvertible{}

// Inverse returns the interval of l, shifted back.
func (s shiftedInvertible) Inverse(a, y float64) (lo, hi float64) {
	lo, hi = s.invertible.Inverse(a, y)
	return lo - s.by, hi - s.by
}

// Straight is that of l.
func (s shiftedInvertible) Straight() bool { return s.invertible.Straight() }

type shiftedCornered struct {
	shiftedInvertible
	cornered Cornered
}

var _ Cornered = shiftedCornered{}

// Ramps returns those of l, shifted back.
func (s shiftedCornered) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	slope, ramps = s.cornered.Ramps(y)
	for k := range ramps {
		ramps[k].At -= s.by
	}
	return slope, ramps
}

type shiftedCurved struct {
	shiftedInvertible
	curved SelfConcordant
}

var _ SelfConcordant = shiftedCurved{}

// Curvature is that of l at p+by.
func (s shiftedCurved) Curvature(p, y float64) float64 { return s.curved.Curvature(p+s.by, y) }

// SelfConcordance is that of l.
func (s shiftedCurved) SelfConcordance() float64 { return s.curved.SelfConcordance() }
