package oja

import (
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A rankOne is the state of the methods that move U by a multiple of one vector in
// each row:
//
//	U <- U + y z^T,   y = U x,   z = alpha x + beta U^T y.
//
// What they differ in is alpha and beta. Where beta is 0 the sum over a sparse row
// has as many terms as the row.
//
// U is read and written once a row: y z^T is added as the products with the next
// row are formed. A row of U stays in the first cache for the three loops over it.
type rankOne struct {
	guess
	rule
	steps schedule.Schedule

	growth  float64   // trace of U U^T - I, of a rule that lets it grow
	y       []float64 // k
	z, next []float64 // d
	moving  bool      // y z^T is yet to be added
}

// A rule says how one row moves U.
type rule struct {
	// longest is the most that eta |x|^2 may be. It is out of the way of usual rows,
	// and keeps a single very long one from overflowing U.
	longest float64
	// move returns alpha and beta; nil: eta and 0. xx is |x|^2, yy is |y|^2 > 0.
	move func(eta, xx, yy float64) (alpha, beta float64)
	// every is the number of rows after which U is made orthonormal by Gram and
	// Schmidt, 0 for never.
	every int
	// most is the growth after which it is, where move is nil: the square of the
	// condition of U is at most 1 more than that, for no singular value decreases.
	most float64
}

func newRankOne(p method.Problem, r rule, steps schedule.Schedule) *rankOne {
	s := &rankOne{guess: newGuess(p), rule: r, steps: steps}
	s.y = make([]float64, s.k)
	s.z, s.next = make([]float64, s.d), make([]float64, s.d)
	return s
}

// Learn implements State.
func (s *rankOne) Learn(x view.Rows) {
	rows, _ := x.Dims()
	for i := range rows {
		if xx := s.guess.next(x, i); xx > 0 {
			eta := min(s.steps.Step(s.t), s.longest/xx)
			if s.move == nil {
				s.stretch(eta, xx)
			} else {
				s.turn(eta, xx)
			}
		}
		if s.every > 0 && s.t%s.every == 0 {
			s.orthonormalise()
		}
	}
	s.settle()
}

// stretch adds eta y x^T, and eta (2 + eta |x|^2) y y^T to U U^T.
func (s *rankOne) stretch(eta, xx float64) {
	yy := 0.0
	for j := range s.k {
		u := s.row(j)
		y := s.x.Dot(u)
		s.x.AddTo(u, eta*y)
		yy += float64(y * y)
	}
	s.growth += float64(eta * yy * (2 + float64(eta*xx)))
	if s.growth > s.most {
		s.orthonormalise()
	}
}

// turn adds y z^T of the row before, and finds that of this one.
func (s *rankOne) turn(eta, xx float64) {
	clear(s.next)
	yy := 0.0
	for j, c := range s.y {
		u := s.row(j)
		if s.moving {
			vec.Axpy64(u, c, s.z)
		}
		y := s.x.Dot(u)
		vec.Axpy64(s.next, y, u)
		yy += float64(y * y)
		s.y[j] = y
	}
	s.z, s.next = s.next, s.z
	if s.moving = yy > 0; s.moving {
		alpha, beta := s.move(eta, xx, yy)
		s.x.AddToScaled(s.z, beta, alpha)
	}
}

// settle adds what is yet to be added.
func (s *rankOne) settle() {
	for j, c := range s.y {
		if s.moving {
			vec.Axpy64(s.row(j), c, s.z)
		}
	}
	s.moving = false
}

func (s *rankOne) orthonormalise() {
	s.settle()
	s.growth = 0
	algebra.Orthonormalise(s.u, s.k, s.d)
}

// Keep visits everything.
func (s *rankOne) Keep(k *method.Kept) {
	s.guess.Keep(k)
	k.Number("growth", &s.growth)
	k.Require(s.growth >= 0, "state: growth: found %v, expected at least 0", s.growth)
}
