package pca

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/pca/internal/algebra"
	"github.com/fenchel-ml/fenchel/pca/view"
	"github.com/fenchel-ml/fenchel/vec"
)

// AdaOja needs no tuning: told lengths of the rows that are wrong by a factor of a
// hundred either way it still ends near the answer. Oja's method does not.
func TestAdaOjaNeedsNoTuning(t *testing.T) {
	g := newGaussian(21, 10000, easyDims)
	p := problemOf(g.rows, easyK)
	for _, wrong := range []float64{1e-4, 1e-2, 1, 1e2, 1e4} {
		p := p
		p.Squared *= wrong
		missed := func(m Streaming) float64 {
			s := m.Start(p)
			s.Learn(g.rows)
			return g.missed(s.Basis())
		}
		ada, oja := missed(AdaOja{10}), missed(Oja{InverseRoot{1}, "lazy"})
		t.Logf("squared length wrong by %g: adaoja misses %.2g, oja %.2g", wrong, ada, oja)
		if ada > 0.02 {
			t.Errorf("squared length wrong by %g: missed %g", wrong, ada)
		}
		if (wrong == 1e-4 || wrong == 1e4) && oja < 3*ada {
			t.Errorf("squared length wrong by %g: oja missed %g, adaoja %g: found no difference", wrong, oja, ada)
		}
	}
}

// A batch that is not full counts, and asking for the basis changes nothing.
func TestAdaOjaTakesPartsOfBatches(t *testing.T) {
	g := newGaussian(22, 25, easyDims)
	p := problemOf(g.rows, easyK)
	s, asked := AdaOja{10}.Start(p), AdaOja{10}.Start(p)
	s.Learn(g.rows.Part(0, 20))
	before := s.Basis()
	for i := range 25 {
		asked.Learn(g.rows.Part(i, i+1))
		asked.Basis()
	}
	s.Learn(g.rows.Part(20, 25))
	sameBits(t, "asked in between", s.Basis(), asked.Basis())
	if apart(before, s.Basis()) < 1e-3 {
		t.Error("five rows of a batch of ten did not count")
	}
}

// lowRank is n rows in k of d dimensions, and a basis of these.
func lowRank(seed uint64, n, k, d int) (view.Rows, Basis) {
	axes := algebra.RandomBasis(seed, k, d)
	rng := rand.New(rand.NewPCG(seed, 78))
	m := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		x := make([]float64, d)
		for j := range k {
			vec.Axpy64(x, rng.NormFloat64(), axes[j*d:(j+1)*d])
		}
		for j, v := range x {
			m.Value[i*d+j] = float32(v)
		}
	}
	return view.Rows{X: m}, Basis{K: k, Cols: d, Component: axes}
}

// On rows of rank k Krasulina's method converges exponentially at a constant step:
// each stretch of rows divides the error by ten or more, until it is rounding (of
// the rows, which are single precision).
func TestKrasulinaIsExponentialOnLowRank(t *testing.T) {
	const stretch = 60
	x, want := lowRank(23, 10*stretch, easyK, easyDims)
	s := Krasulina{Constant{0.3}}.Start(problemOf(x, easyK))
	previous := 1.0
	for lo := 0; lo < 10*stretch; lo += stretch {
		s.Learn(x.Part(lo, lo+stretch))
		missed := apart(s.Basis(), want)
		t.Logf("after %d rows the sine is %.2g", lo+stretch, missed)
		if missed < 1e-6 {
			break
		}
		if missed > previous/10 {
			t.Errorf("after %d rows the sine is %g, before the last %d of them %g", lo+stretch, missed, stretch, previous)
		}
		previous = missed
	}
	if got := apart(s.Basis(), want); got > 1e-6 {
		t.Errorf("the sine is %g", got)
	}
}

// CCIPCA finds components and eigenvalues in order.
func TestCCIPCAFindsValues(t *testing.T) {
	g := newGaussian(24, 20000, easyDims)
	s := CCIPCA{2}.Start(problemOf(g.rows, easyK))
	s.Learn(g.rows)
	b := s.Basis()
	for j := range easyK {
		if got := math.Abs(vec.Dot64(b.Row(j), g.axes[j*easyDims:(j+1)*easyDims])); got < 0.95 {
			t.Errorf("the cosine of component %d is %.4f", j, got)
		}
		if got := b.Value[j]; math.Abs(got-easyValue(j)) > 0.05*easyValue(j) {
			t.Errorf("value %d is %.4f, expected about %g", j, got, easyValue(j))
		}
	}
}

// Steps C/max(t, Burn) with C a few times 1/gap have the rate of the batch: ten times
// as many rows, a tenth of the error.
func TestOjaWithInverseSteps(t *testing.T) {
	missed := func(rows int) float64 {
		const seeds = 5
		sum := 0.0
		for seed := range uint64(seeds) {
			g := newGaussian(30+seed, rows, easyDims)
			p := problemOf(g.rows, easyK)
			s := Oja{Inverse{20, 200}, "lazy"}.Start(p) // gap 3 of 42: C is 1.4 of 1/gap
			s.Learn(g.rows)
			sum += g.missed(s.Basis()) / seeds
		}
		return sum
	}
	few, many := missed(2000), missed(20000)
	t.Logf("missed %.2g after 2000 rows, %.2g after 20000", few, many)
	if many > few/7 || many > 3e-3 {
		t.Errorf("missed %g after 2000 rows, %g after 20000, expected a tenth", few, many)
	}
}
