package nu

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// narrowNu begins with sets of 8 parts that may grow to 64.
type narrowNu struct {
	Nu
	last *nu
}

func (s *narrowNu) Start(p problem.Problem, start solver.Start) solver.State {
	s.last = Nu{Q: 8}.Start(p, start).(*nu)
	s.last.most = 64
	return s.last
}

// TestNuWidens: sets grow beyond the number of parts at neither end.
func TestNuWidens(t *testing.T) {
	for name, p := range shares(t, 300, 0.5, true, gram.Options{Threads: 1}) {
		s := &narrowNu{}
		sol := kerneltest.Run(t, s, p, solver.Options{Gap: 1e-6})
		inside := 0
		for i, a := range sol.Point.A {
			x := p.S[i] * math.Abs(a) / p.N
			if c := max(p.Sides[0].Cap[i], p.Sides[1].Cap[i]); x > 1e-9*c && x < (1-1e-9)*c {
				inside++
			}
		}
		if sol.Status != solver.Converged || inside < 8 || s.last.q < inside || s.last.q > 64 {
			t.Errorf("%s: %s with %d inside, sets of %d", name, sol.Status, inside, s.last.q)
		}
	}
}

// TestNuWithoutMargin: where nu is less than the share of rows on the wrong side of any
// plane, a run ends, and says why; so it does where no half-space holds any rows.
func TestNuWithoutMargin(t *testing.T) {
	values, classes := make([]float32, 800), make([]float64, 400)
	random := rand.New(rand.NewPCG(9, 9))
	for i := range classes {
		classes[i] = float64(1 - 2*(i/2%2))
		for k := range 2 {
			values[2*i+k] = float32(random.NormFloat64())
			if i%2 == 1 { // each row, and its opposite of the same class
				values[2*i+k] = -values[2*i-2+k]
			}
		}
	}
	gram, err := gram.NewGram(kernel.Linear{}, &matrix.Dense{Rows: 400, Cols: 2, Value: values}, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	one, err := problem.NewOneClass(gram, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	two, err := problem.NewNuClassification(gram, classes, nil, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*problem.Nu{one, two} {
		sol := kerneltest.Run(t, Nu{}, p, solver.Options{Epochs: 1000})
		if w := sol.Certificate.Warnings; sol.Status == solver.EpochLimit || sol.Status == solver.Stalled && (len(w) != 1 || !strings.Contains(w[0].Error(), "leaves no margin")) {
			t.Errorf("one class %v: %s with %+v", p.OneClass(), sol.Status, sol.Certificate)
		}
	}
}

// TestNuOfFewNumbers: thousands of rows that few numbers tell apart are solved too,
// though sets of them are no picture of the others.
func TestNuOfFewNumbers(t *testing.T) {
	p := shares(t, 3000, 0.5, false, gram.Options{})["regression"]
	p, err := problem.NewNuRegression(p.Gram, p.Targets, nil, 0.5, 1.0/3000)
	if err != nil {
		t.Fatal(err)
	}
	sol := kerneltest.Run(t, Nu{Q: 128}, p, solver.Options{Epochs: 1000})
	if sol.Status != solver.Converged {
		t.Errorf("%s, gap %g", sol.Status, sol.Certificate.Relative())
	}
}
