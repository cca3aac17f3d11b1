package gram

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// values is a kernel of the numbers of rows: a matrix of its own.
func values(n int, value func(i, j int) float64) (kernel.Func, matrix.Matrix) {
	x := &matrix.Dense{Rows: n, Cols: 1, Value: make([]float32, n)}
	for i := range n {
		x.Value[i] = float32(i)
	}
	return kernel.Func{
		Value: func(x, y matrix.Vector) float64 {
			i, j := int(x.Value[0]), int(y.Value[0])
			return value(max(i, j), min(i, j))
		},
		Largest:  func(int, float64) float64 { return 1e300 },
		Rounding: func(int, float64, float64) float64 { return 0 },
	}, x
}

// exact is kernel values without any error, so that only the proof's own counts.
type exact struct{ kernel.Func }

func (exact) Error(int, float64, float64) float64 { return 0 }

// semidefinite decides in rational arithmetic, by symmetric elimination: a pivot 0
// needs a row of zeros.
func semidefinite(n int, value func(i, j int) float64) bool {
	a := make([][]*big.Rat, n)
	for i := range a {
		a[i] = make([]*big.Rat, n)
		for j := range n {
			a[i][j] = new(big.Rat).SetFloat64(value(max(i, j), min(i, j)))
		}
	}
	for k := range n {
		if a[k][k].Sign() < 0 {
			return false
		}
		for i := k + 1; i < n; i++ {
			if a[k][k].Sign() == 0 {
				if a[i][k].Sign() != 0 {
					return false
				}
				continue
			}
			factor := new(big.Rat).Quo(a[i][k], a[k][k])
			for j := k + 1; j < n; j++ {
				a[i][j].Sub(a[i][j], new(big.Rat).Mul(factor, a[k][j]))
			}
		}
	}
	return true
}

// A proof holds in rational arithmetic, also where an element is off by one unit of
// single precision, and one is found where the smallest eigenvalue is not tiny.
func TestProofIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	proved, refuted := 0, 0
	for trial := range 3000 {
		n := 1 + r.IntN(9)
		rank := 1 + r.IntN(n+2)
		b := make([]float64, n*rank)
		for k := range b {
			b[k] = math.Ldexp(float64(r.IntN(9)-4), r.IntN(1+trial%20))
		}
		ridge := []float64{0, 1e-12, 1e-9, 1e-3, 1}[r.IntN(5)]
		m := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				for k := range rank {
					m[i*n+j] += b[i*rank+k] * b[j*rank+k]
				}
				if i == j {
					m[i*n+j] += ridge
				}
				if r.IntN(4) == 0 {
					m[i*n+j] = float64(math.Nextafter32(float32(m[i*n+j]), float32(r.IntN(3)-1)*1e30))
				}
			}
		}
		value := func(i, j int) float64 { return m[i*n+j] }
		k, x := values(n, value)
		sound := semidefinite(n, value)
		switch claim := prove(exact{k}, x, 1) == nil; {
		case claim && !sound:
			t.Fatalf("a proof of %v, which has a negative eigenvalue", m)
		case claim:
			proved++
		case !sound:
			refuted++
		}
	}
	if proved < 300 || refuted < 300 {
		t.Errorf("%d proofs and %d refusals: expected many of both", proved, refuted)
	}
}

// The identity of order 1000 with one pair of elements 5 has the eigenvalue -4,
// wherever these are: no sample of the rows would do.
func TestProofSeesEveryElement(t *testing.T) {
	for _, at := range [][2]int{{3, 1}, {64, 63}, {999, 0}, {700, 699}} {
		for off, want := range map[float64]bool{5: false, 1.00000048: false, 0.99: true} {
			k, x := values(1000, func(i, j int) float64 {
				switch {
				case i == j:
					return 1
				case [2]int{i, j} == at:
					return off
				}
				return 0
			})
			err := prove(exact{k}, x, 2)
			if (err == nil) != want {
				t.Errorf("%g at %v: %v", off, at, err)
			}
			if off == 5 && !strings.Contains(message(err), "its smallest eigenvalue is about -4,") {
				t.Errorf("%v: error %v", at, err)
			}
		}
	}
}

// Products with the matrix are those of all its elements, and the estimate is the
// smallest eigenvalue where the steps are as many as the rows.
func TestLowerMultiply(t *testing.T) {
	for _, n := range []int{1, 2, 30, 64, 65, 200} {
		r := rand.New(rand.NewPCG(4, uint64(n)))
		m := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				m[i*n+j] = r.NormFloat64()
				m[j*n+i] = m[i*n+j]
			}
		}
		k, x := values(n, func(i, j int) float64 { return m[i*n+j] })
		a, err := newLower(exact{k}, x, 2)
		if err != nil {
			t.Fatal(err)
		}
		v, got := make([]float64, n), make([]float64, n)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		a.multiply(got, v)
		for i := range n {
			want := 0.0
			for j := range n {
				want += m[i*n+j] * v[j]
			}
			if math.Abs(got[i]-want) > 1e-12 {
				t.Errorf("n = %d, row %d: %g, want %g", n, i, got[i], want)
			}
		}
		least := a.smallest()
		true := smallestEigenvalue(m, n)
		if least < true-1e-12 || n <= lanczosSteps && least > true+1e-9 || least > true*0.8 && true < -3 {
			t.Errorf("n = %d: the estimate is %g, the smallest eigenvalue %g", n, least, true)
		}
	}
}

// What is not symmetric, not finite or of unknown accuracy is not proved.
func TestProofRefuses(t *testing.T) {
	one := func(x, y matrix.Vector) float64 { return 1 }
	known := func(int, float64, float64) float64 { return 1e-16 }
	large := func(int, float64) float64 { return 1 }
	for want, k := range map[string]kernel.Func{
		"found k(x,y) = ": {Value: func(x, y matrix.Vector) float64 { return kernel.Linear{}.Eval(x, y) + float64(x.Value[0]) }, Largest: large, Rounding: known},
		"the same finite": {Value: func(x, y matrix.Vector) float64 { return math.NaN() }, Largest: large, Rounding: known},
		"of the errors":   {Value: one},
		"within":          {Value: one, Largest: large, Rounding: known},
	} {
		if err := prove(k, plane(20), 1); !strings.Contains(message(err), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
