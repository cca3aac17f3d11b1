package pca

import "math"

// A secular decomposes diag(d) + rho z z^T, |z| = 1, rho > 0, in O(n^2) where a
// dense method takes O(n^3) (Bunch, Nielsen and Sorensen 1978; LAPACK's dlaed3 and
// dlaed4). d rises strictly and no z is 0: what is not so is deflated before, see
// [Spectral]. The eigenvalues lie between the d and above the last:
//
//	w(lambda) = 1/rho + sum_j z_j^2/(d_j - lambda) = 0,   d_i < lambda_i < d_{i+1}
//
// Each is found as a distance tau from the nearer of its two neighbours, by
// iterations that fit a pole to each side ("the middle way", Li 1993), inside a
// bracket. The eigenvectors are those of the z for which the numbers found are
// exact, so they are orthogonal to rounding (Gu and Eisenstat 1994):
//
//	z_j^2 = prod_i (lambda_i - d_j) / prod_{i != j} (d_i - d_j) / rho,   u_i ~ z_j/(d_j - lambda_i)
type secular struct {
	value   []float64 // n eigenvalues, rising
	vectors []float64 // n x n, as rows
	apart   []float64 // n x n: d_j - lambda_i in row i
	delta   []float64 // d_j - origin
	again   []float64 // z as above
}

// decompose fills value and vectors. It reports false where rounding or overflow
// has spoilt something; that has not been seen.
func (s *secular) decompose(d, z []float64, rho float64) bool {
	n := len(d)
	if n == 1 {
		s.value, s.vectors = append(s.value[:0], d[0]+rho), append(s.vectors[:0], 1)
		return true
	}
	s.value, s.delta, s.again = zeros(s.value, n), zeros(s.delta, n), zeros(s.again, n)
	s.vectors, s.apart = zeros(s.vectors, n*n), zeros(s.apart, n*n)
	for i := range d {
		s.root(i, d, z, rho)
	}
	return s.weights(d, z, rho) && s.eigenvectors()
}

// root finds eigenvalue i, and its distances.
func (s *secular) root(i int, d, z []float64, rho float64) {
	origin, lo, hi := i, 0.0, 2*rho // the last is at most rho away
	last := i == len(d)-1
	if !last {
		half := (d[i+1] - d[i]) / 2
		s.from(d, d[i])
		if w, _ := s.at(half, i, z, rho); w.sum >= 0 {
			hi = half
		} else {
			origin, lo, hi = i+1, -half, 0
		}
	}
	s.from(d, d[origin])
	tau := lo + (hi-lo)/2
	for range 100 {
		w, tolerance := s.at(tau, i, z, rho)
		if math.Abs(w.sum) <= tolerance {
			break
		}
		if w.sum > 0 {
			hi = tau
		} else {
			lo = tau
		}
		next := tau + s.step(w, tau, i, last)
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if next == tau || next == lo || next == hi {
			break
		}
		tau = next
	}
	s.value[i] = d[origin] + tau
	row := s.apart[i*len(d) : (i+1)*len(d)]
	for j, v := range s.delta {
		row[j] = v - tau
	}
}

func (s *secular) from(d []float64, origin float64) {
	for j, v := range d {
		s.delta[j] = v - origin
	}
}

// A height is w at a point, and the slopes of its terms up to i and from there on.
type height struct{ sum, left, right float64 }

// at returns w at tau, and how much of it may be rounding.
func (s *secular) at(tau float64, i int, z []float64, rho float64) (w height, tolerance float64) {
	var below, above float64
	delta := s.delta[:len(z)]
	for j, v := range z[:i+1] {
		t := v / (delta[j] - tau)
		below += float64(v * t)
		w.left += float64(t * t)
	}
	for j := i + 1; j < len(z); j++ {
		t := z[j] / (delta[j] - tau)
		above += float64(z[j] * t)
		w.right += float64(t * t)
	}
	w.sum = 1/rho + below + above
	size := 1/rho + 8*(math.Abs(below)+math.Abs(above)) + float64(math.Abs(tau)*(w.left+w.right))
	return w, 0x1p-53 * size
}

// step returns the way to the zero of c + p/(d_i - lambda) + q/(d_{i+1} - lambda),
// with p and q such that the slopes of the two sides are right; of the last
// eigenvalue, which has one neighbour, of c + p/(d_i - lambda).
func (s *secular) step(w height, tau float64, i int, last bool) float64 {
	left := s.delta[i] - tau
	if last {
		return left + float64(left*left)*w.left/(w.sum-float64(left*w.left))
	}
	right := s.delta[i+1] - tau
	c := w.sum - float64(left*w.left) - float64(right*w.right)
	a := float64((left+right)*w.sum) - float64(float64(left*right)*(w.left+w.right))
	b := float64(float64(left*right) * w.sum)
	root := math.Sqrt(max(0, float64(a*a)-float64(4*b*c)))
	if a <= 0 {
		return (a - root) / (2 * c)
	}
	return 2 * b / (a + root)
}

// weights sets again to the z that belongs to the eigenvalues.
func (s *secular) weights(d, z []float64, rho float64) bool {
	n := len(d)
	for j := range d {
		square := -s.apart[(n-1)*n+j] / rho
		for i := range j {
			square *= s.apart[i*n+j] / (d[j] - d[i])
		}
		for i := j; i < n-1; i++ {
			square *= -s.apart[i*n+j] / (d[i+1] - d[j])
		}
		if !(square > 0) {
			return false
		}
		s.again[j] = math.Copysign(math.Sqrt(square), z[j])
	}
	return true
}

// eigenvectors fills vectors.
func (s *secular) eigenvectors() bool {
	n := len(s.value)
	for i := range n {
		u, square := s.vectors[i*n:(i+1)*n], 0.0
		for j, apart := range s.apart[i*n : (i+1)*n] {
			u[j] = s.again[j] / apart
			square += float64(u[j] * u[j])
		}
		if !(square > 0 && square <= math.MaxFloat64) {
			return false
		}
		scale(u, 1/math.Sqrt(square))
	}
	return true
}
