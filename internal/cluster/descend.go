package cluster

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A quadratic is <d,Bd>/2, of a d that moves by single coordinates.
type quadratic interface {
	at(j int, d float64) (slope, curvature float64) // (Bd)_j, where d_j is d, and B_jj
	move(j int, by float64)
}

// How much work a step of the coordinator may be, in multiplications, and which share of the first pass's moves is not worth another.
const (
	mostWork    = 5e8
	enoughMoved = 1e-12
)

// descend sets d, which is 0, to about argmin <g,d> + <d,Bd>/2 + l1 |w+d|_1, by one coordinate after another, each of that work.
func (s *newton) descend(g []float64, b quadratic, work int) {
	penalised, first := s.p.Penalised(), 0.0
	for pass := range max(20, mostWork/(s.size*(work+1))) {
		moved := 0.0
		for j := range s.size {
			bend, curvature := b.at(j, s.d[j])
			if !(curvature > 0) {
				continue
			}
			now := s.w[j] + s.d[j]
			next := now - (g[j]+bend)/curvature
			if j < penalised {
				next = vec.Shrink(next, s.l1/curvature)
			}
			if by := next - now; by != 0 {
				s.d[j] += by
				b.move(j, by)
				moved += float64(curvature * by * by)
			}
		}
		if first = max(first, moved); pass > 0 && moved <= enoughMoved*first {
			return
		}
	}
}

// full is a quadratic of all numbers of B.
type full struct {
	b, bent []float64 // by rows; Bd
	size    int
}

// newFull takes the lower triangle of B, by rows, and fills the upper one.
func newFull(b []float64, size int) *full {
	for i := range size {
		for j := range i {
			b[j*size+i] = b[i*size+j]
		}
	}
	return &full{b, make([]float64, size), size}
}

func (m *full) at(j int, _ float64) (slope, curvature float64) {
	return m.bent[j], m.b[j*m.size+j]
}

func (m *full) move(j int, by float64) { vec.Axpy64(m.bent, by, m.b[j*m.size:(j+1)*m.size]) }

// lowRank is B = diagonal + sum of sign f f^T, two f of each pair (BFGS: y y^T/<s,y> - Bs (Bs)^T/<s,Bs>).
type lowRank struct {
	diagonal []float64
	f        []float64 // of each column as many as rank
	rank     int
	along    []float64 // sign <f,d>
}

// curved returns what the pairs say of H.
func (s *newton) curved() *lowRank {
	m := &lowRank{diagonal: s.diagonal(), rank: 2 * len(s.pairs)}
	m.f, m.along = make([]float64, len(s.d)*m.rank), make([]float64, m.rank)
	for k, p := range s.pairs {
		bent := make([]float64, len(s.d)) // B of the pairs before, times the move
		along := make([]float64, 2*k)
		for j, x := range p.move {
			for i := range along {
				along[i] += float64(m.f[j*m.rank+i] * x)
			}
		}
		for j, x := range p.move {
			bent[j] = float64(m.diagonal[j] * x)
			for i := 0; i < len(along); i += 2 {
				bent[j] += float64(m.f[j*m.rank+i]*along[i]) - float64(m.f[j*m.rank+i+1]*along[i+1])
			}
		}
		up, down := 1/math.Sqrt(p.product), 1/math.Sqrt(max(vec.Dot64(p.move, bent), math.SmallestNonzeroFloat64))
		for j := range bent {
			m.f[j*m.rank+2*k], m.f[j*m.rank+2*k+1] = up*p.bend[j], down*bent[j]
		}
	}
	return m
}

func (m *lowRank) at(j int, d float64) (slope, curvature float64) {
	slope, curvature = float64(m.diagonal[j]*d), m.diagonal[j]
	f := m.f[j*m.rank : (j+1)*m.rank]
	for i := 0; i < len(f); i += 2 {
		slope += float64(f[i]*m.along[i]) - float64(f[i+1]*m.along[i+1])
		curvature += float64(f[i]*f[i]) - float64(f[i+1]*f[i+1])
	}
	return slope, curvature
}

func (m *lowRank) move(j int, by float64) { vec.Axpy64(m.along, by, m.f[j*m.rank:(j+1)*m.rank]) }
