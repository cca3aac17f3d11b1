package model

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/matrix"
)

// linearModel is a model of two features with these outputs.
func linearModel(loss, penalty string, classes []string, outputs ...Output) *Model {
	return &Model{Statement: Statement{Loss: loss, Penalty: penalty, Bias: "free", Solver: "sdca"}, Classes: classes,
		Data: Data{Rows: 9, Features: 2}, Outputs: outputs}
}

// TestWriteLIBLINEAR: the type has the loss and the penalty, of two classes a positive
// score speaks for the first, of more each has a column; what is read again scores the same.
func TestWriteLIBLINEAR(t *testing.T) {
	one, other, third := Output{Weights: []float64{0.1, -2}, Bias: 1.0 / 3}, Output{Weights: []float64{3, 1e-300}, Bias: -4}, Output{Weights: []float64{0, 5}}
	two, three := []string{"-1.0", "1.0"}, []string{"1", "2", "7"}
	scaling, err := scaling.Restore("std", []float64{8, -2}, []float64{0.5, 4})
	if err != nil {
		t.Fatal(err)
	}
	scaled := linearModel("hinge", "l2", two, one)
	scaled.Scaling, scaled.Statement.Bias = scaling, "none"
	none := linearModel("hinge", "l2", two, Output{Weights: []float64{1, 2}})
	none.Statement.Bias = "none"
	for name, c := range map[string]struct {
		m    *Model
		want string
	}{
		"logistic":     {linearModel("logistic", "l2", two, one), "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n0.1 \n-2 \n0.3333333333333333 \n"},
		"sparse":       {linearModel("logistic", "l1", two, one), "solver_type L1R_LR\n"},
		"squared":      {linearModel("squared-hinge", "l2", two, one), "solver_type L2R_L2LOSS_SVC\n"},
		"both":         {linearModel("squared-hinge", "l1", two, one), "solver_type L1R_L2LOSS_SVC\n"},
		"hinge":        {linearModel("hinge", "l2", two, one), "solver_type L2R_L1LOSS_SVC_DUAL\n"},
		"no bias":      {none, "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n1 \n2 \n"},
		"tube":         {linearModel("epsilon-insensitive:epsilon=0.5", "l2", nil, one), "solver_type L2R_L1LOSS_SVR_DUAL\nnr_class 2\nnr_feature 2\nbias 1\nw\n"},
		"smooth tube":  {linearModel("squared-epsilon-insensitive", "l2", nil, one), "solver_type L2R_L2LOSS_SVR\n"},
		"least square": {linearModel("squared", "l2", nil, one), "solver_type L2R_L2LOSS_SVR\n"},
		"several":      {linearModel("hinge", "l2", three, one, other, third), "nr_class 3\nlabel 1 2 7\nnr_feature 2\nbias 1\nw\n0.1 3 0 \n-2 1e-300 5 \n0.3333333333333333 -4 0 \n"},
		"scaled":       {scaled, "label 1 -1\nnr_feature 2\nbias 1\nw\n0.05 \n-8 \n"},
	} {
		var text bytes.Buffer
		if err := c.m.WriteLIBLINEAR(&text); err != nil || !strings.Contains(text.String(), c.want) {
			t.Errorf("%s: found %v and\n%s, expected\n%s", name, err, text.String(), c.want)
			continue
		}
		again, err := Decode(text.Bytes())
		if err != nil {
			t.Fatal(name, err)
		}
		x := matrix.Vector{Value: []float32{3, -7}}
		got, want := again.Scores(nil, x), c.m.Scores(nil, x)
		for i := range want {
			if len(got) != len(want) || !near(got[i], want[i]) {
				t.Errorf("%s: read again it has the scores %v, expected %v", name, got, want)
			}
		}
		if c.m.Classes != nil && math.Abs(again.Predict(x)-c.m.Predict(x)) > 0 {
			t.Errorf("%s: read again it has the class %s, expected %s", name, again.Class(x), c.m.Class(x))
		}
		var back bytes.Buffer
		if stored, err := Decode(encode(t, again)); err != nil || stored.WriteLIBLINEAR(&back) != nil || back.String() != text.String() {
			t.Errorf("%s: %v, written again as\n%s", name, err, back.String())
		}
	}
}

// Files of LIBLINEAR, the golden ones too, become the same files again.
func TestLIBLINEARRoundTrip(t *testing.T) {
	var files []string
	for _, name := range []string{"two.linear-model", "three.linear-model"} {
		text, err := os.ReadFile("testdata/foreign/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(text))
	}
	const head = "solver_type %s\nnr_class %d\n"
	files = append(files,
		fmt.Sprintf(head, "L2R_LR_DUAL", 1)+"label 5\nnr_feature 1\nbias 2\nw\n0.5 \n0.25 \n",
		fmt.Sprintf(head, "MCSVM_CS", 2)+"label 7 9\nnr_feature 1\nbias 1\nw\n-3 3 \n1 -1 \n",
		fmt.Sprintf(head, "ONECLASS_SVM", 2)+"nr_feature 1\nbias -1\nrho 0.75\nw\n0.1 \n",
		fmt.Sprintf(head, "L2R_L1LOSS_SVR_DUAL", 2)+"nr_feature 1\nbias -1\nw\n0.1 \n")
	for _, text := range files {
		m, err := Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if m, err = Decode(encode(t, m)); err != nil {
			t.Fatal(err)
		}
		var back bytes.Buffer
		if err := m.WriteLIBLINEAR(&back); err != nil || back.String() != text {
			t.Errorf("found %v and\n%s, expected\n%s", err, back.String(), text)
		}
	}
}

func TestWriteLIBLINEARRefuses(t *testing.T) {
	o := Output{Weights: []float64{1e300, 1}}
	two := []string{"0", "1"}
	pairs := linearModel("hinge", "l2", []string{"0", "1", "2"}, o, o, o)
	pairs.Statement.Scheme = OneAgainstOne
	zero := linearModel("hinge", "l2", two, o)
	zero.Statement.ZeroBased = true
	far := linearModel("hinge", "l2", two, o)
	far.Scaling, _ = scaling.Restore("std", []float64{0, 0}, []float64{1e300, 1})
	for want, m := range map[string]*Model{
		"found a kernel machine":                 foreign(t, "three.svm-model"),
		"found the loss huber-hinge":             linearModel("huber-hinge:width=1", "l2", two, o),
		"the penalty elastic-net":                linearModel("logistic", "elastic-net", two, o),
		"squared and the penalty l2 for classes": linearModel("squared", "l2", two, o),
		"and the penalty l1 for numbers":         linearModel("squared", "l1", nil, o),
		"one against one":                        pairs,
		"with the index 0":                       zero,
		"found the class \"a\"":                  linearModel("hinge", "l2", []string{"a", "b"}, o),
		"before scaling":                         far,
	} {
		var out bytes.Buffer
		if err := m.WriteLIBLINEAR(&out); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || out.Len() > 0 {
			t.Errorf("found %v and %d bytes, expected %q", err, out.Len(), want)
		}
	}
}
