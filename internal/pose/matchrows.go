package pose

import (
	"slices"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// MatchSupport returns for each support vector the row that it is, -1 if it is none: one
// that is not another one's yet, and of its class, if there is such a row.
func MatchSupport(m *model.Model, x matrix.Matrix, class []uint32) []int {
	if _, ok := m.Support.Kernel.(kernel.Precomputed); ok { // rows are known by their numbers
		n, _ := x.Dims()
		all := make([]uint32, n)
		for i := range all {
			all[i] = uint32(i)
		}
		x = KeptRows(m.Support.Kernel, x, all)
	}
	order, keys := projections(x)
	taken := make([]bool, len(order))
	place := make([]int, m.Support.Len())
	for v := range place {
		row := m.Support.Rows.Row(v)
		key, size := projection(row)
		from, _ := slices.BinarySearch(keys, key-sameValue*size)
		best, rank := -1, 0
		for k := from; k < len(keys) && keys[k] <= key+sameValue*size && rank < 4; k++ {
			i := order[k]
			if better := 1 + 2*one(!taken[i]) + one(fitsClass(m, v, i, class)); better > rank && closeRow(row, x.Row(i)) {
				best, rank = i, better
			}
		}
		if place[v] = best; best >= 0 {
			taken[best] = true
		}
	}
	return place
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fitsClass reports whether row i has the class that support vector v pulls to.
func fitsClass(m *model.Model, v, i int, class []uint32) bool {
	if m.Classes == nil || m.OneClass() {
		return true
	}
	for c, o := range m.Outputs {
		first, second := 0, 1
		if m.Statement.Scheme == model.OneAgainstOne {
			first, second = model.Pair(c, len(m.Classes))
		}
		switch w := o.Weights[v]; {
		case w > 0:
			return int(class[i]) == second
		case w < 0:
			return int(class[i]) == first
		}
	}
	return true
}

// sameValue is how far values may be apart, relative to their size, to pass for
// the same.
const sameValue = 1e-6

// closeRow reports whether two rows have the same values.
func closeRow(x, y matrix.Vector) bool {
	return sameRow(x, y, func(a, b float32) bool {
		return max(a, b)-min(a, b) <= sameValue*max(a, -a, b, -b)
	})
}

// projections returns the rows in the order of their projections, and these.
func projections(x matrix.Matrix) (order []int, keys []float64) {
	n, _ := x.Dims()
	all := make([]float64, n)
	order = make([]int, n)
	for i := range n {
		all[i], _ = projection(x.Row(i))
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case all[a] < all[b]:
			return -1
		case all[a] > all[b]:
			return 1
		}
		return 0
	})
	for _, i := range order {
		keys = append(keys, all[i])
	}
	return order, keys
}

// projection returns the inner product of a row with numbers between 1 and 2
// that look like random ones, and that of the magnitudes.
func projection(x matrix.Vector) (key, size float64) {
	for k, value := range x.Value {
		h := uint64(x.Column(k)+1) * 0x9e3779b97f4a7c15
		h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
		p := (1 + float64(h>>11)*0x1p-53) * float64(value)
		key, size = key+p, size+max(p, -p)
	}
	return key, size
}
