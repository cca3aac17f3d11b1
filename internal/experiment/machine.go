package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A machineSet is a row of table 2.7 of Cotter's thesis: a set of two classes, the Gaussian
// kernel exp(-|x-x'|^2/(2 variance)) and C = 1/(lambda n), without and with a free bias.
type machineSet struct {
	name     string
	train    int    // rows of the training file; those after them are for the test
	positive string // label of the positive class; "": the second of two
	plain    machineRow
	biased   machineRow // variance 0: the table has none
}

// A machineRow is one half of a row: nu is the mean hinge loss of the optimum over its norm.
type machineRow struct{ variance, c, nu float64 }

var machineSets = []machineSet{
	{name: "reuters", train: 7770, plain: machineRow{0.5, 1, 6.34e-4}},
	{name: "adult", train: 32561, plain: machineRow{10, 1, 1.10e-2}, biased: machineRow{100, 100, 5.79e-4}},
	{name: "mnist", train: 60000, positive: "8", plain: machineRow{25, 1, 2.21e-4}, biased: machineRow{25, 1000, 6.42e-11}},
	{name: "other", plain: machineRow{1, 1, math.NaN()}, biased: machineRow{1, 100, math.NaN()}},
}

// allMachineSets are their names.
var allMachineSets = []string{"reuters", "adult", "mnist", "other"}

// setParam chooses a row of the table by its name, the first of those unless it is given.
func setParam(p *registry.Params, names ...string) machineSet {
	name := p.Choice("set", names...)
	return machineSets[max(0, slices.IndexFunc(machineSets, func(s machineSet) bool { return s.name == name }))]
}

