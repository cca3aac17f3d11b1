package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/processor"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A MachineSet is a set of two classes with the Gaussian kernel exp(-|x-x'|^2/(2 variance)) and
// C = 1/(lambda n): a row of table 2.7 of Cotter's thesis, without and with a free bias, and one of
// table 3.5, with a bias. Where the thesis has no row of chapter 2, Plain and Biased are that of chapter 3.
type MachineSet struct {
	Name     string
	Train    int    // rows of the training file; those after them are for the test
	positive string // label of the positive class; "": the second of two
	Plain    MachineRow
	Biased   MachineRow // variance 0: the table has none
	Sparse   MachineRow // of table 3.5
}

// A MachineRow is one half of a row: nu is the mean hinge loss of the optimum over its norm.
type MachineRow struct{ Variance, C, Nu float64 }

// gaussian is a row of table 3.5, which has no nu.
func gaussian(gamma, c float64) MachineRow { return MachineRow{1 / (2 * gamma), c, math.NaN()} }

// Of Forest there is a piece with features scaled to [0, 1], for which gamma = 1e-4 and C = 10,000 of the
// source, made for features as large as 7,000, mean nothing: gamma and C here are ours.
var machineSets = []MachineSet{
	{Name: "reuters", Train: 7770, Plain: MachineRow{0.5, 1, 6.34e-4}, Sparse: MachineRow{0.5, 1, math.NaN()}},
	{Name: "adult", Train: 32561, Plain: MachineRow{10, 1, 1.10e-2}, Biased: MachineRow{100, 100, 5.79e-4}, Sparse: gaussian(0.1, 1)},
	{Name: "mnist", Train: 60000, positive: "8", Plain: MachineRow{25, 1, 2.21e-4}, Biased: MachineRow{25, 1000, 6.42e-11}, Sparse: MachineRow{25, 1, math.NaN()}},
	{Name: "ijcnn1", Train: 49990, Plain: gaussian(1, 10), Biased: gaussian(1, 10), Sparse: gaussian(1, 10)},
	{Name: "web", Train: 49749, Plain: gaussian(0.1, 10), Biased: gaussian(0.1, 10), Sparse: gaussian(0.1, 10)},
	{Name: "covtype", positive: "2", Plain: gaussian(10, 10), Biased: gaussian(10, 10), Sparse: gaussian(10, 10)},
	{Name: "other", Plain: MachineRow{1, 1, math.NaN()}, Biased: MachineRow{1, 100, math.NaN()}, Sparse: gaussian(0.1, 1)},
}

// SetNames are what an experiment on machines takes for its parameter set: all those of its figure, or one
// of these.
var SetNames = []string{"all", "reuters", "adult", "mnist", "ijcnn1", "web", "covtype", "other"}

// Machines is the set of that name.
func Machines(name string) MachineSet {
	return machineSets[slices.IndexFunc(machineSets, func(s MachineSet) bool { return s.Name == name })]
}

// OnMachines is [Options.On] for sets of table 2.7 and 3.5.
func (o Options) OnMachines(ctx context.Context, r *Result, chosen string, names []string, do func(set MachineSet, opt Options) error) error {
	return o.On(ctx, r, chosen, names, "@blobs:n=3000,classes=2,d=4,spread=1", func(name string, opt Options) error {
		return do(Machines(name), opt)
	})
}

// targets returns -1 and +1.
func (s MachineSet) targets(opt Options) ([]float64, error) {
	if s.positive == "" {
		if len(opt.Classes) == 0 {
			return nil, errors.New("found no two classes, expected --data with them")
		}
		return opt.Classes, nil
	}
	code := slices.Index(opt.Labels, s.positive)
	if code < 0 {
		return nil, fmt.Errorf("found no label %s, expected --data with the set %s", s.positive, s.Name)
	}
	y := make([]float64, len(opt.Codes))
	for i, c := range opt.Codes {
		y[i] = -1
		if int(c) == code {
			y[i] = 1
		}
	}
	return y, nil
}

// A MachineCourse is one matrix of training and test rows, in this order, that kernel machines
// learn from and are judged on.
type MachineCourse struct {
	All, Gram *gram.Gram // of all rows, and of those learned from
	Y         []float64  // of all rows
	Lambda    float64
	bias      problem.Bias
	response  []float64 // of all rows, reused
}

// Course takes at most rows of the training part and as many of the test part, drawn by the
// seed, so that the matrix of all fits into memory.
func (s MachineSet) Course(opt Options, row MachineRow, bias problem.Bias, rows int) (*MachineCourse, error) {
	y, err := s.targets(opt)
	if err != nil {
		return nil, err
	}
	train := cmp.Or(opt.Train, s.Train)
	if train == 0 || train >= len(y) {
		train = len(y) * 2 / 3
	}
	if train < 2 || len(y)-train < 2 {
		return nil, fmt.Errorf("found %d rows, expected at least 6", len(y))
	}
	random := rand.New(rand.NewPCG(opt.Seed, 27))
	order := append(some(random, 0, train, rows), some(random, train, len(y), rows)...)
	learn := min(train, rows)
	all, err := gram.NewGram(kernel.RBF{Gamma: 1 / (2 * row.Variance)}, matrix.Subset(opt.Data, order), gram.Options{Threads: opt.Threads, Cache: machineCache})
	if err != nil {
		return nil, err
	}
	gram, err := all.Part(Below(learn))
	if err != nil {
		return nil, err
	}
	return &MachineCourse{All: all, Gram: gram, Y: Take(y, order), Lambda: 1 / (row.C * float64(learn)), bias: bias, response: make([]float64, len(order))}, nil
}

