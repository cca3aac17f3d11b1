package set_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

func TestNumberTarget(t *testing.T) {
	got := set.NumberTarget([]float64{1, math.Copysign(0, -1), 2.5, 0, 1e6, 1e300})
	expected := data.Target{Label: []string{"1", "0", "2.5", "1000000", "1e+300"}, Code: []uint32{0, 1, 2, 1, 3, 4},
		Number: []float64{1, 0, 2.5, 0, 1e6, 1e300}}
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("found %+v", got)
	}
	many := make([]float64, set.MaxLabels+1)
	for i := range many {
		many[i] = float64(i)
	}
	if got := set.NumberTarget(many[:set.MaxLabels]); len(got.Label) != set.MaxLabels {
		t.Errorf("found %d labels, expected %d", len(got.Label), set.MaxLabels)
	}
	if got := set.NumberTarget(many); got.Code != nil || got.Label != nil || len(got.Number) != len(many) {
		t.Errorf("found labels for %d distinct numbers", len(many))
	}
}

func TestMergeTargets(t *testing.T) {
	number, text := set.NumberTarget([]float64{2, 1}), data.Target{Label: []string{"b", "1"}, Code: []uint32{0, 1, 0}}
	for _, c := range []struct {
		parts    []data.Target
		expected data.Target
	}{
		{nil, data.Target{}},
		{[]data.Target{number, set.NumberTarget([]float64{3, 1})},
			data.Target{Label: []string{"2", "1", "3"}, Code: []uint32{0, 1, 2, 1}, Number: []float64{2, 1, 3, 1}}},
		{[]data.Target{number, text}, data.Target{Label: []string{"2", "1", "b"}, Code: []uint32{0, 1, 2, 1, 2}}},
		{[]data.Target{number, {Number: []float64{7}}}, data.Target{Number: []float64{2, 1, 7}}},
	} {
		if got, err := set.MergeTargets(c.parts); err != nil || !reflect.DeepEqual(got, c.expected) {
			t.Errorf("found %+v, %v, expected %+v", got, err, c.expected)
		}
	}
	if _, err := set.MergeTargets([]data.Target{text, {Number: []float64{7}}}); err == nil {
		t.Error("names and too many numbers were merged")
	}
}
