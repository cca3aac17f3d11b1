package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/vec"
)

// cdFace minimises the quadratic model of CD over the columns in use, as if their signs
// were settled: one linear system instead of the thousands of passes that columns which
// depend on each other take. Those of fields of which each row has one value do: along what
// the fields have in common only the penalty has a slope, and passes crept. The system is
// solved by its factor where the model's matrix is formed, and by conjugate gradients where
// it is not, each of whose steps costs about a pass.
//
// A weight that would change its sign becomes 0 (projected Newton method; Bertsekas 1982).
type cdFace struct {
	factor vec.Cholesky
	at     []int     // places of the working set
	lower  []float64 // the model's matrix over them
	extra  []float64 // what is added to its diagonal
	slope  []float64 // of the model
	x      []float64 // the step to the minimum
	move   []float64 // the part of it that is taken

	rows, curved                 []float64 // n: X times a step, h times that
	residual, direction, product []float64 // of conjugate gradients
}

// step moves d to the minimum or, if weights become 0 on the way, as far as the model falls
// and at least until the first one is, and reports whether any is.
func (f *cdFace) step(s *cd) (zeros bool) {
	f.fit(s)
	if s.formed {
		f.solve(s)
	} else {
		f.conjugate(s)
	}
	first := 1.0 // part of the step at which the first weight is 0
	for a, at := range f.at {
		j := s.working[at]
		if w := s.w[j] + s.d[j]; s.penalised(j) && float64(w*(w+f.x[a])) < 0 {
			first = min(first, -w/f.x[a])
		}
	}
	t := 1.0
	for !f.falls(s, t) && t > first {
		t = max(t/4, first)
	}
	f.take(s)
	return first < 1
}

// fit notes the columns in use and the model's slopes along them.
func (f *cdFace) fit(s *cd) {
	f.at = f.at[:0]
	for at, j := range s.working {
		if !s.penalised(j) || s.w[j]+s.d[j] != 0 {
			f.at = append(f.at, at)
		}
	}
	n := len(f.at)
	f.extra, f.slope, f.x, f.move = resized(f.extra, n), resized(f.slope, n), resized(f.x, n), resized(f.move, n)
	for a, at := range f.at {
		j := s.working[at]
		f.extra[a], f.slope[a] = s.damp[j], s.g[j]+s.product(at, j)+float64(s.damp[j]*s.d[j])
		if s.penalised(j) {
			w := s.w[j] + s.d[j]
			f.extra[a] += float64(s.p.Lambda * s.mu)
			f.slope[a] += float64(s.p.Lambda*s.mu*w) + math.Copysign(float64(s.p.Lambda*s.corner), w)
		}
		f.extra[a] = max(f.extra[a]+float64(1e-10*s.square[j]), 1e-150) // columns may depend on each other
	}
}

// solve sets x to the step to the minimum.
func (f *cdFace) solve(s *cd) {
	m, n := &s.gram, len(f.at)
	f.lower = resized(f.lower, n*n)
	for a, at := range f.at {
		for b, other := range f.at[:a+1] {
			f.lower[a*n+b] = m.g[at*m.size+other]
		}
		f.lower[a*n+a] += f.extra[a]
		f.x[a] = -f.slope[a]
	}
	f.factor.Decompose(f.lower, n, s.p.Threads)
	f.factor.Solve(f.x, f.x)
}

// conjugate sets x to about that, by at most 50 steps of conjugate gradients with the
// diagonal as preconditioner.
func (f *cdFace) conjugate(s *cd) {
	n := len(f.at)
	f.residual, f.direction, f.product = resized(f.residual, n), resized(f.direction, n), resized(f.product, n)
	clear(f.x)
	clear(f.direction)
	for a, g := range f.slope {
		f.residual[a] = -g
	}
	size, start := 1.0, 0.0
	for range 50 {
		before, worst := size, 0.0
		size = 0
		for a, r := range f.residual {
			size += float64(r*r) / f.diagonal(s, a)
			worst = max(worst, math.Abs(r))
		}
		if start = max(start, size); worst <= s.tolerance/2 || size <= 1e-6*start {
			return
		}
		for a, r := range f.residual {
			f.direction[a] = r/f.diagonal(s, a) + float64(size/before*f.direction[a])
		}
		t := size / f.multiply(s)
		for a, d := range f.direction {
			f.x[a] += float64(t * d)
			f.residual[a] -= float64(t * f.product[a])
		}
	}
}

// diagonal returns the curvature of the model along one column.
func (f *cdFace) diagonal(s *cd, a int) float64 { return s.square[s.working[f.at[a]]] + f.extra[a] }

// multiply sets product to the model's matrix times the direction and returns the
// curvature along it.
func (f *cdFace) multiply(s *cd) (curved float64) {
	curved = f.times(s, f.direction)
	parallel.Blocks(len(f.at), 256, s.p.Threads, func(_, lo, hi int) {
		for a := lo; a < hi; a++ {
			f.product[a] = float64(f.extra[a]*f.direction[a]) + s.dot(s.working[f.at[a]], f.curved)
		}
	})
	for a, d := range f.direction {
		curved += float64(f.extra[a] * float64(d*d))
	}
	return curved
}

// times sets rows to X x and curved to h times that, and returns their inner product. It
// goes by columns: of wide data few are in use.
func (f *cdFace) times(s *cd, x []float64) (sum float64) {
	if f.rows == nil {
		f.rows, f.curved = make([]float64, len(s.h)), make([]float64, len(s.h))
	}
	clear(f.rows)
	for a, at := range f.at {
		if x[a] != 0 {
			s.add(f.rows, s.working[at], x[a])
		}
	}
	for i, h := range s.h {
		f.curved[i] = float64(h * f.rows[i])
		sum += float64(f.curved[i] * f.rows[i])
	}
	return sum
}

// falls sets move to the part t of the step, no weight past 0, and reports whether the
// model falls along it by enough.
func (f *cdFace) falls(s *cd, t float64) bool {
	slope, curved := 0.0, 0.0
	for a, at := range f.at {
		j := s.working[at]
		w, move := s.w[j]+s.d[j], float64(t*f.x[a])
		if rest := w + move; s.penalised(j) && (float64(rest*w) < 0 || math.Abs(rest) < 1e-12*math.Abs(w)) {
			move = -w
		}
		f.move[a] = move
		slope += float64(f.slope[a] * move)
		curved += float64(f.extra[a] * float64(move*move))
	}
	if s.formed {
		curved += f.square(s)
	} else {
		curved += f.times(s, f.move)
	}
	return slope+curved/2 < float64(0.01*min(slope, 0))
}

// square returns move^T G move.
func (f *cdFace) square(s *cd) (total float64) {
	m := &s.gram
	for a, at := range f.at {
		row, sum := m.g[at*m.size:(at+1)*m.size], 0.0
		for b, other := range f.at[:a] {
			sum += float64(row[other] * f.move[b])
		}
		total += float64(f.move[a] * (float64(2*sum) + float64(row[at]*f.move[a])))
	}
	return total
}

// take adds move to d.
func (f *cdFace) take(s *cd) {
	for a, at := range f.at {
		if move := f.move[a]; move != 0 {
			s.d[s.working[at]] += move
			if s.formed {
				s.gram.move(at, move)
			}
		}
	}
	if !s.formed {
		for i, x := range f.rows {
			s.move[i] += x
		}
	}
}
