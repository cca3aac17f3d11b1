package reduce

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	solverkernel "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// machine is a random machine, trained or not, on random rows.
type machine struct {
	target *Target
	y      []float64
	alpha  []float64
	norm2  float64
	square [][]float64
}

// randomMachine makes one of n rows of the plane with the kernel, trained for a random lambda
// or, every third, with random coefficients: the theorems are about any.
func randomMachine(t testing.TB, seed uint64, k kernel.Kernel, bias problem.Bias) *machine {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 7))
	n := 20 + random.IntN(60)
	value, y := make([]float32, 2*n), make([]float64, n)
	for i := range n {
		a, b := random.NormFloat64(), random.NormFloat64()
		value[2*i], value[2*i+1] = float32(a), float32(b)
		y[i] = math.Copysign(1, a*b+0.3*random.NormFloat64())
	}
	y[0], y[1] = 1, -1
	x, err := matrix.NewDense(n, 2, value)
	if err != nil {
		t.Fatal(err)
	}
	return newMachine(t, random, k, x, y, bias, seed%3 == 2)
}

func newMachine(t testing.TB, random *rand.Rand, k kernel.Kernel, x matrix.Matrix, y []float64, bias problem.Bias, any bool) *machine {
	t.Helper()
	n := len(y)
	gram, err := gram.NewGram(k, x, gram.Options{Threads: 1, Double: true})
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float64, n+1)
	if any {
		for i := range n {
			w[i] = y[i] * random.ExpFloat64() * 3
		}
	} else {
		lambda := math.Pow(10, -3+2*random.Float64())
		p, err := problem.NewKernel(gram, y, nil, loss.Hinge{}, lambda, bias)
		if err != nil {
			t.Fatal(err)
		}
		s, err := solverkernel.New("working")
		if err != nil {
			t.Fatal(err)
		}
		solution, err := solver.Run(context.Background(), s, p, solver.Options{Gap: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		w = slices.Clone(solution.Point.W)
	}
	m := &machine{y: y, alpha: w[:n]}
	response := make([]float64, n)
	for i := range n {
		row := make([]float64, n)
		for j := range n {
			row[j] = gram.Kernel.Eval(x.Row(i), x.Row(j))
			response[i] += w[j] * row[j]
		}
		m.square = append(m.square, row)
		m.norm2 += w[i] * response[i]
	}
	for i := range response {
		response[i] += w[n]
	}
	m.target = &Target{Gram: gram, Support: x, Coefficients: [][]float64{w[:n]},
		Outputs: []Output{{Band: Classes(y, response, 1), Response: response, Bias: w[n]}},
		Risks:   []Risk{{Y: y, Loss: loss.Hinge{}, Lambda: 0.01, Bias: bias}}}
	return m
}

// norm2 is that of a choice, by the formula.
func (m *machine) normOf(c *Choice) float64 {
	sum := 0.0
	for k, i := range c.Rows {
		for l, j := range c.Rows {
			sum += c.Coefficients[0][k] * c.Coefficients[0][l] * m.square[i][j]
		}
	}
	return sum
}

// responses are the predictions of a choice, by the formula.
func (m *machine) responses(c *Choice) []float64 {
	p := slices.Repeat([]float64{c.Bias[0]}, len(m.y))
	for k, j := range c.Rows {
		for i := range p {
			p[i] += c.Coefficients[0][k] * m.square[i][j]
		}
	}
	return p
}

func hinge(z float64) float64 { return max(0, 1-z) }
func slant(z float64) float64 { return Slant(z, 0.5) }

// tolerance is what rounding may add to a bound.
const tolerance = 1e-9

// checkGuarantee is what every machine within 1/2 obeys.
func (m *machine) checkGuarantee(t *testing.T, seed uint64, c *Choice) {
	t.Helper()
	p := m.responses(c)
	if f := m.target.Outputs[0].Loss(p); f > 0.5+tolerance || math.Abs(f-c.Loss) > tolerance && len(c.Rows) > 0 {
		t.Errorf("seed %d: f=%g, told %g, expected at most 1/2", seed, f, c.Loss)
	}
	if a, b := Mean(slant, m.y, p, nil), Mean(hinge, m.y, m.target.Outputs[0].Response, nil); a > b+tolerance {
		t.Errorf("seed %d: slant loss %g above the hinge loss %g", seed, a, b)
	}
}

var gaussian = kernel.RBF{Gamma: 1}

// S1 and S6 of the reference, and the basic twin of 2.10.2.
func TestDescent(t *testing.T) {
	ratio, count := 0.0, 0
	for seed := range uint64(nightly(300, 75)) {
		m := randomMachine(t, seed, gaussian, problem.None)
		var sizes []float64
		for _, d := range []Descent{{}, {Aggressive: true}, {Aggressive: true, Pool: 8}} {
			aggressive := d.Aggressive
			c, err := d.Choose(context.Background(), m.target, Options{KeepBias: true, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if steps := float64(c.Steps); steps > 0 && !(steps < 4*m.norm2) || c.Len() > c.Steps {
				t.Errorf("seed %d, aggressive %t: %d steps, %d vectors, expected fewer than %g", seed, aggressive, c.Steps, c.Len(), 4*m.norm2)
			}
			if norm := math.Sqrt(m.normOf(c)); norm > 2*math.Sqrt(m.norm2)+tolerance {
				t.Errorf("seed %d: norm %g, expected at most twice %g", seed, norm, math.Sqrt(m.norm2))
			}
			m.checkGuarantee(t, seed, c)
			if !aggressive {
				m.checkTwin(t, seed, c)
			}
			sizes = append(sizes, float64(c.Len()))
		}
		if sizes[0] > 0 {
			ratio, count = ratio+sizes[1]/sizes[0], count+1
		}
	}
	if ratio /= float64(count); !(ratio < 1) {
		t.Errorf("aggressive has %.3f times the vectors of basic on average, expected fewer", ratio)
	}
}

// checkTwin compares with Algorithm 3.2 as it is written.
func (m *machine) checkTwin(t *testing.T, seed uint64, c *Choice) {
	t.Helper()
	n := len(m.y)
	response, alpha := make([]float64, n), make([]float64, n)
	steps := 0
	for ; ; steps++ {
		at, most := -1, 0.5
		for i, y := range m.y {
			if margin := y * m.target.Outputs[0].Response[i]; margin > 0 {
				// Of equal ones, as all are in the beginning, one of the class +1.
				if v := min(1, margin) - y*response[i]; v > most || v == most && at >= 0 && y > m.y[at] {
					at, most = i, v
				}
			}
		}
		if at < 0 {
			break
		}
		alpha[at] += 0.5 * m.y[at]
		row := m.target.Gram.Rows([]int{at})[0]
		for i := range response {
			response[i] = math.FMA(0.5*m.y[at], row.At(i), response[i])
		}
	}
	if steps != c.Steps {
		t.Errorf("seed %d: %d steps, the twin %d", seed, c.Steps, steps)
		return
	}
	for k, i := range c.Rows {
		if c.Coefficients[0][k] != alpha[i] {
			t.Errorf("seed %d: coefficient %g of row %d, the twin %g", seed, c.Coefficients[0][k], i, alpha[i])
		}
	}
}

// S2: any step below 2 eps/kappa, and kernels with other kappa.
func TestStepBound(t *testing.T) {
	for seed := range uint64(20) {
		for _, k := range []kernel.Kernel{gaussian, kernel.Linear{}} {
			m := randomMachine(t, seed, k, problem.None)
			kappa := 0.0
			for i := range m.y {
				if !math.IsInf(m.target.Outputs[0].Lo[i], -1) || !math.IsInf(m.target.Outputs[0].Hi[i], 1) {
					kappa = max(kappa, m.square[i][i])
				}
			}
			for _, eps := range []float64{0.1, 0.5, 0.9} {
				for _, share := range []float64{0.1, 0.5, 1, 1.5, 1.9} {
					eta := share * eps / kappa
					c, err := Descent{Step: eta}.Choose(context.Background(), m.target, Options{KeepBias: true, Accuracy: eps})
					if err != nil {
						t.Fatal(err)
					}
					if bound := StepBound(m.norm2, kappa, eps, eta); c.Steps > 0 && !(float64(c.Steps) < bound) {
						t.Errorf("seed %d, eps %g, eta %g: %d steps, expected fewer than %g", seed, eps, eta, c.Steps, bound)
					}
					if !(c.Loss <= eps+tolerance) {
						t.Errorf("seed %d, eps %g: f=%g", seed, eps, c.Loss)
					}
				}
			}
		}
	}
}

// S3: the bias that the machine has stays.
func TestKeepBias(t *testing.T) {
	for seed := range uint64(50) {
		m := randomMachine(t, seed, gaussian, problem.Free)
		c, err := Descent{Aggressive: seed%2 == 0}.Choose(context.Background(), m.target, Options{KeepBias: true})
		if err != nil {
			t.Fatal(err)
		}
		if c.Bias[0] != m.target.Outputs[0].Bias {
			t.Errorf("seed %d: bias %g, expected %g", seed, c.Bias[0], m.target.Outputs[0].Bias)
		}
		p := m.responses(c)
		for i, y := range m.y {
			full := y * m.target.Outputs[0].Response[i]
			if full > 0 && y*p[i] < min(1, full)-0.5-tolerance {
				t.Errorf("seed %d: row %d has the margin %g, the machine %g", seed, i, y*p[i], full)
			}
		}
		m.checkGuarantee(t, seed, c)
	}
}

// S4: the bias is chosen.
func TestChosenBias(t *testing.T) {
	for seed := range uint64(50) {
		for _, linear := range []bool{false, true} {
			var k kernel.Kernel = gaussian
			if linear {
				k = kernel.Linear{}
			}
			m := randomMachine(t, seed, k, problem.Free)
			if !m.target.Outputs[0].sided() {
				continue
			}
			for _, d := range []Descent{{}, {Aggressive: true}, {Aggressive: true, Pool: 8}} {
				c, err := d.Choose(context.Background(), m.target, Options{Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				most := 2 * m.norm2 // pair steps, values >= 0
				if linear {
					most = 4 * slices.Max(m.target.Gram.Diagonal) * m.norm2
				}
				if c.Steps > 0 && !(float64(c.Steps) < most+tolerance) || c.Len() > 2*c.Steps {
					t.Errorf("seed %d, linear %t: %d steps, %d vectors, expected fewer than %g", seed, linear, c.Steps, c.Len(), most)
				}
				low, high := math.Inf(-1), math.Inf(-1)
				for i, v := range m.responses(c) {
					low, high = max(low, m.target.Outputs[0].Lo[i]-v), max(high, v-m.target.Outputs[0].Hi[i])
				}
				if math.Abs(low-high) > tolerance {
					t.Errorf("seed %d: %g below and %g above, expected the same", seed, low, high)
				}
				m.checkGuarantee(t, seed, c)
			}
		}
	}
}

// S5: a bound on the norm, to 1/3, for the smooth loss.
func TestRadius(t *testing.T) {
	for seed := range uint64(100) {
		m := randomMachine(t, seed, gaussian, problem.None)
		c, err := Descent{Radius: math.Sqrt(m.norm2)}.Choose(context.Background(), m.target, Options{KeepBias: true, Accuracy: 1. / 3})
		if err != nil {
			t.Fatal(err)
		}
		if norm := m.normOf(c); norm > m.norm2*(1+1e-9) || c.Steps > 0 && !(float64(c.Steps) < 9*m.norm2) {
			t.Errorf("seed %d: squared norm %g of %g, %d steps", seed, norm, m.norm2, c.Steps)
		}
		if a, b := Mean(SmoothSlant, m.y, m.responses(c), nil), Mean(hinge, m.y, m.target.Outputs[0].Response, nil); a > b+tolerance {
			t.Errorf("seed %d: smooth loss %g above the hinge loss %g", seed, a, b)
		}
		if seed%25 != 0 {
			continue
		}
		// A radius that no machine near w has: it is kept all the same, and the responses are those of the coefficients.
		small := math.Sqrt(m.norm2) / 3
		c, err = Descent{Radius: small}.Choose(context.Background(), m.target, Options{KeepBias: true, Accuracy: 1. / 3, Support: 5})
		if err != nil {
			t.Fatal(err)
		}
		if norm := m.normOf(c); norm > small*small*(1+1e-9) {
			t.Errorf("seed %d: squared norm %g, expected at most %g", seed, norm, small*small)
		}
	}
}

// TestRadiusTooSmall gives up where no machine of the norm is near enough, after as many steps as one would take.
func TestRadiusTooSmall(t *testing.T) {
	for _, aggressive := range []bool{true, false} {
		for _, share := range []float64{1e-200, 1e-3, 0.2} {
			m := randomMachine(t, 3, gaussian, problem.None)
			radius := share * math.Sqrt(m.norm2)
			c, err := Descent{Aggressive: aggressive, Radius: radius}.Choose(context.Background(), m.target, Options{KeepBias: true, Accuracy: 0.05})
			if err != nil || c.Reached || c.GaveUp == "" || float64(c.Steps) > 5000+32*radius*radius/(0.05*0.05) || m.normOf(c) > radius*radius*(1+1e-9) {
				t.Errorf("aggressive %v, radius %g: found %d steps, %q, %v, expected it to give up", aggressive, radius, c.Steps, c.GaveUp, err)
			}
		}
	}
}

// S6b: nothing to do.
func TestNothing(t *testing.T) {
	m := randomMachine(t, 1, gaussian, problem.None)
	wrong := make([]float64, len(m.y))
	weak := make([]float64, len(m.y))
	for i, y := range m.y {
		wrong[i], weak[i] = -y, y/4
	}
	for name, response := range map[string][]float64{"all wrong": wrong, "all weak": weak} {
		target := *m.target
		target.Outputs = []Output{{Band: Classes(m.y, response, 1), Response: response}}
		for _, method := range []Method{Descent{}, Descent{Aggressive: true}} {
			for _, keep := range []bool{true, false} {
				c, err := method.Choose(context.Background(), &target, Options{KeepBias: keep})
				if err != nil || c.Len() != 0 || c.Steps != 0 {
					t.Errorf("%s: found %d vectors in %d steps and %v, expected none", name, c.Len(), c.Steps, err)
				}
			}
		}
	}
}

// S7: the classifier with a number added to each prediction.
func TestRandomised(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const draws = 100_000
	for _, margin := range []float64{-0.7, -0.5, -0.2, 0, 0.1, 0.45, 0.6} {
		wrong := 0
		for range draws {
			if Randomise(margin, 1, random) <= 0 {
				wrong++
			}
		}
		want := slant(margin)
		if found := float64(wrong) / draws; math.Abs(found-want) > 3*math.Sqrt(want*(1-want)/draws)+1e-12 {
			t.Errorf("margin %g: wrong %g of the time, slant loss %g", margin, found, want)
		}
	}
}

// F4 for the losses here.
func TestLosses(t *testing.T) {
	for z := -3.0; z < 3; z += 1e-3 {
		if s := SmoothSlant(z); slant(z) > s+tolerance || s > slant(z-1./6)+tolerance || SmoothSlant(z-1./3) > hinge(z)+tolerance || slant(z-0.5) > hinge(z)+tolerance {
			t.Errorf("z=%g: slant %g, smooth %g", z, slant(z), s)
		}
		const h = 1e-4
		if bend := (SmoothSlant(z+h) - 2*SmoothSlant(z) + SmoothSlant(z-h)) / (h * h); math.Abs(bend) > 4 && math.Abs(z+0.5) > h && math.Abs(z-2./3) > h {
			t.Errorf("z=%g: curvature %g", z, bend)
		}
	}
	if a, b := SmoothSlant(1./12), SmoothSlant(-0.5); math.Abs(a-0.5) > 1e-12 || b != 1 {
		t.Errorf("found %g and %g, expected 1/2 and 1", a, b)
	}
}

// S8: the path shows every number of vectors, as the run of that number finds it.
func TestPath(t *testing.T) {
	m := randomMachine(t, 5, gaussian, problem.Free)
	var sizes []int
	last := map[int][]float64{}
	visit := func(c *Choice, v *View) error {
		sizes = append(sizes, c.Len())
		last[c.Len()] = slices.Clone(c.Coefficients[0])
		for i, p := range m.responses(c) {
			if math.Abs(p-v.Response[0][i]) > 1e-9 {
				t.Errorf("%d vectors: prediction %g of row %d, expected %g", c.Len(), v.Response[0][i], i, p)
			}
		}
		return nil
	}
	c, err := Descent{Aggressive: true}.Choose(context.Background(), m.target, Options{Accuracy: 0.05, KeepBias: true, Visit: visit})
	if err != nil {
		t.Fatal(err)
	}
	for k, n := range sizes[:len(sizes)-1] {
		if n != k+1 {
			t.Fatalf("found the numbers %v, expected every one", sizes)
		}
	}
	if sizes[len(sizes)-1] != c.Len() {
		t.Errorf("the last is %d, expected %d", sizes[len(sizes)-1], c.Len())
	}
	for _, n := range []int{1, c.Len() / 2, c.Len() - 1} {
		alone, err := Descent{Aggressive: true}.Choose(context.Background(), m.target, Options{Accuracy: 0.05, KeepBias: true, Support: n})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(alone.Coefficients[0], last[n]) {
			t.Errorf("%d vectors: another machine than on the path", n)
		}
	}
}

// S10: the lower bound, which the method meets: 64 steps and vectors, and 31 of them have 33
// of 64 wrong.
func TestLowerBound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	y := make([]float64, 64)
	for i := range y {
		y[i] = float64(2*random.IntN(2) - 1)
	}
	gram, err := gram.NewGram(kernel.Linear{}, Orthogonal(y), gram.Options{Double: true})
	if err != nil {
		t.Fatal(err)
	}
	target := &Target{Gram: gram, Outputs: []Output{{Band: Classes(y, y, 1), Response: y}}}
	for _, support := range []int{0, 31} {
		c, err := Descent{}.Choose(context.Background(), target, Options{KeepBias: true, Support: support})
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for i, p := range c.Predictions(gram)[0] {
			if p*y[i] <= 0 {
				wrong++
			}
		}
		if support == 0 && (c.Steps != 64 || c.Len() != 64 || wrong != 0) || support == 31 && wrong != 33 {
			t.Errorf("support %d: %d steps, %d vectors, %d wrong", support, c.Steps, c.Len(), wrong)
		}
	}
}

// Golden value 3 of the reference.
func TestXOR(t *testing.T) {
	x, err := matrix.NewDense(4, 2, []float32{0, 0, 0, 1, 1, 0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	y := []float64{1, -1, -1, 1}
	gram, err := gram.NewGram(kernel.RBF{Gamma: math.Ln2}, x, gram.Options{Double: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		a     float64
		steps int
	}{{4, 16}, {1, 0}} {
		response := make([]float64, 4)
		gram.Update(response, []int{0, 1, 2, 3}, []float64{want.a, -want.a, -want.a, want.a})
		c, err := Descent{}.Choose(context.Background(), &Target{Gram: gram, Outputs: []Output{{Band: Classes(y, response, 1), Response: response}}}, Options{KeepBias: true})
		if err != nil {
			t.Fatal(err)
		}
		if c.Steps != want.steps {
			t.Errorf("a=%g: %d steps, expected %d", want.a, c.Steps, want.steps)
		}
		for _, b := range c.Coefficients[0] {
			if math.Abs(b) != 2 {
				t.Errorf("coefficient %g, expected 2", b)
			}
		}
	}
}

// Several outputs share the rows, and each obeys its bound.
func TestOutputs(t *testing.T) {
	for seed := range uint64(20) {
		a := randomMachine(t, 3*seed, gaussian, problem.None)
		random := rand.New(rand.NewPCG(seed, 9))
		y := make([]float64, len(a.y))
		for i := range y {
			y[i] = math.Copysign(1, float64(a.target.Support.Row(i).Value[0])+0.2*random.NormFloat64())
		}
		y[0], y[1] = 1, -1
		b := newMachine(t, random, gaussian, a.target.Support, y, problem.None, false)
		both := &Target{Gram: a.target.Gram, Outputs: []Output{a.target.Outputs[0], b.target.Outputs[0]}}
		c, err := Descent{Aggressive: true}.Choose(context.Background(), both, Options{KeepBias: true})
		if err != nil {
			t.Fatal(err)
		}
		if !(c.Loss <= 0.5+tolerance) || float64(c.Steps) >= 4*(a.norm2+b.norm2) || len(c.Coefficients[1]) != c.Len() {
			t.Errorf("seed %d: f=%g after %d steps, expected fewer than %g", seed, c.Loss, c.Steps, 4*(a.norm2+b.norm2))
		}
		view := c.Predictions(both.Gram)
		for o, m := range []*machine{a, b} {
			if x, full := Mean(slant, m.y, view[o], nil), Mean(hinge, m.y, m.target.Outputs[0].Response, nil); x > full+1e-9 {
				t.Errorf("seed %d, output %d: slant loss %g above %g", seed, o, x, full)
			}
		}
	}
}

// Numbers: the tube widened by E has at most the loss of the tube.
func TestNumbers(t *testing.T) {
	for seed := range uint64(30) {
		m := randomMachine(t, seed, gaussian, problem.None)
		random := rand.New(rand.NewPCG(seed, 4))
		y := make([]float64, len(m.y))
		for i := range y {
			y[i] = m.target.Outputs[0].Response[i] + random.NormFloat64()
		}
		const tube, accuracy = 0.1, 0.3
		target := *m.target
		target.Outputs = []Output{{Band: Numbers(y, m.target.Outputs[0].Response, tube), Response: m.target.Outputs[0].Response}}
		c, err := Descent{Aggressive: true}.Choose(context.Background(), &target, Options{KeepBias: true, Accuracy: accuracy})
		if err != nil {
			t.Fatal(err)
		}
		small, full := 0.0, 0.0
		for i, p := range m.responses(c) {
			small += max(0, math.Abs(y[i]-p)-tube-accuracy)
			full += max(0, math.Abs(y[i]-m.target.Outputs[0].Response[i])-tube)
		}
		if small > full+tolerance || c.Steps > 0 && float64(c.Steps) >= m.norm2/(accuracy*accuracy) {
			t.Errorf("seed %d: loss %g above %g, or %d steps", seed, small, full, c.Steps)
		}
	}
}

// Bad options are refused.
func TestRefused(t *testing.T) {
	m := randomMachine(t, 1, gaussian, problem.None)
	for _, e := range Entries() {
		method, err := New(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		for name, opt := range map[string]Options{"support": {Support: -1}, "accuracy": {Accuracy: math.NaN()}, "negative": {Accuracy: -1}} {
			if _, err := method.Choose(context.Background(), m.target, opt); err == nil {
				t.Errorf("%s: %s: found no error", e.Name, name)
			}
		}
		if _, err := method.Choose(context.Background(), nil, Options{Support: 1}); err == nil {
			t.Errorf("%s: no target: found no error", e.Name)
		}
	}
}
