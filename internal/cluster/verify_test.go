package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/model"
)

// weighed is a set with weights.
func weighed(s *data.Set) *data.Set {
	for i := range s.Rows() {
		s.Weight = append(s.Weight, 0.5+float64(i%4))
	}
	return s
}

// trained is a model of a cluster, as it is in its file.
func trained(t testing.TB, c Cluster, spec Spec) (*model.Model, []byte) {
	r, err := Train(context.Background(), c, spec)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Model()
	if err != nil {
		t.Fatal(err)
	}
	return filed(t, m)
}

// filed writes a model, as if it were true, and reads it.
func filed(t testing.TB, m *model.Model) (*model.Model, []byte) {
	var raw strings.Builder
	if err := m.Seal(); err != nil {
		t.Fatal(err)
	}
	if err := m.Write(&raw); err != nil {
		t.Fatal(err)
	}
	m, err := model.Decode([]byte(raw.String()))
	if err != nil {
		t.Fatal(err)
	}
	return m, []byte(raw.String())
}

// A cluster confirms the models that clusters train, with the bounds that one machine finds, and evaluates them with its numbers.
func TestVerify(t *testing.T) {
	for _, c := range []struct {
		rows, loss, penalty, bias string
		duals, weights            bool
	}{
		{"@blobs:n=800,d=6,classes=2", "logistic", "l2", "free", true, false},
		{"@blobs:n=800,d=6,classes=4", "squared-hinge", "elastic-net:ratio=0.4", "free", true, true},
		{"@blobs:n=800,d=6,classes=2", "hinge", "l2", "free", true, true},
		{"@text:n=900,d=300", "hinge", "l2", "none", true, false},
		{"@text:n=900,d=3000", "logistic", "elastic-net:ratio=0.4", "feature", false, false},
		{"@text:n=900,d=3000", "logistic", "l2", "free", false, true},
		{"@linear:n=800,d=6", "squared", "l2", "free", true, true},
	} {
		s := few(t, c.rows)
		if c.weights {
			s = weighed(s)
		}
		partitions := dealt(t, s, 5)
		m, file := trained(t, partitions, Spec{Loss: c.loss, Penalty: c.penalty, Bias: c.bias, Gap: 1e-2, Rounds: 600, Duals: c.duals, Run: "one"})
		v, err := Verify(context.Background(), partitions, m, "two")
		if err != nil {
			t.Fatal(err)
		}
		one, err := fenchel.Verify(context.Background(), m, s, fenchel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !v.OK() || !one.OK() || v.Rebuilt != !c.duals || math.Abs(v.Found.Gap-one.Found.Gap) > 1e-11 || math.Abs(v.Found.Primal-one.Found.Primal) > 1e-12*v.Found.Primal || v.Claimed != one.Claimed {
			t.Errorf("%v: found %+v, expected %+v", c, v, one)
		}
		if m.Outputs[0].Certificate.Status != "converged" || c.duals && math.Abs(v.Found.Gap-v.Claimed.Gap) > 1e-12 {
			t.Errorf("%v: found the gap %g of a model that claims %g, %s", c, v.Found.Gap, v.Claimed.Gap, m.Outputs[0].Certificate.Status)
		}
		e, err := Evaluate(context.Background(), partitions, m, file)
		if err != nil {
			t.Fatal(err)
		}
		expected, err := fenchel.Evaluate(context.Background(), m, s, fenchel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found, want := numbersOf(t, e), numbersOf(t, expected); !slices.EqualFunc(found, want, func(a, b any) bool { return alike(a, b) }) || len(e.Warnings) != len(expected.Warnings) {
			t.Errorf("%v: found %v, expected %v", c, found, want)
		}
	}
}

// numbersOf lists what is in the JSON of a value.
func numbersOf(t testing.TB, x any) (all []any) {
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	for {
		token, err := d.Token()
		if err != nil {
			return all
		}
		all = append(all, token)
	}
}

func alike(a, b any) bool {
	x, number := a.(float64)
	y, too := b.(float64)
	if number && too {
		return math.Abs(x-y) <= 1e-12*max(1, math.Abs(x))
	}
	return a == b
}

// What is false of a model, or of the rows, is found false; what a cluster cannot know is unproved, or refused.
func TestVerifyFalse(t *testing.T) {
	s := few(t, "@blobs:n=800,d=6,classes=2")
	partitions := dealt(t, s, 4)
	_, file := trained(t, partitions, Spec{Loss: "logistic", Penalty: "l2", Bias: "free", Gap: 1e-3, Duals: true})
	other, err := s.Subset(append(slices.Clone(seq(800))[:799], 5))
	if err != nil {
		t.Fatal(err)
	}
	fewer, err := s.Subset(seq(700))
	if err != nil {
		t.Fatal(err)
	}
	renamed := *s
	renamed.Target = data.Labels([]string{"a", "b"})
	renamed.Target.Code = s.Target.Code
	for name, c := range map[string]struct {
		change func(m *model.Model)
		rows   *data.Set
		reason string // of a problem, or why nothing is proved
	}{
		"true":                   {func(*model.Model) {}, s, ""},
		"weights":                {func(m *model.Model) { m.Outputs[0].Weights[2] *= 1.01 }, s, "objective"},
		"bias":                   {func(m *model.Model) { m.Outputs[0].Bias += 0.01 }, s, "objective"},
		"gap understated":        {func(m *model.Model) { m.Outputs[0].Certificate.Dual = m.Outputs[0].Certificate.Primal }, s, "lower bound"},
		"objective understated":  {func(m *model.Model) { m.Outputs[0].Certificate.Primal = m.Outputs[0].Certificate.Dual }, s, "objective"},
		"dual variables":         {func(m *model.Model) { m.Outputs[0].Dual[7] = 0.5 - m.Outputs[0].Dual[7] }, s, "lower bound"},
		"lambda":                 {func(m *model.Model) { m.Statement.Lambda *= 2 }, s, "objective"},
		"digest":                 {func(m *model.Model) { m.Data.Digest = set.SortedPrefix + strings.Repeat("0", 64) }, s, "the data differ"},
		"values":                 {func(m *model.Model) { m.Data.Nonzeros-- }, s, "values that are not zero"},
		"status":                 {func(m *model.Model) { m.Outputs[0].Certificate.Status = "proved" }, s, "status"},
		"goal":                   {func(m *model.Model) { m.Statement.Gap = 1e-9 }, s, "claims to have converged"},
		"other rows":             {func(*model.Model) {}, other, "the data differ"},
		"fewer rows":             {func(*model.Model) {}, fewer, "the data have 700 rows"},
		"other labels":           {func(*model.Model) {}, &renamed, "the labels [a b]"},
		"in the order of a file": {func(m *model.Model) { m.Data.Digest = s.Digest() }, s, "in the order of a file"},
		"no dual variables": {func(m *model.Model) {
			m.Outputs[0].Dual, m.Outputs[0].Certificate.Dual, m.Statement.Gap = nil, m.Outputs[0].Certificate.Primal, 1e-15
		}, s, "no dual variables"},
	} {
		m, err := model.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		c.change(m)
		m, _ = filed(t, m)
		v, err := Verify(context.Background(), dealt(t, c.rows, 4), m, "two")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		unproved := name == "in the order of a file" || name == "no dual variables"
		if said := fmt.Sprint(v.Problems, v.Unproved); v.OK() != (c.reason == "") || !strings.Contains(said, c.reason) || (len(v.Problems) > 0) != (c.reason != "" && !unproved) {
			t.Errorf("%s: found %q, expected %q", name, said, c.reason)
		}
	}
	m, _ := trained(t, partitions, Spec{Loss: "logistic", Penalty: "l2", Bias: "none", Gap: 1e-3, Duals: true})
	m.Outputs[0].Bias = 1e-9
	m, _ = filed(t, m)
	if v, err := Verify(context.Background(), partitions, m, "two"); err != nil || !strings.Contains(fmt.Sprint(v.Problems), "claimed to have none") {
		t.Errorf("a bias where there is none: found %+v, %v", v, err)
	}
	for name, change := range map[string]func(m *model.Model){"l1": func(m *model.Model) { m.Statement.Penalty = "l1" }, "loss": func(m *model.Model) { m.Statement.Loss = "ramp" }, "bias": func(m *model.Model) { m.Statement.Bias = "feature:3" }, "columns": func(m *model.Model) { m.Features = strings.Fields("a b c d e f") }} {
		m, err := model.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		if _, err := Verify(context.Background(), partitions, m, "two"); err == nil {
			t.Errorf("%s: found no error", name)
		}
	}
}

func seq(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// Models and answers that do not fit are refused in one line.
func TestEvaluateRefuses(t *testing.T) {
	s := few(t, "@blobs:n=200,d=6,classes=2")
	m, file := trained(t, dealt(t, s, 2), Spec{Loss: "logistic", Penalty: "l2", Bias: "free"})
	if _, err := Evaluate(context.Background(), dealt(t, few(t, "@blobs:n=200,d=5,classes=2"), 2), m, file); err == nil || !strings.Contains(err.Error(), "found rows of 5 features, expected 6") {
		t.Errorf("rows of another length: found the error %v", err)
	}
	if _, err := Evaluate(context.Background(), dealt(t, s, 2), m, file[:100]); err == nil {
		t.Error("half a model: found no error")
	}
	for name, change := range map[string]func(a *Answer){
		"none": func(a *Answer) { a.Scored = nil }, "scores": func(a *Answer) { a.Scored.Scores = a.Scored.Scores[1:] }, "code": func(a *Answer) { a.Scored.Code[0] = 7 },
		"weight": func(a *Answer) { a.Scored.Weight[0] = math.NaN() }, "weights": func(a *Answer) { a.Scored.Weight = a.Scored.Weight[1:] }, "numbers": func(a *Answer) { a.Scored.Number = []float64{1} },
	} {
		r := &recorded{near: dealt(t, s, 2), change: func(_ int, _ *Request, answers []*Answer) { change(answers[1]) }}
		if _, err := Evaluate(context.Background(), r, m, file); err == nil || !strings.HasPrefix(err.Error(), "partition 2: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: found the error %v, expected one line that names partition 2", name, err)
		}
	}
}
