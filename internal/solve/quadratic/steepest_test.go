package quadratic

import "math"

// direction is the linear program of the steepest feasible direction by the simplex method with
// m+1 rows: m equations and sum |d_i| <= 1. Its columns are +A_i and -A_i, each over a 1, for a
// variable that may grow or shrink. At the beginning the basis has a column of its own for each
// equation, which has to stay 0, and the slack of the last row.
type direction struct {
	inverse [][]float64 // of the basis, m+1 rows
	column  []int       // 2i: variable i grows, 2i+1: it shrinks; -1: none of them
	value   []float64   // of the basis
	cost    []float64   // gain of the basis
}

// steepest returns the gain of the steepest direction, the multipliers of the equations there,
// and the direction.
func (s *decomposition) steepest() (rate float64, y []float64, way move) {
	m := len(s.p.A)
	d := &direction{column: make([]int, m+1), value: make([]float64, m+1), cost: make([]float64, m+1)}
	for k := range m + 1 {
		row := make([]float64, m+1)
		row[k] = 1
		d.inverse, d.column[k] = append(d.inverse, row), -1
	}
	d.value[m] = 1
	y = make([]float64, m)
	for pivot := range 100 * (m + 10) {
		dual := d.dual()
		for k := range m {
			y[k] = dual[k]
		}
		enter, gain := s.price(dual, pivot > 20*(m+10))
		if enter < 0 {
			break
		}
		d.pivot(s.columnOf(enter), enter, gain)
	}
	for k, column := range d.column {
		if column >= 0 && d.value[k] > 0 {
			rate += float64(d.value[k] * d.cost[k])
		}
		if column >= 0 {
			way.rows, way.by = append(way.rows, column/2), append(way.by, d.value[k]*float64(1-2*(column%2)))
		}
	}
	return rate, y, way
}

// dual returns cost^T inverse.
func (d *direction) dual() []float64 {
	out := make([]float64, len(d.cost))
	for k, row := range d.inverse {
		for l, v := range row {
			out[l] += float64(d.cost[k] * v)
		}
	}
	return out
}

// price returns the column of the largest reduced gain, and its gain before the equations are priced;
// with first, the first column whose reduced gain is positive (Bland's rule). -1: there is none.
func (s *decomposition) price(dual []float64, first bool) (enter int, gain float64) {
	m := len(s.p.A)
	enter = -1
	most := 0.0
	for i, g := range s.g {
		r, size := g, math.Abs(g)+math.Abs(dual[m])
		for k, row := range s.p.A {
			term := float64(row[i] * dual[k])
			r += term
			size += math.Abs(term)
		}
		least := max(most, 1e-12*size)
		if up := -r - dual[m]; s.x[i] < s.p.Upper[i] && up > least {
			enter, gain, most = 2*i, -g, up
		} else if down := r - dual[m]; s.x[i] > s.p.Lower[i] && down > least {
			enter, gain, most = 2*i+1, g, down
		}
		if first && enter >= 0 {
			break
		}
	}
	return enter, gain
}

// columnOf returns a column: of the equations, and 1.
func (s *decomposition) columnOf(at int) []float64 {
	column := make([]float64, len(s.p.A)+1)
	for k, row := range s.p.A {
		if column[k] = row[at/2]; at%2 == 1 {
			column[k] = -column[k]
		}
	}
	column[len(column)-1] = 1
	return column
}

// pivot brings a column into the basis. What stands for an equation stays 0, so it leaves first.
func (d *direction) pivot(column []float64, name int, gain float64) {
	n := len(column)
	along := make([]float64, n)
	largest := 0.0
	for k, row := range d.inverse {
		for l, v := range row {
			along[k] += float64(v * column[l])
		}
		largest = max(largest, math.Abs(along[k]))
	}
	leave, step := -1, math.Inf(1)
	for k, a := range along {
		switch {
		case k < n-1 && d.column[k] < 0 && math.Abs(a) > 1e-11*largest:
			if step > 0 || math.Abs(a) > math.Abs(along[leave]) || d.column[leave] >= 0 {
				leave, step = k, 0
			}
		case a > 1e-11*largest && d.value[k]/a < step:
			leave, step = k, d.value[k]/a
		}
	}
	if leave < 0 {
		return
	}
	step = max(0, step)
	for k := range d.value {
		d.value[k] = max(0, d.value[k]-float64(step*along[k]))
	}
	d.value[leave], d.column[leave], d.cost[leave] = step, name, gain
	scale := 1 / along[leave]
	for l := range d.inverse[leave] {
		d.inverse[leave][l] *= scale
	}
	for k, row := range d.inverse {
		if k == leave {
			continue
		}
		for l := range row {
			row[l] -= float64(along[k] * d.inverse[leave][l])
		}
	}
}
