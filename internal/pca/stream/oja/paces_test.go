package oja

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// AdaOja needs no tuning: told lengths of the rows that are wrong by a factor of a
// hundred either way it still ends near the answer. Oja's method does not.
func TestAdaOjaNeedsNoTuning(t *testing.T) {
	g := pcatest.NewGaussian(21, 10000, pcatest.EasyDims)
	p := pcatest.ProblemOf(g.Rows, pcatest.EasyK)
	for _, wrong := range []float64{1e-4, 1e-2, 1, 1e2, 1e4} {
		p := p
		p.Squared *= wrong
		missed := func(m method.Streaming) float64 {
			s := m.Start(p)
			s.Learn(g.Rows)
			return g.Missed(s.Basis())
		}
		ada, oja := missed(AdaOja{10}), missed(Oja{schedule.InverseRoot{C: 1}, "lazy"})
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
	g := pcatest.NewGaussian(22, 25, pcatest.EasyDims)
	p := pcatest.ProblemOf(g.Rows, pcatest.EasyK)
	s, asked := AdaOja{10}.Start(p), AdaOja{10}.Start(p)
	s.Learn(g.Rows.Part(0, 20))
	before := s.Basis()
	for i := range 25 {
		asked.Learn(g.Rows.Part(i, i+1))
		asked.Basis()
	}
	s.Learn(g.Rows.Part(20, 25))
	pcatest.SameBits(t, "asked in between", s.Basis(), asked.Basis())
	if apart(before, s.Basis()) < 1e-3 {
		t.Error("five rows of a batch of ten did not count")
	}
}

// lowRank is n rows in k of d dimensions, and a basis of these.
func lowRank(seed uint64, n, k, d int) (view.Rows, method.Basis) {
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
	return view.Rows{X: m}, method.Basis{K: k, Cols: d, Component: axes}
}

// On rows of rank k Krasulina's method converges exponentially at a constant step:
// each stretch of rows divides the error by ten or more, until it is rounding (of
// the rows, which are single precision).
func TestKrasulinaIsExponentialOnLowRank(t *testing.T) {
	const stretch = 60
	x, want := lowRank(23, 10*stretch, pcatest.EasyK, pcatest.EasyDims)
	s := Krasulina{schedule.Constant{C: 0.3}}.Start(pcatest.ProblemOf(x, pcatest.EasyK))
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
	g := pcatest.NewGaussian(24, 20000, pcatest.EasyDims)
	s := CCIPCA{2}.Start(pcatest.ProblemOf(g.Rows, pcatest.EasyK))
	s.Learn(g.Rows)
	b := s.Basis()
	for j := range pcatest.EasyK {
		if got := math.Abs(vec.Dot64(b.Row(j), g.Axes[j*pcatest.EasyDims:(j+1)*pcatest.EasyDims])); got < 0.95 {
			t.Errorf("the cosine of component %d is %.4f", j, got)
		}
		if got := b.Value[j]; math.Abs(got-pcatest.EasyValue(j)) > 0.05*pcatest.EasyValue(j) {
			t.Errorf("value %d is %.4f, expected about %g", j, got, pcatest.EasyValue(j))
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
			g := pcatest.NewGaussian(30+seed, rows, pcatest.EasyDims)
			p := pcatest.ProblemOf(g.Rows, pcatest.EasyK)
			s := Oja{schedule.Inverse{C: 20, Burn: 200}, "lazy"}.Start(p) // gap 3 of 42: C is 1.4 of 1/gap
			s.Learn(g.Rows)
			sum += g.Missed(s.Basis()) / seeds
		}
		return sum
	}
	few, many := missed(2000), missed(20000)
	t.Logf("missed %.2g after 2000 rows, %.2g after 20000", few, many)
	if many > few/7 || many > 3e-3 {
		t.Errorf("missed %g after 2000 rows, %g after 20000, expected a tenth", few, many)
	}
}
