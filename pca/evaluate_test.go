package pca

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// What is said of components on other rows is what dense eigenvalues of these say: captured and lost
// are all there is, the best capture missed more, and no bound is below the best.
func TestEvaluate(t *testing.T) {
	ctx := context.Background()
	set, other := ellipsoid(t, 300, 8, 1), ellipsoid(t, 200, 8, 2)
	for _, scale := range []string{"none", "std"} {
		r, err := Fit(ctx, set, Spec{K: 2, Scale: scale})
		if err != nil {
			t.Fatal(err)
		}
		m := r.Model
		e, err := Evaluate(ctx, m, other, 1)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Evaluate(ctx, m, other, 4); err != nil || again.Captured != e.Captured || again.Missed != e.Missed || again.Proof != e.Proof {
			t.Errorf("scale %s: found %+v with four threads, %+v with one, %v", scale, again, e, err)
		}
		rows := view.Rows{X: other.X, Offset: m.Mean, Factor: m.Scale}
		basis := method.Basis{K: 2, Cols: 8, Component: m.Components}
		second := pcatest.SecondOf(rows)
		value, vectors := pcatest.Jacobi(second, 8)
		best, captured := value[0]+value[1], method.Captured(second, basis)
		if math.Abs(e.Captured-captured) > 1e-12*best || math.Abs(e.Missed-(best-captured)) > 1e-9*best {
			t.Errorf("scale %s: found %+v, expected %g captured and %g missed", scale, e, captured, best-captured)
		}
		if p := e.Proof; !(float64(p.Upper) >= best && float64(p.Upper) <= best*(1+1e-6) && float64(p.Captured) <= captured*(1+1e-15) && float64(p.Captured) >= captured*(1-1e-9)) {
			t.Errorf("scale %s: found the bounds %g and %g of %g and %g", scale, p.Captured, p.Upper, captured, best)
		}
		if math.Abs(e.Captured+e.Loss()-e.Total) > 1e-12*e.Total {
			t.Errorf("scale %s: %g captured and %g lost of %g", scale, e.Captured, e.Loss(), e.Total)
		}
		missed, squares, x := 0.0, 0.0, make([]float64, 8) // the standard error, by its definition
		rows.Each(x, func(x []float64) {
			v := 0.0
			for i := range 2 {
				v += math.Pow(dot(vectors[i*8:(i+1)*8], x), 2) - math.Pow(dot(basis.Row(i), x), 2)
			}
			missed, squares = missed+v, squares+v*v
		})
		if want := math.Sqrt((squares/200 - missed*missed/200/200) / 199); math.Abs(e.MissedError/want-1) > 1e-6 {
			t.Errorf("scale %s: found the standard error %g of what is missed, expected %g", scale, e.MissedError, want)
		}
		if own, err := Evaluate(ctx, m, set, 0); err != nil || own.Missed > 1e-12 || len(own.Warnings) != 1 || len(e.Warnings) != 0 {
			t.Errorf("scale %s: found %+v, %v of the rows that the components were found in", scale, own, err)
		}
	}
}

func dot(a, b []float64) (sum float64) {
	for j, v := range a {
		sum += v * b[j]
	}
	return sum
}

// Where no matrix is formed, the bound is close for components that are far from the best, too.
func TestEvaluateFar(t *testing.T) {
	const n, d = 4200, 4300
	rng, csr := rand.New(rand.NewPCG(1, 3)), &matrix.CSR{Cols: d, Start: []int64{0}}
	for range n {
		csr.Append([]uint32{0, 1, uint32(2 + rng.IntN(d-2))}, []float32{float32(3 * rng.NormFloat64()), float32(2 * rng.NormFloat64()), 1})
	}
	components := make([]float64, 2*d)
	components[d-1], components[2*d-2] = 1, 1
	m := basisModel(components, 2, d)
	e, err := Evaluate(context.Background(), m, &data.Set{X: csr}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if best := e.Captured + e.Missed; !(float64(e.Proof.Upper) >= best*(1-1e-12) && float64(e.Proof.Upper) <= best*1.01 && e.Proof.Route == "lanczos" && e.Proof.Failure > 0) {
		t.Errorf("found %+v, expected a bound slightly above %g", e.Proof, best)
	}
}

// Few rows, rows that are all the mean, and what is no rows of these components.
func TestEvaluateOdd(t *testing.T) {
	ctx := context.Background()
	r, err := Fit(ctx, ellipsoid(t, 100, 4, 1), Spec{K: 3})
	if err != nil {
		t.Fatal(err)
	}
	one, err := Evaluate(ctx, r.Model, ellipsoid(t, 1, 4, 2), 0)
	if err != nil || !math.IsInf(one.Error, 1) || !math.IsInf(one.MissedError, 1) || math.Abs(one.Missed-one.Loss()) > 1e-12 {
		t.Errorf("one row: found %+v, %v", one, err)
	}
	bare := *r.Model
	bare.Mean = nil
	none, err := Evaluate(ctx, &bare, &data.Set{X: &matrix.Dense{Rows: 2, Cols: 4, Value: make([]float32, 8)}}, 0)
	if err != nil || none.Total != 0 || none.Missed != 0 || none.Proof.Relative() != 0 {
		t.Errorf("zeros: found %+v, %v", none, err)
	}
	weighted := ellipsoid(t, 2, 4, 1)
	weighted.Weight = []float64{1, 2}
	skewed := bare
	skewed.Components = append([]float64{2}, bare.Components[1:]...)
	for want, c := range map[string]struct {
		m   *model.PCA
		set *data.Set
	}{
		"row weights":         {r.Model, weighted},
		"1 row of 5 features": {r.Model, ellipsoid(t, 1, 5, 1)},
		"not orthonormal":     {&skewed, ellipsoid(t, 3, 4, 1)},
		"no components":       {nil, weighted},
	} {
		if _, err := Evaluate(ctx, c.m, c.set, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %q", err, want)
		}
	}
}
