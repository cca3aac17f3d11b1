package oja

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// AdaOja is Oja's method by batches of B rows, with a step size for each row of U
// that needs no tuning:
//
//	g_j = (1/B) sum_batch (u_j x) x,   b_j^2 <- b_j^2 + |g_j|^2,   U <- orth( U + diag(1/b) G )
//
// from b_j = 10^-5, for rows of squared length 1. U is made orthonormal by Gram and
// Schmidt once a batch.
//
// Returned: U. Rows of a batch that is not full count as one. Cost of a step:
// O(k d), on sparse rows without an offset O(k nonzeros); and O(k^2 d) a batch.
//
// Henriksen and Ward 2019, Algorithm 1.
type AdaOja struct{ Batch int }

func init() {
	method.Register("adaoja", "Oja's method with steps that adapt: nothing to tune; batch=10",
		func(p *registry.Params) (method.Method, error) { return AdaOja{p.Int("batch", 10, 1, 1<<20)}, p.Err() })
}

// Start implements Streaming.
func (m AdaOja) Start(p method.Problem) method.State {
	s := &adaOjaState{guess: newGuess(p), size: m.Batch}
	s.g, s.squares = make([]float64, len(s.u)), make([]float64, s.k)
	for j := range s.squares {
		s.squares[j] = 1e-10
	}
	return s
}

type adaOjaState struct {
	guess
	size    int
	g       []float64 // k x d, B times the gradient so far
	squares []float64 // b_j^2
	filled  int       // rows of the batch so far
}

// Learn implements State.
func (s *adaOjaState) Learn(x view.Rows) {
	rows, d := x.Dims()
	for i := range rows {
		if s.next(x, i) > 0 {
			for j := range s.k {
				s.x.AddTo(s.g[j*d:(j+1)*d], s.x.Dot(s.row(j)))
			}
		}
		if s.filled++; s.filled == s.size {
			s.step()
		}
	}
}

// step ends a batch.
func (s *adaOjaState) step() {
	b := float64(s.filled)
	for j := range s.k {
		g := s.g[j*s.d : (j+1)*s.d]
		s.squares[j] += vec.SquaredNorm64(g) / (b * b)
		vec.Axpy64(s.row(j), 1/(b*math.Sqrt(s.squares[j])), g)
	}
	algebra.Orthonormalise(s.u, s.k, s.d)
	clear(s.g)
	s.filled = 0
}

// Basis implements State.
func (s *adaOjaState) Basis() method.Basis {
	if s.filled == 0 {
		return s.guess.Basis()
	}
	end := *s
	end.u, end.g = append([]float64{}, s.u...), append([]float64{}, s.g...)
	end.squares = append([]float64{}, s.squares...)
	end.step()
	return end.guess.Basis()
}

// Keep visits everything.
func (s *adaOjaState) Keep(k *method.Kept) {
	s.guess.Keep(k)
	k.List("gradient", &s.g)
	k.List("squares", &s.squares)
	k.Count("filled", &s.filled)
	k.Require(len(s.g) == len(s.u) && len(s.squares) == s.k, "state: found a gradient of %d numbers and %d squares, expected %d and %d",
		len(s.g), len(s.squares), len(s.u), s.k)
	k.Require(s.filled < s.size, "state: found %d rows of a batch of %d", s.filled, s.size)
	for _, b := range s.squares {
		k.Require(b > 0, "state: squares: found %v, expected numbers above 0", b)
	}
}
