package race

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
)

// TestRender makes the pages of a run again from its files: the same bytes.
func TestRender(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	r := measure.Record{Machine: measure.Machine{CPU: "Abacus", Took: time.Minute}, Notes: []string{"vw did not race"}, Rows: []measure.Measurement{
		{Race: "solve", Kind: "timed", Set: "a9a", Size: measure.Size{Rows: 32561, Nonzeros: 451592}, Loss: "hinge", Lambda: "1/n", Contender: measure.OwnName, Threads: 2, Target: 1e-3, Seconds: 0.25, Objective: 0.35, Accuracy: 1e-4},
		{Race: "solve", Kind: "timed", Set: "a9a", Size: measure.Size{Rows: 32561, Nonzeros: 451592}, Loss: "hinge", Lambda: "1/n", Contender: "liblinear -s 3", Setting: "e=0.1", Threads: 1, Target: 1e-3, Seconds: 0.5, Objective: 0.35, Note: "a note, with a comma"},
	}}
	if err := errors.Join(measure.WriteCSV(filepath.Join(from, measure.ResultsFile), r.Rows), r.WriteRun(from)); err != nil {
		t.Fatal(err)
	}
	if _, err := writePages(from, []measure.Record{r}); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), []string{"--render", from, "--out", to, "--work", t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"RESULTS.md", "TABLES.md"} {
		want, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v, found\n%s\nexpected\n%s", name, err, got, want)
		}
	}
}
