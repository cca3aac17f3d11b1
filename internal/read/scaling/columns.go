package scaling

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Columns is what [Scaling] asks of columns. Those of parts of the rows add up to those of all, as exactly as if all rows had been read at
// once.
type Columns struct {
	Rows      int64
	Stored    []int64
	Sum, Rest []float64 // of the values, and what rounding left out of that sum
	Largest   []float64 // magnitude
	Squares   []float64 // of the distances of stored values from a mean; nil: not measured
}

// NewColumns measures the columns of x: without mean sums and magnitudes, else squares.
func NewColumns(x matrix.Matrix, mean []float64) *Columns {
	rows, cols := x.Dims()
	c := &Columns{Rows: int64(rows)}
	sums := make([]vec.Sum, cols)
	if mean != nil {
		EachValue(x, func(j int, value float64) { sums[j].Add((value - mean[j]) * (value - mean[j])) })
		c.Squares, _ = parted(sums)
		return c
	}
	c.Stored, c.Largest = make([]int64, cols), make([]float64, cols)
	EachValue(x, func(j int, value float64) {
		sums[j].Add(value)
		c.Stored[j]++
		c.Largest[j] = max(c.Largest[j], math.Abs(value))
	})
	c.Sum, c.Rest = parted(sums)
	return c
}

// parted returns sums, and what rounding left out of them.
func parted(sums []vec.Sum) (sum, rest []float64) {
	sum, rest = make([]float64, len(sums)), make([]float64, len(sums))
	for j, s := range sums {
		sum[j] = s.Value()
		s.Add(-sum[j])
		rest[j] = s.Value()
	}
	return sum, rest
}

// Total adds up the columns of parts of the rows.
func Total(parts []*Columns) *Columns {
	all := &Columns{}
	add := func(of func(c *Columns) []float64, and func(c *Columns) []float64) (sum, rest []float64) {
		sums := make([]vec.Sum, len(of(parts[0])))
		for _, p := range parts {
			for j := range sums {
				sums[j].Add(of(p)[j])
				if and != nil {
					sums[j].Add(and(p)[j])
				}
			}
		}
		return parted(sums)
	}
	all.Sum, all.Rest = add(func(c *Columns) []float64 { return c.Sum }, func(c *Columns) []float64 { return c.Rest })
	all.Squares, _ = add(func(c *Columns) []float64 { return c.Squares }, nil)
	all.Stored, all.Largest = make([]int64, len(all.Sum)), make([]float64, len(all.Sum))
	for _, p := range parts {
		all.Rows += p.Rows
		for j := range all.Sum {
			all.Stored[j] += p.Stored[j]
			all.Largest[j] = max(all.Largest[j], p.Largest[j])
		}
	}
	return all
}

// Mean returns the means.
func (c *Columns) Mean() []float64 {
	mean := make([]float64, len(c.Sum))
	for j, sum := range c.Sum {
		mean[j] = sum / float64(c.Rows)
	}
	return mean
}

// Scaling returns the scaling of a kind, nil for "none"; std needs the squares.
func (c *Columns) Scaling(kind string, centre bool) (*Scaling, error) {
	switch kind {
	case "none":
		return nil, nil
	case "max":
		return newScaling(kind, make([]float64, len(c.Largest)), maxFactors(c.Largest, nil)), nil
	case "std":
		offset, factor := c.deviations(nil, centre)
		return newScaling(kind, offset, factor), nil
	}
	return nil, registry.Unknown("scaling", kind, Names())
}

// maxFactors returns 1/magnitude.
func maxFactors(largest []float64, indicator []bool) []float64 {
	factor := make([]float64, len(largest))
	for j, most := range largest {
		factor[j] = 1
		if most > 0 && (indicator == nil || !indicator[j]) {
			factor[j] = 1 / most
		}
	}
	return factor
}

// deviations returns 1/standard deviation and, if centre, the mean of every feature.
func (c *Columns) deviations(indicator []bool, centre bool) (offset, factor []float64) {
	mean := c.Mean()
	offset, factor = make([]float64, len(mean)), make([]float64, len(mean))
	for j := range factor {
		factor[j] = 1
		if indicator != nil && indicator[j] {
			continue
		}
		absent := float64(float64(c.Rows-c.Stored[j]) * mean[j] * mean[j]) // the zeros that are not stored
		deviation := math.Sqrt((c.Squares[j] + absent) / float64(c.Rows))
		if deviation > 1e-12*math.Abs(mean[j]) {
			factor[j] = 1 / deviation
			if centre {
				offset[j] = mean[j]
			}
		}
	}
	return offset, factor
}
