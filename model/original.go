package model

// Original returns the weights and the bias of an output of a linear model for features as
// the data have them: as they were before the model's scaling, and before the offsets of
// its columns were subtracted.
func (m *Model) Original(output int) (weights []float64, bias float64) {
	o := m.Outputs[output]
	weights, bias = o.Weights, o.Bias
	if m.Scaling != nil {
		weights = make([]float64, len(o.Weights))
		for j, w := range o.Weights {
			weights[j] = w * m.Scaling.Factor[j]
			bias -= float64(weights[j] * m.Scaling.Offset[j])
		}
	}
	for j, offset := range m.Schema.Offsets() {
		bias -= float64(weights[j] * offset)
	}
	return weights, bias
}
