package main

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/sparsify"
)

// writeTable writes a line for each number of vectors, the last for the model itself.
func (s *sparsifier) writeTable(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"vectors", "largest_loss", "mean_loss", "train", "test"}); err != nil {
		return err
	}
	number := func(v float64) string {
		if v-v != 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, p := range append(s.found.Path[:len(s.found.Path):len(s.found.Path)], s.found.Full) {
		if err := out.Write([]string{strconv.Itoa(p.Vectors), number(p.Loss), number(p.Mean), number(p.Train), number(p.Test)}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

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