// machineCache keeps the whole matrix of 15,000 rows.
const machineCache = 3 << 30

// some are rows from lo to hi in order, at most so many, drawn at random.
func some(random *rand.Rand, lo, hi, most int) []int {
	rows := random.Perm(hi - lo)[:min(most, hi-lo)]
	slices.Sort(rows)
	for i := range rows {
		rows[i] += lo
	}
	return rows
}

// Learn is the number of rows that are learned from.
func (c *MachineCourse) Learn() int { return c.Gram.Len() }

// Machine is the problem with lambda.
func (c *MachineCourse) Machine() (*problem.Kernel, error) {
	return problem.NewKernel(c.Gram, c.Y[:c.Learn()], nil, loss.Hinge{}, c.Lambda, c.bias)
}

// Slack is the problem with nu.
func (c *MachineCourse) Slack(nu float64) (*problem.Slack, error) {
	return problem.NewSlack(c.Gram, c.Y[:c.Learn()], nu, c.bias)
}

// Optimum solves the problem with lambda to a gap.
func (c *MachineCourse) Optimum(ctx context.Context, gap float64) (*solver.Solution, *problem.Kernel, error) {
	p, err := c.Machine()
	if err != nil {
		return nil, nil, err
	}
	s, err := Solve(ctx, dual.Working{}, p, solver.Options{Gap: gap})
	return s, p, err
}

// SlackAt solves the problem with lambda, and returns that with the nu of its optimum.
func (c *MachineCourse) SlackAt(ctx context.Context, gap float64) (*solver.Solution, *problem.Kernel, *problem.Slack, float64, error) {
	best, machine, err := c.Optimum(ctx, gap)
	if err != nil {
		return nil, nil, nil, 0, err
	}
	mean, norm := c.Shape(best.Point.W)
	slack, err := c.Slack(mean / norm)
	if err != nil {
		return nil, nil, nil, 0, fmt.Errorf("the loss of the optimum: %w", err)
	}
	return best, machine, slack, mean / norm, nil
}

// Shape returns the mean hinge loss and the norm of a predictor on the rows learned from.
func (c *MachineCourse) Shape(w []float64) (mean, norm float64) {
	n := c.Learn()
	c.predict(w)
	squared := 0.0
	for i, r := range c.response[:n] {
		mean += max(0, 1-c.Y[i]*r) / float64(n)
		squared += w[i] * (r - w[n])
	}
	return mean, math.Sqrt(max(0, squared))
}

// predict computes the predictions on all rows, of n coefficients and the bias.
func (c *MachineCourse) predict(w []float64) {
	n := c.Learn()
	rows, beta := Support(w[:n])
	for i := range c.response {
		c.response[i] = w[n]
	}
	c.All.Update(c.response, rows, beta)
}

// Support returns the rows whose coefficients are not 0, and these.
func Support(w []float64) (rows []int, beta []float64) {
	for i, v := range w {
		if v != 0 {
			rows, beta = append(rows, i), append(beta, v)
		}
	}
	return rows, beta
}

