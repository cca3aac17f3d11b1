package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A model of LIBSVM is
//
//	svm_type c_svc            nu_svc, one_class, epsilon_svr, nu_svr
//	kernel_type rbf           linear, polynomial, sigmoid, precomputed
//	gamma 0.5                 and degree, coef0, where the kernel has them
//	nr_class 3
//	total_sv 4
//	rho 0.1 -0.2 0.3          one for each pair of classes: 12, 13, 23
//	label 1 2 3
//	probA -1.5 -2 -1.75       where -b 1 was given: see Calibration. For each pair, and so
//	                          is probB; one in a regression; one class: prob_density_marks
//	nr_sv 2 1 1               support vectors of each class, in order
//	SV
//	0.5 1 1:0.25 3:1          coefficients for each other class, and the row
//	...
//
// Classes decide one against one: the score of a pair is sum_j c_j k(x_j,x) -
// rho over the support vectors x_j of both, positive for the first of them; c_j
// stands at the place of the other class among the rest. Regression and one
// class are like a pair, without label and nr_sv. With a precomputed kernel the
// row is 0:i, the number of the support vector among the rows. A single class has no
// support vectors.

// libsvmTypes has the loss that each type of machine minimises.
var libsvmTypes = map[string]string{"c_svc": "hinge", "nu_svc": "hinge", "one_class": "hinge",
	"epsilon_svr": "epsilon-insensitive", "nu_svr": "epsilon-insensitive"}

// decodeLIBSVM reads a model of LIBSVM.
func decodeLIBSVM(data []byte) (*Model, error) {
	t := &text{rest: data}
	if err := t.header("SV", "svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho", "label", "probA", "probB", "prob_density_marks", "nr_sv"); err != nil {
		return nil, err
	}
	kind := t.word("svm_type")
	loss, ok := libsvmTypes[kind]
	if !ok {
		return nil, fmt.Errorf("svm_type: found %q, expected c_svc, nu_svc, one_class, epsilon_svr or nu_svr", kind)
	}
	spec, err := t.libsvmKernel()
	if err != nil {
		return nil, err
	}
	k, err := kernel.New(spec)
	if err != nil {
		return nil, err
	}
	m := &Model{Statement: Statement{Loss: loss, Penalty: "l2", Kernel: spec, Bias: "free", Solver: "libsvm:" + kind},
		Support: &Support{Kernel: k}}
	f := libsvmFile{text: t, model: m}
	return m, f.read()
}

// libsvmKernel returns the kernel as kernel.New takes it.
func (t *text) libsvmKernel() (string, error) {
	kind := t.word("kernel_type")
	params := map[string][]string{"linear": {}, "polynomial": {"gamma", "coef0", "degree"}, "rbf": {"gamma"},
		"sigmoid": {"gamma", "coef0"}, "precomputed": {}}
	keys, ok := params[kind]
	if !ok {
		return "", fmt.Errorf("kernel_type: found %q, expected linear, polynomial, rbf, sigmoid or precomputed", kind)
	}
	spec := kind
	if kind == "polynomial" {
		spec = "poly"
	}
	for i, key := range keys {
		number, err := t.numbers(key, 1)
		if err != nil {
			return "", err
		}
		spec += [...]string{":", ",", ","}[i] + key + "=" + strconv.FormatFloat(number[0], 'g', -1, 64)
	}
	return spec, nil
}

// libsvmFile is a file of which the header was read.
type libsvmFile struct {
	*text
	model   *Model
	classes int
	class   []int // class of each support vector, in the order of the file
}

func (f *libsvmFile) read() error {
	m := f.model
	var err error
	if f.classes, err = f.whole("nr_class"); err != nil {
		return err
	}
	switch m.Statement.Solver {
	case "libsvm:c_svc", "libsvm:nu_svc":
		if m.Classes, err = f.labels(f.classes); err != nil {
			return err
		}
		if f.classes > 2 {
			m.Statement.Scheme = OneAgainstOne
		}
	case "libsvm:one_class":
		m.Statement.Task, m.Classes, f.classes = OneClass, OneClassLabels(), 2
	default:
		f.classes = 2
	}
	rho, err := f.numbers("rho", f.classes*(f.classes-1)/2)
	if err != nil {
		return err
	}
	if err := f.groups(); err != nil {
		return err
	}
	if m.Outputs = make([]Output, max(1, len(rho))); f.classes == 1 {
		m.Outputs[0].Certificate = imported()
	}
	if m.Calibration, err = f.calibration(m); err != nil {
		return err
	}
	coefficients, err := f.support()
	if err != nil {
		return err
	}
	for i := range f.classes {
		for j := i + 1; j < f.classes; j++ {
			f.output(i, j, rho, coefficients)
		}
	}
	return nil
}

// support reads the support vectors, and returns their coefficients.
func (f *libsvmFile) support() (coefficients []float64, err error) {
	m, rows := f.model, &libsvmRows{}
	if coefficients, err = f.table(rows); err != nil {
		return nil, err
	}
	x := rows.matrix()
	if _, ok := m.Support.Kernel.(kernel.Precomputed); ok {
		largest, err := rows.largest()
		if err != nil {
			return nil, err
		}
		x.Cols = max(x.Cols, 1+largest)
	}
	m.Support.Rows, m.Data.Features, m.Statement.ZeroBased = x, x.Cols, rows.zero
	return coefficients, nil
}

