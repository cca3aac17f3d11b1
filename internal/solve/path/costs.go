package path

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Costs follows the optimum from one C to another for losses with a single corner t_i (Hastie,
// Rosset, Tibshirani, Zhu 2004, for any bias and for kernels that are singular).
//
// Problem: problem.Kernel as in solver/kernel.ActiveSet,
//
//	min  beta^T K beta/2 - t^T beta,  C low <= beta <= C high,  sum_i beta_i = 0 if the bias is free.
//
// Symbols: S the free rows, r = K beta, b the bias, u_i the bound low_i or high_i of the others.
// While S stays, beta moves on a line as C grows:
//
//	rows outside of S  d_i = u_i
//	rows of S          K_SS d_S + db 1 = -K_So u,  sum d = 0 if the bias is free
//
// until a row of S meets its bound, or the margin r_i + b - t_i of another row becomes 0: a
// breakpoint, where S changes by that row. The equations are solved by the Cholesky factor of
// K' = K + rho 1 1^T, as in the active set. A row that K' of S determines moves at the same C
// along the direction of no curvature until a bound is met.
//
// Where breakpoints do not move on for many steps, or a certificate is worse than Gap, the
// active set solves the problem anew, and where that happens again and again the path leaps to a larger
// C, by up to half: [Breakpoint.Leaped]. Returned are all breakpoints, with certificates; between
// two of them the coefficients are linear in C. Breakpoints nearer than 1e-12 C are one.
// Cost: of all values of K once, and |S| n + |S|^2 a breakpoint; memory 8 n^2 bytes.
type Costs struct {
	From, To float64
	Gap      float64 // of each breakpoint; 0: 1e-8
}

var _ Follower = Costs{}

// Accepts takes what the active set takes.
func (c Costs) Accepts(p *problem.Kernel) error {
	if err := checkRange(p, c.From, c.To); err != nil {
		return err
	}
	if err := (dual.ActiveSet{}).Accepts(p); err != nil {
		return fmt.Errorf("path: found the loss %s, expected squared, or one with a single corner, such as hinge or absolute", loss.Name(p.Loss))
	}
	return nil
}

// Follow follows the path. A cancelled context ends it with its error.
func (c Costs) Follow(ctx context.Context, p *problem.Kernel, each Each) error {
	p.StopWhen(func() bool { return ctx.Err() != nil })
	defer p.StopWhen(nil)
	held := *p
	held.Gram = p.Gram.Hold()
	s := newCosts(&held)
	if s.tolerance = c.Gap; c.Gap == 0 {
		s.tolerance = 1e-8
	}
	if err := s.restart(ctx, c.From); err != nil {
		return err
	}
	return s.follow(ctx, c.To, each)
}

// costs is where the path is.
type costs struct {
	p         *problem.Kernel
	gram      *gram.Gram // all rows kept
	tolerance float64    // relative gap
	t         []float64  // corners
	low, high []float64  // bounds at C = 1
	free      bool       // the bias
	most      float64    // largest magnitude of t

	c       float64
	beta, r []float64
	b       float64
	set     support.FreeSet
	side    []float64 // of rows outside: u_i
	load    []float64 // K u, of the rows outside
	sum     float64   // of u
	drift   drift
	told    float64 // the last C that was handed out
	mended  float64 // the last one at which the problem was solved anew
	leap    float64 // how far the path goes from where it is stuck, relative to C
	leaped  bool    // it has, since the last C that was handed out

	d, dr []float64 // of the set, and of r, as C grows
	db    float64
}

// newCosts makes the bounds at C = 1.
func newCosts(p *problem.Kernel) *costs {
	n := p.Len()
	s := &costs{p: p, gram: p.Gram, free: p.Bias == problem.Free, drift: newDrift(p)}
	for _, v := range []*[]float64{&s.t, &s.low, &s.high, &s.beta, &s.r, &s.side, &s.load, &s.dr} {
		*v = make([]float64, n)
	}
	corner := p.Loss.(loss.Cornered)
	sum := 0.0
	for i, y := range p.Y {
		_, ramps := corner.Ramps(y)
		first, last := p.Loss.Domain(y)
		s.t[i], s.low[i], s.high[i] = ramps[0].At, -p.S[i]*last, -p.S[i]*first
		s.most = max(s.most, math.Abs(s.t[i]))
		sum += p.Diagonal[i]
	}
	shift := p.Constant()
	if s.free {
		shift = max(sum/float64(n), 1e-300)
	}
	s.set = support.NewFreeSet(p.Gram, n, shift, s.free)
	return s
}

// restart has the path go on from the optimum at c.
func (s *costs) restart(ctx context.Context, c float64) error {
	sol, err := s.optimum(ctx, c)
	if err == nil {
		s.begin(c, sol.Point)
	}
	return err
}

// optimum finds that at c by the active set, from where the path is.
func (s *costs) optimum(ctx context.Context, c float64) (*solver.Solution, error) {
	p := at(s.p, c)
	opt := solver.Options{Gap: 1e-13, Seed: 1, Epochs: 100 + len(s.t)}
	if s.c > 0 {
		a := make([]float64, len(s.beta))
		for i, b := range s.beta {
			a[i] = -b / (s.c * s.p.S[i])
		}
		opt.From = &problem.Point{W: make([]float64, len(s.beta)+1), A: a}
	}
	sol, err := solver.Run(ctx, dual.ActiveSet{}, p, opt)
	if err == nil {
		err = ctx.Err()
	}
	return sol, err
}

// begin takes over an optimum: rows within 1e-9 of a bound are at it.
func (s *costs) begin(c float64, pt problem.Point) {
	s.c, s.b = c, 0
	if s.free {
		s.b = pt.W[len(s.beta)]
	}
	s.set.Clear()
	var inside []int
	for i := range s.beta {
		near := 1e-9 * (s.high[i] - s.low[i])
		switch at := pt.W[i] / c; {
		case at <= s.low[i]+near:
			s.side[i] = s.low[i]
		case at >= s.high[i]-near:
			s.side[i] = s.high[i]
		default:
			s.side[i], s.beta[i] = 0, pt.W[i]
			inside = append(inside, i)
			continue
		}
		s.beta[i] = float64(c * s.side[i])
	}
	s.respond()
	for _, i := range inside {
		s.enter(i)
	}
	s.polish()
}

// respond computes the responses, and the load of the rows outside, anew.
func (s *costs) respond() {
	u := make([]float64, len(s.beta))
	for i, side := range s.side {
		if s.set.Place[i] < 0 {
			u[i] = side
		}
	}
	s.drift.r, s.drift.load = s.combine(s.r, s.beta), s.combine(s.load, u)
	s.sum = vec.Total(u)
}

// combine sets dst to K times by, and returns by how much each number may be off.
func (s *costs) combine(dst, by []float64) (off float64) {
	value, off := s.p.Respond(by)
	copy(dst, value)
	return off + s.shiftBy(dst, vec.Total(by))
}

// polish solves for the rows of the set at the same C, which takes away what roundings added up;
// twice, as the set may be nearly singular.
func (s *costs) polish() {
	s.respond()
	slope := make([]float64, len(s.set.Rows))
	for range 2 {
		if len(s.set.Rows) == 0 {
			return
		}
		for k, i := range s.set.Rows {
			slope[k] = s.t[i] - s.r[i] - s.b
		}
		missing := 0.0
		if s.free {
			missing = -vec.Total(s.beta)
		}
		d, b := s.set.Solve(slope, missing)
		s.b += b
		for k, i := range s.set.Rows {
			s.beta[i] = min(max(s.beta[i]+d[k], float64(s.c*s.low[i])), float64(s.c*s.high[i]))
		}
		s.respond()
	}
}

// direction sets d, db and dr.
func (s *costs) direction() {
	copy(s.dr, s.load)
	s.d, s.db, s.drift.dr = nil, 0, s.drift.load
	if len(s.set.Rows) == 0 {
		return
	}
	right := make([]float64, len(s.set.Rows))
	for k, i := range s.set.Rows {
		right[k] = -s.load[i]
	}
	s.d, s.db = s.set.Solve(right, -s.sum)
	s.drift.dr += s.add(s.dr, s.set.Rows, s.d)
}

// add adds rows of K times by to dst, and returns by how much the change of each number is off.
func (s *costs) add(dst []float64, rows []int, by []float64) (off float64) {
	s.gram.Update(dst, rows, by)
	constant := s.shiftBy(dst, vec.Total(by))
	return s.drift.products(len(rows), sizeOf(by), largestOf(dst)) + constant
}

// shiftBy adds what the constant column of the bias has, the coefficients having the sum.
func (s *costs) shiftBy(dst []float64, sum float64) (off float64) {
	constant := float64(s.p.Constant() * sum)
	if constant == 0 {
		return 0
	}
	for i := range dst {
		dst[i] += constant
	}
	return float64(4 * unit * (largestOf(dst) + math.Abs(constant)))
}
