package fenchel_test

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
	"github.com/fenchel-ml/fenchel/solver"
)

// misused are sets that break a law of Set, with a part of what is said of it.
var misused = []struct {
	name, want string
	spoil      func(s *data.Set)
}{
	{"no rows", "found no rows", func(s *data.Set) { s.X = nil }},
	{"zero", "found no rows", func(s *data.Set) { *s = data.Set{} }},
	{"typed nil", "found no rows", func(s *data.Set) { s.X = (*matrix.Dense)(nil) }},
	{"short dense", "found 3 values, expected 4 rows of 2", func(s *data.Set) { s.X = &matrix.Dense{Rows: 4, Cols: 2, Value: make([]float32, 3)} }},
	{"unsorted", "row 2: found column 1 in place 2, expected increasing", func(s *data.Set) {
		s.X = &matrix.CSR{Cols: 2, Start: []int64{0, 0, 2, 2, 2}, Index: []uint32{1, 0}, Value: []float32{1, 2}}
	}},
	{"beyond", "row 1: found column 10 in place 1, expected increasing columns up to 2", func(s *data.Set) {
		s.X = &matrix.CSR{Cols: 2, Start: []int64{0, 1, 1, 1, 1}, Index: []uint32{9}, Value: []float32{1}}
	}},
	{"offsets", "row 2: found values from 2 to 1", func(s *data.Set) {
		s.X = &matrix.CSR{Cols: 2, Start: []int64{0, 2, 1, 2, 2}, Index: []uint32{0, 1}, Value: []float32{1, 2}}
	}},
	{"columns and values", "found 1 indices and 2 values", func(s *data.Set) {
		s.X = &matrix.CSR{Cols: 2, Start: []int64{0, 1, 2, 2, 2}, Index: []uint32{0}, Value: []float32{1, 2}}
	}},
	{"subset", "row 4: found the number 100 of a row", func(s *data.Set) { s.X = matrix.Subset(s.X, []int{0, 1, 2, 100}) }},
	{"NaN", "row 2: column 1: found NaN", func(s *data.Set) {
		s.X = &matrix.Dense{Rows: 4, Cols: 2, Value: []float32{0, 1, float32(math.NaN()), 1, 1, 1, 1, 1}}
	}},
	{"infinite", "row 1: column 2: found +Inf", func(s *data.Set) {
		s.X = &matrix.Dense{Rows: 4, Cols: 2, Value: []float32{0, float32(math.Inf(1)), 1, 1, 1, 1, 1, 1}}
	}},
	{"few targets", "found 3 targets, expected one for each of 4 rows", func(s *data.Set) { s.Target.Code = s.Target.Code[:3] }},
	{"many targets", "found 5 targets", func(s *data.Set) { s.Target = data.Labels([]string{"a", "b", "a", "b", "a"}) }},
	{"few numbers", "found 2 targets", func(s *data.Set) { s.Target = data.Numbers([]float64{1, 2.5}) }},
	{"classes", "row 1: found the class 7, expected one of 2 labels", func(s *data.Set) { s.Target.Code = []uint32{7, 0, 1, 1} }},
	{"no labels", "row 1: found the class 0, expected one of 0 labels", func(s *data.Set) { s.Target.Label = nil }},
	{"NaN target", "row 2: found the target NaN", func(s *data.Set) { s.Target = data.Numbers([]float64{1, math.NaN(), 2, 3}) }},
	{"few weights", "found 1 weight, expected one for each of 4 rows", func(s *data.Set) { s.Weight = []float64{1} }},
	{"negative weight", "row 3: found the weight -1", func(s *data.Set) { s.Weight = []float64{1, 1, -1, 1} }},
	{"names", "found 1 names of features, expected one for each of 2", func(s *data.Set) { s.Feature = []string{"a"} }},
	{"schema", "schema: ", func(s *data.Set) { s.Schema = &data.Schema{} }},
	{"schema's target", "schema: found target column 7", func(s *data.Set) { s.Schema = &data.Schema{Target: 7, Columns: make([]data.Column, 2)} }},
}

