package tune

import (
	"math"
	"slices"
	"strconv"
)

// moments returns the mean and the standard deviation of the scores of all folds; NaN, if one is not
// known, or of one the deviation.
func moments(scores []float64) (mean, sd float64) {
	n := float64(len(scores))
	for _, x := range scores {
		mean += x / n
	}
	squares := 0.0
	for _, x := range scores {
		squares += float64((x - mean) * (x - mean))
	}
	if n < 2 {
		return mean, math.NaN()
	}
	return mean, math.Sqrt(squares / (n - 1))
}

// top returns the complete candidate with the best mean, the simplest of several; -1: none is complete.
func (r *Result) top() int {
	best := -1
	for m := range r.Candidates {
		t := &r.Candidates[m]
		switch {
		case !t.Complete():
		case best < 0 || r.Score.better(t.Mean, r.Candidates[best].Mean):
			best = m
		case t.Mean == r.Candidates[best].Mean && simpler(t.Candidate, r.Candidates[best].Candidate):
			best = m
		}
	}
	return best
}

// choose sets Top, and Best by the rule.
func (r *Result) choose() {
	r.Top = r.top()
	r.Best = r.Top
	if r.Top < 0 || r.Rule != "one-se" {
		return
	}
	top := &r.Candidates[r.Top]
	within := top.SD / math.Sqrt(float64(len(top.Scores)))
	for m := range r.Candidates {
		t := &r.Candidates[m]
		near := math.Abs(t.Mean-top.Mean) <= within
		if t.Complete() && near && simpler(t.Candidate, r.Candidates[r.Best].Candidate) {
			r.Best = m
		}
	}
}

// simplest are the parameters by which one candidate is simpler than another, the first that
// differs: 1 where the smaller number is simpler.
var simplest = []struct {
	key  string
	sign float64
}{{"C", 1}, {"lambda", -1}, {"nu", -1}, {"degree", 1}, {"gamma", 1}, {"sigma", -1}}

// simpler reports whether a fits the rows less closely than b, by its first parameter that differs.
func simpler(a, b Candidate) bool {
	for _, s := range simplest {
		if x, y := a.number(s.key), b.number(s.key); x != y {
			return float64(s.sign*x) < float64(s.sign*y)
		}
	}
	return false
}

// Varied returns the keys of the settings that take more than one value, with the values in order of
// their first candidates.
func (r *Result) Varied() []Axis {
	var axes []Axis
	for _, t := range r.Candidates {
		for _, s := range t.Settings {
			at := slices.IndexFunc(axes, func(a Axis) bool { return a.Key == s.Key })
			if at < 0 {
				at = len(axes)
				axes = append(axes, Axis{Key: s.Key})
			}
			if !slices.Contains(axes[at].Values, s.Value) {
				axes[at].Values = append(axes[at].Values, s.Value)
			}
		}
	}
	return slices.DeleteFunc(axes, func(a Axis) bool { return len(a.Values) < 2 })
}

// Numbers returns the values of an axis as numbers; nil: some are none.
func (a Axis) Numbers() []float64 {
	numbers := make([]float64, len(a.Values))
	for k, v := range a.Values {
		x, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return nil
		}
		numbers[k] = x
	}
	return numbers
}
