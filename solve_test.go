package fenchel

import (
	"context"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
)

// TestModelOnTheWay: at every certificate there is a model of the points so far, of several classes
// once each has one.
func TestModelOnTheWay(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@blobs:n=400,d=5,classes=4,spread=1"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []Spec{{}, {Scheme: "one-against-one"}, {Kernel: "rbf"}, {Kernel: "rbf", Scheme: "one-against-one"}, {Map: "nystrom:rank=20", Kernel: "rbf"}} {
		seen, wrong, last := map[int]bool{}, 2.0, 0
		spec.Gap = 1e-6
		spec.Progress = func(p Progress) {
			if seen[p.Class] = true; (p.Model != nil) != (len(seen) == p.Classes) {
				t.Errorf("%+v: found a model %v after looks at %d of %d classes", spec, p.Model != nil, len(seen), p.Classes)
			}
			if p.Model == nil {
				return
			}
			last++
			e, err := Evaluate(t.Context(), p.Model(), set, Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			wrong = *e.Error
		}
		r, err := Train(context.Background(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Evaluate(t.Context(), r.Model, set, Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if last == 0 || wrong > *e.Error+0.01 {
			t.Errorf("%+v: found the error %g of the last of %d models on the way, %g of the model", spec, wrong, last, *e.Error)
		}
	}
}
