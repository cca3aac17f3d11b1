package train

import (
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/dataset"
)

// Classes that are called -1 and +1 are learned from the numbers that the data have;
// others, or numbers that say something else, from a column of their own.
func TestTargetsOfSigns(t *testing.T) {
	named := dataset.Labels([]string{"+1", "-1", "-1", "1.0"})
	other := named
	other.Number = []float64{1, -1, 1, 1}
	short := named
	short.Number = named.Number[:3]
	for _, c := range []struct {
		name   string
		target dataset.Target
		shared bool
	}{
		{"-1 and +1", named, true},
		{"0 and 1", dataset.Labels([]string{"1", "0", "0", "1"}), false},
		{"names", dataset.Labels([]string{"b", "a", "a", "b"}), false},
		{"other numbers", other, false},
		{"too few numbers", short, false},
	} {
		l, err := classLabels(c.target, nil, &Spec{})
		if err != nil {
			t.Fatal(err)
		}
		y := l.targets(0, 1)
		if want := []float64{1, -1, -1, 1}; !slices.Equal(y, want) {
			t.Errorf("%s: found the targets %v, expected %v", c.name, y, want)
		}
		if shared := c.target.Number != nil && &y[0] == &c.target.Number[0]; shared != c.shared {
			t.Errorf("%s: found the data's own numbers: %v, expected %v", c.name, shared, c.shared)
		}
	}
}
