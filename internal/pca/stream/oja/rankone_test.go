package oja

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// apart returns the sine of the largest principal angle between the spaces of two
// bases: the largest singular value of what a leaves of b.
func apart(a, b method.Basis) float64 {
	rest, coefficients, products := slices.Clone(b.Component), make([]float64, a.K), algebra.Square(b.K)
	for i := range b.K {
		algebra.TakeOff(rest[i*b.Cols:(i+1)*b.Cols], a.Component, coefficients)
	}
	blas.SyrkRows64(products, algebra.Block(rest, b.K, b.Cols), 1)
	values := make([]float64, b.K)
	lapack.Eigen(values, make([]float64, b.K*b.K), products.Value, b.K, 1)
	return math.Sqrt(max(values[0], 0))
}

// A twin performs one step as the reference prints it, on u of k rows.
type twin func(u [][]float64, x []float64, eta float64)

// twinProducts returns y = U x and p = U^T y.
func twinProducts(u [][]float64, x []float64) (y, p []float64) {
	y, p = make([]float64, len(u)), make([]float64, len(x))
	for i, row := range u {
		for j, v := range row {
			y[i] += v * x[j]
		}
		for j, v := range row {
			p[j] += y[i] * v
		}
	}
	return y, p
}

// without returns x - p.
func without(x, p []float64) []float64 {
	r := slices.Clone(x)
	for j, v := range p {
		r[j] -= v
	}
	return r
}

func lengthOf(x []float64) float64 { return math.Sqrt(vec.SquaredNorm64(x)) }

// moveRows adds scale y z^T to u.
func moveRows(u [][]float64, scale float64, y, z []float64) {
	for i := range u {
		for j := range u[i] {
			u[i][j] += scale * y[i] * z[j]
		}
	}
}

func twinGramSchmidt(u [][]float64) {
	for i := range u {
		for range 2 {
			for l := range i {
				c := vec.Dot64(u[l], u[i])
				for j := range u[i] {
					u[i][j] -= c * u[l][j]
				}
			}
		}
		algebra.Scale(u[i], 1/lengthOf(u[i]))
	}
}

func twinPolar(u [][]float64, x []float64, eta float64) {
	y, _ := twinProducts(u, x)
	moveRows(u, eta, y, x)
	yy := vec.SquaredNorm64(y)
	c := 2*eta + eta*eta*vec.SquaredNorm64(x)
	moved := make([]float64, len(x)) // U'^T y
	for i := range u {
		vec.Axpy64(moved, y[i], u[i])
	}
	moveRows(u, (1/math.Sqrt(1+c*yy)-1)/yy, y, moved)
}

func twinOja(u [][]float64, x []float64, eta float64) {
	y, _ := twinProducts(u, x)
	moveRows(u, eta, y, x)
	twinGramSchmidt(u)
}

func twinKrasulina(u [][]float64, x []float64, eta float64) {
	y, p := twinProducts(u, x)
	moveRows(u, eta, y, without(x, p))
	twinGramSchmidt(u)
}

func twinSubspace(u [][]float64, x []float64, eta float64) {
	y, p := twinProducts(u, x)
	moveRows(u, eta, y, without(x, p))
}

func twinGROUSE(theta func(eta, r, w float64) float64) twin {
	return func(u [][]float64, x []float64, eta float64) {
		w, p := twinProducts(u, x)
		r := without(x, p)
		angle := theta(eta, lengthOf(r), lengthOf(w))
		z := make([]float64, len(x))
		for j := range z {
			z[j] = (math.Cos(angle)-1)*p[j]/lengthOf(p) + math.Sin(angle)*r[j]/lengthOf(r)
		}
		moveRows(u, 1/lengthOf(w), w, z)
	}
}

func twinGHA(u [][]float64, x []float64, eta float64) {
	y, _ := twinProducts(u, x)
	old := make([][]float64, len(u))
	for j := range u {
		old[j] = slices.Clone(u[j])
		rest := slices.Clone(x)
		for i := range j + 1 {
			for l := range rest {
				rest[l] -= y[i] * old[i][l]
			}
		}
		for l := range rest {
			u[j][l] += eta * y[j] * rest[l]
		}
	}
}