// targets returns -1 and +1.
func (s machineSet) targets(opt Options) ([]float64, error) {
	if s.positive == "" {
		if opt.Classes == nil {
			return nil, errors.New("found no two classes, expected --data with them")
		}
		return opt.Classes, nil
	}
	code := slices.Index(opt.Labels, s.positive)
	if code < 0 {
		return nil, fmt.Errorf("found no label %s, expected --data with the set %s", s.positive, s.name)
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

// A machineCourse is one matrix of training and test rows, in this order, that kernel machines
// learn from and are judged on.
type machineCourse struct {
	all, gram *gram.Gram // of all rows, and of those learned from
	y         []float64  // of all rows
	lambda    float64
	bias      problem.Bias
	response  []float64 // of all rows, reused
}

// course takes at most rows of the training part and as many of the test part, drawn by the
// seed, so that the matrix of all fits into memory.
func (s machineSet) course(opt Options, row machineRow, bias problem.Bias, rows int) (*machineCourse, error) {
	if opt.Data == nil {
		return nil, errors.New("found no data, expected --data with two classes, such as adult, reuters or mnist: training file, then test file")
	}
	y, err := s.targets(opt)
	if err != nil {
		return nil, err
	}
	train := s.train
	if train == 0 || train >= len(y) {
		train = len(y) * 2 / 3
	}
	if train < 2 || len(y)-train < 2 {
		return nil, fmt.Errorf("found %d rows, expected at least 6", len(y))
	}
	random := rand.New(rand.NewPCG(opt.Seed, 27))
	order := append(some(random, 0, train, rows), some(random, train, len(y), rows)...)
	learn := min(train, rows)
	all, err := gram.NewGram(kernel.RBF{Gamma: 1 / (2 * row.variance)}, matrix.Subset(opt.Data, order), gram.Options{Threads: opt.Threads, Cache: machineCache})
	if err != nil {
		return nil, err
	}
	gram, err := all.Part(below(learn))
	if err != nil {
		return nil, err
	}
	return &machineCourse{all: all, gram: gram, y: take(y, order), lambda: 1 / (row.c * float64(learn)), bias: bias, response: make([]float64, len(order))}, nil
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

// learn is the number of rows that are learned from.
func (c *machineCourse) learn() int { return c.gram.Len() }

// machine is the problem with lambda.
func (c *machineCourse) machine() (*problem.Kernel, error) {
	return problem.NewKernel(c.gram, c.y[:c.learn()], nil, loss.Hinge{}, c.lambda, c.bias)
}

// slack is the problem with nu.
func (c *machineCourse) slack(nu float64) (*problem.Slack, error) {
	return problem.NewSlack(c.gram, c.y[:c.learn()], nu, c.bias)
}

// optimum solves the problem with lambda to a gap.
func (c *machineCourse) optimum(ctx context.Context, gap float64) (*solver.Solution, *problem.Kernel, error) {
	p, err := c.machine()
	if err != nil {
		return nil, nil, err
	}
	s, err := solve(ctx, dual.Working{}, p, solver.Options{Gap: gap})
	return s, p, err
}

// slackAt solves the problem with lambda, and returns that with the nu of its optimum.
func (c *machineCourse) slackAt(ctx context.Context, gap float64) (*solver.Solution, *problem.Kernel, *problem.Slack, float64, error) {
	best, machine, err := c.optimum(ctx, gap)
	if err != nil {
		return nil, nil, nil, 0, err
	}
	mean, norm := c.shape(best.Point.W)
	slack, err := c.slack(mean / norm)
	if err != nil {
		return nil, nil, nil, 0, fmt.Errorf("the loss of the optimum: %w", err)
	}
	return best, machine, slack, mean / norm, nil
}

// shape returns the mean hinge loss and the norm of a predictor on the rows learned from.
func (c *machineCourse) shape(w []float64) (mean, norm float64) {
	n := c.learn()
	c.predict(w)
	squared := 0.0
	for i, r := range c.response[:n] {
		mean += max(0, 1-c.y[i]*r) / float64(n)
		squared += w[i] * (r - w[n])
	}
	return mean, math.Sqrt(max(0, squared))
}

// predict computes the predictions on all rows, of n coefficients and the bias.
func (c *machineCourse) predict(w []float64) {
	n := c.learn()
	rows, beta := support(w[:n])
	for i := range c.response {
		c.response[i] = w[n]
	}
	c.all.Update(c.response, rows, beta)
}

// support returns the rows whose coefficients are not 0, and these.
func support(w []float64) (rows []int, beta []float64) {
	for i, v := range w {
		if v != 0 {
			rows, beta = append(rows, i), append(beta, v)
		}
	}
	return rows, beta
}

// below returns the numbers below n.
func below(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// atMost counts at how many places a is at most b, of those where both are numbers, and how far it is above at most.
func atMost(a, b []float64) (count, of int, worst float64) {
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

// errorOf is the percentage of the test rows that a predictor has wrong; 0 is wrong.
func (c *machineCourse) errorOf(w []float64) float64 {
	c.predict(w)
	return c.wrong(c.response)
}

// wrong is the percentage of the test rows that predictions have wrong.
func (c *machineCourse) wrong(response []float64) float64 {
	count, n := 0, c.learn()
	for i := n; i < len(c.y); i++ {
		if response[i]*c.y[i] <= 0 {
			count++
		}
	}
	return 100 * float64(count) / float64(len(c.y)-n)
}

// A watched run is a solver's error on the test rows at some numbers of kernel values.
type watchedRun struct {
	x, y []float64 // values asked for, percentage wrong
	end  float64   // values asked for until the run ended
}

// watch runs a solver, and judges its point whenever the next of the given numbers of kernel
// values has been asked for. A run ends before the last of them if the solver estimates that
// its relative gap is at most the goal; its error is then that of the end. Solvers ask for
// their limit between two steps, where their point is whole.
func (c *machineCourse) watch(ctx context.Context, s solver.Solver, p problem.Problem, seed uint64, at []float64, goal float64) (watchedRun, error) {
	if err := s.Accepts(p); err != nil {
		return watchedRun{}, err
	}
	var run watchedRun
	var state solver.State
	began, judging := c.gram.Counts().Requested, int64(0)
	spent := func() float64 { return float64(c.gram.Counts().Requested - began - judging) }
	look := func() bool {
		if state == nil || len(run.x) == len(at) {
			return ctx.Err() != nil || len(run.x) == len(at)
		}
		if x := spent(); x >= at[len(run.x)] {
			before := c.gram.Counts().Requested
			wrong := c.errorOf(state.Point().W)
			judging += c.gram.Counts().Requested - before
			for len(run.x) < len(at) && x >= at[len(run.x)] {
				run.x, run.y = append(run.x, at[len(run.x)]), append(run.y, wrong)
			}
		}
		return ctx.Err() != nil || len(run.x) == len(at)
	}
	state = s.Start(p, solver.Start{Seed: seed, Over: look, Gap: 1e-9})
	for last := -1.0; !look() && spent() != last; {
		last = spent()
		state.Epoch()
		if reporter, ok := state.(solver.Reporter); ok && reporter.Report().Gap <= goal {
			break
		}
	}
	run.end = spent()
	if err := ctx.Err(); err != nil {
		return run, err
	}
	if len(run.x) < len(at) { // converged: the error stays what it is
		wrong := c.errorOf(state.Point().W)
		for _, x := range at[len(run.x):] {
			run.x, run.y = append(run.x, x), append(run.y, wrong)
		}
	}
	return run, nil
}

// grid are numbers of kernel values from a share of an epoch to some epochs, in equal ratios.
func (c *machineCourse) grid(from, to float64, points int) []float64 {
	epoch := float64(c.learn()) * float64(c.learn())
	at := make([]float64, points)
	for k := range at {
		at[k] = epoch * from * math.Pow(to/from, float64(k)/float64(points-1))
	}
	return at
}

// fresh is the matrix of the rows learned from, of which no row is kept yet.
func (c *machineCourse) fresh(opt Options) (*gram.Gram, error) {
	return gram.NewGram(c.gram.Kernel, c.gram.X, gram.Options{Threads: opt.Threads, Cache: machineCache})
}

// solve is solver.Run, of which the end of ctx is an error.
func solve(ctx context.Context, s solver.Solver, p problem.Problem, opt solver.Options) (*solver.Solution, error) {
	solution, err := solver.Run(ctx, s, p, opt)
	if err == nil {
		err = ctx.Err()
	}
	return solution, err
}

// take returns some of the numbers.
func take(y []float64, rows []int) []float64 {
	some := make([]float64, len(rows))
	for k, i := range rows {
		some[k] = y[i]
	}
	return some
}

// hingeMachine is the problem of the hinge with a kernel and C.
func hingeMachine(k kernel.Kernel, x matrix.Matrix, y []float64, c float64, bias problem.Bias, threads int) (*problem.Kernel, error) {
	return kernelMachine(k, x, y, loss.Hinge{}, 1/(c*float64(len(y))), bias, threads)
}

// kernelMachine is the problem of a loss with a kernel and lambda.
func kernelMachine(k kernel.Kernel, x matrix.Matrix, y []float64, l loss.Loss, lambda float64, bias problem.Bias, threads int) (*problem.Kernel, error) {
	gram, err := gram.NewGram(k, x, gram.Options{Threads: threads})
	if err != nil {
		return nil, err
	}
	return problem.NewKernel(gram, y, nil, l, lambda, bias)
}
