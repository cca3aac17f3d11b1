package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
)

// ErrorBound is a lower bound on the cross-validation error of the exact optima, for all C of a range, together with the error of the best model found.
type ErrorBound struct {
	From   float64 `json:"from_C"`
	To     float64 `json:"to_C"`
	Error  float64 `json:"error"`     // mean over the folds of the error of the best candidate
	Least  float64 `json:"least"`     // no C of the range has a smaller one
	AtC    float64 `json:"at_C"`      // where nothing more is known than Least
	Within float64 `json:"within"`    // Error - Least that was asked for
	Fits   int     `json:"solutions"` // problems that were solved, of all folds
	Grid   int     `json:"grid"`      // so many has a grid of one factor that is everywhere as fine as where these are closest
	Steps  []Step  `json:"-"`         // the lower bound, C increasing
}

// Step is a range of C with one lower bound of the error.
type Step struct{ From, To, Error float64 }

// Reached reports whether no C has an error that is lower by more than was asked for.
func (c *ErrorBound) Reached() bool { return c.Error-c.Least <= c.Within }

// BoundError searches the C of a linear model of two classes, with a lower bound on the cross-validation error for every C between the ends of the axis of the spec,
// until no C can be better than the best candidate by more than within. A solution for one C says which rows left out are surely wrong for
// others: docs/certificates.md, "Searches" (Shibagaki, Suzuki, Karasuyama, Takeuchi 2015; Okumura, Suzuki, Takeuchi 2015).
func BoundError(ctx context.Context, set *data.Set, spec Spec, within float64) (*Result, *ErrorBound, error) {
	from, to, err := rangeOf(spec.Axes)
	if err != nil {
		return nil, nil, err
	}
	spec.Train.Gap = min(cmp.Or(spec.Train.Gap, boundGap), boundGap)
	spec.Axes, spec.Score = []Axis{{Key: "C", Values: []string{spell(from)}}}, "accuracy"
	r, err := newRun(set, spec)
	if err != nil {
		return nil, nil, err
	}
	r.ctx, r.spec.Train.Task = ctx, r.task
	if spec.Budget > 0 {
		var cancel func()
		r.ctx, cancel = context.WithTimeout(ctx, spec.Budget)
		defer cancel()
	}
	if err := r.checkBoundError(); err != nil {
		return nil, nil, err
	}
	s := &errorSearch{run: r, out: &ErrorBound{From: from, To: to, Within: within}}
	if err := s.begin(); err != nil {
		return nil, nil, err
	}
	err = s.search()
	switch {
	case ctx.Err() != nil:
		r.result.Stopped, err = "interrupted", nil
	case r.ctx.Err() != nil:
		r.result.Stopped, err = "budget", nil
	}
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(r.result.Candidates, func(a, b Trial) int { return cmp.Compare(a.number("C"), b.number("C")) })
	r.result.choose()
	s.out.Grid = s.grid()
	if r.result.Best < 0 {
		return nil, nil, cmp.Or(ctx.Err(), context.DeadlineExceeded)
	}
	return r.result, s.out, r.judgeTrivial()
}

// rangeOf returns the first and the last value of the only axis.
func rangeOf(axes []Axis) (from, to float64, err error) {
	if len(axes) != 1 || axes[0].Key != "C" || len(axes[0].Values) < 2 {
		return 0, 0, errors.New("'prove': expected a range of C alone to search, such as C=1e-3..1e3")
	}
	values := axes[0].Values
	from, err1 := strconv.ParseFloat(values[0], 64)
	to, err2 := strconv.ParseFloat(values[len(values)-1], 64)
	if err1 != nil || err2 != nil || !(from > 0 && to > from) {
		return 0, 0, fmt.Errorf("'prove': found C from %s to %s, expected increasing numbers > 0", values[0], values[len(values)-1])
	}
	return from, to, nil
}

