package root

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/problem"
)

// A bound is what takes the place of the penalty.
type bound interface {
	// least returns a C that is too small for the bound, given |sum_i s_i l_i' x_i| at w = 0: w is at
	// most C times that.
	least(slope float64) float64
	// level is h at a point, below 0 where C is too small.
	level(squared float64, w, r []float64) float64
	// share returns the t of the mixture at which the bound holds with equality; inner is <w_1,w_2>.
	share(lo, hi *node, inner float64) float64
	// judge makes a candidate of a point; below: no C is known that is large enough.
	judge(x *node, below bool) candidate
	// loose says that the bound was not reached.
	loose(x *node) error
}

// norm is the bound |w| <= radius.
type norm struct {
	*problem.Risk
	radius float64
	inside float64 // by how much of it points are inside, so that roundings cost no certificate
}

func (b norm) least(slope float64) float64 { return b.radius / slope }

func (b norm) level(squared float64, _, _ []float64) float64 {
	return max(-100, math.Log(math.Sqrt(squared)/b.radius))
}

// share solves |(1-t) w_1 + t w_2| = radius.
func (b norm) share(lo, hi *node, inner float64) float64 {
	missing := float64(b.radius*b.radius) - lo.squared
	slope, curvature := inner-lo.squared, max(0, lo.squared-2*inner+hi.squared)
	t := missing / (slope + math.Sqrt(max(0, float64(slope*slope)+float64(curvature*missing))))
	if !(t >= 0 && t <= 1) {
		t = missing / (hi.squared - lo.squared)
	}
	return min(max(t, 0), 1)
}

// judge scales w onto the sphere, or leaves it inside where that is better.
func (b norm) judge(x *node, below bool) candidate {
	lambda, size := 1/(x.c*b.N), math.Sqrt(x.squared)
	y := candidate{w: x.w, a: x.a}
	radius := b.radius * (1 - b.inside)
	value := b.fit(&y, x, min(1, radius/size))
	if below && size > 0 && size < radius {
		y.loose = true
		if longer, other := b.longer(x, value, radius/size); other < value {
			y, value = longer, other
		}
	}
	conjugates, zero := meanConjugates(b.Risk, x.a)
	dual := -conjugates - float64(b.radius*lambda*size)
	if -zero > dual && below {
		y.a, y.loose, dual = make([]float64, len(x.a)), true, -zero
	}
	y.primal, y.dual, y.gap = value, dual, math.Abs(problem.Relative(value, dual, b.Zero()))
	return y
}

// longer makes a candidate of the point that is at most so many times as long, and of those with the
// same mean loss the shortest; most is the loss of the point.
func (b norm) longer(x *node, most, scale float64) (y candidate, value float64) {
	y.a = x.a
	longest := scale
	if value = b.fit(&y, x, scale); !(value < most) {
		return y, value
	}
	for lo, k := 1.0, 0; k < 50; k++ {
		middle := math.Sqrt(lo * scale)
		shorter := candidate{a: x.a}
		if b.fit(&shorter, x, middle) <= value {
			y, scale = shorter, middle
		} else {
			lo = middle
		}
	}
	if value == 0 { // so that no rounding has a loss
		b.fit(&y, x, min(scale*(1+1e-6), longest))
	}
	return y, value
}

// fit sets the weights of a candidate to a multiple of those of the point, with the best bias, and
// returns the mean loss.
func (b norm) fit(y *candidate, x *node, scale float64) float64 {
	y.w = make([]float64, len(x.w))
	for j, w := range x.w {
		y.w[j] = scale * w
	}
	if b.Bias != problem.Free {
		return meanLoss(b.Risk, x.r, scale, 0)
	}
	last := len(y.w) - 1
	y.w[last] = x.w[last]
	value := meanLoss(b.Risk, x.r, scale, y.w[last])
	scaled := make([]float64, len(x.r))
	for i, r := range x.r {
		scaled[i] = scale * r
	}
	bias := b.BestBias(scaled, y.w[last], 1e-14)
	if other := meanLoss(b.Risk, x.r, scale, bias); other < value {
		value, y.w[last] = other, bias
	}
	return value
}

