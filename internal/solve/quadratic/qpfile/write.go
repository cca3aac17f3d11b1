package qpfile

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/read/array"
	"github.com/fenchel-ml/fenchel/internal/solve/quadratic/convex"
)

// Arrays are what a solution has: x, y and w, the y of a refutation, a ray, or a direction of
// negative curvature.
func Arrays(s *convex.Solution) (arrays []array.Named) {
	x, y, ray := s.X, s.Y, s.Curvature.Vector
	if s.Refutation != nil {
		x, y = nil, s.Refutation.Y
	}
	if s.Ray != nil {
		y, ray = nil, s.Ray.D
	}
	for _, a := range []array.Named{{Name: "x", Value: x}, {Name: "y", Value: y}, {Name: "w", Value: s.W}, {Name: "ray", Value: ray}} {
		if a.Value != nil {
			arrays = append(arrays, a)
		}
	}
	return arrays
}

// Write writes them as NPZ, or as lines of kind, name, value and multiplier.
func (f *File) Write(w io.Writer, s *convex.Solution, lines bool) error {
	if !lines {
		return array.WriteArrays(w, Arrays(s))
	}
	has := map[string][]float64{}
	for _, a := range Arrays(s) {
		has[a.Name] = a.Value
	}
	out := csv.NewWriter(w)
	put := func(kind string, names []string, values, multipliers []float64) {
		for k := range max(len(values), len(multipliers)) {
			line := []string{kind, strconv.Itoa(k + 1), "", ""}
			if names != nil {
				line[1] = names[k]
			}
			for c, list := range [][]float64{values, multipliers} {
				if list != nil {
					line[2+c] = strconv.FormatFloat(list[k], 'g', -1, 64)
				}
			}
			_ = out.Write(line) // the writer remembers its error
		}
	}
	_ = out.Write([]string{"kind", "name", "value", "multiplier"})
	put("variable", f.Cols, has["x"], has["w"])
	var rows []float64
	if x := has["x"]; x != nil {
		rows = make([]float64, f.A.Rows())
		f.A.Times(rows, x)
	}
	put("row", f.Rows, rows, has["y"])
	put("ray", f.Cols, has["ray"], nil)
	out.Flush()
	return out.Error()
}
