package fenchel_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
)

// With a narrow kernel most coefficients are free, and rows that are there twice, with both classes, have theirs at the bound: training
// with a larger C takes no more epochs from the answer for the smaller one.
func TestManyFree(t *testing.T) {
	random, text := rand.New(rand.NewPCG(1, 0)), strings.Builder{}
	for i := range 200 {
		x := fmt.Sprintf("1:%.4f 2:%.4f", random.NormFloat64(), random.NormFloat64())
		fmt.Fprintf(&text, "%d %s\n", i%2, x)
		if i < 8 {
			fmt.Fprintf(&text, "%d %s\n", 1-i%2, x)
		}
	}
	file := filepath.Join(t.TempDir(), "rows.svm")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	set, ctx := generated(t, file), context.Background()
	spec := fenchel.Spec{Loss: "hinge", Kernel: "rbf:gamma=20", C: 10}
	stage, err := fenchel.NewStage(ctx, set, spec)
	if err != nil {
		t.Fatal(err)
	}
	learn, judge := thirds(set.Rows(), 0)
	part, err := stage.Part(learn, judge, fenchel.Resources{Fits: 3})
	if err != nil {
		t.Fatal(err)
	}
	fit := func(c float64, from *fenchel.Fitted) *fenchel.Fitted {
		spec.C = c
		f, err := part.Fit(ctx, spec, from)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, alone := fit(10, nil), fit(100, nil)
	if next := fit(100, first); next.Epochs > alone.Epochs {
		t.Errorf("from the answer for a smaller C: found %d epochs, expected at most the %d from zero", next.Epochs, alone.Epochs)
	}
	if near := fit(11, first); reflect.DeepEqual(near.Model.Outputs, fit(11, nil).Model.Outputs) {
		t.Error("a run with nearly the same C does not begin at the answer")
	}
}
