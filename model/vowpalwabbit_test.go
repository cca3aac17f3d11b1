package model_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
)

// A file of the layout of --readable_model scores rows as the model does.
func TestWriteVW(t *testing.T) {
	rows := [][]float32{{1, 20, 0}, {2, 35, 1}, {-1, 10, 0}, {-2, 5, 3}, {3, 50, 0}}
	for _, c := range []struct {
		target data.Target
		spec   fenchel.Spec
		option string
	}{
		{data.Labels([]string{"a", "b", "a", "a", "b"}), fenchel.Spec{Loss: "logistic", Scaling: "std"}, "options: --loss_function logistic"},
		{data.Numbers([]float64{1, 2.5, -1, -3, 4}), fenchel.Spec{Loss: "squared"}, "options: --loss_function squared"},
		{data.Numbers([]float64{1, 2.5, -1, -3, 4}), fenchel.Spec{Loss: "huber"}, "options:"},
	} {
		set, err := data.FromDense(rows, c.target)
		if err != nil {
			t.Fatal(err)
		}
		r, err := fenchel.Train(context.Background(), set, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := r.Model.WriteVW(&text); err != nil {
			t.Fatal(err)
		}
		head, table, _ := strings.Cut(text.String(), "\n:0\n")
		if !strings.Contains(head+"\n", c.option+"\n") || !strings.HasPrefix(head, "Version 8") {
			t.Errorf("found the head %q, expected %q", head, c.option)
		}
		for i, x := range rows {
			score := vwScore(t, table, x)
			if want := r.Model.Score(set.X.Row(i)); math.Abs(score-want) > 1e-6 {
				t.Errorf("row %d: found the score %g, expected %g", i+1, score, want)
			}
		}
	}
}

// vwScore scores a row whose features are 1, 2, ... and whose constant is 116060.
func vwScore(t *testing.T, table string, x []float32) (score float64) {
	t.Helper()
	before := -1
	for line := range strings.Lines(table) {
		key, number, _ := strings.Cut(strings.TrimSpace(line), ":")
		index, err := strconv.Atoi(key)
		weight, bad := strconv.ParseFloat(number, 64)
		if err != nil || bad != nil || index <= before {
			t.Fatalf("found the line %q", line)
		}
		switch before = index; {
		case index == 116060:
			score += weight
		case index >= 1 && index <= len(x):
			score += weight * float64(x[index-1])
		default:
			t.Fatalf("found the index %d", index)
		}
	}
	return score
}

// The constant has an index of its own, however many features there are.
func TestWriteVWBits(t *testing.T) {
	for features, want := range map[int]string{100: "18 116060", 116059: "18 116060", 116060: "21 1164636", 1 << 20: "21 1164636", 1 << 22: "24 11650396"} {
		m := &model.Model{Statement: model.Statement{Loss: "hinge"}, Data: model.Data{Features: features}, Classes: []string{"a", "b"},
			Outputs: []model.Output{{Weights: make([]float64, features), Bias: 2}}}
		var text strings.Builder
		if err := m.WriteVW(&text); err != nil {
			t.Fatal(err)
		}
		head, table, _ := strings.Cut(text.String(), "\n:0\n")
		_, bits, _ := strings.Cut(head, "bits:")
		bits, _, _ = strings.Cut(bits, "\n")
		if found := bits + " " + strings.TrimSuffix(table, ":2\n"); found != want {
			t.Errorf("%d features: found %s, expected %s", features, found, want)
		}
		var n, index int
		if _, err := fmt.Sscan(strings.ReplaceAll(want, ":", " "), &n, &index); err != nil || 11650396%(1<<n) != index || index <= features {
			t.Errorf("%d features: the test expects the wrong index %d", features, index)
		}
	}
}

// What the layout has no words for is refused.
func TestWriteVWRefused(t *testing.T) {
	three := &model.Model{Data: model.Data{Features: 1}, Classes: []string{"a", "b", "c"}, Outputs: make([]model.Output, 3)}
	for c := range three.Outputs {
		three.Outputs[c].Weights = []float64{1}
	}
	if err := three.WriteVW(&strings.Builder{}); err == nil || !strings.Contains(err.Error(), "found 3 classes") {
		t.Errorf("three classes: found %v", err)
	}
	if err := (*model.Model)(nil).WriteVW(&strings.Builder{}); err == nil {
		t.Error("no model: found no error")
	}
}
