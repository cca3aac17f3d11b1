package kernel

import (
	"fmt"
	"testing"
)

// A kernel that is made of others says of which, in their order.
func TestParts(t *testing.T) {
	for spec, want := range map[string]string{
		"rbf:gamma=1":                     " []",
		"rbf:gamma=1 + linear":            "sum [{1} {}]", // all of them are Inner
		"laplacian:gamma=2 + 3":           "sum [{2} 3]",
		"rbf:gamma=1 * laplacian:gamma=2": "product [{1} {2}]",
		"normalised(poly:degree=2)":       "normalised [{2 1 0}]",
		"precomputed:shift=0.5":           " []",
	} {
		k, err := New(spec)
		if err != nil {
			t.Fatal(err)
		}
		how, parts := Parts(k)
		if found := fmt.Sprint(how, " ", parts); found != want {
			t.Errorf("%s: found %s, expected %s", spec, found, want)
		}
	}
}

// The frequencies of a map are those that its images are made of.
func TestFrequencies(t *testing.T) {
	f, err := NewFourier(RBF{0.3}, 70, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	all := f.Frequencies()
	if len(all) != 70*5 {
		t.Fatalf("found %d frequencies, expected %d", len(all), 70*5)
	}
	for _, j := range []int{0, 63, 64, 69} {
		for k, v := range f.page(j / pageColumns)[j%pageColumns*5:][:5] {
			if all[5*j+k] != v {
				t.Errorf("column %d: found %g, expected %g", j, all[5*j+k], v)
			}
		}
	}
}
