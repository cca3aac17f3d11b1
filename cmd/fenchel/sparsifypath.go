package main

import (
	"io"
	"math"

	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/sparsify"
)

// draw draws the errors along the path, and those of the model as dashed lines.
func (s *sparsifier) draw(w io.Writer) error {
	f := figure.Figure{Title: "errors by number of support vectors", X: figure.Axis{Name: "support vectors", Log: true}, Y: figure.Axis{Name: s.found.Unit}}
	for _, c := range []struct {
		name string
		of   func(sparsify.Step) float64
	}{{"these rows", func(p sparsify.Step) float64 { return p.Train }}, {"test", func(p sparsify.Step) float64 { return p.Test }}} {
		full := c.of(s.found.Full)
		if math.IsNaN(full) {
			continue
		}
		curve := figure.Curve{Name: c.name}
		for _, p := range append(s.found.Path[:len(s.found.Path):len(s.found.Path)], s.found.Small) {
			if p.Vectors > 0 {
				curve.X, curve.Y = append(curve.X, float64(p.Vectors)), append(curve.Y, c.of(p))
			}
		}
		f.Curves = append(f.Curves, curve, figure.Curve{Name: c.name + ", model", X: []float64{1, float64(s.found.FullVectors)}, Y: []float64{full, full}, Dashed: true})
	}
	return f.WriteSVG(w)
}
