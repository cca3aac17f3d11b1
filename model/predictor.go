package model

import (
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

// predictor returns m as the kind of model it is.
func (m *Model) predictor() predictor {
	switch {
	case m.Support != nil:
		return (*machine)(m)
	case m.Map != nil:
		return (*mapped)(m)
	}
	return (*linear)(m)
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
