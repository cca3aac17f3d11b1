package linear

// gram is the quadratic model of CD with its matrix formed: G = X_W^T H X_W
// over the working set W, so that a pass over the columns costs |W|^2 instead
// of twice their nonzeros (glmnet calls these covariance updates; Friedman,
// Hastie, Tibshirani 2010, section 2.2). Forming G costs half the sum of the
// squared row lengths within W.
type gram struct {
	size    int
	g       []float64 // size*size, symmetric
	q       []float64 // G d
	place   []int     // d+1: column -> place in the working set, -1 outside
	columns []int     // scratch: places of one row
	values  []float64 // scratch: its values
}

// mostGram bounds the working sets whose matrix is formed: 32 MB.
const mostGram = 2048

// wait returns how many passes over the columns cost as much as forming G, and whether
// it is worth it after those: functions of counts alone.
func (m *gram) wait(s *cd) (passes int, worth bool) {
	m.places(s)
	forming, nonzeros := m.cost(s)
	passes = int(forming / max(1, 2*nonzeros))
	return passes, len(s.working) <= mostGram && passes <= 25
}

// form forms G for the working set of s, and G d.
func (m *gram) form(s *cd) {
	size := len(s.working)
	m.size = size
	m.g, m.q = resized(m.g, size*size), resized(m.q, size)
	clear(m.q)
	clear(m.g)
	for i, h := range s.h {
		if h != 0 {
			m.row(s, i)
			m.add(h)
		}
	}
	for a := range size {
		for b := range a {
			m.g[b*size+a] = m.g[a*size+b]
		}
	}
	for at, j := range s.working {
		if s.d[j] != 0 {
			m.move(at, s.d[j])
		}
	}
}

// places notes where each column of the working set stands in it.
func (m *gram) places(s *cd) {
	if m.place == nil {
		m.place = make([]int, len(s.w))
	}
	for j := range m.place {
		m.place[j] = -1
	}
	for at, j := range s.working {
		m.place[j] = at
	}
}

// cost returns the multiplications that forming G takes, and the nonzeros of
// the working set.
func (m *gram) cost(s *cd) (forming, nonzeros int64) {
	for i := range s.h {
		m.row(s, i)
		n := int64(len(m.columns))
		forming += n * n / 2
		nonzeros += n
	}
	return forming, nonzeros
}

// row gathers what row i has in the working set.
func (m *gram) row(s *cd, i int) {
	m.columns, m.values = m.columns[:0], m.values[:0]
	x := s.p.X.Row(i)
	for k, v := range x.Value {
		if at := m.place[x.Column(k)]; at >= 0 {
			m.columns, m.values = append(m.columns, at), append(m.values, float64(v))
		}
	}
	if at := m.place[len(m.place)-1]; at >= 0 {
		m.columns, m.values = append(m.columns, at), append(m.values, 1)
	}
}

// add adds h x x^T of the gathered row to the lower triangle.
func (m *gram) add(h float64) {
	for a, at := range m.columns {
		scaled, row := h*m.values[a], m.g[at*m.size:]
		for b, other := range m.columns[:a+1] {
			row[other] += float64(scaled * m.values[b])
		}
	}
}

// move notes that the weight at a place of the working set changed.
func (m *gram) move(at int, change float64) {
	row := m.g[at*m.size : (at+1)*m.size]
	for b, x := range row {
		m.q[b] += float64(change * x)
	}
}
