package dual

import "slices"

// longSet is from how many rows on a working set is in the order of the rows. Of fewer rows time to read is little, and those
// that violate most come first: sets of two rows, sorted, stalled on a problem of 14 rows of TestOracle.
const longSet = 64

// choose fills the working set with the worst violators: the q/2 rows that it
// would pay most to increase, and as many to decrease. If it holds all rows it
// takes them, in order.
func (s *working) choose() {
	s.set = s.set[:0]
	if s.q == len(s.r) {
		for i := range s.r {
			s.set = append(s.set, i)
		}
		return
	}
	top, bottom := s.span()
	if !s.free {
		top, bottom = max(top, 0), min(bottom, 0)
	}
	if !(top > bottom) {
		return
	}
	// Pairs are violating only across: what should grow beyond the least of
	// what may shrink.
	grow, shrink := bottom, top
	if !s.free {
		grow, shrink = 0, 0
	}
	var up, down worst
	up.reset(s.q / 2)
	down.reset(s.q - s.q/2)
	for i, r := range s.r {
		if h := s.up[i] - r; h > grow {
			up.offer(i, h)
		}
		if h := s.low[i] - r; h < shrink {
			down.offer(i, -h)
		}
	}
	s.set = union(s.set, up.list, down.list)
	s.inOrder(s.set)
}

// inOrder sorts rows where they are many, so that rows of a table are read from begin to end.
func (s *working) inOrder(rows []int) {
	if s.q >= longSet {
		slices.Sort(rows)
	}
}

// union appends the rows of two lists, each once.
func union(dst []int, a, b []candidate) []int {
	taken := make(map[int]bool, len(a))
	for _, c := range a {
		taken[c.row] = true
		dst = append(dst, c.row)
	}
	for _, c := range b {
		if !taken[c.row] {
			dst = append(dst, c.row)
		}
	}
	return dst
}

// worst keeps the few largest of many: a heap with the least of them on top.
type worst struct {
	list []candidate
	most int
}

type candidate struct {
	row   int
	value float64
}

func (w *worst) reset(most int) { w.list, w.most = w.list[:0], most }

// less orders by value, and equal values so that the first rows are kept.
func (a candidate) less(b candidate) bool {
	return a.value < b.value || a.value == b.value && a.row > b.row
}

// offer takes a candidate if it is among the largest so far.
func (w *worst) offer(row int, value float64) {
	c := candidate{row, value}
	if len(w.list) < w.most {
		w.list = append(w.list, c)
		if len(w.list) == w.most {
			for i := w.most/2 - 1; i >= 0; i-- {
				w.sink(i)
			}
		}
		return
	}
	if w.most > 0 && w.list[0].less(c) {
		w.list[0] = c
		w.sink(0)
	}
}

func (w *worst) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(w.list) {
			return
		}
		if right := child + 1; right < len(w.list) && w.list[right].less(w.list[child]) {
			child = right
		}
		if !w.list[child].less(w.list[i]) {
			return
		}
		w.list[i], w.list[child] = w.list[child], w.list[i]
		i = child
	}
}
