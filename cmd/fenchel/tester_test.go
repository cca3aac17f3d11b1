package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/training"
	"github.com/fenchel-ml/fenchel/data"
)

// TestTesterIsSparing: evaluations on the way take a small part of the work of training, of a few
// test rows they are made, of very many they are not.
func TestTesterIsSparing(t *testing.T) {
	read := func(source string) *data.Set {
		set, err := data.Read(context.Background(), []string{source}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	set, few, many := read("@blobs:n=1000,d=5,classes=3,spread=3"), read("@blobs:n=20,d=5,classes=3,spread=3"), read("@blobs:n=50000,d=5,classes=3,spread=3")
	for _, spec := range []fenchel.Spec{{Gap: 1e-6, Loss: "logistic", Solver: "sdca"}, {Gap: 1e-6, Kernel: "rbf", Loss: "logistic"}} {
		small, large := training.NewTester(few, set, 1), training.NewTester(many, set, 1)
		told := ""
		spec.Progress = func(p fenchel.Progress) {
			if value, name := small.ErrorAt(p); name != "" {
				told = fmt.Sprint(name, " ", value)
			}
			if value, name := large.ErrorAt(p); name != "" {
				t.Errorf("found the %s %g, of more test rows than there is time for", name, value)
			}
		}
		if _, err := fenchel.Train(context.Background(), set, spec); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(told, "error ") {
			t.Errorf("%s: found %q, expected the error on few test rows", spec.Kernel, told)
		}
	}
}
