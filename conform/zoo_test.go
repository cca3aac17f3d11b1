package conform

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/internal/solve/column"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// rejects checks that an examiner found the law broken that the animal breaks.
func rejects(t *testing.T, animal string, err error, law string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s: accepted, want it rejected for %q", animal, law)
	case !strings.Contains(err.Error(), law+":"):
		t.Errorf("%s: rejected for other laws than %q:\n%v", animal, law, err)
	}
}

// brokenLoss is a sound loss with single methods replaced.
type brokenLoss struct {
	loss.Loss
	value, derivative, conjugate func(x, y float64) float64
	domain                       func(y float64) (lo, hi float64)
	prox                         func(v, step, y float64) float64
	smoothness                   float64
}

func (b brokenLoss) Value(p, y float64) float64 {
	if b.value != nil {
		return b.value(p, y)
	}
	return b.Loss.Value(p, y)
}

func (b brokenLoss) Derivative(p, y float64) float64 {
	if b.derivative != nil {
		return b.derivative(p, y)
	}
	return b.Loss.Derivative(p, y)
}

func (b brokenLoss) Conjugate(a, y float64) float64 {
	if b.conjugate != nil {
		return b.conjugate(a, y)
	}
	return b.Loss.Conjugate(a, y)
}

func (b brokenLoss) Domain(y float64) (lo, hi float64) {
	if b.domain != nil {
		return b.domain(y)
	}
	return b.Loss.Domain(y)
}

func (b brokenLoss) Prox(v, step, y float64) float64 {
	if b.prox != nil {
		return b.prox(v, step, y)
	}
	return b.Loss.Prox(v, step, y)
}

func (b brokenLoss) Smoothness() float64 {
	if b.smoothness != 0 {
		return b.smoothness
	}
	return b.Loss.Smoothness()
}

// brokenCurvature is the squared loss with a wrong second derivative.
type brokenCurvature struct{ loss.Squared }

func (brokenCurvature) Curvature(p, y float64) float64 { return 2 }

// Losses that declare of themselves what is not so.
type (
	brokenRamps       struct{ loss.Hinge }
	brokenInverse     struct{ loss.Squared }
	brokenStraight    struct{ loss.Logistic }
	brokenConcordance struct{ loss.SquaredHinge }
	brokenStep        struct{ loss.Hinge }
	brokenTube        struct{ loss.EpsilonInsensitive }
	brokenBatch       struct{ loss.Logistic }
	brokenOdds        struct{ loss.Logistic }
	brokenMean        struct{ loss.Poisson }
	brokenLogarithm   struct{ loss.Squared }
	brokenSlopes      struct{ loss.Logistic }
	brokenFlow        struct{ loss.Squared }
	brokenPace        struct{ loss.Logistic }
)

func (brokenRamps) Ramps(y float64) (slope float64, ramps [2]loss.Ramp) {
	slope, ramps = loss.Hinge{}.Ramps(y)
	ramps[0].At *= 1.1
	return slope, ramps
}

func (brokenInverse) Inverse(a, y float64) (lo, hi float64) { return y + 2*a, y + 2*a }

func (brokenStraight) Straight() bool { return true }

func (brokenConcordance) SelfConcordance() float64 { return 3 }

func (brokenStep) DualStep() (step loss.Step, exact bool) {
	whole, _ := loss.Hinge{}.DualStep()
	return func(before, p, q, y float64) (after, gap, rise float64) {
		after, gap, _ = whole(before, p, q, y)
		after = before + (after-before)/2
		return after, gap, (after - before) * y
	}, true
}

func (brokenFlow) Flow(p, y, h float64) float64 { return (y - p) * h / (1 + h) }

func (brokenPace) Flow(p, y, h float64) float64 { return loss.Logistic{}.Flow(p, y, 2*h) }

func (l brokenTube) Tube() float64 { return 2 * l.Epsilon }

func (brokenBatch) ValueTo(value, slope, p, y, reach []float64) {
	loss.Logistic{}.ValueTo(value, slope, p, y, reach)
	slope[0] /= 2
}

func (brokenMean) Mean(p float64) float64 { return p }

func (brokenLogarithm) Mean(p float64) float64 { return p }
func (brokenLogarithm) OfLogarithms()          {}

func (brokenOdds) Probability(p float64) float64 { return loss.Logistic{}.Probability(2 * p) }

func (brokenSlopes) DifferentiateTo(slope, curvature, p, y []float64) {
	loss.Logistic{}.DifferentiateTo(slope, curvature, p, y)
	curvature[len(y)-1] = 0.3
}

