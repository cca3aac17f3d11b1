package cluster

import (
	"context"
	"fmt"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/solver"
)

// near is a cluster in this process.
type near struct{ partitions []*Partition }

func (n near) Ask(_ context.Context, q *Request) ([]*Answer, error) {
	var all []*Answer
	for _, p := range n.partitions {
		a, err := p.Answer(q)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// scatter deals the rows of a set to partitions.
func scatter(t testing.TB, set *data.Set, partitions int) near {
	var c near
	for k := range partitions {
		var rows []int
		for i := range set.Rows() {
			if (i*7919+i/5)%partitions == k {
				rows = append(rows, i)
			}
		}
		part, err := set.Subset(rows)
		if err != nil {
			t.Fatal(err)
		}
		c.partitions = append(c.partitions, &Partition{set: part, number: k, threads: 1})
	}
	return c
}

// The objective is that of one machine within the gap, which is proved, with any number of partitions, for every bias, with several
// classes, weights and both methods; rounds are told where they are many.
func TestTrain(t *testing.T) {
	for _, c := range []struct {
		rows, loss, penalty, bias string
		partitions, rounds        int
		solver                    string
	}{
		{"@blobs:n=3000,d=20,classes=2", "logistic", "l2", "free", 4, 10, "newton"},
		{"@blobs:n=3000,d=20,classes=2", "squared-hinge", "l2", "none", 7, 12, "newton"},
		{"@blobs:n=2000,d=20,classes=4", "logistic", "l2", "feature", 3, 10, "newton"},
		{"@linear:n=2000,d=20", "squared", "l2", "free", 4, 6, "newton"},
		{"@blobs:n=3000,d=20,classes=2", "logistic", "elastic-net:ratio=0.5", "free", 4, 10, "newton"},
		{"@linear:n=2000,d=20", "squared", "elastic-net:ratio=0.9", "feature", 4, 4, "newton"},
		{"@text:n=4000,d=5000", "logistic", "l2", "free", 6, 12, "sdca"},
		{"@text:n=4000,d=5000", "squared-hinge", "l2", "none", 16, 24, "lbfgs"},
		{"@text:n=4000,d=5000", "squared", "l2", "feature", 4, 20, "lbfgs"},
		{"@text:n=4000,d=5000", "logistic", "elastic-net:ratio=0.3", "none", 4, 12, "sdca"},
		{"@text:n=4000,d=5000", "logistic", "elastic-net:ratio=0.5", "free", 16, 18, "lbfgs"},
		{"@text:n=4000,d=5000", "squared-hinge", "elastic-net:ratio=0.8", "feature", 4, 28, "lbfgs"}, // which dual ascent does not get to
		{"@text:n=4000,d=5000", "squared", "elastic-net:ratio=0.5", "free", 16, 17, "lbfgs"},
		{"@text:n=4000,d=5000", "hinge", "l2", "none", 4, 300, "sdca"},
	} {
		set, err := data.Read(context.Background(), []string{c.rows}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Train(context.Background(), scatter(t, set, c.partitions), Spec{Loss: c.loss, Penalty: c.penalty, Bias: c.bias, Gap: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		if found := r.Draft.Statement.Solver; found != c.solver {
			t.Errorf("%v: found the solver %s", c, found)
		}
		certificate := map[string]int{"none": 1, "feature": 1, "free": 2}[c.bias]
		if jobs := 2 + r.Rounds + certificate; c.loss != "hinge" && len(r.Output) == 1 && r.Jobs != jobs {
			t.Errorf("%v: found %d jobs, expected %d: no certificate is asked in vain", c, r.Jobs, jobs)
		}
		if r.Status != solver.Converged || r.Rounds > c.rounds {
			t.Errorf("%v: ended as %s after %d rounds, expected at most %d", c, r.Status, r.Rounds, c.rounds)
		}
		task := "classification"
		if c.loss == "squared" {
			task = "regression"
		}
		one, err := fenchel.Train(context.Background(), set, fenchel.Spec{Task: task, Loss: c.loss, Penalty: c.penalty, Bias: c.bias, Gap: 1e-6, Scaling: "none", Lambda: r.Draft.Statement.Lambda})
		if err != nil {
			t.Fatal(err)
		}
		for k, o := range r.Output {
			best := one.Model.Outputs[k].Certificate
			if p := o.Certificate.Primal; p < float64(best.Dual) || o.Certificate.Dual > float64(best.Primal) || p > float64(best.Primal)*(1+1e-3) {
				t.Errorf("%v, output %d: found the objective %.10g and the bound %.10g; in one partition %.10g and %.10g", c, k, p, o.Certificate.Dual, best.Primal, best.Dual)
			}
		}
	}
}

// A loss of the other task is refused, and so are labels of one class, and of more classes than a model has.
func TestTask(t *testing.T) {
	many := make([]string, mostClasses+1)
	for k := range many {
		many[k] = fmt.Sprint("c", k)
	}
	for _, c := range []struct {
		target  data.Target
		loss    string
		classes bool
		want    string
	}{
		{data.Labels([]string{"a", "b", "a", "b"}), "squared", true, "the loss squared is of numbers: found classes, expected a loss of classes, as logistic or hinge"},
		{data.Target{Number: []float64{0.5, 1, 1.5, 2}}, "hinge", false, "the loss hinge is of classes: found targets that are numbers, expected a loss of numbers, as squared"},
		{data.Labels([]string{"1", "1", "1", "1"}), "hinge", true, "found the labels [1], expected two classes at least"},
		{data.Labels(many), "hinge", true, "found 1001 different labels, expected at most 1000 classes, or numbers and a loss of these"},
	} {
		rows := make([][]float32, max(len(c.target.Number), len(c.target.Code)))
		for i := range rows {
			rows[i] = []float32{float32(i + 1)}
		}
		set, err := data.FromDense(rows, c.target)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Train(context.Background(), scatter(t, set, 1), Spec{Loss: c.loss, Classes: c.classes, Penalty: "l2", Bias: "free"}); err == nil || err.Error() != c.want {
			t.Errorf("%s: found the error %v, expected %s", c.loss, err, c.want)
		}
	}
}
