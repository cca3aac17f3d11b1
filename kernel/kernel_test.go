package kernel_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// values holds one row per kernel and more: its value at two rows, by hand from
// its formula, and the function itself with many digits.
var values = []struct {
	spec    string
	x, y    []float32
	want    float64
	exact   func(x, y []float32) *big.Float
	wantErr string
}{
	{"linear", []float32{1, 2}, []float32{3, 4}, 11, product, ""},
	{"rbf:gamma=0.5", []float32{1, 2}, []float32{1, 4}, math.Exp(-2), gauss(0.5), ""},
	{"rbf:sigma=1", []float32{1, 2}, []float32{1, 4}, math.Exp(-2), gauss(0.5), ""},
	{"poly", []float32{1, 2}, []float32{1, -1}, -1, polynomial(3, 1, 0), ""},
	{"poly:degree=2,coef0=1", []float32{1, 2}, []float32{3, 4}, 144, polynomial(2, 1, 1), ""},
	{"poly:degree=1,gamma=0.1,coef0=2", []float32{1, 2}, []float32{3, 4}, 3.1, polynomial(1, 0.1, 2), ""},
	{"poly:degree=7,gamma=0.3,coef0=0.1", []float32{1, 2}, []float32{0, 1}, power(0.7, 7), polynomial(7, 0.3, 0.1), ""},
	{"poly:degree=2,coef0=-1", []float32{1, 2}, []float32{3, 4}, 100, polynomial(2, 1, -1), ""},
	{"poly:degree=20,gamma=1e-3", []float32{10, 20}, []float32{30, 40}, power(1.1, 20), polynomial(20, 1e-3, 0), ""},
	{"sigmoid:gamma=0.5,coef0=-1", []float32{1, 2}, []float32{3, 0}, math.Tanh(0.5), tangent(0.5, -1), ""},
	{"sigmoid", []float32{1, 2}, []float32{-100, -100}, -1, tangent(1, 0), ""},
	{"laplacian:gamma=0.5", []float32{1, 2}, []float32{3, 0}, math.Exp(-2), laplacian(0.5), ""},
	{"chi2:gamma=2", []float32{1, 2, 0}, []float32{3, 2, 0}, math.Exp(-2), chi2(2), ""},
	{"intersection", []float32{1, 2, 0}, []float32{3, 1, 5}, 2, intersection, ""},

	{"rbf:gamma=0.5 + 2*linear", []float32{1, 2}, []float32{1, 4}, math.Exp(-2) + 18, plus(gauss(0.5), times(constant(2), product)), ""},
	{"linear*linear + 1", []float32{1, 2}, []float32{3, 4}, 122, plus(times(product, product), constant(1)), ""},
	{"0.5*(laplacian + linear)*chi2", []float32{1, 2}, []float32{1, 2}, 3, times(constant(0.5), times(plus(laplacian(1), product), chi2(1))), ""},
	{"normalised(linear)", []float32{3, 4}, []float32{4, 3}, 0.96, nil, ""},
	{"normalised(poly:degree=2)", []float32{3, 4}, []float32{4, 3}, 0.96 * 0.96, nil, ""},
	{"2*normalised(intersection+1)", []float32{3}, []float32{8}, 4. / 3, nil, ""},
	{"sigmoid*2 + linear", []float32{1}, []float32{0}, 0, plus(times(tangent(1, 0), constant(2)), product), ""},

	{"linaer", nil, nil, 0, nil, `unknown kernel "linaer": did you mean "linear"? known: `},
	{"linear:gamma=1", nil, nil, 0, nil, `kernel "linear": unknown parameter "gamma": there are none`},
	{"rbf", nil, nil, 0, nil, `kernel "rbf": found no gamma, expected gamma=X or sigma=X`},
	{"rbf:gama=1", nil, nil, 0, nil, `kernel "rbf": unknown parameter "gama": did you mean "gamma"? known: gamma, sigma`},
	{"RBF", nil, nil, 0, nil, `unknown kernel "RBF": did you mean "rbf"? known: `},
	{"rbf:gamma=0", nil, nil, 0, nil, `kernel "rbf": gamma=0: expected a number > 0`},
	{"rbf:gamma=1,sigma=1", nil, nil, 0, nil, `kernel "rbf": found gamma and sigma, expected one of the two`},
	{"poly:degree=0", nil, nil, 0, nil, `kernel "poly": degree=0: expected a whole number from 1 to 1000`},
	{"poly:degree=2.5", nil, nil, 0, nil, `kernel "poly": degree=2.5: expected a whole number from 1 to 1000`},
	{"poly:gamma=-1", nil, nil, 0, nil, `kernel "poly": gamma=-1: expected a number > 0`},
	{"poly:coef0=nan", nil, nil, 0, nil, `kernel "poly": coef0=nan: expected a finite number`},
	{"sigmoid:gamma=0", nil, nil, 0, nil, `kernel "sigmoid": gamma=0: expected a number > 0`},
	{"laplacian:gamma=inf", nil, nil, 0, nil, `kernel "laplacian": gamma=inf: expected a number > 0`},
	{"chi2:gamma=-2", nil, nil, 0, nil, `kernel "chi2": gamma=-2: expected a number > 0`},
}

