package loss

// HuberHinge is the hinge loss with its corner replaced by a parabola of the
// given width h: with m = yp,
//
//	0 where m >= 1,  (1-m)^2/(2h) where 1-h < m < 1,  1-m-h/2 below.
//
// It lies below the hinge by at most h/2. With a = -y b: l*(a) = h b^2/2 - b on
// 0 <= b <= 1.
type HuberHinge struct{ Width float64 }

var (
	_ Margin     = HuberHinge{}
	_ Curved     = HuberHinge{}
	_ Cornered   = HuberHinge{}
	_ Invertible = HuberHinge{}
)

func init() {
	registerWith("huber-hinge", "hinge with its corner rounded over width=1", "width", 1, true,
		func(h float64) Loss { return HuberHinge{h} })
}

func (HuberHinge) OfMargins() {}

// Value returns the smoothed hinge.
func (l HuberHinge) Value(p, y float64) float64 {
	r := 1 - y*p
	switch {
	case r <= 0:
		return 0
	case r < l.Width:
		return r * (r / 2 / l.Width) // 2h may overflow
	}
	return r - l.Width/2
}

// Derivative returns -y clip((1-yp)/h, 0, 1).
func (l HuberHinge) Derivative(p, y float64) float64 { return -y * clip((1-y*p)/l.Width, 0, 1) }

// Curvature returns 1/h inside the parabola, and 0 elsewhere.
func (l HuberHinge) Curvature(p, y float64) float64 {
	if r := 1 - y*p; r > 0 && r < l.Width {
		return 1 / l.Width
	}
	return 0
}

// Conjugate returns a*y + h a^2/2.
func (l HuberHinge) Conjugate(a, y float64) float64 { return a * (y + l.Width*a/2) }

// Domain is [-1, 0] for y = 1 and [0, 1] for y = -1.
func (HuberHinge) Domain(y float64) (lo, hi float64) { return marginDomain(y, 1) }

// Prox solves for the margin on each of the three pieces.
func (l HuberHinge) Prox(v, step, y float64) float64 {
	m := y * v
	switch {
	case m >= 1:
		return v
	case m+step <= 1-l.Width:
		return v + y*step
	}
	t := step / l.Width
	return (v + t*y) / (1 + t)
}

// Smoothness is 1/h.
func (l HuberHinge) Smoothness() float64 { return 1 / l.Width }

// Ramps returns the parabola, between p = y and y(1-h).
func (l HuberHinge) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	lo, _ := marginDomain(y, 1)
	return lo, [2]Ramp{{At: y + float64(l.Width*lo), Jump: 1, Width: l.Width}}
}

// Inverse returns y + h a, and what lies beyond at the ends of the domain.
func (l HuberHinge) Inverse(a, y float64) (lo, hi float64) {
	first, last := marginDomain(y, 1)
	p := y + float64(l.Width*a)
	return beyond(a, first, last, p, p)
}

// Straight is true: the inverse is piecewise linear.
func (HuberHinge) Straight() bool { return true }
