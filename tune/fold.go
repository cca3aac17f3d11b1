package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Fold is rows to learn from and others to be judged on.
type Fold = fenchel.Fold

// Folds say how rows are dealt out.
//
//	plain    each class, or all rows of a regression, in a random order, dealt out in turn: the
//	         classes have the same share of every fold, but for a row
//	Group    rows with the same id are never learned from and judged on in one fold: groups, the
//	         largest first, go to the fold with the fewest rows
//	Time     rows are judged on that come after all they are judged by: K+1 blocks in order, of
//	         which fold k learns from the first k and is judged on the next
type Folds struct {
	K       int    // number of folds, at least 2
	Repeats int    // number of random orders; 0: 1
	Seed    uint64 // seed of the random orders
	Group   bool   // rows with the same id stay in one fold
	Time    bool   // folds follow the times that the ids are, see data.Times
}

// MostRepeats is how often folds are dealt out at most: what more would tell is far below the
// deviation between folds.
const MostRepeats = 1000

// Deal deals out the rows of a set. classes are those of the rows, nil where targets are numbers.
func (f Folds) Deal(set *data.Set, classes []uint32, labels []string) ([]Fold, error) {
	n := set.Rows()
	switch repeats := max(f.Repeats, 1); {
	case f.K < 2:
		return nil, fmt.Errorf("folds=%d: expected at least 2", f.K)
	case f.Repeats > MostRepeats:
		return nil, fmt.Errorf("repeats=%d: expected at most %d", f.Repeats, MostRepeats)
	case f.K > n:
		return nil, fmt.Errorf("folds=%d: found only %s, expected at least one for each fold", f.K, registry.Count(n, "row"))
	case (f.Group || f.Time) && len(set.ID) != n:
		return nil, fmt.Errorf("found no column of groups or times, expected one for each of %s", registry.Count(n, "row"))
	case f.Time && repeats > 1:
		return nil, fmt.Errorf("repeats=%d of folds in order of time: expected 1, as there is one such order", repeats)
	case f.Time:
		return inTime(set, f.K)
	case !f.Group:
		if err := enough(classes, labels, f.K); err != nil {
			return nil, err
		}
	}
	var folds []Fold
	for repeat := range max(f.Repeats, 1) {
		order := generate.Order(n, f.Seed, uint64(repeat))
		of, err := calibration.Folds(order, classes, f.K), error(nil)
		if f.Group {
			of, err = grouped(order, set.ID, f.K)
		}
		if err != nil {
			return nil, err
		}
		folds = append(folds, calibration.Split(of, f.K)...)
	}
	return folds, nil
}

// Holdout returns one fold, judged on a share of the rows, of each class alike where the task is classification.
func Holdout(set *data.Set, task string, share float64, seed uint64) ([]Fold, error) {
	classes := set.Target.Code
	if task != "classification" {
		classes = nil
	}
	var fold Fold
	seen := make([]float64, len(set.Target.Label)+1)
	for _, i := range generate.Order(set.Rows(), seed, 0) {
		class := len(set.Target.Label)
		if classes != nil {
			class = int(classes[i])
		}
		before := math.Floor(float64(seen[class]*share) + 0.5)
		if seen[class]++; seen[class] > 1 && math.Floor(float64(seen[class]*share)+0.5) > before {
			fold.Judge = append(fold.Judge, i)
		} else {
			fold.Learn = append(fold.Learn, i)
		}
	}
	if len(fold.Learn) == 0 || len(fold.Judge) == 0 {
		return nil, pose.DataError{Reason: fmt.Sprintf("found %s, of which a share of %g is %d: expected some to learn from and some to be judged on", registry.Count(set.Rows(), "row"), share, len(fold.Judge))}
	}
	slices.Sort(fold.Learn)
	slices.Sort(fold.Judge)
	return []Fold{fold}, nil
}

// enough refuses more folds than a class has rows.
func enough(classes []uint32, labels []string, k int) error {
	rows := make([]int, len(labels))
	for _, c := range classes {
		rows[c]++
	}
	for c, n := range rows {
		if n > 0 && n < k {
			return fmt.Errorf("folds=%d: rows of the class %s: found %d, expected at least one for each fold", k, registry.Spell(labels[c]), n)
		}
	}
	return nil
}

// grouped is calibration.Folds for groups.
func grouped(order []int, id []string, k int) ([]int, error) {
	size, names := map[string]int{}, []string{}
	for _, i := range order {
		if size[id[i]] == 0 {
			names = append(names, id[i])
		}
		size[id[i]]++
	}
	if len(names) < k {
		return nil, fmt.Errorf("folds=%d: found %s, expected at least one for each fold", k, registry.Count(len(names), "group"))
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(size[b], size[a]) })
	rows, fold := make([]int, k), map[string]int{}
	for _, name := range names {
		least := 0
		for f, r := range rows {
			if r < rows[least] {
				least = f
			}
		}
		fold[name] = least
		rows[least] += size[name]
	}
	of := make([]int, len(id))
	for i, name := range id {
		of[i] = fold[name]
	}
	return of, nil
}

// Groups counts the groups of a set; 0: the folds are of rows.
func (f Folds) Groups(set *data.Set) int {
	ids := map[string]bool{}
	for i := 0; f.Group && i < len(set.ID); i++ {
		ids[set.ID[i]] = true
	}
	return len(ids)
}

// arrange puts the rows for kernel machines in the order of the folds in which they are judged on
// first, so that those of a fold stand side by side in the matrix that all folds share.
func (r *run) arrange() (err error) {
	if !r.spec.Train.IsMachine() || len(r.folds) < 2 {
		return nil
	}
	n := r.set.Rows()
	order, first, at := make([]int, n), make([]int, n), make([]int, n)
	for f := range slices.Backward(r.folds) {
		for _, i := range r.folds[f].Judge {
			first[i] = f + 1
		}
	}
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(first[a], first[b]) })
	for k, i := range order {
		at[i] = k
	}
	moved := func(rows []int) []int {
		to := make([]int, len(rows))
		for k, i := range rows {
			to[k] = at[i]
		}
		slices.Sort(to)
		return to
	}
	folds := make([]Fold, len(r.folds)) // those given stay as they are
	for f, fold := range r.folds {
		folds[f] = Fold{Learn: moved(fold.Learn), Judge: moved(fold.Judge)}
	}
	r.folds = folds
	r.set, err = r.set.Subset(order)
	return err
}

// inTime makes folds of blocks in order. Rows of one time are in one block.
func inTime(from *data.Set, k int) ([]Fold, error) {
	at, err := set.Times(from.ID)
	if err != nil {
		where := "times"
		if from.IDName != "" {
			where = fmt.Sprintf("column %q of times", from.IDName)
		}
		return nil, pose.DataError{Reason: fmt.Sprintf("%s: %v", where, err)}
	}
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	ends := make([]int, k+1)
	for b := range ends {
		end := (b + 1) * len(order) / (k + 1)
		for end > 0 && end < len(order) && at[order[end-1]] == at[order[end]] {
			end++
		}
		if ends[b] = end; end == 0 || b > 0 && end == ends[b-1] {
			return nil, fmt.Errorf("folds=%d in order of time: found too few different times in %d rows, expected at least one in each of %d blocks", k, len(at), k+1)
		}
	}
	folds := make([]Fold, k)
	for f := range folds {
		folds[f] = Fold{Learn: slices.Clone(order[:ends[f]]), Judge: slices.Clone(order[ends[f]:ends[f+1]])}
		slices.Sort(folds[f].Learn)
		slices.Sort(folds[f].Judge)
	}
	return folds, nil
}
