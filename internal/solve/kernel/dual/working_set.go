package dual

import "slices"

// longSet is from how many rows on a working set is in the order of the rows. Of fewer rows time to read is little, and those
// that violate most come first: sets of two rows, sorted, stalled on a problem of 14 rows of TestOracle.
const longSet = 64

// choose fills the working set with the coefficients that are free, unless these are
// more than half of it, and with the worst violators: the rows that it would pay most to
// increase, and as many to decrease. If it holds all rows it takes them, in order.
//
// The worst violators alone are near each other where rows lie in few dimensions, and
// what is solved for them is no answer for those around: the free coefficients are what
// answers there. On 20433 houses of California (epsilon-insensitive, gamma = 1/8) that
// takes 28 rounds, where it took 410.
func (s *working) choose() {
	s.set = s.set[:0]
	if s.q == len(s.R) {
		for i := range s.R {
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
	var up, down Worst
	s.takeFree()
	room, taken := s.q-len(s.set), len(s.set) > 0
	up.Reset(room / 2)
	down.Reset(room - room/2)
	for i, r := range s.R {
		if taken && s.Up[i] == s.Low[i] {
			continue
		}
		if h := s.Up[i] - r; h > grow {
			up.Offer(i, h)
		}
		if h := s.Low[i] - r; h < shrink {
			down.Offer(i, -h)
		}
	}
	s.set = Union(s.set, up.List, down.List)
	s.inOrder(s.set)
}

// takeFree adds the free coefficients to the set, unless they are more than half of one.
func (s *working) takeFree() {
	if s.q < longSet || s.interior() > s.q/2 {
		return
	}
	for i, up := range s.Up {
		if up == s.Low[i] {
			s.set = append(s.set, i)
		}
	}
}

// inOrder sorts rows where they are many, so that rows of a table are read from begin to end.
func (s *working) inOrder(rows []int) {
	if s.q >= longSet {
		slices.Sort(rows)
	}
}

// Union appends the rows of two lists, each once.
func Union(dst []int, a, b []candidate) []int {
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

// Worst keeps the few largest of many: a heap with the least of them on top.
type Worst struct {
	List []candidate
	most int
}

type candidate struct {
	row   int
	value float64
}

func (w *Worst) Reset(most int) { w.List, w.most = w.List[:0], most }

// less orders by value, and equal values so that the first rows are kept.
func (a candidate) less(b candidate) bool {
	return a.value < b.value || a.value == b.value && a.row > b.row
}

// Offer takes a candidate if it is among the largest so far.
func (w *Worst) Offer(row int, value float64) {
	c := candidate{row, value}
	if len(w.List) < w.most {
		w.List = append(w.List, c)
		if len(w.List) == w.most {
			for i := w.most/2 - 1; i >= 0; i-- {
				w.sink(i)
			}
		}
		return
	}
	if w.most > 0 && w.List[0].less(c) {
		w.List[0] = c
		w.sink(0)
	}
}

func (w *Worst) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(w.List) {
			return
		}
		if right := child + 1; right < len(w.List) && w.List[right].less(w.List[child]) {
			child = right
		}
		if !w.List[child].less(w.List[i]) {
			return
		}
		w.List[i], w.List[child] = w.List[child], w.List[i]
		i = child
	}
}
