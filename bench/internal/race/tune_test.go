package race

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/tune"
)

// TestTune: Fenchel and scikit-learn search the same small grid on the same folds of rows that a linear
// model and a kernel machine tell apart, and both note their time and a good score.
func TestTune(t *testing.T) {
	if !*long {
		t.Skip("races scikit-learn: -long does it")
	}
	python := os.Getenv("FENCHEL_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import sklearn").Run(); err != nil {
		t.Skipf("%s without scikit-learn: %v (FENCHEL_PYTHON names another)", python, err)
	}
	var text strings.Builder
	for i := range 120 {
		side := float64(i%2)*2 - 1
		fmt.Fprintf(&text, "%d 1:%g 2:%g\n", i%2, float64(side*(1+float64(i%7)/7)), float64(i%11)/11)
	}
	file := filepath.Join(t.TempDir(), "rows.svm")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	set, err := data.Read(ctx, []string{file}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	testPath(t, set, file)
	for _, c := range []struct{ loss, kernel, axes string }{{"logistic", "", "C=0.1,1"}, {"hinge", "rbf", "C=1,10 gamma=0.1,1"}} {
		axes, err := tune.ParseAxes(c.axes)
		if err != nil {
			t.Fatal(err)
		}
		l := &lab{opt: options{Config: task.Config{Python: python, Threads: 1}}, log: &measure.Log{}}
		spec := tune.Spec{Train: fenchel.Spec{Loss: c.loss, Kernel: c.kernel, Run: fenchel.Run{Threads: 1}}, Axes: axes, Folds: tune.Folds{K: 3, Seed: 1}}
		if err := l.tuneOwn(ctx, set, spec, measure.Measurement{Race: "tune"}); err != nil {
			t.Fatal(err)
		}
		if err := l.tunePeer(ctx, set, file, spec, measure.Measurement{Race: "tune"}); err != nil {
			t.Fatal(err)
		}
		if len(l.log.Rows) != 2 || l.log.Rows[0].Contender == l.log.Rows[1].Contender {
			t.Fatalf("%s: found the measurements %+v, expected one of each contender", c.loss, l.log.Rows)
		}
		for _, m := range l.log.Rows {
			if !(m.Seconds > 0) || m.Test < 0.99 || m.Test > 1 || m.Setting == "" {
				t.Errorf("%s: %s took %g s to the score %g with %q, expected the score 1", c.loss, m.Contender, m.Seconds, m.Test, m.Setting)
			}
		}
	}
}

// testPath: a path on these rows, by Fenchel and by those of its peers that are installed, which are as accurate.
func testPath(t *testing.T, set *data.Set, file string) {
	for _, loss := range []string{"logistic", "squared"} {
		l := &lab{opt: options{Config: task.Config{Python: os.Getenv("FENCHEL_PYTHON"), Threads: 1}}, log: &measure.Log{}}
		l.opt.Progress = func(string, ...any) {}
		y := make([]float64, set.Rows())
		for i := range y {
			y[i] = float64(2*(i%2)) - 1
			if loss == "squared" {
				y[i] = float64(i % 2) // as the labels are
			}
		}
		if err := l.racePath(t.Context(), set, y, file, measure.Measurement{Set: "rows", Loss: loss}); err != nil {
			t.Fatal(err)
		}
		for _, m := range l.log.Rows {
			if !(m.Seconds > 0) || !(m.Accuracy <= m.Target) {
				t.Errorf("%s: %s took %g s to the accuracy %g with %q, expected at most %g", loss, m.Contender, m.Seconds, m.Accuracy, m.Setting, m.Target)
			}
		}
		if len(l.log.Rows)+len(l.notes) != 3 {
			t.Errorf("%s: found %d measurements and the notes %q, expected three contenders", loss, len(l.log.Rows), l.notes)
		}
	}
}
