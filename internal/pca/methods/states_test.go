package methods

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// What every state of a registered streaming method must do.
func eachState(t *testing.T, test func(t *testing.T, start func(method.Problem) method.State)) {
	eachMethod(t, func(t *testing.T, _ string, m method.Method) {
		if s, ok := m.(method.Streaming); ok {
			test(t, s.Start)
		}
	})
}

// A state that was kept goes on with the same bits, and refuses to be restored from
// less than was kept.
func TestStatesAreKept(t *testing.T) {
	t.Parallel()
	g := pcatest.NewGaussian(2, 700, pcatest.EasyDims)
	p := pcatest.ProblemOf(g.Rows, pcatest.EasyK)
	eachState(t, func(t *testing.T, start func(method.Problem) method.State) {
		s := start(p)
		half := min(wholeBlocks(s, 333), 700)
		s.Learn(g.Rows.Part(0, half))
		kept := maps.Clone(method.Keep(s))
		again := start(p)
		if err := method.Restore(again, kept); err != nil {
			t.Fatal(err)
		}
		pcatest.SameBits(t, "restored", s.Basis(), again.Basis())
		learn(s, g.Rows, half, 50)
		learn(again, g.Rows, half, 50)
		pcatest.SameBits(t, "restored and gone on", s.Basis(), again.Basis())
		for name := range kept {
			less := maps.Clone(kept)
			delete(less, name)
			if method.Restore(start(p), less) == nil {
				t.Errorf("restored without %s", name)
			}
			less[name] = []float64{math.NaN()}
			if method.Restore(start(p), less) == nil {
				t.Errorf("restored with NaN for %s", name)
			}
		}
	})
}

// A state that cannot be is refused, or at least leads to a basis.
func TestStatesBearWhatIsRestored(t *testing.T) {
	t.Parallel()
	g := pcatest.NewGaussian(7, 3000, 10)
	p := pcatest.ProblemOf(g.Rows, pcatest.EasyK)
	eachState(t, func(t *testing.T, start func(method.Problem) method.State) {
		s := start(p)
		half := min(wholeBlocks(s, 100), 300)
		s.Learn(g.Rows.Part(0, half))
		rest := g.Rows.Part(half, min(half+200, 3000))
		whole := method.Keep(s)
		names := slices.Sorted(maps.Keys(whole))
		for i := 0; i < len(names); i += 1 + len(names)/20 { // about twenty, if there are more
			name, list := names[i], whole[names[i]]
			for _, wrong := range []func() []float64{
				func() []float64 { return nil },
				func() []float64 { return append(slices.Clone(list), 1) },
				func() []float64 { return slices.Repeat([]float64{0}, len(list)) },
				func() []float64 { return slices.Repeat([]float64{-1}, len(list)) },
				func() []float64 { return slices.Repeat([]float64{1e300}, len(list)) },
				func() []float64 { return slices.Repeat([]float64{1e-300}, len(list)) },
				func() []float64 { return slices.Repeat([]float64{1 << 53}, len(list)) },
			} {
				kept := maps.Clone(whole)
				kept[name] = wrong()
				again := start(p)
				if method.Restore(again, kept) == nil {
					learn(again, rest, 0, 100)
					t.Logf("%s: %v ...", name, kept[name][:min(len(kept[name]), 2)])
					examineBasis(t, again.Basis(), 10, pcatest.EasyK)
				}
			}
		}
	})
}

// How rows are cut into blocks does not matter, but where the method says so.
func TestStatesForgetBlocks(t *testing.T) {
	g := pcatest.NewGaussian(3, 700, pcatest.EasyDims)
	p := pcatest.ProblemOf(g.Rows, pcatest.EasyK)
	eachState(t, func(t *testing.T, start func(method.Problem) method.State) {
		whole, cut := start(p), start(p)
		learn(whole, g.Rows, 0, 700)
		learn(cut, g.Rows, 0, 1)
		pcatest.SameBits(t, "block after block", whole.Basis(), cut.Basis())
	})
}
