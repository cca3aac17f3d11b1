package stochastic

import "github.com/fenchel-ml/fenchel/internal/registry"

// AdaGrad, RMSprop and Adam step in every weight by a length of its own.
//
//	Problem   minimise P(w,b) with penalty l2, l1 or elastic-net
//	Update    package iterate, Diagonal; eta = gamma/sqrt(t), for AdaGrad gamma
//	          gamma is chosen on some rows unless it is given
//	          adam:beta1=0.9,beta2=0.999 and rmsprop:decay=0.99 are the decays of the means of gradients and of
//	          their squares
//	Returned  the average of the iterates, step t with weight t, or the last, whichever is better
//	Rate      AdaGrad: the regret of the best diagonal scaling, E P - P* = O(1/sqrt t); of the
//	          others no bound of this kind is proved (Adam may diverge: Reddi, Kale, Kumar 2018)
//	Memory    two numbers a row, for the dual variables, and ten a feature
//	Source    Duchi, Hazan, Singer 2011; Tieleman, Hinton 2012; Kingma, Ba 2015
func init() {
	register("steps of each weight's own length, by all gradients so far: badly scaled, rare features; gamma=auto",
		registry.Facts{Rate: "1/sqrt t in steps", Memory: "two numbers a row", Source: "Duchi, Hazan, Singer 2011"},
		Method{name: "adagrad", geometry: "diagonal", step: "constant", output: "best", moments: [2]float64{0, 1}})
	register("steps of each weight's own length, by late gradients: gamma=auto, decay=0.99",
		registry.Facts{Rate: "none is proved", Memory: "two numbers a row", Source: "Tieleman, Hinton 2012"},
		Method{name: "rmsprop", geometry: "diagonal", step: "sqrt", output: "best", moments: [2]float64{0, 0.99}})
	register("steps of each weight's own length with momentum, in the form for sparse rows: gamma=auto, beta1=0.9, beta2=0.999",
		registry.Facts{Rate: "none is proved", Memory: "two numbers a row", Source: "Kingma, Ba 2015"},
		Method{name: "adam", geometry: "diagonal", step: "sqrt", output: "best", moments: [2]float64{0.9, 0.999}})
}

// Decay reads the decay of a mean of gradients.
func Decay(p *registry.Params, key string, otherwise float64) float64 {
	return p.Float(key, otherwise, "a number from 0, below 1", func(v float64) bool { return v >= 0 && v < 1 })
}

// decays reads those of a method that has them.
func (m *Method) decays(p *registry.Params) {
	switch m.name {
	case "adam":
		m.moments = [2]float64{Decay(p, "beta1", m.moments[0]), Decay(p, "beta2", m.moments[1])}
	case "rmsprop":
		m.moments[1] = Decay(p, "decay", m.moments[1])
	}
}
