package stochastic

// A source turns the slope g of row i at the iterate into parts of the gradient estimate:
//
//	direct  of x_i in this step
//	early   of x_i in the direction of this step and later ones
//	late    of x_i in the direction of later steps
//
// The direction, with all weights, counts share() times. renew, before a step, makes what takes
// a pass over the rows, and reports whether it did.
type source interface {
	estimate(i int, g float64) (direct, early, late float64)
	share() float64
	renew() bool
}

// source returns that of a method; warm: the iterate is not 0.
func (m Method) source(s *state, warm bool) source {
	switch m.gradient {
	case "sag", "saga", "miso":
		return newTable(s, warm)
	case "svrg", "s2gd":
		return newSnapshot(s)
	case "newton":
		return newModel(s)
	}
	return plain{}
}

// plain is the gradient of the rows themselves.
type plain struct{}

func (plain) estimate(_ int, g float64) (direct, early, late float64) { return g, 0, 0 }
func (plain) share() float64                                          { return 1 }
func (plain) renew() bool                                             { return false }

// grow makes the batches of later steps larger: by a factor, or where a test says that the
// variance of their mean is no longer small against it (Byrd, Chin, Nocedal, Wu 2012), twice.
func (s *state) grow() {
	n := float64(len(s.p.Y))
	s.size = min(n, s.size*s.growth)
	if !s.tested || s.size >= n {
		return
	}
	if s.seen += len(s.row); s.seen < len(s.p.Y)/8 && s.seen < 8*len(s.row) {
		return
	}
	s.seen = 0
	if s.noisy() {
		s.size = min(n, 2*s.size)
	}
}

// Batch returns how many rows the next step sees, of how many.
func (s *state) Batch() (rows, of int) { return int(min(s.size, float64(len(s.p.Y)))), len(s.p.Y) }

// noisy reports whether tr(variance)/k > (0.9)^2 |gradient|^2 for the batch of this step. Of a
// batch of one row the variance is not known.
func (s *state) noisy() bool {
	k := float64(len(s.row))
	if k < 2 {
		return true
	}
	d := len(s.last) - 1
	s.scratch = append(s.scratch[:0], s.last...)
	mean := s.scratch
	clear(mean)
	squares := 0.0
	for q, i := range s.row {
		x, g := s.p.X.Row(i), s.slope[q]
		x.AddTo(mean[:d], g/k)
		squares += float64(g*g) * s.p.SquaredNorm[i]
	}
	along := 0.0
	for _, v := range mean {
		along += float64(v * v)
	}
	variance := (squares - float64(k*along)) / (k - 1)
	s.iterate.Last(s.last)
	length := 0.0
	for j, v := range mean {
		g := v + float64(s.p.Lambda*s.last[j])
		length += float64(g * g)
	}
	return variance/k > 0.81*length
}
