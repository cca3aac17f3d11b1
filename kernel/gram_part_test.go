package kernel

import (
	"math/rand/v2"
	"testing"
)

// A matrix and its parts, one after another and one inside another, keep no more
// than the limit and two rows, and have the same values whatever they keep.
func TestPartsShareTheCache(t *testing.T) {
	const n = 400
	x, _, _ := stored(4, n, 30)
	r := rand.New(rand.NewPCG(4, 4))
	for _, places := range []int64{2, 3, 20, 100, 2 * n} {
		opt := Options{Cache: places * 8 * int64(rowStride(n)), Threads: 1, Double: true}
		g := newGram(t, RBF{0.1}, x, opt)
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
