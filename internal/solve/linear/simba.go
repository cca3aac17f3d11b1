package linear

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// SIMBA is the sublinear importance-sampling bi-stochastic algorithm (Hazan,
// Koren, Srebro: Beating SGD, 2011, algorithm 1; thesis 1.4.4).
//
//	Problem     problem.LinearSlack: maximise f(w) in the unit ball, which is a game:
//	            max over w and xi of min over p in the simplex of p^T (c + xi)
//	Symbols     A_i = y_i x_i/rho with rho = max |x_i|, so that |A_i| <= 1;
//	            T steps, eta = sqrt(log n/T), w = u/max(1,|u|), p = q/sum q
//	Update      u <- u + A_i/sqrt(2T), i drawn from p
//	            xi = argmax p^T xi over 0 <= xi_i <= cap, sum xi <= n nu/rho: the largest p
//	            v_i = A_ij |w|^2/w_j + xi_i for all i, j drawn with probability w_j^2/|w|^2:
//	            its mean is the margin of row i, its second moment about that is at most 1
//	            q_i <- q_i (1 - eta v + eta^2 v^2),  v = v_i clipped to +-1/eta
//	Returned    the average of the w; and the average of the p, which as dual
//	            variables prove how far f can be from the maximum
//	Cap         2 + nu/rho, in the paper 2: more is never needed, as c_i >= -1 and the
//	            level is at most 1 + nu/rho; more with a free bias, see
//	            problem.LinearSlack, and where that makes n nu/(rho cap) whole
//	Free bias   (an extension) p has the mass 1/2 on each class, so that b drops out
//	Rounds      T is not known beforehand: after T steps all begins again with 2T
//	Cost        O(n + d) a step, whatever the number of nonzeros: one row, one column,
//	            and sums over p and w; an epoch is as many steps as cost one pass.
//	            Memory: the columns are a second copy of the rows
//
// f is expected to be O(sqrt(log n/T)) below the maximum, and G of the average p as
// far above it: for a small gap use another problem.
type SIMBA struct{}

var _ solver.Solver = SIMBA{}

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "simba", Facts: registry.Facts{Rate: "sublinear: 1/sqrt t in steps of O(n+d)", Memory: "two numbers a row", Source: "Hazan, Koren, Srebro 2011"},
		Summary: "sublinear primal-dual sampling: hinge, problems with slack; a step costs O(n+d), small gaps take long",
		New:     func(*registry.Params) (solver.Solver, error) { return SIMBA{}, nil }})
}

// Accepts wants a slack-constrained problem.
func (SIMBA) Accepts(p problem.Problem) error {
	if s, ok := p.(*problem.LinearSlack); ok {
		if s.Weighted() {
			return errors.New("simba samples rows that count alike: found weights, expected none, or the solver root")
		}
		return nil
	}
	if _, ok := p.(*problem.Linear); ok {
		return fmt.Errorf("simba needs 'slack', the average slack with which it maximises the margin: expected 'slack', or another solver")
	}
	_, err := parts.Linear(p)
	return err
}

// firstRound is the number of steps of the first round.
const firstRound = 256

// Start begins at zero: rounds take nothing over from what was before.
func (SIMBA) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.LinearSlack)
	n, d := l.Dims()
	s := &simba{p: l, limit: start.Over, columns: matrix.Transpose(l.X), random: rand.New(rand.NewPCG(start.Seed, 0)),
		u: make([]float64, d+1), uSums: make([]float64, pickBlocks(d+1)),
		heights: make([]float64, n), xi: make([]float64, n), margins: make([]float64, n),
		steps: max(1, int(l.Nonzeros/int64(n+d)))}
	s.divide()
	s.longest = l.Longest()
	s.corrected = max(1, int(l.Volume()/l.Most()))
	s.correction = l.Volume() / (s.longest * float64(s.corrected))
	s.round(firstRound)
	return s
}

type simba struct {
	limit   parts.Limit
	p       *problem.LinearSlack
	columns *matrix.CSR
	random  *rand.Rand
	longest float64 // rho

	corrected  int     // how many rows have a correction
	correction float64 // and how large it is

	place  []int     // of each row in q: class after class
	row    []int     // in each place
	shares []share   // q of each class
	q      []float64 // all of them

	u, uSums []float64 // the sum of the A_i drawn, d+1 numbers
	t, last  int       // steps of this round, and how many it has
	eta      float64
	now      sums // of the round
	before   sums // of the round before; empty: there was none

	water   water.Filling
	heights []float64 // -p
	xi      []float64
	margins []float64 // scratch
	steps   int       // in an epoch
}

// sums are those of the iterates of a round, of which there were steps.
type sums struct {
	w, p  []float64
	steps int
}

// divide gives the rows of each class a part of q; without a free bias all are
// one class.
func (s *simba) divide() {
	n := len(s.p.Y)
	s.place, s.row, s.q = make([]int, n), make([]int, 0, n), make([]float64, n)
	for _, y := range []float64{1, -1} {
		from := len(s.row)
		for i := range n {
			if s.p.Bias != problem.Free || s.p.Y[i] == y {
				s.place[i] = len(s.row)
				s.row = append(s.row, i)
			}
		}
		to := len(s.row)
		s.shares = append(s.shares, share{q: s.q[from:to], sums: make([]float64, pickBlocks(to-from))})
		if to == n {
			break
		}
	}
}

