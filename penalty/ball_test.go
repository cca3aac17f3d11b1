package penalty_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/penalty"
)

func TestBallLaws(t *testing.T) {
	for _, norm := range []int{1, 2} {
		for _, radius := range []float64{1e-3, 1, 40} {
			if err := conform.Penalty(penalty.Ball{Norm: norm, Radius: radius}); err != nil {
				t.Errorf("norm %d, radius %g:\n%v", norm, radius, err)
			}
		}
	}
}

// TestBallProjection: the projection x of v is inside, and no point z of the ball makes an acute angle with
// v - x there: <v - x, z - x> <= 0, which for the worst z is R |v - x|_* = <v - x, x>.
func TestBallProjection(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 4))
	for trial := range 3000 {
		b := penalty.Ball{Norm: 1 + trial%2, Radius: math.Exp(20 * r.NormFloat64())}
		n, size := 1+r.IntN(50), b.Radius*math.Exp(5*r.NormFloat64())
		v, x, rest := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range v {
			if v[j] = size * r.NormFloat64(); r.IntN(4) == 0 {
				v[j] = size // ties
			}
		}
		b.Prox(x, v, 1)
		inner, scale := 0.0, 0.0
		for j := range v {
			rest[j] = v[j] - x[j]
			inner += rest[j] * x[j]
			scale = max(scale, math.Abs(v[j]))
		}
		if b.Value(x) != 0 {
			t.Fatalf("%+v: the projection of %v is outside", b, v)
		}
		if _, most := b.Conjugate(rest); most-inner > 1e-13*float64(n)*scale*b.Radius+1e-15*float64(n)*scale*scale {
			t.Fatalf("%+v: the projection of %v is off by %g", b, v, most-inner)
		}
	}
}

func TestNewBallRefuses(t *testing.T) {
	for _, c := range []struct {
		p      penalty.Penalty
		radius float64
		want   string
	}{
		{penalty.L1{}, 0, "radius=0: expected a number from 1e-150 to 1e150"},
		{penalty.L2{}, math.NaN(), "radius=NaN: expected a number from 1e-150 to 1e150"},
		{penalty.Group{Size: 2}, 1, "radius=1 with a penalty that is no norm: expected l1 or l2"},
		{penalty.ElasticNet{Ratio: 0.5}, 1, "radius=1 with a penalty that is no norm: expected l1 or l2"},
	} {
		if _, err := penalty.NewBall(c.p, c.radius); err == nil || err.Error() != c.want {
			t.Errorf("%T, radius %g: %v, want %s", c.p, c.radius, err, c.want)
		}
	}
}
