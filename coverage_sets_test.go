package fenchel_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/model"
)

// TestCoverageOfSets measures the intervals of least squares at the level 0.9 on real sets: the mean over random splits of the share of the rows of a quarter that
// they hold, and of their width in deviations of the target. By other rows (split), another quarter is held out of training for them. With -long there are 50
// splits, and -v prints the table of docs/certificates.md.
func TestCoverageOfSets(t *testing.T) {
	folder := cmp.Or(os.Getenv("FENCHEL_DATA"), "../shared/data")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no data sets: ", err)
	}
	splits, within := 3, 0.05
	if *fenchel.Long {
		splits, within = 50, 0.02
	}
	const jackknife, folds, split = model.JackknifePlus, model.CVPlus, model.Split
	table := "| set | rows | " + jackknife + " | " + folds + " | " + split + " |\n"
	for _, c := range []struct {
		name, path, target string
		jackknife, folds   string // the method found, without folds and with them
	}{
		{"housing", "tables/housing.data.gz", "", jackknife, folds},
		{"diabetes", "regression/diabetes_x_y.csv.gz", "y", jackknife, folds},
		{"red wine", "tables/winequality-red.csv.gz", "", jackknife, folds},
		{"abalone", "regression/abalone.csv.gz", "", jackknife, folds},
		{"cpu small", "regression/cpu.small.arff.gz", "", folds, folds},                                            // too many rows
		{"California", "regression/california-housing.csv.gz", "median_house_value", model.ByFolds, model.ByFolds}, // gaps
	} {
		set, err := fenchel.Read(t.Context(), []string{filepath.Join(folder, c.path)}, data.Options{Target: c.target})
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("| %s | %d |", c.name, set.Rows())
		for _, way := range []struct{ name, found string }{{jackknife, c.jackknife}, {folds, c.folds}, {split, split}} {
			if way.name == jackknife && way.found != jackknife {
				line += " - |"
				continue
			}
			covered, width := 0.0, 0.0
			for seed := range splits {
				e := coveredOf(t, set, way.name, way.found, uint64(seed))
				covered, width = covered+e.Covered/float64(splits), width+e.Width/float64(splits)
			}
			line += fmt.Sprintf(" %.1f %%, %.3f", 100*covered, width/deviation(set.Target.Number))
			if way.found != way.name {
				line += " (errors of " + way.found + ")"
			}
			line += " |"
			if math.Abs(covered-0.9) > within {
				t.Errorf("%s by %s: found the mean coverage %.3f over %d splits, expected 0.9 within %g", c.name, way.name, covered, splits, within)
			}
		}
		table += line + "\n"
	}
	t.Logf("mean coverage at 0.9 over %d splits, and mean width in deviations of the target\n%s", splits, table)
}

// coveredOf trains on three quarters of the rows, of which a third makes the intervals where they are of other rows, and judges by the rest.
func coveredOf(t *testing.T, set *data.Set, way, method string, seed uint64) *fenchel.CoverageEvaluation {
	t.Helper()
	order := rand.New(rand.NewPCG(seed, 9)).Perm(set.Rows())
	quarter := len(order) / 4
	judge, learn := slices.Sorted(slices.Values(order[:quarter])), order[quarter:]
	spec := fenchel.Spec{Task: "regression", Loss: "squared", Decision: fenchel.Decision{Interval: 0.9}}
	switch way {
	case model.Split:
		calibrate := slices.Sorted(slices.Values(learn[:quarter]))
		learn = slices.Sorted(slices.Values(learn[quarter:]))
		_, held, _, err := set.Apart(learn, calibrate)
		if err != nil {
			t.Fatal(err)
		}
		spec.Held = held
	case model.CVPlus:
		order := rand.New(rand.NewPCG(seed, 10)).Perm(len(learn))
		spec.Folds = calibration.Split(calibration.Folds(order, nil, 5), 5)
		spec.Dealt = &model.Folds{K: 5, Repeats: 1, By: "random"}
	}
	learned, judged, _, err := set.Apart(slices.Sorted(slices.Values(learn)), judge)
	if err != nil {
		t.Fatal(err)
	}
	m := mustFit(t, learned, spec).Model
	if m.Coverage.Method != method {
		t.Fatalf("%s: found the method %s, expected %s", way, m.Coverage.Method, method)
	}
	e, err := fenchel.Evaluate(t.Context(), m, judged, fenchel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e.Coverage
}

// deviation is the standard deviation of numbers.
func deviation(y []float64) float64 {
	n, mean, squares := float64(len(y)), 0.0, 0.0
	for _, v := range y {
		mean += v / n
	}
	for _, v := range y {
		squares += (v - mean) * (v - mean) / n
	}
	return math.Sqrt(squares)
}
