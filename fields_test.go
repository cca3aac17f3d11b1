package fenchel_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/sparsify"
)

// A kind is one sort of model: how it is trained, and rows to look at its predictions.
type kind struct {
	text    string // rows to learn from
	probe   string // rows to predict
	format  string
	target  string   // column of the targets
	weight  string   // column of the row weights
	missing []string // spellings of a missing value
	spec    fenchel.Spec

	zeroBased bool
	skip      bool        // rows without a target are left out
	sparse    *sparsified // made from that model; nil: it is that model
}

// sparsified is how a model is made smaller, and what it was made from.
type sparsified struct {
	sparsify.Spec
	from    string // rows that the model is trained on; "": the same
	full    *model.Model
	unknown bool // the model that it was made from is not at hand
}

const (
	twoText = `+1 1:1 2:0.5
-1 1:-1 3:1
+1 2:1 3:0.25
-1 3:2
+1 1:2 2:-0.5
-1 1:-2 2:-1
+1 1:0.5 2:1
-1 1:-0.25 2:-0.75 3:0.5
-1 1:1.5 2:0.5 3:-0.5
`
	twoProbe  = "1 1:0.3 2:0.7 3:-1\n-1 1:-4\n"
	threeText = `label,a,b
red,1,0.5
red,0.8,0.75
red,1.5,0.1
green,-1,0.4
green,-0.7,0.9
green,-1.4,-0.1
blue,0.1,-1
blue,-0.2,-1.3
blue,0.4,-0.8
blue,0.9,0.6
`
	threeProbe  = "b,label,a\n0.3,red,0.2\n,green,-1\n-0.7,blue,\n"
	numbersText = `1,0.5,2.75
2,-0.25,1.5
0.5,1,3.25
-1,0.75,-0.5
-2,-1,-4.5
1.5,0,2.25
`
	numbersProbe = "0.4,0.1,1\n,2,3\n"
	tableText    = `id,colour,size,price,w
3,red,1.5,1,1
1,?,2.5,0,2
4,blue,,1,1
1,red,0.25,0,1
5,green,4,1,0.5
9,blue,1.25,0,1
2,green,,1,1
6,red,3,0,1.5
`
	tableProbe = "colour,size,id,price,w\nred,,2,1,1\nyellow,1,,0,1\nblue,2,8,0,1\n"
	sortsText  = `customer_id;when;member;size;price
c-1;2024-01-05;yes;1,5;1
c-2;2023-11-30;no;2,25;0
c-3;2024-02-01 06:00;yes;0,5;1
c-4;;no;3;0
c-5;2024-01-06;;2,5;1
c-6;2023-12-30;no;-1,5;0
`
	wordsText   = "when;size;price\n13/1/2024;1,5 kg;$1\n2/12/2023;2,25 kg;$0\n1/2/2024;0,5 kg;$1\n5/1/2024;gone;$0\n8/1/2024;-1,5 kg;$0\n"
	wordsProbe  = "when;size;price\n1/3/2024;0,25 kg;$0\n;1;$1\n"
	sortsProbe  = "customer_id;when;member;size;price\nc-7;2024-03-01;no;0,25;0\nc-8;;yes;1;1\n"
	valuesText  = "1 0:1 1:2 2:1 3:0 4:0.5\n-1 0:2 1:1 2:3 3:-1 4:0\n1 0:3 1:0 2:-1 3:2 4:0.5\n-1 0:4 1:0.5 2:0 3:0.5 4:1\n"
	valuesProbe = "1 0:1 1:0.1 2:0.2 3:0.3 4:0.4\n-1 0:2 1:1 2:0.5 3:0.25 4:0\n"
	matrixText  = "y,a,b,c,d\n1,1,0.5,0,0.25\n-1,0.5,2,0.5,0\n1,0,0.5,1,0.5\n-1,0.25,0,0.5,3\n"
	wideText    = "+1 1:1.0 2:-0.75 3:-0.75 4:-0.75 5:-0.75 6:-0.75 7:-0.75 8:-0.75 9:-0.75 10:-0.75 11:-0.75\n-1 1:-1.1 2:-0.25 4:0.25 5:0.5 6:0.75 7:-0.75 8:-0.5 9:-0.25 11:0.25\n+1 1:1.2 2:0.25 3:0.75 4:-0.5 6:0.5 7:-0.75 8:-0.25 9:0.25 10:0.75 11:-0.5\n-1 1:-1.3 2:0.75 3:-0.25 4:0.5 5:-0.5 6:0.25 7:-0.75 9:0.75 10:-0.25 11:0.5\n+1 1:1.4 2:-0.5 3:0.5 4:-0.25 5:0.75 7:-0.75 8:0.25 9:-0.5 10:0.5 11:-0.25\n-1 1:-1.5 3:-0.5 4:0.75 5:0.25 6:-0.25 7:-0.75 8:0.5 10:-0.5 11:0.75\n+1 1:1.6 2:0.5 3:0.25 5:-0.25 6:-0.5 7:-0.75 8:0.75 9:0.5 10:0.25\n-1 1:-1.7 2:-0.75 3:-0.75 4:-0.75 5:-0.75 6:-0.75 7:-0.75 8:-0.75 9:-0.75 10:-0.75 11:-0.75\n+1 1:1.8 2:-0.25 4:0.25 5:0.5 6:0.75 7:-0.75 8:-0.5 9:-0.25 11:0.25\n"
	wideProbe   = "1 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1 10:1 11:1\n1 1:-1 4:2\n"
	oneProbe    = "1 1:0.3 2:0.7 3:-1\n-1 1:-4\n1 1:1 2:0.5\n"
)

