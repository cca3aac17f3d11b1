package kernel

import "math"

// pairs is the problem of a working set: all that it needs, in one place.
type pairs struct {
	set       []part
	x, cap, h []float64
	k         [][]float64 // K between the rows of the parts, with their signs
}

// begin copies what belongs to the parts of the set.
func (b *pairs) begin(s *nu, set []part) {
	b.set, b.x, b.cap, b.h = set, b.x[:0], b.cap[:0], b.h[:0]
	for _, v := range set {
		h, _, _ := s.pays(v.side, v.row)
		b.x = append(b.x, s.x[v.side][v.row])
		b.cap = append(b.cap, s.cap[v.side][v.row])
		b.h = append(b.h, h)
	}
	for len(b.k) < len(set) {
		b.k = append(b.k, nil)
	}
	most := s.p.Capacity()
	var rows []int
	for first := 0; first < len(set); first += most {
		rows = rows[:0]
		for _, v := range set[first:min(first+most, len(set))] {
			rows = append(rows, v.row)
		}
		for k, row := range s.p.Rows(rows) {
			k += first
			b.k[k] = b.k[k][:0]
			for _, v := range set {
				value := row.At(v.row)
				if v.side != set[k].side {
					value = -value
				}
				b.k[k] = append(b.k[k], value)
			}
		}
	}
}

// solve goes on until the violation is a tenth of what it was.
func (b *pairs) solve() {
	goal := math.NaN()
	for range 100 * len(b.set) {
		i, j, violation := b.choose()
		if math.IsNaN(goal) {
			goal = 0.1 * violation
		}
		if !(violation > goal) || j < 0 {
			return
		}
		b.move(i, j)
	}
}

// choose returns the part of the side that violates its condition most for which
// growing pays most, and the one that gains most with it (Fan, Chen, Lin 2005).
func (b *pairs) choose() (i, j int, violation float64) {
	i, j = -1, -1
	for side := range 2 {
		first, top, bottom := -1, math.Inf(-1), math.Inf(1)
		for k, v := range b.set {
			if v.side != side {
				continue
			}
			if b.x[k] < b.cap[k] && b.h[k] > top {
				first, top = k, b.h[k]
			}
			if b.x[k] > 0 && b.h[k] < bottom {
				bottom = b.h[k]
			}
		}
		if top-bottom > violation {
			i, violation = first, top-bottom
		}
	}
	if i < 0 {
		return
	}
	most := 0.0
	for k, v := range b.set {
		if d := b.h[i] - b.h[k]; v.side == b.set[i].side && b.x[k] > 0 && d > 0 {
			if gain := d * (d / b.curvature(i, k)); gain > most {
				j, most = k, gain
			}
		}
	}
	return
}

func (b *pairs) curvature(i, j int) float64 {
	return max(b.k[i][i]+b.k[j][j]-2*b.k[i][j], leastCurvature)
}

// move makes the step of a pair. What reaches an end gets its exact value.
func (b *pairs) move(i, j int) {
	room, rest := b.cap[i]-b.x[i], b.x[j]
	d := min((b.h[i]-b.h[j])/b.curvature(i, j), room, rest)
	if b.x[i] += d; d == room {
		b.x[i] = b.cap[i]
	}
	if b.x[j] -= d; d == rest {
		b.x[j] = 0
	}
	for k := range b.h {
		b.h[k] -= float64(d * (b.k[i][k] - b.k[j][k]))
	}
}
