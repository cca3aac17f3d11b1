package conform

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Case is a problem that a solver must be able to solve.
type Case struct {
	Problem *problem.Linear
	Optimum float64 // of the problem, to about ten digits; NaN: not known
	Gap     float64 // relative, to be proved
	Epochs  int     // at most
}

// Solver examines s on one problem: the answer, its independence of storage,
// order and threads, warm starts, and what must not be touched.
func Solver(s solver.Solver, c Case) error {
	f := &findings{}
	before := snapshot(c.Problem)
	base := c.on(1)
	sol := c.run(f, s, base, nil)
	if sol == nil {
		return f.err()
	}
	solverAnswer(f, c, base, sol)
	solverRepeats(f, s, c, base, sol)
	solverVariants(f, s, c, sol)
	solverWarm(f, s, c, base, sol)
	solverReports(f, s, base)
	solverStops(f, s, base)
	f.check(before.equal(snapshot(c.Problem)), "the data stay as they are", "rows, targets or weights changed")
	return f.err()
}

// Refusal examines how s refuses a problem that it cannot take.
func Refusal(s solver.Solver, p problem.Problem, reason string) (err error) {
	f := &findings{}
	const law = "a problem that cannot be solved is refused with the reason"
	defer func() {
		if r := recover(); r != nil {
			f.check(false, law, "panic: %v", r)
			err = f.err()
		}
	}()
	err = s.Accepts(p)
	f.check(err != nil && strings.Contains(err.Error(), reason), law, "found %v, expected %q", err, reason)
	sol, again := solver.Run(context.Background(), s, p, solver.Options{Epochs: 1})
	f.check(again != nil && sol == nil, law, "Run returned %v, %v", sol, again)
	return f.err()
}

// on returns the problem of c for a number of threads.
func (c Case) on(threads int) *problem.Linear {
	return rebuilt(c.Problem, c.Problem.X, c.Problem.Y, c.Problem.S, threads)
}

func rebuilt(p *problem.Linear, x matrix.Matrix, y, s []float64, threads int) *problem.Linear {
	q, err := problem.NewLinear(problem.NewRows(x, threads), y, s, p.Loss, p.Penalty, p.Lambda, p.Bias)
	if err != nil {
		panic(err) // the problem was made of the same parts
	}
	return q
}

// run solves p and checks that the gap was proved; nil when it was not.
func (c Case) run(f *findings, s solver.Solver, p *problem.Linear, from *problem.Point) *solver.Solution {
	sol, err := solver.Run(context.Background(), s, p, solver.Options{Gap: c.Gap, Epochs: c.Epochs, Seed: 7, From: from})
	if err != nil {
		f.check(false, "accepts the problem", "%v", err)
		return nil
	}
	ok := sol.Status == solver.Converged && sol.Certificate.Relative() <= c.Gap
	f.check(ok, "converges to the gap asked", "%s after %d epochs: relative gap %g, asked %g", sol.Status, sol.Epochs, sol.Certificate.Relative(), c.Gap)
	if !ok {
		return nil
	}
	return sol
}

// solverAnswer checks the point against the optimum, the problem's own
// certificate, and 100 random neighbours.
func solverAnswer(f *findings, c Case, p *problem.Linear, sol *solver.Solution) {
	own := p.Certify(sol.Point)
	f.check(bits(own) == bits(sol.Certificate), "the certificate is the problem's own, at the point returned",
		"primal %v, dual %v, recomputed %v and %v", sol.Certificate.Primal, sol.Certificate.Dual, own.Primal, own.Dual)
	if !math.IsNaN(c.Optimum) {
		slack := 1e-10 * math.Max(math.Abs(c.Optimum), p.Zero())
		f.check(math.Abs(own.Primal-c.Optimum) <= own.Gap()+slack, "the objective is the optimum's within the gap",
			"%v, optimum %v, gap %g", own.Primal, c.Optimum, own.Gap())
	}
	r := source()
	for k := range 100 {
		w := normal(r, len(sol.Point.W), math.Pow(10, -float64(k%9)))
		for j := range w {
			w[j] += sol.Point.W[j]
		}
		if p.Bias == problem.None {
			w[len(w)-1] = 0
		}
		value := objective(p, w)
		f.check(value >= own.Dual, "no neighbour is better than proved possible", "%v: %v, dual %v", w, value, own.Dual)
	}
}

// solverRepeats checks that the same seed gives the same bits: twice, with two
// threads, and while another run of the same solver is under way.
func solverRepeats(f *findings, s solver.Solver, c Case, p *problem.Linear, sol *solver.Solution) {
	if again := c.run(f, s, p, nil); again != nil {
		f.check(samePoint(again.Point, sol.Point), "the same seed gives the same bits", "%v and %v", sol.Point.W, again.Point.W)
	}
	if two := c.run(f, s, c.on(2), nil); two != nil {
		f.check(samePoint(two.Point, sol.Point), "two threads give the same bits as one", "%v and %v", sol.Point.W, two.Point.W)
	}
	alone, first, second := s.Start(p, solver.Start{Seed: 1}), s.Start(p, solver.Start{Seed: 1}), s.Start(p, solver.Start{Seed: 2})
	for range 3 {
		alone.Epoch()
	}
	for range 3 {
		first.Epoch()
		second.Epoch()
	}
	f.check(samePoint(alone.Point(), first.Point()), "runs at the same time do not disturb each other", "")
}

func samePoint(a, b problem.Point) bool { return same(a.W, b.W) && same(a.A, b.A) }

