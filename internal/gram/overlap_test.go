package gram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// overlaps are all kernels that are computed from what rows have in common.
var overlaps = []kernel.Kernel{kernel.Laplacian{Gamma: 0.1}, kernel.Chi2{Gamma: 0.1}, kernel.Intersection{}}

// Tiles of overlaps, of rows and of scores, have the bits of Eval, which are
// those of the formula but for rounding, for rows in every storage.
func TestOverlapTiles(t *testing.T) {
	const n = 150
	for _, k := range overlaps {
		sparse, dense, wide := stored(3, n, 40)
		if _, signed := k.(kernel.Laplacian); !signed {
			for _, values := range [][]float32{sparse.Value, dense.Value, wide.Value} {
				for j, v := range values {
					values[j] = float32(math.Abs(float64(v)))
				}
			}
		}
		for _, x := range []matrix.Matrix{sparse, dense, wide} {
			g := newGram(t, k, x, Options{Threads: 2})
			if g.double.tiler.inner == nil {
				t.Fatalf("%T is evaluated one by one", k)
			}
			rows := rand.New(rand.NewPCG(1, 9)).Perm(n)
			coefficients := make([]float64, n)
			coefficients[17] = 1
			scorer, score := NewScorer(k, x, [][]float64{coefficients}), make([]float64, 1)
			for at, row := range g.Rows(rows[:70]) {
				i := rows[at]
				for j, got := range row.Double {
					if want := k.Eval(sparse.Row(i), sparse.Row(j)); got != want {
						t.Fatalf("%T of %T: K[%d][%d] = %v, want %v", k, x, i, j, got, want)
					}
				}
				if scorer.Scores(score, []matrix.Vector{x.Row(i)}); score[0] != row.Double[17] {
					t.Fatalf("%T of %T: score %v, want %v", k, x, score[0], row.Double[17])
				}
			}
		}
	}
}

// The matrix of a cosine computes k(x,x) once for each row, and has the bits of Eval.
func TestCosinesKnowTheNorms(t *testing.T) {
	const n = 40
	x, _, _ := stored(6, n, 20)
	calls := 0
	k, err := kernel.Normalise(kernel.Constant(2))
	if err != nil {
		t.Fatal(err)
	}
	uncounted := k
	_, parts := kernel.Parts(k)
	if k, err = kernel.Normalise(counting{parts[0].(kernel.Sized), &calls}); err != nil {
		t.Fatal(err)
	}
	g := newGram(t, k, x, Options{Threads: 1})
	calls = 0
	for j, got := range g.Rows([]int{7})[0].Double {
		if want := uncounted.Eval(x.Row(7), x.Row(j)); got != want {
			t.Errorf("K[7][%d] = %v, want %v", j, got, want)
		}
	}
	if calls != n {
		t.Errorf("found %d values of the kernel for a row of %d, expected as many", calls, n)
	}
}

// counting counts the values of a kernel.
type counting struct {
	kernel.Sized
	calls *int
}

func (k counting) Eval(x, y matrix.Vector) float64 { *k.calls++; return k.Sized.Eval(x, y) }

// BenchmarkOverlap is a value of rows of the matrix, in tiles and by Eval.
func BenchmarkOverlap(b *testing.B) {
	for _, s := range shapes[:3] {
		x := s.draw()
		for _, k := range overlaps {
			for _, tiles := range []bool{true, false} {
				var used kernel.Kernel = outer{k}
				if tiles {
					used = k
				}
				b.Run(fmt.Sprintf("set=%s/kernel=%T/tiles=%v", s.name, k, tiles), func(b *testing.B) {
					const count = 4
					g := newGram(b, used, x, Options{Threads: 1, Cache: 64 << 20})
					next := 0
					for b.Loop() {
						rows := make([]int, count)
						for i := range rows {
							rows[i], next = next, (next+61)%s.n
						}
						g.Rows(rows)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count*s.n), "ns/value")
				})
			}
		}
	}
}
