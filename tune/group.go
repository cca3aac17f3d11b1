package tune

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A group is the candidates with one kernel, map and scaling: they share a stage.
type group struct {
	*run
	members []int // numbers of candidates, so that each may begin at the one before
	folds   []Fold
	stage   *fenchel.Stage
	parts   []*fenchel.Part // rows of each fold, while it is in use
	last    []*fenchel.Fitted
	first   []*fenchel.Fitted // fit of the first fold, for each member that begins a chain
	use     fenchel.Resources
}

// key is what the candidates of a group have in common.
func key(spec fenchel.Spec) [3]string { return [3]string{spec.Kernel, spec.Map, spec.Scaling} }

// groups puts candidates together, in the order in which their first ones come. Those that
// differ in C alone come one after another, from small to large.
func (r *run) groups(members []int, folds []Fold) []*group {
	var all []*group
	for _, m := range members {
		c := r.result.Candidates[m]
		at := slices.IndexFunc(all, func(g *group) bool {
			return key(r.result.Candidates[g.members[0]].Spec) == key(c.Spec)
		})
		if at < 0 {
			at = len(all)
			all = append(all, &group{run: r, folds: folds})
		}
		all[at].members = append(all[at].members, m)
	}
	for _, g := range all {
		chains := map[string]int{}
		for _, m := range g.members {
			if name := r.chain(m); chains[name] == 0 {
				chains[name] = len(chains) + 1
			}
		}
		slices.SortStableFunc(g.members, func(a, b int) int {
			return cmp.Or(cmp.Compare(chains[r.chain(a)], chains[r.chain(b)]), cmp.Compare(r.strength(a), r.strength(b)))
		})
	}
	return all
}

// chain is the settings of a candidate but for C and lambda.
func (r *run) chain(m int) string {
	c := r.result.Candidates[m].Candidate
	c.Settings = slices.DeleteFunc(slices.Clone(c.Settings), func(s Setting) bool { return s.Key == "C" || s.Key == "lambda" })
	return c.String()
}

// strength orders candidates by how hard they fit the rows.
func (r *run) strength(m int) float64 {
	spec := r.result.Candidates[m].Spec
	if spec.Lambda != 0 {
		return -math.Log(spec.Lambda)
	}
	return math.Log(cmp.Or(spec.C, 1))
}

// solve solves the problems of the group: each fold in a sequence of its own, some at once.
func (g *group) solve() error {
	spec := g.result.Candidates[g.members[0]].Spec
	spec.Threads = g.spec.Train.Threads
	var err error
	if g.stage, err = g.newStage(spec); err != nil {
		if g.ctx.Err() != nil {
			return nil
		}
		return err
	}
	if g.spec.Estimate != "" {
		g.leftOut(g.stage)
	}
	cores := parallel.Cores(g.spec.Train.Threads)
	workers := min(cores, len(g.folds))
	wide := g.wide(spec)
	alive := workers
	if wide {
		alive = len(g.folds)
	}
	g.use = fenchel.Resources{Threads: max(1, cores/workers), Fits: len(g.members), Cache: g.cacheEach(spec, alive), Concurrent: wide && len(g.folds) > 1}
	g.parts, g.last, g.first = make([]*fenchel.Part, len(g.folds)), make([]*fenchel.Fitted, len(g.folds)), make([]*fenchel.Fitted, len(g.members))
	work(g.ctx, workers, g.tasks(wide))
	g.result.Computed += g.stage.Counts().Computed
	g.parts, g.last, g.first = nil, nil, nil
	if g.stage.Shares() {
		g.result.Shared = "kernel values of all folds and values of C, computed once for each kernel"
	}
	return nil
}

// newStage makes the stage, in the memory of that of the group before.
func (g *group) newStage(spec fenchel.Spec) (stage *fenchel.Stage, err error) {
	if g.run.stage == nil {
		stage, err = fenchel.NewStage(g.ctx, g.set, spec)
	} else {
		stage, err = g.run.stage.Renew(g.ctx, spec)
	}
	g.run.stage = stage
	return stage, err
}

// wide reports whether all folds are worked on side by side, so that candidates are done one
// after another: linear ones whose rows fit into memory several times. Else the folds are
// done one after another.
func (g *group) wide(spec fenchel.Spec) bool {
	if spec.IsMachine() {
		return false
	}
	return 8*matrix.Nonzeros(g.set.X)*int64(len(g.folds)) <= gram.DefaultCache
}

// cacheEach is how many bytes of kernel values each of so many parts may keep.
func (g *group) cacheEach(spec fenchel.Spec, alive int) int64 {
	if !spec.IsMachine() {
		return 0
	}
	limit := cmp.Or(spec.Cache, gram.DefaultCache)
	if g.stage.Shares() {
		limit -= gram.TableBytes(g.set.Rows())
	}
	return max(1, limit/int64(alive))
}

