package problem_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// exact is x with room for what is lost in double precision.
func exact(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }

// addProduct adds x y z to sum.
func addProduct(sum *big.Float, x, y, z *big.Float) {
	product := exact(0).Mul(x, y)
	sum.Add(sum, product.Mul(product, z))
}

// Primal and dual are as near their values without rounding as their bounds say,
// where sums cancel: rows come in pairs, one nearly the other turned round, so that
// X^T a and the predictions are all but lost beside what they are sums of. In exact
// numbers, for row weights 1 and a inside its domain,
//
//	P = (1/N) sum_i l(p_i, y_i) + lambda |w|^2/2
//	D = -(1/N) sum_i l*(a_i) - |X^T a|^2/(2 lambda N^2)
func TestBoundsOnRounding(t *testing.T) {
	const d = 7
	for seed := range uint64(40) {
		n := 2 // few errors, which do not cancel
		if seed == 0 {
			n = 2500 // three blocks of rows
		}
		for _, lambda := range []float64{1e-9, 1e-3, 1} {
			for _, size := range []float64{1e-2, 1, 1e4} {
				for _, bias := range []problem.Bias{problem.None, problem.Feature} {
					for _, l := range []loss.Loss{loss.Hinge{}, loss.Squared{}} {
						r := rand.New(rand.NewPCG(seed, math.Float64bits(lambda*size)))
						x, y, a, w := pairs(r, n, d, size)
						p, err := problem.NewLinear(problem.NewRows(x, 2), y, nil, l, penalty.L2{}, lambda, bias)
						if err != nil {
							t.Fatal(err)
						}
						if bias == problem.None {
							w[d] = 0
						}
						name := fmt.Sprintf("n=%d lambda=%g size=%g bias=%v %T", n, lambda, size, bias, l)
						value, bound := p.Primal(w)
						withinBound(t, name+" primal", value, bound, exactPrimal(x, y, w, lambda, bias, l))
						value, bound = p.Dual(a)
						withinBound(t, name+" dual", value, bound, exactDual(x, y, a, lambda, bias, l))
					}
				}
			}
		}
	}
}

// pairs returns rows of that size in pairs that nearly cancel, far from each other,
// targets, dual variables that are the same for both rows of a pair, and weights.
func pairs(r *rand.Rand, n, d int, size float64) (x *matrix.Dense, y, a, w []float64) {
	x = &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	y, a, w = make([]float64, n), make([]float64, n), make([]float64, d+1)
	half := n / 2
	for i := range half {
		y[i], y[half+i] = 1, 1
		a[i] = -0.1 - 0.8*r.Float64()
		a[half+i] = a[i]
		for j := range d {
			v := float32(size * r.NormFloat64())
			x.Value[i*d+j], x.Value[(half+i)*d+j] = v, -v*(1+0x1p-20*float32(r.IntN(3)-1))
		}
	}
	for j := range w {
		w[j] = r.NormFloat64() / size
	}
	if n == 2 { // long weights, across the row: the prediction is a millionth of what it is the sum of
		w[d-1] = 0
		for j := range d - 1 {
			w[j] *= 1e6
			w[d-1] -= w[j] * float64(x.Value[j]) / float64(x.Value[d-1])
		}
	}
	return x, y, a, w
}

func exactPrimal(x *matrix.Dense, y, w []float64, lambda float64, bias problem.Bias, l loss.Loss) *big.Float {
	n, d := x.Dims()
	one, half := exact(1), exact(0.5)
	sum := exact(0)
	for i := range n {
		short := exact(y[i]) // y - p, for y = 1 also 1 - y p
		short.Sub(short, exact(w[d]))
		for j, v := range x.Row(i).Value {
			addProduct(short, exact(-float64(v)), exact(w[j]), one)
		}
		if _, squared := l.(loss.Squared); squared {
			addProduct(sum, short, short, half)
		} else if short.Sign() > 0 {
			sum.Add(sum, short)
		}
	}
	sum.Quo(sum, exact(float64(n)))
	for j, w := range w {
		if j < d || bias == problem.Feature {
			addProduct(sum, exact(lambda/2), exact(w), exact(w))
		}
	}
	return sum
}

