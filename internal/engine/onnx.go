package engine

import (
	"errors"
	"io"

	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/onnx"
)

// onnx makes a graph of ONNX that says what a model does, or principal components.
func (r *request) onnx(q *struct {
	Model source `json:"model"`
}) (any, error) {
	m, err := r.model(q.Model)
	write := func(w io.Writer) error { return onnx.Write(w, m, onnx.Options{}) }
	if kind := (*model.KindError)(nil); errors.As(err, &kind) {
		var components *model.PCA
		components, err = r.pca(q.Model)
		write = func(w io.Writer) error { return onnx.WritePCA(w, components) }
	}
	if err != nil {
		return nil, err
	}
	graph, err := r.mapped.place(write)
	return map[string]any{"graph": graph}, err
}