// margin keeps a broken margin loss to the targets -1 and +1.
type margin struct {
	loss.Margin
	broken brokenLoss
}

func (m margin) Value(p, y float64) float64      { return m.broken.Value(p, y) }
func (m margin) Derivative(p, y float64) float64 { return m.broken.Derivative(p, y) }
func (m margin) Conjugate(a, y float64) float64  { return m.broken.Conjugate(a, y) }
func (m margin) Domain(y float64) (_, _ float64) { return m.broken.Domain(y) }
func (m margin) Prox(v, step, y float64) float64 { return m.broken.Prox(v, step, y) }
func (m margin) Smoothness() float64             { return m.broken.Smoothness() }

// classify breaks a margin loss.
func classify(l loss.Margin, b brokenLoss) loss.Loss {
	b.Loss = l
	return margin{l, b}
}

func TestLossZoo(t *testing.T) {
	hinge, logistic, absolute, squared := loss.Hinge{}, loss.Logistic{}, loss.Absolute{}, loss.Squared{}
	tube := loss.EpsilonInsensitive{Epsilon: 0.125}
	for _, c := range []struct {
		animal, law string
		loss        loss.Loss
	}{
		{"derivative with the wrong sign", "derivative lies between the one-sided slopes",
			brokenLoss{Loss: squared, derivative: func(p, y float64) float64 { return y - p }}},
		{"derivative twice as steep", "subgradient inequality",
			brokenLoss{Loss: squared, derivative: func(p, y float64) float64 { return 2 * (p - y) }}},
		{"wrong end at the kink of the hinge", "at a corner the derivative is the end nearer to zero",
			classify(hinge, brokenLoss{derivative: func(p, y float64) float64 {
				if y*p <= 1 {
					return -y
				}
				return 0
			}})},
		{"wrong end at the wall of the tube", "at a corner the derivative is the end nearer to zero",
			brokenLoss{Loss: tube, derivative: func(p, y float64) float64 {
				if math.Abs(p-y) < tube.Epsilon {
					return 0
				}
				return math.Copysign(1, p-y)
			}}},
		{"conjugate off by a factor", "Fenchel-Young equality at the derivative",
			brokenLoss{Loss: squared, conjugate: func(a, y float64) float64 { return a*y + a*a }}},
		{"conjugate too small", "Fenchel-Young inequality",
			classify(logistic, brokenLoss{conjugate: func(a, y float64) float64 { return 0.9 * logistic.Conjugate(a, y) * 2 }})},
		{"conjugate right at the kinks only", "Fenchel-Young inequality",
			brokenLoss{Loss: absolute, conjugate: func(a, y float64) float64 { return a*y - a*a*(1-a*a) }}},
		{"domain too small", "the domain ends at the loss's steepest slopes",
			classify(hinge, brokenLoss{domain: func(y float64) (float64, float64) { return math.Min(-y, 0) / 2, math.Max(-y, 0) / 2 }})},
		{"domain too large", "the domain ends at the loss's steepest slopes",
			brokenLoss{Loss: absolute, domain: func(float64) (float64, float64) { return -1.5, 1.5 }}},
		{"domain without end", "Fenchel-Young inequality",
			brokenLoss{Loss: absolute, domain: func(float64) (float64, float64) { return math.Inf(-1), math.Inf(1) }}},
		{"domain on the wrong side", "prox moves along a subgradient",
			classify(hinge, brokenLoss{domain: func(y float64) (float64, float64) { return math.Min(y, 0), math.Max(y, 0) }})},
		{"domain without 0", "the domain contains 0",
			brokenLoss{Loss: absolute, domain: func(float64) (float64, float64) { return 0.5, 1 }}},
		{"prox with the inverse step", "prox minimises",
			brokenLoss{Loss: squared, prox: func(v, step, y float64) float64 { return squared.Prox(v, 1/step, y) }}},
		{"prox that passes the kink", "prox moves along a subgradient",
			classify(hinge, brokenLoss{prox: func(v, step, y float64) float64 {
				if y*v < 1 {
					return v + 2*step*y
				}
				return v
			}})},
		{"prox that gives up early", "prox minimises",
			classify(logistic, brokenLoss{prox: func(v, step, y float64) float64 { return v + 0.9*(logistic.Prox(v, step, y)-v) }})},
		{"smoothness too small", "smoothness bound", brokenLoss{Loss: squared, smoothness: 0.5}},
		{"smooth by its own account", "smoothness bound", brokenLoss{Loss: absolute, smoothness: 1}},
		{"wrong curvature", "curvature is the slope of the derivative", brokenCurvature{}},
		{"ramps elsewhere", "the loss is a line and its ramps", brokenRamps{}},
		{"inverse off by a factor", "the inverse is where the derivative has that slope", brokenInverse{}},
		{"curved inverse that is called straight", "the inverse rises as the smoothness says", brokenStraight{}},
		{"curvature that jumps", "self-concordance bounds how curvatures change", brokenConcordance{}},
		{"half a step", "the step gains as much as it says", brokenStep{}},
		{"tube too wide", "the loss is 0 inside its tube, and nowhere else", brokenTube{tube}},
		{"slopes of many rows too small", "no slope within reach is steeper", brokenBatch{}},
		{"scores that pass for means", "the derivative is 0 where the target is the mean", brokenMean{}},
		{"means that pass for their logarithms", "predictions are logarithms of means", brokenLogarithm{}},
		{"probability of another scale", "predictions are log-odds", brokenOdds{}},
		{"curvatures of many rows that are others", "curvatures of many rows are those of one", brokenSlopes{}},
		{"flow that slows down", "two steps of the flow are one", brokenFlow{}},
		{"flow of twice the loss", "the flow has the slope of the loss", brokenPace{}},
		{"NaN at 1e300", "no NaN",
			brokenLoss{Loss: squared, value: func(p, y float64) float64 { return p*p/2 - p*y + y*y/2 + (p*p - p*p) }}},
		{"derivative overflows", "no NaN",
			classify(logistic, brokenLoss{derivative: func(p, y float64) float64 { return -y * math.Exp(-y*p) / (1 + math.Exp(-y*p)) }})},
	} {
		rejects(t, c.animal, Loss(c.loss), c.law)
	}
}

