package vec

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRotate: every level rotates rows as plain Go does, and touches nothing else.
func TestRotate(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 1))
	for count := range 6 {
		for cols := 0; cols <= 96; cols += 8 {
			stride := cols + r.IntN(9)
			v, q := make([]float64, (count+1)*stride+8), make([]rotation, count)
			for i := range v {
				v[i] = draw(r, i%3)
			}
			for k := range q {
				q[k] = rotation{draw(r, 0), draw(r, 1)}
			}
			want := slices.Clone(v)
			rotatePortable(want[4:], stride, q, cols)
			eachLevel(t, func(l level) {
				got := slices.Clone(v)
				rotateRows(got[4:], stride, q, cols)
				if !sameBits(got, want) {
					t.Errorf("%s, %d rotations, %d columns: not what plain Go has", l, count, cols)
				}
			})
		}
	}
}

// TestRotateRefuses rows that are too short.
func TestRotateRefuses(t *testing.T) {
	if !panics(func() { rotateRows(make([]float64, 23), 8, make([]rotation, 2), 8) }) {
		t.Error("no panic")
	}
}
