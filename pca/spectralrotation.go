package pca

import (
	"math"

	"github.com/fenchel-ml/fenchel/vec"
)

// The rotation of a [Spectral]'s directions that makes diag(a) + eta y y^T
// diagonal. Most of a row's coordinates y often need no rotation, and are left
// alone ("deflated", Dongarra and Sorensen 1987): those that are nothing, and of
// eigenvalues that are equal, as MSG's many ones, all but one direction, after a
// rotation among these. What is left is decomposed by [secular].

// rotation is the memory of it.
type rotation struct {
	secular secular
	order   []int     // by rising eigenvalue, of equal ones the newer first; later the result's
	kept    []int     // directions that are rotated
	own     []float64 // of every direction the product with that of the last row
	d, z    []float64 // eigenvalues and y, scaled
	value   []float64
	was     []int // for each new direction, the old one whose place it has
	lines   [][]float64
	c       []float64
}

// rotate makes U diagonalise diag(a) + eta y y^T. To prefer new directions it
// lists them first, for equal eigenvalues stay in their order.
func (s *Spectral) rotate(eta float64, y []float64, entered bool) {
	r := len(y)
	at := r - 1
	if s.PreferNew && entered {
		s.toFront(y)
		at = 0
	}
	t := &s.step
	t.own = zeros(t.own, r)
	if entered {
		t.own[at] = 1
	}
	if !(eta > 0) || !s.rotateSecular(eta, y) {
		s.rotateDense(eta, y)
	}
}

// rotateDense decomposes all of it.
func (s *Spectral) rotateDense(eta float64, y []float64) {
	r := len(y)
	s.outer = zeros(s.outer, r*r)
	for i, yi := range y {
		for j, yj := range y {
			s.outer[i*r+j] = eta * float64(yi*yj)
		}
		s.outer[i*r+i] += s.Value[i]
	}
	vectors := s.small.Decompose(s.Value, s.outer, r)
	s.Flops += float64(r*r) * float64(9*r+2*s.m)
	s.next = combineLines(s.next, vectors, s.view(s.v, r, s.m), r, s.m)
	s.v, s.next = s.next, s.v
	s.fresh = zeros(s.fresh, r)
	for i := range r {
		product := vec.Dot64(vectors[i*r:(i+1)*r], s.step.own)
		s.fresh[i] = product * product
	}
}

// toFront moves the last direction before all others.
func (s *Spectral) toFront(y []float64) {
	r := len(y)
	last, value, own := y[r-1], s.Value[r-1], append([]float64{}, s.v[(r-1)*s.m:r*s.m]...)
	copy(y[1:], y[:r-1])
	copy(s.Value[1:], s.Value[:r-1])
	copy(s.v[s.m:], s.v[:(r-1)*s.m])
	y[0], s.Value[0] = last, value
	copy(s.v, own)
}

// rotateSecular reports false where it cannot; A is then as before.
func (s *Spectral) rotateSecular(eta float64, y []float64) bool {
	t := &s.step
	norm := math.Sqrt(vec.SquaredNorm64(y))
	rho := float64(eta * float64(norm*norm))
	top := rho
	for _, a := range s.Value {
		top = max(top, math.Abs(a))
	}
	if !(norm > 0 && top >= 1e-250 && top <= 1e300) {
		return false
	}
	_, exponent := math.Frexp(top)
	t.scaled(s.Value, y, norm, exponent)
	rho = math.Ldexp(rho, -exponent)
	s.deflate(rho)
	d, z := t.gather()
	if len(d) > 0 && !t.secular.decompose(d, z, rho) {
		for i, v := range t.d { // what was rotated among equals stays so
			s.Value[i], y[i] = math.Ldexp(v, exponent), float64(t.z[i]*norm)
		}
		return false
	}
	s.assemble(exponent)
	return true
}

// scaled sets d to the eigenvalues by a power of two, z to y over its norm, and
// order.
func (t *rotation) scaled(value, y []float64, norm float64, exponent int) {
	t.d, t.z, t.order = t.d[:0], t.z[:0], t.order[:0]
	for i, a := range value {
		t.d = append(t.d, math.Ldexp(a, -exponent))
		t.z = append(t.z, y[i]/norm)
	}
	for i := len(value) - 1; i >= 0; i-- {
		at := len(t.order)
		t.order = append(t.order, 0)
		for at > 0 && t.d[t.order[at-1]] > t.d[i] {
			t.order[at] = t.order[at-1]
			at--
		}
		t.order[at] = i
	}
}

