// Package tune solves many problems on the same rows: folds, values of parameters, paths. It
// chooses by held-out rows what [fenchel.Spec] leaves open, such as C, gamma and the penalty.
//
//	axes, err := tune.ParseAxes("C=2^-5..2^15 gamma=2^-15..2^3")
//	result, err := tune.Run(ctx, set, tune.Spec{Train: spec, Axes: axes})
//	model, err := fenchel.Train(ctx, set, result.Candidates[result.Best].Spec)
//
// fold.go deals out rows, axis.go and candidate.go make candidates, score.go judges them, trivial.go the model without features, group.go and
// schedule.go share out the work, choose.go takes one, refine.go adds values of C around it. What is fitted to rows, as a scaling,
// means for missing numbers and the categories that there are, is fitted to those of a fold that are
// learned from, never to those it is judged on; only what kind of column each one is is found in all
// rows. What the closed form of leaving one row out cannot follow is in [Result].FittedAll.
//
// Problems share what is expensive: see [fenchel.Stage]. They begin at the solution for the next smaller C,
// the first of a fold at that of the first fold. Every answer has a certificate of its own,
// and results do not depend on the number of cores: what begins where is fixed.
package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/leaveout"
	"github.com/fenchel-ml/fenchel/loss"
)

// Spec says what to search, and how.
type Spec struct {
	Train    fenchel.Spec // what all candidates have; its Threads and Cache are for all of them together
	Axes     []Axis       // nil: by [Defaults]
	Folds    Folds        // K 0: 5
	Given    []Fold       // instead of those that Folds deals out, by the numbers of rows; nil: Folds
	Held     *data.Set    // rows to be judged on instead of folds; nil: folds
	Score    string       // "": cost where Train has Costs; accuracy, or logloss, auc or balanced where a class is rare; rmse, or what the loss measures
	Rule     string       // "best" or "one-se": the simplest candidate within a standard error of the best; "": best
	Path     bool         // no row is held out: all candidates are solved on all rows, by [Defaults] a path of lambda
	Estimate string       // with Path: the estimate by which a value is chosen, see Estimates; "": nothing is chosen
	Halving  int          // drop candidates on samples, keeping one of so many each time; 0: none is dropped
	Budget   time.Duration

	// Progress, when set, is told of every problem that was solved. Calls do not overlap.
	Progress func(Progress)
	// Fitted, when set, is told what solved the problem of a candidate on a fold. Calls do not overlap.
	Fitted func(candidate, fold int, f *fenchel.Fitted)
}

// Progress is how far a search is.
type Progress struct {
	Done, Problems int
	Best           string  // name of the best candidate with a score of all folds; "": none yet
	Score          float64 // mean score of Best
	Latest         Trial   // the candidate that was judged, valid during the call only; without scores: one of a search within another
}

// Trial is what came out for a candidate.
type Trial struct {
	Candidate
	Scores  []float64 // score of each fold; NaN: not known
	Mean    float64   // mean of the scores; NaN: not all are known
	SD      float64   // their standard deviation, between folds
	Gap     float64   // the largest relative duality gap of its problems
	Status  string    // how the worst of its problems ended
	Rows    int       // most rows learned from, where the candidate was dropped on a sample of them; 0: all of each fold
	Seconds float64   // seconds of all its problems, added up

	Objective, Lambda float64 // of a path
	Nonzeros, Epochs  int
	Span              *leaveout.Span // result of the estimate span; nil: another estimate

	margins [][]calibration.Margin // by the score cost, of the folds that are done, until all are
	waiting int                    // how many folds these are of

	Reason string // why it has no score; "": it has one, or was not reached
}

// Complete reports whether the trial has a score on all folds, of all their rows.
func (t *Trial) Complete() bool { return !math.IsNaN(t.Mean) && t.Rows == 0 }

// Result is the outcome of a search.
type Result struct {
	Candidates []Trial
	Best       int // by the rule; -1: no candidate was judged on all folds
	Top        int // candidate with the best mean
	Score      Score
	ScoreWhy   string // it is the score though none was asked for; "": it was, or is the usual one
	Trivial    Trivial
	Rule       string
	Folds      int // splits, repeats counted
	Shared     string
	FittedAll  []string // of leaving one row out: names of what is fitted to all rows, those left out among them
	Stopped    string   // "interrupted" or "budget": not all was done; "": it was
	Computed   int64    // values of a kernel
}

