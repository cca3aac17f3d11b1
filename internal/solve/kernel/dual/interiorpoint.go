package dual

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/solve/quadratic"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// InteriorPoint solves the dual problem as a quadratic program by a primal-dual interior-point
// method (Fine, Scheinberg 2001; Mehrotra 1992), of all rows at once.
//
// Problem: problem.Kernel with any bias, a positive semidefinite kernel and a loss made of one or
// two ramps of finite height, such as hinge, epsilon-insensitive and huber (loss.Cornered). With
// c_i = s_i/(lambda N), slope_i the least slope of a loss and ramps at t of height J and width
// W J,
//
//	beta_i = -c_i slope_i + sum of the v of its ramps,  -c_i J <= v <= 0,
//	min  beta^T K beta/2 - sum t v + sum W v^2/(2 c),   sum_i beta_i = 0 if the bias is free.
//
// Updates are those of quadratic.Interior. With Rank, K is replaced by V V^T of an incomplete
// Cholesky factorisation (kernel.Factorise): what is returned is the predictor of that, in terms of
// the landmarks, and what is proved of it is about K. Without, rows that the multipliers put at a bound are moved there in
// the end, and where the loss has one corner the active set goes on from them.
//
// Cost of an epoch: n^3/3, and 16 n^2 bytes; with Rank n k^2/2, and 8 n k bytes.
type InteriorPoint struct {
	Rank int // 0: K itself
	Rows int // most rows without Rank; 0: DefaultInteriorRows
}

// DefaultInteriorRows is how many rows the interior-point method takes if nothing else is asked:
// two matrices of them have 1 GB.
const DefaultInteriorRows = 1 << 13

var _ solver.Solver = InteriorPoint{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "interior-point", Summary: "primal-dual interior point on all rows: losses made of ramps; rank=0 (of an incomplete Cholesky factor; 0: the kernel as it is), rows=most rows without a rank",
		Facts: registry.Facts{Rate: "10 to 30 steps of n^3/3, or of n rank^2", Memory: "2 n^2 numbers, or n rank", Source: "Fine, Scheinberg 2001; Mehrotra 1992"},
		New: func(p *registry.Params) (solver.Solver, error) {
			rank := p.Int("rank", 0, 0, 1<<14)
			return InteriorPoint{rank, p.Int("rows", DefaultInteriorRows, 1, 1<<16)}, p.Err()
		}})
}

// Traits hold the memory of the matrices.
func (s InteriorPoint) Traits() solver.Traits {
	if s.Rank > 0 {
		return solver.Traits{}
	}
	return solver.Traits{Memory: func(rows int) int64 { return 16 * int64(rows) * int64(rows) }}
}

// Accepts takes losses made of ramps of finite height, and kernels that are inner products.
func (s InteriorPoint) Accepts(p problem.Problem) error {
	if err := accepts("interior-point", p); err != nil {
		return err
	}
	k := p.(*problem.Kernel)
	l, ok := k.Loss.(loss.Cornered)
	if ok {
		slope, ramps := l.Ramps(1)
		ok = !math.IsInf(slope, 0) && !math.IsInf(ramps[0].Jump, 0) && !math.IsInf(ramps[1].Jump, 0)
	}
	if !ok {
		return fmt.Errorf("interior-point needs a loss with bounded slopes that are made of ramps, such as hinge or epsilon-insensitive, found %s: expected another loss, or the solver working", loss.Name(k.Loss))
	}
	if !k.Definite() {
		return fmt.Errorf("interior-point needs a positive semidefinite kernel, found %s: expected another kernel, or the solver smo", kernel.Name(k.Kernel))
	}
	most := s.Rows
	if most == 0 {
		most = DefaultInteriorRows
	}
	if n := k.Len(); s.Rank == 0 && n > most {
		return fmt.Errorf("interior-point stores the matrix of all pairs of rows: found %d rows, expected at most %d: ask for interior-point:rows=%d (%.3g GB), for interior-point:rank=100, or for another solver", n, most, n, 16*float64(n)*float64(n)/(1<<30))
	}
	return nil
}

// Start does nothing yet: where the run begins does not matter.
func (s InteriorPoint) Start(p problem.Problem, start solver.Start) solver.State {
	k := p.(*problem.Kernel)
	r := &interiorPoint{Dual: newDual(k, nil), p: k, rank: s.Rank, estimate: math.NaN()}
	r.Limit = start.Over
	support.SupportOf(start, r.support)
	return r
}

// interiorPoint is one run.
type interiorPoint struct {
	*Dual
	p         *problem.Kernel
	rank      int
	matrix    quadratic.Matrix // K or V V^T, with the constant
	base      []float64        // -c slope
	landmarks []int            // of a low rank
	twice     bool             // rows have two ramps
	run       *quadratic.Interior
	polish    *activeSet // what ends the run; nil: not yet
	done      bool
	estimate  float64
	pt        problem.Point
}

// Epoch makes a step, of the active set in the end.
func (s *interiorPoint) Epoch() {
	if s.polish != nil {
		s.polish.Epoch()
		return
	}
	if s.run == nil {
		if s.prepare(); s.run == nil {
			return
		}
	}
	if s.done {
		return
	}
	more := s.run.Step()
	if s.Limit.Reached() && s.rank == 0 { // the factor may be incomplete
		return
	}
	s.adopt(false)
	s.estimate, _ = s.gap(s.p, s.estimate)
	if !more || s.estimate < 1e-10 {
		s.end()
	}
}

