package tune

import (
	"cmp"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
)

// Successive halving (Jamieson, Talwalkar 2016; Karnin, Koren, Somekh 2013): candidates are judged on a sample of
// the rows to learn from; one of every Halving is kept, and judged on as many times the rows, until the last are
// judged on all. A sample has the classes in proportion, the values of C as they are, and
// the same rows to be judged on as all rows have. Cost: each round about that of the one before, so that
// of r rounds r/|candidates| of the whole search, rows counted linearly. It is no rule that
// cannot err: a candidate that needs many rows to be the best may be dropped.

// leastRows is how many rows a sample has at least.
const leastRows = 200

// shares returns of each round one of how many rows is learned from; the last is 1.
func (r *run) shares(candidates int) []int {
	shares := []int{1}
	rows := r.set.Rows()
	for left := candidates; r.spec.Halving > 0 && left > r.spec.Halving; left = kept(left, r.spec.Halving) {
		if next := shares[0] * r.spec.Halving; rows/next >= leastRows {
			shares = append([]int{next}, shares...)
		}
	}
	return shares
}

// kept is how many of so many candidates go on.
func kept(candidates, factor int) int { return (candidates + factor - 1) / factor }

// problemsOf is how many problems there are in all rounds.
func problemsOf(candidates int, shares []int, factor, folds int) (problems int) {
	for range shares {
		problems += candidates * folds
		candidates = kept(candidates, max(factor, 1))
	}
	return problems
}

// sampled takes one of so many of the rows to learn from of each fold.
func sampled(folds []Fold, set *data.Set, task string, share int, seed uint64) []Fold {
	small := make([]Fold, len(folds))
	for f, fold := range folds {
		order := generate.Order(len(fold.Learn), seed, uint64(f))
		var classes []uint32
		if task == "classification" {
			classes = make([]uint32, len(fold.Learn))
			for k, i := range fold.Learn {
				classes[k] = set.Target.Code[i]
			}
		}
		small[f].Judge = fold.Judge
		for k, part := range calibration.Folds(order, classes, share) {
			if part == 0 {
				small[f].Learn = append(small[f].Learn, fold.Learn[k])
			}
		}
	}
	return small
}

// keep returns those of the members that go on, the best ones, in order, and takes down of the others on
// how many rows they were dropped. The scores of those that go on are forgotten.
func (r *run) keep(members []int, folds []Fold) []int {
	ranked := slices.Clone(members)
	slices.SortStableFunc(ranked, func(a, b int) int {
		x, y := r.result.Candidates[a].Mean, r.result.Candidates[b].Mean
		switch {
		case r.result.Score.better(x, y):
			return -1
		case r.result.Score.better(y, x):
			return 1
		}
		return cmp.Compare(a, b)
	})
	stay := kept(len(members), r.spec.Halving)
	rows := 0
	for _, f := range folds {
		rows = max(rows, len(f.Learn))
	}
	for _, m := range ranked[stay:] {
		r.result.Candidates[m].Rows = rows
	}
	ranked = ranked[:stay]
	for _, m := range ranked {
		t := &r.result.Candidates[m]
		t.Mean, t.SD, t.Gap, t.Status = math.NaN(), math.NaN(), 0, ""
		for f := range t.Scores {
			t.Scores[f] = math.NaN()
		}
	}
	slices.Sort(ranked)
	return ranked
}
