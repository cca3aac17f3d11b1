package fenchel

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
)

// TestOneAnswer checks that a model that gives every row the same class comes with a
// warning that says so, and that no other does: whatever the order of the rows, by whatever
// kind of model.
func TestOneAnswer(t *testing.T) {
	for _, source := range []string{"@toy:n=300", "@blobs:n=300", "@spirals:n=300"} {
		for _, spec := range []Spec{{}, {Kernel: "rbf:gamma=5"}, {Kernel: "rbf:gamma=5", Map: "fourier:dim=100"}, {Scheme: "one-against-one"}} {
			for _, lambda := range []float64{1e-3, 1e20} {
				set, err := data.Read(context.Background(), []string{source}, data.Options{})
				if err != nil {
					t.Fatal(err)
				}
				spec.Lambda = lambda
				r, err := Train(context.Background(), set, spec)
				if err != nil {
					t.Fatal(err)
				}
				e, err := Evaluate(t.Context(), r.Model, set, Options{Threads: 1})
				if err != nil {
					t.Fatal(err)
				}
				given := 0
				for _, c := range e.Classes {
					if c.Recall > 0 || c.Precision > 0 {
						given++
					}
				}
				warned := slices.ContainsFunc(r.Warnings, func(w error) bool {
					return strings.HasPrefix(w.Error(), "all rows of the training data get the class ")
				})
				if warned != (given == 1) {
					t.Errorf("%s, %+v: %d classes are given to rows that have them, warned %t", source, spec, given, warned)
				}
			}
		}
	}
}
