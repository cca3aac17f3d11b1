package stochastic

import (
	"fmt"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestDecays: Adam and RMSprop with other decays of their means make the steps of the update as it is written.
func TestDecays(t *testing.T) {
	const lambda, eta = 0.1, 0.05
	rows, y := unitRows(30, 4, 8)
	p := linear(rows, y, loss.Logistic{}, penalty.L2{}, lambda, problem.None)
	for _, c := range []struct {
		spec string
		b1   float64
		b2   float64
	}{
		{"adam", 0.9, 0.999}, {"adam:beta1=0.5,beta2=0.9", 0.5, 0.9}, {"adam:beta1=0,beta2=0", 0, 0},
		{"rmsprop", 0, 0.99}, {"rmsprop:decay=0.9", 0, 0.9}, {"rmsprop:decay=0", 0, 0},
	} {
		sep := map[bool]string{true: ",", false: ":"}[len(c.spec) > 8]
		s := must(solver.Linear.New(fmt.Sprintf("%s%sstep=constant,gamma=%g,sampling=cyclic,output=last", c.spec, sep, eta))).Start(p, solver.Start{Seed: 1}).(*state)
		var w, m, v [4]float64
		for k := range 60 {
			x, score := rows.X.Row(k%30).Value, 0.0
			for j := range w {
				score += float64(x[j]) * w[j]
			}
			slope := -y[k%30] / (1 + math.Exp(y[k%30]*score))
			for j := range w {
				g := slope * float64(x[j])
				m[j] = c.b1*m[j] + (1-c.b1)*g
				v[j] = c.b2*v[j] + (1-c.b2)*g*g
				long := eta / (math.Sqrt(v[j]/(1-math.Pow(c.b2, float64(k+1)))) + 1e-8)
				w[j] = (w[j] - long*m[j]/(1-math.Pow(c.b1, float64(k+1)))) / (1 + long*lambda)
			}
			s.Steps(1)
		}
		found := make([]float64, 5)
		s.Weights(found)
		for j := range w {
			if math.Abs(found[j]-w[j]) > 1e-12*(1+math.Abs(w[j])) {
				t.Errorf("%s: found the weights %v, expected %v", c.spec, found[:4], w)
				break
			}
		}
	}
	for _, spec := range []string{"adam:beta1=1", "adam:beta2=-0.1", "adam:beta2=nan", "rmsprop:decay=1", "rmsprop:beta1=0.9", "adagrad:beta2=0.9", "adam:decay=0.9"} {
		if _, err := solver.Linear.New(spec); err == nil {
			t.Errorf("%s: found no error, expected one", spec)
		}
	}
}
