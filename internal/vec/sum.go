package vec

import "math"

// Sum is a running sum with compensation (Neumaier): its error stays below two
// rounding errors of the result plus n*eps^2 of the sum of magnitudes, however
// many numbers are added. The zero value is an empty sum.
type Sum struct{ sum, lost float64 }

// Add adds x. The conversion keeps a product that the caller passes from being
// fused into the additions.
func (s *Sum) Add(x float64) {
	x = float64(x)
	t := s.sum + x
	if math.Abs(s.sum) >= math.Abs(x) {
		s.lost += (s.sum - t) + x
	} else {
		s.lost += (x - t) + s.sum
	}
	s.sum = t
}

// Value returns the sum so far.
func (s *Sum) Value() float64 {
	if total := s.sum + s.lost; total == total {
		return total
	}
	return s.sum // infinite: the compensation is then meaningless
}

// Total returns the compensated sum of v.
func Total(v []float64) float64 {
	var sum Sum
	for _, x := range v {
		sum.Add(x)
	}
	return sum.Value()
}
