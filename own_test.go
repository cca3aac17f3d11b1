package fenchel_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
)

// pinball is the loss of a quantile: Tau(y-p) below the target, (1-Tau)(p-y) above it. As
// a user would, it implements what loss.Loss asks for and nothing more.
type pinball struct{ Tau float64 }

func (l pinball) Value(p, y float64) float64 { return math.Max(l.Tau*(y-p), (1-l.Tau)*(p-y)) }

func (l pinball) Derivative(p, y float64) float64 {
	switch {
	case p < y:
		return -l.Tau
	case p > y:
		return 1 - l.Tau
	}
	return 0
}

func (l pinball) Conjugate(a, y float64) float64 {
	if a < -l.Tau || a > 1-l.Tau {
		return math.Inf(1)
	}
	return a * y
}

func (l pinball) Domain(float64) (lo, hi float64) { return -l.Tau, 1 - l.Tau }

func (l pinball) Prox(v, step, y float64) float64 {
	switch {
	case v < y-step*l.Tau:
		return v + step*l.Tau
	case v > y+step*(1-l.Tau):
		return v - step*(1-l.Tau)
	}
	return y
}

func (pinball) Smoothness() float64 { return math.Inf(1) }

// ridge is half the sum of squares, each with a price of its own.
type ridge struct{ price []float64 }

func (r ridge) Value(w []float64) (sum float64) {
	for j, x := range w {
		sum += float64(r.price[j%len(r.price)] * x * x / 2)
	}
	return sum
}

func (r ridge) Prox(dst, v []float64, step float64) {
	for j, x := range v {
		dst[j] = x / (1 + step*r.price[j%len(r.price)])
	}
}

func (r ridge) Conjugate(u []float64) (scale, value float64) {
	for j, x := range u {
		value += float64(x * x / (2 * r.price[j%len(r.price)]))
	}
	return 1, value
}

func (r ridge) StrongConvexity() float64 {
	least := math.Inf(1)
	for _, p := range r.price {
		least = min(least, p)
	}
	return least
}

func (r ridge) Weights(dst, u []float64) { r.WeightsAt(dst, u, nil) }

func (r ridge) WeightsAt(dst, u []float64, columns []uint32) {
	for k, x := range u {
		j := k
		if columns != nil {
			j = int(columns[k])
		}
		dst[k] = x / r.price[j%len(r.price)]
	}
}

var (
	_ loss.Loss         = pinball{}
	_ penalty.Separable = ridge{}
)

// line is y = 2x + 1 and noise that is never the same on both sides.
func line(n int) *data.Set {
	set := &data.Set{}
	x := &matrix.Dense{Rows: n, Cols: 2}
	for i := range n {
		a, b := math.Sin(float64(i)), math.Cos(1.3*float64(i*i))
		x.Value = append(x.Value, float32(a), float32(b))
		set.Target.Number = append(set.Target.Number, 2*a+1+math.Exp(2*b))
	}
	set.X = x
	return set
}

func TestOwnLossKeepsTheLaws(t *testing.T) {
	if err := conform.Loss(pinball{0.9}); err != nil {
		t.Error(err)
	}
	if err := conform.Penalty(ridge{[]float64{1, 2, 0.5}}); err != nil {
		t.Error(err)
	}
}

// A program's own loss, penalty and solver are trained to a proof, by linear models and
// kernel machines; the model is written, read, predicts, and is verified with them.
func TestOwnLossIsTrained(t *testing.T) {
	set := line(400)
	numbers := fenchel.Spec{Task: "regression", Gap: 1e-5}
	for _, c := range []struct {
		name   string
		change func(*fenchel.Spec)
	}{
		{"loss", func(s *fenchel.Spec) { s.Loss, s.Custom.Loss = "pinball", pinball{0.9} }},
		{"loss without bias", func(s *fenchel.Spec) { s.Loss, s.Custom.Loss, s.Bias = "pinball", pinball{0.9}, "none" }},
		{"penalty", func(s *fenchel.Spec) { s.Penalty, s.Custom.Penalty = "ridge", ridge{[]float64{1, 4}} }},
		{"penalty with corners", func(s *fenchel.Spec) {
			s.Penalty, s.Custom.Penalty, s.Loss = "ridge", ridge{[]float64{1, 4}}, "absolute"
		}},
		{"both", func(s *fenchel.Spec) {
			s.Loss, s.Custom.Loss, s.Penalty, s.Custom.Penalty = "pinball", pinball{0.5}, "ridge", ridge{[]float64{1, 4}}
		}},
		{"solver", func(s *fenchel.Spec) { s.Solver, s.Custom.Solver = "ascent", dual.SDCA{} }},
		{"machine", func(s *fenchel.Spec) {
			s.Loss, s.Custom.Loss, s.Kernel, s.Bias = "pinball", pinball{0.9}, "rbf:gamma=1", "feature"
		}},
	} {
		spec := numbers
		c.change(&spec)
		r, err := fenchel.Train(t.Context(), set, spec)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Status != "converged" || !(r.Summary.Gap <= 1e-5) {
			t.Errorf("%s: found %s at the gap %g by %s", c.name, r.Status, r.Summary.Gap, r.Model.Statement.Solver)
		}
		m, _ := fit(t, set, spec)
		x := set.X.Row(3)
		if m.Predict(x) != r.Model.Predict(x) {
			t.Errorf("%s: predicts %g, once read again %g", c.name, r.Model.Predict(x), m.Predict(x))
		}
		s := m.Statement
		if (spec.Custom.Loss != nil) != (s.Loss == model.Foreign+"pinball") || (spec.Custom.Penalty != nil) != (s.Penalty == model.Foreign+"ridge") || (spec.Custom.Solver != nil) != (s.Solver == model.Foreign+"ascent") {
			t.Errorf("%s: found the statement %+v", c.name, s)
		}
		if spec.Custom.Loss != nil || spec.Custom.Penalty != nil {
			if _, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{Threads: 1}); err == nil || !strings.Contains(err.Error(), "is of the program that stated the problem, not of this one: expected its value, as Custom") {
				t.Errorf("%s: verified without the value: %v", c.name, err)
			}
		}
		m.CustomLoss, m.CustomPenalty = spec.Custom.Loss, spec.Custom.Penalty
		if err := m.Seal(); err != nil {
			t.Error(err)
		}
		agrees(t, m, set)
		agrees(t, r.Model, set)
		if spec.Custom.Loss != nil {
			m.CustomLoss = pinball{0.8}
			if v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{Threads: 1}); err != nil || len(v.Problems) == 0 {
				t.Errorf("%s: another loss passes for it: %v, %v", c.name, v, err)
			}
		}
	}
}

