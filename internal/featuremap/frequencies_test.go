package featuremap

import (
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
)

// The frequencies of a map are those that its images are made of.
func TestFrequencies(t *testing.T) {
	f, err := NewFourier(kernel.RBF{Gamma: 0.3}, 70, 5, 1)
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
