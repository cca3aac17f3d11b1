package tune_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/tune"
)

// Every row is judged on once in each repeat, and never by what has learned from it; classes
// have the same share of all folds.
func TestStratifiedFolds(t *testing.T) {
	set := generated(t, "@blobs:n=103,classes=3,seed=4")
	f := tune.Folds{K: 5, Repeats: 3, Seed: 9}
	folds, err := f.Deal(set, set.Target.Code, set.Target.Label)
	if err != nil || len(folds) != 15 {
		t.Fatal(len(folds), err)
	}
	total := map[uint32]int{}
	for _, c := range set.Target.Code {
		total[c]++
	}
	for repeat := range 3 {
		judged := make([]int, 103)
		for _, fold := range folds[5*repeat : 5*repeat+5] {
			disjoint(t, fold, 103)
			count := map[uint32]int{}
			for _, i := range fold.Judge {
				judged[i]++
				count[set.Target.Code[i]]++
			}
			for c, n := range count {
				if n < total[c]/5 || n > total[c]/5+1 {
					t.Errorf("class %d has %d of %d rows in a fold", c, n, total[c])
				}
			}
			if n := len(fold.Judge); n < 20 || n > 21 {
				t.Errorf("a fold of %d rows", n)
			}
		}
		if slices.Min(judged) != 1 || slices.Max(judged) != 1 {
			t.Errorf("rows are judged on %d to %d times", slices.Min(judged), slices.Max(judged))
		}
	}
	if slices.Equal(folds[0].Judge, folds[5].Judge) {
		t.Error("two repeats are the same")
	}
	again, _ := f.Deal(set, set.Target.Code, set.Target.Label)
	if fmt.Sprint(again) != fmt.Sprint(folds) {
		t.Error("the same seed deals otherwise")
	}
}

func disjoint(t *testing.T, f tune.Fold, n int) {
	t.Helper()
	all := slices.Concat(f.Learn, f.Judge)
	slices.Sort(all)
	if len(slices.Compact(all)) != n || !slices.IsSorted(f.Learn) || !slices.IsSorted(f.Judge) {
		t.Errorf("learns from %d rows and is judged on %d of %d", len(f.Learn), len(f.Judge), n)
	}
}

func TestGroupedFolds(t *testing.T) {
	set := generated(t, "@blobs:n=100,classes=2,seed=4")
	for i := range 100 {
		set.ID = append(set.ID, fmt.Sprint("user", i*i%17))
	}
	folds, err := tune.Folds{K: 3, Group: true}.Deal(set, set.Target.Code, set.Target.Label)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folds {
		disjoint(t, f, 100)
		learned := map[string]bool{}
		for _, i := range f.Learn {
			learned[set.ID[i]] = true
		}
		for _, i := range f.Judge {
			if learned[set.ID[i]] {
				t.Fatalf("group %s is learned from and judged on", set.ID[i])
			}
		}
		if len(f.Judge) < 20 {
			t.Errorf("a fold of %d rows", len(f.Judge))
		}
	}
	if _, err := (tune.Folds{K: 10, Group: true}).Deal(set, set.Target.Code, set.Target.Label); err == nil || !strings.Contains(err.Error(), "groups, expected") {
		t.Errorf("found the error %v", err)
	}
}

func TestFoldsInTime(t *testing.T) {
	for name, id := range map[string]func(i int) string{
		"numbers": func(i int) string { return fmt.Sprint(1000 - i/2) },
		"dates":   func(i int) string { return fmt.Sprintf("%d-%02d-01", 2020-i/24, 1+11-i/2%12) },
		"written": func(i int) string { return fmt.Sprintf("1.%d.%d 00:00", 1+11-i/2%12, 2020-i/24) },
	} {
		t.Run(name, func(t *testing.T) {
			set := generated(t, "@blobs:n=100,classes=2,seed=4")
			for i := range 100 {
				set.ID = append(set.ID, id(i))
			}
			folds, err := tune.Folds{K: 4, Time: true}.Deal(set, set.Target.Code, set.Target.Label)
			if err != nil || len(folds) != 4 {
				t.Fatal(folds, err)
			}
			for k, f := range folds { // later rows have smaller numbers
				if slices.Min(f.Learn)/2 <= slices.Max(f.Judge)/2 {
					t.Errorf("fold %d: learns from rows of the time of those it is judged on, or later", k)
				}
				if n := len(f.Learn); n < 20*(k+1) || n > 20*(k+1)+1 {
					t.Errorf("fold %d learns from %d rows", k, n)
				}
			}
			if _, err := (tune.Folds{K: 60, Time: true}).Deal(set, nil, nil); err == nil || !strings.Contains(err.Error(), "too few different times") {
				t.Errorf("found the error %v", err)
			}
			if _, err := (tune.Folds{K: 4, Time: true, Repeats: 2}).Deal(set, nil, nil); err == nil || !strings.Contains(err.Error(), "repeats=2") {
				t.Errorf("found the error %v", err)
			}
		})
	}
}