// end moves rows onto their bounds, and has the active set go on.
func (s *interiorPoint) end() {
	s.done = true
	s.adopt(true)
	s.estimate, _ = s.gap(s.p, s.estimate)
	if a := (ActiveSet{}); s.rank == 0 && a.Accepts(s.p) == nil {
		pt := s.Dual.point(s.p, &s.pt)
		s.polish = a.Start(s.p, solver.Start{From: &pt, Over: s.Limit}).(*activeSet)
	}
}

// Report holds the gap, which is not known where the matrix is not that of the problem.
func (s *interiorPoint) Report() solver.Report {
	if s.polish != nil {
		return s.polish.Report()
	}
	var end error
	if s.done {
		end = errSettled
	}
	r := s.report(s.estimate, end)
	if s.rank > 0 && !s.done {
		r.Gap = math.Inf(1)
	} else if s.rank > 0 {
		r.Gap, r.Exact = math.NaN(), false
	}
	return r
}

func (s *interiorPoint) Point() problem.Point {
	if s.polish != nil {
		return s.polish.Point()
	}
	pt := s.Dual.point(s.p, &s.pt)
	if len(s.landmarks) > 0 {
		s.project(pt.W)
	}
	return pt
}

// project sets the coefficients to those of the predictor V V^T beta, as a combination of the
// landmarks: with u = V^T beta and T the rows of V there, a triangle, T^T gamma = u. The rows of
// K that are not in V V^T would each add what they are off, and these are many.
func (s *interiorPoint) project(w []float64) {
	m := s.matrix.(*quadratic.LowRank)
	u, n := m.Across(s.Beta), len(s.Beta)
	clear(w[:n])
	for k := len(s.landmarks) - 1; k >= 0; k-- {
		row := m.V[s.landmarks[k]*m.K:][:k+1]
		gamma := u[k] / row[k]
		w[s.landmarks[k]] = gamma
		vec.Axpy64(u[:k], -gamma, row[:k])
	}
}

// prepare makes the matrix and the program.
func (s *interiorPoint) prepare() {
	if s.matrix = s.factorise(); s.matrix == nil {
		return
	}
	n := s.p.Len()
	corner := s.p.Loss.(loss.Cornered)
	p := &quadratic.Program{Q: s.matrix}
	s.base = make([]float64, n)
	var widths []float64
	for k := range 2 {
		for i, y := range s.p.Y {
			slope, ramps := corner.Ramps(y)
			s.base[i] = -s.C[i] * slope
			p.C, p.Lower, p.Upper = append(p.C, -ramps[k].At), append(p.Lower, -s.C[i]*ramps[k].Jump), append(p.Upper, 0)
			widths = append(widths, ramps[k].Width/s.C[i])
			s.twice = s.twice || k == 1 && ramps[k].Jump != 0
		}
		if k == 0 && !s.anySecond(corner) {
			break
		}
	}
	if s.twice {
		p.Q = &quadratic.Twice{K: s.matrix}
	}
	p.Q = &quadratic.Plus{Matrix: p.Q, Own: widths}
	base := make([]float64, n)
	s.matrix.Product(base, s.base)
	for i := range p.C {
		p.C[i] += base[i%n]
	}
	if s.free {
		ones := make([]float64, len(p.C))
		for i := range ones {
			ones[i] = 1
		}
		p.A, p.B = [][]float64{ones}, []float64{-vec.Total(s.base)}
	}
	s.run = quadratic.NewInterior(p)
}

// anySecond reports whether a loss has a second ramp.
func (s *interiorPoint) anySecond(l loss.Cornered) bool {
	for _, y := range s.p.Y {
		if _, ramps := l.Ramps(y); ramps[1].Jump != 0 {
			return true
		}
	}
	return false
}

// factorise returns the matrix, nil where a limit is reached before.
func (s *interiorPoint) factorise() quadratic.Matrix {
	n := s.p.Len()
	if s.rank == 0 {
		value := support.Square(s.p, s.Limit)
		if value == nil || s.Limit.Reached() {
			return nil
		}
		return &quadratic.Dense{Value: value, N: n, Threads: s.p.Threads(), Stop: s.Limit}
	}
	v, landmarks, _, err := featuremap.Factorise(context.Background(), s.p.Kernel, s.p.X, s.rank, 0, s.p.Threads())
	if err != nil {
		panic(err) // a Gram has checked the rows
	}
	s.landmarks = landmarks
	width := len(landmarks)
	if s.p.Constant() == 0 {
		return &quadratic.LowRank{V: v, N: n, K: width, Threads: s.p.Threads()}
	}
	wide := make([]float64, 0, len(v)+n)
	for i := range n {
		wide = append(append(wide, v[i*width:(i+1)*width]...), math.Sqrt(s.p.Constant()))
	}
	return &quadratic.LowRank{V: wide, N: n, K: width + 1, Threads: s.p.Threads()}
}

// adopt takes over the coefficients, those that end at a bound exactly there if asked for.
func (s *interiorPoint) adopt(snapped bool) {
	n := s.p.Len()
	x, _ := s.run.Point()
	corner := s.p.Loss.(loss.Cornered)
	for i, y := range s.p.Y {
		beta := s.base[i]
		_, ramps := corner.Ramps(y)
		for k := range 2 {
			if k == 1 && !s.twice {
				break
			}
			v := x[k*n+i]
			if snapped {
				switch s.run.Bound(k*n + i) {
				case -1:
					v = -s.C[i] * ramps[k].Jump
				case 1:
					v = 0
				}
			}
			beta += v
		}
		s.set(i, beta)
	}
	s.matrix.Product(s.R, s.Beta)
}
