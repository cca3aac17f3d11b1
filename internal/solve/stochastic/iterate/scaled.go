package iterate

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Scaled is the Euclidean iterate for a penalty l2 |w|^2/2. A step is
//
//	w <- f (w - eta (g + share h)),  f = 1/(1 + eta l2)
//
// for a gradient estimate g that has the nonzeros of some rows and a direction h that has all;
// or, with Forward, f multiplies w alone.
//
//	Scaling  w = c (u - C h): f costs O(1), g is taken off u as (eta/c) g, and to go along h is to
//	         add eta share/c to C. Where h changes by b x, u changes by C b x.
//	Average  sum_t weight_t c_t u_t = A u + z, with A = sum of weight c: where u changes by
//	         delta, z does by -A delta. Only without h.
type Scaled struct {
	Options
	u, h, z []float64 // d+1; h and z are nil until they are used
	c, next float64   // and c after this step
	rate    float64   // eta/c of this step
	share   float64   // of h
	along   float64   // C
	squared float64   // |u|^2 without h
	a       float64
	total   float64 // of the weights
}

// NewScaled begins at w, d+1 numbers, or at 0 if w is nil.
func NewScaled(o Options, w []float64) *Scaled {
	s := &Scaled{Options: o, u: make([]float64, o.Columns+1), c: 1, share: 1}
	copy(s.u, w)
	if o.Averaged {
		s.z = make([]float64, o.Columns+1)
	}
	s.refresh()
	return s
}

// dot returns <v, x>, with the constant column.
func (o *Options) dot(v []float64, x matrix.Vector) float64 {
	sum := x.Dot(v[:o.Columns])
	if o.Constant {
		sum += v[o.Columns]
	}
	return sum
}

// add adds a x to v.
func (o *Options) add(v []float64, x matrix.Vector, a float64) {
	x.AddTo(v[:o.Columns], a)
	if o.Constant {
		v[o.Columns] += a
	}
}

// Dot returns <w, x>.
func (s *Scaled) Dot(x matrix.Vector) float64 {
	sum := s.dot(s.u, x)
	if s.h != nil {
		sum -= float64(s.along * s.dot(s.h, x))
	}
	return s.c * sum
}

// Begin begins a step.
func (s *Scaled) Begin(eta float64) {
	factor, before := s.shrinkage(eta)
	if factor == 0 {
		s.refresh()
		clear(s.u)
		s.squared, factor = 0, 1
	}
	s.next = s.c * factor
	s.rate = eta / s.c
	if before {
		s.rate = eta / s.next
	}
}

// Add takes a x off the weights.
func (s *Scaled) Add(x matrix.Vector, a float64) {
	change := -float64(a * s.rate)
	if s.Confined {
		length := x.SquaredNorm()
		if s.Constant {
			length++
		}
		s.squared += float64(change * (2*s.dot(s.u, x) + float64(change*length)))
	}
	s.add(s.u, x, change)
	if s.z != nil && s.a != 0 {
		s.add(s.z, x, -float64(s.a*change))
	}
}

// Turn is Add(x, direct), and turns h by early x for this step and by late x after it.
func (s *Scaled) Turn(x matrix.Vector, direct, early, late float64) {
	if s.h == nil {
		s.h = make([]float64, len(s.u))
	}
	s.add(s.u, x, float64(s.along*early)+float64((s.along+float64(s.rate*s.share))*late)-float64(s.rate*direct))
	if turn := early + late; turn != 0 {
		s.add(s.h, x, turn)
	}
}

// Share makes the step that has begun, and later ones, go along share times h.
func (s *Scaled) Share(share float64) { s.share = share }

// End ends a step. A small c costs digits: A and C grow like 1/c.
func (s *Scaled) End(weight float64) {
	s.c = s.next
	s.a += float64(weight * s.c)
	s.total += weight
	if s.h != nil {
		s.along += float64(s.rate * s.share)
	}
	if s.c < 1e-9 || s.c < 1e-4 && (s.h != nil || s.z != nil) {
		s.refresh()
	}
}

// Direct replaces the direction.
func (s *Scaled) Direct(h []float64) {
	s.refresh()
	s.h = append(s.h[:0], h...)
	if !s.Constant {
		s.h[s.Columns] = 0
	}
}

// Direction writes h.
func (s *Scaled) Direction(dst []float64) {
	clear(dst)
	copy(dst, s.h)
}

// refresh makes c = 1 and C = 0, against drift.
func (s *Scaled) refresh() {
	if s.h != nil && s.along != 0 {
		vec.Axpy64(s.u, -s.along, s.h)
	}
	if s.z != nil {
		vec.Axpy64(s.z, s.a, s.u)
	}
	if s.c != 1 {
		for j, u := range s.u {
			s.u[j] = s.c * u
		}
	}
	s.squared = vec.SquaredNorm64(s.u)
	s.a, s.along, s.c = 0, 0, 1
}

// Confine multiplies the weights, within a step, so that their norm after it is at most radius.
func (s *Scaled) Confine(radius float64) {
	if size := s.next * math.Sqrt(max(s.squared, 0)); size > radius {
		s.next *= radius / size
	}
}

// Last writes the iterate.
func (s *Scaled) Last(dst []float64) {
	s.refresh()
	copy(dst, s.u)
}

// Average writes the average.
func (s *Scaled) Average(dst []float64) {
	s.refresh()
	quotient(dst, s.z, s.total)
}

// Forget begins the average anew.
func (s *Scaled) Forget() {
	clear(s.z)
	s.a, s.total = 0, 0
}

// quotient writes sum/total.
func quotient(dst, sum []float64, total float64) {
	for j, z := range sum {
		dst[j] = z / total
	}
}
