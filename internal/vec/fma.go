package vec

import "math"

// FMA32 returns a*b + c with one rounding to single precision. The product is
// exact in double precision; the sum there is rounded to odd (Boldo and
// Melquiond, 2008), after which rounding again does no harm.
func FMA32(a, b, c float32) float32 {
	p, z := float64(a)*float64(b), float64(c)
	s := p + z
	lost := (p - (s - (s - p))) + (z - (s - p)) // Knuth's TwoSum
	if lost != 0 && lost-lost == 0 {
		if bits := math.Float64bits(s); bits&1 == 0 {
			if (lost > 0) == (s > 0) {
				bits++
			} else {
				bits--
			}
			s = math.Float64frombits(bits)
		}
	}
	return float32(s)
}
