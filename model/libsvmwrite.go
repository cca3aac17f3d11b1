package model

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/kernel"
)

// WriteLIBSVM writes a kernel machine as a model of LIBSVM, of which decode has
// the format. The numbers are those of the model, to the last bit. A model of a
// Nystrom map is the machine of its landmarks.
func (m *Model) WriteLIBSVM(w io.Writer) error {
	if m == nil {
		return m.Check()
	}
	if m.Map != nil {
		machine, err := m.Machine()
		if err != nil {
			return fmt.Errorf("model of LIBSVM: %w", err)
		}
		m = machine
	}
	if err := m.fitsLIBSVM(); err != nil {
		return fmt.Errorf("model of LIBSVM: %w", err)
	}
	classes := len(m.Classes)
	if m.Classes == nil {
		classes = 2
	}
	order, sizes, err := m.bySide(classes)
	if err != nil {
		return fmt.Errorf("model of LIBSVM: %w", err)
	}
	out := bufio.NewWriter(w)
	m.writeLIBSVMHeader(out, classes, sizes)
	for _, v := range order {
		m.writeLIBSVMRow(out, classes, v)
	}
	return out.Flush()
}

// WriteLIBSVMFile writes what WriteLIBSVM does to path, as WriteFile does.
func (m *Model) WriteLIBSVMFile(path string) error { return replaceFile(path, m.WriteLIBSVM, decode) }

// fitsLIBSVM says what LIBSVM has no words for.
func (m *Model) fitsLIBSVM() error {
	if err := m.fitsOthers(); err != nil {
		return err
	}
	switch {
	case m.Support == nil:
		return fmt.Errorf("found %s, expected a kernel machine", m.form())
	case m.Scaling != nil:
		return fmt.Errorf("found a model of features scaled by %s, expected one without scaling: the format holds none", m.Scaling.Kind)
	case m.Schema.Offsets() != nil || m.Schema.Factors() != nil:
		return errors.New("found a model of columns from which an offset is subtracted before they are rounded, expected features as they are: the format holds no offsets")
	case len(m.Classes) > 2 && m.Statement.Scheme != OneAgainstOne:
		return fmt.Errorf("found %d classes, each against the rest, expected one against one", len(m.Classes))
	}
	kind := m.libsvmType()
	if name, _, _ := strings.Cut(m.Statement.Loss, ":"); name != libsvmTypes[kind] || m.Statement.Penalty != "l2" {
		return fmt.Errorf("found the loss %s and the penalty %s, expected %s and l2: the format has the type %s alone for this, which is another problem", m.Statement.Loss, m.Statement.Penalty, libsvmTypes[kind], kind)
	}
	if _, err := wholeLabels(m.Classes); err != nil {
		return err
	}
	_, err := libsvmKernel(m.Support.Kernel)
	return err
}

// libsvmKernel returns the lines that name a kernel.
func libsvmKernel(k kernel.Kernel) (string, error) {
	switch k := k.(type) {
	case kernel.Linear:
		return "kernel_type linear\n", nil
	case kernel.Precomputed:
		return "kernel_type precomputed\n", nil
	case kernel.RBF:
		return fmt.Sprintf("kernel_type rbf\ngamma %s\n", decimal(k.Gamma)), nil
	case kernel.Poly:
		return fmt.Sprintf("kernel_type polynomial\ndegree %d\ngamma %s\ncoef0 %s\n", k.Degree, decimal(k.Gamma), decimal(k.Coef0)), nil
	case kernel.Sigmoid:
		return fmt.Sprintf("kernel_type sigmoid\ngamma %s\ncoef0 %s\n", decimal(k.Gamma), decimal(k.Coef0)), nil
	}
	return "", fmt.Errorf("found the kernel %s, expected linear, poly, rbf, sigmoid or precomputed", kernel.Name(k))
}

// bySide returns the support vectors ordered by their class, the last class
// first, and how many each has. That of a vector is where its coefficients pull:
// a vector that speaks for none stands with the first class.
func (m *Model) bySide(classes int) (order []int, sizes []int, err error) {
	sizes = make([]int, classes)
	side := make([]int, m.Support.Len())
	for v := range side {
		if side[v], err = m.side(v, classes); err != nil {
			return nil, nil, err
		}
		order = append(order, v)
		sizes[classes-1-side[v]]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return side[b] - side[a] })
	return order, sizes, nil
}

