package joint

import (
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Interior is Mehrotra's predictor-corrector method for losses that are a maximum.
//
//	Problem      minimise P(W,b) of problem.Joint with the penalty l2 and the loss
//	             max_k (p_k + o_k) - p_y, as a quadratic program: of row i, c_i = s_i/N,
//	             lambda |W|^2/2 + sum_i c_i (t_i - p_iy)   with z_ik = t_i - p_ik - o_ik >= 0
//	Symbols      q_ik >= 0 the multipliers of z_ik, with sum_k q_ik = c_i: a_i = q_i/c_i - e_y;
//	             mu the mean of q z; theta = q/z, Theta_i = sum_k theta_ik
//	Update       dt_i and dq are eliminated, which leaves for dW and db
//	             (lambda + sum_i M_i x x_i x_i^T) dW = -gradient - sum_i g_i x_i^T
//	             with M_i = diag(theta_i) - theta_i theta_i^T/Theta_i and
//	             g_i = r_i - theta_i (sum_k r_ik)/Theta_i, r_ik = (sigma mu - corrector)/z_ik - q_ik.
//	             The first solve, with sigma = 0, tells sigma and the corrector dz dq of the
//	             second by the same factor; then the same step for all, 0.99 of the way to a bound
//	Free bias    columns of ones without penalty: a shift of all biases alike changes nothing; the
//	             factor raises its pivot, and steps have the mean 0
//	Returned     W, b and A
//	Cost         O(n D^2 + D^3) an epoch, D = K (d+1); some 20 epochs whatever lambda is
//	Source       Mehrotra 1992; Nocedal, Wright, Numerical Optimization, algorithm 16.4
type Interior struct{}

var _ solver.Solver = Interior{}

func init() {
	solvers.Register(registry.Entry[solver.Solver]{Name: "interior-point",
		Facts:   registry.Facts{Rate: "superlinear", Memory: "5 K numbers a row and K^2 d^2", Source: "Mehrotra 1992"},
		Summary: "predictor-corrector steps on all classes at once: crammer-singer with the penalty l2, few features, any lambda",
		New:     func(*registry.Params) (solver.Solver, error) { return Interior{}, nil }})
}

// mostInterior bounds the columns of all classes together.
const mostInterior = 4096

// Accepts wants a maximum and few columns.
func (Interior) Accepts(p problem.Problem) error {
	l, err := linearProblem(p)
	if err != nil {
		return err
	}
	_, maximum := l.Loss.(joint.Maximum)
	_, cols := l.Dims()
	switch {
	case !maximum:
		return errors.New("solver interior-point needs a loss that is a maximum, such as crammer-singer")
	case !penalty.IsRidge(l.Penalty):
		return errors.New("solver interior-point needs the penalty l2")
	case cols >= mostInterior:
		return errors.New("solver interior-point needs at most 4096 weights and biases of all classes together")
	}
	return nil
}

// Start begins at zero weights and equal multipliers; the point of a warm start is kept until the
// first step, and its weights are where this begins.
func (Interior) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.Joint)
	n, d := l.X.Dims()
	k, cols := l.Classes, (d+1)*l.Classes
	s := &interior{p: l, k: k, size: cols, limit: start.Over, first: start.From, w: make([]float64, cols), share: make([]float64, n), top: make([]float64, n),
		q: make([]float64, n*k), z: make([]float64, n*k), theta: make([]float64, n*k), total: make([]float64, n), predicted: make([]float64, n*k),
		aim: newStep(n, k, cols), move: newStep(n, k, cols), a: make([]float64, n*k)}
	if l.Bias == problem.None {
		s.size = d * k
	}
	if start.From != nil && len(start.From.W) == cols {
		copy(s.w, start.From.W)
	}
	l.PredictTo(s.predicted, s.w)
	for i := range n {
		s.share[i], s.top[i] = l.S[i]/l.N, math.Inf(-1)
		for c := range k {
			s.q[i*k+c] = s.share[i] / float64(k)
			s.top[i] = max(s.top[i], s.predicted[i*k+c]+s.offset(i, c))
		}
		s.top[i] += 1 / (s.share[i] * float64(n)) // so that q z is about the same for all rows
	}
	s.h = make([]float64, s.size*s.size)
	return s
}

// interior is one run.
type interior struct {
	p     *problem.Joint
	k     int
	size  int // columns of all classes, with those of the biases if there are any
	limit parts.Limit
	first *problem.Point // of a warm start, before the first step; nil: none

	w            []float64 // (d+1) x K
	share, top   []float64 // n: c_i and t_i
	q, z         []float64 // n x K
	theta, total []float64 // n x K, and n: their sums
	predicted    []float64 // n x K
	h            []float64 // size^2
	factor       lapack.Cholesky
	aim, move    step // of the predictor and of the corrector
	a            []float64
}

// step is a change of everything; r is as in the formulas, without what eliminates t.
type step struct {
	w, z, q, r, p []float64 // p of the predictions
	t             []float64
}

func newStep(n, k, cols int) step {
	return step{w: make([]float64, cols), z: make([]float64, n*k), q: make([]float64, n*k), r: make([]float64, n*k), p: make([]float64, n*k), t: make([]float64, n)}
}

// offset is o_ik.
func (s *interior) offset(i, c int) float64 {
	return s.p.Loss.(joint.Maximum).Offset(c, int(s.p.Y[i]))
}

// rows calls do for every row, with the range of its numbers.
func (s *interior) rows(do func(i, lo, hi int)) {
	for i := range s.share {
		do(i, i*s.k, (i+1)*s.k)
	}
}

