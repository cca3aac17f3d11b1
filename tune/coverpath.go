package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Answer is a model for one C that is nearly the best for others too.
type Answer struct {
	C      float64      `json:"C"`
	Lambda float64      `json:"lambda"`
	Primal float64      `json:"primal"`
	Dual   float64      `json:"dual"`
	Gap    float64      `json:"gap"`         // for that C, relative
	From   float64      `json:"best_from_C"` // of the answers this one has the smallest gap from this C
	To     float64      `json:"best_to_C"`   // to this one
	Model  *model.Model `json:"-"`
}

// Answers are models of which, for every C from the first to the last, one is within a relative gap.
type Answers struct {
	List   []Answer      `json:"answers"`                // C increasing
	Worst  float64       `json:"largest_gap"`            // the largest relative gap that the best answer has for any C of the range
	AtC    float64       `json:"largest_gap_at_C"`       // it has it there
	Grid   int           `json:"grid_at_most,omitempty"` // so many answers are sure to be enough where each C is the same factor larger than the one before; 0: not known
	Epochs int           `json:"epochs"`
	Status solver.Status `json:"status"` // converged where Worst is at most what was asked for
}

// mostAnswers is how many are looked for at most.
const mostAnswers = 100_000

// CoverPath finds answers for every C from spec.From to spec.To, to the relative gap spec.Gap, of a problem with one lambda and any
// convex loss and penalty. Between two answers, for lambda a and b, every lambda in between has
//
//	least objective >= the chord of the bounds D_a and D_b,   objective of the weights w_a: the line through P_a(w_a) and P_b(w_a),
//
// as the least objective is a minimum of lines in lambda, and so concave. The gap of the better answer is largest where the lines of the
// two meet; where it is larger than asked for, the problem there is solved too (the sandwich algorithm; Giesen, Jaggi, Laue 2012; Ndiaye et al. 2019).
func CoverPath(ctx context.Context, set *data.Set, spec PathSpec) (*Answers, error) {
	spec.Lambda, spec.C, spec.Gap = 0, spec.From, cmp.Or(spec.Gap, solver.DefaultGap)
	if spec.Radius != 0 || spec.Slack != 0 || spec.HardMargin || spec.Nu != 0 || spec.IsNetwork() {
		return nil, errors.New("answers for all C: found a problem without lambda, expected one with C")
	}
	limited := ctx
	if spec.Time > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, spec.Time)
		defer cancel()
	}
	p := &coverer{ctx: limited, spec: spec.Spec, goal: spec.Gap, out: &Answers{List: []Answer{}, Status: solver.Converged}}
	p.spec.Gap, p.spec.Time = spec.Gap/4, 0
	if err := p.begin(set); err != nil {
		return nil, err
	}
	err := p.ends(spec.From, spec.To)
	for err == nil {
		k := p.widest()
		if k < 0 {
			break
		}
		if len(p.answers) == mostAnswers {
			p.out.Status = solver.EpochLimit
			break
		}
		err = p.insert(p.between[k].lambda)
	}
	switch {
	case ctx.Err() != nil:
		p.out.Status, err = solver.Interrupted, nil
	case limited.Err() != nil:
		p.out.Status, err = solver.TimeLimit, nil
	}
	if err != nil {
		return nil, err
	}
	p.list(spec.From, spec.To)
	if p.out.Status == solver.Converged && !(p.out.Worst <= p.goal) {
		p.out.Status = solver.Stalled
	}
	return p.out, nil
}

// coverer is one run of CoverPath.
type coverer struct {
	ctx     context.Context
	spec    fenchel.Spec
	goal    float64
	part    *fenchel.Part
	n       float64 // sum of the row weights
	answers []*answer
	between []meeting // of each answer and the next
	out     *Answers
}

// answer is a solution, lambda increasing.
type answer struct {
	lambda, primal, dual float64
	fitted               *fenchel.Fitted
	posed                *pose.Case
	points               []problem.Point
}

func (a *answer) gap() float64 { return problem.Relative(a.primal, a.dual, 0) }

// meeting is where the lines of two neighbours meet, and the relative gap there.
type meeting struct {
	lambda, gap float64
	settled     bool // no answer in between would help: the two are as near as numbers are
}

// begin prepares the rows.
func (p *coverer) begin(set *data.Set) error {
	stage, err := fenchel.NewStage(p.ctx, set, p.spec)
	if err != nil {
		return err
	}
	all := make([]int, set.Rows())
	for i := range all {
		all[i] = i
	}
	p.part, err = stage.Part(all, nil, fenchel.Resources{Threads: p.spec.Threads, Cache: p.spec.Cache, Fits: 10})
	return err
}

// ends solves the problems of the first and the last C.
func (p *coverer) ends(from, to float64) error {
	first, err := p.solve(from, nil)
	if err != nil {
		return err
	}
	p.answers = []*answer{first}
	if from == to {
		return nil
	}
	last, err := p.solve(to, first)
	if err != nil {
		return err
	}
	p.answers = []*answer{last, first}
	p.between = []meeting{{}}
	return p.meet(0)
}