// kinds of models that predict.
func kinds() map[string]kind {
	two := func(s fenchel.Spec) kind { return kind{text: twoText, probe: twoProbe, format: "libsvm", spec: s} }
	three := func(s fenchel.Spec) kind {
		return kind{text: threeText, probe: threeProbe, format: "csv", target: "label", spec: s}
	}
	numbers := func(s fenchel.Spec) kind {
		s.Task = "regression"
		return kind{text: numbersText, probe: numbersProbe, format: "csv", spec: s}
	}
	sparse := func(k kind, s sparsify.Spec) kind {
		k.sparse = &sparsified{Spec: s}
		return k
	}
	elsewhere := sparse(two(fenchel.Spec{Kernel: "rbf:gamma=0.5", C: 10}), sparsify.Spec{Support: 3})
	elsewhere.sparse.from = twoText + "+1 1:1 2:3\n"
	return map[string]kind{
		"sparsified":                sparse(two(fenchel.Spec{Kernel: "rbf:gamma=0.5", C: 10}), sparsify.Spec{Support: 4}),
		"sparsified elsewhere":      elsewhere,
		"sparsified pairs":          sparse(three(fenchel.Spec{Kernel: "rbf:gamma=0.5", Scheme: model.OneAgainstOne, C: 10}), sparsify.Spec{}),
		"sparsified numbers":        sparse(numbers(fenchel.Spec{Kernel: "rbf:gamma=0.5", Loss: "epsilon-insensitive", C: 10}), sparsify.Spec{Support: 3}),
		"linear":                    two(fenchel.Spec{Loss: "logistic", Weighting: fenchel.Weighting{ClassWeight: map[string]float64{"+1": 2, "-1": 0.5}}}),
		"least squares of two":      two(fenchel.Spec{Loss: "squared", Bias: "feature", Penalty: "elastic-net"}),
		"sparse weights":            {text: wideText, probe: wideProbe, format: "libsvm", spec: fenchel.Spec{Loss: "squared-hinge", Penalty: "l1", Lambda: 0.3}},
		"proved":                    two(fenchel.Spec{Record: fenchel.Record{Proved: true}, Loss: "logistic", Gap: 1e-6}),
		"without dual":              two(fenchel.Spec{Record: fenchel.Record{NoDual: true}, Loss: "logistic", Gap: 1e-6}),
		"scaled by max":             two(fenchel.Spec{Scaling: "max", Bias: "none", Record: fenchel.Record{Notes: map[string]string{"by": "a person", "problem": "{}"}}}),
		"one against the rest":      three(fenchel.Spec{Loss: "squared-hinge"}),
		"unfinished":                three(fenchel.Spec{Loss: "logistic", Gap: 1e-12, Run: fenchel.Run{Epochs: 1}, Solver: "sdca"}),
		"pairs":                     three(fenchel.Spec{Kernel: "rbf:gamma=0.5", Scheme: model.OneAgainstOne}),
		"linear pairs":              three(fenchel.Spec{Scheme: model.OneAgainstOne}),
		"nu":                        two(fenchel.Spec{Kernel: "rbf:gamma=0.5", Nu: 0.4}),
		"nu regression":             numbers(fenchel.Spec{Kernel: "rbf:gamma=0.5", Nu: 0.4, Scaling: "none"}),
		"one class":                 {text: twoText, probe: oneProbe, format: "libsvm", spec: fenchel.Spec{Kernel: "rbf:gamma=0.5", Nu: 0.4, Task: pose.OneClass}},
		"regression":                numbers(fenchel.Spec{}),
		"logarithm":                 {text: "2.5 1:1 2:2\n1.5 1:-2 2:1\n7 2:3\n0.25 1:-1 2:4\n", probe: "1 1:2 2:1\n", format: "libsvm", spec: fenchel.Spec{TargetLog: true, Loss: "huber", Gap: 1e-6}},
		"table":                     {text: tableText, probe: tableProbe, format: "csv", target: "price", weight: "w"},
		"table in words":            {text: wordsText, probe: wordsProbe, format: "csv", target: "price", missing: []string{"gone"}},
		"table of all sorts":        {text: sortsText, probe: sortsProbe, format: "csv", target: "price"},
		"fourier":                   two(fenchel.Spec{Kernel: "rbf:gamma=0.5", Map: "fourier:dim=8", Seed: 3}),
		"nystrom":                   two(fenchel.Spec{Kernel: "rbf:gamma=0.5", Map: "nystrom:rank=4", Seed: 3}),
		"cholesky":                  two(fenchel.Spec{Kernel: "rbf:gamma=0.5", Map: "cholesky:rank=4"}),
		"nu of several":             three(fenchel.Spec{Kernel: "rbf:gamma=0.5", Nu: 0.3}),
		"pairs by nu":               three(fenchel.Spec{Kernel: "poly:degree=2", Nu: 0.3, Scheme: model.OneAgainstOne, Scaling: "max"}),
		"fourier of several":        three(fenchel.Spec{Kernel: "laplacian:gamma=0.5", Map: "fourier:dim=6", Seed: 2}),
		"radius of several":         three(fenchel.Spec{Kernel: "linear", Radius: 1, Gap: 0.2, Bias: "none"}),
		"slack":                     two(fenchel.Spec{Slack: 0.3, Gap: 0.1}),
		"hard margin":               two(fenchel.Spec{Kernel: "rbf:gamma=0.5", HardMargin: true}),
		"slack of a machine":        two(fenchel.Spec{Kernel: "rbf:gamma=0.5", Slack: 0.3, Gap: 0.1}),
		"radius":                    two(fenchel.Spec{Kernel: "rbf:gamma=0.5", Loss: "logistic", Radius: 1.5, Gap: 0.05}),
		"precomputed":               {text: valuesText, probe: valuesProbe, format: "libsvm", spec: fenchel.Spec{Kernel: "precomputed", Lambda: 0.1}},
		"precomputed, not numbered": {text: matrixText, probe: matrixText, format: "csv", target: "y", spec: fenchel.Spec{Kernel: "precomputed", Lambda: 0.1}},
		"machine of a histogram":    {text: "1 1:1 2:2\n-1 1:2 3:1\n1 2:3\n-1 1:1 3:4\n", probe: "1 1:2 2:2 3:1\n", format: "libsvm", spec: fenchel.Spec{Kernel: "intersection"}},
		"several targets":           {text: "a,u,b,v\n1,0.5,30,2\n2,1.5,10,1\n4,1,-20,3\n3,2.5,50,1\n5,2,70,0\n7,3.5,90,2\n", probe: "u,v\n1,2\n2,0.5\n", format: "csv", target: "a,b", spec: fenchel.Spec{Loss: "epsilon-insensitive"}},
		"array with offsets":        {text: arrayText(0), probe: arrayText(7.5), format: "npy"},
		"network":                   two(fenchel.Spec{Network: fenchel.Network{Hidden: []int{3}}, Run: fenchel.Run{Epochs: 40}}),
		"network of several":        three(fenchel.Spec{Network: fenchel.Network{Hidden: []int{3, 2}, Activation: "tanh"}, Run: fenchel.Run{Epochs: 20}, Scaling: "none"}),
		"zero based":                {text: "1 0:1 1:2\n-1 0:-2 2:1\n1 2:-3\n-1 0:-1 2:4\n", probe: "1 0:2 1:2 2:1\n", format: "libsvm", spec: fenchel.Spec{Record: fenchel.Record{ZeroBased: true}}, zeroBased: true},
	}
}