// checkBoundError refuses what no bound of the error is known of.
func (r *run) checkBoundError() error {
	s, t := r.spec, r.spec.Train
	switch {
	case r.task != "classification" || len(r.set.Target.Label) != 2:
		return errors.New("'prove': expected two classes")
	case t.IsMachine() || t.IsNetwork() || t.Penalty != "" && t.Penalty != "l2":
		return errors.New("'prove': expected a linear model with the penalty l2")
	case t.Bias == "" || t.Bias == "free":
		return errors.New("'prove': the free bias of other C is not bounded; expected 'bias=feature' or 'bias=none'")
	case s.Held != nil || t.Costs != nil || t.Threshold != nil || s.Halving > 0 || s.Path || r.leavesOne() || s.Rule != "best":
		return errors.New("'prove': found costs, a threshold, halving, another rule, or no folds, expected the accuracy on folds")
	}
	return nil
}

// errorSearch is one run of BoundError.
type errorSearch struct {
	*run
	folds []*errorFold
	out   *ErrorBound
}

// errorFold is the rows that a fold is judged on.
type errorFold struct {
	part  *fenchel.Part
	held  *data.Set
	share []float64 // what a row adds to the mean error over all folds where it is wrong
	class []int
	wrong [][]span // of each row: C for which every optimum is wrong
	fits  []*fenchel.Fitted
}

// mostFits is how many solutions of a fold are kept, for others to begin at.
const mostFits = 64

// The relative gap of the problems is so small that the optimum is within resolution of the norm of the weights: rows nearer than that to the boundary,
// relative to their length, are not sure.
const (
	boundGap   = 1e-8
	resolution = 1e-3
	leastGap   = 1e-13
)

// span is an open interval of C.
type span struct{ from, to float64 }

// begin prepares the folds.
func (s *errorSearch) begin() error {
	stage, err := fenchel.NewStage(s.ctx, s.set, s.spec.Train)
	if err != nil {
		return err
	}
	for _, fold := range s.run.folds {
		part, err := stage.Part(fold.Learn, fold.Judge, fenchel.Resources{Threads: s.spec.Train.Threads})
		if err != nil {
			return err
		}
		f := &errorFold{part: part, held: part.Held()}
		f.share = slices.Clone(pose.OrOnes(f.held.Weight, f.held.Rows()))
		all := pose.Sum(f.share) * float64(len(s.run.folds))
		for i := range f.share {
			f.share[i] /= all
		}
		f.wrong = make([][]span, len(f.share))
		s.folds = append(s.folds, f)
	}
	return nil
}

// search solves the problems of the C where the bound is least, until it is high enough.
func (s *errorSearch) search() error {
	for _, c := range []float64{s.out.From, s.out.To, shortest(s.out.From, s.out.To)} {
		if err := s.try(c); err != nil {
			return err
		}
	}
	for !s.out.Reached() && s.ctx.Err() == nil {
		c, ok := s.lowest()
		if !ok {
			return nil // rows are nearer to the boundary than the gap can tell
		}
		if err := s.try(c); err != nil {
			return err
		}
	}
	return s.ctx.Err()
}

// lowest returns the middle of the widest range of C with the least bound; false: it was tried.
func (s *errorSearch) lowest() (c float64, ok bool) {
	widest := 1.0
	for _, t := range s.out.Steps {
		if t.Error == s.out.Least && t.To/t.From > widest {
			widest, c = t.To/t.From, shortest(t.From, t.To)
		}
	}
	return c, widest > 1+1e-9 && !slices.ContainsFunc(s.result.Candidates, func(t Trial) bool { return t.Settings[0].Value == spell(c) })
}

// grid counts the problems of a grid as fine as the closest two candidates, which are in order.
func (s *errorSearch) grid() int {
	closest := math.Inf(1)
	for k, t := range s.result.Candidates[1:] {
		closest = min(closest, math.Log(t.number("C")/s.result.Candidates[k].number("C")))
	}
	return len(s.folds) * (1 + int(math.Ceil(math.Log(s.out.To/s.out.From)/closest)))
}

// shortest returns a number in the middle half of a range, in its logarithm, in as few digits as can be.
func shortest(from, to float64) (x float64) {
	quarter := math.Pow(to/from, 0.25)
	for digits := 2; digits <= 17; digits++ {
		x, _ = strconv.ParseFloat(strconv.FormatFloat(math.Sqrt(from*to), 'g', digits, 64), 64)
		if x >= from*quarter && x <= to/quarter {
			break
		}
	}
	return x
}

