package lapack

import (
	"cmp"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// DecomposeRankOne is [Eigensystem.Decompose] of diag(d) + eta*z*z^T, with n numbers of d in
// any order and of z, which it leaves as they are. It takes O(n^2) operations without
// vectors or ties, and few more with.
//
// Method (Cuppen 1981; Gu and Eisenstat 1994; LAPACK's laed2 to laed4): with z of length
// 1 and rho > 0, the eigenvalues are the roots of
//
//	1/rho + sum_i z_i^2/(d_i - x) = 0,
//
// one between each d_i and the next. Where z_i is negligible, d_i is one; of two equal d_i
// a rotation makes one z_i zero. The roots belong exactly to a z near the given one, of
// which the eigenvectors z_i/(d_i - x) are orthogonal however close roots are.
func (e *Eigensystem) DecomposeRankOne(values, vectors, d []float64, eta float64, z []float64) {
	n := len(d)
	values, z = values[:n], z[:n]
	e.values = resized(e.values, n)
	if vectors != nil {
		vectors = vectors[:n*n]
		clear(vectors)
	}
	s := &e.secular
	up, ok := s.begin(d, eta, z)
	if !ok {
		fill(values, math.NaN())
		fill(vectors, math.NaN())
		return
	}
	s.deflate()
	s.solve(1)
	for j, i := range s.kept {
		e.values[s.order[i]] = s.root[j]
	}
	for _, i := range s.deflated {
		e.values[s.order[i]] = s.d[i]
	}
	if eta < 0 {
		for i := range e.values {
			e.values[i] = 0 - e.values[i]
		}
	}
	e.order = resized(e.order, n)
	for i := range e.order {
		e.order[i] = i
	}
	slices.SortStableFunc(e.order, func(i, j int) int { return cmp.Compare(e.values[j], e.values[i]) })
	for to, i := range e.order {
		values[to] = up.times(e.values[i])
	}
	if vectors != nil {
		s.vectors(vectors, e.order)
	}
}

// A secular is diag(d) + rho*z*z^T, d ascending, rho >= 0 and z of length 1, with what is
// known of its eigensystem.
type secular struct {
	d, z     []float64
	rho      float64
	order    []int // row k here is row order[k] of the caller
	kept     []int // rows of roots, ascending
	deflated []int // rows of which d is an eigenvalue
	turned   []turn
	pole     []float64 // d of the rows that are kept, and z
	weight   []float64
	root     []float64
	gap      []float64 // pole[i] - root[j] at j*len(kept)+i
	place    []int     // of a row in kept, or -1
}

// A turn has taken z of row p to row q: q, p = c q + s p, c p - s q.
type turn struct {
	p, q int
	c, s float64
}

// begin sorts and scales; up takes the values back. Of an eta below 0 it takes the
// negative matrix.
func (s *secular) begin(d []float64, eta float64, z []float64) (up power, ok bool) {
	n := len(d)
	s.d, s.z, s.order = resized(s.d, n), resized(s.z, n), resized(s.order, n)
	high, fine := exponentOf(d)
	of, right := exponentOf(z)
	if !fine || !right || math.IsInf(eta, 0) || eta != eta {
		return up, false
	}
	down, norm := powerOf(-of), 0.0
	for k := range s.order {
		s.order[k] = k
		x := down.times(z[k])
		norm += float64(x * x)
	}
	fraction, exponent := math.Frexp(math.Abs(eta))
	exponent += 2 * of
	fraction *= norm
	if fraction > 0 && (exponent > high || !hasOther(d)) {
		high = exponent
	}
	s.rho = math.Ldexp(fraction, max(exponent-high, -1100))
	sign := math.Copysign(1, eta)
	slices.SortStableFunc(s.order, func(i, j int) int { return cmp.Compare(sign*d[i], sign*d[j]) })
	length, toOne := math.Sqrt(norm), powerOf(-high)
	for k, i := range s.order {
		s.d[k] = sign * toOne.times(d[i])
		s.z[k] = 0
		if length > 0 {
			s.z[k] = down.times(z[i]) / length
		}
	}
	return powerOf(high), true
}

// deflate sorts rows into those of roots and those that are done.
func (s *secular) deflate() {
	s.kept, s.deflated, s.turned = s.kept[:0], s.deflated[:0], s.turned[:0]
	n := len(s.d)
	if n == 0 {
		return
	}
	least := 8 * 0x1p-53 * max(math.Abs(s.d[0]), math.Abs(s.d[n-1]), s.rho)
	p := -1 // the last that may be kept
	for q := range n {
		switch {
		case s.rho*math.Abs(s.z[q]) <= least:
			s.deflated = append(s.deflated, q)
			continue
		case p >= 0 && s.turn(p, q, least):
			s.deflated = append(s.deflated, p)
		case p >= 0:
			s.kept = append(s.kept, p)
		}
		p = q
	}
	if p >= 0 {
		s.kept = append(s.kept, p)
	}
}

// turn takes z of row p to row q, if what that adds beside the diagonal is at most least.
func (s *secular) turn(p, q int, least float64) bool {
	length := math.Sqrt(float64(s.z[p]*s.z[p]) + float64(s.z[q]*s.z[q]))
	c, sine := s.z[q]/length, s.z[p]/length
	if math.Abs((s.d[q]-s.d[p])*c*sine) > least {
		return false
	}
	s.turned = append(s.turned, turn{p, q, c, sine})
	s.z[p], s.z[q] = 0, length
	if x, y := s.d[p], s.d[q]; x != y {
		s.d[p] = float64(x*float64(c*c)) + float64(y*float64(sine*sine))
		s.d[q] = float64(x*float64(sine*sine)) + float64(y*float64(c*c))
	}
	return true
}

// solve finds the roots.
func (s *secular) solve(threads int) {
	k := len(s.kept)
	s.pole, s.weight, s.root, s.gap = resized(s.pole, k), resized(s.weight, k), resized(s.root, k), resized(s.gap, k*k)
	for j, i := range s.kept {
		s.pole[j], s.weight[j] = s.d[i], s.z[i]
	}
	if k <= fewRows {
		s.roots(0, k)
		s.adjust(0, k)
		return
	}
	parallel.Blocks(k, 16, threads, func(_, lo, hi int) { s.roots(lo, hi) })
	parallel.Blocks(k, 64, threads, func(_, lo, hi int) { s.adjust(lo, hi) })
}

// roots finds those from lo to hi.
func (s *secular) roots(lo, hi int) {
	for j := lo; j < hi; j++ {
		s.root[j] = s.find(j)
	}
}

// stepsOfRoot is the most steps to a root; three to five are usual.
const stepsOfRoot = 100

// find returns root j and writes its gaps. The root is kept as a distance t from the
// nearer of the poles beside it, so that gaps have no cancellation.
func (s *secular) find(j int) float64 {
	row := s.gap[j*len(s.pole) : (j+1)*len(s.pole)]
	from, t, lo, hi := s.start(j, row)
	for range stepsOfRoot {
		w, slope, size := s.evaluate(row, from, t)
		if math.Abs(w) <= 0x1p-50*size {
			break
		}
		if w < 0 {
			lo = t
		} else {
			hi = t
		}
		next := t + s.step(row, j, from, w, slope)
		if !(next > lo && next < hi) {
			next = lo + float64((hi-lo)/2)
		}
		if next == t || next <= lo || next >= hi {
			break
		}
		t = next
	}
	return s.pole[from] + t
}

// evaluate writes the gaps at t from a pole, and returns the function, its slope, and
// the size of its terms.
func (s *secular) evaluate(row []float64, from int, t float64) (w, slope, size float64) {
	w = 1 / s.rho
	size = w
	base := s.pole[from]
	weight, pole := s.weight[:len(row)], s.pole[:len(row)]
	for i, z := range weight {
		x := (pole[i] - base) - t
		row[i] = x
		q := z / x
		term := float64(z * q)
		w += term
		slope += float64(q * q)
		size += math.Abs(term)
	}
	return w, slope, size
}

// start returns the pole that root j is nearer to, a first distance from it, and
// bounds, from the value halfway.
func (s *secular) start(j int, row []float64) (from int, t, lo, hi float64) {
	width, last := s.rho, j+1 == len(s.pole)
	if !last {
		width = s.pole[j+1] - s.pole[j]
	}
	half := width / 2
	w, _, _ := s.evaluate(row, j, half)
	x, y := float64(s.weight[j]*s.weight[j]), 0.0
	if !last {
		y = float64(s.weight[j+1] * s.weight[j+1])
	}
	rest := w + x/half - y/half // the others, taken for constant
	switch {
	case last && w <= 0:
		from, lo, hi = j, half, width*(1+0x1p-40)
		t = x / rest
	case w > 0:
		from, lo, hi = j, 0, half
		t = smallRoot(rest, float64(rest*width)+x+y, float64(x*width))
	default:
		from, lo, hi = j+1, -half, 0
		t = smallRoot(rest, float64(rest*-width)+x+y, -float64(y*width))
	}
	if !(t > lo && t < hi) {
		t = lo + float64((hi-lo)/2)
	}
	return from, t, lo, hi
}

// smallRoot returns the root of c t^2 - a t + b that is b/a where c is 0.
func smallRoot(c, a, b float64) float64 {
	r := math.Sqrt(math.Abs(float64(a*a) - float64(4*float64(b*c))))
	if a <= 0 {
		return (a - r) / (2 * c)
	}
	return 2 * b / (a + r)
}

// step returns how far it is to the root of a function with the same value and slope that
// has poles at those beside root j, the nearer with its own weight (LAPACK's laed4). After
// the last there is a pole without weight.
func (s *secular) step(row []float64, j, from int, w, slope float64) float64 {
	x, y := row[j], row[j]+s.rho
	if j+1 < len(row) {
		y = row[j+1]
	}
	var c float64
	if from == j {
		q := s.weight[j] / x
		c = w - float64(y*slope) - float64((x-y)*float64(q*q))
	} else {
		q := s.weight[j+1] / y
		c = w - float64(x*slope) - float64((y-x)*float64(q*q))
	}
	product := float64(x * y)
	eta := smallRoot(c, float64((x+y)*w)-float64(product*slope), float64(product*w))
	if !(w*eta < 0) {
		return -w / slope
	}
	return eta
}

// adjust replaces the weights lo to hi by those that the roots belong to exactly:
//
//	weight_i^2 = (root_i - pole_i) prod_{j != i} (root_j - pole_i)/(pole_j - pole_i),
//
// up to a common factor.
func (s *secular) adjust(lo, hi int) {
	const few = 64
	k := len(s.pole)
	var square [few]float64
	for ; lo < hi; lo += few {
		pole, weight := s.pole[lo:min(lo+few, hi)], s.weight[lo:min(lo+few, hi)]
		for i := range pole {
			square[i] = -s.gap[(lo+i)*k+lo+i]
		}
		for j, p := range s.pole {
			gap := s.gap[j*k+lo:][:len(pole)]
			for i, x := range gap {
				if lo+i != j {
					square[i] *= x / (pole[i] - p)
				}
			}
		}
		for i, w := range weight {
			weight[i] = math.Copysign(math.Sqrt(math.Abs(square[i])), w)
		}
	}
}

// vectors writes the eigenvectors of the caller's rows in their order.
func (s *secular) vectors(vectors []float64, order []int) {
	n := len(s.d)
	s.place = resized(s.place, 2*n)
	rank, kept := s.place[:n], s.place[n:] // of the caller's rows; of ours
	for i := range kept {
		rank[s.order[i]], kept[i] = i, -1
	}
	for j, i := range s.kept {
		kept[i] = j
	}
	for to, i := range order {
		v, own := vectors[to*n:to*n+n], rank[i]
		if kept[own] < 0 {
			v[i] = 1
		} else {
			for l, x := range s.vector(kept[own]) {
				v[s.order[s.kept[l]]] = x
			}
		}
		for l := len(s.turned) - 1; l >= 0; l-- {
			t := s.turned[l]
			p, q := &v[s.order[t.p]], &v[s.order[t.q]]
			*p, *q = float64(t.s**q)+float64(t.c**p), float64(t.c**q)-float64(t.s**p)
		}
	}
}

// vector makes the gaps of root j its eigenvector, in the rows that are kept.
func (s *secular) vector(j int) []float64 {
	k := len(s.pole)
	gap, square := s.gap[j*k:j*k+k], 0.0
	for l, x := range gap {
		gap[l] = s.weight[l] / x
		square += float64(gap[l] * gap[l])
	}
	scale := 1 / math.Sqrt(square)
	for l, x := range gap {
		gap[l] = x * scale
	}
	return gap
}