// brokenPenalty is a sound penalty with single methods replaced.
type brokenPenalty struct {
	penalty.Penalty
	value     func(w []float64) float64
	prox      func(dst, v []float64, step float64)
	conjugate func(u []float64) (scale, value float64)
	strong    float64
}

func (b brokenPenalty) Value(w []float64) float64 {
	if b.value != nil {
		return b.value(w)
	}
	return b.Penalty.Value(w)
}

func (b brokenPenalty) Prox(dst, v []float64, step float64) {
	if b.prox != nil {
		b.prox(dst, v, step)
		return
	}
	b.Penalty.Prox(dst, v, step)
}

func (b brokenPenalty) Conjugate(u []float64) (scale, value float64) {
	if b.conjugate != nil {
		return b.conjugate(u)
	}
	return b.Penalty.Conjugate(u)
}

func (b brokenPenalty) StrongConvexity() float64 {
	if b.strong != 0 {
		return b.strong
	}
	return b.Penalty.StrongConvexity()
}

// brokenWeights is l2 with weights that do not attain the conjugate.
type brokenWeights struct{ penalty.L2 }

func (brokenWeights) Weights(dst, u []float64) {
	for j, x := range u {
		dst[j] = 2 * x
	}
}

func TestPenaltyZoo(t *testing.T) {
	l1, l2 := penalty.L1{}, penalty.L2{}
	for _, c := range []struct {
		animal, law string
		penalty     penalty.Penalty
	}{
		{"scale that is not feasible", "scale*u is feasible and has the value returned",
			brokenPenalty{Penalty: l1, conjugate: func(u []float64) (float64, float64) {
				s, v := l1.Conjugate(u)
				return math.Min(1, 1.001*s), v
			}}},
		{"no scale at all", "Fenchel-Young inequality",
			brokenPenalty{Penalty: l1, conjugate: func(u []float64) (float64, float64) { return 1, 0 }}},
		{"scale too small", "scale is the largest possible",
			brokenPenalty{Penalty: l1, conjugate: func(u []float64) (float64, float64) {
				s, v := l1.Conjugate(u)
				if s < 1 {
					s *= 0.9
				}
				return s, v
			}}},
		{"scale above 1", "0 < scale <= 1",
			brokenPenalty{Penalty: l1, conjugate: func(u []float64) (float64, float64) {
				s, v := l1.Conjugate(u)
				return 1.5 * s, v
			}}},
		{"prox without the step", "prox minimises",
			brokenPenalty{Penalty: l1, prox: func(dst, v []float64, _ float64) { l1.Prox(dst, v, 1) }}},
		{"prox of the other penalty", "Moreau: v - prox(v) is a subgradient at prox(v)",
			brokenPenalty{Penalty: l2, prox: l1.Prox}},
		{"prox that needs its argument twice", "prox works in place",
			brokenPenalty{Penalty: l2, prox: func(dst, v []float64, step float64) {
				clear(dst)
				for j, x := range v {
					dst[j] = x / (1 + step)
				}
			}}},
		{"wrong conjugate", "Fenchel-Young inequality",
			brokenPenalty{Penalty: l2, conjugate: func(u []float64) (float64, float64) { return 1, inner(u, u) / 8 }}},
		{"conjugate too large", "Weights attains the conjugate",
			strongly{brokenPenalty{Penalty: l2, conjugate: func(u []float64) (float64, float64) { return 1, inner(u, u) }}}},
		{"strong convexity too large", "strong convexity", brokenPenalty{Penalty: l2, strong: 1.5}},
		{"strongly convex by its own account", "strong convexity", brokenPenalty{Penalty: l1, strong: 1}},
		{"not zero at zero", "the penalty of 0 is 0",
			brokenPenalty{Penalty: l2, value: func(w []float64) float64 { return l2.Value(w) + 1 }}},
		{"negative", "the penalty is not negative",
			brokenPenalty{Penalty: l2, value: func(w []float64) float64 { return -l2.Value(w) }}},
		{"weights off by a factor", "Weights attains the conjugate", brokenWeights{}},
		{"depends on signs", "the penalty depends on magnitudes, and does not fall with one",
			brokenPenalty{Penalty: l2, value: func(w []float64) float64 { return max(0, l2.Value(w)+sum(w)/9) }}},
		{"gradient of the other penalty", "the gradient attains Fenchel and Young", elasticGroups{groups: groups{0.5}}},
		{"p-norm of another exponent", "a p-norm has its form", lpAsL2{penalty.LP{Exponent: 1.5}}},
		{"groups that are called single weights", "single weights are those among others", separableGroups{groups{0.5}}},
		{"groups that embed l2", "an elastic penalty has its form", elasticGroups{groups: groups{0.5}}},
		{"a fused penalty without room for errors", "the scale of all vectors near u takes each into the domain", roomless{penalty.Fused{L1: 0.5}}},
		{"a coupled penalty that is not even", "a coupled penalty is even", slanted{penalty.Fused{L1: 0.5}}},
		{"a ball of another radius", "a ball is that of its norm and radius", otherBall{penalty.Ball{Norm: 1, Radius: 2}}},
		{"powers without roundings", "a value is rounded at least once", exactPowers{penalty.LP{Exponent: 1.5}}},
		{"a ball that is cut, not shortened", "Shorten brings inside, along the line", cutBall{penalty.Ball{Norm: 2, Radius: 2}}},
	} {
		rejects(t, c.animal, Penalty(c.penalty), c.law)
	}
}

