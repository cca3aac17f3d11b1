package dual

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// ofWidth is the chequered problem with another kernel.
func ofWidth(t *testing.T, gamma float64, l loss.Loss, bias problem.Bias, opt gram.Options) *problem.Kernel {
	t.Helper()
	p := kerneltest.Chequered(t, 300, l, bias, 10, gram.Options{})
	gram, err := gram.NewGram(kernel.RBF{Gamma: gamma}, p.X, opt)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = problem.NewKernel(gram, p.Y, nil, l, p.Lambda, bias); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestClusters: a run goes by clusters with a narrow kernel or a smooth loss, and
// only then, unless sets do badly; it reaches the optimum, with the same bits on any number of threads.
func TestClusters(t *testing.T) {
	for _, c := range []struct {
		gamma float64
		loss  loss.Loss
		want  bool
	}{{0.01, loss.Hinge{}, false}, {40, loss.Hinge{}, true}, {0.3, loss.SquaredHinge{}, true}, {40, loss.Squared{}, true}} {
		for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
			p := ofWidth(t, c.gamma, c.loss, bias, gram.Options{Threads: 1})
			s := Working{Q: 24}.Start(p, solver.Start{Seed: 1}).(*working)
			for s.turns < sampleTurns && !(s.clusters.on && s.below == nil) {
				s.Epoch()
			}
			if s.clusters.on != c.want {
				t.Errorf("gamma %g, %T: clusters are %v", c.gamma, c.loss, s.clusters.on)
			}
			best := kerneltest.Run(t, SMO{"second"}, p, solver.Options{Gap: 1e-6})
			one := kerneltest.Run(t, Working{Q: 24}, p, solver.Options{Gap: 1e-5})
			two := kerneltest.Run(t, Working{Q: 24}, ofWidth(t, c.gamma, c.loss, bias, gram.Options{Threads: 2}), solver.Options{Gap: 1e-5})
			if got, want := one.Certificate.Primal, best.Certificate.Primal; one.Status != solver.Converged || got > want*(1+2e-5) {
				t.Errorf("gamma %g, %T, bias %v: %s at %.10g, the optimum is %.10g", c.gamma, c.loss, bias, one.Status, got, want)
			}
			if !slices.Equal(one.Point.W, two.Point.W) {
				t.Errorf("gamma %g, %T, bias %v: other bits on two threads", c.gamma, c.loss, bias)
			}
		}
	}
}

// TestDivide: clusters hold every row once, and none too many; rows that lie in
// two blobs of the same size are divided as the blobs are.
func TestDivide(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	p := ofWidth(t, 1, loss.Hinge{}, problem.None, gram.Options{})
	for _, most := range []int{1, 7, 24, 299, 300} {
		rows := random.Perm(p.Len())[:p.Len()-random.IntN(2)]
		want := slices.Sorted(slices.Values(rows))
		var all []int
		for _, c := range newDivision(p, random, nil).divide(nil, rows, most) {
			if len(c) > most || 2*len(c) < min(most, len(want)) {
				t.Errorf("a cluster of %d rows of %d at most", len(c), most)
			}
			all = append(all, c...)
		}
		if slices.Sort(all); !slices.Equal(all, want) {
			t.Errorf("clusters of %d rows at most are not all rows once", most)
		}
	}
	var blobs [2][]int // in opposite corners
	for i := range p.Len() {
		switch x := p.X.Row(i).Value; {
		case max(x[0], x[1]) < 1.5 && len(blobs[0]) < 16:
			blobs[0] = append(blobs[0], i)
		case min(x[0], x[1]) > 2.5 && len(blobs[1]) < 16:
			blobs[1] = append(blobs[1], i)
		}
	}
	for _, c := range newDivision(p, random, nil).divide(nil, slices.Concat(blobs[:]...), 16) {
		slices.Sort(c)
		if !slices.Equal(c, blobs[0]) && !slices.Equal(c, blobs[1]) {
			t.Errorf("of %v a cluster is %v", blobs, c)
		}
	}
}
