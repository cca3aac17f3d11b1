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
