package attack

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/attack/exact"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// ordinary is a problem at which nothing is wrong.
func ordinary(kernel *exact.KernelTwin) *Problem {
	r := drawOf(7, 7)
	x := r.rows(20, 3, false)
	p := &Problem{Set: &data.Set{X: r.matrixOf(x, 3), Target: data.Target{Label: []string{"a", "b"}, Code: make([]uint32, 20)}}, kernel: kernel}
	for i := range x {
		if x[i][0]+0.5*x[i][1] > 0.3*float64(i%3) {
			p.Set.Target.Code[i] = 1
		}
	}
	p.Spec = fenchel.Spec{Loss: "logistic", Run: fenchel.Run{Threads: 1}, Scaling: "none"}
	if kernel != nil {
		p.Spec.Kernel = kernel.Spec()
	}
	return p
}

// tried runs a problem by all solvers, some of them to a small gap.
func tried(t *testing.T, p *Problem) *trial {
	t.Helper()
	tr := &trial{problem: p, draw: drawOf(1, 1), tally: NewTally()}
	for range 3 {
		tr.run()
	}
	for _, f := range tr.found {
		t.Errorf("an ordinary problem: %s", f)
	}
	if len(tr.models) < 3 {
		t.Fatalf("found %d models, expected one of several solvers", len(tr.models))
	}
	return tr
}

// The harness can fail: every fault that is planted is found, as what it is.
func TestPlantedFaults(t *testing.T) {
	tr := tried(t, ordinary(nil))
	best := slices.MinFunc(tr.models, func(a, b sealed) int {
		return int(math.Copysign(1, gapOf(a)-gapOf(b)))
	})
	if gapOf(best) > 1e-5 {
		t.Fatalf("found the gap %g, expected that a solver came closer", gapOf(best))
	}
	for _, c := range []struct {
		name, kind string
		plant      func(m *model.Model)
	}{
		{"an inflated bound", "false-proof", func(m *model.Model) { m.Outputs[0].Certificate.Dual *= 1.001 }},
		{"a bound that its dual variables do not have", "overclaim", func(m *model.Model) { m.Outputs[0].Dual[3] = 0; m.Outputs[0].Certificate.Status = "stalled" }},
		{"an objective too small", "objective", func(m *model.Model) { m.Outputs[0].Certificate.Primal *= 0.9999 }},
		{"another weight", "objective", func(m *model.Model) { m.Outputs[0].Weights[0] += 1e-3 }},
		{"another bias", "objective", func(m *model.Model) { m.Outputs[0].Bias -= 1e-3 }},
		{"a negative gap", "negative-gap", func(m *model.Model) { m.Outputs[0].Certificate.Primal, m.Outputs[0].Certificate.Dual = 1, 2 }},
		{"a goal that was not reached", "status", func(m *model.Model) {
			m.Outputs[0].Certificate.Status, m.Outputs[0].Certificate.Dual = "converged", 0
		}},
		{"no bound at all, converged", "unproved", func(m *model.Model) {
			m.Outputs[0].Certificate.Status, m.Outputs[0].Certificate.Dual = "converged", model.Bound(math.NaN())
		}},
	} {
		m, err := model.Decode(best.bytes)
		if err != nil {
			t.Fatal(err)
		}
		c.plant(m)
		claims, err := tr.court.examine("planted", m)
		if err != nil {
			t.Fatal(err)
		}
		found := append(judgeOne(tr.court.judges[0], claims[0], 1e-3), compare(append(tr.claims, claims...))...)
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == c.kind }) {
			t.Errorf("%s: found %v, expected %s", c.name, found, c.kind)
		}
	}
}

func gapOf(s sealed) float64 {
	c := s.model.Outputs[0].Certificate
	return math.Abs(float64(c.Primal - c.Dual))
}

// A forgery that the program does not refuse is found, and one that is harmless is
// none: verify is asked about models whose digests fit.
func TestForger(t *testing.T) {
	tr := tried(t, ordinary(&exact.KernelTwin{Name: "rbf", Gamma: 1}))
	s := tr.models[0]
	f, err := openFile(s.bytes)
	if err != nil {
		t.Fatal(err)
	}
	if string(f.bytes()) != string(s.bytes) {
		t.Error("a file that is taken apart and put together again is another one")
	}
	for range 150 {
		tr.attackOne(s)
	}
	for _, outcome := range []string{"refused", "claims found false", "harmless"} {
		if tr.tally.Forged[outcome] == 0 {
			t.Errorf("found no forgery that was %s: %v", outcome, tr.tally.Forged)
		}
	}
	// What verify lets pass is not believed for that.
	m, _ := model.Decode(s.bytes)
	m.Outputs[0].Weights[0] += 0.1
	if tr.believed(s, forgery{"tensor weight", []byte("x")}, m) == "" {
		t.Error("a forged coefficient was called harmless")
	}
	m, _ = model.Decode(s.bytes)
	m.Data.Nonzeros++
	if tr.believed(s, forgery{"data.nonzeros", []byte("x")}, m) == "" {
		t.Error("a forged number of values was called harmless")
	}
}

// Along a direction of negative curvature the objective falls below every bound.
func TestDescent(t *testing.T) {
	k := exact.KernelTwin{Name: "precomputed"}
	p := ordinary(&k)
	n := p.Set.Rows()
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, n)
		x[i][i] = 1
	}
	x[1][3], x[3][1] = 5, 5
	p.Set.X = &matrix.Dense{Rows: n, Cols: n}
	for _, row := range x {
		p.Set.X.(*matrix.Dense).Value = append(p.Set.X.(*matrix.Dense).Value, exact.Row32(row).Value...)
	}
	tr := &trial{problem: p, draw: drawOf(1, 1), tally: NewTally()}
	tr.run()
	if !tr.court.indefinite() {
		t.Fatal("found no negative curvature, expected -4")
	}
	down := tr.court.descend(tr.claims)
	if len(down) != 1 || exact.Float(down[0].primal) > -100 {
		t.Fatalf("found %v, expected an objective far below 0", down)
	}
	bound := tr.claims[0]
	bound.said.Dual = 0.4
	if found := compare(append(down, bound)); len(found) != 1 || found[0].Kind != "false-proof" {
		t.Errorf("found %v, expected a false proof", found)
	}
}
