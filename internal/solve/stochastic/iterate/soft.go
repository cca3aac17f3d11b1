package iterate

import (
	"sort"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Soft is the Euclidean iterate for a penalty l1 |w|_1 + l2 |w|^2/2. A step is
//
//	w <- f S(w - eta (g + share h), eta l1),  f = 1/(1 + eta l2),  S the soft threshold
//
// for a gradient estimate g that has the nonzeros of some rows and a direction h that has all;
// or, with Forward, f multiplies w alone, before.
//
//	Scaling  w = c v: f costs O(1), and g is taken off v as (eta/c) g
//	Delay    while no row has column j, its h_j stays: v_j moves by h_j and l1 alone, in
//	         straight lines over the clock sum eta/c. cell.last is the clock at which v_j was
//	         right; a row that asks for v_j has the rest done at once. At most one step crosses
//	         zero, which is found in the clocks of all steps.
//
// It keeps no average, which would have no zeros.
type Soft struct {
	Options
	cells   []cell
	c, next float64   // w = c v, and c after this step
	rate    float64   // eta/c of this step
	clock   float64   // the sum of the rates
	clocks  []float64 // the clock after each step
	pending []turn
}

// A cell is what belongs to a column, in one place of the memory.
type cell struct{ v, h, last float64 }

// A turn changes h after the step.
type turn struct {
	x matrix.Vector
	b float64
}

// NewSoft begins at w, d+1 numbers, or at 0 if w is nil.
func NewSoft(o Options, w []float64) *Soft {
	s := &Soft{Options: o, cells: make([]cell, o.Columns+1), c: 1}
	for j, x := range w {
		s.cells[j].v = x
	}
	return s
}

// now does what was delayed for a cell.
func (s *Soft) now(c *cell) {
	if c.last == s.clock {
		return
	}
	c.v = s.moved(c.v, c.h, c.last)
	c.last = s.clock
}

// moved returns where the steps since the clock stood at last take v along h, with l1.
func (s *Soft) moved(v, h, last float64) float64 {
	if v < 0 {
		return -s.moved(-v, -h, last)
	}
	if v == 0 {
		return -float64(vec.Shrink(h, s.L1) * (s.clock - last))
	}
	speed := h + s.L1
	end := v - float64(speed*(s.clock-last))
	if end >= 0 {
		return end
	}
	// The step that crosses zero is the first after which the line is below.
	at := sort.Search(len(s.clocks), func(k int) bool {
		return s.clocks[k] > last && v-float64(speed*(s.clocks[k]-last)) < 0
	})
	before := last
	if at > 0 {
		before = max(last, s.clocks[at-1])
	}
	rate := s.clocks[at] - before
	v = vec.Shrink(v-float64(speed*(before-last))-float64(rate*h), rate*s.L1)
	if v > 0 { // rounding
		v = 0
	}
	return v - float64(max(0, h-s.L1)*(s.clock-s.clocks[at]))
}

// Dot returns <w, x>.
func (s *Soft) Dot(x matrix.Vector) float64 {
	sum := 0.0
	for k, value := range x.Value {
		c := &s.cells[x.Column(k)]
		s.now(c)
		sum += float64(float64(value) * c.v)
	}
	if s.Constant {
		c := &s.cells[s.Columns]
		s.now(c)
		sum += c.v
	}
	return s.c * sum
}

// Begin begins a step.
func (s *Soft) Begin(eta float64) {
	factor, before := s.shrinkage(eta)
	if factor == 0 {
		s.refresh()
		for j := range s.cells {
			s.cells[j].v = 0
		}
		factor = 1
	}
	s.next = s.c * factor
	s.rate = eta / s.c
	if before {
		s.rate = eta / s.next
	}
}

// Add takes a x off the weights.
func (s *Soft) Add(x matrix.Vector, a float64) {
	change := -float64(a * s.rate)
	for k, value := range x.Value {
		s.add(&s.cells[x.Column(k)], float64(change*float64(value)))
	}
	if s.Constant {
		s.add(&s.cells[s.Columns], change)
	}
}

func (s *Soft) add(c *cell, change float64) {
	s.now(c)
	c.v += change
}

// Turn is Add(x, direct), and turns h by early x for this step and by late x after it.
func (s *Soft) Turn(x matrix.Vector, direct, early, late float64) {
	if direct != 0 {
		s.Add(x, direct)
	}
	s.turn(x, early)
	s.pending = append(s.pending, turn{x, late})
}

// turn adds b x to h.
func (s *Soft) turn(x matrix.Vector, b float64) {
	if b == 0 {
		return
	}
	for k, value := range x.Value {
		c := &s.cells[x.Column(k)]
		s.now(c)
		c.h += float64(b * float64(value))
	}
	if s.Constant {
		c := &s.cells[s.Columns]
		s.now(c)
		c.h += b
	}
}

// Share is 1: no method with an l1 has another.
func (s *Soft) Share(float64) {}

// End ends a step.
func (s *Soft) End(float64) {
	s.clock += s.rate
	s.clocks = append(s.clocks, s.clock)
	s.c = s.next
	for _, t := range s.pending {
		s.turn(t.x, t.b)
	}
	s.pending = s.pending[:0]
	if s.c < 1e-6 || len(s.clocks) > 1<<22 {
		s.refresh()
	}
}

// Direct replaces the direction.
func (s *Soft) Direct(h []float64) {
	s.refresh()
	for j, h := range h {
		s.cells[j].h = h
	}
	if !s.Constant {
		s.cells[s.Columns].h = 0
	}
}

// Direction writes h.
func (s *Soft) Direction(dst []float64) {
	for j := range dst {
		dst[j] = s.cells[j].h
	}
}

// refresh does all that was delayed, and makes c = 1, against drift.
func (s *Soft) refresh() {
	for j := range s.cells {
		c := &s.cells[j]
		s.now(c)
		c.v *= s.c
		c.last = 0
	}
	s.c, s.clock, s.clocks = 1, 0, s.clocks[:0]
}

// Last writes the iterate.
func (s *Soft) Last(dst []float64) {
	s.refresh()
	for j := range dst {
		dst[j] = s.cells[j].v
	}
}

// Average writes the last iterate.
func (s *Soft) Average(dst []float64) { s.Last(dst) }

// Forget has nothing to forget.
func (s *Soft) Forget() {}