func small(t *testing.T) *data.Set {
	t.Helper()
	s, err := data.FromDense([][]float32{{1, 2}, {2, 1}, {-1, 0}, {0, -3}}, data.Labels([]string{"a", "a", "b", "b"}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestMisuseOfSets: whatever takes a set refuses what is none, and says why, rather than to
// panic or to prove something of rows that are not there.
func TestMisuseOfSets(t *testing.T) {
	ctx := context.Background()
	fit := func(spec fenchel.Spec) func(*data.Set) error {
		return func(s *data.Set) error { spec.Epochs = 10; _, err := fenchel.Train(ctx, s, spec); return err }
	}
	r, err := fenchel.Train(ctx, small(t), fenchel.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := pca.Fit(ctx, small(t), pca.Spec{K: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, use := range map[string]func(*data.Set) error{
		"Fit": fit(fenchel.Spec{}), "Fit scaled": fit(fenchel.Spec{Scaling: "std"}), "Fit rbf": fit(fenchel.Spec{Kernel: "rbf:gamma=1"}),
		"Fit sdca":      fit(fenchel.Spec{Solver: "sdca"}),
		"Fit one class": fit(fenchel.Spec{Task: pose.OneClass, Kernel: "rbf:gamma=1", Nu: 0.5}),
		"FitPCA":        func(s *data.Set) error { _, err := pca.Fit(ctx, s, pca.Spec{K: 1}); return err },
		"Evaluate": func(s *data.Set) error {
			_, err := fenchel.Evaluate(t.Context(), r.Model, s, fenchel.Options{})
			return err
		},
		"Verify": func(s *data.Set) error {
			_, err := fenchel.Verify(t.Context(), r.Model, s, fenchel.Options{})
			return err
		},
		"MakeAudit": func(s *data.Set) error {
			_, err := fenchel.Audit(ctx, r.Model, s, fenchel.AuditOptions{})
			return err
		},
		"VerifyPCA": func(s *data.Set) error { _, err := pca.Verify(ctx, p.Model, s, 0); return err },
		"CheckTest": func(s *data.Set) error { return fenchel.Spec{}.CheckTest(small(t), s) },
		"Write":     func(s *data.Set) error { return data.Write(ctx, t.TempDir()+"/x.csv", s, "") },
	} {
		for _, c := range misused {
			s := small(t)
			if c.spoil(s); name == "FitPCA" && s.Weight != nil {
				continue // it takes none at all
			}
			if err := use(s); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: found error %v, expected %q", name, c.name, err, c.want)
			}
		}
		if err := use(nil); err == nil || !strings.Contains(err.Error(), "found no rows") {
			t.Errorf("%s of nil: found error %v", name, err)
		}
	}
}

// TestSpoiltRows: values that a program changes after the set was made are found by their
// norms, before anything is trained.
func TestSpoiltRows(t *testing.T) {
	for _, x := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
		s := small(t)
		s.X.(*matrix.Dense).Value[3] = x
		for _, spec := range []fenchel.Spec{{}, {Loss: "logistic"}, {Kernel: "rbf:gamma=1"}, {Slack: 0.1}} {
			if _, err := fenchel.Train(context.Background(), s, spec); err == nil || !strings.Contains(err.Error(), "row 2: found a value that is not finite") {
				t.Errorf("%g, %+v: found error %v, expected that row 2 is not finite", x, spec, err)
			}
		}
		if _, err := pca.Fit(context.Background(), s, pca.Spec{K: 1}); err == nil {
			t.Errorf("%g: found no error of components", x)
		}
	}
}

// TestMisuseOfModels: what is no model is refused by whatever takes one.
func TestMisuseOfModels(t *testing.T) {
	ctx, set := context.Background(), small(t)
	half := &model.Model{Statement: model.Statement{Loss: "hinge"}, Classes: []string{"a", "b"}, Outputs: make([]model.Output, 1), Data: model.Data{Features: 2}}
	for name, m := range map[string]*model.Model{"nil": nil, "zero": {}, "no weights": half, "no support": {Support: &model.Support{}, Outputs: make([]model.Output, 1)}} {
		for use, err := range map[string]error{
			"Evaluate":  second(fenchel.Evaluate(t.Context(), m, set, fenchel.Options{})),
			"MakeAudit": second(fenchel.Audit(ctx, m, set, fenchel.AuditOptions{})),
			"Check":     m.Check(),
			"Write":     nilOnly(m, func() error { return m.Write(io.Discard) }),
			"LIBSVM":    nilOnly(m, func() error { return m.WriteLIBSVM(io.Discard) }),
		} {
			if err == nil || !strings.Contains(err.Error(), "model: ") {
				t.Errorf("%s of %s: found error %v, expected one about the model", use, name, err)
			}
		}
	}
	if _, err := fenchel.Verify(t.Context(), nil, set, fenchel.Options{}); err == nil {
		t.Error("Verify of nil: found no error")
	}
	fenchel.Summarise(nil)
	for name, m := range map[string]*model.PCA{"nil": nil, "zero": {}, "no components": {Statement: model.PCAStatement{K: 1}, Data: model.Data{Features: 2}}} {
		for use, err := range map[string]error{
			"VerifyPCA": second(pca.Verify(ctx, m, set, 0)),
			"ResumePCA": second(pca.Resume(m, 0)),
			"MergePCA":  second(pca.Merge([]*model.PCA{m, m})),
			"Seal":      m.Seal(),
		} {
			if err == nil {
				t.Errorf("%s of %s: found no error", use, name)
			}
		}
	}
	if _, err := pca.Merge(nil); err == nil {
		t.Error("MergePCA of nothing: found no error")
	}
	if _, err := fenchel.Train(ctx, set, fenchel.Spec{Kernel: "mine", Custom: fenchel.Custom{Kernel: &kernel.Func{}}}); err == nil {
		t.Error("a kernel without a function: found no error")
	}
}

// nilOnly is what use says of no model; what is wrong with others is found when they are
// read again.
func nilOnly(m *model.Model, use func() error) error {
	if m != nil {
		return m.Check()
	}
	return use()
}

func second[T any](_ T, err error) error { return err }

// TestMisuseOfStreams: rows that are none, and streams that were not begun.
func TestMisuseOfStreams(t *testing.T) {
	if _, err := pca.NewStream(nil, nil, pca.Spec{K: 1}); err == nil {
		t.Error("first rows nil: found no error")
	}
	if _, err := pca.NewStream(small(t).X, []string{"a"}, pca.Spec{K: 1}); err == nil {
		t.Error("one name of two features: found no error")
	}
	begun, err := pca.NewStream(small(t).X, nil, pca.Spec{K: 1})
	if err != nil {
		t.Fatal(err)
	}
	zero := &pca.Stream{}
	for name, err := range map[string]error{"Learn(nil)": begun.Learn(nil), "zero Learn": zero.Learn(small(t).X), "zero Result": second(zero.Result(solver.EpochLimit))} {
		if err == nil {
			t.Errorf("%s: found no error", name)
		}
	}
	if zero.Rows() != 0 {
		t.Error("a stream that was not begun has rows")
	}
}

// TestMisuseOfScores: rows are checked where they come from, scores by their number.
func TestMisuseOfScores(t *testing.T) {
	ctx, set := context.Background(), small(t)
	for _, spec := range []fenchel.Spec{{}, {Loss: "logistic"}, {Kernel: "rbf:gamma=1"}, {Task: "regression"}} {
		if spec.Task == "regression" {
			set.Target = data.Numbers([]float64{1, 2.5, 3, 4})
		}
		r, err := fenchel.Train(ctx, set, spec)
		if err != nil {
			t.Fatal(err)
		}
		m := r.Model
		good := m.Scores(nil, set.X.Row(0))
		if p := m.Probabilities(nil, good); (p != nil) != m.HasProbabilities() {
			t.Errorf("%+v: found the probabilities %v", spec, p)
		}
		for _, scores := range [][]float64{nil, {}, {1, 2}, {1, 2, 3}} {
			if p, c := m.Probabilities([]float64{7}, scores), m.Decide(scores); !slices.Equal(p, []float64{7}) || c != -1 {
				t.Errorf("%+v: of %d scores: found the probabilities %v and the class %d, expected none", spec, len(scores), p, c)
			}
		}
		for _, c := range []struct {
			x    matrix.Vector
			want string
		}{
			{matrix.Vector{Value: []float32{1, 2}}, ""},
			{matrix.Vector{Index: []uint32{1}, Value: []float32{2}}, ""},
			{matrix.Vector{Index: []uint32{}}, ""},
			{matrix.Vector{}, "found 0 values, expected 2"},
			{matrix.Vector{Value: []float32{1}}, "found 1 values, expected 2"},
			{matrix.Vector{Value: []float32{1, 2, 3}}, "found 3 values, expected 2"},
			{matrix.Vector{Index: []uint32{0, 1}, Value: []float32{1}}, "found 2 columns and 1 values, expected as many"},
			{matrix.Vector{Index: []uint32{0}, Value: []float32{1, 2}}, "found 1 columns and 2 values, expected as many"},
			{matrix.Vector{Index: []uint32{1, 0}, Value: []float32{1, 2}}, "found column 1 in place 2, expected increasing columns up to 2"},
			{matrix.Vector{Index: []uint32{0, 0}, Value: []float32{1, 2}}, "found column 1 in place 2, expected increasing columns up to 2"},
			{matrix.Vector{Index: []uint32{2}, Value: []float32{1}}, "found column 3 in place 1, expected increasing columns up to 2"},
			{matrix.Vector{Value: []float32{float32(math.NaN()), 1}}, "column 1: found NaN, expected a finite number"},
		} {
			found := ""
			if err := m.CheckRow(c.x); err != nil {
				found = err.Error()
			}
			if found != c.want {
				t.Errorf("%+v: row %v: found error %q, expected %q", spec, c.x, found, c.want)
			}
			if c.want == "" {
				m.Scores(nil, c.x)
			}
		}
	}
}

// TestFitView: rows that are a view of others, in any order, are trained on as their copies
// are, scaled or not.
func TestFitView(t *testing.T) {
	ctx := context.Background()
	dense, err := data.Read(ctx, []string{"@blobs:n=60,d=3"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := generate.Order(60, 1, 0)[:40]
	for _, spec := range []fenchel.Spec{{}, {Scaling: "std"}, {Scaling: "max"}, {Kernel: "rbf:gamma=1", Scaling: "std"}} {
		copied, err := dense.Subset(rows)
		if err != nil {
			t.Fatal(err)
		}
		view := *copied
		view.X = matrix.Subset(dense.X, rows)
		want, err := fenchel.Train(ctx, copied, spec)
		if err != nil {
			t.Fatal(err)
		}
		got, err := fenchel.Train(ctx, &view, spec)
		if err != nil {
			t.Fatal(err)
		}
		if w, v := want.Model.Outputs[0], got.Model.Outputs[0]; !slices.Equal(w.Weights, v.Weights) || w.Bias != v.Bias {
			t.Errorf("%+v: found %v, expected %v", spec, v.Weights, w.Weights)
		}
	}
}
