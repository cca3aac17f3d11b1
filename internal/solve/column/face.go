package column

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// face minimises the quadratic model of CD over the columns in use, as if their signs
// were settled: one linear system instead of the thousands of passes that columns which
// depend on each other take. Those of fields of which each row has one value do: along what
// the fields have in common only the penalty has a slope, and passes crept. The system is
// solved by its factor where the model's matrix is formed, and by conjugate gradients where
// it is not, each of whose steps costs about a pass.
//
// A weight that would change its sign becomes 0 (projected Newton method; Bertsekas 1982).
type face struct {
	factor lapack.Cholesky
	at     []int     // places of the working set
	lower  []float64 // the model's matrix over them
	extra  []float64 // what is added to its diagonal
	slope  []float64 // of the model
	x      []float64 // the step to the minimum
	part   []float64 // what is taken of it
	image  []float64 // of a step, as the model's

	size, most                   float64   // of the residual: now, and at its largest
	residual, direction, product []float64 // of conjugate gradients
}

// fit notes the columns in use and the model's slopes along them.
func (f *face) fit(s *cd) {
	m := &s.model
	f.at = f.at[:0]
	for at, j := range s.working {
		if !s.penalised(j) || s.w[j]+s.d[j] != 0 {
			f.at = append(f.at, at)
		}
	}
	n := len(f.at)
	f.extra, f.slope, f.x, f.part = parts.Resized(f.extra, n), parts.Resized(f.slope, n), parts.Resized(f.x, n), parts.Resized(f.part, n)
	f.image = parts.Resized(f.image, len(m.image))
	for a, at := range f.at {
		j := s.working[at]
		f.extra[a], f.slope[a] = m.damp[at], s.g[j]+m.along(at)+float64(m.damp[at]*s.d[j])
		if s.penalised(j) {
			w := s.w[j] + s.d[j]
			f.extra[a] += float64(s.p.Lambda * s.mu)
			f.slope[a] += float64(s.p.Lambda*s.mu*w) + math.Copysign(float64(s.p.Lambda*s.corner), w)
		}
		f.extra[a] = max(f.extra[a]+float64(1e-10*m.square[at]), 1e-150) // columns may depend on each other
	}
}

// step makes a step with the factor, or one of conjugate gradients, and reports whether
// passes are next. d moves with the former and with the last of the latter.
func (f *face) step(s *cd) (done bool) {
	if s.model.formed {
		f.fit(s)
		f.solve(s)
		return !f.move(s)
	}
	if !f.conjugate(s) && s.descent.steps > 0 {
		return false
	}
	f.move(s)
	return true
}

// move moves d by x or, if weights become 0 on the way, as far as the model falls and at
// least until the first one is, and reports whether any is.
func (f *face) move(s *cd) (zeros bool) {
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
	for a, at := range f.at {
		if j := s.working[at]; f.part[a] == -(s.w[j] + s.d[j]) {
			s.d[j] = -s.w[j]
		} else {
			s.d[j] += f.part[a]
		}
	}
	vec.Axpy64(s.model.image, 1, f.image)
	return first < 1
}

// solve sets x to the step to the minimum.
func (f *face) solve(s *cd) {
	m, n := &s.model, len(f.at)
	f.lower = parts.Resized(f.lower, n*n)
	for a, at := range f.at {
		row := m.gram[at*len(m.columns):]
		for b, other := range f.at[:a+1] {
			f.lower[a*n+b] = row[other]
		}
		f.lower[a*n+a] += f.extra[a]
		f.x[a] = -f.slope[a]
	}
	f.factor.Decompose(f.lower, n, s.p.Threads)
	f.factor.Solve(f.x, f.x)
	m.visited += factorVisits(n)
}

// begin starts conjugate gradients, with the diagonal as preconditioner.
func (f *face) begin() {
	n := len(f.at)
	f.residual, f.direction, f.product = parts.Resized(f.residual, n), parts.Resized(f.direction, n), parts.Resized(f.product, n)
	clear(f.x)
	clear(f.direction)
	for a, g := range f.slope {
		f.residual[a] = -g
	}
	f.size, f.most = 1, 0
}

// conjugate makes one step of conjugate gradients and reports whether x is near the minimum.
func (f *face) conjugate(s *cd) (near bool) {
	before, worst := f.size, 0.0
	f.size = 0
	for a, r := range f.residual {
		f.size += float64(r*r) / f.diagonal(s, a)
		worst = max(worst, math.Abs(r))
	}
	if f.most = max(f.most, f.size); worst <= s.tolerance/2 || f.size <= 1e-6*f.most {
		return true
	}
	for a, r := range f.residual {
		f.direction[a] = r/f.diagonal(s, a) + float64(f.size/before*f.direction[a])
	}
	t := f.size / f.multiply(s)
	for a, d := range f.direction {
		f.x[a] += float64(t * d)
		f.residual[a] -= float64(t * f.product[a])
	}
	return false
}

// diagonal returns the curvature of the model along one column.
func (f *face) diagonal(s *cd, a int) float64 { return s.model.square[f.at[a]] + f.extra[a] }

// multiply sets product to the model's matrix times the direction and returns the
// curvature along it.
func (f *face) multiply(s *cd) (curved float64) {
	m := &s.model
	curved = f.times(m, f.direction)
	parallel.Blocks(len(f.at), 256, s.p.Threads, func(_, lo, hi int) {
		for a := lo; a < hi; a++ {
			f.product[a] = float64(f.extra[a]*f.direction[a]) + float64(m.scale*m.columns[f.at[a]].Dot(f.image))
		}
	})
	for a, d := range f.direction {
		curved += float64(f.extra[a] * float64(d*d))
	}
	for _, at := range f.at {
		m.visited += int64(m.columns[at].Nonzeros()) + 2*fixedVisits
	}
	return curved
}

// times sets image to that of the step x and returns its squared length.
func (f *face) times(m *model, x []float64) (sum float64) {
	clear(f.image)
	for a, at := range f.at {
		if x[a] != 0 {
			m.add(f.image, at, x[a])
		}
	}
	if !m.formed {
		return m.scale * vec.SquaredNorm64(f.image)
	}
	for a, at := range f.at {
		sum += float64(x[a] * f.image[at])
	}
	return sum
}

// falls sets part to the part t of the step, no weight past 0, and reports whether the
// model falls along it by enough.
func (f *face) falls(s *cd, t float64) bool {
	slope, curved := 0.0, 0.0
	for a, at := range f.at {
		j := s.working[at]
		w, move := s.w[j]+s.d[j], float64(t*f.x[a])
		if rest := w + move; s.penalised(j) && (float64(rest*w) < 0 || math.Abs(rest) < 1e-12*math.Abs(w)) {
			move = -w
		}
		f.part[a] = move
		slope += float64(f.slope[a] * move)
		curved += float64(f.extra[a] * float64(move*move))
	}
	curved += f.times(&s.model, f.part)
	return slope+curved/2 < float64(0.01*min(slope, 0))
}
