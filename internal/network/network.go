// Package network computes feed-forward networks: predictions of rows, and gradients of losses of these
// predictions. With o_0 = x a row and L layers of m_l units each
//
//	a_l = o_{l-1} W_l + b_l,   o_l = sigma(a_l) for l < L,   o_L = a_L the scores
//
// of sum_l m_l (m_{l-1} + 1) parameters. Backwards, with delta_L the slopes of the losses at the scores,
//
//	delta_l = (delta_{l+1} W_{l+1}^T) sigma'(a_l),   dW_l = o_{l-1}^T delta_l,   db_l = sum delta_l
//
// which is two products of matrices for a batch of rows. Every element of them is one chain of fused
// multiply-adds, over the units before in order, or over the rows in order: whoever computes a part of
// the rows, or of the parameters, and whether rows are sparse, changes no bit. Numbers are float64: of
// networks this small, reading the rows takes most of the time, of which half precision would save
// little, and what a model file holds can be verified to the last digits.
//
// Losses, penalties and objectives are not here, but in package problem; steps in internal/solve/network.
// The formulas are those of Ulbrich 2017, chapter 4, with the scores of the last layer left linear.
package network

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// A Shape is the layers of a network.
type Shape struct {
	Units      []int // features, hidden units of each layer, outputs
	activation activation
}

// Limits of a network: small ones are what this is for.
const (
	mostLayers     = 16
	mostUnits      = 1 << 16
	mostParameters = 1 << 28
)

// Check refuses hidden layers that there cannot be, or an activation that is not known; "": relu.
func Check(hidden []int, activation string) error {
	if len(hidden) > mostLayers {
		return fmt.Errorf("hidden: found %d layers, expected at most %d", len(hidden), mostLayers)
	}
	for _, units := range hidden {
		if units < 1 || units > mostUnits {
			return fmt.Errorf("hidden: found a layer of %d units, expected from 1 to %d", units, mostUnits)
		}
	}
	if _, known := activations[ActivationOf(activation)]; !known {
		return registry.Unknown("activation", activation, Activations())
	}
	return nil
}

// New returns the shape of a network of so many features, hidden units and outputs.
func New(features int, hidden []int, outputs int, activation string) (Shape, error) {
	s := Shape{Units: slices.Concat([]int{features}, hidden, []int{outputs}), activation: activations[ActivationOf(activation)]}
	if err := Check(hidden, activation); err != nil {
		return s, err
	}
	total := 0.0
	for l := range s.layers() {
		total += float64(s.Units[l]+1) * float64(s.Units[l+1])
	}
	if total > mostParameters {
		return s, fmt.Errorf("hidden: found a network of %.4g parameters, expected at most %d: fewer units, or fewer features", total, mostParameters)
	}
	return s, nil
}

func (s Shape) layers() int { return len(s.Units) - 1 }

// Parameters is sum_l m_l (m_{l-1} + 1).
func (s Shape) Parameters() int {
	total := 0
	for l := range s.layers() {
		total += s.Units[l+1] * (s.Units[l] + 1)
	}
	return total
}

// A Layer is where the parameters of one layer are: those of each unit before it side by side, and then
// the biases.
type Layer struct {
	In, Out       int
	Weights, Bias []float64
}

// Layer returns layer l, from 0, of parameters.
func (s Shape) Layer(w []float64, l int) Layer {
	at := 0
	for k := range l {
		at += s.Units[k+1] * (s.Units[k] + 1)
	}
	in, out := s.Units[l], s.Units[l+1]
	return Layer{in, out, w[at : at+in*out : at+in*out], w[at+in*out : at+(in+1)*out : at+(in+1)*out]}
}

// Last returns the layer of the scores.
func (s Shape) Last(w []float64) Layer { return s.Layer(w, s.layers()-1) }

// Hidden is how many parameters the hidden layers have: they come first.
func (s Shape) Hidden() int {
	last := s.layers()
	return s.Parameters() - s.Units[last]*(s.Units[last-1]+1)
}

// Draw fills parameters with those to begin at: no biases, and weights uniform in +-r with r^2 = gain/(in)
// for relu (He et al. 2015, gain 6), and 6/(in + out) else (Glorot, Bengio 2010), so that scores of
// features of variance 1 have about that.
func (s Shape) Draw(w []float64, seed uint64) {
	random := rand.New(rand.NewPCG(seed, drawStream))
	for l := range s.layers() {
		layer := s.Layer(w, l)
		clear(layer.Bias)
		reach := s.reach(l)
		for k := range layer.Weights {
			layer.Weights[k] = reach * (2*random.Float64() - 1)
		}
	}
}

// drawStream keeps the numbers apart from those that order the rows.
const drawStream = 0x6e657477
