package problem

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// The shares of rows in one, three or seven partitions make the certificate of all rows in one, but for rounding, for
// every bias, losses with bounded and unbounded domains, row weights, and points that are far from the optimum.
func TestShares(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.Squared{}, loss.SquaredHinge{}, loss.Absolute{}} {
		for _, p := range []penalty.Penalty{penalty.L2{}, penalty.ElasticNet{Ratio: 0.4}} {
			for _, bias := range []Bias{None, Feature, Free} {
				for _, partitions := range []int{1, 3, 7} {
					t.Run(fmt.Sprintf("%T %T %v %d", l, p, bias, partitions), func(t *testing.T) { checkShares(t, r, l, p, bias, partitions) })
				}
			}
		}
	}
}

func checkShares(t *testing.T, r *rand.Rand, l loss.Loss, pen penalty.Penalty, bias Bias, partitions int) {
	const n, d = 60, 5
	x, y, s, a := make([]float32, n*d), make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range x {
		x[k] = float32(r.NormFloat64())
	}
	for i := range n {
		y[i], s[i], a[i] = float64(2*r.IntN(2)-1), float64(1+r.IntN(3)), 2*r.NormFloat64()
	}
	w := make([]float64, d+1)
	for j := range w {
		w[j] = r.NormFloat64()
	}
	if bias == None {
		w[d] = 0
	}
	all, err := NewLinear(NewRows(&matrix.Dense{Rows: n, Cols: d, Value: x}, 1), y, s, l, pen, 0.02, bias)
	if err != nil {
		t.Fatal(err)
	}
	want := all.Certify(Point{W: w, A: a})
	var parts []*Linear
	var from []int
	total, largest, zero := 0.0, 0.0, 0.0
	for k := range partitions {
		lo, hi := k*n/partitions, (k+1)*n/partitions
		p, err := NewLinear(NewRows(&matrix.Dense{Rows: hi - lo, Cols: d, Value: x[lo*d : hi*d]}, 1), y[lo:hi], s[lo:hi], l, pen, 0.02, bias)
		if err != nil {
			t.Fatal(err)
		}
		p = p.Within(all.N)
		parts, from = append(parts, p), append(from, lo)
		sum, most := p.Sizes(a[lo:hi])
		total, largest, zero = total+sum, max(largest, most), zero+p.Zero()
	}
	whole := NewWhole(all.N, l, pen, 0.02, bias, all.ColumnNorms()).WithZero(zero)
	var units []*Units
	var sums []Target
	for k, p := range parts {
		u := p.Units(a[from[k]:from[k]+len(p.Y)], whole.Quantum(total, largest))
		units, sums = append(units, u), append(sums, Target{u.Plus, u.Minus})
	}
	targets, exact := Balance(sums), new(big.Float)
	var shares []*Share
	for k, p := range parts {
		shares = append(shares, p.Share(w, a[from[k]:from[k]+len(p.Y)], units[k], targets[k]))
		for _, v := range units[k].v {
			exact.Add(exact, big.NewFloat(v).SetPrec(200))
		}
	}
	if bias == Free && exact.Sign() != 0 {
		t.Errorf("the dual variables sum to %g, expected exactly 0", exact)
	}
	got := whole.Certify(w, shares)
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*(1+math.Abs(b)) }
	if !near(got.Primal, want.Primal) || !near(got.Dual, want.Dual) || !near(got.Zero, want.Zero) {
		t.Errorf("found primal %.17g, dual %.17g, at zero %.17g; expected %.17g, %.17g, %.17g", got.Primal, got.Dual, got.Zero, want.Primal, want.Dual, want.Zero)
	}
	if least := map[bool]float64{true: want.Rounding, false: want.Rounding / 8}[partitions == 1]; got.Rounding < least {
		t.Errorf("found the bound %g on rounding, in one partition %g", got.Rounding, want.Rounding) // chains of partitions are shorter
	}
}

// Units that do not fit a word are none: the sum over all partitions is 0, whatever the quantum was.
func TestUnitsThatDoNotFit(t *testing.T) {
	x := &matrix.Dense{Rows: 2, Cols: 1, Value: []float32{1, 2}}
	p, err := NewLinear(NewRows(x, 1), []float64{1, 2}, nil, loss.Squared{}, penalty.L2{}, 0.1, Free)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range [][]float64{{1e300, -1}, {math.Inf(1), 1}, {3, 4}} {
		if u := p.Units(a, -61); u.Plus != 0 || u.Minus != 0 {
			t.Errorf("%v: found the units %d and %d, expected none", a, u.Plus, u.Minus)
		}
	}
	for _, target := range Balance([]Target{{1 << 63, 1}, {1 << 63, 0}}) {
		if target != (Target{}) {
			t.Errorf("found the target %v of sums that do not fit, expected none", target)
		}
	}
}