// try solves the problems of all folds for that C.
func (s *errorSearch) try(c float64) error {
	members, err := s.enter([]Axis{{Key: "C", Values: []string{spell(c)}}})
	if err != nil {
		return err
	}
	s.tell.problems += len(s.folds)
	for k, f := range s.folds {
		of := s.result.Candidates[members[0]]
		fitted, err := f.solve(s.ctx, of.Spec, of.number("C"))
		if err != nil {
			return err
		}
		e, err := fitted.Evaluate()
		if err != nil {
			return err
		}
		s.tell.note(s.run, members[0], k, fitted, *e.Accuracy, nil)
		s.out.Fits++
	}
	s.bound()
	return nil
}

// fit solves the problem of one C, beginning at the solution for the nearest other.
func (f *errorFold) fit(ctx context.Context, spec fenchel.Spec, c float64) (*fenchel.Fitted, error) {
	nearest, from := -1, (*fenchel.Fitted)(nil)
	for k, other := range f.fits {
		if nearest < 0 || math.Abs(math.Log(other.C/c)) < math.Abs(math.Log(from.C/c)) {
			nearest, from = k, other
		}
	}
	if from != nil { // |w|^2/2 times lambda is a share of the objective, which small lambda makes small
		norm := vec.SquaredNorm64(from.Model.Outputs[0].Weights)
		spec.Gap = max(leastGap, min(spec.Gap, resolution*resolution*norm*from.Lambda*(from.C/c)/max(from.Summary.Primal, 1e-300)))
	}
	fitted, err := f.part.Fit(ctx, spec, from)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(f.fits) < mostFits:
		f.fits = append(f.fits, fitted)
	default:
		f.fits[nearest] = fitted
	}
	return fitted, nil
}

// solve finds the rows that are wrong for C around one.
func (f *errorFold) solve(ctx context.Context, spec fenchel.Spec, c float64) (*fenchel.Fitted, error) {
	fitted, err := f.fit(ctx, spec, c)
	if err != nil {
		return nil, err
	}
	posed, points, err := fitted.Pose(ctx, spec)
	if err != nil {
		return nil, err
	}
	p, ok := posed.First.Problem.(*problem.Linear)
	if !ok {
		return nil, errors.New("'prove': expected a linear model")
	}
	proved, err := fitted.Model.Proved()
	if err != nil {
		return nil, err
	}
	if f.class == nil {
		if f.class, err = pose.MatchTargets(fitted.Model.Classes, f.held.Target); err != nil {
			return nil, err
		}
	}
	w := points[0].W[:p.Penalised()]
	u, _ := p.DualWeights(points[0].A)
	other := *fitted.Model
	other.Outputs = slices.Clone(other.Outputs)
	posed.Problems.Store(&other, []problem.Point{{W: append(slices.Clone(u), make([]float64, len(points[0].W)-len(u))...)}})
	x, err := fitted.Model.Prepare(f.held.X)
	if err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	b := ball{gap: (fitted.Summary.Primal - fitted.Summary.Dual) / p.Lambda, ww: vec.SquaredNorm64(w), uu: vec.SquaredNorm64(u), wu: vec.Dot64(w, u), roundings: float64(len(w) + 32)}
	parallel.Blocks(len(f.share), 1024, spec.Threads, func(_, lo, hi int) {
		scores, duals := make([]float64, hi-lo), make([]float64, hi-lo)
		fitted.Model.ScoreRows(scores, x, lo, hi)
		other.ScoreRows(duals, x, lo, hi)
		for i := lo; i < hi; i++ {
			s := scores[i-lo]
			if (s > 0) == (f.class[i] == 1) {
				continue
			}
			if from, to, ok := b.sure(s, duals[i-lo], proved.Length(x.Row(i))); ok {
				f.wrong[i] = united(f.wrong[i], span{c / to, c / from})
			}
		}
	})
	return fitted, nil
}

