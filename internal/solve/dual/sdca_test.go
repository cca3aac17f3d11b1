package dual

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// text draws words of d, the first of which are the most frequent, and returns those that
// came, in order.
func text(r *rand.Rand, d, words int, skew float64) []uint32 {
	index := make([]uint32, words)
	for k := range index {
		index[k] = uint32(float64(d) * math.Pow(r.Float64(), skew))
	}
	slices.Sort(index)
	return slices.Compact(index)
}

// documents draws n sparse rows of unit length over d columns, low columns more
// often, with labels of a hidden direction; enough nonzeros for sdca's rounds.
func documents(l loss.Loss, bias problem.Bias, threads int) *problem.Linear {
	const n, d, words = 4000, 600, 45
	r := rand.New(rand.NewPCG(7, 7))
	hidden := make([]float64, d)
	for j := range hidden {
		hidden[j] = r.NormFloat64()
	}
	x, y := &matrix.CSR{}, make([]float64, n)
	for i := range n {
		index := text(r, d, words, 3)
		value, score := make([]float32, len(index)), 0.5*r.NormFloat64()
		for k, j := range index {
			value[k] = float32(1 / math.Sqrt(float64(len(index))))
			score += hidden[j] * float64(value[k])
		}
		x.Append(index, value)
		y[i] = math.Copysign(1, score)
	}
	x.Cols = d
	return must(problem.NewLinear(problem.NewRows(x, threads), y, nil, l, penalty.L2{}, 1.0/n, bias))
}

// TestPartitions: any number of them proves the gap, gives the same bits on any
// number of threads, with a clock or without, and keeps u the combination of
// the rows that a says.
func TestPartitions(t *testing.T) {
	for _, c := range []struct {
		loss       loss.Loss
		bias       problem.Bias
		partitions int
	}{
		{loss.Hinge{}, problem.None, 2}, {loss.Hinge{}, problem.Free, 2}, {loss.Logistic{}, problem.None, 2},
		{loss.Logistic{}, problem.Feature, 2}, {loss.SquaredHinge{}, problem.Free, 2}, {loss.Squared{}, problem.None, 2},
	} {
		name := fmt.Sprintf("%T/%v/%d", c.loss, c.bias, c.partitions)
		var first *solver.Solution
		for _, threads := range []int{1, 2, 5} {
			p := documents(c.loss, c.bias, threads)
			k := SDCA{Partitions: c.partitions}
			if threads == 5 {
				k.Clock = &Clock{}
			}
			s := must(solver.Run(context.Background(), k, p, solver.Options{Gap: 1e-4, Epochs: 2000}))
			if s.Status != solver.Converged {
				t.Errorf("%s: %s at %g after %d epochs", name, s.Status, s.Certificate.Relative(), s.Epochs)
			}
			if first == nil {
				first = s
			} else if !slices.Equal(s.Point.W, first.Point.W) || !slices.Equal(s.Point.A, first.Point.A) {
				t.Errorf("%s: other bits with %d threads", name, threads)
			}
			if k.Clock != nil && (k.Clock.Rounds == 0 || k.Clock.Slowest > k.Clock.Work) {
				t.Errorf("%s: clock %+v", name, *k.Clock)
			}
		}
	}
}

// TestRoundsKeepUp: after rounds whose steps were cut short, u is still what the
// dual variables say, and every dual variable is in its domain.
func TestRoundsKeepUp(t *testing.T) {
	p := documents(loss.Hinge{}, problem.None, 2)
	s := SDCA{Partitions: 8}.Start(p, solver.Start{Seed: 3}).(*sdca)
	for range 12 {
		s.arrange()
		s.rounds(2)
		s.epoch++
	}
	if slices.Max(s.columns.sigma) < 2*firstSigma {
		t.Error("eight partitions never got into each other's way: nothing is tested")
	}
	u, _ := p.Combine(s.a)
	for j := range u[:len(u)-1] {
		if want := -s.factor * u[j]; math.Abs(s.u[j]-want) > 1e-10*(1+math.Abs(want)) {
			t.Fatalf("u[%d] = %g, the dual variables say %g", j, s.u[j], want)
		}
	}
	sum, conjugate := 0.0, 0.0
	for i, a := range s.a {
		if lo, hi := p.Loss.Domain(p.Y[i]); a < lo || a > hi {
			t.Fatalf("a[%d] = %g outside [%g, %g]", i, a, lo, hi)
		}
		sum += p.S[i] * a
		conjugate += p.S[i] * p.Loss.Conjugate(a, p.Y[i])
	}
	if math.Abs(s.sum-sum) > 1e-10*p.N || math.Abs(s.conjugate-conjugate) > 1e-10*p.N {
		t.Errorf("sums %g and %g, the dual variables say %g and %g", s.sum, s.conjugate, sum, conjugate)
	}
}

