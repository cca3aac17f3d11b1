package convex

import (
	"math"
	"slices"
)

// scaling makes the largest number of every row and column of P and A about 1 (Ruiz 2001), all
// factors being powers of two, which round nothing:
//
//	x = cols x',  A' = rows A cols,  P' = cost cols P cols,  y = rows y'/cost.
type scaling struct {
	rows, cols []float64
	cost       float64
}

// halfPower returns 2^k, about 1/sqrt(x); 1 for 0.
func halfPower(x float64) float64 {
	if x == 0 {
		return 1
	}
	_, exponent := math.Frexp(x)
	return math.Ldexp(1, -min(max(exponent/2, -100), 100))
}

// newScaling finds the factors, in a few rounds.
func newScaling(g *Program) *scaling {
	n, m := len(g.Q), g.A.Rows()
	s := &scaling{slices.Repeat([]float64{1}, m), slices.Repeat([]float64{1}, n), 1}
	row, col := make([]float64, m), make([]float64, n)
	for range 12 {
		clear(row)
		clear(col)
		for i := range m {
			index, value := g.A.Row(i)
			for k, j := range index {
				v := math.Abs(value[k]) * s.rows[i] * s.cols[j]
				row[i], col[j] = max(row[i], v), max(col[j], v)
			}
		}
		for i := range n {
			index, value := g.P.Row(i)
			for k, j := range index {
				col[j] = max(col[j], math.Abs(value[k])*s.cols[i]*s.cols[j])
			}
		}
		for i, v := range row {
			s.rows[i] *= halfPower(v)
		}
		for j, v := range col {
			s.cols[j] *= halfPower(v)
		}
	}
	largest := 0.0
	for i, q := range g.Q {
		largest = max(largest, math.Abs(q)*s.cols[i])
		index, value := g.P.Row(i)
		for k, j := range index {
			largest = max(largest, math.Abs(value[k])*s.cols[i]*s.cols[j])
		}
	}
	c := halfPower(largest)
	s.cost = c * c
	return s
}

// program returns the program in the variables x'.
func (s *scaling) program(g *Program) *Program {
	out := &Program{P: g.P.scaled(s.cols, s.cols, s.cost), A: g.A.scaled(s.rows, s.cols, 1), Q: slices.Clone(g.Q),
		Lower: slices.Clone(g.Lower), Upper: slices.Clone(g.Upper), Least: slices.Clone(g.Least), Most: slices.Clone(g.Most)}
	for j, c := range s.cols {
		out.Q[j] *= c * s.cost
		out.Least[j] /= c
		out.Most[j] /= c
	}
	for i, r := range s.rows {
		out.Lower[i] *= r
		out.Upper[i] *= r
	}
	return out
}

// point returns x of x', and y of the multipliers y' of the rows, all divided by tau.
func (s *scaling) point(x, y []float64, tau float64) (px, py []float64) {
	px, py = slices.Clone(x), slices.Clone(y[:len(s.rows)])
	for j, c := range s.cols {
		px[j] *= c / tau
	}
	for i, r := range s.rows {
		py[i] *= r / (s.cost * tau)
	}
	return px, py
}
