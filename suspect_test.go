package fenchel_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/suspect"
	"github.com/fenchel-ml/fenchel/pca"
)

// tableOf makes a table of rows, with the names of its columns.
func tableOf(t *testing.T, names string, rows int, row func(i int) string) *data.Set {
	var text strings.Builder
	text.WriteString(names + "\n")
	for i := range rows {
		text.WriteString(row(i) + "\n")
	}
	set, err := data.ReadFrom(t.Context(), strings.NewReader(text.String()), "x.csv", data.Options{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Columns that give the target away, or say nothing, and classes of one row are warned of,
// ordinary ones are not.
func TestSuspicions(t *testing.T) {
	noise := func(i, k int) float64 { return math.Mod(float64((i+1)*(k+7919))*0.6180339887, 1) }
	yes := func(i int) bool { return noise(i, 1)*noise(i, 5) < 0.2 }
	class := func(i int) string { return map[bool]string{true: "yes", false: "no"}[yes(i)] }
	shift := func(i int) float64 {
		if yes(i) {
			return 10
		}
		return noise(i, 3)
	}
	kind := func(i int) string {
		if yes(i) {
			return "u"
		}
		return []string{"v", "w"}[i%2]
	}
	for name, c := range map[string]struct {
		set  *data.Set
		want []string
	}{
		"number":   {tableOf(t, "a,leak,y", 300, func(i int) string { return fmt.Sprintf("%.3f,%.3f,%s", noise(i, 2), shift(i), class(i)) }), []string{`column "leak" tells nearly all of the target alone: unless known before it, train with 'ignore=leak'`}},
		"category": {tableOf(t, "a,b,k,y", 300, func(i int) string { return fmt.Sprintf("%.3f,%.3f,%s,%s", noise(i, 2), noise(i, 3), kind(i), class(i)) }), []string{`column "k" tells`}},
		"a line":   {tableOf(t, "a,b,y", 300, func(i int) string { return fmt.Sprintf("%.3f,%.3f,%.5f", noise(i, 2), noise(i, 3), 7-3*noise(i, 3)) }), []string{`column "b" tells`}},
		"means": {tableOf(t, "a,k,y", 300, func(i int) string {
			return fmt.Sprintf("%.3f,%s,%.5f", noise(i, 2), kind(i), float64(kind(i)[0])*5.5+noise(i, 4)/1e3)
		}), []string{`column "k" tells`}},
		"noise": {tableOf(t, "a,b,k,y", 300, func(i int) string {
			return fmt.Sprintf("%.3f,%.3f,%c,%s", noise(i, 2), noise(i, 3), 'a'+rune(i%7), class(i))
		}), nil},
		"numbers": {tableOf(t, "a,b,y", 300, func(i int) string {
			return fmt.Sprintf("%.3f,%.3f,%.5f", noise(i, 2), noise(i, 3), noise(i, 3)+noise(i, 4)/4)
		}), nil},
		"few rows":        {tableOf(t, "a,b,y", 12, func(i int) string { return fmt.Sprintf("%.3f,%.3f,%s", noise(i, 2), shift(i), class(i)) }), nil},
		"constant":        {tableOf(t, "a,seven,w,y", 60, func(i int) string { return fmt.Sprintf("%.3f,7,x,%s", noise(i, 2), class(i)) }), []string{`columns "seven", "w" have one value in all rows, which tells nothing`}},
		"nearly constant": {tableOf(t, "a,b,y", 20000, func(i int) string { return fmt.Sprintf("%d,%d,%s", i%5, i/19999, class(i)) }), nil},
		"a class of one row": {tableOf(t, "a,b,y", 60, func(i int) string {
			return fmt.Sprintf("%.3f,%.3f,%s", noise(i, 2), noise(i, 3), strings.Repeat("rare-", i/59)+class(i))
		}), []string{`the class "rare-`}},
	} {
		r, err := fenchel.Train(t.Context(), c.set, fenchel.Spec{Scaling: "std", Run: fenchel.Run{Threads: 1}})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, w := range r.Warnings {
			if text := w.Error(); !strings.Contains(text, "recognised") && !strings.Contains(text, "all rows of the training data") {
				said = append(said, text)
			}
		}
		if len(said) != len(c.want) || len(said) > 0 && !strings.HasPrefix(said[0], c.want[0]) {
			t.Errorf("%s: found the warnings %q, expected %q", name, said, c.want)
		}
	}
}

// One class has no target that a column could tell.
func TestSuspicionsOfOneClass(t *testing.T) {
	set := tableOf(t, "a,b,c,y", 60, func(i int) string { return fmt.Sprintf("%d,%d,4,1", i*i%17, i*7%13) })
	set.Target = data.Target{}
	r, err := fenchel.Train(t.Context(), set, fenchel.Spec{Task: pose.OneClass, Nu: 0.2, Kernel: "rbf:gamma=1", Run: fenchel.Run{Threads: 1}})
	if err != nil || len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0].Error(), `column "c" has one value`) {
		t.Errorf("found %v, %v", r.Warnings, err)
	}
}

// A model of numbers that says nearly the same of every row is warned of.
func TestFlatPrediction(t *testing.T) {
	set := tableOf(t, "a,b,y", 60, func(i int) string { return fmt.Sprintf("%d,%d,%d.5", i*i%17, i*7%13, i*i%17) })
	for c, want := range map[float64]bool{1e-6: true, 1: false} {
		r, err := fenchel.Train(t.Context(), set, fenchel.Spec{Loss: "absolute", C: c, Scaling: "std", Run: fenchel.Run{Threads: 1}})
		if err != nil || strings.Contains(fmt.Sprint(r.Warnings), "nearly the same prediction") != want {
			t.Errorf("C %g: found %v, %v", c, r.Warnings, err)
		}
	}
}

// So is a kernel machine that tells only the rows apart that it has learned from, as of a kernel that is 0
// for all other pairs, or nothing, within a wide tube.
func TestFlatMachine(t *testing.T) {
	set := tableOf(t, "a,b,y", 60, func(i int) string { return fmt.Sprintf("%d,%d,%d.5", i, i*7%61, i+i*i%17) })
	for name, want := range map[string]bool{"rbf:gamma=1e5 absolute": true, "rbf:gamma=1e5 squared": true, "rbf:gamma=0.3 epsilon-insensitive:epsilon=50": true, "linear epsilon-insensitive:epsilon=50": true, "rbf:gamma=0.3 absolute": false, "rbf:gamma=0.3 squared": false} {
		kernel, loss, _ := strings.Cut(name, " ")
		r, err := fenchel.Train(t.Context(), set, fenchel.Spec{Loss: loss, Kernel: kernel, C: 1, Scaling: "std", Run: fenchel.Run{Threads: 1}})
		if err != nil || strings.Contains(fmt.Sprint(r.Warnings), "not learned from get nearly the same prediction") != want {
			t.Errorf("%s: found %v, %v", name, r.Warnings, err)
		}
	}
}

// A kernel that takes its values from the rows has none for new ones to be judged by.
func TestFlatLookedUp(t *testing.T) {
	k := tableOf(t, "a,b,c,d,y", 4, func(i int) string {
		return []string{"2.5,1,0,0,1", "1,2.5,1,0,4", "0,1,2.5,1,9", "0,0,1,2.5,5"}[i]
	})
	r, err := fenchel.Train(t.Context(), k, fenchel.Spec{Task: "regression", Kernel: "precomputed", Loss: "squared", C: 10, Run: fenchel.Run{Threads: 1}})
	if err != nil || strings.Contains(fmt.Sprint(r.Warnings), "same prediction") {
		t.Errorf("found %v, %v", r.Warnings, err)
	}
}

// Targets that are all equal are learned exactly, and targets of any small size proved as others are.
func TestSizesOfTargets(t *testing.T) {
	for _, size := range []float64{1e-13, 1e-11, 1} {
		for _, loss := range []string{"absolute", "quantile:tau=0.05", "squared", "huber", "epsilon-insensitive", "squared-epsilon-insensitive"} {
			for _, kernel := range []string{"", "rbf:gamma=0.3"} {
				one := tableOf(t, "a,b,y", 60, func(i int) string { return fmt.Sprintf("%d,%d,%g", i*i%17, i*7%13, 0.1*size) })
				spec := fenchel.Spec{Task: "regression", Loss: loss, Kernel: kernel, Scaling: "std", Run: fenchel.Run{Threads: 1}}
				r, err := fenchel.Train(t.Context(), one, spec)
				if err != nil || r.Status != "converged" || r.Summary.Gap != 0 || r.Model.Score(one.X.Row(3)) != one.Target.Number[3] {
					t.Errorf("%s %s %g, equal: found %v, %v", loss, kernel, size, r, err)
				}
				if kernel != "" && size < 1 && (loss == "huber" || strings.HasPrefix(loss, "quantile") || strings.HasPrefix(loss, "squared-")) {
					continue // the solver of working sets
				}
				set := tableOf(t, "a,b,y", 60, func(i int) string {
					return fmt.Sprintf("%d,%d,%g", i*i%17, i*7%13, size*(float64(i*i%17)+0.3*float64(i%5)))
				})
				if r, err = fenchel.Train(t.Context(), set, spec); err != nil || r.Status != "converged" {
					t.Errorf("%s %s %g: found %v, %v", loss, kernel, size, r, err)
				}
			}
		}
	}
}

// Test rows that were learned from are counted, unless rows repeat each other anyway.
func TestDuplicates(t *testing.T) {
	row := func(from int) func(i int) string {
		return func(i int) string { return fmt.Sprintf("%d,%d,%d.5", (i+from)*7919%10007, i+from, i+from) }
	}
	set := tableOf(t, "a,b,y", 200, row(0))
	for from, want := range map[int]string{150: "50 of 200 test rows are rows of the training data too", 195: "", 1000: ""} {
		if got := suspect.Duplicates(set, tableOf(t, "a,b,y", 200, row(from))); fmt.Sprint(got) != "<nil>" && want == "" || want != "" && (got == nil || !strings.HasPrefix(got.Error(), want)) {
			t.Errorf("from %d: found %v, expected %q", from, got, want)
		}
	}
	coarse := tableOf(t, "a,b,y", 200, func(i int) string { return fmt.Sprintf("%d,%d,%d.5", i%3, i%2, i%6) })
	if got := suspect.Duplicates(coarse, coarse); got != nil {
		t.Errorf("rows that repeat each other: found %v", got)
	}
}

// Components say how many numbers were missing.
func TestPCAMissing(t *testing.T) {
	set := tableOf(t, "a,b,c,y", 50, func(i int) string {
		return fmt.Sprintf("%s,%d,%d,1", strings.Repeat(fmt.Sprint(i*i%17), min(i%10, 1)), i*7%13, i%4)
	})
	r, err := pca.Fit(t.Context(), set, pca.Spec{K: 1, Threads: 1})
	if want := "5 of 150 numbers are missing (in 1 of 3 features): the mean of its column stands for each"; err != nil || len(r.Warnings) != 1 || r.Warnings[0].Error() != want {
		t.Errorf("found %v, %v, expected %s", r.Warnings, err, want)
	}
}
