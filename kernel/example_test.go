package kernel_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Learn with a similarity of your own: see whether it is an inner product, without which
// nothing is proved, and train with it.
func ExampleFunc() {
	same := kernel.Func{ // the share of columns with the same value
		Value: func(x, y matrix.Vector) float64 {
			equal := 0.0
			for j, v := range x.Value {
				if v == y.Value[j] {
					equal++
				}
			}
			return equal / float64(len(x.Value))
		},
		Largest:  func(int, float64) float64 { return 1 },
		Rounding: func(int, float64, float64) float64 { return 0x1p-52 },
		Definite: true,
	}
	rows := [][]float32{{1, 1, 0}, {1, 2, 0}, {1, 1, 3}, {7, 2, 5}, {7, 4, 5}, {7, 2, 9}}
	set, err := data.FromDense(rows, data.Labels([]string{"a", "a", "a", "b", "b", "b"}))
	if err != nil {
		log.Fatal(err)
	}
	spec := fenchel.Spec{Kernel: "same", Custom: fenchel.Custom{Kernel: &same}}
	examined, err := fenchel.ExamineKernel(context.Background(), set, spec, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("an eigenvalue below 0:", examined.Values[examined.N-1] < -1e-12)
	result, err := fenchel.Train(context.Background(), set, spec)
	if err != nil {
		log.Fatal(err)
	}
	row := matrix.Vector{Value: []float32{7, 1, 5}}
	fmt.Println(result.Status, "and a new row is", result.Model.Class(row))
	// Output:
	// an eigenvalue below 0: false
	// converged and a new row is b
}
