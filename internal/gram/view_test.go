package gram

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A matrix and its parts, one after another and one inside another, keep no more
// than the limit and two rows, and have the same values whatever they keep.
func TestPartsShareTheCache(t *testing.T) {
	const n = 400
	x, _, _ := stored(4, n, 30)
	r := rand.New(rand.NewPCG(4, 4))
	for _, places := range []int64{2, 3, 20, 100, 2 * n} {
		opt := Options{Cache: places * 8 * int64(rowStride(n)), Threads: 1, Double: true}
		g := newGram(t, kernel.RBF{Gamma: 0.1}, x, opt)
		use := func(g *Gram) {
			for range 20 {
				i := r.IntN(g.Len())
				row := g.Rows([]int{i})[0].Double
				if j := r.IntN(g.Len()); row[j] != g.Kernel.Eval(g.X.Row(i), g.X.Row(j)) {
					t.Fatalf("%d places: K[%d][%d] = %v is not what Eval says", places, i, j, row[j])
				}
			}
		}
		for range 5 {
			chain, kept := []*Gram{g}, int64(0)
			for len(chain) < 4 {
				above := chain[len(chain)-1]
				part, err := above.Part(r.Perm(above.Len())[:1+above.Len()/2])
				if err != nil {
					t.Fatal(err)
				}
				chain = append(chain, part)
			}
			for k := len(chain) - 1; k >= 0; k-- { // the innermost is used, and is no more
				use(chain[k])
				kept = 0
				for _, g := range chain[:k+1] {
					kept += 8 * g.double.used()
				}
				if most := opt.Cache + 2*8*int64(rowStride(n)); kept > most {
					t.Fatalf("%d places: %d matrices keep %d bytes, expected at most %d", places, k+1, kept, most)
				}
			}
		}
	}
}

// Pairs of classes have the values of the kernel, by products of sparse and of dense rows and one by one,
// several at once, in memory that is used again; where they are cut short they compute what is asked for.
func TestPairs(t *testing.T) {
	const n = 330
	sparse, dense, _ := stored(5, n, 30)
	full := &matrix.Dense{Rows: n, Cols: 4, Value: make([]float32, 4*n)}
	r := rand.New(rand.NewPCG(5, 5))
	for k := range full.Value {
		full.Value[k] = float32(r.NormFloat64())
	}
	classes := make([][]int, 4)
	for i := range n {
		c := min(i%5, 3)
		classes[c] = append(classes[c], i)
	}
	for _, k := range []kernel.Kernel{kernel.RBF{Gamma: 0.1}, outer{kernel.RBF{Gamma: 0.1}}} {
		for _, x := range []matrix.Matrix{sparse, dense, full} {
			g := newGram(t, k, x, Options{Threads: 2})
			p := g.Pairs(classes)
			var all sync.WaitGroup
			for first := range 2 {
				all.Go(func() {
					for b := first + 1; b < 4; b++ {
						checkPair(t, g, p, first, b, true)
					}
				})
			}
			all.Wait()
			if computed := g.Counts().Computed; k == (kernel.RBF{Gamma: 0.1}) && computed > n*n*3/4 {
				t.Errorf("%d values were computed, some twice: all are %d, half of them transposed", computed, n*n)
			}
			p = g.Pairs(classes)
			g.StopWhen(func() bool { return true })
			checkPair(t, g, p, 0, 1, false)
			g.StopWhen(nil)
			checkPair(t, g, p, 0, 1, true)
		}
	}
	if few, none := PairsAtOnce([]int{600, 500}, 37<<20), PairsAtOnce([]int{600, 500}, 5<<20); few != 2 || none != 0 {
		t.Errorf("%d and %d pairs fit into 37 and 5 MB, expected 2 and 0", few, none)
	}
}

// checkPair compares the matrix of a pair with the kernel.
func checkPair(t *testing.T, g *Gram, p *Pairs, a, b int, filled bool) {
	pair, err := p.Gram(a, b, 1)
	if err != nil {
		t.Error(err)
		return
	}
	if _, _, whole := pair.Whole(); whole != filled {
		t.Errorf("all values are at hand: %v, expected %v", whole, filled)
	}
	sameMatrix(t, g, pair, slices.Concat(p.rows[a], p.rows[b]))
	p.Release(pair)
}

// Views of rows that follow each other, and of others, have the bits of a matrix of these rows; they stop
// when they are told to. A matrix in double precision keeps what it computed, and stops with that it is of.
func TestViewRows(t *testing.T) {
	const n = 400
	r := rand.New(rand.NewPCG(3, 9))
	x := &matrix.Dense{Rows: n, Cols: cheapTerms, Value: make([]float32, cheapTerms*n)}
	for k := range x.Value {
		x.Value[k] = float32(r.NormFloat64())
	}
	k := kernel.RBF{Gamma: 0.05}
	g := newGram(t, k, x, Options{Threads: 1})
	d := g.InDouble(n)
	for range 2 {
		d.Update(make([]float64, n), []int{3, 5}, []float64{1, 2})
	}
	if computed := g.Counts().Computed; computed != 2*n {
		t.Errorf("%d values were computed for two rows of %d", computed, n)
	}
	g.StopWhen(func() bool { return true })
	if d.Rows([]int{7}); !d.Cut() {
		t.Error("a matrix in double precision goes on where its matrix is to stop")
	}
	g.StopWhen(nil)
	g.Fill(nil)
	rows := append(inOrder[int](n)[150:350], 3, 90, 7, 149)
	view, err := g.View(rows, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	some, c := []int{0, 203, 100}, []float64{0.5, -1, 2}
	if got, want := partsOf(view, some, c), partsOf(newGram(t, k, matrix.Subset(x, rows), Options{Threads: 1}), some, c); !slices.Equal(got, want) {
		t.Error("a view has other bits than a matrix of its rows")
	}
	view.StopWhen(func() bool { return true })
	if view.Rows([]int{9}); !view.Cut() || view.Kept(9) {
		t.Error("a view goes on where it is to stop, or keeps what it left undone")
	}
}