// Epoch is one predictor and one corrector.
func (s *interior) Epoch() {
	s.first = nil
	s.p.PredictTo(s.predicted, s.w)
	products := 0.0
	s.rows(func(i, lo, hi int) {
		s.total[i] = 0
		for at := lo; at < hi; at++ {
			s.z[at] = s.top[i] - s.predicted[at] - s.offset(i, at-lo)
			s.theta[at] = s.q[at] / s.z[at]
			s.total[i] += s.theta[at]
			products += float64(s.q[at] * s.z[at])
		}
	})
	if !s.form() {
		return
	}
	s.rows(func(_, lo, hi int) {
		for at := lo; at < hi; at++ {
			s.aim.r[at] = -s.q[at]
		}
	})
	s.solve(&s.aim)
	far, ahead := s.longest(&s.aim), 0.0
	for at, q := range s.q {
		ahead += float64((q + float64(far*s.aim.q[at])) * (s.z[at] + float64(far*s.aim.z[at])))
	}
	ratio := ahead / products
	target := float64(ratio * ratio * ratio * (products / float64(len(s.q))))
	s.rows(func(_, lo, hi int) {
		for at := lo; at < hi; at++ {
			s.move.r[at] = (target-float64(s.aim.z[at]*s.aim.q[at]))/s.z[at] - s.q[at]
		}
	})
	s.solve(&s.move)
	length := 0.99 * s.longest(&s.move)
	if size := vec.SquaredNorm64(s.move.w) + vec.SquaredNorm64(s.move.q); size-size != 0 {
		return // beyond the precision of numbers: the point stays
	}
	vec.Axpy64(s.w, length, s.move.w)
	vec.Axpy64(s.top, length, s.move.t)
	vec.Axpy64(s.q, length, s.move.q)
}

// form makes the matrix and its factor; false: a limit was reached.
func (s *interior) form() bool {
	k, d := s.k, s.size
	clear(s.h)
	curvature, line := make([]float64, k), make([]float64, d)
	s.rows(func(i, lo, _ int) {
		if s.limit.Reached() {
			return
		}
		for c := range k {
			s.curvature(curvature, i, c)
			clear(line)
			s.columns(i, func(j int, v float64) { vec.Axpy64(line[j*k:(j+1)*k], v, curvature) })
			s.columns(i, func(j int, v float64) { vec.Axpy64(s.h[(j*k+c)*d:(j*k+c)*d+(j+1)*k], v, line[:(j+1)*k]) })
		}
	})
	for j := range min(d, s.p.Penalised()) {
		s.h[j*d+j] += s.p.Lambda
	}
	s.factor.Decompose(s.h, d, s.p.Threads)
	return !s.limit.Reached()
}

// columns calls do for the values of a row, and for the bias.
func (s *interior) columns(i int, do func(j int, v float64)) {
	x := s.p.X.Row(i)
	for at, v := range x.Value {
		if v != 0 {
			do(x.Column(at), float64(v))
		}
	}
	if s.size == len(s.w) {
		do(s.size/s.k-1, 1)
	}
}

// curvature sets dst to line c of M_i. Its sum is 0: what is on the diagonal is minus the others.
func (s *interior) curvature(dst []float64, i, c int) {
	theta, rest := s.theta[i*s.k:(i+1)*s.k], 0.0
	for l, x := range theta {
		if dst[l] = -theta[c] * (x / s.total[i]); l != c {
			rest -= dst[l]
		}
	}
	dst[c] = rest
}

// solve sets m to the step that belongs to its r.
func (s *interior) solve(m *step) {
	s.rows(func(i, lo, hi int) {
		excess := -s.share[i]
		for at := lo; at < hi; at++ {
			excess += s.q[at] + m.r[at]
		}
		m.t[i] = excess / s.total[i]
		for at := lo; at < hi; at++ { // g, and what the rows add to the gradient
			m.q[at] = m.r[at] - float64(s.theta[at]*m.t[i])
			m.p[at] = s.q[at] + m.q[at]
		}
		m.p[lo+int(s.p.Y[i])] -= s.share[i]
	})
	s.p.CombineTo(m.w, m.p)
	for j := range m.w {
		if j < s.p.Penalised() {
			m.w[j] += float64(s.p.Lambda * s.w[j])
		}
		m.w[j] = -m.w[j]
	}
	clear(m.w[s.size:])
	s.factor.Solve(m.w[:s.size], m.w[:s.size])
	if s.p.Bias == problem.Free {
		centre(m.w[s.p.Penalised():])
	}
	s.p.PredictTo(m.p, m.w)
	s.rows(func(i, lo, hi int) {
		mean := vec.Dot64(s.theta[lo:hi], m.p[lo:hi]) / s.total[i]
		for at := lo; at < hi; at++ {
			m.q[at] += float64(s.theta[at] * (m.p[at] - mean))
			m.z[at] = m.t[i] + (mean - m.p[at])
		}
		m.t[i] += mean
	})
}

// longest returns how far a step may go, at most 1.
func (s *interior) longest(m *step) float64 {
	far := 1.0
	for at, q := range s.q {
		if m.q[at] < 0 {
			far = min(far, -q/m.q[at])
		}
		if m.z[at] < 0 {
			far = min(far, -s.z[at]/m.z[at])
		}
	}
	return far
}

// Point returns the weights and the multipliers as dual variables.
func (s *interior) Point() problem.Point {
	if s.first != nil {
		return *s.first
	}
	s.rows(func(i, lo, hi int) {
		for at := lo; at < hi; at++ {
			s.a[at] = s.q[at] / s.share[i]
		}
		s.a[lo+int(s.p.Y[i])]--
	})
	return problem.Point{W: s.w, A: s.a}
}
