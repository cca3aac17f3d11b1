package view

import (
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A Point is one row, as the methods that read one row at a time see it. It
// stays sparse unless Offset is subtracted.
type Point struct {
	index []uint32 // nil: dense
	Value []float64

	room []float64 // for value
}

// Set makes p row i of r times by, and returns its squared length.
func (p *Point) Set(r Rows, i int, by float64) (squared float64) {
	x := r.X.Row(i)
	if x.Index == nil || r.Offset != nil {
		_, d := r.Dims()
		p.room = algebra.Sized(p.room, d)
		p.index, p.Value = nil, p.room
		if x.Index == nil && r.Offset == nil && r.Factor == nil {
			clear(p.Value)
			vec.Axpy(p.Value, by, x.Value)
		} else {
			r.Row(p.Value, i)
			vec.ScaledAdd(p.Value, by, 0, p.Value)
		}
		return vec.SquaredNorm64(p.Value)
	}
	p.room = algebra.Sized(p.room, len(x.Value))
	p.index, p.Value = x.Index, p.room
	for l, v := range x.Value {
		p.Value[l] = float64(v) * by
	}
	if r.Factor != nil {
		for l, j := range x.Index {
			p.Value[l] *= r.Factor[j]
		}
	}
	return vec.SquaredNorm64(p.Value)
}

// Dot returns the product with u, d numbers. The sum of a sparse point has four
// chains.
func (p *Point) Dot(u []float64) float64 {
	if p.index == nil {
		return vec.Dot64(u, p.Value)
	}
	var a, b, c, d float64
	index, value := p.index, p.Value[:len(p.index)]
	for len(index) >= 4 && len(value) >= 4 {
		a += float64(u[index[0]] * value[0])
		b += float64(u[index[1]] * value[1])
		c += float64(u[index[2]] * value[2])
		d += float64(u[index[3]] * value[3])
		index, value = index[4:], value[4:]
	}
	for l, j := range index {
		a += float64(u[j] * value[l])
	}
	return (a + b) + (c + d)
}

// AddToScaled replaces u by scale u plus by times the point.
func (p *Point) AddToScaled(u []float64, scale, by float64) {
	if p.index == nil {
		vec.ScaledAdd(u, scale, by, p.Value)
		return
	}
	vec.ScaledAdd(u, scale, 0, u)
	p.AddTo(u, by)
}

// AddTo adds by times the point to u.
func (p *Point) AddTo(u []float64, by float64) {
	if p.index == nil {
		vec.Axpy64(u, by, p.Value)
		return
	}
	value := p.Value[:len(p.index)]
	for l, j := range p.index {
		u[j] += float64(by * value[l])
	}
}
