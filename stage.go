package fenchel

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Stage is rows with their kernel, for many problems on parts of them, such as the folds of
// a cross-validation: package tune puts these together. Where the features are the same for
// all parts, because nothing is fitted to them, and the matrix of the kernel fits into
// [Spec].Cache, it is computed once for all parts, values of C and losses.
type Stage struct {
	set  *data.Set
	spec Spec // fields that features depend on: kernel, map, scaling, seed, cache
	gram *gram.Gram

	scaled bool // the kernel depends on the rows of a part, by GammaScale
}

// NewStage prepares the rows of a set for problems that share the kernel, the map, the scaling and the
// seed of this spec. Its other fields are not used: every fit has a spec of its own.
func NewStage(ctx context.Context, set *data.Set, spec Spec) (*Stage, error) {
	return newStage(ctx, set, spec, nil)
}

// Renew is NewStage of the same rows for another kernel, in the memory of s, which is not to be
// used any more.
func (s *Stage) Renew(ctx context.Context, spec Spec) (*Stage, error) {
	return newStage(ctx, s.set, spec, s.gram)
}

func newStage(ctx context.Context, set *data.Set, spec Spec, memory *gram.Gram) (*Stage, error) {
	if err := pose.CheckSet(set); err != nil {
		return nil, err
	}
	if err := spec.Check(); err != nil {
		return nil, err
	}
	asked := spec.Kernel
	spec.complete(set)
	s := &Stage{set: set.Single(), spec: spec}
	if s.scaled = strings.Contains(asked, pose.GammaScale); s.scaled {
		s.spec.Kernel = asked // each part has its own
	}
	if !s.sharesKernel() {
		if isPrecomputed(spec.Kernel) {
			return nil, fmt.Errorf("kernel %s of %d rows: expected a cache of at least %d bytes, as folds take their values from the whole matrix", spec.Kernel, set.Rows(), 5*gram.TableBytes(set.Rows())/4)
		}
		return s, nil
	}
	return s, s.fill(ctx, memory)
}

// sharesKernel reports whether one matrix serves all parts.
func (s *Stage) sharesKernel() bool {
	return s.spec.IsMachine() && s.spec.Scaling == "none" && s.set.Gaps == nil && !s.scaled && gram.TableFits(s.set.Rows(), s.spec.Cache)
}

// isPrecomputed reports whether a kernel takes its values from the rows.
func isPrecomputed(spec string) bool {
	k, err := kernel.New(spec)
	_, ok := k.(kernel.Precomputed)
	return err == nil && ok
}

// fill computes the matrix of all rows.
func (s *Stage) fill(ctx context.Context, memory *gram.Gram) error {
	k, err := s.spec.kernel(s.set.Cols())
	if err != nil {
		return err
	}
	f, err := pose.NewMachineFamily(k, s.set.X, gram.Options{Cache: s.spec.Cache, Threads: s.spec.Threads})
	if err != nil {
		return err
	}
	s.gram = f.Gram
	return fillTable(ctx, f.Gram, func() { f.Gram.Fill(memory) })
}

// fillTable has fill compute the whole matrix, unless ctx ends before.
func fillTable(ctx context.Context, g *gram.Gram, fill func()) error {
	defer g.StopWhen(nil)
	g.StopWhen(func() bool { return ctx.Err() != nil })
	if fill(); g.Cut() {
		return ctx.Err()
	}
	return nil
}

// Fitted names what features of the stage are fitted to the rows.
func (s *Stage) Fitted() (list []string) {
	if s.spec.Scaling != "none" {
		list = append(list, "the scaling "+s.spec.Scaling)
	}
	if s.set.Gaps != nil {
		list = append(list, "the means for missing numbers")
	}
	if s.set.Schema.Table() && slices.ContainsFunc(s.set.Schema.Columns, func(c data.Column) bool { return c.Category != nil && c.Text == nil }) {
		list = append(list, "the set of categories")
	}
	if s.set.Schema.Table() && slices.ContainsFunc(s.set.Schema.Columns, func(c data.Column) bool { return c.Text != nil && c.Text.Bits == 0 }) {
		list = append(list, "the terms of texts, with their weights")
	}
	if s.scaled {
		list = append(list, pose.GammaScale)
	}
	if s.spec.Map != "" {
		list = append(list, "the map "+s.spec.Map)
	}
	return list
}

// Shares reports whether the parts take the values of the kernel from one matrix.
func (s *Stage) Shares() bool { return s.gram != nil }

// Counts returns how many values of the kernel were computed for that matrix.
func (s *Stage) Counts() (c gram.Counts) {
	if s.gram != nil {
		c = s.gram.Counts()
	}
	return c
}

// Part is rows of a stage to learn from and others to be judged on. Its fits use it one after
// another.
type Part struct {
	stage      *Stage
	learn      []int
	judge      []int
	set        *data.Set // rows to learn from
	held       *data.Set // rows to be judged on
	changed    []int     // rows of held of which the stage has other features
	threads    int
	cache      int64
	fits       int
	concurrent bool
	foreign    bool // held is no part of the stage's rows

	scaling  *data.Scaling
	features matrix.Matrix
	mapped   featuremap.Map
	kernel   kernel.Kernel
	family   pose.Family // nil: not made yet
	ready    bool        // the fields above are set
}

