package array

import (
	"strconv"

	"github.com/fenchel-ml/fenchel/dataset/scaling"
	"github.com/fenchel-ml/fenchel/dataset/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// positions is the schema of so many columns of numbers with a target among
// them.
func positions(columns, target int) *set.Schema {
	s := &set.Schema{Columns: make([]set.Column, columns), Target: target, Weight: -1, Array: true}
	for i := range s.Columns {
		s.Columns[i].Name = strconv.Itoa(i + 1)
	}
	return s
}

// fill has the means of x, columns of numbers alone, stand for missing ones.
func fill(s *set.Schema, x matrix.Matrix) {
	rows, cols := x.Dims()
	mean := make([]float64, cols)
	scaling.EachValue(x, func(j int, value float64) { mean[j] += value })
	first, _ := s.Places()
	for i := range s.Columns {
		if i != s.Target && first[i] < cols {
			s.Columns[i].Fill = mean[first[i]] / float64(rows)
		}
	}
}