func sum(w []float64) (sum float64) {
	for _, x := range w {
		sum += x
	}
	return sum
}

// exactPowers claims that its values are exact.
type exactPowers struct{ penalty.LP }

func (exactPowers) Rounding(int) float64 { return 0 }

// roomless takes no account of how far vectors may be.
type roomless struct{ penalty.Fused }

func (h roomless) Within(u, _ []float64) float64 { return scaleOf(h.Conjugate(u)) }

// slanted is not even.
type slanted struct{ penalty.Fused }

func (s slanted) Value(w []float64) float64 { return s.Fused.Value(w) + max(0, sum(w)) }

// otherBall says that it is larger than it is.
type otherBall struct{ penalty.Ball }

func (o otherBall) Bound() (int, float64) { return o.Norm, 2 * o.Radius }

// cutBall forgets all but the first number of what is outside.
type cutBall struct{ penalty.Ball }

func (c cutBall) Shorten(w []float64) {
	if c.Value(w) != 0 {
		clear(w[1:])
		c.Ball.Shorten(w)
	}
}

// lpAsL2 says that it is the Euclidean norm.
type lpAsL2 struct{ penalty.LP }

func (lpAsL2) P() float64 { return 2 }

// strongly gives a broken penalty the weights of l2.
type strongly struct{ brokenPenalty }

func (strongly) Weights(dst, u []float64) { copy(dst, u) }

// brokenMatrix is a matrix with a replaced row.
type brokenMatrix struct {
	matrix.Matrix
	cols int
	row  func(v matrix.Vector) matrix.Vector
}

func (b brokenMatrix) Dims() (rows, cols int) {
	rows, cols = b.Matrix.Dims()
	return rows, cols + b.cols
}

func (b brokenMatrix) Row(i int) matrix.Vector {
	if b.row == nil {
		return b.Matrix.Row(i)
	}
	return b.row(b.Matrix.Row(i))
}

