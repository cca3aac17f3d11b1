package block

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Section 6 of the reference: on rows that are coordinate axes frequent directions
// find the answer with l = 2k + 4, and mostly do not with l = k + 1 where the eigenvalues
// are nearly equal. History has room for enough of these directions.
func TestBlockMethodsOnAxes(t *testing.T) {
	t.Parallel()
	runs := 3
	if *long {
		runs = 6
	}
	for _, root := range []bool{false, true} {
		for _, k := range []int{1, 2, 4} {
			p := axesProbabilities(k, root)
			short := fmt.Sprintf("frequent-directions:memory=%d", k+1)
			wrong := map[string]int{}
			for _, spec := range []string{short, "frequent-directions", "history"} {
				for seed := range uint64(runs) {
					s := pcatest.StartOf(t, spec, method.Problem{Cols: len(p), K: k, Seed: seed, Threads: 1})
					feed(s, axes(rand.New(rand.NewPCG(12, seed)), p, 10000))
					if pcatest.Missed(s.Basis(), k, p) > 1e-3 {
						wrong[spec]++
					}
				}
			}
			t.Logf("root=%v k=%d: wrong in %v of %d runs", root, k, wrong, runs)
			if wrong["frequent-directions"]+wrong["history"] > 0 {
				t.Errorf("root=%v k=%d: wrong in %v of %d runs", root, k, wrong, runs)
			}
			if few := wrong[short]; root && few < runs/2 || !root && few > runs/3 {
				t.Errorf("root=%v k=%d: l = k + 1 is wrong in %d of %d runs", root, k, few, runs)
			}
		}
	}
}

// What comes late, and is orthogonal to all before, is seen.
func TestBlockMethodsLate(t *testing.T) {
	const d, n = 60, 10000
	x := &matrix.CSR{Start: []int64{0}, Index: []uint32{}}
	for i := range n {
		j := i % (d - 1)
		if i > n/2 {
			j = d - 1
		}
		x.Append([]uint32{uint32(j)}, []float32{1})
	}
	for _, spec := range []string{"history", "history:block=100", "frequent-directions", "ipca"} {
		s := pcatest.StartOf(t, spec, method.Problem{Cols: d, K: 3})
		feed(s, view.Rows{X: x})
		if b := s.Basis(); math.Abs(b.Component[d-1]) < 0.999 {
			t.Errorf("%s: the first component has %g of a direction that is in half of the rows", spec, b.Component[d-1])
		}
	}
}

// axesProbabilities returns the probabilities of the coordinate axes of section 3.2 of
// the reference, of which the second moment of rows that are axes is the diagonal.
func axesProbabilities(k int, root bool) []float64 {
	const d = 32
	p, sum := make([]float64, d), 0.0
	for i := range p {
		p[i] = 0.5 * math.Pow(1.1, -float64(i+1)) / 9.526376
		if i < k {
			p[i] += 0.5 / float64(k)
		}
		if root {
			p[i] = math.Sqrt(p[i])
		}
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// axes returns n rows that are coordinate axes with the probabilities p.
func axes(rng *rand.Rand, p []float64, n int) view.Rows {
	x := &matrix.CSR{Start: []int64{0}, Index: []uint32{}}
	for range n {
		u, j := rng.Float64(), 0
		for j < len(p)-1 && u >= p[j] {
			u -= p[j]
			j++
		}
		x.Append([]uint32{uint32(j)}, []float32{1})
	}
	x.Cols = len(p)
	return view.Rows{X: x}
}
