package reduce

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// F5: of the corners of the unit square (golden value 3 of the reference, s = 1/2, |w| = 4) the least
// value of (3.3) is 1 - R/4; the vectors of the basic method give just that bound, and have 1/2.
func TestF5BoundOfXOR(t *testing.T) {
	x, err := matrix.NewDense(4, 2, []float32{0, 0, 0, 1, 1, 1, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, rand.New(rand.NewPCG(1, 1)), kernel.RBF{Gamma: math.Ln2}, x, []float64{1, -1, 1, -1}, problem.None, false)
	y, response := m.y, []float64{1, -1, 1, -1}
	m.target.Outputs[0] = Output{Band: Classes(y, response, 1), Response: response}
	c, err := Descent{}.Choose(context.Background(), m.target, Options{KeepBias: true})
	if err != nil || c.Steps != 16 || math.Abs(c.Loss-0.5) > 1e-12 {
		t.Fatal(c, err)
	}
	if length := m.target.Length(c, 0); math.Abs(length-2) > 1e-6 {
		t.Errorf("norm %g, expected 2", length)
	}
	for _, radius := range []float64{1, 2, 4, 5} {
		for _, free := range []bool{false, true} { // by symmetry the best bias is 0
			if b, want := m.target.Bound(c, 0, free, radius), 1-radius/4; b > want || b < want-1e-6 {
				t.Errorf("radius %g, free %t: at least %.15g, expected %g", radius, free, b, want)
			}
		}
	}
}

// F5: no machine of the ball is below the bound, neither those near the optimum that a long run of
// subgradients finds, by code of its own, nor others; and where the choice is the sum of these
// subgradients, the bound comes near what was found.
func TestF5Bound(t *testing.T) {
	close, count := 0, 0
	for seed := range uint64(40) {
		k := []kernel.Kernel{kernel.RBF{Gamma: 1}, kernel.Poly{Gamma: 1, Coef0: 1, Degree: 2}}[seed%2]
		m := randomMachine(t, seed, k, []problem.Bias{problem.None, problem.Free}[seed/2%2])
		random := rand.New(rand.NewPCG(seed, 9))
		radius := math.Sqrt(m.norm2) * (0.3 + random.Float64())
		for _, free := range []bool{false, true} {
			best, sum := m.descend(radius, free, 20000)
			if math.IsInf(best, 0) {
				continue
			}
			all := &Choice{Rows: firsts(len(m.y)), Coefficients: [][]float64{sum}}
			bound := m.target.Bound(all, 0, free, radius)
			if bound > best+1e-9 {
				t.Fatalf("seed %d, free %t: the bound %.12g is above %.12g", seed, free, bound, best)
			}
			if count++; best-bound < 0.05*max(1, radius) {
				close++
			}
			for range 20 { // any other coefficients give a bound too
				w := make([]float64, len(m.y))
				for i := range w {
					w[i] = sum[i] * random.ExpFloat64()
				}
				all.Coefficients[0] = w
				if b := m.target.Bound(all, 0, free, radius); b > best+1e-9 {
					t.Fatalf("seed %d, free %t: the bound %.12g is above %.12g", seed, free, b, best)
				}
			}
		}
	}
	if count < 40 || close < count*3/4 {
		t.Errorf("the bound is close in %d of %d", close, count)
	}
}

// descend minimises f in the ball, with short steps; it returns the least value met and the sum
// of the steps, before any is scaled.
func (m *machine) descend(radius float64, free bool, steps int) (best float64, sum []float64) {
	n := len(m.y)
	o := m.target.Outputs[0]
	v, response := make([]float64, n), make([]float64, n)
	best, sum = math.Inf(1), make([]float64, n)
	kappa := 0.0
	for i := range n {
		kappa = max(kappa, m.square[i][i])
	}
	if free && !o.sided() {
		return best, sum
	}
	f := &function{Output: o, free: free, bias: o.Bias, response: response}
	norm2 := 0.0
	for t := range steps {
		p := f.all()
		if p.low < 0 && p.high < 0 {
			return math.Inf(1), sum
		}
		best = min(best, p.loss(free))
		eta := radius / math.Sqrt(2*kappa*float64(t+1))
		for side, i := range []int{p.low, p.high} {
			if i < 0 {
				continue
			}
			by := eta * float64(1-2*side)
			if 2*t > steps {
				sum[i] += by / eta
			}
			norm2 += by * (2*response[i] + by*m.square[i][i])
			v[i] += by
			for j := range n {
				response[j] += by * m.square[i][j]
			}
		}
		if norm2 > radius*radius {
			scale := radius / math.Sqrt(norm2)
			for j := range n {
				v[j], response[j] = v[j]*scale, response[j]*scale
			}
			norm2 = radius * radius
		}
	}
	return best, sum
}