// The pinball loss with tau = 1/2 is half the absolute one: twice the C, the same line.
func TestOwnLossIsWhatItSays(t *testing.T) {
	set := line(300)
	named := fitted(t, set, fenchel.Spec{Task: "regression", Loss: "absolute", C: 1, Gap: 1e-8})
	own := fitted(t, set, fenchel.Spec{Task: "regression", Loss: "half", Custom: fenchel.Custom{Loss: pinball{0.5}}, C: 2, Gap: 1e-8})
	if a, b := named.Summary.Primal, 2*own.Summary.Primal; math.Abs(a-b) > 1e-7*a {
		t.Errorf("found twice the objective %g, expected %g", b, a)
	}
	if above := fitted(t, set, fenchel.Spec{Task: "regression", Loss: "pinball", Custom: fenchel.Custom{Loss: pinball{0.9}}, C: 100}).Model; above.Cols() == 2 {
		below := 0
		for i, y := range set.Target.Number {
			if y < above.Predict(set.X.Row(i)) {
				below++
			}
		}
		if below < 250 || below > 290 {
			t.Errorf("found %d of 300 targets below the quantile 0.9", below)
		}
	}
}

func TestOwnPartsAreRefused(t *testing.T) {
	set := line(50)
	for want, spec := range map[string]fenchel.Spec{
		`loss "" of the program's own: expected a name that no other has`:      {Custom: fenchel.Custom{Loss: pinball{0.5}}},
		`loss "hinge" of the program's own: expected a name that no other has`: {Custom: fenchel.Custom{Loss: pinball{0.5}}, Loss: "hinge"},
		`loss "a:b" of the program's own: expected a name`:                     {Custom: fenchel.Custom{Loss: pinball{0.5}}, Loss: "a:b"},
		`penalty "l2" of the program's own: expected a name that no other has`: {Custom: fenchel.Custom{Penalty: ridge{}}, Penalty: "l2"},
		`penalty "" of the program's own: expected a name that no other has`:   {Custom: fenchel.Custom{Penalty: ridge{}}},
		`solver "" of the program's own: expected a name that no other has`:    {Custom: fenchel.Custom{Solver: dual.SDCA{}}},
		`loss "x" is of the program that stated the problem, not of this one`:  {Loss: "foreign:x"},
		`partitions=3 with a solver of the program's own`:                      {Custom: fenchel.Custom{Solver: dual.SDCA{}}, Solver: "x", Run: fenchel.Run{Partitions: 3}},
		`sdca moves one dual variable at a time, which a free bias forbids`:    {Custom: fenchel.Custom{Loss: pinball{0.5}}, Loss: "x", Kernel: "linear"},
		`penalty "foreign:x" with a kernel: expected l2`:                       {Custom: fenchel.Custom{Penalty: ridge{}}, Penalty: "foreign:x", Kernel: "linear"},
	} {
		spec.Task = "regression"
		if _, err := fenchel.Train(t.Context(), set, spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
}

// A value beside a registered name does not change what the name means.
func TestOwnLossIsNoOther(t *testing.T) {
	set := line(60)
	m, file := fit(t, set, fenchel.Spec{Task: "regression", Loss: "absolute"})
	m.CustomLoss = pinball{0.5}
	agrees(t, m, set)
	var again bytes.Buffer
	if err := m.Write(&again); err != nil || !bytes.Equal(again.Bytes(), file) {
		t.Errorf("found another file, or %v", err)
	}
}
