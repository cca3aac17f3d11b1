package network

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// noisy is a problem of 150 rows whose targets, in units of scale, are mostly noise.
func noisy(t *testing.T, scale float64) *problem.Network {
	t.Helper()
	const n, d = 150, 4
	r := rand.New(rand.NewPCG(8, 8))
	x, y := &matrix.Dense{Rows: n, Cols: d}, make([]float64, n)
	for i := range y {
		for range d {
			x.Value = append(x.Value, float32(r.NormFloat64()))
		}
		y[i] = scale * (float64(x.Value[i*d]) + r.NormFloat64())
	}
	rows := problem.NewRows(x, 2)
	risk, err := problem.NetworkRisk(rows, y, nil, loss.Squared{}, 1e-9)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewNetwork(rows, []int{20}, "tanh", risk, nil, 0.2, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func begin(t *testing.T, spec string, p problem.Problem, seed uint64) *descent {
	t.Helper()
	s, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s.Start(p, solver.Start{Seed: seed}).(*descent)
}

// TestBest returns the point of the epoch whose held rows have the least loss, ends once shorter steps brought
// nothing, and says so.
func TestBest(t *testing.T) {
	for _, name := range []string{"adam:gamma=0.02,patience=4", "sgd:gamma=0.1,patience=4"} {
		p := noisy(t, 1)
		d, least, epochs := begin(t, name, p, 1), math.Inf(1), 0
		var lengths []float64
		for ; d.Report().Done == "" && epochs < 500; epochs++ {
			d.Epoch()
			least = min(least, p.Loss(d.w, p.Held))
			if !slices.Contains(lengths, d.divisor) {
				lengths = append(lengths, d.divisor)
				if d.divisor > 1 && (d.since != 0 || slices.Max(d.square) != 0 || slices.Max(d.mean) != 0 || slices.Min(d.mean) != 0) {
					t.Errorf("%s: shorter steps begin with the means of %g steps", name, d.since)
				}
			}
		}
		found := p.Loss(d.Point().W, p.Held)
		if found > least*(1+2e-4) || found >= p.Loss(d.w, p.Held) && d.waited > 0 && found != least {
			t.Errorf("%s: found the loss %g of the rows held out, expected the least, %g", name, found, least)
		}
		if !slices.Equal(lengths, []float64{1, 5, 25}) || !strings.Contains(d.Report().Done, "shorter steps brought nothing: the least mean loss of 30 rows held out") {
			t.Errorf("%s: found steps shortened by %v, and the end %q", name, lengths, d.Report().Done)
		}
	}
}

// TestOrder takes the rows in another order for another seed, and in each epoch.
func TestOrder(t *testing.T) {
	p := noisy(t, 1)
	one, again, other := begin(t, "adam", p, 1), begin(t, "adam", p, 1), begin(t, "adam", p, 2)
	before := slices.Clone(one.order)
	for _, d := range []*descent{one, again, other} {
		d.Epoch()
	}
	if !slices.Equal(one.order, again.order) || !slices.Equal(one.w, again.w) {
		t.Error("found another order by the same seed")
	}
	if slices.Equal(one.order, other.order) || slices.Equal(one.order, before) {
		t.Error("found the same order by another seed, or before")
	}
}

// TestUnit learns targets a million times as large as well: steps are in units of their deviation.
func TestUnit(t *testing.T) {
	for _, name := range []string{"adam:gamma=0.01", "sgd:gamma=0.05"} {
		var shares []float64
		for _, scale := range []float64{1, 0x1p20} {
			p := noisy(t, scale)
			d := begin(t, name, p, 1)
			for range 10 {
				d.Epoch()
			}
			_, unit := p.Targets()
			shares = append(shares, p.Loss(d.w, p.Learn)/(unit*unit))
		}
		if math.Abs(shares[1]-shares[0]) > 1e-4*shares[0] || shares[0] > 0.45 {
			t.Errorf("%s: found the losses %v in units of the deviation, expected the same, below that of the mean, 0.5", name, shares)
		}
	}
}

// TestDiverged goes back to the best point where steps are far too long.
func TestDiverged(t *testing.T) {
	d := begin(t, "sgd:gamma=1e200", noisy(t, 1), 1)
	for range 5 {
		d.Epoch()
	}
	if d.Report().Done == "" || slices.ContainsFunc(d.Point().W, func(w float64) bool { return w-w != 0 }) {
		t.Errorf("found the end %q, expected one with finite numbers", d.Report().Done)
	}
}

// TestDecays: Adam with other decays of its means, and SGD with another momentum, make the steps of the update as it is
// written.
func TestDecays(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for spec, c := range map[string][3]float64{"adam": {0.9, 0.999}, "adam:beta1=0.5,beta2=0.8": {0.5, 0.8}, "adam:beta1=0,beta2=0": {0, 0}, "sgd:momentum=0.3": {0, 0, 0.3}} {
		d, gradients := begin(t, spec, noisy(t, 1), 1), make([][3]float64, 4)
		w, m, v := [3]float64(d.w), [3]float64{}, [3]float64{}
		for k := range gradients {
			for j := range m {
				gradients[k][j] = r.NormFloat64()
			}
			d.since++
			copy(d.g, gradients[k][:])
			d.move(0, 3, 0.1, 2)
			for j, g := range gradients[k] {
				g *= 2
				if strings.HasPrefix(spec, "sgd") {
					m[j] = c[2]*m[j] + g
					w[j] -= 0.1 * m[j]
					continue
				}
				m[j] = c[0]*m[j] + (1-c[0])*g
				v[j] = c[1]*v[j] + (1-c[1])*g*g
				w[j] -= 0.1 * m[j] / (1 - math.Pow(c[0], float64(k+1))) / (math.Sqrt(v[j]/(1-math.Pow(c[1], float64(k+1)))) + 1e-8)
			}
		}
		for j := range w {
			if math.Abs(w[j]-d.w[j]) > 1e-12 {
				t.Errorf("%s: found the parameters %v, expected %v", spec, d.w[:3], w)
				break
			}
		}
	}
	for _, spec := range []string{"adam:beta1=1", "adam:beta2=2", "sgd:momentum=1", "sgd:beta1=0.5"} {
		if _, err := New(spec); err == nil {
			t.Errorf("%s: found no error, expected one", spec)
		}
	}
}