// output fills in the pair of the classes i < j of the file.
func (f *libsvmFile) output(i, j int, rho, coefficients []float64) {
	last := f.classes - 1 // the classes of the model are in the opposite order
	o := &f.model.Outputs[pairOf(last-j, last-i, f.classes)]
	o.Bias, o.Certificate = -rho[pairOf(i, j, f.classes)], imported()
	o.Weights = make([]float64, len(f.class))
	for v, c := range f.class {
		switch {
		case f.classes == 2 || c == j:
			o.Weights[v] = coefficients[v*last+i]
		case c == i:
			o.Weights[v] = coefficients[v*last+j-1]
		}
	}
}

// groups reads how many support vectors each class has.
func (f *libsvmFile) groups() error {
	total, err := f.whole("total_sv")
	if err != nil {
		return err
	}
	// A coefficient takes two bytes. For hundreds of classes the model, which has
	// all of them for every pair, would be much larger than the file.
	vectors, classes, most := int64(total), int64(f.classes), int64(len(f.rest)+1)
	if classes == 1 && total > 0 || vectors*2*(classes-1) > most || vectors*classes*classes > 16*most {
		return fmt.Errorf("total_sv: found %d support vectors of %d classes, expected no more than a file of this size can hold", total, f.classes)
	}
	f.class = make([]int, total)
	if f.classes == 2 {
		return nil
	}
	sizes, err := f.numbers("nr_sv", f.classes)
	if err != nil {
		return err
	}
	at := 0
	for c, size := range sizes {
		if size < 0 || size != math.Trunc(size) || size > float64(total-at) {
			return fmt.Errorf("nr_sv: found %v, expected %d support vectors in all", sizes, total)
		}
		for range int(size) {
			f.class[at] = c
			at++
		}
	}
	if at != total {
		return fmt.Errorf("nr_sv: found %v, expected %d support vectors in all", sizes, total)
	}
	return nil
}

// table reads the lines of support vectors: their coefficients, one less than
// there are classes, and the rows.
func (f *libsvmFile) table(rows *libsvmRows) (coefficients []float64, err error) {
	others := f.classes - 1
	for v := range f.class {
		words, ok := f.line()
		if !ok || len(words) < others {
			return nil, fmt.Errorf("line %d: found no %d coefficients, expected those of support vector %d of %d", f.number, others, v+1, len(f.class))
		}
		for _, word := range words[:others] {
			c, err := finite(word)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", f.number, err)
			}
			coefficients = append(coefficients, c)
		}
		if err := rows.add(words[others:]); err != nil {
			return nil, fmt.Errorf("line %d: %w", f.number, err)
		}
	}
	for words, ok := f.line(); ok; words, ok = f.line() {
		if len(words) > 0 {
			return nil, fmt.Errorf("line %d: found more lines, expected %d support vectors", f.number, len(f.class))
		}
	}
	return coefficients, nil
}

// libsvmRows gathers rows "index:value ...". An index 0 anywhere says that all
// begin with 0, as others begin with 1.
type libsvmRows struct {
	zero  bool
	start []int64
	index []uint32
	value []float32
}

func (r *libsvmRows) add(words []string) error {
	r.start = append(r.start, int64(len(r.index)))
	before := int64(-1)
	for _, word := range words {
		key, text, _ := strings.Cut(word, ":")
		i, err := strconv.ParseUint(key, 10, 32)
		x, bad := strconv.ParseFloat(text, 32)
		if err != nil || bad != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("found %q, expected index:value", word)
		}
		if int64(i) <= before {
			return fmt.Errorf("found index %d after %d, expected increasing ones", i, before)
		}
		before, r.zero = int64(i), r.zero || i == 0
		if x != 0 {
			r.index, r.value = append(r.index, uint32(i)), append(r.value, float32(x))
		}
	}
	return nil
}

// largest returns the largest number of a support vector among the rows of a
// precomputed matrix, which has a column for it.
func (r *libsvmRows) largest() (int, error) {
	most := float32(0)
	for v, at := range r.start {
		number := float32(0)
		if at < int64(len(r.index)) && r.index[at] == 0 && (v+1 == len(r.start) || at < r.start[v+1]) {
			number = r.value[at]
		}
		if !(number >= 1 && number <= 1<<24) || number != float32(int(number)) {
			return 0, fmt.Errorf("support vector %d: found the number %g of a row, expected 0:i with a whole number from 1 to %d", v+1, number, 1<<24)
		}
		most = max(most, number)
	}
	return int(most), nil
}

// matrix returns the rows.
func (r *libsvmRows) matrix() *matrix.CSR {
	cols := 0
	for k := range r.index {
		if !r.zero {
			r.index[k]--
		}
		cols = max(cols, int(r.index[k])+1)
	}
	start := append(r.start, int64(len(r.index)))
	return &matrix.CSR{Cols: cols, Start: start, Index: append([]uint32{}, r.index...), Value: append([]float32{}, r.value...)}
}