// arrayText is an array of doubles, the first of which single precision cannot tell apart.
func arrayText(later float64) string {
	const rows = 8
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 3), }", rows)
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00\x76\x00"), header...)
	for i := range rows {
		for _, v := range []float64{1.7e9 + later + float64(i*i%11), float64(i%3) - later, float64(i % 2)} {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return string(b)
}

// options are those of the command line for a model, of its own rows.
func options(m *model.Model, format string) data.Options {
	return data.Options{Format: format, Schema: m.Schema, Precomputed: strings.Contains(m.Statement.Kernel, "precomputed"),
		SkipUnlabelled: m.Schema.Table() && m.Schema.SkipUnlabelled, Unlabelled: m.OneClass(), ZeroBased: m.Statement.ZeroBased, Threads: 1}
}

func readText(t testing.TB, text string, opt data.Options) (*data.Set, error) {
	opt.Stdin = strings.NewReader(text)
	return data.Read(t.Context(), []string{"-"}, opt)
}

// make trains a model of a kind and returns its file.
func (k kind) make(t testing.TB) []byte {
	t.Helper()
	opt := data.Options{Format: k.format, ZeroBased: k.zeroBased, Target: k.target, Weights: k.weight, Spelling: data.Spelling{Missing: k.missing}, SkipUnlabelled: k.skip, Unlabelled: k.spec.Task == pose.OneClass,
		Precomputed: strings.Contains(k.spec.Kernel, "precomputed")}
	set, err := readText(t, k.text, opt)
	if err != nil {
		t.Fatal(err)
	}
	fitted := set
	if k.sparse != nil && k.sparse.from != "" {
		if fitted, err = readText(t, k.sparse.from, opt); err != nil {
			t.Fatal(err)
		}
	}
	r, err := fenchel.Train(t.Context(), fitted, k.spec)
	if err != nil {
		t.Fatal(err)
	}
	if k.sparse != nil {
		k.sparse.full = r.Model
		s, err := sparsify.Sparsify(t.Context(), r.Model, set, k.sparse.Spec)
		if err != nil {
			t.Fatal(err)
		}
		r.Model = s.Model
	}
	var file bytes.Buffer
	if err := r.Model.Write(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// judge says what becomes of a file: why it is refused or found false, or "" and what
// it predicts.
func (k kind) judge(t testing.TB, file []byte) (refusal, predictions string) {
	m, err := model.Decode(file)
	if err != nil {
		return err.Error(), ""
	}
	set, err := readText(t, k.text, options(m, k.format))
	if err != nil {
		return err.Error(), ""
	}
	v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{Threads: 1})
	if err != nil {
		return err.Error(), ""
	}
	if k.sparse != nil && !k.sparse.unknown {
		if err := sparsify.Verify(v, m, k.sparse.full, set, 1); err != nil {
			return err.Error(), ""
		}
	}
	if len(v.Problems) > 0 {
		return v.Problems[0], ""
	}
	if v.Unproved != "" && !(k.spec.IsNetwork() && strings.HasPrefix(v.Unproved, "no certificate exists for a network")) {
		return v.Unproved, ""
	}
	return "", k.predictions(t, m)
}

// predictions are all that a model says of the rows to predict.
func (k kind) predictions(t testing.TB, m *model.Model) string {
	opt := options(m, k.format)
	if opt.Columns = m.Cols(); m.IsImported() && m.Support != nil {
		opt.Columns = 0
	}
	set, err := readText(t, k.probe, opt)
	if err != nil {
		return err.Error()
	}
	x, err := m.Prepare(set.X)
	if err != nil {
		return err.Error()
	}
	out := ""
	for i, scores := range model.Scores(m, x, 1) {
		out += fmt.Sprintf("%q", m.Class(x.Row(i)))
		if m.Classes == nil {
			out = fmt.Sprint(m.Predict(x.Row(i)))
		}
		for _, s := range scores {
			out += fmt.Sprintf(" %.5g", s) // what rounding moves is no other prediction
		}
		if m.HasProbabilities() {
			out += fmt.Sprintf(" %.5g", m.Probabilities(nil, scores))
		}
		out += "\n"
	}
	return out
}

// pcaKind is a sort of components.
type pcaKind struct {
	text, probe, format string
	missing             []string
	zeroBased           bool
	estimates           bool // the variances are: whitened coordinates are as good as these
	make                func(t testing.TB, set *data.Set) (*model.PCA, error)
}

func pcaKinds() map[string]pcaKind {
	batch := func(spec pca.Spec) func(testing.TB, *data.Set) (*model.PCA, error) {
		return func(t testing.TB, set *data.Set) (*model.PCA, error) {
			r, err := pca.Fit(t.Context(), set, spec)
			if err != nil {
				return nil, err
			}
			return r.Model, nil
		}
	}
	merged := func(t testing.TB, set *data.Set) (*model.PCA, error) {
		var parts []*model.PCA
		n := set.Rows()
		for _, rows := range [][]int{{0, n / 2}, {n / 2, n}} {
			part := *set
			part.Target, part.X = data.Target{}, matrix.Subset(set.X, sequence(rows[0], rows[1]))
			m, err := batch(pca.Spec{K: 1, Scale: "none"})(t, &part)
			if err != nil {
				return nil, err
			}
			parts = append(parts, m)
		}
		return pca.Merge(parts)
	}
	stream := func(t testing.TB, set *data.Set) (*model.PCA, error) {
		spec := pca.Spec{K: 1, Method: "oja"}
		s, err := pca.NewStream(set.X, set.Feature, spec)
		if err != nil {
			return nil, err
		}
		if err := s.Learn(set.X); err != nil {
			return nil, err
		}
		r, err := s.Result("epoch-limit")
		if err != nil {
			return nil, err
		}
		return r.Model, nil
	}
	twoText0 := "1 0:1 1:2\n-1 0:-2 2:1\n1 2:-3\n-1 0:-1 2:4\n"
	many := ""
	for i := range 300 {
		x, y := math.Sin(float64(i)), math.Cos(1.7*float64(i*i))
		many += fmt.Sprintf("%.4f,%.4f,%.4f\n", 2*x+0.3*y, x-y/4, y/3)
	}
	named := "a,b,c\n" + many
	return map[string]pcaKind{
		"components":              {text: named, probe: "c,a,b\n0.1,0.2,0.3\n,1,2\n", format: "csv", make: batch(pca.Spec{K: 2, Scale: "std", Notes: map[string]string{"by": "a person"}})},
		"components in words":     {text: wordsText, probe: wordsProbe, format: "csv", missing: []string{"gone"}, make: batch(pca.Spec{K: 2, Scale: "std"})},
		"components of all sorts": {text: sortsText, probe: sortsProbe, format: "csv", make: batch(pca.Spec{K: 2, Scale: "std"})},
		"components of means":     {text: many, probe: "0.1,0.2,0.3\n", format: "csv", make: batch(pca.Spec{K: 1, Center: "no", Scale: "none"})},
		"array with offsets":      {text: arrayText(0), probe: arrayText(7.5), format: "npy", make: batch(pca.Spec{K: 1})},
		"zero based":              {text: twoText0, probe: "1 0:1\n", format: "libsvm", zeroBased: true, make: batch(pca.Spec{K: 1, ZeroBased: true})},
		"merged":                  {text: many, probe: "0.1,0.2,0.3\n", format: "csv", estimates: true, make: merged},
		"stream":                  {text: many, probe: "0.1,0.2,0.3\n", format: "csv", estimates: true, make: stream},
	}
}

func sequence(lo, hi int) []int {
	rows := []int{}
	for i := lo; i < hi; i++ {
		rows = append(rows, i)
	}
	return rows
}

func (k pcaKind) file(t testing.TB) []byte {
	t.Helper()
	set, err := readText(t, k.text, data.Options{Format: k.format, Unlabelled: true, ZeroBased: k.zeroBased, Spelling: data.Spelling{Missing: k.missing}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := k.make(t, set)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func (k pcaKind) judge(t testing.TB, file []byte) (refusal, predictions string) {
	m, err := model.DecodePCA(file)
	if err != nil {
		return err.Error(), ""
	}
	opt := data.Options{Format: k.format, Unlabelled: true, Schema: m.Schema, ZeroBased: m.Statement.ZeroBased}
	set, err := readText(t, k.text, opt)
	if err != nil {
		return err.Error(), ""
	}
	set.Widen(m.Cols())
	v, err := pca.Verify(t.Context(), m, set, 1)
	if err != nil {
		return err.Error(), ""
	}
	if len(v.Problems) > 0 {
		return v.Problems[0], ""
	}
	opt.Columns = m.Cols()
	if set, err = readText(t, k.probe, opt); err != nil {
		return "", err.Error()
	}
	scores, back, out := make([]float64, m.Statement.K), make([]float64, m.Cols()), ""
	for i := range set.Rows() {
		m.Transform(scores, set.X.Row(i))
		m.Inverse(back, scores)
		if whitened := *m; !k.estimates && m.Statement.Whiten == "" {
			whitened.Statement.Whiten = model.WhitenPopulation
			whitened.Transform(scores, set.X.Row(i))
		}
		out += fmt.Sprintf("%.5g %.5g\n", scores, back)
	}
	return "", out
}

// words are names of everything that a field may name.
func words() lexicon {
	w := lexicon{model.OneClass, model.OneAgainstOne, model.Imported, pca.Merged, "classification", "regression",
		"converged", "epoch-limit", "time-limit", "stalled", "diverged", "interrupted", "thesis", "pca"}
	for _, e := range loss.Entries() {
		w = append(w, e.Name)
	}
	for _, e := range penalty.Entries() {
		w = append(w, e.Name)
	}
	for _, e := range kernel.Entries() {
		w = append(w, e.Name)
	}
	w = append(w, "rbf:gamma=1", "fourier:dim=6", "nystrom:rank=3")
	if !*fenchel.Long {
		w = w[:len(w)/3]
	}
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(w, problem.BiasNames(), scaling.Names(), pca.Scales()))))
}

// fields reads the table under a heading of the documentation of package model: how
// each field is checked.
func fields(t testing.TB, heading string) map[string]string {
	t.Helper()
	source, err := os.ReadFile("model/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(source), "// # "+heading+"\n")
	if !found {
		t.Fatalf("found no heading %q in the documentation of package model", heading)
	}
	text, _, _ = strings.Cut(text, "// # ")
	table := map[string]string{}
	for line := range strings.Lines(text) {
		row, ok := strings.CutPrefix(line, "//\t")
		if !ok {
			continue
		}
		field, rest, _ := strings.Cut(strings.TrimSpace(row), "  ")
		table[field], _, _ = strings.Cut(strings.TrimSpace(rest), " ")
	}
	return table
}

// Every value of every kind of model file, changed in many ways that leave it readable
// and signed anew, is refused, found false or, where the table of package model calls
// it a note, changes no prediction. What the table calls a claim may be made smaller.
func TestEveryFieldIsChecked(t *testing.T) {
	foreign := map[string]any{}
	all := map[string]func(testing.TB, []byte) (string, string){}
	files := map[string][]byte{}
	for name, k := range kinds() {
		files[name], all[name] = k.make(t), k.judge
	}
	for name, file := range files {
		walk(unpack(t, file).document, nil, func(path []any, value any) {
			if f := fieldOf(path); !strings.ContainsAny(f, "[]") && !strings.Contains(f, "class_weight.") && !strings.Contains(f, "notes.") {
				foreign[f] = value
			}
		})
		_ = name
	}
	forgeAll(t, fields(t, "Fields of a model that predicts"), files, all, foreign)
}

func TestEveryFieldOfComponentsIsChecked(t *testing.T) {
	all := map[string]func(testing.TB, []byte) (string, string){}
	files := map[string][]byte{}
	foreign := map[string]any{}
	for name, k := range pcaKinds() {
		files[name], all[name] = k.file(t), k.judge
		walk(unpack(t, files[name]).document, nil, func(path []any, value any) {
			if f := fieldOf(path); !strings.ContainsAny(f, "[]") && !strings.Contains(f, "notes.") {
				foreign[f] = value
			}
		})
	}
	forgeAll(t, fields(t, "Fields of principal components"), files, all, foreign)
}

// forgeAll forges all files and compares what becomes of them with the table; without -long it
// judges every sixth forgery, and those of a claim until one is found false.
func forgeAll(t *testing.T, table map[string]string, files map[string][]byte, judges map[string]func(testing.TB, []byte) (string, string), foreign map[string]any) {
	turn, seen, refuted := 0, map[string]bool{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		judge := judges[name]
		refusal, before := judge(t, files[name])
		if refusal != "" {
			t.Errorf("%s: the model itself is refused: %s", name, refusal)
			continue
		}
		count, failed := map[bool]int{}, map[string]int{}
		unpack(t, files[name]).changes(t, words(), foreign, func(c change) {
			seen[c.field] = true
			if turn++; turn%6 != 0 && (refuted[c.field] || table[c.field] != "claim") && !*fenchel.Long {
				return
			}
			refusal, after := judge(t, c.file)
			count[refusal == ""]++
			refuted[c.field] = refuted[c.field] || refusal != ""
			if wrong := verdict(table, c, refusal, before, after); wrong != "" {
				if failed[c.field]++; failed[c.field] == 1 {
					t.Errorf("%s: %s: %s", name, c.what, wrong)
				}
			}
		})
		t.Logf("%s: %d forgeries refused or found false, %d without effect; against the table: %v", name, count[false], count[true], failed)
	}
	for field, care := range table {
		switch {
		case !seen[field]:
			t.Errorf("no file has the field %s of the table", field)
		case care == "claim" && !slices.ContainsFunc(slices.Collect(maps.Keys(refuted)), func(f string) bool { return refuted[f] && strings.HasPrefix(f, field) }):
			t.Errorf("no change of the claim %s was found false", field)
		}
	}
}

// verdict says what is wrong with what became of a change; "": it is as the table says.
func verdict(table map[string]string, c change, refusal, before, after string) string {
	switch care, ok := table[c.field]; {
	case !ok:
		return "is not in the table"
	case refusal != "":
		return ""
	case after != before:
		return fmt.Sprintf("true, but predictions changed from %q to %q", before, after)
	case care == "checked":
		return "true"
	}
	return ""
}

// A model of another program claims nothing, and an audit judges what it predicts: a
// file that predicts otherwise is refused, or has another objective or bound.
func TestAuditJudgesWhatPredicts(t *testing.T) {
	k := kind{text: twoText, probe: twoProbe, format: "libsvm"}
	foreign := map[string]any{}
	for _, name := range []string{"scaled by max", "table", "pairs", "nystrom"} {
		walk(unpack(t, kinds()[name].make(t)).document, nil, func(path []any, value any) {
			if f := fieldOf(path); !strings.ContainsAny(f, "[]") {
				foreign[f] = value
			}
		})
	}
	for name, text := range map[string]string{
		"machine": "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.1\nlabel 1 -1\nnr_sv 1 1\nSV\n0.5 1:1 2:0.5\n-0.5 1:-2 2:-1\n",
		"linear":  "solver_type L2R_L2LOSS_SVC\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 1\nw\n0.5\n-0.25\n0.125\n0.1\n",
	} {
		m, err := model.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			t.Fatal(err)
		}
		judge := func(file []byte) (objective, predictions string) {
			m, err := model.Decode(file)
			if err != nil || !m.IsImported() {
				return "refused", ""
			}
			set, err := readText(t, k.text, options(m, k.format))
			if err != nil {
				return "refused", ""
			}
			a, err := fenchel.Audit(t.Context(), m, set, fenchel.AuditOptions{C: 1})
			if err != nil {
				return "refused", ""
			}
			return fmt.Sprint(a.Summary), k.predictions(t, m)
		}
		objective, predictions := judge(file.Bytes())
		unpack(t, file.Bytes()).changes(t, words(), foreign, func(c change) {
			if o, p := judge(c.file); o == objective && p != predictions {
				t.Errorf("%s: %s: the objective %s stays, but predictions changed from %q to %q", name, c.what, o, predictions, p)
			}
		})
	}
}
