package problem

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// A draw is a small problem with numbers of any size, and a point of it.
type draw struct {
	*rand.Rand
	name       string
	x          *matrix.Dense
	wide       []float64 // what x is rounded from; nil: itself
	y, s       []float64
	loss       loss.Loss
	lambda     float64
	bias       Bias
	kernel     kernel.Kernel
	matrix     [][]*big.Float // of the kernel, made when needed
	w          []float64      // d+1
	beta, dual []float64      // n+1, n
}

// size is usually about 1, and else anything from 1e-300 to 1e300.
func (d *draw) size(most float64) float64 {
	switch d.IntN(4) {
	case 0:
		return math.Pow(10, (2*d.Float64()-1)*most)
	case 1: // where squares begin to underflow or overflow
		return math.Pow(10, float64(2*d.IntN(2)-1)*(0.45+0.1*d.Float64())*most)
	}
	return math.Pow(10, 4*d.Float64()-2)
}

func (d *draw) losses() []loss.Loss {
	return []loss.Loss{loss.Hinge{}, loss.SquaredHinge{}, loss.Logistic{}, loss.HuberHinge{Width: d.size(300)}, loss.Squared{},
		loss.Absolute{}, loss.Huber{Delta: d.size(300)}, loss.EpsilonInsensitive{Epsilon: d.size(300)},
		loss.SquaredEpsilonInsensitive{Epsilon: d.size(300)}}
}

// normals returns n numbers of a common size, some of them 0.
func (d *draw) normals(n int, size float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		if d.IntN(8) > 0 {
			out[i] = size * d.NormFloat64()
		}
	}
	return out
}

func newDraw(seed uint64) *draw {
	d := &draw{Rand: rand.New(rand.NewPCG(seed, 1))}
	n, cols := 2+d.IntN(5), 1+d.IntN(3)
	d.x = &matrix.Dense{Rows: n, Cols: cols, Value: make([]float32, n*cols)}
	for i, v := range d.normals(n*cols, d.size(37)) {
		d.x.Value[i] = float32(v)
	}
	if d.IntN(3) == 0 {
		for _, v := range d.x.Value {
			d.wide = append(d.wide, float64(v)*(1+0x1p-25*d.Float64()))
		}
	}
	losses := d.losses()
	d.loss = losses[int(seed)%len(losses)]
	_, margin := d.loss.(loss.Margin)
	d.y = d.normals(n, d.size(300))
	switch {
	case margin:
		for i := range d.y {
			d.y[i] = float64(2*(i%2) - 1)
		}
	case d.IntN(6) == 0: // nothing hides what is lost elsewhere
		clear(d.y)
	}
	d.s = slices.Repeat([]float64{1}, n)
	if d.IntN(2) > 0 {
		common, each := d.size(150), d.IntN(2) > 0
		for i := range d.s {
			if each {
				common = d.size(150)
			}
			d.s[i] = common * (1 + d.Float64())
		}
	}
	d.lambda, d.bias = d.size(300), Bias(d.IntN(3))
	kernels := []kernel.Kernel{kernel.Linear{}, kernel.RBF{Gamma: d.size(300)}, kernel.Poly{Degree: 1 + d.IntN(4), Gamma: d.size(100), Coef0: float64(d.IntN(2)) * d.size(100)}}
	d.kernel = kernels[max(0, d.IntN(4)-1)]
	d.w, d.beta = d.normals(cols+1, d.size(300)), d.normals(n+1, d.size(300))
	if d.bias == None {
		d.w[cols], d.beta[n] = 0, 0
	}
	d.dual = d.normals(n, d.size(300))
	if d.IntN(2) > 0 { // at an end of the domain, or near it
		size := d.Float64()
		for i, y := range d.y {
			lo, hi := d.loss.Domain(y)
			d.dual[i] = size * min(max(d.dual[i]*1e300, lo), hi, math.MaxFloat64)
		}
	}
	d.name = fmt.Sprintf("seed %d: %T%+v %T%+v lambda=%g bias=%v x=%v y=%v s=%v w=%v beta=%v dual=%v", seed, d.loss, d.loss, d.kernel, d.kernel, d.lambda, d.bias, d.x.Value, d.y, d.s, d.w, d.beta, d.dual)
	return d
}

// stored returns the rows, in the precision that they have.
func (d *draw) stored() matrix.Matrix {
	if d.wide == nil {
		return d.x
	}
	return &matrix.Double{Matrix: d.x, Value: d.wide}
}

