package pca

import (
	"github.com/fenchel-ml/fenchel/pca/internal/algebra"
	"github.com/fenchel-ml/fenchel/vec"
)

// A point is one row, as the methods that read one row at a time see it. It
// stays sparse unless Offset is subtracted.
type point struct {
	index []uint32 // nil: dense
	value []float64

	room []float64 // for value
}

// set makes p row i of r times by, and returns its squared length.
func (p *point) set(r Rows, i int, by float64) (squared float64) {
	x := r.X.Row(i)
	if x.Index == nil || r.Offset != nil {
		_, d := r.Dims()
		p.room = algebra.Sized(p.room, d)
		p.index, p.value = nil, p.room
		if x.Index == nil && r.Offset == nil && r.Factor == nil {
			clear(p.value)
			vec.Axpy(p.value, by, x.Value)
		} else {
			r.Row(p.value, i)
			vec.ScaledAdd(p.value, by, 0, p.value)
		}
		return vec.SquaredNorm64(p.value)
	}
	p.room = algebra.Sized(p.room, len(x.Value))
	p.index, p.value = x.Index, p.room
	for l, v := range x.Value {
		p.value[l] = float64(v) * by
	}
	if r.Factor != nil {
		for l, j := range x.Index {
			p.value[l] *= r.Factor[j]
		}
	}
	return vec.SquaredNorm64(p.value)
}

// dot returns the product with u, d numbers. The sum of a sparse point has four
// chains.
func (p *point) dot(u []float64) float64 {
	if p.index == nil {
		return vec.Dot64(u, p.value)
	}
	var a, b, c, d float64
	index, value := p.index, p.value[:len(p.index)]
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

// addToScaled replaces u by scale u plus by times the point.
func (p *point) addToScaled(u []float64, scale, by float64) {
	if p.index == nil {
		vec.ScaledAdd(u, scale, by, p.value)
		return
	}
	vec.ScaledAdd(u, scale, 0, u)
	p.addTo(u, by)
}

// addTo adds by times the point to u.
func (p *point) addTo(u []float64, by float64) {
	if p.index == nil {
		vec.Axpy64(u, by, p.value)
		return
	}
	value := p.value[:len(p.index)]
	for l, j := range p.index {
		u[j] += float64(by * value[l])
	}
}