// Rows 7 and 8: every rule is what the reference prints. U is the same where the
// rows are, and the subspace where they are made orthonormal in another way. The
// last part of each row learned is that the state's fusion of steps is exact.
func TestRulesAreTheirTwins(t *testing.T) {
	const d, k, rows = 20, 4, 300
	g := pcatest.NewGaussian(8, rows, d).Rows
	p := pcatest.ProblemOf(g, k)
	steps := schedule.InverseRoot{C: 1}
	schedule := func(eta, r, w float64) float64 { return eta * r * w }
	arctan := func(_, r, w float64) float64 { return math.Atan2(r, w) }
	for _, c := range []struct {
		name      string
		method    method.Streaming
		twin      twin
		sameBasis bool
	}{
		{"lazy", Oja{steps, "lazy"}, twinOja, false},
		{"qr", Oja{steps, "qr"}, twinOja, true},
		{"polar", Oja{steps, "polar"}, twinPolar, true},
		{"polar is Oja", Oja{steps, "polar"}, twinOja, false},
		{"krasulina", Krasulina{steps}, twinKrasulina, false},
		{"subspace rule", SubspaceRule{steps}, twinSubspace, true},
		{"grouse", GROUSE{steps}, twinGROUSE(schedule), true},
		{"greedy grouse", GROUSE{}, twinGROUSE(arctan), true},
		{"gha", GHA{steps}, twinGHA, true},
	} {
		s := c.method.Start(p)
		u := make([][]float64, k)
		start := algebra.RandomBasis(p.Seed, k, d)
		for j := range u {
			u[j] = start[j*d : (j+1)*d]
		}
		x := make([]float64, d)
		for i := range rows {
			s.Learn(g.Part(i, i+1))
			g.Row(x, i)
			algebra.Scale(x, p.Unit())
			longest := longestStep
			if c.name == "gha" || c.name == "subspace rule" {
				longest = stableStep
			}
			c.twin(u, x, min(steps.Step(i+1), longest/vec.SquaredNorm64(x)))
		}
		found, want := s.Basis(), method.Basis{K: k, Cols: d, Component: slices.Concat(u...)}
		algebra.Orthonormalise(want.Component, k, d)
		if got := apart(found, want); got > 1e-12 {
			t.Errorf("%s: the subspace is off by %g", c.name, got)
		}
		if got := pcatest.LargestDifference(found.Component, want.Component); c.sameBasis && got > 1e-11 {
			t.Errorf("%s: the rows are off by %g", c.name, got)
		}
	}
}

// Row 7: how seldom U is made orthonormal does not change the subspace.
func TestOjaMayNormaliseSeldom(t *testing.T) {
	g := pcatest.NewGaussian(9, 3000, pcatest.EasyDims).Rows
	p := pcatest.ProblemOf(g, pcatest.EasyK)
	for _, steps := range []schedule.Schedule{schedule.InverseRoot{C: 1}, schedule.Constant{C: 0.1}, schedule.Inverse{C: 20, Burn: 100}} {
		often := newRankOne(p, rule{longest: longestStep, most: math.Inf(1), every: 1}, steps)
		often.Learn(g)
		seldom := newRankOne(p, rule{longest: longestStep, most: math.Inf(1), every: 100}, steps)
		seldom.Learn(g)
		lazy := Oja{steps, "lazy"}.Start(p)
		lazy.Learn(g)
		if got := apart(often.Basis(), seldom.Basis()); got > 1e-8 {
			t.Errorf("%v: every 100 rows: off by %g, expected at most 1e-8", steps, got)
		} else {
			t.Logf("%v: every 100 rows: off by %.2g", steps, got)
		}
		if got := apart(often.Basis(), lazy.Basis()); got > 1e-8 {
			t.Errorf("%v: lazy: off by %g, expected at most 1e-8", steps, got)
		} else {
			t.Logf("%v: lazy: off by %.2g", steps, got)
		}
	}
}

// Row 7: the drift of the polar step.
func TestPolarDrift(t *testing.T) {
	g := pcatest.NewGaussian(10, 1000, pcatest.EasyDims).Rows
	s := newRankOne(pcatest.ProblemOf(g, pcatest.EasyK), rule{longest: longestStep, move: polar}, schedule.InverseRoot{C: 1})
	s.Learn(g)
	got := pcatest.Departure(s.u, s.d)
	t.Logf("U U^T is off I by %.2g after 1000 rows", got)
	if got > 1e-14 {
		t.Errorf("U U^T is off I by %g, expected about 2e-15", got)
	}
}