const digits = 400 // bits of exact values

func number(v float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(v) }

func fresh() *big.Float { return new(big.Float).SetPrec(digits) }

// total adds term(x_j, y_j) over the columns.
func total(x, y []float32, term func(a, b *big.Float) *big.Float) *big.Float {
	sum := fresh()
	for j := range x {
		sum.Add(sum, term(number(float64(x[j])), number(float64(y[j]))))
	}
	return sum
}

func product(x, y []float32) *big.Float {
	return total(x, y, func(a, b *big.Float) *big.Float { return a.Mul(a, b) })
}

// exponential is the series, for a small part of x, squared back up.
func exponential(x *big.Float) *big.Float {
	const halvings = 60
	if v, _ := x.Float64(); v < -1e6 {
		return fresh()
	}
	small := fresh().SetMantExp(x, -halvings)
	sum, term := number(1), number(1)
	for k := 1; k < 40; k++ {
		term.Mul(term, small).Quo(term, number(float64(k)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// falling is exp(-gamma sum_j term(x_j, y_j)).
func falling(gamma float64, term func(a, b *big.Float) *big.Float) func(x, y []float32) *big.Float {
	return func(x, y []float32) *big.Float {
		s := total(x, y, term)
		return exponential(s.Mul(s, number(-gamma)))
	}
}

func gauss(gamma float64) func(x, y []float32) *big.Float {
	return falling(gamma, func(a, b *big.Float) *big.Float { a.Sub(a, b); return a.Mul(a, a) })
}

func laplacian(gamma float64) func(x, y []float32) *big.Float {
	return falling(gamma, func(a, b *big.Float) *big.Float { a.Sub(a, b); return a.Abs(a) })
}

func chi2(gamma float64) func(x, y []float32) *big.Float {
	return falling(gamma, func(a, b *big.Float) *big.Float {
		sum := fresh().Add(a, b)
		if sum.Sign() == 0 {
			return sum
		}
		a.Sub(a, b)
		return a.Mul(a, a).Quo(a, sum)
	})
}

func intersection(x, y []float32) *big.Float {
	return total(x, y, func(a, b *big.Float) *big.Float {
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	})
}

func affine(gamma, coef0 float64, x, y []float32) *big.Float {
	z := product(x, y)
	z.Mul(z, number(gamma))
	return z.Add(z, number(coef0))
}

func polynomial(degree int, gamma, coef0 float64) func(x, y []float32) *big.Float {
	return func(x, y []float32) *big.Float {
		z, value := affine(gamma, coef0, x, y), number(1)
		for range degree {
			value.Mul(value, z)
		}
		return value
	}
}

func tangent(gamma, coef0 float64) func(x, y []float32) *big.Float {
	return func(x, y []float32) *big.Float {
		z := affine(gamma, coef0, x, y)
		negative := z.Sign() < 0
		e := exponential(z.Mul(z.Abs(z), number(-2)))
		value := fresh().Quo(fresh().Sub(number(1), e), fresh().Add(number(1), e))
		if negative {
			value.Neg(value)
		}
		return value
	}
}

func constant(c float64) func(x, y []float32) *big.Float {
	return func(x, y []float32) *big.Float { return number(c) }
}

func plus(k, l func(x, y []float32) *big.Float) func(x, y []float32) *big.Float {
	return func(x, y []float32) *big.Float { return fresh().Add(k(x, y), l(x, y)) }
}

func times(k, l func(x, y []float32) *big.Float) func(x, y []float32) *big.Float {
	return func(x, y []float32) *big.Float { return fresh().Mul(k(x, y), l(x, y)) }
}

func power(z float64, n int) float64 {
	value := 1.0
	for range n {
		value *= z
	}
	return value
}

func TestValues(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range values {
		k, err := kernel.New(c.spec)
		if c.wantErr != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.wantErr) {
				t.Errorf("New(%q): error %v, want %s...", c.spec, err, c.wantErr)
			}
			continue
		}
		if err != nil {
			t.Errorf("New(%q): %v", c.spec, err)
			continue
		}
		name, _, _ := strings.Cut(c.spec, ":")
		tested[name] = true
		if got := k.Eval(matrix.Vector{Value: c.x}, matrix.Vector{Value: c.y}); math.Abs(got-c.want) > 1e-15*(1+math.Abs(c.want)) {
			t.Errorf("%s: k(%g, %g) = %v, want %v", c.spec, c.x, c.y, got, c.want)
		}
	}
	for _, name := range elsewhere {
		tested[name] = true
	}
	for _, e := range kernel.Entries() {
		if !tested[e.Name] {
			t.Errorf("kernel %q has no row in this table", e.Name)
		}
	}
}

// elsewhere are kernels of rows that are no points, with tests of their own.
var elsewhere = []string{"mismatch", "precomputed", "random-walk", "spectrum", "ssk", "wl"}

func TestLaws(t *testing.T) {
	for _, c := range values {
		if c.wantErr != "" {
			continue
		}
		k, err := kernel.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []int{1, 6, 40} {
			x := kerneltest.Histograms(18, d, !strings.Contains(c.spec, "chi2") && !strings.Contains(c.spec, "intersection"))
			if err := conform.Kernel(k, x, c.exact); err != nil {
				t.Errorf("%s in %d columns breaks its laws:\n%v", c.spec, d, err)
			}
		}
	}
}

func TestIndefinite(t *testing.T) {
	for spec, want := range map[string]bool{
		"linear": false, "rbf:gamma=1": false, "poly": false, "poly:coef0=1": false, "chi2": false,
		"poly:coef0=-1": true, "poly:degree=2,coef0=-0.001": true, "sigmoid": true, "sigmoid:coef0=1": true,
		"linear + sigmoid": true, "linear*rbf:gamma=1 + 2": false, "laplacian*sigmoid": true, "2*sigmoid": true,
	} {
		k, err := kernel.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := kernel.IsIndefinite(k); got != want {
			t.Errorf("IsIndefinite(%s) = %v, want %v", spec, got, want)
		}
	}
}

func TestSelective(t *testing.T) {
	for spec, want := range map[string]bool{
		"linear": false, "rbf:gamma=1": false, "laplacian + 2*linear": false, "normalised(linear+1)": false,
		"chi2": true, "2*chi2 + linear": true, "mismatch": true, "random-walk": true, "normalised(ssk)": true, "spectrum": true, "wl": true, "precomputed": true, "intersection": true,
	} {
		k, err := kernel.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := kernel.Selective(k); got != want {
			t.Errorf("Selective(%s) = %v, want %v", spec, got, want)
		}
	}
}

func TestNegativeValuesAreRefused(t *testing.T) {
	x, err := matrix.NewDense(2, 3, []float32{1, 0, 2, 0, 1, -0.5})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"chi2", "intersection"} {
		want := `kernel "` + name + `": row 2, column 3: found -0.5, expected a number >= 0`
		for _, spec := range []string{name, "2*" + name + " + linear", "normalised(" + name + ")"} {
			k, err := kernel.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := gram.NewGram(k, x, gram.Options{}); err == nil || err.Error() != want {
				t.Errorf("%s: error %v, want %s", spec, err, want)
			}
		}
	}
}

// The images of the quadratic kernels and of the Gaussian kernel of numbers
// (kernel_qp 3.2): inner products of explicit features.
func TestExplicitMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	root := math.Sqrt2
	for range 100 {
		point := func() (float64, float64) { return float64(float32(r.NormFloat64())), float64(float32(r.NormFloat64())) }
		a, b := point()
		c, d := point()
		pair := func(spec string, x, y []float64) float64 {
			k, err := kernel.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			return k.Eval(vector(x...), vector(y...))
		}
		quartic := func(a, b float64) []float64 {
			return []float64{a * a * a * a, 2 * a * a * a * b, math.Sqrt(6) * a * a * b * b, 2 * a * b * b * b, b * b * b * b}
		}
		gaussian := func(x float64) (image []float64) { // sigma = 1
			term := math.Exp(-x * x / 2)
			for k := range 200 {
				image = append(image, term)
				term *= x / math.Sqrt(float64(k+1))
			}
			return image
		}
		for _, m := range []struct {
			spec string
			x, y []float64
			u, v []float64
		}{
			{"poly:degree=2", []float64{a, b}, []float64{c, d}, []float64{a * a, root * a * b, b * b}, []float64{c * c, root * c * d, d * d}},
			{"poly:degree=2,coef0=1", []float64{a, b}, []float64{c, d}, []float64{1, root * a, root * b, a * a, root * a * b, b * b}, []float64{1, root * c, root * d, c * c, root * c * d, d * d}},
			{"poly:degree=4", []float64{a, b}, []float64{c, d}, quartic(a, b), quartic(c, d)},
			{"rbf:sigma=1", []float64{a}, []float64{c}, gaussian(a), gaussian(c)},
		} {
			want, size := 0.0, 0.0
			for j := range m.u {
				want += m.u[j] * m.v[j]
				size += math.Abs(m.u[j] * m.v[j])
			}
			if got := pair(m.spec, m.x, m.y); math.Abs(got-want) > 1e-12*size {
				t.Fatalf("%s: k(%g, %g) = %v, want %v", m.spec, m.x, m.y, got, want)
			}
		}
	}
}