// solve solves the problem of one C, beginning at another solution.
func (p *coverer) solve(c float64, from *answer) (*answer, error) {
	spec := p.spec
	spec.C = c
	var begin *fenchel.Fitted
	if from != nil {
		begin = from.fitted
	}
	f, err := p.part.Fit(p.ctx, spec, begin)
	if err != nil {
		return nil, err
	}
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	a := &answer{fitted: f, primal: f.Summary.Primal, dual: f.Summary.Dual, lambda: f.Lambda}
	if a.dual-a.dual != 0 || a.dual > a.primal {
		return nil, fmt.Errorf("the problem of C=%g: found no lower bound, expected a convex loss and a kernel that is positive semidefinite", c)
	}
	if a.posed, a.points, err = f.Pose(p.ctx, spec); err != nil {
		return nil, err
	}
	p.out.Epochs += f.Epochs
	p.n = 1 / (c * a.lambda)
	return a, nil
}

// objective bounds the objective of an answer for another lambda from above, summed over the outputs.
func (a *answer) objective(lambda float64) (float64, error) {
	problems, sum := *a.posed.Problems, 0.0
	problems.Lambda = lambda
	for c, point := range a.points {
		o, err := problems.Output(c)
		if err != nil {
			return 0, err
		}
		found := o.Certify(problem.Point{W: point.W})
		sum += found.Primal + found.Rounding
		if problems.Labels.Joint {
			break
		}
	}
	return sum, nil
}

// meet finds where the gap of answer k and the next is largest.
func (p *coverer) meet(k int) error {
	a, b := p.answers[k], p.answers[k+1]
	beyond, err := a.objective(b.lambda)
	if err != nil {
		return err
	}
	before, err := b.objective(a.lambda)
	if err != nil {
		return err
	}
	// With t from 0 at a to 1 at b: a.primal + t (beyond - a.primal) = before + t (b.primal - before).
	t := (before - a.primal) / ((before - a.primal) + (beyond - b.primal))
	if !(t >= 0 && t <= 1) { // one is better everywhere, but for rounding
		t = 0.5
	}
	at := func(from, to float64) float64 { return from + t*(to-from) }
	upper, lower := min(at(a.primal, beyond), at(before, b.primal)), at(a.dual, b.dual)
	m := meeting{lambda: at(a.lambda, b.lambda), gap: max(problem.Relative(upper, lower, 0), a.gap(), b.gap())}
	m.settled = !(m.lambda > a.lambda*(1+1e-9) && m.lambda < b.lambda*(1-1e-9))
	p.between[k] = m
	return nil
}

// widest returns the place with the largest gap above the goal; -1: there is none.
func (p *coverer) widest() int {
	worst := -1
	for k, m := range p.between {
		if m.gap > p.goal && !m.settled && (worst < 0 || m.gap > p.between[worst].gap) {
			worst = k
		}
	}
	return worst
}

// insert solves the problem of that lambda.
func (p *coverer) insert(lambda float64) error {
	k, _ := slices.BinarySearchFunc(p.answers, lambda, func(a *answer, lambda float64) int { return cmp.Compare(a.lambda, lambda) })
	a, err := p.solve(1/(lambda*p.n), p.answers[k])
	if err != nil {
		return err
	}
	p.answers = slices.Insert(p.answers, k, a)
	p.between = slices.Insert(p.between, k, meeting{})
	return cmp.Or(p.meet(k-1), p.meet(k))
}

// list writes down the answers, C increasing.
func (p *coverer) list(from, to float64) {
	for k := len(p.answers) - 1; k >= 0; k-- {
		a := p.answers[k]
		one := Answer{C: a.fitted.C, Lambda: a.lambda, Primal: a.primal, Dual: a.dual, Gap: a.gap(), From: from, To: to, Model: a.fitted.Model}
		if k < len(p.between) {
			one.From = 1 / (p.between[k].lambda * p.n)
		}
		if k > 0 {
			one.To = 1 / (p.between[k-1].lambda * p.n)
		}
		p.out.List = append(p.out.List, one)
		if p.out.Worst = max(p.out.Worst, one.Gap); p.out.Worst == one.Gap {
			p.out.AtC = one.C
		}
	}
	for _, m := range p.between {
		if m.gap > p.out.Worst {
			p.out.Worst, p.out.AtC = m.gap, 1/(m.lambda*p.n)
		}
	}
	if len(p.answers) > 0 && (p.spec.IsMachine() || p.spec.Penalty == "" || p.spec.Penalty == "l2") {
		p.out.Grid = gridOf(to/from, p.goal, p.spec.Gap)
	}
}

// gridOf is how many values of C, from the first to the last by one factor f, are enough for a penalty that is half the squared norm, where each problem
// is solved to a gap: with the exact optima lambda |w| rises and |w| falls as lambda grows, so that the relative gap between neighbours
// is at most (f-1)^2 (f+1)/4 (docs/certificates.md), to which f times the gap of the solutions is added.
func gridOf(ratio, goal, solved float64) int {
	lo, hi := 1.0, 2.0
	for range 60 {
		if f := (lo + hi) / 2; (f-1)*(f-1)*(f+1)/4+f*solved <= goal {
			lo = f
		} else {
			hi = f
		}
	}
	return 1 + int(math.Ceil(math.Log(ratio)/math.Log(lo)))
}
