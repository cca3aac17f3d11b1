package pca

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/pca/internal/algebra"
	"github.com/fenchel-ml/fenchel/pca/internal/pcatest"
	"github.com/fenchel-ml/fenchel/vec"
)

// apart returns the sine of the largest principal angle between the spaces of two
// bases.
func apart(a, b Basis) float64 {
	angles := Angles(a, b)
	return math.Sin(angles[len(angles)-1])
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
	g := newGaussian(8, rows, d).rows
	p := problemOf(g, k)
	steps := InverseRoot{1}
	schedule := func(eta, r, w float64) float64 { return eta * r * w }
	arctan := func(_, r, w float64) float64 { return math.Atan2(r, w) }
	for _, c := range []struct {
		name      string
		method    Streaming
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
		found, want := s.Basis(), Basis{K: k, Cols: d, Component: slices.Concat(u...)}
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
	g := newGaussian(9, 3000, easyDims).rows
	p := problemOf(g, easyK)
	for _, steps := range []Schedule{InverseRoot{1}, Constant{0.1}, Inverse{20, 100}} {
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
	g := newGaussian(10, 1000, easyDims).rows
	s := newRankOne(problemOf(g, easyK), rule{longest: longestStep, move: polar}, InverseRoot{1})
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
	g := newGaussian(11, 20000, easyDims)
	p := problemOf(g.rows, easyK)
	steps := Inverse{40, 400}
	b := GHA{steps}.Start(p)
	b.Learn(g.rows)
	for j := range easyK {
		axis := g.axes[j*easyDims : (j+1)*easyDims]
		if got := math.Abs(vec.Dot64(b.Basis().Row(j), axis)); got < 0.99 {
			t.Errorf("gha: the cosine of component %d is %.4f", j, got)
		}
	}
	if got := pcatest.Departure(b.(*ghaState).u, easyDims); got > 0.05 {
		t.Errorf("gha: U U^T is off I by %g", got)
	}
	s := SubspaceRule{steps}.Start(p)
	s.Learn(g.rows)
	if got := pcatest.Departure(s.(*rankOne).u, easyDims); got > 0.05 {
		t.Errorf("subspace rule: U U^T is off I by %g", got)
	}
}

// Row 8: U stays orthonormal over 10^5 rows.
func TestGeodesicsStayOrthonormal(t *testing.T) {
	g := newGaussian(12, 1000, easyDims).rows
	p := problemOf(g, easyK)
	for name, m := range map[string]Streaming{"schedule": GROUSE{InverseRoot{1}}, "greedy": GROUSE{}, "krasulina": Krasulina{InverseRoot{1}}} {
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
	g := newGaussian(13, 200, easyDims).rows
	s := GROUSE{}.Start(problemOf(g, easyK))
	x, worst := make([]float64, easyDims), 0.0
	for i := range 200 {
		s.Learn(g.Part(i, i+1))
		g.Row(x, i)
		u := s.(*rankOne).u
		_, p := twinProducts([][]float64{u[:easyDims], u[easyDims : 2*easyDims], u[2*easyDims:]}, x)
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
	g := newGaussian(14, 1, easyDims).rows
	p := problemOf(g, easyK)
	after := func(m Streaming) Basis {
		s := m.Start(p)
		s.Learn(g)
		return s.Basis()
	}
	for _, eta := range []float64{1e-2, 1e-3} {
		oja := after(Oja{Constant{eta}, "polar"})
		for name, b := range map[string]Basis{"grouse": after(GROUSE{Constant{eta}}), "krasulina": after(Krasulina{Constant{eta}})} {
			if got := apart(oja, b); got > eta*eta {
				t.Errorf("%s: eta = %g: the subspaces are off by %g, expected at most eta^2", name, eta, got)
			}
		}
		if start := (Basis{K: easyK, Cols: easyDims, Component: algebra.RandomBasis(p.Seed, easyK, easyDims)}); apart(oja, start) < eta/20 {
			t.Errorf("eta = %g: the step is %g", eta, apart(oja, start))
		}
	}
}
