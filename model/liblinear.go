package model

import (
	"fmt"
	"slices"
)

// A model of LIBLINEAR is
//
//	solver_type L2R_L2LOSS_SVC_DUAL
//	nr_class 3
//	label 1 2 3                not for regression and one class
//	nr_feature 2
//	bias 1                     value of a constant last feature; < 0: none
//	w
//	0.5 -0.5 0.25              a line for each feature, a number for each class
//	...
//
// Two classes have one number, positive for the first; one class has also a
// line "rho", subtracted from the score. Rows of a single label give nr_class 1.

// liblinearTypes has loss and penalty of each type.
var liblinearTypes = map[string][2]string{
	"L2R_LR": {"logistic", "l2"}, "L2R_LR_DUAL": {"logistic", "l2"}, "L1R_LR": {"logistic", "l1"},
	"L2R_L2LOSS_SVC": {"squared-hinge", "l2"}, "L2R_L2LOSS_SVC_DUAL": {"squared-hinge", "l2"}, "L1R_L2LOSS_SVC": {"squared-hinge", "l1"},
	"L2R_L1LOSS_SVC_DUAL": {"hinge", "l2"}, "MCSVM_CS": {"hinge", "l2"}, "ONECLASS_SVM": {"hinge", "l2"},
	"L2R_L2LOSS_SVR": {"squared-epsilon-insensitive", "l2"}, "L2R_L2LOSS_SVR_DUAL": {"squared-epsilon-insensitive", "l2"},
	"L2R_L1LOSS_SVR_DUAL": {"epsilon-insensitive", "l2"},
}

// decodeLIBLINEAR reads a model of LIBLINEAR.
func decodeLIBLINEAR(data []byte) (*Model, error) {
	t := &text{rest: data}
	if err := t.header("w", "solver_type", "nr_class", "label", "nr_feature", "bias", "rho"); err != nil {
		return nil, err
	}
	kind := t.word("solver_type")
	terms, ok := liblinearTypes[kind]
	if !ok {
		return nil, fmt.Errorf("solver_type: found %q, expected one of LIBLINEAR", kind)
	}
	m := &Model{Statement: Statement{Loss: terms[0], Penalty: terms[1], Bias: "none", Solver: "liblinear:" + kind}}
	outputs, err := t.liblinearClasses(m, kind)
	if err != nil {
		return nil, err
	}
	if m.Data.Features, err = t.whole("nr_feature"); err != nil {
		return nil, err
	}
	bias, err := t.numbers("bias", 1)
	if err != nil {
		return nil, err
	}
	if bias[0] >= 0 {
		m.Statement.Bias = "feature"
		if bias[0] != 1 { // the penalty sees the weight of the constant, not the bias
			m.Statement.Solver += ",bias=" + decimal(bias[0])
		}
	}
	return m, t.liblinearWeights(m, outputs, bias[0])
}

// liblinearClasses sets the classes and returns how many numbers a line has.
func (t *text) liblinearClasses(m *Model, kind string) (outputs int, err error) {
	if _, ok := t.fields["label"]; !ok {
		if kind == "ONECLASS_SVM" {
			m.Classes = []string{"-1", "1"}
		}
		return 1, nil
	}
	classes, err := t.whole("nr_class")
	if err != nil {
		return 0, err
	}
	if m.Classes, err = t.labels(classes); err != nil {
		return 0, err
	}
	if classes == 1 || classes == 2 && kind != "MCSVM_CS" {
		return 1, nil
	}
	slices.Reverse(m.Classes) // each speaks for itself: the first among equals
	return classes, nil
}

// liblinearWeights reads the table of weights.
func (t *text) liblinearWeights(m *Model, outputs int, bias float64) error {
	lines := m.Data.Features
	if bias >= 0 {
		lines++
	}
	if need := 2 * int64(lines) * int64(outputs); need > int64(len(t.rest)+1) {
		return fmt.Errorf("nr_feature: found %d features of %d numbers, expected as many as %d bytes can hold", m.Data.Features, outputs, len(t.rest))
	}
	m.Outputs = make([]Output, outputs)
	for c := range m.Outputs {
		m.Outputs[c] = Output{Weights: make([]float64, m.Data.Features), Certificate: imported()}
	}
	for j := range lines {
		words, _ := t.line()
		if len(words) != outputs {
			return fmt.Errorf("line %d: found %d weights, expected %d, line %d of %d", t.number, len(words), outputs, j+1, lines)
		}
		for c, word := range words {
			w, err := finite(word)
			switch {
			case err != nil:
				return fmt.Errorf("line %d: %w", t.number, err)
			case j == m.Data.Features:
				m.Outputs[c].Bias = float64(w * bias)
			default:
				m.Outputs[c].Weights[j] = w
			}
		}
	}
	if _, ok := t.fields["rho"]; ok {
		rho, err := t.numbers("rho", 1)
		if err != nil {
			return err
		}
		m.Outputs[0].Bias -= rho[0]
	}
	if outputs == 2 { // of a type that has them for two classes: their difference says it all
		first, second := m.Outputs[0], &m.Outputs[1]
		for j, w := range first.Weights {
			second.Weights[j] -= w
		}
		second.Bias -= first.Bias
		m.Outputs = m.Outputs[1:]
	}
	return nil
}