// TestRoundsOf: where few rows are awake partitions still work side by side, in short
// pieces, but not where these are shorter than the merge of the weights.
func TestRoundsOf(t *testing.T) {
	for _, c := range []struct {
		n, d       int
		nonzeros   int64
		rows, want int
	}{
		{11314, 36703, 1499877, 11314, 5}, // 20 newsgroups
		{11314, 36703, 1499877, 1850, 3},
		{11314, 36703, 1499877, 1200, 2},
		{11314, 36703, 1499877, 1000, 1},
		{25000, 35860, 3398489, 8700, 4}, // imdb
		{49749, 300, 579586, 5000, 1},    // w8a: many short rows
		{49749, 300, 579586, 6000, 2},
		{1 << 20, 100, 1 << 30, 1 << 20, mostRounds},
	} {
		x := &matrix.CSR{Cols: c.d, Start: make([]int64, c.n+1)}
		s := &sdca{p: &problem.Linear{Rows: &problem.Rows{X: x, Nonzeros: c.nonzeros}}, partitions: partitions{part: make([]partition, 2)}}
		if got := s.roundsOf(c.rows); got != c.want {
			t.Errorf("%d of %d rows with %d nonzeros in %d columns: %d rounds, want %d", c.rows, c.n, c.nonzeros, c.d, got, c.want)
		}
	}
}

// TestAdapt: sigma stays between its least and the number of partitions, which is safe.
func TestAdapt(t *testing.T) {
	for _, c := range []struct{ best, want float64 }{{0.01, 3}, {2, leastSigma}, {1, firstSigma}} {
		sigma := float64(firstSigma)
		for range 100 {
			sigma = adapted(sigma, c.best, 3)
		}
		if sigma != c.want {
			t.Errorf("after a hundred rounds that want %g: sigma %g, want %g", c.best, sigma, c.want)
		}
	}
}

// TestBestTheta: what stays of a round is the share with the highest dual, and sigma
// learns from it.
func TestBestTheta(t *testing.T) {
	const parts = 8
	for _, bias := range []problem.Bias{problem.None, problem.Feature} {
		p := documents(loss.Hinge{}, bias, 2)
		s := SDCA{Partitions: parts}.Start(p, solver.Start{Seed: 3}).(*sdca)
		s.columns, s.sigma = nil, 1 // nobody leaves room for the others
		s.arrange()
		first := partition{u: s.u} // at u = 0 the slope would not be seen
		s.sweep(&first, s.rows[:100])
		s.settle(&first, 1)
		s.rows = s.rows[100:]
		for k := range s.part {
			copy(s.part[k].u, s.u)
		}
		before, each := slices.Clone(s.a), len(s.rows)/parts
		for k := range s.part {
			s.sweep(&s.part[k], s.rows[k*each:(k+1)*each])
		}
		u := slices.Clone(s.u)
		along, squared := s.join(0, len(s.u))
		slope, bend := 0.0, 0.0
		for j, x := range u[:p.Penalised()] { // beta is 1 where the bias is a feature
			slope += x * (s.u[j] - x)
			bend += (s.u[j] - x) * (s.u[j] - x)
		}
		if math.Abs(along-slope) > 1e-12*(math.Abs(slope)+bend) || math.Abs(squared-bend) > 1e-12*bend {
			t.Errorf("%v: slope %g, curvature %g of a merge, want %g and %g", bias, along, squared, slope, bend)
		}
		theta := s.settleAll([]float64{along}, []float64{squared})
		if theta >= 0.75 || theta <= 1.0/parts {
			t.Fatalf("%v: theta %g: nothing is tested", bias, theta)
		}
		if want := 1 / math.Sqrt(max(theta*overRelaxed, 0.25)); math.Abs(s.sigma-want) > 1e-12 {
			t.Errorf("%v: sigma %g, want %g", bias, s.sigma, want)
		}
		dual := func(theta float64) float64 {
			a := slices.Clone(before)
			for i := range a {
				a[i] += theta * (s.a[i] - before[i])
			}
			value, _ := p.Dual(a)
			return value
		}
		for _, other := range []float64{theta - 0.01, theta + 0.01} {
			if dual(other) >= dual(theta) {
				t.Errorf("%v: the dual is %g with %g, %g with %g", bias, dual(theta), theta, dual(other), other)
			}
		}
		if got := s.settleAll([]float64{1e9}, []float64{1}); got != 1.0/parts {
			t.Errorf("%v: %g of a round that leads down, want the mean of the partitions", bias, got)
		}
	}
}

