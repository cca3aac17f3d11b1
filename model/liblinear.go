package model

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
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
	if bias[0] > 0 {
		m.Statement.Bias = "feature"
		if bias[0] != 1 { // the penalty sees the weight of the constant, not the bias
			m.Statement.Bias += ":value=" + decimal(bias[0])
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

// WriteLIBLINEAR writes a linear model as a model of LIBLINEAR, of which decode has the
// format. A scaling of the features becomes a part of the weights and the bias; else the
// numbers are those of the model, to the last bit. The format does not hold C, nor
// whether the penalty saw the bias.
func (m *Model) WriteLIBLINEAR(w io.Writer) error {
	kind, err := m.liblinearType()
	if err == nil {
		err = m.fitsLIBLINEAR()
	}
	var labels []string
	if err == nil && m.Classes != nil && kind != "ONECLASS_SVM" {
		labels, err = wholeLabels(m.Classes)
	}
	var outputs []Output
	if err == nil {
		outputs, err = m.original()
	}
	if err != nil {
		return fmt.Errorf("model of LIBLINEAR: %w", err)
	}
	f := liblinearFile{Model: m, kind: kind, labels: labels, outputs: outputs}
	for _, o := range outputs {
		if b := o.Bias / f.constant(); math.IsInf(b, 0) {
			return fmt.Errorf("model of LIBLINEAR: found the weight %g of the constant feature %g, expected finite numbers", b, f.constant())
		}
	}
	out := bufio.NewWriter(w)
	f.write(out)
	return out.Flush()
}

// WriteLIBLINEARFile writes what WriteLIBLINEAR does to path, as WriteFile does.
func (m *Model) WriteLIBLINEARFile(path string) error {
	return replaceFile(path, m.WriteLIBLINEAR, decode)
}

// liblinearType returns the type whose problem has the model's loss and penalty. The
// squared loss is the one of L2R_L2LOSS_SVR with a tube of no width.
func (m *Model) liblinearType() (string, error) {
	if kind, ok := strings.CutPrefix(m.Statement.Solver, "liblinear:"); ok {
		kind, _, _ = strings.Cut(kind, ",")
		return kind, nil
	}
	if !m.IsLinear() {
		return "", fmt.Errorf("found %s, expected a linear model", m.form())
	}
	loss, _, _ := strings.Cut(m.Statement.Loss, ":")
	if loss == "crammer-singer" && m.Statement.Penalty == "l2" {
		return "MCSVM_CS", nil
	}
	if loss == "squared" {
		loss = "squared-epsilon-insensitive"
	}
	for _, kind := range []string{"L2R_LR", "L1R_LR", "L2R_L2LOSS_SVC", "L1R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL", "L2R_L2LOSS_SVR", "L2R_L1LOSS_SVR_DUAL"} {
		if terms := liblinearTypes[kind]; terms == [2]string{loss, m.Statement.Penalty} && strings.Contains(kind, "SVR") == (m.Classes == nil) {
			return kind, nil
		}
	}
	task := "classes"
	if m.Classes == nil {
		task = "numbers"
	}
	return "", fmt.Errorf("found the loss %s and the penalty %s for %s, which is the problem of no type of the format", m.Statement.Loss, m.Statement.Penalty, task)
}

// fitsLIBLINEAR says what LIBLINEAR has no words for.
func (m *Model) fitsLIBLINEAR() error {
	if err := m.fitsOthers(); err != nil {
		return err
	}
	switch {
	case m.Calibration != nil:
		return errors.New("found probabilities of a calibration, expected none: the format has no place for them")
	case m.Statement.Scheme == OneAgainstOne:
		return errors.New("found classes told apart one against one, expected each against the rest")
	case m.Statement.ZeroBased:
		return errors.New("found a model of rows with the index 0, expected indices from 1: the format has no feature 0")
	}
	return nil
}

// original returns the outputs with weights of the features as they are before scaling.
func (m *Model) original() ([]Output, error) {
	outputs := make([]Output, len(m.Outputs))
	for c := range m.Outputs {
		w, b := m.Original(c)
		outputs[c] = Output{Weights: w, Bias: b}
		for _, x := range append(slices.Clone(w), b) {
			if x-x != 0 {
				return nil, fmt.Errorf("found the weight %g of a feature as it is before scaling, expected finite numbers", x)
			}
		}
	}
	return outputs, nil
}

// liblinearFile is a model that the format can hold.
type liblinearFile struct {
	*Model
	kind    string
	labels  []string
	outputs []Output
}

func (f *liblinearFile) write(w io.Writer) {
	classes := 2 // also of none
	if f.labels != nil {
		classes = len(f.labels)
	}
	fmt.Fprintf(w, "solver_type %s\nnr_class %d\n", f.kind, classes)
	if f.labels != nil {
		if classes == 2 && f.kind != "MCSVM_CS" { // a positive score speaks for the first
			slices.Reverse(f.labels)
		}
		fmt.Fprintf(w, "label %s\n", strings.Join(f.labels, " "))
	}
	constant := f.constant()
	fmt.Fprintf(w, "nr_feature %d\nbias %s\n", f.Cols(), decimal(constant))
	if f.kind == "ONECLASS_SVM" {
		fmt.Fprintf(w, "rho %s\n", decimal(-f.outputs[0].Bias))
	}
	fmt.Fprintln(w, "w")
	for j := range f.Cols() {
		f.line(w, func(o Output) float64 { return o.Weights[j] })
	}
	if constant >= 0 {
		f.line(w, func(o Output) float64 { return o.Bias / constant })
	}
}

// constant returns the value of the constant feature; -1: there is none, as no output
// has a bias.
func (f *liblinearFile) constant() float64 {
	if _, bias, ok := strings.Cut(f.Statement.Bias, ":value="); ok {
		if x, err := finite(bias); err == nil && x > 0 {
			return x
		}
	}
	none := !slices.ContainsFunc(f.outputs, func(o Output) bool { return o.Bias != 0 })
	if f.kind == "ONECLASS_SVM" || f.Statement.Bias == "none" && none {
		return -1
	}
	return 1
}

// line writes a number of each output. A type that has one for each of two classes gets
// halves, of which the difference is the model's.
func (f *liblinearFile) line(w io.Writer, of func(Output) float64) {
	if f.kind == "MCSVM_CS" && len(f.outputs) == 1 {
		half := of(f.outputs[0]) / 2
		fmt.Fprintf(w, "%s %s \n", decimal(-half), decimal(half))
		return
	}
	for _, o := range f.outputs {
		fmt.Fprintf(w, "%s ", decimal(of(o)))
	}
	fmt.Fprintln(w)
}