// deflate fills kept, by rising eigenvalue. A direction is left alone if its z is
// nothing, or is after a rotation with the next one that adds nothing beside
// the diagonal.
func (s *Spectral) deflate(rho float64) {
	const tolerance = 8 * 0x1p-53 // of numbers that are at most 1
	t := &s.step
	t.kept = t.kept[:0]
	before := -1
	for _, i := range t.order {
		if float64(rho*math.Abs(t.z[i])) <= tolerance {
			continue
		}
		if before >= 0 && !s.merge(before, i, tolerance) {
			t.kept = append(t.kept, before)
		}
		before = i
	}
	if before >= 0 {
		t.kept = append(t.kept, before)
	}
}

// merge turns directions i and j so that i has z = 0, unless that adds something
// beside the diagonal.
func (s *Spectral) merge(i, j int, tolerance float64) bool {
	t := &s.step
	length := math.Sqrt(float64(t.z[i]*t.z[i]) + float64(t.z[j]*t.z[j]))
	cos, sin := t.z[j]/length, -t.z[i]/length
	if !(math.Abs(float64((t.d[j]-t.d[i])*cos)*sin) <= tolerance) {
		return false
	}
	t.z[i], t.z[j] = 0, length
	cc, ss := float64(cos*cos), float64(sin*sin)
	t.d[i], t.d[j] = float64(t.d[i]*cc)+float64(t.d[j]*ss), float64(t.d[i]*ss)+float64(t.d[j]*cc)
	t.own[i], t.own[j] = float64(cos*t.own[i])+float64(sin*t.own[j]), float64(cos*t.own[j])-float64(sin*t.own[i])
	a, b := s.v[i*s.m:(i+1)*s.m], s.v[j*s.m:(j+1)*s.m]
	for l, x := range a {
		a[l], b[l] = float64(cos*x)+float64(sin*b[l]), float64(cos*b[l])-float64(sin*x)
	}
	return true
}

// gather returns the eigenvalues and the z of what is rotated, in memory of its
// own.
func (t *rotation) gather() (d, z []float64) {
	n := len(t.kept)
	t.value = zeros(t.value, 2*n)
	d, z = t.value[:n], t.value[n:]
	for l, i := range t.kept {
		d[l], z[l] = t.d[i], t.z[i]
	}
	return d, z
}

// assemble makes the new directions and eigenvalues, in order.
func (s *Spectral) assemble(exponent int) {
	t := &s.step
	r, n := len(t.d), len(t.kept)
	t.was = t.was[:0]
	for range r {
		t.was = append(t.was, -1)
	}
	t.lines = t.lines[:0]
	t.c = t.c[:0]
	for l, i := range t.kept {
		t.was[i], t.d[i] = l, t.secular.value[l]
		t.lines = append(t.lines, s.v[i*s.m:(i+1)*s.m])
		t.c = append(t.c, t.own[i])
	}
	t.fall()
	s.next, s.fresh = zeros(s.next, r*s.m), zeros(s.fresh, r)
	for to, i := range t.order {
		s.Value[to] = math.Ldexp(t.d[i], exponent)
		row, product := s.next[to*s.m:(to+1)*s.m], t.own[i]
		if l := t.was[i]; l < 0 {
			copy(row, s.v[i*s.m:(i+1)*s.m])
		} else {
			u := t.secular.vectors[l*n : (l+1)*n]
			vec.AddRows64(row, t.lines, 0, u)
			product = vec.Dot64(u, t.c)
		}
		s.fresh[to] = product * product
	}
	s.v, s.next = s.next, s.v
	s.Flops += float64(n*n) * float64(40+2*s.m)
}

// fall sets order to that of falling d, of equal ones the older first.
func (t *rotation) fall() {
	t.order = t.order[:0]
	for i, v := range t.d {
		at := len(t.order)
		t.order = append(t.order, 0)
		for at > 0 && t.d[t.order[at-1]] < v {
			t.order[at] = t.order[at-1]
			at--
		}
		t.order[at] = i
	}
}