func TestMatrixZoo(t *testing.T) {
	want := [][]float32{{1, 0, 2}, {0, 3, 0}}
	dense := &matrix.Dense{Rows: 2, Cols: 3, Value: slices.Concat(want...)}
	sparse := otherStorage(dense)
	if err := errors.Join(Matrix(dense, want), Matrix(sparse, want)); err != nil {
		t.Errorf("a sound matrix is rejected: %v", err)
	}
	for _, c := range []struct {
		animal, law string
		matrix      matrix.Matrix
	}{
		{"a column too many", "Dims counts the columns", brokenMatrix{Matrix: sparse, cols: 1}},
		{"a row missing", "Dims counts the rows", &matrix.Dense{Rows: 1, Cols: 3, Value: dense.Value[:3]}},
		{"sparse rows that claim to be dense", "a dense row has a value for each column",
			brokenMatrix{Matrix: sparse, row: func(v matrix.Vector) matrix.Vector { return matrix.Vector{Value: v.Value} }}},
		{"a column without value", "a sparse row has a column for each value",
			brokenMatrix{Matrix: sparse, row: func(v matrix.Vector) matrix.Vector {
				return matrix.Vector{Index: append(slices.Clone(v.Index), 2), Value: v.Value}
			}}},
		{"columns out of order", "columns increase strictly",
			brokenMatrix{Matrix: sparse, row: func(v matrix.Vector) matrix.Vector {
				v = matrix.Vector{Index: slices.Clone(v.Index), Value: slices.Clone(v.Value)}
				slices.Reverse(v.Index)
				slices.Reverse(v.Value)
				return v
			}}},
		{"columns counted from 1", "columns increase strictly",
			brokenMatrix{Matrix: sparse, row: func(v matrix.Vector) matrix.Vector {
				index := slices.Clone(v.Index)
				for k := range index {
					index[k]++
				}
				return matrix.Vector{Index: index, Value: v.Value}
			}}},
		{"another value", "rows hold the values",
			brokenMatrix{Matrix: dense, row: func(v matrix.Vector) matrix.Vector {
				value := slices.Clone(v.Value)
				value[0] += 1
				return matrix.Vector{Value: value}
			}}},
	} {
		rejects(t, c.animal, Matrix(c.matrix, want), c.law)
	}
}

// specimen is a small problem on random data; with a free bias its targets are
// far from balanced.
func specimen(l loss.Loss, p penalty.Penalty, bias problem.Bias, lambda float64) *problem.Linear {
	r := rand.New(rand.NewPCG(20, 1))
	const n, d = 24, 3
	m := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	y := make([]float64, n)
	for i := range n {
		for j := range d {
			if (i+j)%4 != 3 {
				m.Value[i*d+j] = float32(r.NormFloat64()) + 0.3
			}
		}
		y[i] = 4 + r.NormFloat64() + 2*float64(m.Value[i*d])
		if _, ok := l.(loss.Margin); ok {
			y[i] = math.Copysign(1, y[i]-4+r.NormFloat64())
		}
	}
	q, err := problem.NewLinear(problem.NewRows(m, 1), y, nil, l, p, lambda, bias)
	if err != nil {
		panic(err)
	}
	return q
}

func solve(name string, p *problem.Linear) (near problem.Point, optimum float64) {
	s, err := linear.New(name)
	if err != nil {
		panic(err)
	}
	sol, err := solver.Run(context.Background(), s, p, solver.Options{Gap: 1e-11, Epochs: 100000})
	if err != nil || sol.Status != solver.Converged {
		panic("the zoo's problem is not solved")
	}
	return sol.Point, sol.Certificate.Primal
}

// liar is a problem whose certificates are wrong.
type liar struct {
	*problem.Linear
	certify func(p *problem.Linear, pt problem.Point) problem.Certificate
}

func (l liar) linear() *problem.Linear                      { return l.Linear }
func (l liar) Certify(pt problem.Point) problem.Certificate { return l.certify(l.Linear, pt) }

func primalOnly(p *problem.Linear, w []float64) problem.Certificate {
	return p.Certify(problem.Point{W: w})
}

// plainDual is D(a) as the formula says, with any of its parts forgotten.
func plainDual(p *problem.Linear, a []float64, scaling bool, u func(u []float64) []float64) float64 {
	v, sum := make([]float64, len(a)), 0.0
	for i, x := range a {
		lo, hi := p.Loss.Domain(p.Y[i])
		if a[i] = math.Min(math.Max(x, lo), hi); math.IsNaN(x) {
			a[i] = 0
		}
		v[i] = -p.S[i] * a[i] / (p.Lambda * p.N)
	}
	combined, _ := p.Combine(v)
	scale, value := p.Penalty.Conjugate(u(combined[:p.Penalised()]))
	if !scaling {
		scale = 1
	}
	for i, x := range a {
		sum += p.S[i] * p.Loss.Conjugate(scale*x, p.Y[i])
	}
	return -sum/p.N - p.Lambda*value
}

