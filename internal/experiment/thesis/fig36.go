package thesis

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/reduce"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Figure 3.6 of Cotter's thesis: the error on new rows against the number of support vectors,
// of ways to make a kernel machine sparse. Some rows are learned from, as many
// others are split in halves, at random and many times: for each number of vectors the
// parameters of a method are chosen on one half, and its error is that on the other. Kernel
// exp(-gamma |x-x'|^2): the caption lacks the square (E17).
type fig36 struct {
	set  string
	rows int
	only string
}

func init() {
	experiment.Register("thesis-fig3.6", "Cotter's thesis, figure 3.6", "error against the number of support vectors, ways to make a kernel machine sparse; a panel for each set; set=all|reuters|adult|mnist|ijcnn1|web|covtype|other, rows=4000 at most to learn from, method=all",
		func(p *registry.Params) (experiment.Experiment, error) {
			return fig36{p.Choice("set", experiment.SetNames...), p.Int("rows", 4000, 100, 1<<30), p.Choice("method", append([]string{"all"}, fig36Names()...)...)}, p.Err()
		})
}

// A sparse method of the figure, with the parameters that are chosen among.
type fig36Method struct {
	name   string
	specs  []string
	eps    []float64 // accuracies; nil: a number of vectors decides
	refit  []float64 // accuracies at which coefficients are also fitted again at each number, by the first two specs
	path   bool      // one run goes through all numbers
	decide func(target *reduce.Target, budget int) (solver.Solver, bool)
}

func powers(base float64, from, to int) (all []float64) {
	for k := from; k <= to; k++ {
		all = append(all, math.Pow(base, float64(k)))
	}
	return all
}

// steps are specs of a method with step sizes.
func steps(name string, from, to int) (specs []string) {
	for _, eta := range powers(4, from, to) {
		specs = append(specs, fmt.Sprintf("%s:step=%g", name, eta))
	}
	return specs
}

// fig36Methods are those of the figure, in order of cost.
func fig36Methods() []fig36Method {
	return []fig36Method{
		{name: "aggressive", specs: append([]string{"aggressive", "aggressive:pool=16"}, steps("aggressive", -3, 0)...), eps: powers(2, -4, 0), path: true, refit: powers(2, -3, 0)},
		{name: "basic", specs: steps("basic", -4, 2), eps: []float64{1. / 16}, path: true},
		{name: "random", specs: []string{"random"}},
		{name: "reduced-set", specs: []string{"reduced-set"}},
		{name: "merge", specs: []string{"merge"}},
		{name: "greedy", specs: []string{"greedy"}, path: true},
		{name: "cutting-plane", specs: []string{"cutting-plane"}},
		{name: "osuna-girosi", specs: []string{"osuna-girosi"}, eps: powers(2, -7, 2)},
		{name: "zhan-shen", specs: []string{"zhan-shen", "zhan-shen:share=1"}, eps: powers(4, -3, 0)},
		{name: "rbp", decide: func(_ *reduce.Target, n int) (solver.Solver, bool) { return engine.RBP{Budget: n}, true }},
		{name: "forgetron", decide: func(_ *reduce.Target, n int) (solver.Solver, bool) {
			return engine.Forgetron{Budget: n}, true
		}},
	}
}

func fig36Names() (names []string) {
	for _, m := range fig36Methods() {
		names = append(names, m.name)
	}
	return names
}

// A candidate is what a method with its parameters found with so many vectors: which of the
// rows that are not learned from it has wrong.
type sparseCandidate struct {
	vectors int
	wrong   []bool
}

// sparseRace is the machine that all methods begin with, and what they found.
type sparseRace struct {
	opt    experiment.Options
	target *reduce.Target
	p      *problem.Kernel
	y      []float64 // of all rows
	sizes  []int     // numbers of vectors of the figure
	full   sparseCandidate
	found  map[string][]sparseCandidate
}

