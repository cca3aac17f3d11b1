package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
)

// BenchmarkEval is one value, of points of so many columns or of strings of so
// many symbols.
func BenchmarkEval(b *testing.B) {
	for _, d := range []int{20, 200} {
		x := kerneltest.Histograms(2, d, false)
		s := texts(rand.New(rand.NewPCG(1, 1)), 2, d)
		for j := range s.Value {
			s.Value[j] = float32('a' + j*j%7)
		}
		for _, spec := range []string{"linear", "rbf:gamma=1", "poly", "sigmoid", "laplacian", "chi2", "intersection", "rbf:gamma=1 + 2*linear", "normalised(poly)", "ssk", "spectrum"} {
			k, err := kernel.New(spec)
			if err != nil {
				b.Fatal(err)
			}
			rows := x
			if spec == "ssk" || spec == "spectrum" {
				rows = s
			}
			for _, storage := range []string{"dense", "sparse"} {
				u, v := rows.Row(0), rows.Row(1)
				if storage == "sparse" {
					u, v = sparse(rows).Row(0), sparse(rows).Row(1)
				}
				b.Run(fmt.Sprintf("kernel=%s/d=%d/%s", spec, d, storage), func(b *testing.B) {
					for b.Loop() {
						k.Eval(u, v)
					}
				})
			}
		}
	}
}