func itself(u []float64) []float64 { return u }

func TestCertificateZoo(t *testing.T) {
	ridge := specimen(loss.Squared{}, penalty.L2{}, problem.Free, 0.1)
	lasso := specimen(loss.Squared{}, penalty.L1{}, problem.None, 0.1)
	svm := specimen(loss.Hinge{}, penalty.L2{}, problem.Free, 0.05)
	calls := 0.0
	for _, c := range []struct {
		animal, law string
		on          *problem.Linear
		certify     func(p *problem.Linear, pt problem.Point) problem.Certificate
	}{
		{"forgets the free bias (squared)", "the dual never exceeds the optimum", ridge, func(p *problem.Linear, pt problem.Point) problem.Certificate {
			c := primalOnly(p, pt.W)
			if pt.A != nil {
				c.Dual = plainDual(p, slices.Clone(pt.A), true, itself)
			}
			return c
		}},
		{"forgets the free bias (hinge)", "the dual never exceeds the optimum", svm, func(p *problem.Linear, pt problem.Point) problem.Certificate {
			c := primalOnly(p, pt.W)
			if pt.A != nil {
				c.Dual = plainDual(p, slices.Clone(pt.A), true, itself)
			}
			return c
		}},
		{"forgets the scale", "the dual never exceeds the optimum", lasso, func(p *problem.Linear, pt problem.Point) problem.Certificate {
			c := primalOnly(p, pt.W)
			if pt.A != nil {
				c.Dual = plainDual(p, slices.Clone(pt.A), false, itself)
			}
			return c
		}},
		{"takes the norm of w for that of u", "the dual never exceeds the optimum", ridge, func(p *problem.Linear, pt problem.Point) problem.Certificate {
			c := p.Certify(pt)
			if pt.A != nil && !math.IsInf(c.Dual, -1) {
				c.Dual = plainDual(p, slices.Clone(pt.A), true, func([]float64) []float64 { return pt.W[:p.Penalised()] })
			}
			return c
		}},
		{"forgets lambda in the primal", "the primal is the objective", ridge, func(p *problem.Linear, pt problem.Point) problem.Certificate {
			c := p.Certify(pt)
			c.Primal -= p.Lambda * p.Penalty.Value(pt.W[:p.Penalised()])
			return c
		}},
		{"takes the best primal ever seen", "the gap is at least the suboptimality", ridge, func(p *problem.Linear, pt problem.Point) problem.Certificate {
			c := p.Certify(pt)
			c.Primal = math.Min(c.Primal, p.Zero()/2)
			return c
		}},
		{"proves nothing", "the gap closes at the optimum", ridge, func(p *problem.Linear, pt problem.Point) problem.Certificate {
			return primalOnly(p, pt.W)
		}},
		{"proves without a dual", "without a dual point nothing is proved", ridge, func(p *problem.Linear, pt problem.Point) problem.Certificate {
			c := p.Certify(pt)
			if pt.A == nil {
				c.Dual = 0
			}
			return c
		}},
		{"clips the caller's dual", "Certify leaves the point alone", svm, func(p *problem.Linear, pt problem.Point) problem.Certificate {
			for i, a := range pt.A {
				lo, hi := p.Loss.Domain(p.Y[i])
				pt.A[i] = math.Min(math.Max(a, lo), hi)
			}
			return p.Certify(pt)
		}},
		{"is never twice the same", "the same point gives the same bits", ridge, func(p *problem.Linear, pt problem.Point) problem.Certificate {
			c := p.Certify(pt)
			calls++
			c.Dual -= 1e-9 * calls
			return c
		}},
		{"is one part in a thousand too proud", "the dual never exceeds the optimum", lasso, func(p *problem.Linear, pt problem.Point) problem.Certificate {
			c := p.Certify(pt)
			c.Dual += 1e-3 * math.Abs(c.Dual)
			return c
		}},
	} {
		name := "sdca"
		if c.on == lasso {
			name = "cd"
		}
		near, optimum := solve(name, c.on)
		if err := Certificate(c.on, optimum, near); err != nil {
			t.Fatalf("the sound problem is rejected:\n%v", err)
		}
		rejects(t, c.animal, Certificate(liar{c.on, c.certify}, optimum, near), c.law)
	}
}

