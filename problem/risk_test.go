package problem

import (
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
)

// The objective at zero has the same bits whether each row's loss is looked up or
// computed.
func TestMarginsAtZero(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	margins := 0
	for _, e := range loss.Entries() {
		l, err := loss.New(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, margin := l.(loss.Margin); !margin {
			continue
		}
		margins++
		for _, n := range []int{1, 7, blockRows, 5*blockRows + 3} {
			y, weights := make([]float64, n), make([]float64, n)
			for i := range y {
				y[i], weights[i] = float64(2*r.IntN(2)-1), 0.1+r.Float64()
			}
			p, err := newRisk(n, y, weights, l, 0.1, None, 2)
			if err != nil {
				t.Fatal(err)
			}
			if want := p.rowsAtZero(); p.zero != want {
				t.Errorf("%s, %d rows: found %v, expected %v", e.Name, n, p.zero, want)
			}
		}
	}
	if margins == 0 {
		t.Error("found no loss of margins")
	}
}