// row returns the exact inner product of row i with w, and the bias.
func (d *draw) predictions(w []float64) []*big.Float {
	out := make([]*big.Float, d.x.Rows)
	for i := range out {
		out[i] = newBig(w[d.x.Cols])
		for j, x := range matrix.Values(nil, d.stored(), i) {
			out[i] = add(out[i], mul(newBig(x), newBig(w[j])))
		}
	}
	return out
}

// combine returns the exact X^T v, and the sum of v.
func (d *draw) combine(v []float64) []*big.Float {
	sum := bigs(make([]float64, d.x.Cols+1))
	for i, v := range v {
		for j, x := range matrix.Values(nil, d.stored(), i) {
			sum[j] = add(sum[j], mul(newBig(x), newBig(v)))
		}
		sum[d.x.Cols] = add(sum[d.x.Cols], newBig(v))
	}
	return sum
}

// squared returns the exact beta^T K beta, with the square of the constant column's weight
// where a bias of kind feature has one.
func (d *draw) squared(beta []float64, constant *big.Float) *big.Float {
	total := newBig(0)
	for i, f := range d.respond(beta, 0) {
		total = add(total, mul(newBig(beta[i]), f))
	}
	if d.bias == Feature {
		total = add(total, mul(constant, constant))
	}
	return total
}

// off fails unless value is within bound of want; what is no number claims nothing.
func (d *draw) off(t *testing.T, what string, value, bound float64, want *big.Float) {
	t.Helper()
	if value-value != 0 || bound-bound != 0 {
		return
	}
	if off := sub(newBig(value), want); magnitude(off).Cmp(newBig(bound)) > 0 {
		t.Errorf("%s: found %g, want %.10g, off by %.6g, more than the bound %g\n%s", what, value, want, off, bound, d.name)
	}
}

// below fails if a lower bound is above want, or above the objective beside it.
func (d *draw) below(t *testing.T, what string, c Certificate, want *big.Float) {
	t.Helper()
	if math.IsNaN(c.Dual) || math.IsInf(c.Dual, 1) {
		t.Errorf("%s: the lower bound is %g\n%s", what, c.Dual, d.name)
	} else if !math.IsInf(c.Dual, -1) && newBig(c.Dual).Cmp(want) > 0 {
		t.Errorf("%s: the lower bound %g is above %.10g\n%s", what, c.Dual, want, d.name)
	}
	if c.Gap() < 0 || c.Relative() < 0 {
		t.Errorf("%s: the gap of %g and %g is %g\n%s", what, c.Primal, c.Dual, c.Gap(), d.name)
	}
	for _, w := range c.Warnings {
		t.Errorf("%s: %v\n%s", what, w, d.name)
	}
}

var draws = flag.Int("draws", 1000, "how many problems of extreme sizes are drawn of each kind")

