package model

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What no reader takes never takes the place of a model, and leaves nothing behind.
func TestWriteFileReadsBack(t *testing.T) {
	dual := *examples(t)["multi"]
	dual.Outputs = slices.Clone(dual.Outputs)
	dual.Outputs[1].Dual = nil // of one output alone
	names := *examples(t)["multi"]
	names.Classes = names.Classes[1:]
	weight := *examples(t)["binary"]
	weight.Outputs = slices.Clone(weight.Outputs)
	weight.Outputs[0].Bias = math.NaN()
	axes := components(nil, nil)
	axes.Eigenvalue = []float64{4, math.NaN()}
	machine := *foreign(t, "three.svm-model")
	machine.Outputs = slices.Clone(machine.Outputs)
	machine.Outputs[0].Bias = math.Inf(1)
	for name, c := range map[string]struct {
		write func(path string) error
		part  string
	}{
		"dual": {dual.WriteFile, `tensor "dual": found `}, "names": {names.WriteFile, "classes for"}, "weight": {weight.WriteFile, "the weight NaN"},
		"components": {axes.WriteFile, "the number NaN"}, "libsvm": {machine.WriteLIBSVMFile, "expected a finite number"},
	} {
		path := filepath.Join(t.TempDir(), "m")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := c.write(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+": the model that was written cannot be read") || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%s: found %v, expected an error with %q", name, err, c.part)
		}
		if text, _ := os.ReadFile(path); string(text) != "old" {
			t.Errorf("%s: the file is now %q, expected the old one", name, text)
		}
		if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
			t.Errorf("%s: found %v, expected one file", name, files)
		}
	}
}
