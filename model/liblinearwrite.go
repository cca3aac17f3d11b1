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
	if m.Support != nil || m.Map != nil {
		return "", errors.New("found a kernel machine, expected a linear model")
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
	if _, bias, ok := strings.Cut(f.Statement.Solver, ",bias="); ok {
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
