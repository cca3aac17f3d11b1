package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/safetensors"
	"github.com/fenchel-ml/fenchel/matrix"
)

// predictor is what sets one kind of model apart from another: how it scores
// rows, and which numbers its file holds for that.
//
// Laws: scores depend on the row alone, not on the rows beside it; the numbers
// that pack puts into tensors are what the kind's restorer takes out.
type predictor interface {
	// score sets dst to the scores of all outputs of a row made ready by
	// Model.prepare, scores does so for many rows, one after another in dst.
	score(dst []float64, x matrix.Vector)
	scores(dst []float64, rows []matrix.Vector)
	// pack adds what the outputs hold beside bias and dual variables.
	pack(map[string]safetensors.Tensor)
}

// linear is a model whose scores are <w,x> + b.
type linear Model

func (m *linear) score(dst []float64, x matrix.Vector) {
	for c := range dst {
		o := &m.Outputs[c]
		dst[c] = x.Dot(o.Weights) + o.Bias
	}
}

func (m *linear) scores(dst []float64, rows []matrix.Vector) {
	k := len(m.Outputs)
	for c, o := range m.Outputs { // the weights of one output stay in the cache for all rows
		for i, x := range rows {
			dst[i*k+c] = x.Dot(o.Weights) + o.Bias
		}
	}
}

func (m *linear) pack(tensors map[string]safetensors.Tensor) { (*Model)(m).packWeights(tensors) }

// restoreLinear takes the weights of a linear model out of its tensors.
func (m *Model) restoreLinear(tensors map[string]safetensors.Tensor) error {
	if _, sparse := tensors["weights.values"]; sparse {
		return m.restoreSparse(tensors)
	}
	return m.cut("weights", m.Data.Features, tensors)
}

// gather returns the numbers of all outputs one after another: for one output
// the slice itself.
func (m *Model) gather(of func(Output) []float64) []float64 {
	if len(m.Outputs) == 1 {
		return of(m.Outputs[0])
	}
	var all []float64
	for _, o := range m.Outputs {
		all = append(all, of(o)...)
	}
	return all
}

// cut gives each output its weights, width numbers of the tensor of that name,
// and refuses any that are not finite.
func (m *Model) cut(name string, width int, tensors map[string]safetensors.Tensor) error {
	k, t := len(m.Outputs), tensors[name]
	all := t.Floats()
	if !slices.Equal(t.Shape, []int{k, width}) || all == nil {
		return fmt.Errorf("found %s of shape %v and type %s, expected F64, [%d %d]", name, t.Shape, t.DType(), k, width)
	}
	for c := range m.Outputs {
		o := &m.Outputs[c]
		o.Weights = all[c*width : (c+1)*width : (c+1)*width]
		for _, w := range append(o.Weights, o.Bias) { // a copy: Weights has no room to grow
			if math.IsNaN(w) || math.IsInf(w, 0) {
				return fmt.Errorf("found the weight %g, expected finite numbers", w)
			}
		}
	}
	return nil
}
