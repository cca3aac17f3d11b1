package main

import (
	"slices"
	"testing"
)

// TestArrows: none runs back where files name each other one way only, whatever the order of their names; of a
// circle one does, the one with the fewest names; the order is one in every run.
func TestArrows(t *testing.T) {
	for _, c := range []struct {
		name      string
		uses      [][]int
		back, all int
		order     []int
	}{
		{"one way", [][]int{{9, 0, 0}, {1, 9, 0}, {1, 2, 9}}, 0, 3, []int{2, 1, 0}},
		{"a circle", [][]int{{0, 5, 0}, {0, 0, 5}, {1, 0, 0}}, 1, 3, []int{0, 1, 2}},
		{"a knot below a file", [][]int{{0, 1, 1, 0}, {0, 0, 3, 0}, {0, 1, 0, 0}, {4, 0, 0, 0}}, 1, 5, []int{3, 0, 1, 2}},
	} {
		r := room{folder: c.name, files: make([]string, len(c.uses)), uses: c.uses}
		back, all := r.arrows()
		if order := r.order(); back != c.back || all != c.all || !slices.Equal(order, c.order) {
			t.Errorf("%s: found %d of %d in the order %v, expected %d of %d in %v", c.name, back, all, order, c.back, c.all, c.order)
		}
	}
}
