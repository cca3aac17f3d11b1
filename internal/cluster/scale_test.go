package cluster

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
)

// Columns are scaled as one machine does, of dense rows and sparse ones, by every method; the model that says so is confirmed by one
// machine.
func TestScaled(t *testing.T) {
	for _, c := range []struct{ rows, loss, scale string }{
		{"@blobs:n=1500,d=12,classes=2", "logistic", "std"},
		{"@blobs:n=1500,d=12,classes=3", "squared-hinge", "max"},
		{"@linear:n=1500,d=12", "squared", "std"},
		{"@text:n=1500,d=3000", "logistic", "std"},
		{"@text:n=1500,d=3000", "squared-hinge", "max"},
		{"@blobs:n=1500,d=12,classes=2", "hinge", "std"},
	} {
		set, err := data.Read(context.Background(), []string{c.rows}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if x, dense := set.X.(interface{ Dims() (int, int) }); dense && !strings.HasPrefix(c.rows, "@text") { // columns of several sizes, far from 0
			n, d := x.Dims()
			for i := range n {
				row := set.X.Row(i)
				for j := range d {
					row.Value[j] = row.Value[j]*float32(j*j+1) + float32(10*j)
				}
			}
			set.Feature, set.Schema = nil, nil
		}
		gap := 1e-3
		if c.loss == "hinge" {
			gap = 2e-2
		}
		r, err := Train(context.Background(), dealt(t, set, 3), Spec{Loss: c.loss, Penalty: "l2", Bias: "free", Scale: c.scale, Gap: gap, Duals: true})
		if err != nil {
			t.Fatal(err)
		}
		s, err := r.Scaling()
		if err != nil || s == nil || s.Kind != c.scale {
			t.Fatalf("%v: found the scaling %+v, %v", c, s, err)
		}
		task := map[bool]string{true: "regression", false: "classification"}[c.loss == "squared"]
		one, err := fenchel.Train(context.Background(), set, fenchel.Spec{Task: task, Loss: c.loss, Penalty: "l2", Bias: "free", Scaling: c.scale, Gap: gap / 10, Lambda: r.Draft.Statement.Lambda})
		if err != nil {
			t.Fatal(err)
		}
		m := &model.Model{Statement: r.Draft.Statement, Classes: r.Draft.Classes, Scaling: s, Data: one.Model.Data}
		m.Data.Digest, m.Statement.ZeroBased = r.Digest, one.Model.Statement.ZeroBased
		for k, o := range r.Output {
			best := one.Model.Outputs[k].Certificate
			if p := o.Certificate.Primal; p < float64(best.Dual) || o.Certificate.Dual > float64(best.Primal) || o.Certificate.Relative() > gap {
				t.Errorf("%v: found the objective %.9g and the bound %.9g, of one machine %.9g and %.9g", c, p, o.Certificate.Dual, best.Primal, best.Dual)
			}
			out := model.Output{Weights: o.W[:set.Cols()], Bias: o.W[set.Cols()]}
			out.Certificate = model.Certificate{Primal: model.Bound(o.Certificate.Primal), Dual: model.Bound(o.Certificate.Dual), Zero: model.Bound(o.Certificate.Zero), Epochs: r.Rounds, Status: string(r.Status)}
			for _, part := range o.Duals {
				out.Dual = append(out.Dual, part...)
			}
			m.Outputs = append(m.Outputs, out)
		}
		if err := m.Seal(); err != nil {
			t.Fatal(err)
		}
		v, err := fenchel.Verify(context.Background(), m, set, fenchel.Options{})
		if err != nil || len(v.Problems) > 0 {
			t.Errorf("%v: found %v, %v, expected all to be confirmed", c, err, v.Problems)
		}
		forged := *s
		forged.Factor = append([]float64{s.Factor[0] * 1.001}, s.Factor[1:]...)
		m.Scaling = &forged
		if v, err = fenchel.Verify(context.Background(), m, set, fenchel.Options{}); err == nil && len(v.Problems) == 0 {
			t.Errorf("%v: a forged factor was confirmed", c)
		}
	}
}

// Answers about columns, and requests that scale, that are not what they should be are refused.
func TestRefusedScaling(t *testing.T) {
	for what, change := range map[string]func(q *Request, a *Answer){
		"none":    func(_ *Request, a *Answer) { a.Columns = nil },
		"few":     func(q *Request, a *Answer) { a.Columns.Sum = a.Columns.Sum[min(1, len(a.Columns.Sum)):] },
		"stored":  func(q *Request, a *Answer) { a.Columns.Stored = []int64{-1, 0, 0} },
		"squares": func(q *Request, a *Answer) { a.Columns.Squares = []float64{math.NaN()} },
		"rows":    func(q *Request, a *Answer) { a.Columns.Rows = 0 },
	} {
		r := &recorded{near: scatter(t, few(t, "@blobs:n=60,d=3,classes=2"), 2), change: func(_ int, q *Request, answers []*Answer) {
			if q.Verb == "columns" && (q.View.Offset == nil) != (what == "squares") {
				change(q, answers[1])
			}
		}}
		if _, err := Train(context.Background(), r, Spec{Loss: "logistic", Penalty: "l2", Bias: "free", Scale: "std"}); err == nil || !strings.HasPrefix(err.Error(), "partition 2: ") {
			t.Errorf("%s: found the error %v, expected one that names partition 2", what, err)
		}
	}
	c := scatter(t, few(t, "@blobs:n=60,d=3,classes=2"), 2)
	if _, err := Train(context.Background(), c, Spec{Loss: "logistic", Penalty: "l2", Bias: "free", Scale: "norm"}); err == nil || !strings.Contains(err.Error(), "unknown scaling") {
		t.Errorf("found %v", err)
	}
	if _, err := c.partitions[0].Answer(&Request{Verb: "describe", View: &View{Offset: []float64{1}}}); err == nil {
		t.Error("a view of one column was taken for three")
	}
	r := &recorded{near: c}
	if _, err := Train(context.Background(), r, Spec{Loss: "logistic", Penalty: "l2", Bias: "free", Scale: "std"}); err != nil {
		t.Fatal(err)
	}
	for _, q := range r.requests {
		if q.Verb != "begin" {
			continue
		}
		for what, change := range map[string]func(d *Draft){
			"offsets": func(d *Draft) { d.Offset = d.Offset[1:] },
			"factors": func(d *Draft) { d.Factor = []float64{1, 2, math.Inf(1)} },
		} {
			d := *q.Draft
			change(&d)
			if _, err := c.partitions[0].Answer(&Request{Verb: "begin", Draft: &d}); err == nil {
				t.Errorf("%s: found no error", what)
			}
		}
	}
}
