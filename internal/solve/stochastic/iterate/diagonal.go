package iterate

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Diagonal is the iterate with a step for each weight. A step changes the weights whose columns
// its rows have, alone: with g_j the gradient estimate there,
//
//	m_j <- beta1 m_j + (1-beta1) g_j      over 1 - beta1^k: the direction
//	u_j <- beta2 u_j + (1-beta2) g_j^2    over 1 - beta2^k; beta2 = 1: u_j + g_j^2
//	w_j <- S(w_j - e m_j, e f_j l1)/(1 + e f_j l2),   e = eta/(sqrt(u_j) + 1e-8)
//
// k is the number of steps that changed w_j: between them the moments stay, as for rare columns
// they would otherwise be those of the last row, and every step as long as the first. The penalty of a weight is felt only in steps that change it, and then f_j = rows/(rows that
// have column j) times: its mean over random rows is the penalty itself.
//
// beta1 = 0 and beta2 = 1: AdaGrad (Duchi, Hazan, Singer 2011). beta1 = 0: RMSprop, with
// Adam's correction of its start. Otherwise Adam (Kingma, Ba 2015), in its form for sparse rows.
type Diagonal struct {
	Options
	beta1, beta2 float64
	cells        []moments
	touched      []int // columns of this step
	eta          float64
	a            float64 // sum of the weights so far
}

// moments are what belongs to a weight.
type moments struct {
	w, m, u float64
	g, f    float64 // of this step
	often   float64 // rows over rows with this column
	k       float64 // steps that changed it
	z, a    float64 // its part of the average up to where the sum of weights was a
}

var _ Batched = (*Diagonal)(nil)

// NewDiagonal begins at w, d+1 numbers, or at 0 if w is nil. often[j] is the number of rows over
// that of rows with column j.
func NewDiagonal(o Options, beta1, beta2 float64, often, w []float64) *Diagonal {
	s := &Diagonal{Options: o, beta1: beta1, beta2: beta2, cells: make([]moments, o.Columns+1)}
	for j := range s.cells {
		s.cells[j].often = often[j]
	}
	for j, x := range w {
		s.cells[j].w = x
	}
	return s
}

// Dot returns <w, x>.
func (s *Diagonal) Dot(x matrix.Vector) float64 {
	sum := 0.0
	for k, value := range x.Value {
		sum += float64(float64(value) * s.cells[x.Column(k)].w)
	}
	if s.Constant {
		sum += s.cells[s.Columns].w
	}
	return sum
}

// Begin begins a step.
func (s *Diagonal) Begin(eta float64) {
	s.eta = eta
}

// Add adds a x to the gradient estimate.
func (s *Diagonal) Add(x matrix.Vector, a float64) {
	for k, value := range x.Value {
		s.add(x.Column(k), float64(a*float64(value)))
	}
	if s.Constant {
		s.add(s.Columns, a)
	}
}

func (s *Diagonal) add(j int, a float64) {
	if s.cells[j].add(a) {
		s.touched = append(s.touched, j)
	}
}

// add adds a to the gradient, and reports whether that is the first of the step.
func (c *moments) add(a float64) (first bool) {
	if first = c.f == 0; first {
		c.f = c.often
	}
	c.g += a
	return first
}

// columnsTogether is how many columns one core adds to at a time, at least.
const columnsTogether = 64

// between returns the columns of a row from lo to hi; those of a dense row are counted from lo then.
func between(x matrix.Vector, lo, hi int) matrix.Vector {
	if x.Index == nil {
		return matrix.Vector{Value: x.Value[min(lo, len(x.Value)):min(hi, len(x.Value))]}
	}
	first, _ := slices.BinarySearch(x.Index, uint32(lo))
	last, _ := slices.BinarySearch(x.Index, uint32(hi))
	return matrix.Vector{Index: x.Index[first:last], Value: x.Value[first:last]}
}

// AddRows is Add of each row.
func (s *Diagonal) AddRows(rows []matrix.Vector, a []float64, threads int) {
	touched := make([][]int, 8) // as many blocks at most
	parallel.Blocks(s.Columns, max(columnsTogether, (s.Columns+7)/8), threads, func(block, lo, hi int) {
		for k, x := range rows {
			if a[k] == 0 {
				continue
			}
			part, from := between(x, lo, hi), 0
			if x.Index == nil {
				from = lo
			}
			for q, value := range part.Value {
				if j := from + part.Column(q); s.cells[j].add(float64(a[k] * float64(value))) {
					touched[block] = append(touched[block], j)
				}
			}
		}
	})
	s.touched = append(s.touched, slices.Concat(touched...)...)
	for _, x := range a {
		if s.Constant && x != 0 {
			s.add(s.Columns, x)
		}
	}
}

// End ends a step.
func (s *Diagonal) End(weight float64) {
	for _, j := range s.touched {
		c := &s.cells[j]
		c.z += float64((s.a - c.a) * c.w)
		c.a = s.a
		s.step(c)
	}
	s.touched = s.touched[:0]
	s.a += weight
}

// step changes a weight.
func (s *Diagonal) step(c *moments) {
	c.k++
	m, u := c.g, 0.0
	if s.beta1 > 0 {
		c.m = float64(s.beta1*c.m) + float64((1-s.beta1)*c.g)
		m = c.m / (1 - power(s.beta1, c.k))
	}
	square := float64(c.g * c.g)
	switch {
	case s.beta2 == 1:
		c.u += square
		u = c.u
	default:
		c.u = float64(s.beta2*c.u) + float64((1-s.beta2)*square)
		u = c.u / (1 - power(s.beta2, c.k))
	}
	e := s.eta / (math.Sqrt(u) + 1e-8)
	if u > 0 {
		pull := float64(e * c.f)
		c.w = vec.Shrink(c.w-float64(e*m), float64(pull*s.L1)) / (1 + float64(pull*s.L2))
	}
	c.g, c.f = 0, 0
}

// Last writes the iterate.
func (s *Diagonal) Last(dst []float64) {
	for j := range dst {
		dst[j] = s.cells[j].w
	}
}

// Average writes the average.
func (s *Diagonal) Average(dst []float64) {
	for j := range dst {
		c := &s.cells[j]
		dst[j] = (c.z + float64((s.a-c.a)*c.w)) / s.a
	}
}

// Forget begins the average anew.
func (s *Diagonal) Forget() {
	for j := range s.cells {
		s.cells[j].z, s.cells[j].a = 0, 0
	}
	s.a = 0
}
