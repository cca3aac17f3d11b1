package fenchel

import (
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
)

// Classes that are called -1 and +1 are learned from the numbers that the data have;
// others, or numbers that say something else, from a column of their own.
func TestTargetsOfSigns(t *testing.T) {
	named := data.Labels([]string{"+1", "-1", "-1", "1.0"})
	other := named
	other.Number = []float64{1, -1, 1, 1}
	short := named
	short.Number = named.Number[:3]
	for _, c := range []struct {
		name   string
		target data.Target
		shared bool
	}{
		{"-1 and +1", named, true},
		{"0 and 1", data.Labels([]string{"1", "0", "0", "1"}), false},
		{"names", data.Labels([]string{"b", "a", "a", "b"}), false},
		{"other numbers", other, false},
		{"too few numbers", short, false},
	} {
		l, err := pose.ClassLabels(c.target, nil, pose.Target{})
		if err != nil {
			t.Fatal(err)
		}
		y := l.Targets(0, 1)
		if want := []float64{1, -1, -1, 1}; !slices.Equal(y, want) {
			t.Errorf("%s: found the targets %v, expected %v", c.name, y, want)
		}
		if shared := c.target.Number != nil && &y[0] == &c.target.Number[0]; shared != c.shared {
			t.Errorf("%s: found the data's own numbers: %v, expected %v", c.name, shared, c.shared)
		}
	}
}

// TestRareLabels: a few labels of one row each are classes where others have many rows; many are not.
func TestRareLabels(t *testing.T) {
	for _, c := range []struct {
		rare, common int
		refused      bool
	}{{2, 18, false}, {19, 40, false}, {21, 40, true}, {2, 1, true}} {
		text := slices.Repeat([]string{"often"}, c.common)
		for k := range c.rare {
			text = append(text, string(rune('a'+k)))
		}
		spec := Spec{}
		if err := spec.DecideTask(&data.Set{Target: data.Labels(text)}); (err != nil) != c.refused {
			t.Errorf("%d labels once, one %d times: found %v", c.rare, c.common, err)
		}
	}
}
