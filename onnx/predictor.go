package onnx

import (
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/model"
)

// predictor is a model that becomes a graph.
type predictor struct {
	*graph
	model   *model.Model
	columns int // of rows
	options Options
}

// scores returns the scores of rows x: N x outputs, double precision.
func (p *predictor) scores(x string) (string, error) {
	m := p.model
	if m.Network != nil {
		return p.linear(p.hidden(p.cast(p.scaled(x), double)), p.weights()), nil
	}
	if m.Map != nil {
		if f, ok := m.Map.(*featuremap.Fourier); ok {
			return p.fourier(p.scaled(x), f), nil
		}
		machine, err := m.Machine()
		if err != nil {
			return "", err
		}
		p.model = machine
		return p.machine(p.scaled(x))
	}
	if m.Support != nil {
		return p.machine(p.scaled(x))
	}
	return p.linear(p.cast(p.scaled(x), double), p.weights()), nil
}

// scaled brings rows to the sizes of the training rows, in single precision.
func (p *predictor) scaled(x string) string {
	s := p.model.Scaling
	if s == nil {
		return x
	}
	x = p.op("Sub", p.cast(x, double), p.row(s.Offset))
	return p.cast(p.op("Mul", x, p.row(s.Factor)), single)
}

// weights returns the weights of all outputs, a column for each.
func (p *predictor) weights() string {
	k, n := len(p.model.Outputs), len(p.model.Outputs[0].Weights)
	values := make([]float64, n*k)
	for c, o := range p.model.Outputs {
		for j, w := range o.Weights {
			values[j*k+c] = w
		}
	}
	return p.constant([]int{n, k}, values)
}

// linear returns x w + bias.
func (p *predictor) linear(x, w string) string {
	bias := make([]float64, len(p.model.Outputs))
	for c, o := range p.model.Outputs {
		bias[c] = o.Bias
	}
	return p.op("Add", p.op("MatMul", x, w), p.row(bias))
}

// hidden returns the units of the last hidden layer.
func (p *predictor) hidden(x string) string {
	m := p.model
	for l := range m.Statement.Hidden {
		layer := m.Network.Layer(m.Network.Weights, l)
		x = p.op("Gemm", x, p.constant([]int{layer.In, layer.Out}, layer.Weights), p.constant([]int{layer.Out}, layer.Bias))
		x = p.op(map[string]string{"relu": "Relu", "tanh": "Tanh", "sigmoid": "Sigmoid"}[network.ActivationOf(m.Statement.Activation)], x)
	}
	return x
}

// fourier returns the scores of the random features of x, which are rounded to single
// precision as package kernel does. Phases are in turns.
func (p *predictor) fourier(x string, f *featuremap.Fourier) string {
	cols, features := f.Dims()
	pairs := features / 2
	phase := p.op("MatMul", p.cast(x, double), p.cast(p.constant([]int{cols, pairs}, f.Frequencies()), double))
	angle := p.op("Mul", p.op("Sub", phase, p.op("Round", phase)), p.number(twoPi))
	scale := p.number(f.Scale())
	var images []string
	for _, wave := range []string{"Cos", "Sin"} {
		images = append(images, p.rounded(p.op("Mul", p.op(wave, angle), scale)))
	}
	k := len(p.model.Outputs)
	values := make([]float64, features*k)
	for c, o := range p.model.Outputs {
		for j, w := range o.Weights {
			values[(j/2+j%2*pairs)*k+c] = w
		}
	}
	return p.linear(p.side(images), p.constant([]int{features, k}, values))
}

const twoPi = 6.283185307179586
