package reduce

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/problem"
)

// Auto tries what costs no more than a refit: Random, Descent (aggressive) and Greedy on a sample of
// the rows. It keeps the choice of the lowest refit objective. The first one that is proved as good
// as any vectors, within the gap of the refit, is enough; of one whose lower bound at half of the vectors
// is above what another one reaches there no more is computed.
//
// Where no number of vectors is asked for, or no refit follows, it is Descent, aggressive: the
// others have no accuracy to end at, and coefficients for another loss.
type Auto struct{}

func init() {
	register("auto", "random, aggressive, and greedy on a sample: the lowest refit objective; without a number of vectors aggressive", func(p *registry.Params) (Method, error) { return Auto{}, p.Err() })
}

// Tried is a choice that Auto compared with others.
type Tried struct {
	Method  string
	Vectors int
	Refit   problem.Certificate // sums over outputs; of fewer vectors, or to a coarse gap, where that told enough; NaN: there was none
	Kept    bool

	grow   func(ctx context.Context, vectors int, seen *[]func() error) (*Choice, error)
	choice *Choice
	whole  bool // all of its vectors are fitted, to the gap
	gap    float64
	most   int            // vectors at most
	seen   []func() error // what a path shows
}

// coarse is the relative gap at which a choice is compared first.
const coarse = 0.05

// unhalved is the number of vectors up to which choices are compared by all of their vectors: fits are
// cheap, and what is better with half of them need not be so with all.
const unhalved = 128

// Choose implements Method.
func (Auto) Choose(ctx context.Context, t *Target, opt Options) (*Choice, error) {
	if opt.Support == 0 || opt.Refit == 0 || t.Risks == nil {
		return t.aggressive(ctx, opt)
	}
	if err := t.check(opt); err != nil {
		return nil, err
	}
	tried := []*Tried{
		{Method: "random", grow: func(context.Context, int, *[]func() error) (*Choice, error) { return t.random(opt), nil }},
		{Method: "aggressive", grow: func(ctx context.Context, _ int, seen *[]func() error) (*Choice, error) {
			return Descent{Aggressive: true}.Choose(ctx, t, opt.recording(seen))
		}},
		{Method: "greedy", grow: t.growSampled(opt)},
	}
	half := opt.Support
	if half > unhalved {
		half = (half + 1) / 2
	}
	least := math.Inf(1)
	for _, a := range tried {
		a.most = opt.Support
		if err := a.fit(ctx, t, half, coarse); err != nil {
			return nil, err
		}
		least = min(least, a.Refit.Primal)
		if t.best(a.Refit.Dual, opt.Refit) { // it may be as good as all rows
			if err := a.fit(ctx, t, opt.Support, opt.Refit); err != nil {
				return nil, err
			}
			if t.best(a.Refit.Primal, opt.Refit) {
				return t.keep(opt, tried)
			}
		}
	}
	for _, a := range tried {
		if !a.whole && a.Refit.Dual <= least {
			if err := a.fit(ctx, t, opt.Support, coarse); err != nil {
				return nil, err
			}
		}
	}
	for low := lowest(tried, opt.Refit); ; low = lowest(tried, opt.Refit) { // finer, as long as another one may be lower
		if low.gap == opt.Refit {
			return t.keep(opt, tried)
		}
		if err := low.fit(ctx, t, opt.Support, opt.Refit); err != nil {
			return nil, err
		}
	}
}

// aggressive is the only method where there is nothing to compare by.
func (t *Target) aggressive(ctx context.Context, opt Options) (*Choice, error) {
	c, err := Descent{Aggressive: true}.Choose(ctx, t, opt)
	if err == nil {
		c.Tried = []Tried{{Method: "aggressive", Vectors: c.Len(), Refit: problem.Certificate{Primal: math.NaN(), Dual: math.NaN()}, Kept: true}}
	}
	return c, err
}

// lowest returns that of all vectors whose objective is lowest, or may be: by its lower bound as long as
// it is not fitted to the gap. The first of equals.
func lowest(tried []*Tried, gap float64) (low *Tried) {
	least := math.Inf(1)
	for _, a := range tried {
		value := a.Refit.Dual
		if a.gap == gap {
			value = a.Refit.Primal
		}
		if a.whole && value < least {
			low, least = a, value
		}
	}
	return low
}

// best reports whether an objective is within a relative gap of the best possible of any vectors.
func (t *Target) best(objective, gap float64) bool {
	return objective-t.Below <= gap*math.Abs(objective)
}

// fit chooses at most so many vectors, the first ones of more, and fits them to a gap.
func (a *Tried) fit(ctx context.Context, t *Target, vectors int, gap float64) (err error) {
	if a.choice == nil || !a.whole && a.choice.Len() < vectors {
		if a.choice, err = a.grow(ctx, vectors, &a.seen); err != nil {
			return err
		}
	}
	c := a.choice
	if a.whole = c.Len() < vectors || vectors == a.most; c.Len() > vectors {
		half := *c
		half.Rows, half.Coefficients, half.Bias = c.Rows[:vectors], make([][]float64, len(c.Bias)), slices.Clone(c.Bias)
		c = &half
	}
	c.Fitted, err = c.again(ctx, t.Gram.Kernel, t.rows(), t.Risks, gap, t.Gram.Threads())
	a.Vectors, a.Refit, a.gap = c.Len(), Sum(c.Fitted), gap
	return err
}

