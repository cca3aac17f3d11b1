package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/loss"
)

// Margins is the part of the slack-constrained problems that sees margins only:
// f for given margins. It knows nothing of what predicts.
type Margins struct {
	Risk
	Nu       float64
	weighted bool // some weight is not 1
}

// newMargins checks the numbers. The loss is the hinge, the rows have no weights.
func newMargins(n int, targets []float64, nu float64, bias Bias, threads int) (*Margins, error) {
	if !(nu >= 0 && nu <= most) {
		return nil, fmt.Errorf("problem: nu=%g: expected a number from 0 to %g", nu, most)
	}
	risk, err := newRisk(n, targets, nil, loss.Hinge{}, 1, bias, threads)
	if err != nil {
		return nil, err
	}
	m := &Margins{Risk: *risk, Nu: nu}
	m.Lambda = 0
	if m.atZero(); math.IsInf(m.zero, -1) {
		return nil, errors.New("problem: found one class only, expected rows of both: with a free bias the margin has no bound")
	}
	return m, nil
}

// Weigh gives the rows weights, so that sum_i s_i xi_i <= N nu: a weight of 2 is the same as the row twice.
func (m *Margins) Weigh(weights []float64) error {
	risk, err := newRisk(len(m.Y), m.Y, weights, m.Loss, 1, m.Bias, m.threads)
	if err != nil {
		return err
	}
	risk.Lambda = 0
	m.Risk, m.weighted = *risk, slices.ContainsFunc(weights, func(s float64) bool { return s != 1 })
	m.atZero()
	return nil
}

// Weighted reports whether rows count differently.
func (m *Margins) Weighted() bool { return m.weighted }

// atZero sets the objective of the zero point.
func (m *Margins) atZero() {
	level, _ := m.Level(new(water.Filling), make([]float64, len(m.Y)))
	m.zero = -level
}

// Volume returns n nu.
func (m *Margins) Volume() float64 { return float64(m.N * m.Nu) }

// Level returns f for the margins c without a free bias, and that bias.
func (m *Margins) Level(w *water.Filling, c []float64) (level, bias float64) {
	var y []float64
	if m.Bias == Free {
		y = m.Y
	}
	return m.fill(w, c, y)
}

// fill pours the volume over the margins, with the best bias if there are y.
func (m *Margins) fill(w *water.Filling, c, y []float64) (level, bias float64) {
	if m.weighted {
		return water.Weighted(c, y, m.S, m.Volume())
	}
	return w.Fill(c, y, m.Volume())
}

// most returns what no correction needs to exceed where f is largest, if no margin
// that w gives is larger than longest. The level is at most longest while some
// row is not under water, and else nu above the mean margin. With a free bias the
// levels of both classes add up to twice longest and n nu for each row of the
// smaller one at most, and none is below all of its rows.
func (m *Margins) most(longest float64) float64 {
	if m.Bias != Free {
		return 2*longest + m.Nu
	}
	positive := 0
	for _, y := range m.Y {
		if y > 0 {
			positive++
		}
	}
	return 4*longest + m.Volume()/float64(min(positive, len(m.Y)-positive))
}

// steepest returns what a unit of the volume adds to p^T xi at most, with p = |v|: the largest p_i/s_i.
func (m *Margins) steepest(v []float64) float64 {
	largest := 0.0
	for i, x := range v {
		largest = max(largest, math.Abs(x)/m.S[i])
	}
	return largest * (1 + 4*unit)
}

// corrections returns the largest p^T xi for 0 <= xi_i <= most, sum xi <= n nu,
// with p = |v|: it goes to the largest p. With weights it is what it is without the first bound.
func (m *Margins) corrections(v []float64, most float64) float64 {
	if m.weighted {
		return float64(m.Volume() * m.steepest(v))
	}
	p := make([]float64, len(v))
	for i, x := range v {
		p[i] = -math.Abs(x)
	}
	k := min(int(m.Volume()/most)+1, len(p))
	var w water.Filling
	w.Lowest(p, k)
	var sum vec.Sum
	w.Covered(func(i int, part float64) { sum.Add(-p[i] * part) })
	last := -p[w.Last()] // the k-th
	rest := min(most, max(0, m.Volume()-float64(float64(k-1)*most)))
	return float64(most*(float64(sum.Value()*(1+8*unit))-last)) + float64(rest*last)
}

// level returns f for predictions, to which the bias is still to be added, and a
// bound on its error: f moves by no more than the worst of them. The margins
// take the place of the predictions.
func (m *Margins) level(predictions, errs []float64, bias float64) (f, bound float64) {
	worst, largest := 0.0, 0.0
	for i, y := range m.Y {
		predictions[i] = y * (predictions[i] + bias)
		worst = max(worst, errs[i])
		largest = max(largest, math.Abs(predictions[i]))
	}
	f, _ = m.fill(new(water.Filling), predictions, nil)
	return f, worst + float64(float64(4*(len(errs)+16))*unit*(largest+math.Abs(f)+math.Abs(bias))) + float64(float64(len(errs)+16)*tiny)
}

// masses returns y_i p_i, p_i = s_i |a_i|, in a scale in which the largest is about 1.
func (m *Margins) masses(a []float64) []float64 {
	v, largest := make([]float64, len(a)), 0.0
	for i, y := range m.Y {
		if x := -y * a[i]; x > 0 && !math.IsInf(x*m.S[i], 1) {
			v[i] = y * x * m.S[i]
			largest = max(largest, x*m.S[i])
		}
	}
	if largest > 0 {
		for i := range v {
			v[i] /= largest
		}
	}
	if m.Bias == Free {
		balance(v, m.threads)
	}
	return v
}

// verdict is the certificate of a point with that bias at which f is found, off by
// bound at most, while nowhere it is more than above.
func (m *Margins) verdict(f, bound, bias, above float64) Certificate {
	c := Certificate{Primal: -f, Dual: math.Inf(-1), Zero: m.zero, Rounding: bound}
	c.without(m.Bias, bias)
	c.below(-above, 0)
	return c
}

// classifier returns w/f, or w where f is no margin, and whether it is one. w is
// a point that stands for inside times w.
func classifier(w []float64, f, inside float64) ([]float64, bool) {
	scaled := slices.Clone(w)
	if !(f > 0) || math.IsInf(f, 1) {
		return scaled, false
	}
	for i := range scaled {
		scaled[i] *= inside / f
	}
	return scaled, true
}

// MarginUnit returns what the weights and bias of a model are multiplied by to be the point
// at which a slack-constrained problem has the objective primal = -f: f, rounded to single
// precision so that the last bits of the objective say nothing; 1 where f is no margin. The
// model so has the margin 1, to one part in 2^24, and is the classifier of [Slack].
func MarginUnit(primal float64) float64 {
	if f := float64(float32(-primal)); f >= 0x1p-100 && f <= 0x1p100 {
		return f
	}
	return 1
}
