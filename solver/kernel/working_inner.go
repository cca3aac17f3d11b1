package kernel

import (
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/vec"
)

// block is the dual problem of a working set: all that it needs, in one place.
type block struct {
	dual
	rows [][]float64 // of K, the constant of a bias that is a feature included
}

// begin copies what belongs to the rows of the set.
func (b *block) begin(d *dual, set []int) {
	b.loss, b.free, b.sigma = d.loss, d.free, d.sigma
	b.y = gather(b.y, d.y, set)
	b.c = gather(b.c, d.c, set)
	b.lo = gather(b.lo, d.lo, set)
	b.hi = gather(b.hi, d.hi, set)
	b.beta = gather(b.beta, d.beta, set)
	b.r = gather(b.r, d.r, set)
	b.up = gather(b.up, d.up, set)
	b.low = gather(b.low, d.low, set)
	b.k = gather(b.k, d.k, set)
	for len(b.rows) < len(set) {
		b.rows = append(b.rows, nil)
	}
}

// fill takes the rows of K that belong to a part of the set.
func (b *block) fill(first int, set []int, rows []kernel.Row, constant float64) {
	for k, row := range rows {
		k += first
		b.rows[k] = b.rows[k][:0]
		for _, j := range set {
			b.rows[k] = append(b.rows[k], row.At(j)+constant)
		}
		b.k[k] = b.rows[k][k]
	}
}

func gather(dst, src []float64, at []int) []float64 {
	dst = dst[:0]
	for _, i := range at {
		dst = append(dst, src[i])
	}
	return dst
}

// solve goes on until the violation is a tenth of what it was.
func (b *block) solve() {
	goal := 0.1 * b.violation()
	for range 100 * len(b.r) {
		if !b.advance(goal) {
			return
		}
	}
}

// advance makes the step of a pair, or of one coefficient where there is no
// free bias, unless the violation is at most goal.
func (b *block) advance(goal float64) bool {
	i, j, kij := b.choose(goal)
	if i < 0 && j < 0 {
		return false
	}
	t := b.step(i, j, kij)
	if !(t > 0) {
		return false
	}
	if i >= 0 {
		vec.Axpy64(b.r, t, b.rows[i])
	}
	if j >= 0 {
		vec.Axpy64(b.r, -t, b.rows[j])
	}
	b.move(i, j, t)
	return true
}

// choose returns what to move next, -1 and -1 if the violation is at most goal.
func (b *block) choose(goal float64) (i, j int, kij float64) {
	if !b.free {
		i, j, violation := b.bestOne()
		if violation <= goal {
			return -1, -1, 0
		}
		return i, j, 0
	}
	i, j = b.extremes()
	if i < 0 || b.up[i]-b.r[i]-(b.low[j]-b.r[j]) <= goal {
		return -1, -1, 0
	}
	if j = b.partner(i, b.rows[i]); j < 0 {
		return -1, -1, 0
	}
	return i, j, b.rows[i][j]
}