// keep keeps the lowest, and shows those on the way to it.
func (t *Target) keep(opt Options, tried []*Tried) (*Choice, error) {
	low := lowest(tried, opt.Refit)
	best := low.choice
	for _, a := range tried {
		if a.choice != nil {
			best.Tried = append(best.Tried, Tried{Method: a.Method, Vectors: a.Vectors, Refit: a.Refit, Kept: a == low})
		}
	}
	for _, show := range low.seen {
		if err := show(); err != nil {
			return nil, err
		}
	}
	return t.finish(best, opt)
}

// recording has what a path shows kept in a list until it is known whether it is shown.
func (opt Options) recording(list *[]func() error) Options {
	if visit := opt.Visit; visit != nil {
		opt.Visit = func(c *Choice, v *View) error {
			kept := *c
			kept.Coefficients, kept.Bias = make([][]float64, len(c.Coefficients)), slices.Clone(c.Bias)
			for o, v := range c.Coefficients {
				kept.Coefficients[o] = slices.Clone(v)
			}
			*list = append(*list, func() error { return visit(&kept, v) })
			return nil
		}
	}
	return opt
}

// Sum adds up certificates of several outputs.
func Sum(all []problem.Certificate) (sum problem.Certificate) {
	for _, c := range all {
		sum.Primal, sum.Dual, sum.Zero = sum.Primal+c.Primal, sum.Dual+c.Dual, sum.Zero+c.Zero
	}
	return sum
}

// growSampled is Greedy on a sample of the rows, without the last coefficients. Of more vectors it
// goes on.
func (t *Target) growSampled(opt Options) func(ctx context.Context, vectors int, seen *[]func() error) (*Choice, error) {
	rows, g := t.sample(opt), (*growing)(nil)
	whole := func(c *Choice) *Choice {
		all := *c
		all.Rows, all.gram, all.span, all.points = make([]int, c.Len()), t.Gram, span{}, nil
		all.Coefficients, all.Bias = slices.Clone(c.Coefficients), slices.Clone(c.Bias)
		for k, i := range c.Rows {
			all.Rows[k] = rows[i]
		}
		return &all
	}
	return func(ctx context.Context, vectors int, seen *[]func() error) (*Choice, error) {
		if g == nil {
			small, err := t.only(rows)
			if err != nil {
				return nil, err
			}
			visit := opt.recording(seen).Visit
			if visit != nil {
				visit = func(c *Choice, _ *View) error {
					_, err := t.finish(whole(c), opt.recording(seen))
					return err
				}
			}
			g = newGrowing(small, opt, 59, 1, coarse, visit)
		}
		g.support = vectors
		if err := g.grow(ctx); err != nil {
			return nil, err
		}
		return whole(g.choice), nil
	}
}

// sample returns some of the rows to choose from, in order: four for each vector, and of each side of an
// output some, where there are.
func (t *Target) sample(opt Options) []int {
	const least, some = 6144, 16
	order := rand.New(rand.NewPCG(opt.Seed, 4)).Perm(t.Rows)
	count := max(least, 8*opt.Support)
	if count >= t.Rows {
		return firsts(t.Rows)
	}
	rows := order[:count:count]
	for _, r := range t.Risks {
		var sides [2]int
		for at, i := range order {
			k, found := r.find(i)
			if !found {
				continue
			}
			side := 0
			if r.Y[k] > 0 {
				side = 1
			}
			if sides[side]++; at >= count && sides[side] <= some {
				rows = append(rows, i)
			}
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// find returns where a row is among those of the problem.
func (r Risk) find(i int) (k int, found bool) {
	if r.Rows == nil {
		return i, true
	}
	return slices.BinarySearch(r.Rows, uint32(i))
}

// only is the target of some of the rows, in order.
func (t *Target) only(rows []int) (*Target, error) {
	gram, err := t.Gram.Part(rows)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	small := &Target{Gram: gram, Rows: len(rows), Support: t.Support, Coefficients: t.Coefficients}
	for _, o := range t.Outputs {
		small.Outputs = append(small.Outputs, Output{Band: Band{some(o.Lo, rows), some(o.Hi, rows)}, Bias: o.Bias})
	}
	for _, r := range t.Risks {
		part := r
		part.Y, part.Weight, part.Rows = nil, nil, nil
		for at, i := range rows {
			k, found := r.find(i)
			if !found {
				continue
			}
			part.Y = append(part.Y, r.Y[k])
			if r.Weight != nil {
				part.Weight = append(part.Weight, r.Weight[k])
			}
			if r.Rows != nil {
				part.Rows = append(part.Rows, uint32(at))
			}
		}
		small.Risks = append(small.Risks, part)
	}
	return small, nil
}

func some(all []float64, rows []int) (part []float64) {
	for _, i := range rows {
		part = append(part, all[i])
	}
	return part
}
