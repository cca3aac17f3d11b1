package penalty

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Group is the sum of the norms of groups of Size weights that follow one another, each times the
// root of its size; the last group may be smaller (Yuan, Lin 2006). All weights of a group are
// zero, or none is.
//
// Its conjugate is 0 where the norm of u in each group is at most that root, and infinite outside.
type Group struct{ Size int }

var _ Penalty = Group{}

func init() {
	penalties.Register(registry.Entry[Penalty]{Name: "group", Summary: "sum of the norms of groups of weights, size=4 columns each, one every stride=size columns: few groups that are not zero",
		New: func(p *registry.Params) (Penalty, error) {
			size := p.Int("size", 4, 1, math.MaxInt32)
			if stride := p.Int("stride", size, 1, size); stride < size {
				return Overlap{size, stride}, p.Err()
			}
			return Group{size}, p.Err()
		}})
}

// each calls do for every group of n weights, from lo to hi, with the root of its size.
func (g Group) each(n int, do func(lo, hi int, root float64)) {
	for lo := 0; lo < n; lo += g.Size {
		hi := min(n, lo+g.Size)
		do(lo, hi, math.Sqrt(float64(hi-lo)))
	}
}

// length is the norm of x, without overflow of its squares.
func length(x []float64) float64 {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 || math.IsInf(largest, 1) {
		return largest
	}
	var sum vec.Sum
	for _, v := range x {
		sum.Add((v / largest) * (v / largest))
	}
	return largest * math.Sqrt(sum.Value())
}

// Value returns the sum over the groups.
func (g Group) Value(w []float64) float64 {
	var sum vec.Sum
	g.each(len(w), func(lo, hi int, root float64) { sum.Add(root * length(w[lo:hi])) })
	return sum.Value()
}

// Prox shortens the weights of each group by step times the root of its size.
func (g Group) Prox(dst, v []float64, step float64) {
	g.each(len(v), func(lo, hi int, root float64) { shorten(dst[lo:hi], v[lo:hi], step*root) })
}

// shorten writes v, shorter by so much, or zero.
func shorten(dst, v []float64, by float64) {
	share := 0.0
	if size := length(v); size > by {
		share = 1 - by/size
	}
	for j, x := range v {
		dst[j] = share * x
	}
}

// Conjugate returns the largest scale that takes u into the domain, rounded down, and 0.
func (g Group) Conjugate(u []float64) (scale, value float64) {
	scale = 1
	g.each(len(u), func(lo, hi int, root float64) {
		if size := length(u[lo:hi]) * (1 + float64(hi-lo+8)*0x1p-52); size > root {
			scale = min(scale, math.Nextafter(root/size, 0))
		}
	})
	return scale, 0
}

// StrongConvexity is 0.
func (Group) StrongConvexity() float64 { return 0 }
