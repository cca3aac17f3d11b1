package generate

import (
	"strings"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A Known is a generator whose second moment E[x x^T] is known, so that what a
// method of PCA captures can be measured exactly instead of on a sample. What
// rounding to single precision does to the rows, some 1e-7 of it, is left out.
type Known interface {
	Generator
	SecondMoment() *SecondMoment
}

// SecondMoment is E[x x^T] = diag(Diagonal) + Factor Factor^T, not centred:
// the mean of some generators is not zero.
type SecondMoment struct {
	Diagonal []float64 // d
	Factor   []float64 // d x Rank, row-major; nil when Rank is 0
	Rank     int
}

// SecondMomentOf returns the second moment of the rows that spec describes, as
// [Stream] takes it; nil if it is not known.
func SecondMomentOf(spec string) (*SecondMoment, error) {
	g, err := generators.New(strings.TrimPrefix(spec, "@"))
	if err != nil {
		return nil, err
	}
	if known, ok := g.(Known); ok {
		return known.SecondMoment(), nil
	}
	return nil, nil
}

// Trace returns E|x|^2.
func (m *SecondMoment) Trace() float64 {
	var sum vec.Sum
	for _, v := range m.Diagonal {
		sum.Add(v)
	}
	for _, v := range m.Factor {
		sum.Add(float64(v * v))
	}
	return sum.Value()
}

// Captured returns u^T E[x x^T] u, in O(d Rank).
func (m *SecondMoment) Captured(u []float64) float64 {
	var sum vec.Sum
	along := make([]float64, m.Rank)
	for j, v := range u {
		sum.Add(float64(v*v) * m.Diagonal[j])
		vec.Axpy64(along, v, m.Factor[j*m.Rank:(j+1)*m.Rank])
	}
	sum.Add(vec.SquaredNorm64(along))
	return sum.Value()
}

// Dense returns the whole matrix, d x d and row-major.
func (m *SecondMoment) Dense() []float64 {
	d, r := len(m.Diagonal), m.Rank
	dense := make([]float64, d*d)
	for i := range d {
		for j := range i + 1 {
			v := vec.Dot64(m.Factor[i*r:(i+1)*r], m.Factor[j*r:(j+1)*r])
			dense[i*d+j], dense[j*d+i] = v, v
		}
		dense[i*d+i] += m.Diagonal[i]
	}
	return dense
}