// solverVariants solves the same problem in the other storage and with its
// rows in another order: two proved answers are apart by a gap at most.
func solverVariants(f *findings, s solver.Solver, c Case, sol *solver.Solution) {
	order := rand.New(rand.NewPCG(5, 5)).Perm(len(c.Problem.Y))
	for law, p := range map[string]*problem.Linear{
		"dense and sparse storage reach the same optimum": rebuilt(c.Problem, otherStorage(c.Problem.X), c.Problem.Y, c.Problem.S, 1),
		"the order of the rows does not matter": rebuilt(c.Problem, permuted(c.Problem.X, order),
			permutedNumbers(c.Problem.Y, order), permutedNumbers(c.Problem.S, order), 1),
	} {
		other, err := solver.Run(context.Background(), s, p, solver.Options{Gap: c.Gap, Epochs: c.Epochs, Seed: 7})
		if err != nil {
			f.check(false, law, "%v", err)
			continue
		}
		mine, apart := sol.Certificate, math.Abs(other.Certificate.Primal-sol.Certificate.Primal)
		f.check(other.Status == solver.Converged && apart <= math.Max(mine.Gap(), other.Certificate.Gap()), law,
			"%s: %v, before %v, apart %g", other.Status, other.Certificate.Primal, mine.Primal, apart)
	}
}

// solverWarm checks that a run started at the answer ends at once, that the
// solver itself begins there, and that the point it is given is only read.
func solverWarm(f *findings, s solver.Solver, c Case, p *problem.Linear, sol *solver.Solution) {
	const law = "a warm start at the answer stops at once"
	from := problem.Point{W: slices.Clone(sol.Point.W), A: slices.Clone(sol.Point.A)}
	if warm := c.run(f, s, p, &from); warm != nil {
		f.check(warm.Epochs == 0, law, "after %d epochs", warm.Epochs)
	}
	// Run looks at the point it is given; the solver must know it, too.
	state, goal := s.Start(p, solver.Start{From: &from, Seed: 3}), 3*c.Gap
	found := p.Certify(state.Point()).Relative()
	for range 10 {
		if found <= goal {
			break
		}
		state.Epoch()
		found = min(found, p.Certify(state.Point()).Relative())
	}
	f.check(found <= goal, law, "the solver is at %g, expected %g", found, goal)
	f.check(samePoint(from, sol.Point), "a warm start leaves its point alone", "")
}

// solverReports checks what the solver says of itself, if it does.
func solverReports(f *findings, s solver.Solver, p *problem.Linear) {
	state, ok := s.Start(p, solver.Start{Seed: 4}).(solver.Reporter)
	if !ok {
		return
	}
	for range 8 {
		state.Epoch()
		state.Report()
		c := p.Certify(state.Point())
		report, again := state.Report(), state.Report()
		f.check(same([]float64{report.Gap}, []float64{again.Gap}) && report.Exact == again.Exact, "a report made again says the same",
			"gap %v and %v", report.Gap, again.Gap)
		if o := report.Objectives; o != nil {
			room := 1e-6 * max(math.Abs(c.Primal), c.Zero)
			f.check(math.Abs(o.Primal-c.Primal) <= room && math.Abs(o.Dual-c.Dual) <= room && o.Zero == c.Zero, "objectives are those of the point",
				"%v, the certificate has %v, %v and %v", *o, c.Primal, c.Dual, c.Zero)
		}
	}
}

// solverStops checks that there is a point, the start or better, when a limit is reached
// before the first epoch, and that an epoch then leaves one.
func solverStops(f *findings, s solver.Solver, p *problem.Linear) {
	const law = "a run that a limit cuts short has a point"
	state := s.Start(p, solver.Start{Seed: 1, Over: func() bool { return true }})
	value := p.Certify(state.Point()).Primal
	f.check(value <= p.Zero()*(1+1e-12), law, "%v at the start, %v at zero", value, p.Zero())
	state.Epoch()
	value = p.Certify(state.Point()).Primal
	f.check(!math.IsNaN(value) && !math.IsInf(value, 0), law, "%v after an epoch", value)
}

// otherStorage returns a copy of m, dense if m was sparse and sparse if dense.
func otherStorage(m matrix.Matrix) matrix.Matrix {
	n, d := m.Dims()
	if _, dense := m.(*matrix.Dense); dense {
		return matrix.Transpose(matrix.Transpose(m))
	}
	out := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		v := m.Row(i)
		for k, x := range v.Value {
			out.Value[i*d+v.Column(k)] = x
		}
	}
	return out
}

func permuted(m matrix.Matrix, order []int) matrix.Matrix {
	_, d := m.Dims()
	out := &matrix.CSR{Cols: d}
	sparse, ok := m.(*matrix.CSR)
	if !ok {
		sparse = otherStorage(m).(*matrix.CSR)
	}
	for _, i := range order {
		v := sparse.Row(i)
		out.Append(v.Index, v.Value)
	}
	if ok {
		return out
	}
	return otherStorage(out)
}

func permutedNumbers(v []float64, order []int) []float64 {
	out := make([]float64, len(v))
	for k, i := range order {
		out[k] = v[i]
	}
	return out
}

// copied holds what a solver must not write to.
type copied struct {
	rows   string
	y, s   []float64
	square []float64
}

func snapshot(p *problem.Linear) copied {
	var rows strings.Builder
	for i := range p.Y {
		v := p.X.Row(i)
		fmt.Fprintln(&rows, v.Index, v.Value)
	}
	return copied{rows.String(), slices.Clone(p.Y), slices.Clone(p.S), slices.Clone(p.SquaredNorm)}
}

func (c copied) equal(d copied) bool {
	return c.rows == d.rows && same(c.y, d.y) && same(c.s, d.s) && same(c.square, d.square)
}