// ball is where the optimum of lambda = rho lambda_k is, by a solution for lambda_k: with w its weights and u those of its dual point, the center
// is (w + u/rho)/2, and the squared radius (rho^2 ww/4 + uu/4 + rho (gap - (ww+uu)/2 + wu/2))/rho^2.
type ball struct{ gap, ww, uu, wu, roundings float64 }

// sure returns the ends of the interval of rho around 1 in which no optimum gives another sign than s to a row of that length, of which w and u
// give the scores s and t; false: it may have another at 1.
func (b ball) sure(s, t, length float64) (from, to float64, ok bool) {
	const slack = 1e-9 // of the squared radius, which leaves room for the roundings of scores: (r+e)^2 <= (1+slack) r^2 + (1+1/slack) e^2
	e := float64(b.roundings*0x1p-52) * float64(b.roundings*0x1p-52) * (2 + 2/slack)
	xx := length * length
	q2, q0 := b.ww*(0.25*(1+slack)+e), b.uu*(0.25*(1+slack)+e)
	q1 := (max(0, b.gap) + b.wu/2 - (b.ww+b.uu)/2) + slack*(math.Abs(b.gap)+b.ww+b.uu)
	// Of the square of the score of the center, times rho^2, less that of the radius: a2 rho^2 + a1 rho + a0 > 0.
	a2, a1, a0 := float64(s*s/4)-float64(q2*xx), float64(s*t/2)-float64(q1*xx), float64(t*t/4)-float64(q0*xx)
	if !(a2+a1+a0 > 0) || (s > 0) != (s+t > 0) {
		return 0, 0, false
	}
	from, to = 0, math.Inf(1)
	roots := [2]float64{-a0 / a1, math.NaN()}
	if d := float64(a1*a1) - float64(4*a2*a0); a2 != 0 && d >= 0 {
		h := -(a1 + math.Copysign(math.Sqrt(d), a1)) / 2
		roots = [2]float64{h / a2, a0 / h}
	} else if a2 != 0 {
		roots[0] = math.NaN()
	}
	for _, root := range roots {
		switch {
		case root > 0 && root <= 1:
			from = max(from, root)
		case root > 1:
			to = min(to, root)
		}
	}
	from, to = from*(1+1e-9), to*(1-1e-9)
	return from, to, from < 1 && to > 1
}

// united adds an interval to disjoint ones, in order.
func united(all []span, one span) []span {
	var out []span
	for _, s := range all {
		switch {
		case s.to <= one.from || s.from >= one.to:
			out = append(out, s)
		default:
			one = span{min(s.from, one.from), max(s.to, one.to)}
		}
	}
	k, _ := slices.BinarySearchFunc(out, one.from, func(s span, from float64) int { return cmp.Compare(s.from, from) })
	return slices.Insert(out, k, one)
}

// bound adds up what is surely wrong into the lower bound, a step function of C.
func (s *errorSearch) bound() {
	type event struct{ at, change float64 }
	var events []event
	o := s.out
	for _, f := range s.folds {
		for i, spans := range f.wrong {
			for _, p := range spans {
				if p.from < o.To && p.to > o.From {
					events = append(events, event{max(p.from, o.From), f.share[i]}, event{min(p.to, math.Nextafter(o.To, math.Inf(1))), -f.share[i]})
				}
			}
		}
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.change, b.change)) }) // intervals are open: what ends comes first
	o.Steps, o.Least = o.Steps[:0], math.Inf(1)
	var sum vec.Sum
	at := o.From
	step := func(to float64) {
		if least := max(0, sum.Value()-1e-12); to > at || at > o.From && at < o.To { // not the moment before the first
			o.Steps = append(o.Steps, Step{at, to, least})
			if least < o.Least {
				o.Least, o.AtC = least, at
			}
		}
		at = to
	}
	for _, e := range events {
		if e.at > o.To {
			break
		}
		step(e.at)
		sum.Add(e.change)
	}
	step(o.To)
	o.Error = math.Inf(1)
	for k := range s.result.Candidates {
		if t := &s.result.Candidates[k]; t.Complete() {
			o.Error = min(o.Error, 1-t.Mean)
		}
	}
}
