package model

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/internal/safetensors"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Network is the hidden layers of a network: the outputs of the model are linear in the units of the last.
type Network struct {
	network.Shape `json:"-"`
	Weights       []float64 `json:"-"` // parameters of the hidden layers, as package network has them

	// What training said of the point: the norm of the gradient, how many rows were held out to judge when
	// to stop, and their mean loss.
	Gradient Bound `json:"gradient_norm"`
	Held     int   `json:"held_out"`
	HeldLoss Bound `json:"held_out_loss"` // null: none were held out
}

// Parameters is how many numbers a network has, in all layers.
func (m *Model) Parameters() int { return m.Network.Shape.Parameters() }

// layered is a model whose scores are <w,o> + b of the units o of the last hidden layer.
type layered Model

// units is memory for those of two layers.
var units = sync.Pool{New: func() any { return new([]float64) }}

func (m *layered) score(dst []float64, x matrix.Vector) {
	memory := units.Get().(*[]float64)
	defer units.Put(memory)
	if need := 2 * m.Network.Widest(); len(*memory) < need {
		*memory = make([]float64, need)
	}
	last := m.Network.Images(m.Network.Weights, x, *memory)
	for c := range dst {
		o := &m.Outputs[c]
		dst[c] = vec.Dot64(o.Weights, last) + o.Bias
	}
}

func (m *layered) scores(dst []float64, rows []matrix.Vector) {
	k := len(m.Outputs)
	for i, x := range rows {
		m.score(dst[i*k:(i+1)*k], x)
	}
}

func (m *layered) pack(tensors map[string]safetensors.Tensor) {
	n, s := m.Network, m.Statement
	for l := range s.Hidden {
		layer := n.Layer(n.Weights, l)
		tensors[hiddenName(l, "weights")] = safetensors.Tensor{Shape: []int{layer.In, layer.Out}, Value: layer.Weights}
		tensors[hiddenName(l, "bias")] = safetensors.Tensor{Shape: []int{layer.Out}, Value: layer.Bias}
	}
	weights := (*Model)(m).gather(func(o Output) []float64 { return o.Weights })
	tensors["weights"] = safetensors.Tensor{Shape: []int{len(m.Outputs), s.Hidden[len(s.Hidden)-1]}, Value: weights}
}

// hiddenName is the name of a tensor of hidden layer l, from 0.
func hiddenName(l int, what string) string { return fmt.Sprintf("hidden.%d.%s", l+1, what) }

// restoreNetwork takes all layers out of the tensors.
func (m *Model) restoreNetwork(tensors map[string]safetensors.Tensor) (err error) {
	s, n := m.Statement, m.Network
	if n == nil || len(s.Hidden) == 0 {
		return fmt.Errorf("found %d hidden layers, facts of a network: %t, expected at least one, and facts", len(s.Hidden), n != nil)
	}
	if n.Shape, err = network.New(m.Data.Features, s.Hidden, len(m.Outputs), s.Activation); err != nil {
		return err
	}
	n.Weights = nil
	for l := range s.Hidden {
		in, out := n.Units[l], n.Units[l+1]
		for what, shape := range map[string][]int{"weights": {in, out}, "bias": {out}} {
			if t := tensors[hiddenName(l, what)]; !slices.Equal(t.Shape, shape) || t.Floats() == nil {
				return fmt.Errorf("found %s of shape %v and type %s, expected F64, %v", hiddenName(l, what), t.Shape, t.DType(), shape)
			}
		}
		n.Weights = append(append(n.Weights, tensors[hiddenName(l, "weights")].Floats()...), tensors[hiddenName(l, "bias")].Floats()...)
	}
	for _, w := range n.Weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("found the weight %g of a hidden layer, expected finite numbers", w)
		}
	}
	return m.cut("weights", s.Hidden[len(s.Hidden)-1], tensors)
}
