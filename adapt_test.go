package fenchel

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
)

// TestAdapt: weights of features as the data have them predict the same of features less
// offsets times factors, and scaled.
func TestAdapt(t *testing.T) {
	x, w := []float64{1.7e3, -2, 5}, []float64{0.25, -3, 0.5, 7}
	schema := &data.Schema{Columns: []data.Column{{Offset: 1.6e3}, {Factor: 16}, {Offset: 4, Factor: 2}}, Target: -1, Weight: -1}
	for _, to := range []*data.Scaling{nil, {Offset: []float64{90, -1, 0}, Factor: []float64{0.1, 2, 3}}} {
		found, want := slices.Clone(w), w[3]
		adapt(found, schema, to)
		got := found[3]
		for j, v := range x {
			want += w[j] * v
			if v = schema.Columns[j].Stored(v); to != nil {
				v = (v - to.Offset[j]) * to.Factor[j]
			}
			got += found[j] * v
		}
		if math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("scaling %v: found the prediction %g, expected %g", to != nil, got, want)
		}
	}
}
