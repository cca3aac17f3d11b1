package onnx

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/model"
)

// The operators of ai.onnx.ml for kernel machines, SVMRegressor and SVMClassifier, compute
// in single precision: scores are off by 1e-6 of the largest and more, where those of the
// graph of other operators are off by 1e-14, and in ONNX Runtime 1.32 they take two to ten
// times as long for many rows (2000 support vectors of 100 features: 0.35 s and 0.15 s for
// 2000 rows; 4000 of 784: 3.1 s and 0.3 s for 1000; one thread). They are used on demand.

// machine returns the scores of a kernel machine.
func (p *predictor) machine(x string) (string, error) {
	s := p.model.Support
	if _, given := s.Kernel.(kernel.Precomputed); !given && s.Cols() != p.columns {
		return "", fmt.Errorf("found support vectors of %d columns, expected the %d of the rows", s.Cols(), p.columns)
	}
	if s.Len() == 0 {
		return p.linear(p.cast(x, double), p.constant([]int{p.columns, len(p.model.Outputs)}, make([]float64, p.columns*len(p.model.Outputs)))), nil
	}
	if p.options.SVM {
		if scores, ok := p.operator(x); ok {
			return scores, nil
		}
	}
	v := values{graph: p.graph, rows: s.Rows, columns: p.columns, x: p.cast(x, double)}
	matrix, err := v.of(s.Kernel)
	if err != nil {
		return "", fmt.Errorf("kernel %s: %w", p.model.Statement.Kernel, err)
	}
	return p.linear(matrix, p.weights()), nil
}

// operator returns the scores by an operator for kernel machines, if there is one for the
// kernel and the scheme.
func (p *predictor) operator(x string) (scores string, ok bool) {
	attributes, ok := operatorKernel(p.model.Support.Kernel)
	switch {
	case !ok:
		return "", false
	case p.model.Statement.Scheme == model.OneAgainstOne:
		return p.classifier(x, attributes)
	case len(p.model.Outputs) > 1:
		return "", false
	}
	o := p.model.Outputs[0]
	return p.cast(p.node("SVMRegressor", []string{x}, append(attributes,
		singlesAttribute("coefficients", narrow(o.Weights)), singlesAttribute("rho", []float32{float32(o.Bias)}),
		singlesAttribute("support_vectors", dense(p.model.Support.Rows)), wholeAttribute("n_supports", int64(p.model.Support.Len())))...), double), true
}

// operatorKernel returns the attributes that name a kernel.
func operatorKernel(k kernel.Kernel) ([]attribute, bool) {
	var name string
	var numbers []float32
	switch k := k.(type) {
	case kernel.Linear:
		name, numbers = "LINEAR", []float32{0, 0, 0}
	case kernel.RBF:
		name, numbers = "RBF", []float32{float32(k.Gamma), 0, 0}
	case kernel.Poly:
		name, numbers = "POLY", []float32{float32(k.Gamma), float32(k.Coef0), float32(k.Degree)}
	case kernel.Sigmoid:
		name, numbers = "SIGMOID", []float32{float32(k.Gamma), float32(k.Coef0), 0}
	}
	return []attribute{textAttribute("kernel_type", name), singlesAttribute("kernel_params", numbers)}, name != ""
}

// classifier returns the scores of all pairs by SVMClassifier, which has classes, pairs and
// signs as files of LIBSVM: it needs support vectors that each pull to one class.
func (p *predictor) classifier(x string, attributes []attribute) (scores string, ok bool) {
	m := p.model
	g, err := m.Grouped()
	if err != nil {
		return "", false
	}
	n, d := m.Support.Rows.Dims()
	all, rows := dense(m.Support.Rows), make([]float32, 0, n*d)
	for _, v := range g.Order {
		rows = append(rows, all[v*d:(v+1)*d]...)
	}
	sizes, names := make([]int64, len(g.Sizes)), make([]string, len(g.Sizes))
	for c, size := range g.Sizes {
		sizes[c], names[c] = int64(size), m.Classes[len(names)-1-c]
	}
	label, pairs := p.name(), p.name()
	p.add("SVMClassifier", []string{x}, []string{label, pairs}, append(attributes,
		singlesAttribute("coefficients", narrow(g.Coefficients)), singlesAttribute("rho", narrow(g.Bias)), wholesAttribute("vectors_per_class", sizes),
		singlesAttribute("support_vectors", rows), textsAttribute("classlabels_strings", names)))
	order := make([]int64, len(m.Outputs))
	for pair := range order {
		i, j := model.Pair(pair, len(names))
		order[place(len(names)-1-j, len(names)-1-i, len(names))] = int64(pair)
	}
	return p.cast(p.node("Gather", []string{pairs, p.wholes(order...)}, wholeAttribute("axis", 1)), double), true
}

// narrow rounds numbers to single precision.
func narrow(values []float64) []float32 {
	all := make([]float32, len(values))
	for i, v := range values {
		all[i] = float32(v)
	}
	return all
}