// tasks are the problems of the group in the order in which they are begun.
func (g *group) tasks(wide bool) []task {
	type place struct{ member, fold int }
	var order []place
	outer, inner := len(g.folds), len(g.members)
	if wide {
		outer, inner = inner, outer
	}
	for a := range outer {
		for b := range inner {
			if wide {
				order = append(order, place{a, b})
			} else {
				order = append(order, place{b, a})
			}
		}
	}
	number := map[place]int{}
	tasks := make([]task, len(order))
	for k, at := range order {
		number[at] = k
		t := task{do: func() { g.fit(at.member, at.fold) }}
		if at.member > 0 {
			t.after = append(t.after, number[place{at.member - 1, at.fold}])
		}
		if at.fold > 0 && g.begins(at.member) {
			t.after = append(t.after, number[place{at.member, 0}])
		}
		tasks[k] = t
	}
	return tasks
}

// begins reports whether the member is the first of its chain.
func (g *group) begins(member int) bool {
	return member == 0 || g.chain(g.members[member]) != g.chain(g.members[member-1])
}

// fit solves the problem of a member on a fold, and judges the solution.
func (g *group) fit(member, fold int) {
	m := g.members[member]
	trial := &g.result.Candidates[m]
	from := g.last[fold]
	if g.begins(member) {
		from = g.first[member] // nil for the first fold
	}
	fitted, value, err := g.judge(trial, fold, from)
	if g.last[fold] = fitted; fold == 0 && g.begins(member) {
		g.first[member] = fitted
	}
	if member == len(g.members)-1 { // the rows of the fold are needed no more
		g.parts[fold], g.last[fold] = nil, nil
	}
	if g.ctx.Err() == nil {
		g.tell.note(g.run, m, fold, fitted, value, err)
	}
}

// judge fits and evaluates.
func (g *group) judge(trial *Trial, fold int, from *fenchel.Fitted) (*fenchel.Fitted, float64, error) {
	if g.parts[fold] == nil {
		part, err := g.part(fold)
		if err != nil {
			return nil, math.NaN(), err
		}
		g.parts[fold] = part
	}
	fitted, err := g.parts[fold].Fit(g.ctx, trial.Spec, from)
	if err != nil {
		return nil, math.NaN(), err
	}
	if g.run.spec.Path {
		value, err := trial.noteFit(g.ctx, fitted, g.run.spec.Estimate)
		return fitted, value, err
	}
	if g.result.Score.Name == costName { // of all folds together: see note
		return fitted, math.NaN(), fitted.JudgeMargins()
	}
	e, err := fitted.Evaluate()
	if err != nil {
		return nil, math.NaN(), err
	}
	return fitted, g.result.Score.value(e), nil
}

// part makes the rows of a fold.
func (g *group) part(fold int) (*fenchel.Part, error) {
	if g.run.spec.Held != nil {
		return g.stage.Against(g.folds[fold].Learn, g.run.spec.Held, g.use)
	}
	return g.stage.Part(g.folds[fold].Learn, g.folds[fold].Judge, g.use)
}

// teller takes down what came out, for one problem at a time.
type teller struct {
	mutex          sync.Mutex
	done, problems int
}

// note takes down the result of a problem.
func (t *teller) note(r *run, m, fold int, f *fenchel.Fitted, value float64, err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.done++
	trial := &r.result.Candidates[m]
	trial.Scores[fold] = value
	switch {
	case err != nil:
		if r.errs[m] == nil {
			r.errs[m], trial.Reason = err, err.Error()
		}
	case r.result.Score.Name == costName:
		trial.addMargins(fold, f.Judged, r.spec.Train.CostsOf(r.set.Target))
	case math.IsNaN(value):
		trial.Reason = "the score is not defined on the held-out rows of a fold"
	}
	if f != nil {
		if r.spec.Fitted != nil {
			r.spec.Fitted(m, fold, f)
		}
		trial.Seconds += f.Seconds
		trial.Gap = max(trial.Gap, f.Summary.Gap)
		trial.Status = worse(trial.Status, string(f.Status))
	}
	trial.Mean, trial.SD = moments(trial.Scores)
	if r.spec.Progress == nil {
		return
	}
	p := Progress{Done: t.done, Problems: t.problems, Latest: *trial}
	if best := r.result.top(); best >= 0 {
		p.Best, p.Score = r.result.Candidates[best].String(), r.result.Candidates[best].Mean
	}
	r.spec.Progress(p)
}

// rounds judges candidates, or with halving fewer and fewer on more and more rows.
func (r *run) rounds(members []int) error {
	shares := r.shares(len(members))
	r.tell.problems += problemsOf(len(members), shares, r.spec.Halving, len(r.folds))
	for round, share := range shares {
		folds := r.folds
		if share > 1 {
			folds = sampled(r.folds, r.set, r.task, share, r.spec.Folds.Seed)
		}
		for _, g := range r.groups(members, folds) {
			err := g.solve()
			if g.stage = nil; err != nil {
				return err
			}
		}
		if r.ctx.Err() != nil {
			break
		}
		if round < len(shares)-1 {
			members = r.keep(members, folds)
		}
	}
	return nil
}

// worse is the worse of two ends, of which the first may be "".
func worse(a, b string) string {
	if a == "" {
		return b
	}
	return string(pose.Worst([]string{a, b}))
}
