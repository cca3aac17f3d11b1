package problem

import (
	"math"
	"math/bits"
)

// balanceFlows shrinks numbers v_ik >= 0, n x K, of which that of the row's own class y_i is 0,
// until for each class what it takes equals what it gives, exactly:
//
//	sum over rows of other classes of v_ik  =  sum over its own rows, and all k, of v_ik
//
// A free bias makes the dual minus infinity otherwise. No number grows.
//
// All are rounded towards zero to multiples of one quantum, as in balance. Then F_jk, what the
// rows of class j give to class k, is a matrix of whole numbers, and its part that must go is
// a flow R <= F from the classes that give too little to those that take too much. There
// always is one, as F itself is. It is found by shortest augmenting paths (Edmonds, Karp
// 1972), after what single steps can do, and taken off the rows in proportion.
func balanceFlows(v []float64, y []uint32, classes int) {
	total, largest := sizeOf(v, 1)
	if total == 0 {
		return
	}
	if math.IsInf(total, 1) {
		clear(v)
		return
	}
	quantum := max(math.Ilogb(total)-61, math.Ilogb(largest)-52, -1022)
	unit := math.Ldexp(1, quantum)
	f := &flows{classes: classes, flow: make([]uint64, classes*classes), excess: make([]int64, classes)}
	scale := math.Ldexp(1, -quantum)
	for i, own := range y {
		row := v[i*classes : (i+1)*classes]
		for c := range row {
			if units := uint64(row[c] * scale); units > 0 {
				f.flow[int(own)*classes+c] += units
				f.excess[c] += int64(units)
				f.excess[own] -= int64(units)
			}
			row[c] = math.Trunc(row[c] * scale)
		}
	}
	f.reduce()
	f.shrink(v, y, unit)
}

// flows is a matrix of whole numbers that is to be a circulation.
type flows struct {
	classes int
	flow    []uint64 // K x K: from a class to another
	gone    []uint64 // of these; nil: nothing
	excess  []int64  // what is still taken in excess of what is given
}

// reduce finds how much of each flow must go.
func (f *flows) reduce() {
	f.gone = make([]uint64, len(f.flow))
	k := f.classes
	for j := range k {
		for c := range k {
			if f.excess[j] < 0 && f.excess[c] > 0 {
				part := min(uint64(-f.excess[j]), uint64(f.excess[c]), f.flow[j*k+c])
				f.take(j, c, part)
				f.excess[j] += int64(part)
				f.excess[c] -= int64(part)
			}
		}
	}
	for f.augment() {
	}
}

// take has as much more of a flow go; what has gone the other way comes back first.
func (f *flows) take(j, c int, part uint64) {
	back := min(part, f.gone[c*f.classes+j])
	f.gone[c*f.classes+j] -= back
	f.gone[j*f.classes+c] += part - back
}

// room is how much more of a flow may go.
func (f *flows) room(j, c int) uint64 {
	return f.flow[j*f.classes+c] - f.gone[j*f.classes+c] + f.gone[c*f.classes+j]
}

// augment takes a flow off along a shortest path from a class with a deficit to a class with an
// excess; it reports whether there was such a path.
func (f *flows) augment() bool {
	k := f.classes
	before, queue := make([]int, k), []int{}
	for j := range before {
		before[j] = -1
		if f.excess[j] < 0 {
			before[j] = j
			queue = append(queue, j)
		}
	}
	for at := 0; at < len(queue); at++ {
		j := queue[at]
		if f.excess[j] > 0 {
			f.along(before, j)
			return true
		}
		for c := range k {
			if before[c] < 0 && f.room(j, c) > 0 {
				before[c] = j
				queue = append(queue, c)
			}
		}
	}
	return false
}

// along takes off what the path that ends at a class has room for.
func (f *flows) along(before []int, end int) {
	part := uint64(f.excess[end])
	first := end
	for ; before[first] != first; first = before[first] {
		part = min(part, f.room(before[first], first))
	}
	part = min(part, uint64(-f.excess[first]))
	for c := end; before[c] != c; c = before[c] {
		f.take(before[c], c, part)
	}
	f.excess[first] += int64(part)
	f.excess[end] -= int64(part)
}

// shrink multiplies the units of rows of class j at class k by what is left of F_jk, so that they
// add up to that: of a running sum t the whole part of t left/F_jk is given out.
func (f *flows) shrink(units []float64, y []uint32, quantum float64) {
	k := f.classes
	run := make([]uint64, k*k)
	for i, own := range y {
		row := units[i*k : (i+1)*k]
		for c, x := range row {
			if x == 0 {
				continue
			}
			at := int(own)*k + c
			if all, left := f.flow[at], f.flow[at]-f.gone[at]; left != all {
				before := share(run[at], left, all)
				run[at] += uint64(x)
				x = float64(share(run[at], left, all) - before)
			}
			row[c] = x * quantum
		}
	}
}

// share returns part left/all, rounded down, for part and left at most all.
func share(part, left, all uint64) uint64 {
	high, low := bits.Mul64(part, left)
	quotient, _ := bits.Div64(high, low, all)
	return quotient
}
