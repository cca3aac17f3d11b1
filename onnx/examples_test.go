package onnx

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
)

// An example is a model of one kind and rows that it has not seen.
type example struct {
	name    string
	model   *model.Model
	pca     *model.PCA
	options Options
	rows    *data.Set
	table   string    // CSV file of the rows; "": they are x
	wide    []float64 // x in double precision; nil: single is enough
	whole   bool      // labels are whole numbers
}

const features = 6

// drawn returns rows of numbers, none negative if positive.
func drawn(n int, seed uint64, positive bool) [][]float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	rows := make([][]float32, n)
	for i := range rows {
		for range features {
			v := r.NormFloat64()
			if positive {
				v = max(0, v)
			}
			rows[i] = append(rows[i], float32(v))
		}
	}
	return rows
}

// response is what targets are made of.
func response(x []float32) float64 {
	return float64(x[0]) - 0.5*float64(x[1]) + 0.7*float64(x[2])*float64(x[3]) + 0.3
}

// targets returns labels of so many classes, or numbers; kind "counts": whole ones, "above 0" others.
func targets(rows [][]float32, kind string, classes int) data.Target {
	var labels []string
	var numbers []float64
	for i, x := range rows {
		y := response(x) + 0.3*math.Sin(float64(7*i))
		switch kind {
		case "counts":
			y = math.Floor(math.Exp(min(y, 3)))
		case "above 0":
			y = math.Exp(min(y, 3))
		case "classes":
			labels = append(labels, string(rune('a'+int(min(max(y+float64(classes)/2, 0), float64(classes-1))))))
		}
		numbers = append(numbers, y)
	}
	if kind == "classes" {
		return data.Labels(labels)
	}
	return data.Numbers(numbers)
}

