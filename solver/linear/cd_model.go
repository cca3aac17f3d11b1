package linear

// descend minimises the model to a tenth of the violation at hand, by passes over the
// columns with steps over the face between them. Once passes have cost as much as the
// model's matrix it is formed, if that is ever worth it: passes are cheap from then on,
// and go to a thousandth. Faces of about as many columns as rows have hardly one minimum:
// there passes settle more, and steps become rare.
func (s *cd) descend() {
	wait, worth := s.gram.wait(s)
	s.formed = false
	next, rest := 3, 4 // the pass of the next steps over faces, and passes between two
	for pass := range 100 {
		if worth && !s.formed && (pass == wait || wait <= 4) {
			s.gram.form(s)
			s.formed = true
		}
		tolerance := s.tolerance
		if s.formed {
			tolerance /= 100
		}
		if s.pass() <= tolerance {
			if pass == 0 {
				s.tolerance /= 10
			}
			break
		}
		if pass == next {
			if s.cross(); !s.formed && 2*len(s.face.at) > len(s.h) {
				rest *= 2
			}
			next += rest
		}
	}
	if !s.formed {
		return
	}
	clear(s.move)
	for _, j := range s.working {
		if s.d[j] != 0 {
			s.add(s.move, j, s.d[j])
		}
	}
}

// cross takes steps over faces until no weight becomes 0: 8 at most, or 1 of conjugate
// gradients, before passes say again which columns are in use.
func (s *cd) cross() {
	for range 8 {
		if !s.face.step(s) || !s.formed {
			return
		}
	}
}

// dot returns sum_i r_i x_ij.
func (s *cd) dot(j int, r []float64) float64 {
	if j < len(s.w)-1 {
		return s.columns.Row(j).Dot(r)
	}
	sum := 0.0
	for _, r := range r {
		sum += r
	}
	return sum
}

// curvature returns sum_i h_i x_ij^2.
func (s *cd) curvature(j int, h []float64) float64 {
	if j == len(s.w)-1 {
		return s.dot(j, h)
	}
	sum, c := 0.0, s.columns.Row(j)
	for k, x := range c.Value {
		sum += float64(h[c.Index[k]] * float64(float64(x)*float64(x)))
	}
	return sum
}

// pass minimises the model over each column of the working set in turn and
// returns the largest violation met.
func (s *cd) pass() (worst float64) {
	for at, j := range s.working {
		g, w := s.g[j]+s.product(at, j)+float64(s.damp[j]*s.d[j]), s.w[j]+s.d[j]
		worst = max(worst, s.violation(j, w, g))
		h := max(s.square[j]+s.damp[j], 1e-150)
		next := w - g/h
		if s.penalised(j) {
			s.one[0] = next
			s.p.Penalty.Prox(s.one, s.one, s.p.Lambda/h)
			next = s.one[0]
		}
		if next != w {
			s.d[j] += next - w
			if s.formed {
				s.gram.move(at, next-w)
			} else {
				s.add(s.move, j, next-w)
			}
		}
	}
	return worst
}

// product returns sum_i h_i (X d)_i x_ij, the change of the model's slope along
// column j, which stands at the given place of the working set.
func (s *cd) product(at, j int) float64 {
	if s.formed {
		return s.gram.q[at]
	}
	sum := 0.0
	if j == len(s.w)-1 {
		for i, h := range s.h {
			sum += float64(h * s.move[i])
		}
		return sum
	}
	c := s.columns.Row(j)
	for k, x := range c.Value {
		i := c.Index[k]
		sum += float64(float64(s.h[i]*s.move[i]) * float64(x))
	}
	return sum
}

// add adds change times column j to dst, one number for each row.
func (s *cd) add(dst []float64, j int, change float64) {
	if j == len(s.w)-1 {
		for i := range dst {
			dst[i] += change
		}
		return
	}
	s.columns.Row(j).AddTo(dst, change)
}
