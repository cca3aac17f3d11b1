package penalty

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Overlap is the sum of the norms of groups of Size weights, each times the root of its size, that begin every Stride
// weights, Stride < Size: a weight is in several groups, and the zeros are a union of groups (Jenatton, Audibert, Bach 2011).
// Its proximal point is that of a sum of penalties [Group] of groups that do not overlap.
type Overlap struct{ Size, Stride int }

var (
	_ Coupled     = Overlap{}
	_ Approximate = Overlap{}
)

// groups calls do for every group of n weights: from lo to hi. The last one reaches the end.
func (o Overlap) groups(n int, do func(k, lo, hi int)) {
	for k, lo := 0, 0; lo < n; k, lo = k+1, lo+o.Stride {
		hi := min(n, lo+o.Size)
		if do(k, lo, hi); hi == n {
			return
		}
	}
}

// Value returns the sum over the groups.
func (o Overlap) Value(w []float64) float64 {
	var sum vec.Sum
	o.groups(len(w), func(_, lo, hi int) { sum.Add(math.Sqrt(float64(hi-lo)) * length(w[lo:hi])) })
	return sum.Value()
}

// parts are the groups in as few classes as keep those of a class apart: every so many belong together. The home of a
// weight is the last group that has begun.
func (o Overlap) parts(n int) sum {
	classes := (o.Size + o.Stride - 1) / o.Stride
	all, last := make([]apart, classes), 0
	o.groups(n, func(k, lo, hi int) {
		all[k%classes].spans = append(all[k%classes].spans, [2]int{lo, hi})
		last = k
	})
	s := sum{home: func(j int) int { return min(j/o.Stride, last) % classes }}
	for _, a := range all {
		s.terms = append(s.terms, a)
	}
	return s
}

// Prox is that of a sum.
func (o Overlap) Prox(dst, v []float64, step float64) { o.parts(len(v)).prox(dst, v, step) }

// Conjugate returns the scale of a sum.
func (o Overlap) Conjugate(u []float64) (scale, value float64) {
	return o.parts(len(u)).conjugate(u, o.Value)
}

// Within returns the scale of a sum.
func (o Overlap) Within(u, reach []float64) (scale float64) {
	return o.parts(len(u)).within(u, reach, o.Value)
}

// Accuracy is less than that of other sums: where many groups meet in a corner, rounds are slow.
func (Overlap) Accuracy() float64 { return 100 * sumAccuracy }

// StrongConvexity is 0.
func (Overlap) StrongConvexity() float64 { return 0 }

// apart is a term of groups that do not overlap.
type apart struct{ spans [][2]int }

func (a apart) prox(dst, v []float64, step float64) {
	copy(dst, v)
	for _, s := range a.spans {
		shorten(dst[s[0]:s[1]], v[s[0]:s[1]], step*math.Sqrt(float64(s[1]-s[0])))
	}
}

func (a apart) gauge(u []float64) (largest float64) {
	for _, s := range a.spans {
		largest = max(largest, length(u[s[0]:s[1]])/math.Sqrt(float64(s[1]-s[0]))*(1+float64(s[1]-s[0]+8)*0x1p-52))
	}
	return largest
}

func (apart) repair([]float64) {}