func vector(x ...float64) matrix.Vector {
	v := matrix.Vector{}
	for _, x := range x {
		v.Value = append(v.Value, float32(x))
	}
	return v
}

// A Gaussian kernel with sigma^2 = 5000 is that with gamma = 1e-4 (F1).
func TestSigmaIsGamma(t *testing.T) {
	k, err := kernel.New("rbf:sigma=70.71067811865475")
	if err != nil {
		t.Fatal(err)
	}
	l, err := kernel.New("rbf:gamma=1e-4")
	if err != nil {
		t.Fatal(err)
	}
	x := kerneltest.Histograms(20, 30, true)
	for i := range 20 {
		for j := range 20 {
			if a, b := k.Eval(x.Row(i), x.Row(j)), l.Eval(x.Row(i), x.Row(j)); math.Abs(a-b) > 1e-15 {
				t.Errorf("rows %d and %d: %v with sigma, %v with gamma", i, j, a, b)
			}
		}
		if one := l.Eval(x.Row(i), x.Row(i)); one != 1 {
			t.Errorf("row %d: k(x,x) = %v, want 1", i, one)
		}
	}
}

// TestFunc builds a kernel of the caller's own, by itself and in a sum.
func TestFunc(t *testing.T) {
	mine := kernel.Func{
		Value:    func(x, y matrix.Vector) float64 { return 3 * kernel.Linear{}.Eval(x, y) },
		Largest:  func(_ int, xx float64) float64 { return 3 * xx },
		Rounding: func(terms int, _, _ float64) float64 { return float64(terms+2) * 0x1p-53 },
	}
	triple := times(constant(3), product)
	x := kerneltest.Histograms(20, 7, true)
	if err := conform.Kernel(mine, x, triple); err != nil {
		t.Error(err)
	}
	sum, err := kernel.Sum(mine, kernel.RBF{Gamma: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	if err := conform.Kernel(sum, x, plus(triple, gauss(0.25))); err != nil {
		t.Error(err)
	}
	unknown := kernel.Func{Value: mine.Value}
	if e := unknown.Error(1, 1, 1); !math.IsInf(e, 1) {
		t.Errorf("a function of unknown accuracy claims the error %g", e)
	}
}
