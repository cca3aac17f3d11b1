package pcatest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
)

// turned returns two bases of k rows in d >= 2k dimensions with the given angles
// between them, in a random position and each in a random basis of its own.
func turned(r *rand.Rand, angles []float64, d int) (a, b method.Basis) {
	k := len(angles)
	frame := RandomRows(r.NormFloat64, 2*k, d)
	a, b = method.Basis{K: k, Cols: d, Component: make([]float64, k*d)}, method.Basis{K: k, Cols: d, Component: make([]float64, k*d)}
	va, vb := RandomRows(r.NormFloat64, k, k), RandomRows(r.NormFloat64, k, k)
	for i := range k {
		for l, angle := range angles {
			s, c := math.Sincos(angle)
			for j := range d {
				e, f := frame[l*d+j], frame[(k+l)*d+j]
				a.Component[i*d+j] += va[i*k+l] * e
				b.Component[i*d+j] += vb[i*k+l] * (c*e + s*f)
			}
		}
	}
	return a, b
}

// Row 3 of the checklist, angles: given ones are found again, small beside large.
func TestAngles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	worst := 0.0
	for _, angles := range [][]float64{
		{0}, {math.Pi / 2}, {1e-12}, {0.5},
		{0, 1e-9, 1e-5, 0.1, 0.7853, 0.7855, 1.2, math.Pi/2 - 1e-9, math.Pi / 2},
		{0.3, 0.3, 0.3}, {0, 0, 0, 0},
	} {
		for range 20 {
			a, b := turned(r, angles, 2*len(angles)+3)
			worst = max(worst, LargestDifference(Angles(a, b), angles), LargestDifference(Angles(b, a), angles))
		}
	}
	t.Logf("worst error of an angle %.2g", worst)
	if !(worst <= 1e-14) {
		t.Errorf("worst error of an angle %g, expected at most 1e-14", worst)
	}
}

func TestAnglesOfUnequalSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	a, b := turned(r, []float64{0.1, 0.2, 0.3}, 9)
	inside := method.Basis{K: 1, Cols: 9, Component: b.Component[:9]}
	if got := Angles(b, inside); len(got) != 1 || got[0] > 1e-15 {
		t.Errorf("a line in a space: angles %v, expected one of 0", got)
	}
	if got := Angles(inside, a); len(got) != 1 || got[0] < 0.1-1e-15 || got[0] > 0.3+1e-15 {
		t.Errorf("angles %v, expected one between 0.1 and 0.3", got)
	}
	if got := Angles(a, method.Basis{Cols: 9}); len(got) != 0 {
		t.Errorf("angles %v with nothing", got)
	}
}

func TestArcsine(t *testing.T) {
	for _, s := range []float64{0, 1e-300, 1e-17, 1e-8, 0.1, 0.5, math.Sqrt2 / 2, 0.75, 0.99, 1} {
		if got, want := arcsine(s), math.Asin(s); math.Abs(got-want) > 4e-16*want {
			t.Errorf("arcsine(%v) = %v, expected %v", s, got, want)
		}
	}
}