// TestMergeAscends: merging never lowers the dual, however much the partitions
// disagree.
func TestMergeAscends(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.SquaredHinge{}, loss.Squared{}} {
		p := documents(l, problem.None, 1)
		s := SDCA{Partitions: 8}.Start(p, solver.Start{Seed: 3}).(*sdca)
		before, _ := p.Dual(s.a)
		for epoch := range 10 {
			s.arrange()
			s.rounds(1)
			s.epoch++
			after, bound := p.Dual(s.a)
			if after < before-2*bound {
				t.Errorf("%T: epoch %d: the dual fell from %g to %g", l, epoch, before, after)
			}
			before = after
		}
	}
}

// TestSDCAEstimate is within a factor of the gap that the certificate finds, soon
// after the start.
func TestSDCAEstimate(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.SquaredHinge{}} {
		for _, partitions := range []int{1, 2} {
			s := SDCA{Partitions: partitions}.Start(documents(l, problem.None, 2), solver.Start{Seed: 3}).(*sdca)
			for epoch := range 20 {
				s.Epoch()
				got, gap := s.Report().Gap, s.p.Certify(s.Point()).Relative()
				if epoch >= 2 && gap > 1e-8 && (got < gap/8 || got > 30*gap) {
					t.Errorf("%T, %d partitions, epoch %d: estimate %g, gap %g", l, partitions, epoch, got, gap)
				}
			}
		}
	}
}

// TestFreeBiasAlone: where there is nothing but a free bias, and a row may weigh a
// thousand times another, the bias settles.
func TestFreeBiasAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for _, l := range []loss.Loss{loss.EpsilonInsensitive{Epsilon: 0.1}, loss.Absolute{}, loss.Hinge{}, loss.Squared{}, loss.SquaredHinge{}, loss.Logistic{}} {
		_, margin := l.(loss.Margin)
		for range 200 {
			n := 2 + r.IntN(5)
			y, weight := make([]float64, n), make([]float64, n)
			for i := range n {
				if y[i] = math.Round(20*r.NormFloat64()) / 10; margin {
					y[i] = float64(2*r.IntN(2) - 1)
				}
				weight[i] = math.Pow(10, 3*r.Float64())
			}
			x := &matrix.Dense{Rows: n, Cols: 1, Value: make([]float32, n)}
			p := must(problem.NewLinear(problem.NewRows(x, 1), y, weight, l, penalty.L2{}, math.Pow(10, -4*r.Float64()), problem.Free))
			s := must(solver.Run(context.Background(), SDCA{}, p, solver.Options{Gap: 1e-9, Epochs: 400}))
			if s.Status != solver.Converged && s.Certificate.Primal > 1e-12 {
				t.Errorf("%T: %s at %g, y %v, weights %v, lambda %g", l, s.Status, s.Certificate.Relative(), y, weight, p.Lambda)
			}
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