// Resources bounds what the fits of a part may use.
type Resources struct {
	Threads    int   // cores at most; 0: all
	Cache      int64 // bytes of kernel values, at least what is needed; 0: kernel.DefaultCache
	Fits       int   // about how many fits are to come
	Concurrent bool  // other parts are fitted at the same time: a fit takes the cores that are free, and waits for no others
}

// Part takes the rows with these numbers, from 0, as [data.Set.Apart] does. Nothing is computed
// before the first fit.
func (s *Stage) Part(learn, judge []int, use Resources) (p *Part, err error) {
	p = &Part{stage: s, learn: learn, judge: judge, threads: use.Threads, cache: use.Cache, fits: use.Fits, concurrent: use.Concurrent, set: s.set}
	if len(learn) == s.set.Rows() {
		p.held, err = s.set.Subset(judge)
	} else {
		p.set, p.held, p.changed, err = s.set.Apart(learn, judge)
	}
	return p, err
}

// Held returns the rows to be judged on, as a model of the part takes them.
func (p *Part) Held() *data.Set { return p.held }

// Rows returns how many rows the part has to learn from, and to be judged on.
func (p *Part) Rows() (learn, judge int) { return p.set.Rows(), p.held.Rows() }

// fill computes the matrix of the part, if many fits use it and it fits into so many bytes.
func (p *Part) fill(ctx context.Context, cache int64) error {
	f, machine := p.family.(pose.MachineFamily)
	if !machine || p.fits < 3 || !gram.TableFits(p.set.Rows(), cache) {
		return nil
	}
	return fillTable(ctx, f.Gram, func() { f.Gram.Fill(nil) })
}

// rows makes the family of the problems of a job, once.
func (p *Part) rows(ctx context.Context, j *job, opt gram.Options) (pose.Family, error) {
	if p.family != nil {
		return p.family, nil
	}
	var err error
	if p.stage.gram == nil || j.kernel == nil {
		if p.cache > 0 {
			opt.Cache = max(p.cache, gram.LeastCache(p.set.Rows()))
		}
		if p.family, err = pose.NewFamily(j.kernel, j.features, opt); err != nil {
			return nil, err
		}
		return p.family, p.fill(ctx, opt.Cache)
	}
	gram, err := p.stage.gram.View(p.learn, p.cache, p.threads)
	if err != nil {
		return nil, err
	}
	p.family = pose.MachineFamily{Gram: gram}
	return p.family, nil
}

// scores returns the scores of the rows to be judged on, rows x outputs.
func (p *Part) scores(m *model.Model) ([][]float64, error) {
	direct := func(x matrix.Matrix) ([][]float64, error) {
		x, err := m.Prepare(x)
		if err != nil {
			return nil, pose.DataError{Reason: err.Error()}
		}
		return model.Scores(m, x, p.threads), nil
	}
	if p.stage.gram == nil || m.Support == nil || p.foreign {
		return direct(p.held.X)
	}
	others, err := direct(matrix.Gather(p.held.X, p.changed)) // of which the matrix has other values
	if err != nil {
		return nil, err
	}
	columns := make([]int, len(m.Support.Index))
	for v, i := range m.Support.Index {
		columns[v] = p.learn[i]
	}
	n, k := len(p.judge), len(m.Outputs)
	scores, all, one := make([][]float64, n), make([]float64, n*k), make([]float64, n)
	for c, o := range m.Outputs {
		p.stage.gram.Sum(one, p.judge, columns, o.Weights)
		for i, x := range one {
			all[i*k+c] = x + o.Bias
		}
	}
	for i := range scores {
		scores[i] = all[i*k : (i+1)*k : (i+1)*k]
	}
	for k, i := range p.changed {
		scores[i] = others[k]
	}
	return scores, nil
}

// Against is Part for rows to be judged on that are none of the stage's, but have its features.
func (s *Stage) Against(learn []int, held *data.Set, use Resources) (*Part, error) {
	p, err := s.Part(learn, nil, use)
	if err == nil {
		p.held, p.foreign = held, true
	}
	return p, err
}

// Fitted is the solution of a problem on the rows of a part, with its certificate.
type Fitted struct {
	Model   *model.Model  // predicts rows as the set has them; holds no digest and is not to be written
	Status  solver.Status // the worst of all outputs
	Summary Summary
	Lambda  float64
	C       float64
	Epochs  int
	Seconds float64 // seconds that the fit took
	Warmed  bool    // it was given another solution to begin at

	Judged []calibration.Margin // the rows to be judged on, after JudgeMargins

	part    *Part
	margins []float64 // see Result.Margins
	moved   bool      // from other rows
	lambda  float64
	points  []problem.Point // point of each output, over all rows of the part
	classes []string
}

// begin returns where the run of output c begins, of a problem with lambda, and how many times as
// large C is as it was for f.
func (f *Fitted) begin(c int, p pose.Objective, lambda float64) (*problem.Point, float64) {
	if f == nil {
		return nil, 0
	}
	from := f.points[c]
	if len(from.W) != p.Size() || from.A == nil {
		return nil, 0
	}
	point, growth := problem.Point{W: from.W, A: from.A}, f.lambda/lambda
	point = p.Restrict(point)
	return &point, growth
}
