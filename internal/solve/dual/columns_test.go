package dual

import (
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestColumnSigmas: partitions hold back where they pull the same way, and only there; so
// the dual is higher after as many epochs than with one sigma for all columns.
func TestColumnSigmas(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.SquaredHinge{}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			p := documents(l, bias, 2)
			dual := func(s *sdca) float64 {
				for range 12 {
					s.arrange()
					s.rounds(2)
					s.centre()
					s.epoch++
				}
				return p.Certify(problem.Point{W: s.u, A: s.a}).Dual
			}
			s, alike := SDCA{Partitions: 8}.Start(p, solver.Start{Seed: 3}).(*sdca), SDCA{Partitions: 8}.Start(p, solver.Start{Seed: 3}).(*sdca)
			alike.columns, alike.sigma = nil, firstSigma
			if got, other := dual(s), dual(alike); !(got > other) {
				t.Errorf("%T, %v: dual %g, %g with one sigma", l, bias, got, other)
			}
			least, most := slices.Min(s.columns.sigma), slices.Max(s.columns.sigma)
			if least < leastSigma || most > 8 || most < 2*least {
				t.Errorf("%T, %v: sigmas from %g to %g", l, bias, least, most)
			}
		}
	}
}

// TestColumnSigmasOfOneKind: a column that all rows use alike is pulled by all partitions at
// once, one that belongs to a single row by one of them.
func TestColumnSigmasOfOneKind(t *testing.T) {
	const n, parts = 64, 4
	x := &matrix.CSR{Cols: n + 1}
	for i := range n {
		x.Append([]uint32{uint32(i), n}, []float32{1, 1})
	}
	c := newColumnSigmas(problem.NewRows(x, 1), x)
	part := make([]partition, parts)
	u, change := make([]float64, n+2), make([]float64, n+2)
	for p := range part {
		part[p].u = make([]float64, n+2)
		part[p].u[p], part[p].u[n] = 3, 1
	}
	along, squared := c.join(u, change, part, 0)
	if along != 0 || squared != float64(parts)*(1.5*1.5)+2*2 || u[0] != 1.5 || u[n] != 2 {
		t.Errorf("merged %v: slope %g, square %g", u[:parts], along, squared)
	}
	for range 60 { // half of the way each time
		c.merged[0], c.apart[0], c.merged[n], c.apart[n] = 1, 1, parts*parts, parts
		c.measure = 0
		c.learn(1, []uint32{0, 5}, parts, 1)
	}
	if c.sigma[0] != c.sigma[1] || c.sigma[0] < leastSigma || c.sigma[0] > 1.001*leastSigma || c.sigma[n] < 0.999*parts || c.sigma[n] > parts {
		t.Errorf("sigma %g and %g of own columns, %g of a common one, want %g, %g and %d", c.sigma[0], c.sigma[1], c.sigma[n], leastSigma, leastSigma, parts)
	}
	if want := c.sigma[0] + c.sigma[n]; c.norm[0] != want || c.norm[5] != want || c.norm[1] != 2*firstSigma {
		t.Errorf("norms %g, %g and of a row asleep %g, want %g, %g and %d", c.norm[0], c.norm[5], c.norm[1], want, want, 2*firstSigma)
	}
}
