package kernel_test

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/kernel"
)

func TestStructureOf(t *testing.T) {
	for spec, want := range map[string]structure.Kind{
		"rbf:gamma=1": structure.Points, "ssk": structure.Sequences, "2*normalised(mismatch) + spectrum": structure.Sequences,
		"wl*random-walk + 1": structure.Graphs, "wl + spectrum": structure.Points, "wl + linear": structure.Points, "2*3": structure.Points,
	} {
		k, err := kernel.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := kernel.StructureOf(k); got != want {
			t.Errorf("%s: found rows of %v, expected %v", spec, got, want)
		}
	}
}
