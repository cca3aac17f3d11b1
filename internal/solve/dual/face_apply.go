package dual

import "github.com/fenchel-ml/fenchel/internal/vec"

// target returns where the step t leads free row k, and the nearest point of its
// domain.
func (f *face) target(k int, t float64) (want, got float64) {
	i := f.rows[k]
	want = f.s.a[i] + float64(f.e[k]*t)/f.s.p.S[i]
	lo, hi := f.s.p.Loss.Domain(f.s.p.Y[i])
	return want, min(max(want, lo), hi)
}

// apply moves the free rows; it reports whether the dual rose.
func (f *face) apply() bool {
	for share := 1.0; share > 1e-3; share /= 2 {
		if f.raise(share) {
			return true
		}
	}
	return false
}

// raise takes the share of the step, cut off at the bounds, if it raises the
// dual.
func (f *face) raise(share float64) bool {
	s, d := f.s, len(f.du)-1
	change := f.ur
	vec.ScaledAdd(change, 0, share, f.du)
	var sum, rise float64
	for k, i := range f.rows {
		want, got := f.target(k, share*f.t[k])
		if want != got {
			back := -s.factor * float64(s.p.S[i]*(got-want))
			f.row(k).AddTo(change[:d], back)
			change[d] += float64(s.beta * back)
		}
		move := float64(s.p.S[i] * (got - s.a[i]))
		sum += move
		rise += float64(move * s.p.Y[i])
	}
	along, squared := s.products(change)
	if !(-rise/s.p.N-float64(s.p.Lambda*(along+squared/2)) > 0) {
		return false
	}
	for k, i := range f.rows {
		_, s.a[i] = f.target(k, share*f.t[k])
	}
	vec.Axpy64(s.u, 1, change)
	s.sum += sum
	s.conjugate += rise
	s.stale = true
	return true
}

// products returns <u, change> and |change|^2 in the norm of the penalty, to
// which the constant column belongs with the weight beta.
func (s *sdca) products(change []float64) (along, squared float64) {
	d := len(change) - 1
	along, squared = vec.Dot64(s.u[:d], change[:d]), vec.SquaredNorm64(change[:d])
	if s.beta > 0 {
		along += float64(s.u[d]*change[d]) / s.beta
		squared += float64(change[d]*change[d]) / s.beta
	}
	return along, squared
}

// workOnFace does an epoch's work on a face, if it is time for one.
func (s *sdca) workOnFace() bool {
	if s.face == nil {
		if s.wait == 0 || s.pause > 0 {
			return false
		}
		s.pause = s.wait
		if s.face = s.newFace(); s.face == nil {
			s.wait = min(2*s.wait, longestRest)
			return false
		}
	}
	if !s.face.advance() {
		s.leaveFace()
	}
	return true
}

// leaveFace takes what was found so far. The gap is then that of the weights where
// the face leads, until the next epoch meets another.
func (s *sdca) leaveFace() {
	f := s.face
	s.face = nil
	primal := s.follow(f)
	defer func() { s.used = append(append(s.used, f.ur, f.ukp), f.part...) }()
	if f.apply() {
		s.rowGap = primal - s.dual()
		s.wait = faceWait
	} else {
		s.wait = min(2*s.wait, longestRest)
	}
	s.pause = s.wait
}

// follow keeps the weights where a face leads if they are the best so far, and
// wakes the rows that would leave their bound there. It returns the primal there.
func (s *sdca) follow(f *face) (primal float64) {
	w, prediction := make([]float64, len(s.u)), make([]float64, len(s.a))
	f.lead(w)
	s.p.Predict(prediction, w)
	for i, a := range s.a {
		if s.wake[i] > s.epoch && !s.inside(s.p.Y[i], a) && s.leaves(i, prediction[i]) {
			s.wake[i] = 0
		}
	}
	if primal = s.primalOf(w, prediction); s.best == nil || primal < s.primal {
		s.best, s.primal = w, primal
	}
	return primal
}

// leaves reports whether a step of row i at the prediction p would leave the end
// of the domain where its dual variable is.
func (s *sdca) leaves(i int, p float64) bool {
	after, _, _ := s.step(s.a[i], p, s.p.S[i]*s.factor*(s.p.SquaredNorm[i]+s.beta), s.p.Y[i])
	return after != s.a[i]
}
