package network

import (
	"cmp"
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// An activation is the function of hidden units: apply replaces each a by sigma(a), back multiplies deltas
// by sigma'(a), computed from o = sigma(a).
type activation struct {
	apply func(o []float64)
	back  func(delta, o []float64)
	he    bool // weights are drawn for units of which half are 0
}

var activations = map[string]activation{"relu": relu, "tanh": tanh, "sigmoid": sigmoid}

// Activations lists their names, the usual one first.
func Activations() []string { return []string{"relu", "tanh", "sigmoid"} }

// ActivationOf returns the name of an activation; of "" that of the usual one.
func ActivationOf(name string) string { return cmp.Or(name, Activations()[0]) }

var relu = activation{he: true,
	apply: func(o []float64) {
		for k, a := range o {
			o[k] = max(a, 0)
		}
	},
	back: func(delta, o []float64) {
		for k, v := range o {
			if v <= 0 {
				delta[k] = 0
			}
		}
	}}

var sigmoid = activation{
	apply: func(o []float64) { elementary.SigmoidTo(o, o) },
	back: func(delta, o []float64) {
		for k, v := range o {
			delta[k] *= float64(v * (1 - v))
		}
	}}

// tanh is (1-e)/(1+e) with e = exp(-2|a|), and the sign of a.
var tanh = activation{
	apply: func(o []float64) {
		for k, a := range o {
			e := elementary.Exp(-2 * math.Abs(a))
			o[k] = math.Copysign((1-e)/(1+e), a)
		}
	},
	back: func(delta, o []float64) {
		for k, v := range o {
			delta[k] *= 1 - float64(v*v)
		}
	}}

// reach is the largest absolute value of the weights that are drawn for a layer.
func (s Shape) reach(l int) float64 {
	in, out := float64(s.Units[l]), float64(s.Units[l+1])
	if s.activation.he && l < s.layers()-1 {
		return math.Sqrt(6 / max(in, 1))
	}
	return math.Sqrt(6 / (in + out))
}
