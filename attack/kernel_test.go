package attack

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/attack/exact"
	"github.com/fenchel-ml/fenchel/kernel"
)

// agree checks a value of a kernel.
func agree(t *testing.T, tolerance float64, name string, found exact.Number, expected float64) {
	t.Helper()
	if d := math.Abs(exact.Float(found) - expected); !(d <= tolerance*math.Abs(expected)+1e-300) {
		t.Errorf("%s: found %s, expected %.17g", name, exact.Describe(found), expected)
	}
}

// Every kernel of which there is a twin has its values.
func TestKernels(t *testing.T) {
	r := drawOf(1, 1)
	for range 300 {
		twin := r.tree(3, 0)
		used, err := kernel.New(twin.Spec())
		if err != nil {
			t.Fatal(err)
		}
		x := [][]float64{{0.5, 1, 0}, {2, 0.25, 0.125}}
		agree(t, 1e-9, twin.Spec(), twin.Between(x[0], x[1], 0, 1), used.Eval(exact.Row32(x[0]), exact.Row32(x[1])))
	}
}

// The strings of the kernel ssk have the value of the program's own.
func TestSubsequences(t *testing.T) {
	r := drawOf(2, 2)
	for range 100 {
		p := 1 + r.IntN(3)
		x := r.strings(2, 8)
		used, err := kernel.New(exact.KernelTwin{Name: "ssk", Power: p}.Spec())
		if err != nil {
			t.Fatal(err)
		}
		agree(t, 1e-13, "ssk", exact.Subsequences(exact.Symbols(x[0]), exact.Symbols(x[1]), p), used.Eval(exact.Row32(x[0]), exact.Row32(x[1])))
	}
}

// So have graphs those of random walks.
func TestWalks(t *testing.T) {
	r := drawOf(2, 3)
	for range 50 {
		twin := exact.KernelTwin{Name: "random-walk", Gamma: one(r, 0.05, 0.11)}
		x := r.graphs(2)
		used, err := kernel.New(twin.Spec())
		if err != nil {
			t.Fatal(err)
		}
		agree(t, 1e-13, "random-walk", twin.Between(x[0], x[1], 0, 1), used.Eval(exact.Row32(x[0]), exact.Row32(x[1])))
	}
}