// Trivial is the model that predicts without features: what it predicts, learned from all rows, and the
// mean of its scores on the folds, of which it learns the other rows; NaN: there is none.
type Trivial struct {
	Prediction string
	Mean       float64
}

// Rules returns the names of the rules.
func Rules() []string { return []string{"best", "one-se"} }

// run is the state of Run.
type run struct {
	ctx    context.Context
	set    *data.Set
	spec   Spec
	task   string
	folds  []Fold // row numbers of each fold; with Held, one fold without rows to judge
	dealt  []Fold // those of the rows as the caller has them, of the first repeat, for probabilities; nil: none
	result *Result
	errs   []error        // first error of each candidate
	stage  *fenchel.Stage // stage of the last group, whose memory the next one takes; nil: none yet
	tell   teller
}

// spanGap is the gap that the span rule needs at most: it is about which support vectors are at their bound.
const spanGap = 1e-6

// newRun checks what can be checked before anything is solved.
func newRun(set *data.Set, spec Spec) (*run, error) {
	err := set.Check()
	if err == nil {
		err = scaling.Gapless(set.X)
	}
	if err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	if spec.Folds.K == 0 {
		spec.Folds.K = 5
	}
	if spec.Rule == "" {
		spec.Rule = "best"
	}
	if !slices.Contains(Rules(), spec.Rule) {
		return nil, registry.Unknown("rule", spec.Rule, Rules())
	}
	if spec.Estimate == "span" {
		spec.Train.Gap = min(cmp.Or(spec.Train.Gap, spanGap), spanGap)
	}
	if spec.Halving != 0 && spec.Halving < 2 {
		return nil, fmt.Errorf("halving=%d: expected at least 2, as one of so many candidates is kept", spec.Halving)
	}
	if spec.Budget < 0 {
		return nil, fmt.Errorf("budget=%s: expected a time > 0", spec.Budget)
	}
	if set.Target.Absent() {
		return nil, pose.DataError{Reason: "the data have no targets: expected a label in every row"}
	}
	if task := spec.decide(set.Target); spec.Train.Task == "" && task != spec.Train.Decide(set.Target) {
		spec.Train.Task = task
	}
	if err := cmp.Or(spec.Train.DecideTask(set), spec.Train.CheckThreshold(set)); err != nil {
		return nil, err
	}
	r := &run{set: set, spec: spec, task: spec.Train.Task, result: &Result{Rule: spec.Rule}}
	if r.task == pose.OneClass {
		return nil, errors.New("task one-class has no targets to be judged by: expected classification or regression")
	}
	if err := r.deal(); err != nil {
		return nil, err
	}
	if r.spec.Held == nil && !r.spec.Path && !r.leavesOne() {
		r.dealt = r.folds[:len(r.folds)/max(1, r.spec.Folds.Repeats)]
	}
	return r, r.arrange()
}

// decide is the task of the search where it names none: what one of its losses says, if any does.
func (s Spec) decide(t data.Target) string {
	for _, a := range s.Axes {
		for _, v := range a.Values {
			if one := s.Train; a.Key == "loss" {
				if one.Loss = v; one.Decide(t) != pose.Decide(t) {
					return one.Decide(t)
				}
			}
		}
	}
	return s.Train.Decide(t)
}

