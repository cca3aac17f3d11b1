package quadratic

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Interior is a primal-dual interior-point method (Mehrotra 1992; Fine and Scheinberg 2001 for
// kernel machines; reference kernel_qp, section 7).
//
//	Symbols   y multipliers of A x = b; s, t > 0 those of x >= lower and x <= upper;
//	          mu the mean of s (x - lower) and t (upper - x)
//	Residuals rd = Q x + c + A^T y - s + t,  rp = A x - b
//	Update    D = s/(x - lower) + t/(upper - x);  with u_k = (Q + D)^-1 A_k and v = (Q + D)^-1 z,
//	          z = -rd + es/(x - lower) - et/(upper - x), es and et what the products are to change
//	          by: (A u) dy = A v + rp,  dx = v - u dy,  ds = (es - s dx)/(x - lower),
//	          dt = (et + t dx)/(upper - x)
//	          first towards products 0, which says how large the mean sigma mu may be that is
//	          aimed at, sigma = (mu'/mu)^3; then with the products of the first changes too
//	Returned  x, strictly inside its bounds, and y
//	Cost      of a step: one factor of Q + D and m + 4 solutions
//
// A variable whose bounds are equal stays there. Steps end where neither mu nor the residuals
// fall any more: that is where the arithmetic ends.
type Interior struct {
	p       *Program
	x, y    []float64
	s, t    []float64
	product []float64 // Q x
	d       []float64
	rd, rp  []float64
	es, et  []float64
	dx, dy  []float64
	ds, dt  []float64
	u       [][]float64
	schur   Factor
	best    float64 // smallest measure so far
	idle    int
	scale   float64 // of a derivative
	floor   float64 // the measure that says nothing any more
	Steps   int
	bx, by  []float64 // the point of the smallest measure
}

// NewInterior begins in the middle of the bounds.
func NewInterior(p *Program) *Interior {
	n, m := len(p.C), len(p.A)
	r := &Interior{p: p, y: make([]float64, m), rp: make([]float64, m), dy: make([]float64, m), best: math.Inf(1)}
	for _, v := range []*[]float64{&r.x, &r.s, &r.t, &r.product, &r.d, &r.rd, &r.es, &r.et, &r.dx, &r.ds, &r.dt} {
		*v = make([]float64, n)
	}
	for i, lo := range p.Lower {
		r.x[i] = lo + (p.Upper[i]-lo)/2
	}
	p.Q.Product(r.product, r.x)
	for i, v := range r.product {
		r.scale += math.Abs(v+p.C[i]) + math.Abs(p.C[i])
	}
	r.scale = max(r.scale/float64(n), 1e-300)
	for i := range r.s {
		r.s[i], r.t[i] = r.scale, r.scale
		r.floor += float64(1e-16 * r.scale * (p.Upper[i] - p.Lower[i]))
	}
	return r
}

// Point returns the best x and y so far.
func (r *Interior) Point() (x, y []float64) {
	if r.bx == nil {
		return r.x, r.y
	}
	return r.bx, r.by
}

// fixed reports whether the bounds of a variable leave no room.
func (r *Interior) fixed(i int) bool { return !(r.p.Lower[i] < r.p.Upper[i]) }

// room returns how far a variable is from its bounds.
func (r *Interior) room(i int) (below, above float64) {
	return r.x[i] - r.p.Lower[i], r.p.Upper[i] - r.x[i]
}

// residuals sets rd and rp, and returns mu and how much is wrong: the products and the residuals,
// in the unit of the objective.
func (r *Interior) residuals() (mu, measure float64) {
	r.p.Q.Product(r.product, r.x)
	var products, dual vec.Sum
	count := 0
	for i, v := range r.product {
		g := v + r.p.C[i] - r.s[i] + r.t[i]
		for k, row := range r.p.A {
			g += float64(row[i] * r.y[k])
		}
		if r.fixed(i) {
			r.rd[i] = 0
			continue
		}
		below, above := r.room(i)
		r.rd[i] = g
		products.Add(float64(r.s[i]*below) + float64(r.t[i]*above))
		dual.Add(math.Abs(g) * (below + above))
		count += 2
	}
	primal := 0.0
	for k, row := range r.p.A {
		r.rp[k] = dot(row, r.x) - r.p.B[k]
		primal += math.Abs(r.rp[k]) * (math.Abs(r.y[k]) + r.scale)
	}
	if count == 0 {
		return 0, 0
	}
	return products.Value() / float64(count), products.Value() + dual.Value() + primal
}

// Step makes a predictor and a corrector; false: nothing is left to do.
func (r *Interior) Step() bool {
	mu, measure := r.residuals()
	if measure < r.best {
		r.bx, r.by = append(r.bx[:0], r.x...), append(r.by[:0], r.y...)
	}
	if r.idle++; measure < r.best/2 {
		r.best, r.idle = measure, 0
	}
	if measure <= r.floor || r.idle > 5 || !(measure < math.Inf(1)) {
		return false
	}
	r.prepare()
	r.aim(0, false)
	if !r.direction() {
		return false
	}
	step := r.longest()
	after := r.meanAfter(step)
	sigma := after / mu
	r.aim(float64(sigma*sigma*sigma*mu), true)
	if !r.direction() {
		return false
	}
	step = min(1, 0.995*r.longest())
	r.move(step)
	r.Steps++
	return step > 1e-12
}

// prepare factors Q + D and solves for the rows of A.
func (r *Interior) prepare() {
	most := 0.0
	for i := range r.d {
		below, above := r.room(i)
		r.d[i] = 1e100
		if !r.fixed(i) {
			r.d[i] = min(r.s[i]/below+r.t[i]/above, 1e100)
			most = max(most, r.d[i])
		}
	}
	for i, d := range r.d { // never 0, where a variable is far from both bounds
		r.d[i] = max(d, 1e-16*r.scale, 1e-30*most)
	}
	r.p.Q.Factor(r.d)
	r.u = r.u[:0]
	r.schur = Factor{}
	for k, row := range r.p.A {
		u := make([]float64, len(row))
		r.p.Q.Solve(u, row)
		r.u = append(r.u, u)
		beside := make([]float64, k)
		for l := range k {
			beside[l] = dot(r.p.A[l], u)
		}
		own := dot(row, u)
		if !r.schur.Add(r.schur.Forward(beside), own) { // a row that others say
			r.schur.Add(make([]float64, k), max(own, 1)*1e30)
		}
	}
}

// aim sets by how much the products are to change, to come to the target.
func (r *Interior) aim(target float64, corrected bool) {
	for i := range r.es {
		below, above := r.room(i)
		es, et := target-float64(r.s[i]*below), target-float64(r.t[i]*above)
		if corrected {
			es -= float64(r.dx[i] * r.ds[i])
			et += float64(r.dx[i] * r.dt[i])
		}
		r.es[i], r.et[i] = es, et
	}
}

// direction sets the changes of all; false: they are not finite.
func (r *Interior) direction() bool {
	v := make([]float64, len(r.x))
	for i := range v {
		if below, above := r.room(i); !r.fixed(i) {
			v[i] = r.es[i]/below - r.et[i]/above - r.rd[i]
		}
	}
	r.p.Q.Solve(v, v)
	for k, row := range r.p.A {
		r.dy[k] = dot(row, v) + r.rp[k]
	}
	copy(r.dy, r.schur.Solve(r.dy))
	for k, u := range r.u {
		vec.Axpy64(v, -r.dy[k], u)
	}
	sum := 0.0
	for i, dx := range v {
		r.dx[i], r.ds[i], r.dt[i] = 0, 0, 0
		if below, above := r.room(i); !r.fixed(i) {
			r.dx[i] = dx
			r.ds[i] = (r.es[i] - float64(r.s[i]*dx)) / below
			r.dt[i] = (r.et[i] + float64(r.t[i]*dx)) / above
			sum += r.dx[i] + r.ds[i] + r.dt[i]
		}
	}
	return sum-sum == 0
}

// longest is how far all can go, at most 1/0.995.
func (r *Interior) longest() float64 {
	step := 1 / 0.995
	limit := func(room, move float64) {
		if move < 0 && float64(-move*step) > room {
			step = -room / move
		}
	}
	for i := range r.x {
		if r.fixed(i) {
			continue
		}
		below, above := r.room(i)
		limit(below, r.dx[i])
		limit(above, -r.dx[i])
		limit(r.s[i], r.ds[i])
		limit(r.t[i], r.dt[i])
	}
	return step
}

// meanAfter is mu after a step.
func (r *Interior) meanAfter(step float64) float64 {
	step = min(1, step)
	var sum vec.Sum
	count := 0
	for i := range r.x {
		if r.fixed(i) {
			continue
		}
		below, above := r.room(i)
		move := float64(step * r.dx[i])
		sum.Add(float64((r.s[i]+float64(step*r.ds[i]))*(below+move)) + float64((r.t[i]+float64(step*r.dt[i]))*(above-move)))
		count += 2
	}
	return max(0, sum.Value()) / float64(count)
}

// move takes the step; what rounding would put onto a bound stays inside by half of its room.
func (r *Interior) move(step float64) {
	for i := range r.x {
		if r.fixed(i) {
			continue
		}
		x := r.x[i] + float64(step*r.dx[i])
		if !(x > r.p.Lower[i]) {
			x = r.p.Lower[i] + (r.x[i]-r.p.Lower[i])/2
		}
		if !(x < r.p.Upper[i]) {
			x = r.p.Upper[i] - (r.p.Upper[i]-r.x[i])/2
		}
		if x > r.p.Lower[i] && x < r.p.Upper[i] {
			r.x[i] = x
		}
		r.s[i] = max(r.s[i]+float64(step*r.ds[i]), 1e-300)
		r.t[i] = max(r.t[i]+float64(step*r.dt[i]), 1e-300)
	}
	vec.Axpy64(r.y, step, r.dy)
}

// Bound reports at which bound variable i ends, going by its multipliers: -1 the lower, 1 the
// upper, 0 neither.
func (r *Interior) Bound(i int) int {
	below, above := r.room(i)
	width := below + above
	switch {
	case r.fixed(i):
		return -1
	case float64(below*r.scale) < float64(r.s[i]*width) && below < 1e-3*width:
		return -1
	case float64(above*r.scale) < float64(r.t[i]*width) && above < 1e-3*width:
		return 1
	}
	return 0
}
