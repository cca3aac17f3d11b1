package fenchel_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

func streamSet(t *testing.T, source string) *data.Set {
	t.Helper()
	s, err := data.Read(context.Background(), []string{source}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// streamed learns sets one after another, and returns the model as its file has it.
func streamed(t *testing.T, spec fenchel.StreamSpec, sets ...*data.Set) (*model.Model, []byte) {
	t.Helper()
	s, err := fenchel.NewStream(spec)
	for _, set := range sets {
		if err == nil {
			err = s.Learn(set.X, set.Target)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return written(t, s)
}

func written(t *testing.T, s *fenchel.Stream) (*model.Model, []byte) {
	t.Helper()
	r, err := s.Result(solver.EpochLimit)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := r.Model.Write(&file); err != nil {
		t.Fatal(err)
	}
	m, err := model.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return m, file.Bytes()
}

// A stream that goes on from the file of another is one stream, byte for byte; the loss is told at 1, 2, 4, ... rows.
func TestStream(t *testing.T) {
	for _, c := range []struct{ first, later, all, loss string }{
		{"@text:n=300,d=100", "@text:n=250,d=100,skip=300", "@text:n=550,d=100", "logistic"},
		{"@linear:n=300,d=6", "@linear:n=250,d=6,skip=300", "@linear:n=550,d=6", "quantile:tau=0.8"},
	} {
		a, b, all := streamSet(t, c.first), streamSet(t, c.later), streamSet(t, c.all)
		var told []int
		_, whole := streamed(t, fenchel.StreamSpec{Loss: c.loss, Notes: map[string]string{"a": "b"}, Doubled: func(p fenchel.StreamProgress) { told = append(told, p.Rows) }}, all)
		if fmt.Sprint(told) != "[1 2 4 8 16 32 64 128 256 512 550]" {
			t.Errorf("told at %v rows", told)
		}
		m, _ := streamed(t, fenchel.StreamSpec{Loss: c.loss, Notes: map[string]string{"a": "b"}}, a)
		s, err := fenchel.ResumeStream(m, fenchel.StreamSpec{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Learn(b.X, b.Target); err != nil {
			t.Fatal(err)
		}
		if _, resumed := written(t, s); !bytes.Equal(resumed, whole) {
			t.Errorf("%s: found another model than of all rows at once", c.loss)
		}
	}
}

// Nothing is proved of a stream, until a training that begins with its model sees all rows.
func TestStreamProvesNothing(t *testing.T) {
	set := streamSet(t, "@text:n=800,d=60")
	m, _ := streamed(t, fenchel.StreamSpec{Loss: "logistic"}, set)
	v, err := fenchel.Verify(context.Background(), m, set, fenchel.Options{})
	if err != nil || v.OK() || len(v.Problems) > 0 || !strings.Contains(v.Unproved, "nothing is proved of one pass") {
		t.Errorf("found %+v, error %v", v, err)
	}
	r, err := fenchel.Train(context.Background(), set, fenchel.Spec{Loss: "logistic", Run: fenchel.Run{From: m}})
	if err != nil || r.Status != solver.Converged {
		t.Errorf("found %+v, error %v", r, err)
	}
	e, err := fenchel.Evaluate(context.Background(), m, set, fenchel.Options{})
	if err != nil || !(*e.Accuracy > 0.8) {
		t.Errorf("found %+v, error %v", e, err)
	}
}

// Rows that turn into others are seen in the loss of the last ones.
func TestStreamDrift(t *testing.T) {
	one := streamSet(t, "@toy:n=900,d=4")
	m, _ := streamed(t, fenchel.StreamSpec{}, one)
	if w := m.OnePass.Window(); w.Mean() > m.OnePass.All.Mean()+3*w.Error() {
		t.Errorf("the last rows have the loss %g, all %g", w.Mean(), m.OnePass.All.Mean())
	}
	other := streamSet(t, "@toy:n=400,d=4,skip=900")
	for i, c := range other.Target.Code {
		other.Target.Code[i] = 1 - c
	}
	other.Target.Number = nil
	m, _ = streamed(t, fenchel.StreamSpec{}, one, other)
	if w := m.OnePass.Window(); w.Mean() < m.OnePass.All.Mean()+3*w.Error() {
		t.Errorf("the last rows have other labels and the loss %g, all %g", w.Mean(), m.OnePass.All.Mean())
	}
}

// Rows that are held out are judged and change nothing.
func TestStreamHoldsOut(t *testing.T) {
	first, all := streamSet(t, "@toy:n=500,d=4"), streamSet(t, "@toy:n=700,d=4")
	m, _ := streamed(t, fenchel.StreamSpec{}, first)
	n, _ := streamed(t, fenchel.StreamSpec{HoldOutAfter: 500}, all)
	if h := n.OnePass.Held; h == nil || h.Rows != 200 || n.Data.Rows != 500 {
		t.Fatalf("found %+v of %d rows", h, n.Data.Rows)
	}
	for j, w := range m.Outputs[0].Weights {
		if w != n.Outputs[0].Weights[j] {
			t.Fatalf("found the weight %g of feature %d, expected %g", n.Outputs[0].Weights[j], j, w)
		}
	}
}

func TestStreamRefuses(t *testing.T) {
	for expected, spec := range map[string]fenchel.StreamSpec{
		"unknown loss":           {Loss: "hing"},
		"whose steps for one":    {Loss: "huber"},
		"expected the task":      {Loss: "hinge", Task: "regression"},
		"expected two":           {Classes: []string{"a"}},
		"number >= 0":            {HoldOutAfter: -1},
		"seen once":              {Task: "one-class"},
		`the classes ["1" "+1"]`: {Classes: []string{"1", "+1"}},
	} {
		if _, err := fenchel.NewStream(spec); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%+v: found %v, expected %q", spec, err, expected)
		}
	}
	two, numbers := data.Labels([]string{"a", "b", "a"}), data.Numbers([]float64{1, 2.5, 1e70})
	x := &matrix.Dense{Rows: 3, Cols: 1, Value: []float32{1, 2, 3}}
	for expected, c := range map[string]struct {
		spec fenchel.StreamSpec
		y    data.Target
		x    matrix.Matrix
	}{
		"not numbers (one is \"a\")":    {fenchel.StreamSpec{Task: "regression"}, two, x},
		"row 3: found the target 1e+70": {fenchel.StreamSpec{}, numbers, x},
		"found one class":               {fenchel.StreamSpec{}, data.Labels([]string{"a", "a", "a"}), x},
		"found more than 65536 labels":  {fenchel.StreamSpec{Loss: "hinge"}, data.Target{Number: []float64{1, 2, 3}}, x},
		"found 3 classes":               {fenchel.StreamSpec{}, data.Labels([]string{"a", "b", "c"}), x},
		`row 2: found the label "b"`:    {fenchel.StreamSpec{Classes: []string{"a", "c"}}, two, x},
		"targets of 0 of 3 rows":        {fenchel.StreamSpec{}, data.Target{}, x},
		"targets of 3 of 1 rows":        {fenchel.StreamSpec{}, two, &matrix.Dense{Rows: 1, Cols: 1, Value: []float32{1}}},
		"NaN":                           {fenchel.StreamSpec{}, two, &matrix.Dense{Rows: 3, Cols: 1, Value: []float32{1, 2, float32(math.NaN())}}},
	} {
		s, err := fenchel.NewStream(c.spec)
		if err == nil {
			err = s.Learn(c.x, c.y)
		}
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("found %v, expected %q", err, expected)
		}
	}
	m, _ := streamed(t, fenchel.StreamSpec{}, streamSet(t, "@toy:n=50,d=4"))
	s, err := fenchel.ResumeStream(m, fenchel.StreamSpec{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Learn(x, two); err == nil || !strings.Contains(err.Error(), "found rows of 1 feature, expected 4") {
		t.Errorf("found %v", err)
	}
	m.OnePass = nil
	if _, err := fenchel.ResumeStream(m, fenchel.StreamSpec{}); err == nil {
		t.Error("a model of no stream was resumed")
	}
}

// Files that say of themselves what no stream could have come to are refused when they are read.
func TestForgedStream(t *testing.T) {
	_, file := streamed(t, fenchel.StreamSpec{Loss: "logistic"}, streamSet(t, "@toy:n=100,d=4"))
	for expected, change := range map[string]func(*model.Model){
		"expected no problem":                 func(m *model.Model) { m.Statement.Lambda = 1 },
		"the state of 100 rows, expected 101": func(m *model.Model) { m.Data.Rows++ },
		"nothing is proved of it":             func(m *model.Model) { m.Outputs[0].Certificate.Dual = 0 },
		"a weight of feature 1, which no row": func(m *model.Model) {
			m.OnePass.Index[1] = 0
			m.OnePass.Index = append(m.OnePass.Index[:1:1], m.OnePass.Index[2:]...)
			m.OnePass.Squares, m.OnePass.Scale = m.OnePass.Squares[1:], m.OnePass.Scale[1:]
		},
		"expected a loss whose gradient flow": func(m *model.Model) { m.OnePass.Least = -1 },
		"damaged model":                       func(m *model.Model) { m.OnePass.Norm = -1 },
	} {
		m, err := model.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		var forged bytes.Buffer
		if err := m.Write(&forged); err != nil {
			t.Fatal(err)
		}
		if _, err := model.Decode(forged.Bytes()); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("found %v, expected %q", err, expected)
		}
	}
}
