package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// dense returns the matrix that s stands for.
func (s *Spectral) dense() []float64 {
	d := s.cols
	a := make([]float64, d*d)
	u := s.Directions(s.Rank())
	for i := range d {
		a[i*d+i] = s.Background
	}
	for r, value := range s.Value {
		for i := range d {
			for j := range d {
				a[i*d+j] += (value - s.Background) * u[r*d+i] * u[r*d+j]
			}
		}
	}
	return a
}

// Row 9: the state is A + sum of eta x x^T, whatever the background, for rows
// inside and outside of the directions so far.
func TestSpectralIsDense(t *testing.T) {
	for _, background := range []float64{0, 0.5, -2} {
		for _, d := range []int{1, 2, 5, 12} {
			rng := rand.New(rand.NewPCG(1, uint64(d)))
			s := NewSpectral(d, background)
			want := s.dense()
			basis := pcatest.Normal(rng, 3*d) // every third row is a mix of three
			for step := range 200 {
				x, eta := pcatest.Normal(rng, d), rng.NormFloat64()
				if step%3 == 0 {
					clear(x)
					for i := range 3 {
						c := rng.NormFloat64()
						for j := range x {
							x[j] += c * basis[i*d+j]
						}
					}
				}
				if step%17 == 0 {
					clear(x)
				}
				if norm := math.Sqrt(vec.SquaredNorm64(x)); norm > 1 { // so that 1e-12 is of numbers of about 1
					algebra.Scale(x, 1/norm)
				}
				s.Update(eta, x)
				for i := range d {
					for j := range d {
						want[i*d+j] += eta * x[i] * x[j]
					}
				}
				if got := pcatest.LargestDifference(s.dense(), want); !(got <= 1e-12) {
					t.Fatalf("b=%g d=%d step %d: off by %g", background, d, step, got)
				}
			}
		}
	}
}

// Row 9: rows that nearly lie in four dimensions do not ruin U.
func TestSpectralDrift(t *testing.T) {
	t.Parallel()
	steps := 100000
	if testing.Short() {
		steps = 10000
	}
	const d = 100
	rng := rand.New(rand.NewPCG(1, 2))
	basis := pcatest.Normal(rng, 4*d)
	s := NewSpectral(d, 0)
	x := make([]float64, d)
	for range steps {
		clear(x)
		for i := range 4 {
			c := rng.NormFloat64()
			for j := range x {
				x[j] += c * basis[i*d+j]
			}
		}
		for j := range x {
			x[j] += 1e-13 * rng.NormFloat64()
		}
		s.Update(1, x)
		s.Truncate(6)
	}
	if got := pcatest.Departure(s.Directions(6), d); got > 1e-9 {
		t.Errorf("U U^T is off I by %g, expected at most 1e-9", got)
	}
}

// Row 10.
func TestSpectralOrthonormalise(t *testing.T) {
	const d, r = 20, 6
	rng := rand.New(rand.NewPCG(1, 3))
	for _, background := range []float64{0, -3} {
		s := NewSpectral(d, background)
		for range r {
			x := pcatest.Normal(rng, d)
			algebra.Scale(x, 1/math.Sqrt(vec.SquaredNorm64(x)))
			s.Update(rng.Float64(), x)
		}
		s.compress()
		before := s.dense()
		for i := range s.q {
			s.q[i] += 1e-6 * rng.NormFloat64() / math.Sqrt(d)
		}
		s.Orthonormalise()
		if got := pcatest.Departure(s.Directions(r), d); got > 1e-14 {
			t.Errorf("b=%g: U U^T is off I by %g, expected at most 1e-14", background, got)
		}
		if got := pcatest.LargestDifference(s.dense(), before); got > 1e-5 {
			t.Errorf("b=%g: A changed by %g, expected at most 1e-5", background, got)
		}
	}
}

func TestSpectralTies(t *testing.T) {
	for _, preferNew := range []bool{false, true} {
		s := NewSpectral(3, 0)
		s.PreferNew = preferNew
		s.Update(1, []float64{1, 0, 0})
		s.Update(1, []float64{0, 1, 0})
		first := s.Directions(1)
		if newest := math.Abs(first[1]) == 1; newest != preferNew {
			t.Errorf("prefer new %v: first direction %v", preferNew, first)
		}
		if newest := s.Fresh(0) == 1; newest != preferNew {
			t.Errorf("prefer new %v: found fresh %v", preferNew, s.Fresh(0))
		}
	}
}

// What is kept goes on with the same bits.
func TestSpectralKeep(t *testing.T) {
	const d = 15
	rng := rand.New(rand.NewPCG(1, 4))
	s := NewSpectral(d, 0.25)
	feed := func(s *Spectral, rng *rand.Rand) {
		for range 37 {
			s.Update(rng.Float64(), pcatest.Normal(rng, d))
			s.Truncate(5)
		}
	}
	feed(s, rng)
	again := NewSpectral(d, 0)
	if err := method.Restore(again, method.Keep(s)); err != nil {
		t.Fatal(err)
	}
	feed(s, rand.New(rand.NewPCG(7, 7)))
	feed(again, rand.New(rand.NewPCG(7, 7)))
	if pcatest.LargestDifference(s.dense(), again.dense()) != 0 {
		t.Error("another matrix after it was kept and restored")
	}
}

// Directions of the background's eigenvalue are dropped, but for as many as must stay.
func TestRankOfWalk(t *testing.T) {
	w := walk{most: 5, a: &Spectral{Value: []float64{3, 2, 1, 1}}}
	for _, c := range [][3]float64{{0, 1, 2}, {3, 1, 3}, {0, 0.5, 4}, {0, 3, 0}} {
		if got := w.rank(int(c[0]), c[1]); got != int(c[2]) {
			t.Errorf("found %d directions above %g, expected %g", got, c[1], c[2])
		}
	}
	if w.most = 3; w.rank(0, 0.5) != 3 {
		t.Errorf("found %d directions, expected at most 3", w.rank(0, 0.5))
	}
}

// However large a row is, its step adds at most mostStep to an eigenvalue.
func TestStepOfOutlier(t *testing.T) {
	w := newWalk(method.Problem{K: 1, Cols: 2, Rows: 10}, 0, schedule.Constant{C: 1}, Output{})
	for _, length := range []float64{1e2, 1e6, 1e100} {
		if step := w.eta([]float64{length, 0}) * length * length; !(step <= mostStep*(1+1e-12)) {
			t.Errorf("a row of length %g adds %g, expected at most %g", length, step, float64(mostStep))
		}
	}
}