// Row 7: Sanger's components come in order, and the subspace rule stays near
// orthonormal by itself.
func TestHebbianRules(t *testing.T) {
	g := pcatest.NewGaussian(11, 20000, pcatest.EasyDims)
	p := pcatest.ProblemOf(g.Rows, pcatest.EasyK)
	steps := schedule.Inverse{C: 40, Burn: 400}
	b := GHA{steps}.Start(p)
	b.Learn(g.Rows)
	for j := range pcatest.EasyK {
		axis := g.Axes[j*pcatest.EasyDims : (j+1)*pcatest.EasyDims]
		if got := math.Abs(vec.Dot64(b.Basis().Row(j), axis)); got < 0.99 {
			t.Errorf("gha: the cosine of component %d is %.4f", j, got)
		}
	}
	if got := pcatest.Departure(b.(*ghaState).u, pcatest.EasyDims); got > 0.05 {
		t.Errorf("gha: U U^T is off I by %g", got)
	}
	s := SubspaceRule{steps}.Start(p)
	s.Learn(g.Rows)
	if got := pcatest.Departure(s.(*rankOne).u, pcatest.EasyDims); got > 0.05 {
		t.Errorf("subspace rule: U U^T is off I by %g", got)
	}
}

// Row 8: U stays orthonormal over 10^5 rows.
func TestGeodesicsStayOrthonormal(t *testing.T) {
	g := pcatest.NewGaussian(12, 1000, pcatest.EasyDims).Rows
	p := pcatest.ProblemOf(g, pcatest.EasyK)
	for name, m := range map[string]method.Streaming{"schedule": GROUSE{schedule.InverseRoot{C: 1}}, "greedy": GROUSE{}, "krasulina": Krasulina{schedule.InverseRoot{C: 1}}} {
		s := m.Start(p).(*rankOne)
		s.every = 0 // not even with the help of Gram and Schmidt
		for range 100 {
			s.Learn(g)
		}
		got := pcatest.Departure(s.u, s.d)
		t.Logf("%s: U U^T is off I by %.2g after 10^5 rows", name, got)
		if got > 1e-10 {
			t.Errorf("%s: U U^T is off I by %g, expected at most 1e-10", name, got)
		}
	}
}

// Row 8: the greedy step puts the row into U.
func TestGreedyStep(t *testing.T) {
	g := pcatest.NewGaussian(13, 200, pcatest.EasyDims).Rows
	s := GROUSE{}.Start(pcatest.ProblemOf(g, pcatest.EasyK))
	x, worst := make([]float64, pcatest.EasyDims), 0.0
	for i := range 200 {
		s.Learn(g.Part(i, i+1))
		g.Row(x, i)
		u := s.(*rankOne).u
		_, p := twinProducts([][]float64{u[:pcatest.EasyDims], u[pcatest.EasyDims : 2*pcatest.EasyDims], u[2*pcatest.EasyDims:]}, x)
		worst = max(worst, lengthOf(without(x, p))/lengthOf(x))
	}
	t.Logf("it leaves %.2g of a row", worst)
	if worst > 1e-12 {
		t.Errorf("it leaves %g of a row, expected at most 1e-12", worst)
	}
}

// Row 8: GROUSE's step, and Krasulina's, are Oja's to first order: the subspaces
// differ by a multiple of eta^2.
func TestStepsAgreeToFirstOrder(t *testing.T) {
	g := pcatest.NewGaussian(14, 1, pcatest.EasyDims).Rows
	p := pcatest.ProblemOf(g, pcatest.EasyK)
	after := func(m method.Streaming) method.Basis {
		s := m.Start(p)
		s.Learn(g)
		return s.Basis()
	}
	for _, eta := range []float64{1e-2, 1e-3} {
		oja := after(Oja{schedule.Constant{C: eta}, "polar"})
		for name, b := range map[string]method.Basis{"grouse": after(GROUSE{schedule.Constant{C: eta}}), "krasulina": after(Krasulina{schedule.Constant{C: eta}})} {
			if got := apart(oja, b); got > eta*eta {
				t.Errorf("%s: eta = %g: the subspaces are off by %g, expected at most eta^2", name, eta, got)
			}
		}
		if start := (method.Basis{K: pcatest.EasyK, Cols: pcatest.EasyDims, Component: algebra.RandomBasis(p.Seed, pcatest.EasyK, pcatest.EasyDims)}); apart(oja, start) < eta/20 {
			t.Errorf("eta = %g: the step is %g", eta, apart(oja, start))
		}
	}
}
