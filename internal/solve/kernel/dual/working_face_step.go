package dual

import "github.com/fenchel-ml/fenchel/internal/vec"

// mend makes best a point that the dual problem allows: the coefficients v of the
// face, which are more accurate than the answers to its predictions if mu is small,
// cut off at their bounds. What the sum then lacks is given to the first that have room.
// Answers of a loss whose inverse bends are kept: near a bound they have more digits.
func (f *face) mend() {
	if f.loss.Straight() {
		for _, i := range f.inside {
			if f.slope[i] > 0 {
				f.best[i] = min(max(f.v[i], f.Lo[i]), f.Hi[i])
			}
		}
	}
	if !f.free {
		return
	}
	rest := f.sum - vec.Total(f.best)
	for _, steep := range []bool{true, false} { // bounds are left last
		for i, b := range f.best {
			if rest != 0 && f.slope[i] > 0 == steep {
				f.best[i] = min(max(b+rest, f.Lo[i]), f.Hi[i])
				rest -= f.best[i] - b
			}
		}
	}
}

// adopt moves the coefficients toward best, as far as it pays, and returns what part
// of the way that is. The slope along it falls: if it is not more below zero at the end than
// above in the middle, to go all the way is a gain, and keeps what is at a bound there.
func (f *face) adopt() (t float64) {
	for i, b := range f.best {
		f.delta[i] = b - f.Beta[i]
	}
	f.product(f.change, f.delta)
	if f.Limit.Reached() {
		return 0
	}
	if _, start := f.pays(0); !(start > 0) {
		return 0
	}
	t = 1
	if end, _ := f.pays(1); end < 0 {
		if middle, _ := f.pays(0.5); !(middle+end >= 0) {
			t = f.turningPoint()
		}
	}
	for i, d := range f.delta {
		if d != 0 {
			f.set(i, f.partly(i, t))
		}
	}
	vec.Axpy64(f.R, t, f.change)
	return t
}

// partly returns coefficient i a part of the way to best.
func (f *face) partly(i int, t float64) float64 {
	if t == 1 {
		return f.best[i]
	}
	return f.Beta[i] + float64(t*f.delta[i])
}

// pays returns how fast it pays to go on along the way, just before and just
// after a part t of it.
func (f *face) pays(t float64) (before, after float64) {
	var b, a vec.Sum
	for i, d := range f.delta {
		if d == 0 {
			continue
		}
		up, low := f.targets(i, f.partly(i, t))
		if d < 0 {
			up, low = low, up
		}
		r := f.R[i] + float64(t*f.change[i])
		b.Add(d * (low - r))
		a.Add(d * (up - r))
	}
	return b.Value(), a.Value()
}

// turningPoint returns where along the way it pays no more to go on, but for the width of the last
// of 40 halves, at which it still pays.
func (f *face) turningPoint() (t float64) {
	end := 1.0
	for range 40 {
		middle := t + (end-t)/2
		switch before, after := f.pays(middle); {
		case after > 0:
			t = middle
		case before < 0:
			end = middle
		default:
			return middle
		}
	}
	return t
}