// kinds are the models of rows of numbers.
var kinds = []struct {
	name, target string
	classes      int
	positive     bool
	options      Options
	spec         fenchel.Spec
}{
	{name: "linear", target: "classes", classes: 2},
	{name: "linear one against the rest", target: "classes", classes: 4},
	{name: "linear one against one", target: "classes", classes: 4, spec: fenchel.Spec{Scheme: model.OneAgainstOne}},
	{name: "scaled", target: "classes", classes: 3, spec: fenchel.Spec{Scaling: "std"}},
	{name: "ridge", target: "numbers", spec: fenchel.Spec{Loss: "squared"}},
	{name: "poisson", target: "counts", spec: fenchel.Spec{Task: "regression", Loss: "poisson", Solver: "newton"}},
	{name: "logarithm", target: "above 0", spec: fenchel.Spec{TargetLog: true, Loss: "huber"}},
	{name: "probabilities of two", target: "classes", classes: 2, spec: fenchel.Spec{Loss: "logistic"}},
	{name: "probabilities against the rest", target: "classes", classes: 5, spec: fenchel.Spec{Loss: "logistic"}},
	{name: "probabilities of pairs", target: "classes", classes: 5, spec: fenchel.Spec{Loss: "logistic", Scheme: model.OneAgainstOne}},
	{name: "rbf", target: "classes", classes: 2, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3"}},
	{name: "rbf one against the rest", target: "classes", classes: 3, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3"}},
	{name: "rbf one against one", target: "classes", classes: 4, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3", Scheme: model.OneAgainstOne}},
	{name: "rbf scaled", target: "classes", classes: 2, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3", Scaling: "max"}},
	{name: "rbf regression", target: "numbers", spec: fenchel.Spec{Kernel: "rbf:gamma=0.3", Loss: "epsilon-insensitive:epsilon=0.1"}},
	{name: "one class", target: "classes", classes: 1, spec: fenchel.Spec{Task: "one-class", Kernel: "rbf:gamma=0.3", Nu: 0.2}},
	{name: "poly", target: "classes", classes: 2, spec: fenchel.Spec{Kernel: "poly:degree=3,gamma=0.5,coef0=1"}},
	{name: "poly one against one", target: "classes", classes: 3, spec: fenchel.Spec{Kernel: "poly:degree=2,gamma=0.5,coef0=1", Scheme: model.OneAgainstOne}},
	{name: "kernel linear", target: "numbers", spec: fenchel.Spec{Kernel: "linear", Loss: "squared"}},
	{name: "sigmoid", target: "classes", classes: 2, spec: fenchel.Spec{Kernel: "sigmoid:gamma=0.1,coef0=-0.5", Solver: "smo"}},
	{name: "laplacian", target: "classes", classes: 2, spec: fenchel.Spec{Kernel: "laplacian:gamma=0.2"}},
	{name: "chi2", target: "classes", classes: 2, positive: true, spec: fenchel.Spec{Kernel: "chi2:gamma=0.2"}},
	{name: "intersection", target: "classes", classes: 2, positive: true, spec: fenchel.Spec{Kernel: "intersection"}},
	{name: "sum", target: "classes", classes: 3, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3 + 0.5*linear + 1"}},
	{name: "product", target: "numbers", spec: fenchel.Spec{Kernel: "rbf:gamma=0.1 * laplacian:gamma=0.1", Loss: "squared"}},
	{name: "normalised", target: "classes", classes: 2, spec: fenchel.Spec{Kernel: "normalised(poly:degree=2,coef0=1)"}},
	{name: "normalised sum", target: "classes", classes: 2, spec: fenchel.Spec{Kernel: "normalised(linear + normalised(linear)*intersection)"}, positive: true},
	{name: "kernel logistic", target: "classes", classes: 3, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3", Loss: "logistic"}},
	{name: "fourier", target: "classes", classes: 3, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3", Map: "fourier:dim=200"}},
	{name: "fourier laplacian", target: "numbers", spec: fenchel.Spec{Kernel: "laplacian:gamma=0.1", Map: "fourier:dim=100", Loss: "squared"}},
	{name: "nystrom", target: "classes", classes: 2, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3", Map: "nystrom:rank=50"}},
	{name: "operator of rbf", target: "classes", classes: 2, options: Options{SVM: true}, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3"}},
	{name: "operator of poly", target: "numbers", options: Options{SVM: true}, spec: fenchel.Spec{Kernel: "poly:degree=2,gamma=0.5,coef0=1", Loss: "squared"}},
	{name: "operator of sigmoid", target: "classes", classes: 2, options: Options{SVM: true}, spec: fenchel.Spec{Kernel: "sigmoid:gamma=0.1,coef0=-0.5", Solver: "smo"}},
	{name: "operator of linear", target: "classes", classes: 2, options: Options{SVM: true}, spec: fenchel.Spec{Kernel: "linear"}},
	{name: "operator of one class", target: "classes", classes: 1, options: Options{SVM: true}, spec: fenchel.Spec{Task: "one-class", Kernel: "rbf:gamma=0.3", Nu: 0.2}},
	{name: "operator of pairs", target: "classes", classes: 4, options: Options{SVM: true}, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3", Scheme: model.OneAgainstOne}},
	{name: "no operator", target: "classes", classes: 4, options: Options{SVM: true}, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3"}},
	{name: "calibrated linear", target: "classes", classes: 2, spec: fenchel.Spec{Decision: fenchel.Decision{Probabilities: true}}},
	{name: "calibrated against the rest", target: "classes", classes: 4, spec: fenchel.Spec{Decision: fenchel.Decision{Probabilities: true}}},
	{name: "calibrated pairs", target: "classes", classes: 4, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3", Scheme: model.OneAgainstOne, Decision: fenchel.Decision{Probabilities: true}}},
	{name: "isotonic", target: "classes", classes: 2, spec: fenchel.Spec{Decision: fenchel.Decision{Probabilities: true, Calibrator: "isotonic"}}},
	{name: "isotonic against the rest", target: "classes", classes: 4, spec: fenchel.Spec{Decision: fenchel.Decision{Probabilities: true, Calibrator: "isotonic"}}},
	{name: "isotonic pairs", target: "classes", classes: 4, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3", Scheme: model.OneAgainstOne, Decision: fenchel.Decision{Probabilities: true, Calibrator: "isotonic"}}},
	{name: "temperature", target: "classes", classes: 2, spec: fenchel.Spec{Decision: fenchel.Decision{Probabilities: true, Calibrator: "temperature"}}},
	{name: "temperature of softmax", target: "classes", classes: 4, spec: fenchel.Spec{Loss: "softmax", Decision: fenchel.Decision{Probabilities: true, Calibrator: "temperature"}}},
	{name: "temperature of two by softmax", target: "classes", classes: 2, spec: fenchel.Spec{Loss: "softmax", Decision: fenchel.Decision{Probabilities: true, Calibrator: "temperature"}}},
	{name: "calibrated numbers", target: "numbers", spec: fenchel.Spec{Decision: fenchel.Decision{Probabilities: true}}},
	{name: "network", target: "classes", classes: 2, spec: fenchel.Spec{Network: fenchel.Network{Hidden: []int{6}}}},
	{name: "network of classes", target: "classes", classes: 4, spec: fenchel.Spec{Scaling: "none", Network: fenchel.Network{Hidden: []int{7, 5}, Activation: "tanh"}}},
	{name: "network of numbers", target: "numbers", spec: fenchel.Spec{Network: fenchel.Network{Hidden: []int{5, 4, 3}, Activation: "sigmoid"}}},
	{name: "cholesky", target: "classes", classes: 3, spec: fenchel.Spec{Kernel: "rbf:gamma=0.3", Map: "cholesky:rank=40"}},
}

// examples returns a model of every kind, and so many rows for each.
func examples(t *testing.T, n int) (all []example) {
	t.Helper()
	for _, k := range kinds {
		set := setOf(t, drawn(240, 1, k.positive), k.target, k.classes)
		spec := k.spec
		spec.Gap = 1e-3
		spec.Epochs = 300
		all = append(all, example{name: k.name, options: k.options, whole: k.classes == 1, model: fitted(t, k.name, set, spec), rows: setOf(t, drawn(n, 2, k.positive), k.target, k.classes)})
	}
	all = append(all, crossed(t, n)...)
	all = append(all, bare(t, n), precomputed(t, n), calibrated(t, n, 2), calibrated(t, n, 4), marked(t, n), offsets(t, n), wide(t, n), sparseText(t, n))
	return append(append(all, tables(t, n)...), components(t, n)...)
}

func setOf(t *testing.T, rows [][]float32, target string, classes int) *data.Set {
	t.Helper()
	set, err := data.FromDense(rows, targets(rows, target, classes))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func fitted(t *testing.T, name string, set *data.Set, spec fenchel.Spec) *model.Model {
	t.Helper()
	result, err := fenchel.Train(context.Background(), set, spec)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return result.Model
}

// crossed are models of every way to make classes of scores, of two and of many, with labels that
// are texts and whole numbers, and with and without a calibration.
func crossed(t *testing.T, n int) (all []example) {
	specs := map[string]fenchel.Spec{"hinge": {}, "logistic": {Loss: "logistic"},
		"pairs": {Scheme: model.OneAgainstOne}, "logistic pairs": {Scheme: model.OneAgainstOne, Loss: "logistic"}}
	for _, entry := range joint.Entries() {
		specs[entry.Name] = fenchel.Spec{Loss: entry.Name}
	}
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		for _, space := range []fenchel.Spec{{}, {Kernel: "rbf:gamma=0.3"}, {Kernel: "rbf:gamma=0.3", Map: "fourier:dim=50"}} {
			for _, classes := range []int{2, 4} {
				for _, calibrated := range []bool{false, true} {
					spec := specs[name]
					spec.Kernel, spec.Map, spec.Probabilities, spec.Gap = space.Kernel, space.Map, calibrated, 0.01
					set, rows := setOf(t, drawn(100, 1, false), "classes", classes), setOf(t, drawn(n, 2, false), "classes", classes)
					e := example{name: fmt.Sprintf("%s %s%s %d %v", name, space.Kernel, space.Map, classes, calibrated), rows: rows}
					for _, whole := range []bool{false, true} {
						if whole {
							set.Target, e.name, e.whole = wholeLabels(set.Target), e.name+" whole", true
						}
						if calibrated && refusesCalibration(t, e.name, set, spec) {
							continue
						}
						e.model = fitted(t, e.name, set, spec)
						all = append(all, e)
					}
					if classes == 2 && spec.Scheme == "" && e.model != nil {
						above := *e.model
						above.Threshold = &model.Threshold{Score: 0.25}
						all = append(all, example{name: e.name + " threshold", model: &above, rows: rows, whole: e.whole})
					}
				}
			}
		}
	}
	return all
}

// refusesCalibration reports whether a model has probabilities of its own, so that none are
// fitted.
func refusesCalibration(t *testing.T, name string, set *data.Set, spec fenchel.Spec) bool {
	_, err := fenchel.Train(context.Background(), set, spec)
	if err != nil && !strings.Contains(err.Error(), "probabilities") {
		t.Fatalf("%s: %v", name, err)
	}
	return err != nil
}

// bare is a machine without a support vector: its tube holds all rows.
func bare(t *testing.T, n int) example {
	m := fitted(t, "bare", setOf(t, drawn(50, 1, false), "numbers", 0), fenchel.Spec{Kernel: "rbf:gamma=0.3", Loss: "epsilon-insensitive:epsilon=100"})
	if m.Support.Len() != 0 {
		t.Fatalf("found %d support vectors, expected none", m.Support.Len())
	}
	return example{name: "no support vectors", model: m, rows: setOf(t, drawn(n, 2, false), "numbers", 0)}
}

// precomputed is a kernel machine of a matrix of values.
func precomputed(t *testing.T, n int) example {
	rows, later := drawn(120, 1, false), drawn(n, 2, false)
	matrix := func(of [][]float32) (all [][]float32) {
		for _, x := range of {
			var line []float32
			for _, y := range rows {
				apart := 0.0
				for j := range x {
					apart += float64(x[j]-y[j]) * float64(x[j]-y[j])
				}
				line = append(line, float32(math.Exp(-0.3*apart)))
			}
			all = append(all, line)
		}
		return all
	}
	set, err := data.FromDense(matrix(rows), targets(rows, "classes", 2))
	if err != nil {
		t.Fatal(err)
	}
	test, err := data.FromDense(matrix(later), targets(later, "classes", 2))
	if err != nil {
		t.Fatal(err)
	}
	return example{name: "precomputed", model: fitted(t, "precomputed", set, fenchel.Spec{Kernel: "precomputed:shift=auto"}), rows: test}
}

// calibrated is a model of LIBSVM with probabilities.
func calibrated(t *testing.T, n, classes int) example {
	rows, later := drawn(150, 1, false), drawn(n, 2, false)
	m := fitted(t, "calibrated", &data.Set{X: setOf(t, rows, "classes", classes).X, Target: wholeLabels(targets(rows, "classes", classes))},
		fenchel.Spec{Kernel: "rbf:gamma=0.3", Scheme: model.OneAgainstOne})
	m.Calibration = &model.Calibration{}
	for pair := range m.Outputs {
		m.Calibration.Platt = append(m.Calibration.Platt, [2]float64{-1.5 - 0.3*float64(pair), 0.1 * float64(pair)})
	}
	var text strings.Builder
	if err := m.WriteLIBSVM(&text); err != nil {
		t.Fatal(err)
	}
	foreign, err := model.Decode([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return example{name: fmt.Sprintf("calibrated %d", classes), model: foreign, whole: true, rows: setOf(t, later, "classes", classes)}
}

// wholeLabels spells classes as numbers.
func wholeLabels(target data.Target) data.Target {
	var labels []string
	for _, c := range target.Code {
		labels = append(labels, fmt.Sprintf("%+d", 10*int(c)-3))
	}
	return data.Labels(labels)
}

// marked is a model of one class with probabilities.
func marked(t *testing.T, n int) example {
	m := fitted(t, "marked", setOf(t, drawn(150, 1, false), "classes", 1), fenchel.Spec{Task: "one-class", Kernel: "rbf:gamma=0.3", Nu: 0.2})
	m.Calibration = &model.Calibration{Marks: []float64{-0.2, -0.1, -0.05, -0.01, 0, 0.01, 0.02, 0.03, 0.05, 0.1}}
	return example{name: "marked", model: m, whole: true, rows: setOf(t, drawn(n, 2, false), "classes", 1)}
}

// offsets is a model of an array with columns that are close together for their size.
func offsets(t *testing.T, n int) example {
	folder := t.TempDir()
	write := func(name string, rows [][]float32) string {
		var b strings.Builder
		b.WriteString("when,size,y\n")
		for i, x := range rows {
			fmt.Fprintf(&b, "%.3f,%g,%g\n", 1.7e9+100*float64(x[0]), x[1], response(rows[i]))
		}
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return tableOf(t, "offset", write("a.csv", drawn(200, 1, false)), write("b.csv", drawn(n, 2, false)), data.Options{Target: "y"}, fenchel.Spec{Task: "regression"})
}

// wide is a model of an array of double precision, a column of which is close together.
func wide(t *testing.T, n int) example {
	read := func(rows [][]float32, opt data.Options) (*data.Set, []float64) {
		var values, all []float64 // the last column of the array is the target
		for _, x := range rows {
			values = append(values, 1.7e9+100*float64(x[0]), float64(x[1]))
			all = append(all, 1.7e9+100*float64(x[0]), float64(x[1]), response(x))
		}
		head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }", len(rows))
		head += strings.Repeat(" ", 127-10-len(head)) + "\n"
		file := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
		file = append(append(file, head...), raw(all)...)
		set, err := data.ReadFrom(context.Background(), bytes.NewReader(file), "x.npy", opt)
		if err != nil {
			t.Fatal(err)
		}
		return set, values
	}
	set, _ := read(drawn(200, 1, false), data.Options{})
	m := fitted(t, "array", set, fenchel.Spec{Scaling: "std"})
	if m.Schema.Offsets() == nil {
		t.Fatal("found no offset, expected one")
	}
	rows, values := read(drawn(n, 2, false), data.Options{Schema: m.Schema, Columns: 2})
	return example{name: "array of double precision", model: m, rows: rows, wide: values}
}

func tableOf(t *testing.T, name, path, later string, opt data.Options, spec fenchel.Spec) example {
	t.Helper()
	set, err := data.Read(context.Background(), []string{path}, opt)
	if err != nil {
		t.Fatal(err)
	}
	m := fitted(t, name, set, spec)
	opt.Schema, opt.Columns = m.Schema, m.Cols()
	rows, err := data.Read(context.Background(), []string{later}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return example{name: name, model: m, rows: rows, table: later}
}

// sparseText is a linear model of wide sparse rows.
func sparseText(t *testing.T, n int) example {
	read := func(spec string) *data.Set {
		set, err := data.Read(context.Background(), []string{spec}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	m := fitted(t, "text", read("@text:n=500,d=2000,seed=1"), fenchel.Spec{})
	return example{name: "text", model: m, whole: true, rows: read(fmt.Sprintf("@text:n=%d,d=2000,seed=2", n))}
}

// tables are models of a table with columns of every kind, and missing values.
func tables(t *testing.T, n int) (all []example) {
	folder := t.TempDir()
	first, later := filepath.Join(folder, "first.csv"), filepath.Join(folder, "later.csv")
	writeTable(t, first, drawn(240, 1, false))
	writeTable(t, later, drawn(n, 2, false))
	for _, spec := range []fenchel.Spec{{}, {Loss: "logistic"}, {Kernel: "rbf:gamma=0.1"}, {Kernel: "rbf:gamma=0.1", Map: "fourier:dim=100"}} {
		all = append(all, tableOf(t, "table "+spec.Kernel+spec.Loss+spec.Map, first, later, data.Options{Target: "label"}, spec))
	}
	return all
}

// writeTable writes rows with missing numbers, missing words, categories of numbers, a
// date, a date with a time, true and false, and a name that an output has.
func writeTable(t *testing.T, path string, rows [][]float32) {
	t.Helper()
	var b strings.Builder
	b.WriteString("size,colour,scores,member,born,seen,when,label\n")
	colours := []string{"red", " Blue", "", "NA ", "green ", "rød"} // blanks around a field do not count
	for i, x := range rows {
		size := fmt.Sprint(x[0])
		if i%11 == 5 {
			size = []string{"", "NA", "?"}[i%3]
		}
		member := []string{"yes", "no", " Yes", "NO ", ""}[(i+int(8+x[1]))%5]
		fmt.Fprintf(&b, "%s,%s,%g,%s,%04d-%02d-%02d,2024-05-31 %02d:%02d:00,%.2f,%s\n", size, colours[(i*i+int(8+2*x[2]))%6], x[3], member,
			1950+i%50, 1+i%12, 1+i%28, i%24, i%60, 1.7e9+50*float64(x[4]), []string{"no", "maybe", "yes"}[min(max(int(response(x)+1.5), 0), 2)])
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// components are principal components of rows and of a table.
func components(t *testing.T, n int) (all []example) {
	set, rows := setOf(t, drawn(240, 1, false), "numbers", 0), setOf(t, drawn(n, 2, false), "numbers", 0)
	for _, scale := range []string{"none", "std"} {
		for _, whitened := range append(model.Whitenings(), "") {
			r, err := pca.Fit(context.Background(), set, pca.Spec{K: 3, Scale: scale, Center: "yes", Whiten: whitened})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, example{name: fmt.Sprintf("components %s %s", scale, whitened), pca: r.Model, rows: rows})
		}
	}
	return all
}