func (b norm) loose(x *node) error {
	return fmt.Errorf("the radius %g does not bind: beyond the norm %.6g the loss falls by no more than the gap, and the answer is that of lambda 0", b.radius, math.Sqrt(x.squared))
}

// slack is the bound on the slack.
type slack struct{ *problem.Margins }

func (b slack) least(slope float64) float64 { return 1 / (b.Nu * slope) }

func (b slack) level(squared float64, w, r []float64) float64 {
	return min(max(-100, math.Log(b.Nu*math.Sqrt(squared)/b.loss(w, r))), 100)
}

// loss is the mean loss of w.
func (b slack) loss(w, r []float64) float64 {
	bias := 0.0
	if b.Bias == problem.Free {
		bias = w[len(w)-1]
	}
	return meanLoss(&b.Risk, r, 1, bias)
}

// share finds the t where nu |w| is the loss by halving.
func (b slack) share(lo, hi *node, inner float64) float64 {
	r := make([]float64, len(lo.r))
	last := len(lo.w) - 1
	from, to := 0.0, 1.0
	for range 60 {
		t := (from + to) / 2
		for i := range r {
			r[i] = mixed(lo.r[i], hi.r[i], t)
		}
		squared := float64((1-t)*(1-t)*lo.squared) + float64(2*t*(1-t)*inner) + float64(t*t*hi.squared)
		if b.level(squared, []float64{mixed(lo.w[last], hi.w[last], t)}, r) < 0 {
			from = t
		} else {
			to = t
		}
	}
	return (from + to) / 2
}

// judge brings w to the norm 1, or less far where the slack is then as large as it may be.
func (b slack) judge(x *node, below bool) candidate {
	size := math.Sqrt(x.squared)
	y := candidate{a: x.a}
	unit := 0.0
	if size > 0 {
		unit = 1 / size
	}
	value := b.fit(&y, x, unit)
	if scale := b.Nu / b.loss(x.w, x.r); below && scale < unit {
		inside := candidate{a: x.a, loose: true}
		if other := b.fit(&inside, x, scale); other >= value {
			y, value = inside, other
		}
	}
	var masses vec.Sum
	largest := 0.0
	for i, a := range x.a {
		masses.Add(b.S[i] * math.Abs(a))
		largest = max(largest, math.Abs(a))
	}
	above := (float64(size/x.c) + float64(b.Volume()*largest)) / masses.Value()
	y.primal, y.dual, y.gap = -value, -above, math.Abs(problem.Relative(-value, -above, b.Zero()))
	return y
}

// fit sets the weights of a candidate to a multiple of those of the point, and returns their margin.
func (b slack) fit(y *candidate, x *node, scale float64) float64 {
	y.w = make([]float64, len(x.w))
	for j, w := range x.w {
		y.w[j] = scale * w
	}
	c := make([]float64, len(x.r))
	for i, r := range x.r {
		c[i] = float64(scale*r) * b.Y[i]
	}
	value, bias := b.Level(new(water.Filling), c)
	if b.Bias == problem.Free {
		y.w[len(y.w)-1] = bias
	}
	return value
}

func (b slack) loose(x *node) error {
	return fmt.Errorf("the slack %g is below that of every C: beyond the norm %.6g the loss falls by no more than the gap, and the answer is that of lambda 0", b.Nu, math.Sqrt(x.squared))
}

// meanLoss returns that of the predictions scale r_i + bias.
func meanLoss(p *problem.Risk, r []float64, scale, bias float64) float64 {
	var sum vec.Sum
	for i, y := range p.Y {
		sum.Add(p.S[i] * p.Loss.Value(float64(scale*r[i])+bias, y))
	}
	return sum.Value() / p.N
}

// meanConjugates returns the mean conjugate at dual variables, and at zeros.
func meanConjugates(p *problem.Risk, a []float64) (at, zero float64) {
	var sum, none vec.Sum
	for i, y := range p.Y {
		lo, hi := p.Loss.Domain(y)
		sum.Add(p.S[i] * p.Loss.Conjugate(min(max(a[i], lo), hi), y))
		none.Add(p.S[i] * p.Loss.Conjugate(0, y))
	}
	return sum.Value() / p.N, none.Value() / p.N
}