// groups are the support vectors and the numbers of a kernel machine as LIBSVM has them:
// classes in the opposite order, a positive score for the first of a pair.
type groups struct {
	Order, Sizes []int     // the support vectors, those of a class together, and how many each has
	Coefficients []float64 // (classes-1) x support: of each vector one for each other class, in order
	Bias         []float64 // bias of each pair of classes
}

// Grouped returns the support vectors by class, one against one or of two classes; an error
// if one of them pulls to several.
func (m *Model) Grouped() (groups, error) {
	classes := len(m.Classes)
	order, sizes, err := m.bySide(classes)
	if err != nil {
		return groups{}, err
	}
	g := groups{Order: order, Sizes: sizes, Coefficients: make([]float64, (classes-1)*len(order))}
	for at, v := range order {
		for place, x := range m.coefficients(classes, v) {
			g.Coefficients[place*len(order)+at] = x
		}
	}
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			g.Bias = append(g.Bias, m.pair(i, j, classes).Bias)
		}
	}
	return g, nil
}

// side returns the class of support vector v.
func (m *Model) side(v, classes int) (int, error) {
	side := -1
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			var pull int
			switch c := m.Outputs[pairOf(i, j, classes)].Weights[v]; {
			case c > 0:
				pull = j
			case c < 0:
				pull = i
			default:
				continue
			}
			if side >= 0 && side != pull {
				return 0, fmt.Errorf("support vector %d pulls to the classes %s and %s, expected one", v+1, m.Classes[side], m.Classes[pull])
			}
			side = pull
		}
	}
	return max(side, 0), nil
}

// libsvmType is what the model would be called.
func (m *Model) libsvmType() string {
	kind := strings.TrimPrefix(m.Statement.Solver, "libsvm:")
	regression := m.Classes == nil
	switch {
	case m.OneClass():
		return "one_class"
	case regression && (m.Statement.Nu > 0 || kind == "nu_svr"):
		return "nu_svr"
	case regression:
		return "epsilon_svr"
	case m.Statement.Nu > 0 || kind == "nu_svc":
		return "nu_svc"
	}
	return "c_svc"
}

func (m *Model) writeLIBSVMHeader(w *bufio.Writer, classes int, sizes []int) {
	kind := m.libsvmType()
	kernelLines, _ := libsvmKernel(m.Support.Kernel) // fitsLIBSVM knows that there is no error
	fmt.Fprintf(w, "svm_type %s\n%snr_class %d\ntotal_sv %d\nrho", kind, kernelLines, classes, m.Support.Len())
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			fmt.Fprintf(w, " %s", decimal(-m.pair(i, j, classes).Bias))
		}
	}
	fmt.Fprintln(w)
	several := m.Classes != nil && !m.OneClass()
	if several {
		labels, _ := wholeLabels(m.Classes)
		slices.Reverse(labels)
		fmt.Fprintf(w, "label %s\n", strings.Join(labels, " "))
	}
	if m.Calibration != nil {
		m.Calibration.write(w, m)
	}
	if several {
		writeNumbersLine(w, "nr_sv", len(sizes), func(i int) float64 { return float64(sizes[i]) })
	}
	fmt.Fprintln(w, "SV")
}

// pair returns the output of the classes i < j of the file, where they stand in
// the opposite order.
func (m *Model) pair(i, j, classes int) *Output {
	return &m.Outputs[pairOf(classes-1-j, classes-1-i, classes)]
}

// coefficients returns those of support vector v for each class that is not its own.
func (m *Model) coefficients(classes, v int) (all []float64) {
	side, _ := m.side(v, classes)
	own := classes - 1 - side
	for c := range classes {
		if c != own {
			all = append(all, m.pair(min(c, own), max(c, own), classes).Weights[v])
		}
	}
	return all
}

func (m *Model) writeLIBSVMRow(w *bufio.Writer, classes, v int) {
	for _, x := range m.coefficients(classes, v) {
		fmt.Fprintf(w, "%s ", decimal(x))
	}
	first := 1
	if _, numbered := m.Support.Kernel.(kernel.Precomputed); numbered || m.Statement.ZeroBased {
		first = 0
	}
	x := m.Support.Rows.Row(v)
	for k, value := range x.Value {
		if value != 0 {
			fmt.Fprintf(w, "%d:%s ", x.Column(k)+first, strconv.FormatFloat(float64(value), 'g', -1, 32))
		}
	}
	fmt.Fprintln(w)
}
