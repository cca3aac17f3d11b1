package reduce

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Every method keeps to the number of vectors, finds the same for a seed, and predicts what it
// says.
func TestMethods(t *testing.T) {
	for _, e := range Entries() {
		method, err := New(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(6) {
			m := randomMachine(t, 3*seed, gaussian, problem.Free)
			for _, support := range []int{1, 5, 12} {
				limit := support
				if e.Name == "separate" { // which refuses a limit below what it needs
					limit, support = 0, len(m.y)
				}
				var first *Choice
				for range 2 {
					shown := 0
					c, err := method.Choose(context.Background(), m.target, Options{Support: limit, Seed: seed, Visit: func(c *Choice, v *View) error {
						shown++
						return nil
					}})
					if err != nil {
						t.Fatalf("%s: %v", e.Name, err)
					}
					if c.Len() > support || len(c.Coefficients[0]) != c.Len() || shown == 0 {
						t.Errorf("%s: %d vectors and %d coefficients, expected at most %d; shown %d times", e.Name, c.Len(), len(c.Coefficients[0]), support, shown)
					}
					if first == nil {
						first = c
						continue
					}
					for k, b := range c.Coefficients[0] {
						if b != first.Coefficients[0][k] {
							t.Errorf("%s: coefficient %g, then %g", e.Name, first.Coefficients[0][k], b)
						}
					}
				}
			}
		}
	}
}

// S11: without a reduction each is the unreduced optimum of its own objective.
func TestUnreduced(t *testing.T) {
	for seed := range uint64(5) {
		m := randomMachine(t, 3*seed, gaussian, problem.Free)
		n := len(m.y)
		full := m.target.Outputs[0].Response
		smoothed := m.optimum(t, loss.SquaredHinge{})
		hinged := m.optimumBias(t, loss.Hinge{}, m.target.Outputs[0].Bias)
		for _, c := range []struct {
			method Method
			opt    Options
			want   []float64
			within float64
		}{
			{OsunaGirosi{C: 1e6}, Options{Accuracy: 1e-6}, full, 1e-2},
			{Random{}, Options{Support: n}, smoothed, 1e-2},
			{Greedy{Pool: 59}, Options{Support: n}, smoothed, 1e-2},
			{Merge{}, Options{Support: n}, full, 1e-3},
			{ReducedSet{}, Options{Support: n}, full, 1e-2},
			{CuttingPlane{Tolerance: 1e-6}, Options{Support: n}, hinged, 0.05},
			{Descent{Aggressive: true}, Options{Accuracy: 1e-3, KeepBias: true}, agreed(m, full), 1e-2},
			{ZhanShen{Share: 0}, Options{Accuracy: 1e-3}, m.optimum(t, loss.Hinge{}), 0.05},
		} {
			choice, err := c.method.Choose(context.Background(), m.target, c.opt)
			if err != nil {
				t.Fatalf("%T: %v", c.method, err)
			}
			p := choice.Predictions(m.target.Gram)[0]
			differ := 0
			for i, want := range c.want {
				if p[i]*want <= 0 && math.Abs(p[i]-want) > c.within {
					differ++
				}
			}
			if differ > 0 {
				t.Errorf("seed %d, %T with %d of %d vectors: %d of %d predictions differ in sign", seed, c.method, choice.Len(), n, differ, n)
			}
		}
	}
}

// agreed keeps the predictions of the rows that the machine has right: others are free.
func agreed(m *machine, full []float64) []float64 {
	some := slices.Clone(full)
	for i, y := range m.y {
		if y*some[i] <= 0 {
			some[i] = math.NaN()
		}
	}
	return some
}

// optimum is the prediction of the best machine for another loss.
func (m *machine) optimum(t *testing.T, l loss.Loss) []float64 {
	t.Helper()
	r := m.target.Risks[0]
	r.Loss = l
	w, err := r.machine(context.Background(), m.target.Gram, firsts(len(m.y)))
	if err != nil {
		t.Fatal(err)
	}
	return m.predict(w[:len(m.y)], w[len(m.y)])
}

// optimumBias is that without bias of targets from which a bias was taken: y (g + b) < 1.
func (m *machine) optimumBias(t *testing.T, l loss.Hinge, b float64) []float64 {
	t.Helper()
	// Subgradients of the primal, slowly: no solver knows a bias that is given.
	n := len(m.y)
	r := m.target.Risks[0]
	w := make([]float64, n)
	p := m.predict(w, b)
	best, found := math.Inf(1), p
	for step := 1; step < 200_000; step++ {
		eta := 1 / (r.Lambda * float64(step+100))
		for i := range w {
			w[i] *= 1 - eta*r.Lambda
		}
		for i, y := range m.y {
			if y*p[i] < 1 {
				w[i] += eta * y / float64(n)
			}
		}
		p = m.predict(w, b)
		value := 0.0
		for i, y := range m.y {
			value += hinge(y*p[i])/float64(n) + r.Lambda/2*w[i]*(p[i]-b)
		}
		if value < best {
			best, found = value, p
		}
		if step > 3000 {
			break
		}
	}
	return found
}

func (m *machine) predict(w []float64, b float64) []float64 {
	p := make([]float64, len(m.y))
	for i := range p {
		p[i] = b
		for j, v := range w {
			p[i] += v * m.square[i][j]
		}
	}
	return p
}

// Coefficients that are fitted again are the best of these vectors: no other ones, near or far,
// have a lower objective, and the bound is below all.
func TestRefit(t *testing.T) {
	for seed := range uint64(20) {
		m := randomMachine(t, 3*seed, gaussian, problem.Free)
		c, err := Descent{Aggressive: true}.Choose(context.Background(), m.target, Options{Accuracy: 0.3})
		if err != nil || c.Len() == 0 {
			t.Fatal(c, err)
		}
		r := m.target.Risks[0]
		objective := func() float64 {
			value := r.Lambda / 2 * m.normOf(c)
			for i, p := range m.responses(c) {
				value += hinge(m.y[i]*p) / float64(len(m.y))
			}
			return value
		}
		before := objective()
		certificates, err := c.Refit(context.Background(), gaussian, m.target.Support, m.target.Risks, 1e-6, 1)
		if err != nil {
			t.Fatal(err)
		}
		after := objective()
		if after > before+1e-6 || math.Abs(after-certificates[0].Primal) > 1e-5*after || certificates[0].Dual > after+1e-6 {
			t.Errorf("seed %d: objective %g, before %g, claimed %g and at least %g", seed, after, before, certificates[0].Primal, certificates[0].Dual)
		}
		for k := range c.Coefficients[0] {
			for _, by := range []float64{-0.1, -1e-3, 1e-3, 0.1} {
				c.Coefficients[0][k] += by
				if v := objective(); v < certificates[0].Dual-1e-6 {
					t.Errorf("seed %d: coefficient %d + %g has %g, below the bound %g", seed, k, by, v, certificates[0].Dual)
				}
				c.Coefficients[0][k] -= by
			}
		}
	}
}

// S8: from the batch perceptron to few vectors, which costs less than to train it.
func TestPipeline(t *testing.T) {
	for seed := range uint64(10) {
		m := randomMachine(t, 3*seed, gaussian, problem.None)
		n := len(m.y)
		nu := Mean(hinge, m.y, m.target.Outputs[0].Response, nil) / math.Sqrt(m.norm2)
		gram, err := gram.NewGram(gaussian, m.target.Support, gram.Options{Double: true})
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.NewSlack(gram, m.y, nu, problem.None)
		if err != nil {
			t.Fatal(err)
		}
		solution, err := solver.Run(context.Background(), engine.SBP{}, p, solver.Options{Gap: 0.05, Epochs: 2000})
		if err != nil {
			t.Fatal(err)
		}
		training := gram.Counts().Requested
		unit := problem.MarginUnit(solution.Certificate.Primal)
		w := make([]float64, n)
		for i := range w {
			w[i] = solution.Point.W[i] / unit
		}
		response := m.predict(w, 0)
		target := &Target{Gram: gram, Outputs: []Output{{Band: Classes(m.y, response, 1), Response: response}}}
		c, err := Descent{Aggressive: true}.Choose(context.Background(), target, Options{KeepBias: true})
		if err != nil {
			t.Fatal(err)
		}
		if after := gram.Counts().Requested - training; float64(c.Len()) > 16*m.norm2 || after >= training {
			t.Errorf("seed %d: %d vectors for %d values after %d of the training, |u|^2 = %g", seed, c.Len(), after, training, m.norm2)
		}
		if a, b := Mean(slant, m.y, m.responses(c), nil), Mean(hinge, m.y, response, nil); a > b+tolerance {
			t.Errorf("seed %d: slant loss %g above %g", seed, a, b)
		}
	}
}

// S9: the bound by compression on new rows of the same distribution.
func TestBounds(t *testing.T) {
	held := 0
	for seed := range uint64(100) {
		train, test := randomMachine(t, 3*seed, gaussian, problem.None), randomMachine(t, 3*seed+1000, gaussian, problem.None)
		c, err := Descent{}.Choose(context.Background(), train.target, Options{KeepBias: true})
		if err != nil {
			t.Fatal(err)
		}
		loss := Mean(slant, train.y, train.responses(c), nil)
		gram, err := gram.NewGram(gaussian, test.target.Support, gram.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if Mean(slant, test.y, c.Predictions(gram)[0], nil) <= theory.Compression(loss, float64(c.Steps), float64(len(train.y)), 0.05) {
			held++
		}
	}
	if held != 100 {
		t.Errorf("the bound holds in %d of 100 repetitions", held)
	}
}

// T9: a perceptron of the rows with a margin of 1 has at most kappa |w|^2 vectors, and errs on no
// more rows than the machine has smaller margins; with a free bias too.
func TestT9Separate(t *testing.T) {
	chosen := 0
	for seed := range uint64(60) {
		bias := []problem.Bias{problem.None, problem.Free}[seed%2]
		m := randomMachine(t, seed, gaussian, bias)
		c, err := Separate{}.Choose(context.Background(), m.target, Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		b := m.target.Outputs[0].Bias
		small, wrong := 0, 0
		for i, p := range m.responses(c) {
			if m.y[i]*m.target.Outputs[0].Response[i] < 1 {
				small++
			}
			if m.y[i]*p <= 0 {
				wrong++
			}
		}
		kappa := 1.0
		if b != 0 {
			kappa = 2
		}
		if most := kappa * (m.norm2 + b*b); wrong > small || float64(c.Len()) > most*(1+1e-9)+1e-9 {
			t.Errorf("seed %d: %d wrong for %d small margins, %d vectors of at most %g", seed, wrong, small, c.Len(), most)
		}
		if c.Len() > 0 {
			chosen++
		}
	}
	if chosen < 30 {
		t.Errorf("found vectors in %d of 60", chosen)
	}
}