// quack is a sound solver with single parts replaced.
type quack struct {
	accepts func(problem.Problem) error
	start   func(p *problem.Linear, start solver.Start) solver.State
}

func (q quack) Accepts(p problem.Problem) error {
	if q.accepts != nil {
		return q.accepts(p)
	}
	return dual.SDCA{}.Accepts(p)
}

func (q quack) Start(p problem.Problem, start solver.Start) solver.State {
	return q.start(p.(*problem.Linear), start)
}

// state is a run with single parts replaced.
type state struct {
	solver.State
	epoch func(solver.State)
	point func(problem.Point) problem.Point
}

func (s state) Epoch() {
	if s.epoch != nil {
		s.epoch(s.State)
		return
	}
	s.State.Epoch()
}

func (s state) Point() problem.Point {
	if s.point != nil {
		return s.point(s.State.Point())
	}
	return s.State.Point()
}

// reporter is a run with its report replaced.
type reporter struct {
	solver.Reporter
	change func(*solver.Report)
}

func (r reporter) Report() solver.Report {
	report := r.Reporter.Report()
	r.change(&report)
	return report
}

func TestSolverZoo(t *testing.T) {
	var sdca dual.SDCA
	shared := 0
	for _, c := range []struct {
		animal, law string
		start       func(p *problem.Linear, start solver.Start) solver.State
	}{
		{"stops early", "converges to the gap asked", func(p *problem.Linear, start solver.Start) solver.State {
			epochs := 0
			return state{State: sdca.Start(p, start), epoch: func(s solver.State) {
				if epochs++; epochs <= 3 {
					s.Epoch()
				}
			}}
		}},
		{"ignores the bias", "converges to the gap asked", func(p *problem.Linear, start solver.Start) solver.State {
			q := *p
			q.Bias = problem.None
			return sdca.Start(&q, solver.Start{Seed: start.Seed})
		}},
		{"solves for twice lambda", "converges to the gap asked", func(p *problem.Linear, start solver.Start) solver.State {
			q := *p
			q.Lambda *= 2
			return sdca.Start(&q, start)
		}},
		{"ignores the row weights", "converges to the gap asked", func(p *problem.Linear, start solver.Start) solver.State {
			return sdca.Start(rebuilt(p, p.X, p.Y, nil, 1), start)
		}},
		{"takes its seed from the clock", "the same seed gives the same bits", func(p *problem.Linear, start solver.Start) solver.State {
			start.Seed = uint64(time.Now().UnixNano())
			return sdca.Start(p, start)
		}},
		{"depends on the threads", "two threads give the same bits as one", func(p *problem.Linear, start solver.Start) solver.State {
			start.Seed += uint64(p.Threads)
			return sdca.Start(p, start)
		}},
		{"shares a counter between runs", "runs at the same time do not disturb each other", func(p *problem.Linear, start solver.Start) solver.State {
			shared = 0
			inner := sdca.Start(p, start)
			return state{State: inner, epoch: func(s solver.State) {
				if shared++; shared%4 != 0 {
					s.Epoch()
				}
			}}
		}},
		{"reads sparse rows as dense ones", "dense and sparse storage reach the same optimum", func(p *problem.Linear, start solver.Start) solver.State {
			if _, sparse := p.X.(*matrix.CSR); sparse {
				n, d := p.Dims()
				x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
				for i := range n {
					copy(x.Value[i*d:(i+1)*d], p.X.Row(i).Value)
				}
				p = rebuilt(p, x, p.Y, p.S, 1)
			}
			return sdca.Start(p, start)
		}},
		{"knows the rows by their places", "the order of the rows does not matter", func(p *problem.Linear, start solver.Start) solver.State {
			inner := sdca.Start(p, start)
			return state{State: inner, point: func(pt problem.Point) problem.Point {
				if p.Y[0] != first(p) {
					pt.W = slices.Clone(pt.W) // the solver's own memory, which may be returned again
					slices.Reverse(pt.W)
				}
				return pt
			}}
		}},
		{"ignores a warm start", "a warm start at the answer stops at once", func(p *problem.Linear, start solver.Start) solver.State {
			start.From = nil
			return sdca.Start(p, start)
		}},
		{"writes to its warm start", "a warm start leaves its point alone", func(p *problem.Linear, start solver.Start) solver.State {
			s := sdca.Start(p, start)
			if start.From != nil {
				clear(start.From.A)
			}
			return s
		}},
		{"writes to the data", "the data stay as they are", func(p *problem.Linear, start solver.Start) solver.State {
			p.X.Row(0).Value[0] *= 1 + 0x1p-20
			return sdca.Start(p, start)
		}},
		{"reports the objectives of another point", "objectives are those of the point", func(p *problem.Linear, start solver.Start) solver.State {
			return reporter{sdca.Start(p, start).(solver.Reporter), func(r *solver.Report) { r.Objectives = &solver.Objectives{Zero: p.Zero()} }}
		}},
		{"counts how often it reports", "a report made again says the same", func(p *problem.Linear, start solver.Start) solver.State {
			calls := 1.0
			return reporter{sdca.Start(p, start).(solver.Reporter), func(r *solver.Report) {
				calls++
				r.Gap *= calls
			}}
		}},
		{"is none", "accepts the problem", nil},
	} {
		p := weighted(specimen(loss.Hinge{}, penalty.L2{}, problem.Free, 0.05))
		_, optimum := solve("sdca", p)
		good := Case{Problem: p, Optimum: optimum, Gap: 1e-6, Epochs: 20000}
		if err := Solver(sdca, good); err != nil {
			t.Fatalf("the sound solver is rejected:\n%v", err)
		}
		q := quack{start: c.start}
		if c.start == nil {
			q.accepts = func(problem.Problem) error { return errors.New("no") }
		}
		rejects(t, c.animal, Solver(q, good), c.law)
	}
}

