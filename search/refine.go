package search

import (
	"cmp"
	"math"
	"slices"
)

// finer are the values of C around the best power of ten, as multiples of it: the score of linear models may fall by several
// standard errors from one power of ten to the next (of reviews in words, from 0.895 to 0.874).
var finer = []float64{0.2, 0.5, 2, 5}

// refine judges values of C between the powers of ten of [Defaults] around the best of them. It does
// nothing where the values were given, kernel machines are searched, which have closer values, or candidates are dropped early.
func (r *run) refine(solve func(members []int) error) error {
	best := r.result.top()
	if !r.coarse || best < 0 || r.ctx.Err() != nil {
		return nil
	}
	axis, c := Axis{Key: "C"}, r.result.Candidates[best].number("C")
	for _, times := range finer {
		axis.Values = append(axis.Values, spell(rounded(times*c)))
	}
	had := len(r.result.Candidates)
	if err := r.enter([]Axis{axis}); err != nil {
		return err
	}
	members := make([]int, len(finer))
	for k := range members {
		members[k] = had + k
	}
	if err := solve(members); err != nil {
		return err
	}
	slices.SortStableFunc(r.result.Candidates, func(a, b Trial) int { return cmp.Compare(a.number("C"), b.number("C")) })
	return nil
}

// isCoarse reports whether the axes of [Defaults] are powers of ten of C alone.
func (r *run) isCoarse(axes []Axis) bool {
	chosen := !r.spec.Path || r.spec.Estimate != ""
	return chosen && r.spec.Halving == 0 && !r.spec.Train.IsMachine() && len(axes) == 1 && axes[0].Key == "C"
}

// everyone is the numbers of all candidates.
func (r *run) everyone() []int {
	members := make([]int, len(r.result.Candidates))
	for m := range members {
		members[m] = m
	}
	return members
}

// enter adds the candidates of the product of axes, none of which is judged yet.
func (r *run) enter(axes []Axis) error {
	candidates, err := Candidates(r.spec.Train, axes)
	if err != nil {
		return err
	}
	r.errs = append(r.errs, make([]error, len(candidates))...)
	for _, c := range candidates {
		c.Spec.Epochs = cmp.Or(c.Spec.Epochs, mostEpochs(c.Spec))
		if err := r.result.Score.fits(c, len(r.set.Target.Label)); err != nil {
			return err
		}
		scores := make([]float64, len(r.folds))
		for f := range scores {
			scores[f] = math.NaN()
		}
		r.result.Candidates = append(r.result.Candidates, Trial{Candidate: c, Scores: scores, Mean: math.NaN(), SD: math.NaN()})
	}
	return nil
}
