package onnx

import (
	"fmt"
	"io"

	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/model"
)

// WritePCA writes principal components, of which the graph gives coordinates.
func WritePCA(w io.Writer, m *model.PCA) error {
	err := m.Check()
	if err == nil {
		err = writePCA(w, m)
	}
	if err != nil {
		return fmt.Errorf(errorBeginning+"%w", err)
	}
	return nil
}

// WritePCAFile writes what WritePCA does to path: all of it, or nothing.
func WritePCAFile(m *model.PCA, path string) error {
	return file.WriteFile(path, func(w io.Writer) error { return WritePCA(w, m) })
}

func writePCA(w io.Writer, m *model.PCA) error {
	if m.Space != nil {
		return fmt.Errorf("found components of the kernel %s, expected directions among the features", m.Statement.Kernel)
	}
	g := newGraph()
	x, err := g.features(m.Schema, m.Cols())
	if err != nil {
		return err
	}
	k, d := m.Statement.K, m.Cols()
	directions, shift := make([]float64, d*k), make([]float64, k)
	for i := range k {
		along := make([]float64, d)
		for j, c := range m.Component(i) {
			if along[j] = c; m.Scale != nil {
				along[j] *= m.Scale[j]
			}
		}
		if m.Mean != nil {
			shift[i] = vec.Dot64(along, m.Mean)
		}
		unit := 0.0 // as model.PCA.Transform has it
		if s := m.Deviation(i); s > 0 {
			unit = 1 / s
		}
		shift[i] *= -unit
		for j, c := range along {
			directions[j*k+i] = c * unit
		}
	}
	scores := g.op("Add", g.op("MatMul", g.cast(x, double), g.constant([]int{d, k}, directions)), g.row(shift))
	g.output((&predictor{model: &model.Model{Schema: m.Schema}}).free("coordinates"), scores, double, k)
	return g.writeModel(w, description{version: m.Version, notes: [][2]string{{"data", m.Data.Digest}}})
}