// eachDraw calls check for problems of all sizes. Those that are refused are counted:
// most must be accepted.
func eachDraw(t *testing.T, check func(t *testing.T, d *draw) error) {
	refused, n := 0, *draws
	if testing.Short() {
		n /= 10
	}
	for seed := range uint64(n) {
		d := newDraw(seed)
		if err := check(t, d); err != nil {
			refused++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d refused", refused, n)
	if refused > n*2/3 {
		t.Errorf("%d of %d problems were refused, expected most to be accepted", refused, n)
	}
}

func TestExtremeLinear(t *testing.T) {
	eachDraw(t, func(t *testing.T, d *draw) error {
		pen := []penalty.Penalty{penalty.L2{}, penalty.L1{}, penalty.ElasticNet{Ratio: d.Float64()},
			penalty.LP{Exponent: 1 + math.Exp(-8*d.Float64()*d.Float64())}}[d.IntN(4)]
		p, err := NewLinear(NewRows(d.stored(), 1), d.y, d.s, d.loss, pen, d.lambda, d.bias)
		if err != nil {
			return err
		}
		d.name += fmt.Sprintf(" %T%+v", pen, pen)
		primal := add(exactRisk(&p.Risk, d.predictions(d.w)), mul(newBig(d.lambda), exactPenalty(pen, bigs(d.w[:p.Penalised()]))))
		value, bound := p.Primal(d.w)
		d.off(t, "primal", value, bound, primal)
		v, finite := d.feasible(t, &p.Risk)
		if !finite {
			d.below(t, "certificate", p.Certify(Point{W: d.w, A: d.dual}), newBig(math.Inf(-1)))
			return nil
		}
		if _, slow := d.loss.(loss.Logistic); slow && p.Penalty.StrongConvexity() == 0 {
			d.below(t, "certificate", p.Certify(Point{W: d.w, A: d.dual}), primal)
			return nil
		}
		exact := d.linearDual(p, v)
		value, bound = p.Dual(d.dual)
		if p.Penalty.StrongConvexity() > 0 {
			d.off(t, "dual", value, bound, exact)
		}
		d.below(t, "certificate", p.Certify(Point{W: d.w, A: d.dual}), atMost(exact, primal))
		return nil
	})
}

// linearDual returns the exact dual objective at v; with l1 the largest of any scale.
func (d *draw) linearDual(p *Linear, v []float64) *big.Float {
	factor := quo(newBig(-1), mul(newBig(d.lambda), exactTotal(d.s)))
	u := d.combine(v)[:p.Penalised()]
	largest := newBig(1)
	for j := range u {
		u[j] = mul(u[j], factor)
		largest = atLeast(largest, magnitude(u[j]))
	}
	at := func(scale *big.Float) *big.Float {
		scaled := make([]*big.Float, len(u))
		for j := range u {
			scaled[j] = mul(u[j], scale)
		}
		return newBig(0).Neg(add(exactConjugates(&p.Risk, v, scale), mul(newBig(d.lambda), exactPenaltyConjugate(p.Penalty, scaled))))
	}
	if p.Penalty.StrongConvexity() > 0 {
		return at(newBig(1))
	}
	lo, hi := newBig(0), quo(newBig(1), largest)
	best := atLeast(at(lo), at(hi))
	for range 30 { // concave
		third := quo(sub(hi, lo), newBig(3))
		a, b := add(lo, third), sub(hi, third)
		x, y := at(a), at(b)
		best = atLeast(best, atLeast(x, y))
		if x.Cmp(y) < 0 {
			lo = a
		} else {
			hi = b
		}
	}
	return best
}

// inDomain fails if the dual variables v_i/s_i, which a free bias forbids to be clipped
// once they are balanced, make the dual minus infinity.
func (d *draw) inDomain(t *testing.T, v []float64) {
	t.Helper()
	for i, v := range v {
		lo, hi := d.loss.Domain(d.y[i])
		if s := newBig(d.s[i]); d.bias == Free && (newBig(v).Cmp(mul(s, newBig(hi))) > 0 || newBig(v).Cmp(mul(s, newBig(lo))) < 0) {
			t.Errorf("row %d: %g times %g is outside of the domain from %g to %g\n%s", i, v, d.s[i], lo, hi, d.name)
		}
	}
}

// balanced fails if a free bias makes the dual minus infinity.
func (d *draw) balanced(t *testing.T, v []float64) {
	t.Helper()
	if sum := exactTotal(v); d.bias == Free && sum.Sign() != 0 {
		t.Errorf("the dual variables %v add up to %.5g\n%s", v, sum, d.name)
	}
}

// feasible returns the dual point made of the draw's, and whether it is finite: the dual is
// minus infinity where it is not, and no exact numbers are needed.
func (d *draw) feasible(t *testing.T, p *Risk) (v []float64, finite bool) {
	t.Helper()
	v = make([]float64, d.x.Rows)
	p.feasible(v, d.dual)
	if slices.ContainsFunc(v, func(x float64) bool { return x-x != 0 }) {
		return v, false
	}
	d.balanced(t, v)
	d.inDomain(t, v)
	return v, true
}

func (d *draw) gram() (*gram.Gram, error) {
	return gram.NewGram(d.kernel, d.x, gram.Options{Threads: 1})
}

// exactMatrix returns the values of the kernel.
func (d *draw) exactMatrix() [][]*big.Float {
	if d.matrix != nil {
		return d.matrix
	}
	n := d.x.Rows
	inner := func(i, j int) *big.Float {
		sum := newBig(0)
		for k, x := range d.x.Row(i).Value {
			sum = add(sum, mul(newBig(float64(x)), newBig(float64(d.x.Row(j).Value[k]))))
		}
		return sum
	}
	d.matrix = make([][]*big.Float, n)
	for i := range n {
		d.matrix[i] = make([]*big.Float, n)
		for j := range n {
			xy := inner(i, j)
			switch k := d.kernel.(type) {
			case kernel.RBF:
				distance := sub(add(inner(i, i), inner(j, j)), add(xy, xy))
				xy = newBig(0)
				if exponent := mul(newBig(-k.Gamma), distance); exponent.Cmp(newBig(-2000)) > 0 {
					xy = exponential(exponent)
				}
			case kernel.Poly:
				base := add(mul(newBig(k.Gamma), xy), newBig(k.Coef0))
				xy = newBig(1)
				for range k.Degree {
					xy = mul(xy, base)
				}
			}
			d.matrix[i][j] = xy
		}
	}
	return d.matrix
}

// respond returns the exact responses K beta + b.
func (d *draw) respond(beta []float64, bias float64) []*big.Float {
	f := make([]*big.Float, d.x.Rows)
	for i, row := range d.exactMatrix() {
		f[i] = newBig(bias)
		for j, k := range row {
			f[i] = add(f[i], mul(k, newBig(beta[j])))
		}
	}
	return f
}

func TestExtremeKernel(t *testing.T) {
	eachDraw(t, func(t *testing.T, d *draw) error {
		gram, err := d.gram()
		if err != nil {
			return err
		}
		p, err := NewKernel(gram, d.y, d.s, d.loss, d.lambda, d.bias)
		if err != nil {
			return err
		}
		n := d.x.Rows
		primal := add(exactRisk(&p.Risk, d.respond(d.beta[:n], d.beta[n])), half(mul(newBig(d.lambda), d.squared(d.beta[:n], newBig(d.beta[n])))))
		value, bound := p.primal(p.respond(d.beta[:n]), d.beta[n])
		d.off(t, "primal", value, bound, primal)
		v, finite := d.feasible(t, &p.Risk)
		if !finite {
			d.below(t, "certificate", p.Certify(Point{W: d.beta, A: d.dual}), newBig(math.Inf(-1)))
			return nil
		}
		// beta = -v/(lambda N), and so lambda/2 |w|^2 = v^T K v/(2 lambda N^2).
		N := exactTotal(d.s)
		cost := quo(half(d.squared(v, exactTotal(v))), mul(newBig(d.lambda), mul(N, N)))
		dual := newBig(0).Neg(add(exactConjugates(&p.Risk, v, newBig(1)), cost))
		d.below(t, "certificate", p.Certify(Point{W: d.beta, A: d.dual}), atMost(dual, primal))
		w := make([]float64, n+1)
		if p.Weights(w, d.dual); slices.IndexFunc(w, func(x float64) bool { return x-x != 0 }) < 0 {
			d.below(t, "certificate of the dual's own point", p.Certify(Point{W: w, A: d.dual}), dual)
		}
		return nil
	})
}

func TestExtremeNormConstrained(t *testing.T) {
	eachDraw(t, func(t *testing.T, d *draw) error {
		gram, err := d.gram()
		if err != nil {
			return err
		}
		radius := d.size(300)
		p, err := NewNormConstrained(gram, d.y, d.s, d.loss, radius, d.bias)
		if err != nil {
			return err
		}
		d.name += fmt.Sprintf(" radius=%g", radius)
		n := d.x.Rows
		v, finite := d.feasible(t, &p.Risk)
		if !finite {
			d.below(t, "certificate", p.Certify(Point{W: d.beta, A: d.dual}), newBig(math.Inf(-1)))
			return nil
		}
		norm := mul(newBig(radius), root(d.squared(v, exactTotal(v))))
		dual := newBig(0).Neg(add(exactConjugates(&p.Risk, v, newBig(1)), quo(norm, exactTotal(d.s))))
		c := p.Certify(Point{W: d.beta, A: d.dual})
		d.below(t, "certificate", c, dual)
		f := d.respond(d.beta[:n], 0)
		r := (&Kernel{Gram: gram, Risk: p.Risk}).respond(d.beta[:n])
		scale := insideBall(radius, r.size2(p.Constant()*d.beta[n]*d.beta[n]))
		if scale-scale != 0 {
			return nil
		}
		inside := newBig(scale)
		if mul(inside, root(d.squared(d.beta[:n], newBig(d.beta[n])))).Cmp(newBig(radius)) > 0 {
			t.Errorf("%g times the point is outside of the ball\n%s", scale, d.name)
		}
		bias := newBig(d.beta[n])
		if d.bias == Feature {
			bias = mul(bias, inside)
		}
		for i := range f {
			f[i] = add(mul(f[i], inside), bias)
		}
		d.off(t, "primal", c.Primal, c.Rounding, exactRisk(&p.Risk, f))
		return nil
	})
}

func TestExtremeSlack(t *testing.T) {
	eachDraw(t, func(t *testing.T, d *draw) error {
		gram, err := d.gram()
		if err != nil {
			return err
		}
		for i := range d.y {
			d.y[i] = float64(2*(i%2) - 1)
		}
		nu := d.size(300)
		d.name += fmt.Sprintf(" nu=%g", nu)
		p, err := NewSlack(gram, d.y, nu, d.bias)
		if err != nil {
			return err
		}
		n := d.x.Rows
		v := p.masses(d.dual)
		d.balanced(t, v)
		volume := newBig(p.Volume())
		largest, size := newBig(0), newBig(0)
		for _, x := range v {
			largest, size = atLeast(largest, magnitude(newBig(x))), add(size, magnitude(newBig(x)))
		}
		if size.Sign() > 0 {
			above := quo(add(root(d.squared(v, exactTotal(v))), mul(volume, largest)), size)
			d.below(t, "certificate", p.Certify(Point{W: d.beta, A: d.dual}), newBig(0).Neg(above))
		}
		f := d.respond(d.beta[:n], d.beta[n])
		found, bound, inside := p.margin(d.beta)
		d.inBall(t, inside, d.squared(d.beta[:n], newBig(d.beta[n])))
		d.off(t, "margin", found, bound, d.exactLevel(f, inside, volume))

		linear, err := NewLinearSlack(NewRows(d.stored(), 1), d.y, nu, d.bias)
		if err != nil {
			return err
		}
		found, bound, inside = linear.margin(d.w)
		weights := bigs(d.w)
		if d.bias != Feature {
			weights = weights[:d.x.Cols]
		}
		length := newBig(0)
		for _, w := range weights {
			length = add(length, mul(w, w))
		}
		d.inBall(t, inside, length)
		level := d.exactLevel(d.predictions(d.w), inside, volume)
		d.off(t, "margin of a linear predictor", found, bound, level)
		d.below(t, "certificate of a linear predictor", linear.Certify(Point{W: d.w, A: d.dual}), newBig(0).Neg(level))
		return nil
	})
}

// inBall fails if the vector of that squared length times scale is outside of the unit
// ball; NaN claims nothing.
func (d *draw) inBall(t *testing.T, scale float64, squared *big.Float) {
	t.Helper()
	if !math.IsNaN(scale) && mul(newBig(scale), root(squared)).Cmp(newBig(1)) > 0 {
		t.Errorf("%g times the point is outside of the ball\n%s", scale, d.name)
	}
}

// exactLevel returns the level of the water over the margins of inside times f.
func (d *draw) exactLevel(f []*big.Float, scale float64, volume *big.Float) *big.Float {
	if math.IsNaN(scale) {
		return newBig(0)
	}
	inside := newBig(scale)
	margins := make([]*big.Float, len(f))
	for i := range f {
		margins[i] = mul(mul(f[i], inside), newBig(d.y[i]))
	}
	slices.SortFunc(margins, func(a, b *big.Float) int { return a.Cmp(b) })
	var level *big.Float
	sum := volume
	for k, m := range margins {
		sum = add(sum, m)
		if at := quo(sum, newBig(float64(k+1))); level == nil || at.Cmp(level) < 0 {
			level = at
		}
	}
	return level
}

func TestExtremeNu(t *testing.T) {
	eachDraw(t, func(t *testing.T, d *draw) error {
		gram, err := d.gram()
		if err != nil {
			return err
		}
		nu := min(d.size(300), 1)
		d.name += fmt.Sprintf(" nu=%g", nu)
		var p *Nu
		switch d.IntN(3) {
		case 0:
			for i := range d.y {
				d.y[i] = float64(2*(i%2) - 1)
			}
			p, err = NewNuClassification(gram, d.y, d.s, nu)
		case 1:
			p, err = NewNuRegression(gram, d.y, d.s, nu, d.lambda)
		default:
			p, err = NewOneClass(gram, d.s, nu)
		}
		if err != nil {
			return err
		}
		n := d.x.Rows
		machine := &Kernel{Gram: gram}
		r := machine.respond(d.beta[:n])
		value, bound := p.primal(r, d.beta[n])
		d.bias = Free // the others have a part in the norm
		f := d.respond(d.beta[:n], 0)
		cost := half(mul(newBig(p.Lambda), d.squared(d.beta[:n], nil)))
		level := p.Level(r.value, d.beta[n])
		if level-level != 0 {
			return nil
		}
		primal := add(cost, exactLevels(p, f, d.beta[n], level))
		d.off(t, "primal", value, bound, primal)
		v := make([]float64, n)
		p.feasible(v, d.dual)
		own, dual := make([]float64, n), newBig(0)
		for i, x := range v {
			own[i] = x / p.Lambda
			dual = add(dual, mul(newBig(x), newBig(p.Targets[i])))
		}
		dual = sub(dual, quo(half(d.squared(v, nil)), newBig(p.Lambda)))
		if slices.ContainsFunc(own, func(x float64) bool { return x-x != 0 }) {
			return nil
		}
		value, bound = p.dual(v, machine.respond(own))
		d.off(t, "dual", value, bound, dual)
		d.below(t, "certificate", p.Certify(Point{W: d.beta, A: d.dual}), primal)
		return nil
	})
}

// exactLevels returns what the objective of [Nu] has beside the norm.
func exactLevels(p *Nu, f []*big.Float, bias, level float64) *big.Float {
	sum := newBig(0)
	for side, s := range p.Sides {
		sigma := newBig(sign(side))
		rho := sub(newBig(level), mul(sigma, newBig(bias)))
		sum = sub(sum, mul(newBig(s.Mass), rho))
		for i, c := range s.Cap {
			short := add(rho, mul(sigma, sub(newBig(p.Targets[i]), f[i])))
			sum = add(sum, mul(newBig(c), positive(short)))
		}
	}
	return sum
}

// Where the slopes of a loss are small, so are the dual variables: the square of the
// norm in the dual of a bounded norm underflows, and without it the bound was far above
// the objective. The bound must be as near as for slopes of ordinary size, too.
func TestSmallSlopesInBall(t *testing.T) {
	d := &draw{kernel: kernel.Linear{}, x: &matrix.Dense{Rows: 4, Cols: 1, Value: []float32{1, 2, 3, 4}}, y: []float64{1, 2, 3, 4}, s: []float64{1, 1, 1, 1}, bias: None}
	gram, err := d.gram()
	if err != nil {
		t.Fatal(err)
	}
	for _, delta := range []float64{1e-3, 1e-160, 1e-250} {
		p, err := NewNormConstrained(gram, d.y, d.s, loss.Huber{Delta: delta}, 0.5, None)
		if err != nil {
			t.Fatal(err)
		}
		// Slope -delta in every row: P(w) = delta mean(y - x w) - delta^2/2 at w = 1/2, the optimum.
		a := []float64{-delta, -delta, -delta, -delta}
		c := p.Certify(Point{W: []float64{0, 0, 0, 0.125, 0}, A: a})
		if best := delta * (1.25 - delta/2); !(math.Abs(c.Primal-best) <= 1e-12*best) || !(c.Gap() >= 0 && c.Relative() <= 1e-12) {
			t.Errorf("delta=%g: found the objective %g, the bound %g and the warnings %v, want %g for both", delta, c.Primal, c.Dual, c.Warnings, best)
		}
	}
}

// A bound above the objective is an error, whatever made it, and proves nothing.
func TestBoundAboveObjective(t *testing.T) {
	c := Certificate{Primal: 1, Dual: math.Inf(-1)}
	if c.below(1.5, 0.25); !math.IsInf(c.Dual, -1) || len(c.Warnings) != 1 || !math.IsInf(c.Relative(), 1) {
		t.Errorf("found %+v, want no lower bound and a warning", c)
	}
	c = Certificate{Primal: 1, Dual: math.Inf(-1), Rounding: 0.25}
	if c.below(1.5, 0.25); c.Dual != 1 || len(c.Warnings) != 0 || c.Relative() != 0 {
		t.Errorf("found %+v, want the bound 1", c)
	}
}

// A free bias forbids that dual variables at an end of the domain are rounded out of it,
// where what is lost by rounding is too small for a product with its sign, too.
func TestFeasibleWhereProductsUnderflow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 1000 {
		delta := math.Pow(10, -150-100*r.Float64())
		s := 1 + 9*r.Float64()
		d := &draw{loss: loss.Huber{Delta: delta}, y: []float64{1, -1}, s: []float64{s, s}, bias: Free,
			dual: []float64{math.Inf(1), math.Inf(-1)}, x: &matrix.Dense{Rows: 2, Cols: 1, Value: []float32{1, 2}}}
		risk := &Risk{Y: d.y, S: d.s, N: 2 * s, Loss: d.loss, Lambda: 1, Bias: Free}
		if v, finite := d.feasible(t, risk); !finite || v[0] < s*delta*(1-1e-9) {
			t.Errorf("delta=%g, weight %g: found %v, expected the ends of the domain", delta, s, v)
		}
	}
}
