package pca

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/model"
)

// basisModel is a model of k components of d features.
func basisModel(components []float64, k, d int) *model.PCA {
	return &model.PCA{Statement: model.PCAStatement{K: k, Scale: "none"}, Data: model.Data{Features: d}, Components: components, Eigenvalue: make([]float64, k)}
}

// Planes that were turned by known angles have these, of any size, whatever the order, the signs and
// the rotation of the components within each; the distance is that of dense projections.
func TestCompare(t *testing.T) {
	const d, k = 9, 3
	rng := rand.New(rand.NewPCG(1, 1))
	for _, angles := range [][]float64{{0, 0, 0}, {0, 1e-9, 2e-9}, {1e-3, 0.5, 1.5}, {0, 0, math.Pi / 2}, {math.Pi / 2, math.Pi / 2, math.Pi / 2}} {
		frame, inner := pcatest.RandomRows(rng.NormFloat64, d, d), pcatest.RandomRows(rng.NormFloat64, k, k)
		a, b, turned := frame[:k*d], make([]float64, k*d), make([]float64, k*d)
		for i, angle := range angles {
			for j := range d {
				turned[i*d+j] = math.Cos(angle)*frame[i*d+j] + math.Sin(angle)*frame[(k+i)*d+j]
			}
		}
		for i := range k {
			for l := range k {
				for j := range d {
					b[i*d+j] += inner[i*k+l] * turned[l*d+j]
				}
			}
		}
		for smaller := 1; smaller <= k; smaller++ { // subspaces of the first plane too
			c, err := Compare(basisModel(a[:smaller*d], smaller, d), basisModel(b, k, d))
			if err != nil {
				t.Fatal(err)
			}
			back, err := Compare(basisModel(b, k, d), basisModel(a[:smaller*d], smaller, d))
			if err != nil || pcatest.LargestDifference(back.Angles, c.Angles) > 1e-7 || math.Abs(back.Distance-c.Distance) > 1e-14 {
				t.Errorf("%v: found %+v and %+v the other way, %v", angles, c, back, err)
			}
			if pcatest.LargestDifference(c.Angles, angles[:smaller]) > 1e-7 || angles[2] < 1e-3 && pcatest.LargestDifference(c.Angles, angles[:smaller]) > 1e-14 {
				t.Errorf("the first %d of %v: found %v", smaller, angles, c.Angles)
			}
			difference := pcatest.Assemble([]float64{1, 1, 1}[:smaller], a[:smaller*d], d)
			for j, v := range pcatest.Assemble([]float64{1, 1, 1}, b, d) {
				difference[j] -= v
			}
			squares := 0.0
			for _, v := range difference {
				squares += v * v
			}
			if math.Abs(c.Distance-math.Sqrt(squares)) > 1e-12 || c.Factors != 1 {
				t.Errorf("the first %d of %v: found %+v, expected the distance %g", smaller, angles, c, math.Sqrt(squares))
			}
		}
	}
}

// What has no angles is refused, and factors that differ are told.
func TestCompareRefuses(t *testing.T) {
	named := func(m *model.PCA, names ...string) *model.PCA {
		m.Features = names
		return m
	}
	scaled := func(scale string, factors ...float64) *model.PCA {
		m := basisModel([]float64{1, 0}, 1, 2)
		m.Statement.Scale, m.Scale = scale, factors
		return m
	}
	plain := basisModel([]float64{1, 0}, 1, 2)
	for want, pair := range map[string][2]*model.PCA{
		"has 2 features, the second 3": {plain, basisModel([]float64{1, 0, 0}, 1, 3)},
		"feature 2 is b in the first":  {named(basisModel([]float64{1, 0}, 1, 2), "a", "b"), named(basisModel([]float64{1, 0}, 1, 2), "a", "c")},
		"scales none and std":          {plain, scaled("std", 1, 2)},
		"not orthonormal":              {plain, basisModel([]float64{2, 0}, 1, 2)},
		"no components":                {plain, nil},
	} {
		if _, err := Compare(pair[0], pair[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %q", err, want)
		}
	}
	if c, err := Compare(scaled("std", 1, 2), scaled("std", 1, 5)); err != nil || c.Factors != 2.5 {
		t.Errorf("found %+v, %v, expected factors that differ 2.5 times", c, err)
	}
}