// round begins anew, for twice as many steps.
func (s *simba) round(steps int) {
	n, d := s.p.Dims()
	s.before = s.now
	s.now = sums{w: make([]float64, d+1), p: make([]float64, n)}
	s.t, s.last = 0, steps
	s.eta = min(0.5, math.Sqrt(elementary.Log(float64(max(2, n)))/float64(steps)))
	clear(s.u)
	for k := range s.q {
		s.q[k] = 1
	}
}

func (s *simba) Epoch() {
	for range s.steps {
		if s.limit.Reached() { // a step costs a pass over all rows
			return
		}
		if s.t == s.last {
			s.round(2 * s.last)
		}
		s.step()
	}
}

func (s *simba) step() {
	s.t++
	at := s.weigh()
	s.correct()
	s.judge(s.move(s.row[at]))
}

// weigh adds p to its sum, and draws a place from it.
func (s *simba) weigh() (at int) {
	for k := range s.shares {
		s.shares[k].weigh()
	}
	s.now.steps++
	from, drawn := 0, s.random.IntN(len(s.shares))
	for k := range s.shares {
		share := &s.shares[k]
		part := -1 / (share.total * float64(len(s.shares)))
		for i, q := range share.q {
			s.heights[from+i] = part * q
		}
		if k == drawn {
			at = from + share.draw(s.random)
		}
		from += len(share.q)
	}
	vec.Axpy64(s.now.p, -1, s.heights)
	return at
}

// correct sets xi, where it is not zero.
func (s *simba) correct() {
	if s.correction == 0 {
		return
	}
	s.water.Lowest(s.heights, s.corrected)
	s.water.Covered(func(k int, part float64) { s.xi[k] = part * s.correction })
}

// move takes the step with row i and adds w to its sum. It returns how many times
// u that is, and |u|^2.
func (s *simba) move(i int) (scale, squared float64) {
	d := len(s.u) - 1
	by := s.p.Y[i] / s.longest
	s.p.X.Row(i).AddTo(s.u[:d], by)
	s.u[d] += s.p.Constant() * by
	for b := range s.uSums {
		s.uSums[b] = vec.SquaredNorm64(s.u[b*pickSize : min(len(s.u), (b+1)*pickSize)])
		squared += s.uSums[b]
	}
	scale = 1 / math.Sqrt(max(2*float64(s.last), squared))
	vec.Axpy64(s.now.w, scale, s.u)
	return scale, squared
}

// judge updates q by one coordinate of w, which is scale times u.
func (s *simba) judge(scale, squared float64) {
	goal := s.random.Float64() * squared
	j := pick(goal, s.uSums, len(s.u), func(j int) float64 { return float64(s.u[j] * s.u[j]) })
	by := scale * squared / (s.u[j] * s.longest)
	switch {
	case squared == 0: // so is w
	case j == len(s.u)-1:
		for i := range s.place {
			s.multiply(i, by)
		}
	default:
		column := s.columns.Row(j)
		for k, x := range column.Value {
			s.multiply(int(column.Index[k]), by*float64(x))
		}
	}
	s.water.Covered(func(k int, _ float64) {
		if s.xi[k] != 0 {
			s.multiply(s.row[k], 0)
		}
	})
}

// multiply updates q of row i, where w is estimated to give the prediction r, and
// clears its xi.
func (s *simba) multiply(i int, r float64) {
	k := s.place[i]
	v := float64(s.p.Y[i]*r) + s.xi[k]
	s.xi[k] = 0
	step := min(max(s.eta*v, -1), 1)
	s.q[k] *= 1 - float64(step*(1-step))
}

// Point returns the averages of this round, or of the one before until this is
// half over.
func (s *simba) Point() problem.Point {
	from := s.now
	if s.before.steps > 0 && 2*s.t < s.last {
		from = s.before
	}
	_, d := s.p.Dims()
	w, a := make([]float64, d+1), make([]float64, len(s.place))
	for j, x := range from.w {
		w[j] = x / float64(max(1, from.steps))
	}
	for i, k := range s.place {
		a[i] = -s.p.Y[i] * from.p[k]
	}
	if s.p.Bias != problem.Feature {
		w[d] = 0
	}
	s.widen(w)
	return problem.Point{W: w, A: a}
}

// widen moves w out to the sphere if it is better there, and sets its bias.
func (s *simba) widen(w []float64) {
	d := len(w) - 1
	s.p.Predict(s.margins, w)
	for i, y := range s.p.Y {
		s.margins[i] *= y
	}
	level, bias := s.p.Level(&s.water, s.margins)
	if out := 1 / math.Sqrt(vec.SquaredNorm64(w)); !math.IsInf(out, 1) {
		for i := range s.margins {
			s.margins[i] *= out
		}
		if wide, wideBias := s.p.Level(&s.water, s.margins); wide > level {
			bias = wideBias
			for j := range w {
				w[j] *= out
			}
		}
	}
	if s.p.Bias == problem.Free {
		w[d] = bias
	}
}