// Below returns the numbers below n.
func Below(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// AtMost counts at how many places a is at most b, of those where both are numbers, and how far it is above at most.
func AtMost(a, b []float64) (count, of int, worst float64) {
	worst = math.Inf(-1)
	for i, v := range a {
		if v != v || b[i] != b[i] {
			continue
		}
		of++
		worst = max(worst, v-b[i])
		if v <= b[i] {
			count++
		}
	}
	return count, of, worst
}

// ErrorOf is the percentage of the test rows that a predictor has wrong; 0 is wrong.
func (c *MachineCourse) ErrorOf(w []float64) float64 {
	c.predict(w)
	return c.Wrong(c.response)
}

// Wrong is the percentage of the test rows that predictions have wrong.
func (c *MachineCourse) Wrong(response []float64) float64 {
	count, n := 0, c.Learn()
	for i := n; i < len(c.Y); i++ {
		if response[i]*c.Y[i] <= 0 {
			count++
		}
	}
	return 100 * float64(count) / float64(len(c.Y)-n)
}

// A watched run is a solver's error on the test rows at some numbers of kernel values.
type WatchedRun struct {
	X, Y []float64 // values asked for, percentage wrong
	End  float64   // values asked for until the run ended
}

// Watch runs a solver, and judges its point whenever the next of the given numbers of kernel
// values has been asked for. A run ends before the last of them if the solver estimates that
// its relative gap is at most the goal; its error is then that of the end. Solvers ask for
// their limit between two steps, where their point is whole.
func (c *MachineCourse) Watch(ctx context.Context, s solver.Solver, p problem.Problem, seed uint64, at []float64, goal float64) (WatchedRun, error) {
	if err := s.Accepts(p); err != nil {
		return WatchedRun{}, err
	}
	var run WatchedRun
	var state solver.State
	began, judging := c.Gram.Counts().Requested, int64(0)
	spent := func() float64 { return float64(c.Gram.Counts().Requested - began - judging) }
	look := func() bool {
		if state == nil || len(run.X) == len(at) {
			return ctx.Err() != nil || len(run.X) == len(at)
		}
		if x := spent(); x >= at[len(run.X)] {
			before := c.Gram.Counts().Requested
			wrong := c.ErrorOf(state.Point().W)
			judging += c.Gram.Counts().Requested - before
			for len(run.X) < len(at) && x >= at[len(run.X)] {
				run.X, run.Y = append(run.X, at[len(run.X)]), append(run.Y, wrong)
			}
		}
		return ctx.Err() != nil || len(run.X) == len(at)
	}
	state = s.Start(p, solver.Start{Seed: seed, Over: look, Gap: 1e-9})
	for last := -1.0; !look() && spent() != last; {
		last = spent()
		state.Epoch()
		if reporter, ok := state.(solver.Reporter); ok && reporter.Report().Gap <= goal {
			break
		}
	}
	run.End = spent()
	if err := ctx.Err(); err != nil {
		return run, err
	}
	if len(run.X) < len(at) { // converged: the error stays what it is
		wrong := c.ErrorOf(state.Point().W)
		for _, x := range at[len(run.X):] {
			run.X, run.Y = append(run.X, x), append(run.Y, wrong)
		}
	}
	return run, nil
}

// Grid are numbers of kernel values from a share of an epoch to some epochs, in equal ratios.
func (c *MachineCourse) Grid(from, to float64, points int) []float64 {
	epoch := float64(c.Learn()) * float64(c.Learn())
	at := make([]float64, points)
	for k := range at {
		at[k] = epoch * from * math.Pow(to/from, float64(k)/float64(points-1))
	}
	return at
}

// Fresh is the matrix of the rows learned from, of which no row is kept yet.
func (c *MachineCourse) Fresh(opt Options) (*gram.Gram, error) {
	return gram.NewGram(c.Gram.Kernel, c.Gram.X, gram.Options{Threads: opt.Threads, Cache: machineCache})
}

// Solve is solver.Run, of which the end of ctx is an error, and Train is time of the processor.
func Solve(ctx context.Context, s solver.Solver, p problem.Problem, opt solver.Options) (*solver.Solution, error) {
	spent, last := time.Duration(0), processor.Time()
	opt.Step = func(solver.Step) {
		now := processor.Time()
		spent, last = spent+now-last, now
	}
	trace := opt.Trace
	opt.Trace = func(at solver.Progress) { // a certificate was made since the step
		if at.Train = spent; trace != nil {
			trace(at)
		}
		last = processor.Time()
	}
	solution, err := solver.Run(ctx, s, p, opt)
	if err != nil {
		return nil, err
	}
	solution.Train = spent
	return solution, ctx.Err()
}

// CheckDense checks that the machine of all support vectors tells the classes apart: an error far below that of
// a predictor of the more frequent class.
func (c *MachineCourse) CheckDense(r *Result, set string, wrong float64) {
	positive := 0
	for _, y := range c.Y[c.Learn():] {
		if y > 0 {
			positive++
		}
	}
	judged := len(c.Y) - c.Learn()
	trivial := 100 * float64(min(positive, judged-positive)) / float64(judged)
	r.Check("X1", set+": the machine learns", "an error of at most four fifths of that of one class for all", wrong <= 0.8*trivial, "%.2f %% against %.2f %%", wrong, trivial)
}

// Take returns some of the numbers.
func Take(y []float64, rows []int) []float64 {
	some := make([]float64, len(rows))
	for k, i := range rows {
		some[k] = y[i]
	}
	return some
}

// HingeMachine is the problem of the hinge with a kernel and C.
func HingeMachine(k kernel.Kernel, x matrix.Matrix, y []float64, c float64, bias problem.Bias, threads int) (*problem.Kernel, error) {
	return KernelMachine(k, x, y, loss.Hinge{}, 1/(c*float64(len(y))), bias, threads)
}

// KernelMachine is the problem of a loss with a kernel and lambda.
func KernelMachine(k kernel.Kernel, x matrix.Matrix, y []float64, l loss.Loss, lambda float64, bias problem.Bias, threads int) (*problem.Kernel, error) {
	gram, err := gram.NewGram(k, x, gram.Options{Threads: threads})
	if err != nil {
		return nil, err
	}
	return problem.NewKernel(gram, y, nil, l, lambda, bias)
}
