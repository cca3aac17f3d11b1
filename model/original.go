package model

// Original returns the weights and the bias of an output of a linear model for features as
// the data have them: as they were before the model's scaling.
func (m *Model) Original(output int) (weights []float64, bias float64) {
	o := m.Outputs[output]
	if m.Scaling == nil {
		return o.Weights, o.Bias
	}
	weights, bias = make([]float64, len(o.Weights)), o.Bias
	for j, w := range o.Weights {
		weights[j] = w * m.Scaling.Factor[j]
		bias -= float64(weights[j] * m.Scaling.Offset[j])
	}
	return weights, bias
}