// deal deals out the rows.
func (r *run) deal() (err error) {
	var classes []uint32
	if r.task == "classification" {
		if classes = r.set.Target.Code; classes == nil {
			return fmt.Errorf("found more than %d different targets%s: expected fewer classes, or task regression", set.MaxLabels, r.set.TargetBy)
		}
	}
	if r.spec.Path {
		r.result.Score, err = estimateScore(r.spec.Estimate)
		r.folds = r.unjudged()
		return err
	}
	if r.spec.Score == "" && r.spec.Train.Costs != nil {
		r.spec.Score = costName
	}
	if r.result.Score, err = newScore(r.spec.Score, classes != nil); err != nil {
		return err
	}
	if r.leavesOne() {
		r.folds, r.result.Folds = r.unjudged(), r.set.Rows()
		return r.checkLeaveOneOut()
	}
	if r.spec.Given != nil {
		r.folds, r.result.Folds = r.spec.Given, len(r.spec.Given)
		return r.checkGiven()
	}
	if r.spec.Held != nil {
		if err := r.spec.Train.CheckTest(r.set, r.spec.Held); err != nil {
			return pose.DataError{Reason: err.Error()}
		}
		all := make([]int, r.set.Rows())
		for i := range all {
			all[i] = i
		}
		r.folds = []Fold{{Learn: all}}
	} else if r.folds, err = r.spec.Folds.Deal(r.set, classes, r.set.Target.Label); err != nil {
		return err
	}
	r.result.Folds = len(r.folds)
	return nil
}

// axes makes the candidates, and returns their numbers.
func (r *run) axes() ([]int, error) {
	axes := r.spec.Axes
	if axes == nil {
		var err error
		if r.spec.Path {
			axes, err = r.spec.path(r)
		}
		if err != nil {
			return nil, err
		}
	}
	if axes == nil {
		var err error
		if axes, err = Defaults(r.ctx, r.set, r.spec.Train, r.task); err != nil {
			return nil, err
		}
		if s := &r.spec.Train; s.C == 0 && s.Lambda == 0 && s.Nu == 0 {
			s.Loss = loss.Relative(s.Loss) // as the values of C are
		}
	}
	r.spec.Train.Task = r.task
	return r.enter(axes)
}

// enter adds the candidates of the product of axes, none of which is judged yet, and returns their numbers.
func (r *run) enter(axes []Axis) (members []int, err error) {
	candidates, err := candidates(r.spec.Train, axes)
	if err != nil {
		return nil, err
	}
	r.errs = append(r.errs, make([]error, len(candidates))...)
	if r.spec.Score == "" && !r.spec.Path && len(r.result.Candidates) == 0 && len(candidates) > 0 {
		if r.result.Score, r.result.ScoreWhy, err = r.usual(candidates); err != nil {
			return nil, err
		}
	}
	if r.result.Score.Name == "pinball" && !sameQuantile(candidates, r.task) {
		return nil, errors.New("score pinball: found losses of several quantiles, whose scores cannot be compared: expected one tau, or another score such as mae")
	}
	if err := checkThresholds(r.result.Score.Name, r.spec.Train, candidates); err != nil {
		return nil, err
	}
	if s := r.spec.Train; s.Threshold != nil && s.Probabilities {
		r.result.ScoreWhy = strings.TrimPrefix(r.result.ScoreWhy+"; classes told apart at 0, as models of folds have no calibrated probabilities", "; ")
	}
	for _, c := range candidates {
		if c.Spec.Probabilities || c.Spec.Costs != nil || c.Spec.Interval != 0 {
			c.Spec.Folds, c.Spec.Held, c.Spec.Groups, c.Spec.Dealt = r.dealt, r.spec.Held, r.spec.Folds.Groups(r.set), r.spec.Folds.dealt(r.spec.Given)
		}
		c.Spec.Epochs = cmp.Or(c.Spec.Epochs, mostEpochs(c.Spec))
		if err := r.result.Score.fits(c, len(r.set.Target.Label)); err != nil {
			return nil, err
		}
		scores := make([]float64, len(r.folds))
		for f := range scores {
			scores[f] = math.NaN()
		}
		members = append(members, len(r.result.Candidates))
		r.result.Candidates = append(r.result.Candidates, Trial{Candidate: c, Scores: scores, Mean: math.NaN(), SD: math.NaN()})
	}
	return members, nil
}

// firstError returns that of the first candidate that has one; nil: none has.
func (r *run) firstError() error {
	for _, err := range r.errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// noneHasScore says why no candidate could be judged.
func (r *run) noneHasScore() error {
	if err := r.firstError(); err != nil {
		return err
	}
	return pose.DataError{Reason: fmt.Sprintf("the score %s is not defined on the held-out rows of any candidate: expected rows of each class, or of different numbers, in every fold", r.result.Score.Name)}
}
