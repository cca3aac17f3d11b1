package generate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/generate"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		n      int
		shares []float64
		want   []int
	}{
		{70000, []float64{.4, .2, .4}, []int{28000, 14000, 28000}},
		{70000, []float64{40, 20, 40}, []int{28000, 14000, 28000}},
		{7, []float64{1, 1}, []int{4, 3}},
		{3, []float64{1e-9, 1, 1e-9}, []int{1, 1, 1}},
		{10, []float64{5e-324, 1e300}, []int{1, 9}},
		{5, []float64{1}, []int{5}},
	} {
		parts, err := generate.Split(c.n, 1, c.shares...)
		if err != nil {
			t.Fatal(err)
		}
		var sizes []int
		for _, p := range parts {
			sizes = append(sizes, len(p))
		}
		all := slices.Concat(parts...)
		slices.Sort(all)
		if !slices.Equal(sizes, c.want) || len(all) != c.n || all[0] != 0 || all[c.n-1] != c.n-1 || len(slices.Compact(all)) != c.n {
			t.Errorf("%d rows by %v: found parts of %v rows, expected %v that are all rows", c.n, c.shares, sizes, c.want)
		}
	}
	for want, err := range map[string]error{
		"split: found 0 as share 2, expected a number above 0":               second(generate.Split(9, 1, 1, 0)),
		"split: found NaN as share 1, expected a number above 0":             second(generate.Split(9, 1, math.NaN())),
		"split: found +Inf as share 1, expected a number above 0":            second(generate.Split(9, 1, math.Inf(1))),
		"split: found 2 rows for 3 parts, expected at least one row a part":  second(generate.Split(2, 1, 1, 1, 1)),
		"split: found 9 rows for 0 parts, expected at least one row a part":  second(generate.Split(9, 1)),
		"split: found 0 rows for 1 part, expected at least one row a part":   second(generate.Split(-1, 1, 1)),
		"split: found 99 rows for 2 parts, expected at least one row a part": second(generate.Split(99, 1, 1e308, 1e308)),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// The same seed gives the same order on every machine and in every version.
func TestOrder(t *testing.T) {
	if got, want := generate.Order(8, 1, 0), []int{3, 5, 4, 2, 0, 6, 7, 1}; !slices.Equal(got, want) {
		t.Errorf("found order %v, expected %v", got, want)
	}
	parts, _ := generate.Split(8, 1, 1, 1)
	if got, want := slices.Concat(parts...), []int{2, 7, 1, 5, 4, 0, 6, 3}; !slices.Equal(got, want) {
		t.Errorf("found split %v, expected %v", got, want)
	}
	first := generate.Order(1000, 7, 3)
	for _, other := range [][]int{generate.Order(1000, 8, 3), generate.Order(1000, 7, 4)} {
		if slices.Equal(first, other) {
			t.Error("another seed or epoch gives the same order")
		}
	}
	if !slices.Equal(first, generate.Order(1000, 7, 3)) || len(generate.Order(0, 1, 1)) != 0 {
		t.Error("the same seed gives another order")
	}
	// Each number is in each place in one of six orders of three: 6000 of them
	// have deviation 29.
	count := map[[3]int]int{}
	for epoch := range uint64(6000) {
		count[[3]int(generate.Order(3, 1, epoch))]++
	}
	for order, n := range count {
		if len(count) != 6 || n < 1000-4*29 || n > 1000+4*29 {
			t.Errorf("order %v: found %d of 6000 in %d orders, expected 1000 in 6", order, n, len(count))
		}
	}
}