// Run implements Experiment.
func (f fig36) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	r := &experiment.Result{}
	if opt.Quick {
		f.rows = min(f.rows, 500)
	}
	return r, opt.OnMachines(ctx, r, f.set, []string{"adult", "ijcnn1", "web", "covtype"}, func(set experiment.MachineSet, opt experiment.Options) error {
		if err := f.panel(ctx, r, set, opt); err != nil {
			return fmt.Errorf("thesis-fig3.6, %s: %w", set.Name, err)
		}
		return nil
	})
}

// panel adds the curves of a set.
func (f fig36) panel(ctx context.Context, r *experiment.Result, set experiment.MachineSet, opt experiment.Options) error {
	race, err := f.begin(ctx, set, opt)
	if err != nil {
		return err
	}
	methods := fig36Methods()
	if f.only != "all" {
		methods = slices.DeleteFunc(methods, func(m fig36Method) bool { return m.name != f.only })
	} else if opt.Quick {
		methods = methods[:5]
	}
	progress := &experiment.Tally{Opt: opt, What: "methods", Of: len(methods)}
	for _, m := range methods {
		if err := race.run(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		progress.Step()
	}
	race.result(r, set.Name, methods)
	return nil
}

// begin trains the machine.
func (f fig36) begin(ctx context.Context, set experiment.MachineSet, opt experiment.Options) (*sparseRace, error) {
	c, err := set.Course(opt, set.Sparse, problem.Free, f.rows)
	if err != nil {
		return nil, err
	}
	r := &sparseRace{opt: opt, y: c.Y, found: map[string][]sparseCandidate{}}
	if r.p, err = c.Machine(); err != nil {
		return nil, err
	}
	solution, err := solver.Run(ctx, dual.Working{}, r.p, solver.Options{Gap: 1e-3})
	if err != nil {
		return nil, err
	}
	r.aim(c.All, solution.Point.W)
	return r, ctx.Err()
}

// aim makes the target of a trained machine.
func (r *sparseRace) aim(gram *gram.Gram, w []float64) {
	learn := len(w) - 1
	vectors, beta := experiment.Support(w[:learn])
	response := make([]float64, gram.Len())
	gram.Update(response, vectors, beta)
	for i := range response {
		response[i] += w[learn]
	}
	band := reduce.Classes(r.y[:learn], response[:learn], 1)
	for range gram.Len() - learn {
		band.Lo, band.Hi = append(band.Lo, math.Inf(-1)), append(band.Hi, math.Inf(1))
	}
	r.target = &reduce.Target{Gram: gram, Rows: learn, Support: matrix.Subset(gram.X, vectors), Coefficients: [][]float64{beta},
		Outputs: []reduce.Output{{Band: band, Response: response, Bias: w[learn]}},
		Risks:   []reduce.Risk{{Y: r.y[:learn], Loss: loss.Hinge{}, Lambda: r.p.Lambda, Bias: problem.Free}}}
	r.full = r.judge(len(vectors), response)
	most := len(vectors) / 4
	if r.opt.Quick {
		most = min(most, 60)
	}
	for n := 8.0; n < float64(most); n *= 2 {
		r.sizes = append(r.sizes, int(n))
	}
	r.sizes = append(r.sizes, max(1, len(vectors)/10), max(1, most))
	slices.Sort(r.sizes)
	r.sizes = slices.Compact(r.sizes)
}

// judge says which of the rows that are not learned from are wrong.
func (r *sparseRace) judge(vectors int, response []float64) sparseCandidate {
	learn := len(r.p.Y)
	c := sparseCandidate{vectors, make([]bool, len(r.y)-learn)}
	for i, p := range response[learn:] {
		c.wrong[i] = p*r.y[learn+i] <= 0
	}
	return c
}

// run gathers the candidates of a method.
func (r *sparseRace) run(ctx context.Context, m fig36Method) error {
	if m.decide != nil {
		return r.decide(ctx, m)
	}
	most := r.sizes[len(r.sizes)-1]
	for k, spec := range m.specs {
		method, err := reduce.New(spec)
		if err != nil {
			return err
		}
		switch {
		case m.path:
			for _, eps := range append(m.eps, 0)[:max(1, len(m.eps))] {
				if err := r.follow(ctx, m, method, reduce.Options{Support: most, Accuracy: eps, Seed: r.opt.Seed}, false); err != nil {
					return err
				}
			}
			if k > 1 {
				break
			}
			for _, eps := range m.refit {
				if err := r.follow(ctx, m, method, reduce.Options{Support: most, Accuracy: eps, Seed: r.opt.Seed}, true); err != nil {
					return err
				}
			}
		case m.eps != nil:
			for _, eps := range m.eps {
				if err := r.take(ctx, m, method, reduce.Options{Accuracy: eps, Seed: r.opt.Seed}); err != nil {
					return err
				}
			}
		default:
			for _, n := range r.sizes {
				if err := r.take(ctx, m, method, reduce.Options{Support: n, Seed: r.opt.Seed}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// take adds the candidate of one run.
func (r *sparseRace) take(ctx context.Context, m fig36Method, method reduce.Method, opt reduce.Options) error {
	opt.Visit = func(c *reduce.Choice, v *reduce.View) error {
		r.found[m.name] = append(r.found[m.name], r.judge(c.Len(), v.Response[0]))
		return nil
	}
	_, err := method.Choose(ctx, r.target, opt)
	return err
}

// follow adds the candidates along a path, at the numbers of the figure.
func (r *sparseRace) follow(ctx context.Context, m fig36Method, method reduce.Method, opt reduce.Options, refit bool) error {
	next := 0
	add := func(c *reduce.Choice, v *reduce.View) error {
		response := v.Response[0]
		if refit {
			again := *c
			again.Rows, again.Coefficients, again.Bias = slices.Clone(c.Rows), [][]float64{nil}, []float64{0}
			if _, err := again.Refit(ctx, r.target.Gram.Kernel, r.p.Gram.X, r.target.Risks, 1e-3, r.opt.Threads); err != nil {
				return err
			}
			response = again.Predictions(r.target.Gram)[0]
		}
		r.found[m.name] = append(r.found[m.name], r.judge(c.Len(), response))
		return nil
	}
	opt.Visit = func(c *reduce.Choice, v *reduce.View) error {
		if next >= len(r.sizes) || c.Len() < r.sizes[next] && c.Len()+1 < r.sizes[next] {
			return nil
		}
		for next < len(r.sizes) && c.Len()+1 >= r.sizes[next] {
			next++
		}
		return add(c, v)
	}
	_, err := method.Choose(ctx, r.target, opt)
	return err
}

// decide adds perceptrons of a bounded number of vectors, after one pass.
func (r *sparseRace) decide(ctx context.Context, m fig36Method) error {
	for _, n := range r.sizes {
		s, _ := m.decide(r.target, n)
		p, err := problem.NewKernel(r.p.Gram, r.p.Y, nil, loss.Hinge{}, r.p.Lambda, problem.None)
		if err != nil {
			return err
		}
		if err := s.Accepts(p); err != nil {
			return err
		}
		solution, err := solver.Run(ctx, s, p, solver.Options{Epochs: 1, Seed: r.opt.Seed})
		if err != nil {
			return err
		}
		rows, beta := experiment.Support(solution.Point.W[:len(p.Y)])
		response := make([]float64, r.target.Gram.Len())
		r.target.Gram.Update(response, rows, beta)
		r.found[m.name] = append(r.found[m.name], r.judge(len(rows), response))
	}
	return nil
}

// errors returns, for each number of vectors, the mean over the splits of the error of the
// candidate that the other half of the rows chooses among those of at most that number; NaN
// where there is none.
func (r *sparseRace) errors(candidates []sparseCandidate, splits int) []float64 {
	means := make([]float64, len(r.sizes))
	random := rand.New(rand.NewPCG(r.opt.Seed, 100))
	n := len(r.full.wrong)
	for range splits {
		order := random.Perm(n)
		validation, test := order[:n/2], order[n/2:]
		on := make([]float64, len(candidates))
		for k, c := range candidates {
			on[k] = percentWrong(c.wrong, validation)
		}
		for s, size := range r.sizes {
			best := -1
			for k, c := range candidates {
				if c.vectors <= size && (best < 0 || on[k] < on[best]) {
					best = k
				}
			}
			if best < 0 {
				means[s] = math.NaN()
				continue
			}
			means[s] += percentWrong(candidates[best].wrong, test) / float64(splits)
		}
	}
	return means
}

// percentWrong is the percentage of some rows that are wrong.
func percentWrong(wrong []bool, rows []int) float64 {
	count := 0
	for _, i := range rows {
		if wrong[i] {
			count++
		}
	}
	return 100 * float64(count) / float64(max(1, len(rows)))
}

// result draws the curves, and compares.
func (r *sparseRace) result(res *experiment.Result, set string, methods []fig36Method) {
	splits := r.opt.RunsOr(100, 10)
	all := experiment.Below(len(r.full.wrong))
	dense := percentWrong(r.full.wrong, all)
	res.Note("%s: %d rows learned from, %d not, %d splits of these; the machine has %d support vectors and an error of %.3f %%", set, len(r.p.Y), len(all), splits, r.full.vectors, dense)
	curves, x := map[string][]float64{}, make([]float64, len(r.sizes))
	for s, n := range r.sizes {
		x[s] = float64(n)
	}
	panel := experiment.Point{Column: set, XAxis: "support vectors" + experiment.LogAxis, YAxis: "error on new rows (%)"}
	for _, m := range methods {
		y := r.errors(r.found[m.name], splits)
		curves[m.name] = y
		panel.Curve = m.name
		var xs, ys []float64
		for s := range x {
			if y[s] == y[s] {
				xs, ys = append(xs, x[s]), append(ys, y[s])
			}
		}
		res.Curve(panel, xs, ys)
		res.Note("%s, %s: %s", set, m.name, listed(xs, ys))
	}
	panel.Curve = "all support vectors"
	res.Curve(panel, []float64{x[0], x[len(x)-1]}, []float64{dense, dense})
	r.compare(res, set, curves, dense)
}

func listed(x, y []float64) string {
	text := ""
	for s := range x {
		text += fmt.Sprintf(" %g: %.2f", x[s], y[s])
	}
	return text[min(1, len(text)):]
}

// compare checks the claims of the reference (4.7).
func (r *sparseRace) compare(res *experiment.Result, set string, curves map[string][]float64, dense float64) {
	last, tenth := len(r.sizes)-1, slices.Index(r.sizes, max(1, r.full.vectors/10))
	const ours = "aggressive"
	if y := curves[ours]; y != nil {
		res.Check("X7", set+": "+ours+": the error of all vectors with a quarter of them", "at most 0.3 points more", y[last] <= dense+0.3, "%+.2f points with %d, %+.2f with a tenth, %d", y[last]-dense, r.sizes[last], at(y, tenth)-dense, r.full.vectors/10)
		for _, other := range []string{"random", "osuna-girosi"} {
			if z := curves[other]; z != nil {
				lower, common, worst := experiment.AtMost(y, z)
				res.Check("X7", set+": "+ours+": at most the error of "+other, "at every number", lower == common, "at %d of %d, at most %.2f points above", lower, common, max(0, worst))
			}
		}
	}
	if a, b := curves["aggressive"], curves["basic"]; a != nil && b != nil {
		lower, common, _ := experiment.AtMost(a, b)
		lower += len(a) - common // where one of both has no such number, nothing speaks against it
		res.Check("X7", set+": aggressive needs no more vectors than basic for the same error", "at 80 % of the numbers", lower >= len(a)*8/10, "%d of %d", lower, len(a))
	}
}

func at(y []float64, i int) float64 {
	if i < 0 {
		return math.NaN()
	}
	return y[i]
}
