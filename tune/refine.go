package tune

import (
	"cmp"
	"slices"
)

// finer are the values of C around the best power of ten, as multiples of it: the score of linear models may fall by several
// standard errors from one power of ten to the next (of reviews in words, from 0.895 to 0.874).
var finer = []float64{0.2, 0.5, 2, 5}

// refine judges values of C between the powers of ten of [Defaults] around the best of them. It does
// nothing where the values were given, kernel machines are searched, which have closer values, or candidates are dropped early.
func (r *run) refine(solve func(members []int) error) error {
	best := r.result.top()
	if best < 0 || !r.isCoarse() || r.ctx.Err() != nil {
		return nil
	}
	axis, c := Axis{Key: "C"}, r.result.Candidates[best].number("C")
	for _, times := range finer {
		axis.Values = append(axis.Values, spell(rounded(times*c)))
	}
	members, err := r.enter([]Axis{axis})
	if err != nil {
		return err
	}
	if err := solve(members); err != nil {
		return err
	}
	slices.SortStableFunc(r.result.Candidates, func(a, b Trial) int { return cmp.Compare(a.number("C"), b.number("C")) })
	return nil
}

// isCoarse reports whether what is chosen from are the powers of ten of [Defaults], of C alone.
func (r *run) isCoarse() bool {
	chosen := !r.spec.Path || r.spec.Estimate != ""
	settings := r.result.Candidates[0].Settings
	return chosen && r.spec.Axes == nil && r.spec.Halving == 0 && !r.spec.Train.IsMachine() && len(settings) == 1 && settings[0].Key == "C"
}
