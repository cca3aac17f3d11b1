package theory

// Decomposition says where the excess risk of a model comes from, section 9.5: the risk of its
// class of models, that of learning from a sample, and that of stopping early.
type Decomposition struct {
	Approximation float64 `json:"approximation"` // best of the class, minus the best of all
	Estimation    float64 `json:"estimation"`    // best on the sample, minus the best of the class
	Optimisation  float64 `json:"optimisation"`  // the model, minus the best on the sample
}

// Decompose splits the excess risk of a model into three numbers that add up to it, given the
// risks of the model, of the optimum on the same sample, of the best model of the class, and
// the least risk of any function.
func Decompose(model, sample, class, least float64) Decomposition {
	return Decomposition{Approximation: class - least, Estimation: sample - class, Optimisation: model - sample}
}

// Excess is the risk of the model above the least one.
func (d Decomposition) Excess() float64 { return d.Approximation + d.Estimation + d.Optimisation }
