package column

import (
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// mostGram bounds the working sets whose matrix is formed: 32 MB.
const mostGram = 2048

// forming returns about how many visits of numbers it costs to form G, and to factor it
// twice for the given number of columns: half the sum of the squared lengths of the rows of
// Z and some for each number, or a product of matrices where that is less. It returns 0 if G
// is too large, or most visits are too few. A pass over the columns costs |W|^2 from then on,
// and not twice the nonzeros of Z (glmnet calls these covariance updates; Friedman, Hastie,
// Tibshirani 2010, section 2.2).
func (m *model) forming(columns int, most int64) (visits int64) {
	size := int64(len(m.columns))
	if size > mostGram || m.rows == 0 {
		return 0
	}
	m.tally()
	for _, n := range m.count {
		visits += int64(n) * int64(n+16)
	}
	visits = min(visits, int64(m.rows)*size*(size+200)/16) + 6*size*size + 2*factorVisits(columns)
	if visits > most {
		return 0
	}
	return visits
}

// factorVisits is as many visits as take the time of a factor of so many columns.
func factorVisits(columns int) int64 {
	n := int64(columns)
	return n * n * (n + 50) / 50
}

// tally counts the numbers in each row of Z.
func (m *model) tally() {
	if cap(m.count) < m.rows {
		m.count = make([]int, len(m.room))
	}
	m.count = m.count[:m.rows]
	clear(m.count)
	for _, c := range m.columns {
		for k := range c.Value {
			m.count[c.Column(k)]++
		}
	}
}

// byColumns is a matrix of so many rows, as its transpose.
type byColumns struct {
	rows    int
	columns []matrix.Vector
}

func (m byColumns) Dims() (rows, cols int)  { return len(m.columns), m.rows }
func (m byColumns) Row(j int) matrix.Vector { return m.columns[j] }

// form forms G, as Newton's method over all columns forms its matrix, and G d.
func (m *model) form(s *cd) {
	size := len(m.columns)
	weights := make([]float64, m.rows)
	for i := range weights {
		weights[i] = m.scale
	}
	p := &problem.Linear{Rows: problem.NewRows(matrix.Transpose(byColumns{m.rows, m.columns}), s.p.Threads), Risk: problem.Risk{Bias: problem.None}, Penalty: s.p.Penalty}
	m.gram = parts.Resized(m.gram, size*size)
	hessian.New(p, m.gram).Form(p, weights)
	for a := range size {
		for b := range a {
			m.gram[b*size+a] = m.gram[a*size+b]
		}
	}
	m.formed, m.image = true, make([]float64, size)
	for at, j := range s.working {
		if s.d[j] != 0 {
			m.add(m.image, at, s.d[j])
		}
	}
}