func exactDual(x *matrix.Dense, y, a []float64, lambda float64, bias problem.Bias, l loss.Loss) *big.Float {
	n, d := x.Dims()
	one, half := exact(1), exact(0.5)
	conjugates := exact(0)
	u := make([]*big.Float, d+1)
	for j := range u {
		u[j] = exact(0)
	}
	for i, a := range a {
		addProduct(conjugates, exact(a), exact(y[i]), one)
		if _, squared := l.(loss.Squared); squared {
			addProduct(conjugates, exact(a), exact(a), half)
		}
		for j, v := range x.Row(i).Value {
			addProduct(u[j], exact(a), exact(float64(v)), one)
		}
		u[d].Add(u[d], exact(a))
	}
	if bias == problem.None {
		u[d] = exact(0)
	}
	square := exact(0)
	for _, u := range u {
		addProduct(square, u, u, half)
	}
	square.Quo(square, exact(lambda))
	square.Quo(square, exact(float64(n)))
	conjugates.Add(conjugates, square)
	conjugates.Quo(conjugates, exact(float64(n)))
	return conjugates.Neg(conjugates)
}

// Where some features are 1e8 times as long as others the bound on the dual's error is that
// of each feature by itself: in norm it would be many times as large.
func TestBoundsByColumns(t *testing.T) {
	const n, d, long, lambda = 2000, 6, 1 << 27, 1e-3
	for _, bias := range []problem.Bias{problem.None, problem.Feature} {
		r := rand.New(rand.NewPCG(9, 9))
		x, y, a, _ := pairs(r, n, d, 1)
		for i := range n / 2 {
			for j := range d {
				other := &x.Value[(i+n/2)*d+j]
				if *other = x.Value[i*d+j] + 1; j%2 == 1 { // long ones cancel
					x.Value[i*d+j] *= long
					*other = -x.Value[i*d+j]
				}
			}
		}
		on := func(pen penalty.Penalty) *problem.Linear {
			p, err := problem.NewLinear(problem.NewRows(x, 2), y, nil, loss.Squared{}, pen, lambda, bias)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		value, bound := on(penalty.L2{}).Dual(a)
		withinBound(t, fmt.Sprintf("bias=%v", bias), value, bound, exactDual(x, y, a, lambda, bias, loss.Squared{}))
		if bound > 1e-6*math.Abs(value) {
			t.Errorf("bias=%v: the bound on %g is %g", bias, value, bound)
		}
		// With l1 the dual variables are scaled into a box: at most to its side, and nearly.
		value, bound = on(penalty.L1{}).Dual(a)
		scaled, best := make([]float64, n), exactScale(x, a, lambda, bias)
		for _, s := range []struct{ scale, sign float64 }{{best, 1}, {best * (1 - 1e-5), -1}} {
			for i := range a {
				scaled[i] = s.scale * a[i]
			}
			want := 0.0 // rises with the scale: it is far below 1
			for i, a := range scaled {
				want -= (a*y[i] + a*a/2) / n
			}
			if s.sign*(value-want) > 1e-12*want+2*bound {
				t.Errorf("bias=%v: scaled by %g the dual is %g, found %g with bound %g", bias, s.scale, want, value, bound)
			}
		}
	}
}

// exactScale is the largest with which |X^T a| is at most lambda N.
func exactScale(x *matrix.Dense, a []float64, lambda float64, bias problem.Bias) float64 {
	n, d := x.Dims()
	largest := 0.0
	for j := range d + 1 {
		sum := exact(0)
		for i, a := range a {
			v := 1.0
			if j < d {
				v = float64(x.Value[i*d+j])
			}
			addProduct(sum, exact(a), exact(v), exact(1))
		}
		if size, _ := sum.Float64(); j < d || bias == problem.Feature {
			largest = max(largest, math.Abs(size))
		}
	}
	return lambda * float64(n) / largest
}

// withinBound wants value within bound of want.
func withinBound(t *testing.T, name string, value, bound float64, want *big.Float) {
	t.Helper()
	off, _ := exact(value).Sub(exact(value), want).Float64()
	if !(math.Abs(off) <= bound) {
		t.Errorf("%s: found %g, off by %g, which is more than the bound %g", name, value, off, bound)
	}
}
