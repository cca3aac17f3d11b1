package loss

// Cornered is a loss that a straight line and one or two ramps add up to: for
// interior-point methods, which need to know where it bends.
//
// Law, up to a constant that depends on y alone:
//
//	l(p) = slope p + sum_k max over a in [0, Jump_k] of a (p - At_k) - Width_k a^2/2
//
// The slope of ramp k rises from 0 to Jump_k while p goes from At_k to
// At_k + Width_k Jump_k; a width of 0 is a corner. A ramp that is not there
// has Jump = 0, and comes last. Only the slope and where the first ramp begins
// depend on y; Jump, Width and the distance of the ramps do not.
type Cornered interface {
	Loss
	Ramps(y float64) (slope float64, ramps [2]Ramp)
}

// Ramp is where the slope of a loss rises by Jump, see Cornered.
type Ramp struct{ At, Jump, Width float64 }

var (
	_ Cornered = Hinge{}
	_ Cornered = HuberHinge{}
	_ Cornered = Absolute{}
	_ Cornered = Huber{}
	_ Cornered = EpsilonInsensitive{}
)

// Ramps returns the corner at p = y.
func (Hinge) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	lo, _ := marginDomain(y, 1)
	return lo, [2]Ramp{{At: y, Jump: 1}}
}

// Ramps returns the parabola, between p = y and y(1-h).
func (l HuberHinge) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	lo, _ := marginDomain(y, 1)
	return lo, [2]Ramp{{At: y + float64(l.Width*lo), Jump: 1, Width: l.Width}}
}

// Ramps returns the corner at p = y.
func (Absolute) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	return -1, [2]Ramp{{At: y, Jump: 2}}
}

// Ramps returns the parabola, between p = y-delta and y+delta.
func (l Huber) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	return -l.Delta, [2]Ramp{{At: y - l.Delta, Jump: 2 * l.Delta, Width: 1}}
}

// Ramps returns the two walls of the tube.
func (l EpsilonInsensitive) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	return -1, [2]Ramp{{At: y - l.Epsilon, Jump: 1}, {At: y + l.Epsilon, Jump: 1}}
}
