package problem_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// newNetwork draws a problem of 60 rows of 5 features, with weights of rows.
func newNetwork(t *testing.T, output, activation string, hidden []int, threads int) *problem.Network {
	t.Helper()
	const n, d, classes = 60, 5, 3
	r := rand.New(rand.NewPCG(3, 1))
	x := &matrix.Dense{Rows: n, Cols: d}
	y, class, weights := make([]float64, n), make([]uint32, n), make([]float64, n)
	for i := range n {
		for range d {
			x.Value = append(x.Value, float32(r.NormFloat64()))
		}
		y[i], class[i], weights[i] = math.Copysign(1, r.NormFloat64()), uint32(r.IntN(classes)), 0.5+r.Float64()
		if output == "squared" {
			y[i] = 3 + 2*r.NormFloat64()
		}
	}
	rows := problem.NewRows(x, threads)
	var risk *problem.Risk
	var all *problem.JointRisk
	var err error
	if output == "softmax" {
		all, err = problem.NetworkJointRisk(rows, class, classes, weights, joint.Softmax{}, 0.01)
	} else {
		risk, err = problem.NetworkRisk(rows, y, weights, map[string]loss.Loss{"logistic": loss.Logistic{}, "squared": loss.Squared{}}[output], 0.01)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewNetwork(rows, hidden, activation, risk, all, 0.2, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestNetworkGradient compares the gradient with differences of the objective, for every activation and
// output, and the number of parameters with sum_l m_l (m_{l-1} + 1).
func TestNetworkGradient(t *testing.T) {
	for _, activation := range network.Activations() {
		for _, output := range []string{"logistic", "squared", "softmax"} {
			for _, hidden := range [][]int{{7}, {6, 4}, {3, 5, 4}} {
				t.Run(fmt.Sprint(activation, output, hidden), func(t *testing.T) {
					p := newNetwork(t, output, activation, hidden, 2)
					outputs := map[string]int{"softmax": 3}[output]
					units, count := slices.Concat([]int{5}, hidden, []int{max(outputs, 1)}), 0
					for l := 1; l < len(units); l++ {
						count += units[l] * (units[l-1] + 1)
					}
					if p.Parameters() != count {
						t.Fatalf("found %d parameters, expected %d", p.Parameters(), count)
					}
					compareDifferences(t, p)
				})
			}
		}
	}
}

func compareDifferences(t *testing.T, p *problem.Network) {
	w, g := make([]float64, p.Parameters()), make([]float64, p.Parameters())
	p.Draw(w, 5)
	r := rand.New(rand.NewPCG(9, 9))
	for k := range w {
		w[k] += 0.1 * r.NormFloat64() // biases too
	}
	p.Gradient(g, w)
	value := func(k int, by float64) float64 {
		moved := slices.Clone(w)
		moved[k] += by
		return p.Certify(problem.Point{W: moved}).Primal
	}
	for k := range w {
		const h = 1e-5
		if d := (value(k, h) - value(k, -h)) / (2 * h); !(math.Abs(d-g[k]) <= 1e-6*max(1, math.Abs(d))) {
			t.Fatalf("parameter %d: found the slope %.12g, expected %.12g by differences", k, g[k], d)
		}
	}
}

// TestNetworkThreads finds the same bits on any number of threads.
func TestNetworkThreads(t *testing.T) {
	var objective float64
	var gradient []float64
	for _, threads := range []int{1, 2, 5} {
		p := newNetwork(t, "softmax", "tanh", []int{9, 6}, threads)
		w, g := make([]float64, p.Parameters()), make([]float64, p.Parameters())
		p.Draw(w, 5)
		p.Gradient(g, w)
		now := p.Certify(problem.Point{W: w}).Primal
		if threads == 1 {
			objective, gradient = now, g
		}
		if now != objective || !slices.Equal(g, gradient) {
			t.Errorf("%d threads: found another objective or gradient than on one", threads)
		}
	}
}

// TestNetworkHeld holds a share of the rows out of the objective, the same by the seed.
func TestNetworkHeld(t *testing.T) {
	p := newNetwork(t, "logistic", "relu", []int{4}, 1)
	if len(p.Held) != 12 || len(p.Learn) != 48 {
		t.Fatalf("found %d rows held out of %d, expected 12 of 60", len(p.Held), len(p.Held)+len(p.Learn))
	}
	if !slices.Equal(p.Held, newNetwork(t, "logistic", "relu", []int{4}, 1).Held) {
		t.Error("found other rows held out by the same seed")
	}
	for _, i := range p.Held {
		if _, learned := slices.BinarySearch(p.Learn, i); learned {
			t.Fatalf("row %d is learned from and held out", i)
		}
	}
	if c := p.Certify(problem.Point{W: make([]float64, p.Parameters())}); !math.IsInf(c.Dual, -1) || math.Abs(c.Primal-math.Log(2)) > 1e-12 || c.Zero != c.Primal {
		t.Errorf("found the certificate %+v of zero, expected log 2 and no bound", c)
	}
}

// TestNetworkHeldFew: no rows are held out where they would be fewer than 10.
func TestNetworkHeldFew(t *testing.T) {
	p := newNetwork(t, "logistic", "tanh", []int{3}, 1)
	y := slices.Repeat([]float64{1, -1}, 30)
	risk, err := problem.NetworkRisk(p.Rows, y, nil, loss.Logistic{}, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	for held, want := range map[float64]int{0.16: 0, 0.17: 10} {
		q, err := problem.NewNetwork(p.Rows, []int{3}, "tanh", risk, nil, held, 1)
		if err != nil || len(q.Held) != want || len(q.Learn) != 60-want {
			t.Errorf("held=%g: %v, found %d rows held out and %d to learn from, expected %d and %d", held, err, len(q.Held), len(q.Learn), want, 60-want)
		}
	}
}