func TestHeedZoo(t *testing.T) {
	p := weighted(specimen(loss.SquaredHinge{}, penalty.ElasticNet{Ratio: 0.5}, problem.Free, 0.05))
	_, optimum := solve("cd", p)
	good := Case{Problem: p, Optimum: optimum, Gap: 1e-6, Epochs: 20000}
	if err := Solver(column.CD{}, good); err != nil {
		t.Fatalf("the sound solver is rejected:\n%v", err)
	}
	for epochs := range 2 {
		lost := quack{accepts: column.CD{}.Accepts, start: func(p *problem.Linear, start solver.Start) solver.State {
			made := 0
			epoch := func(s solver.State) { made++; s.Epoch() }
			return state{State: column.CD{}.Start(p, start), epoch: epoch, point: func(pt problem.Point) problem.Point {
				pt.W = slices.Clone(pt.W)
				if made >= epochs && start.Over != nil && start.Over() {
					pt.W[0] = math.Inf(1)
				}
				return pt
			}}
		}}
		rejects(t, "has no point once it is over", Solver(lost, good), "a run that a limit cuts short has a point")
	}
}

// first is the target that the first row of the specimen has.
func first(*problem.Linear) float64 {
	return weighted(specimen(loss.Hinge{}, penalty.L2{}, problem.Free, 0.05)).Y[0]
}

// weighted gives the rows of p different weights.
func weighted(p *problem.Linear) *problem.Linear {
	s := slices.Clone(p.S)
	for i := range s {
		s[i] = 1 + float64(i%3)
	}
	return rebuilt(p, p.X, p.Y, s, 1)
}

func TestSolverMissesTheOptimum(t *testing.T) {
	p := specimen(loss.Hinge{}, penalty.L2{}, problem.Free, 0.05)
	_, optimum := solve("sdca", p)
	err := Solver(dual.SDCA{}, Case{Problem: p, Optimum: 1.01 * optimum, Gap: 1e-6, Epochs: 20000})
	rejects(t, "an optimum that is none", err, "the objective is the optimum's within the gap")
}

func TestRefusalZoo(t *testing.T) {
	const law = "a problem that cannot be solved is refused with the reason"
	p := specimen(loss.Squared{}, penalty.L1{}, problem.None, 0.1)
	if err := Refusal(dual.SDCA{}, p, "strongly convex penalty"); err != nil {
		t.Errorf("a sound refusal is rejected: %v", err)
	}
	for animal, accepts := range map[string]func(problem.Problem) error{
		"accepts everything":     func(problem.Problem) error { return nil },
		"gives no reason":        func(problem.Problem) error { return errors.New("no") },
		"panics instead":         func(problem.Problem) error { panic("l1") },
		"tells the wrong reason": func(problem.Problem) error { return errors.New("needs a smooth loss") },
	} {
		q := quack{accepts: accepts, start: func(p *problem.Linear, start solver.Start) solver.State {
			pegasos, err := linear.New("pegasos")
			if err != nil {
				panic(err)
			}
			return pegasos.Start(p, start)
		}}
		rejects(t, animal, Refusal(q, p, "strongly convex penalty"), law)
	}
}
