package data_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Rows in memory are the same set as the same rows in a file.
func TestSlicesAreLikeFiles(t *testing.T) {
	text := "+1 1:1 3:0.5\n-1 2:2\n1 3:-1\n"
	file, err := data.Read(context.Background(), []string{"-"}, data.Options{Source: data.Source{Stdin: strings.NewReader(text)}})
	if err != nil {
		t.Fatal(err)
	}
	target := data.Labels([]string{"+1", "-1", "1"})
	dense, err := data.FromDense([][]float32{{1, 0, 0.5}, {0, 2, 0}, {0, 0, -1}}, target)
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := data.FromSparse([]matrix.Vector{
		{Index: []uint32{0, 2}, Value: []float32{1, 0.5}}, {Index: []uint32{1}, Value: []float32{2}}, {Index: []uint32{2}, Value: []float32{-1}}}, 3, target)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*data.Set{"dense": dense, "sparse": sparse} {
		if s.Digest() != file.Digest() {
			t.Errorf("%s: found %s, expected %s as from a file", name, s.Digest(), file.Digest())
		}
		if got, want := fmt.Sprint(s.Target), fmt.Sprint(file.Target); got != want {
			t.Errorf("%s: found the target %s, expected %s as from a file", name, got, want)
		}
	}
}

func TestSlicesCopy(t *testing.T) {
	rows, numbers := [][]float32{{1}, {2}}, []float64{0.5, 1.5}
	s, err := data.FromDense(rows, data.Numbers(numbers))
	if err != nil {
		t.Fatal(err)
	}
	before := s.Digest()
	rows[0][0], numbers[0] = 7, 7
	if s.Digest() != before {
		t.Error("the set changed with the slices it was made from")
	}
}

func TestTargetsInMemory(t *testing.T) {
	many := make([]float64, set.MaxLabels+1)
	spelled := make([]string, len(many))
	for i := range many {
		many[i], spelled[i] = float64(i), fmt.Sprint(i)
	}
	for name, c := range map[string]struct {
		target       data.Target
		codes, label int
		numbers      int
	}{
		"names":         {data.Labels([]string{"a", "b", "a"}), 3, 2, 0},
		"mixed":         {data.Labels([]string{"1", "b", "2"}), 3, 3, 0},
		"numerals":      {data.Labels([]string{"1", "+1", "2"}), 3, 2, 3},
		"numbers":       {data.Numbers([]float64{1, 1, 2.5}), 3, 2, 3},
		"many":          {data.Numbers(many), 0, 0, len(many)},
		"many, spelled": {data.Labels(spelled), 0, 0, len(many)},
	} {
		if got := c.target; len(got.Code) != c.codes || len(got.Label) != c.label || len(got.Number) != c.numbers {
			t.Errorf("%s: found %d codes of %d labels and %d numbers, expected %d, %d, %d", name, len(got.Code), len(got.Label), len(got.Number), c.codes, c.label, c.numbers)
		}
	}
}

func TestSlicesRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	two := data.Labels([]string{"a", "b"})
	dense := func(target data.Target, rows ...[]float32) error {
		_, err := data.FromDense(rows, target)
		return err
	}
	sparse := func(row matrix.Vector) error {
		_, err := data.FromSparse([]matrix.Vector{row}, 3, data.Target{})
		return err
	}
	for want, err := range map[string]error{
		"found no rows, expected at least one":                                  dense(data.Target{}),
		"row 2: found 1 value, expected 2 as in row 1":                          dense(two, []float32{1, 2}, []float32{1}),
		"row 2: feature 1 is not a finite number":                               dense(two, []float32{1}, []float32{nan}),
		"row 1: feature 2 is not a finite number":                               dense(two, []float32{1, inf}, []float32{1, 1}),
		"found 2 targets, expected one for each of 1 row":                       dense(two, []float32{1}),
		`row 2: found the label "", expected a finite number or a name`:         dense(data.Labels([]string{"a", ""}), []float32{1}, []float32{1}),
		`row 1: found the label "nan", expected a finite number or a name`:      dense(data.Labels([]string{"nan", "1"}), []float32{1}, []float32{1}),
		`row 2: found the label "\xe9", expected UTF-8 text`:                    dense(data.Labels([]string{"a", "\xe9"}), []float32{1}, []float32{1}),
		"row 2: found the target +Inf, expected a finite number":                dense(data.Numbers([]float64{1, math.Inf(1)}), []float32{1}, []float32{1}),
		"row 1: found 2 columns and 1 value, expected as many":                  sparse(matrix.Vector{Index: []uint32{0, 1}, Value: []float32{1}}),
		"row 1: found column 1 in place 2, expected increasing columns below 3": sparse(matrix.Vector{Index: []uint32{1, 1}, Value: []float32{1, 1}}),
		"row 1: found column 3 in place 1, expected increasing columns below 3": sparse(matrix.Vector{Index: []uint32{3}, Value: []float32{1}}),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("found error %v, expected %q", err, want)
		}
	}
}
