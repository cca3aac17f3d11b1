package model

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/matrix"
)

// probabilities.svm-model was written by svm-train -b 1 -c 1 -g 0.5 (LIBSVM 3.24), of forty
// rows in the plane, and these are what svm-predict -b 1 printed, with the labels in the
// order 1 4 2 0. In the last two rows the votes are for 1.
const predicted = `
0.5 -0.25    1 0.642206 0.28008 0.0329914 0.0447225
0.625 -0.125 4 0.424908 0.475766 0.0396707 0.0596546
-0.25 0.875  2 0.0822651 0.0258747 0.832662 0.059198
0.875 1.125  0 0.030148 0.0731529 0.155625 0.741074
-0.5 0.375   2 0.423451 0.0397244 0.476097 0.0607283
0.25 0.5     2 0.352234 0.119121 0.382623 0.146021
`

func TestProbabilitiesOfLIBSVM(t *testing.T) {
	m := foreign(t, "probabilities.svm-model")
	again, err := Decode(encode(t, m))
	if err != nil {
		t.Fatal(err)
	}
	differ := 0
	for _, m := range []*Model{m, again} {
		for line := range strings.Lines(strings.TrimSpace(predicted)) {
			words := strings.Fields(line)
			number := func(at int) float64 { x, _ := strconv.ParseFloat(words[at], 64); return x }
			scores := m.Scores(nil, matrix.Vector{Value: []float32{float32(number(0)), float32(number(1))}})
			p := m.Probabilities(nil, scores)
			for c, at := range []int{6, 5, 4, 3} { // the classes of a model are in the opposite order
				if !(math.Abs(p[c]-number(at)) < 1e-6) {
					t.Errorf("%s: found the probabilities %v", line, p)
				}
			}
			likeliest := m.Likeliest(scores, p)
			if m.Classes[likeliest] != words[2] {
				t.Errorf("%s: found the class %s", line, m.Classes[likeliest])
			}
			if likeliest != m.Decide(scores) {
				differ++
			}
		}
	}
	if differ != 4 {
		t.Errorf("found %d rows whose likeliest class loses the vote, expected two of either model", differ)
	}
}

// What -b 1 adds is read, kept and written, of every type.
func TestCalibrationIsKept(t *testing.T) {
	const svm = "svm_type T\nkernel_type linear\nnr_class N\ntotal_sv 1\nrho 0.5\nLSV\n1 1:1 \n"
	for name, c := range map[string]struct {
		kind, lines string
		at          float64 // the score
		want        float64 // probability of the second class
	}{
		"two classes": {"c_svc", "label 7 -1\nprobA -2\nprobB 0.25\nnr_sv 1 0\n", 0.5, 1 / (1 + math.Exp(-0.75))},
		"far":         {"nu_svc", "label 7 -1\nprobA -2000\nprobB 0\nnr_sv 1 0\n", 0.5, 1 - 1e-7},
		"marks":       {"one_class", "prob_density_marks 0 0.125 0.25 0.375 0.625 0.75 0.875 1 1.125 1.25\n", 0.5, 0.4},
		"low":         {"one_class", "prob_density_marks 1 2 3 4 5 6 7 8 9 10\n", 0.5, 0.001},
		"high":        {"one_class", "prob_density_marks -9 -8 -7 -6 -5 -4 -3 -2 -1 0\n", 0.5, 0.999},
		"numbers":     {"epsilon_svr", "probA 0.125\n", 0.5, math.NaN()},
		"nu":          {"nu_svr", "probA 0.125\n", 0.5, math.NaN()},
	} {
		text := strings.NewReplacer("T\n", c.kind+"\n", "N\n", "2\n", "LSV", c.lines+"SV").Replace(svm)
		m, err := Decode([]byte(text))
		if err != nil {
			t.Fatal(name, err)
		}
		if m, err = Decode(encode(t, m)); err != nil || m.Calibration == nil {
			t.Fatalf("%s: found no calibration, %v", name, err)
		}
		var back bytes.Buffer
		if err := m.WriteLIBSVM(&back); err != nil || back.String() != text {
			t.Errorf("%s: found %v and\n%s, expected\n%s", name, err, back.String(), text)
		}
		scores := m.Scores(nil, matrix.Vector{Value: []float32{1}})
		if scores[0] != c.at {
			t.Errorf("%s: found the score %g", name, scores[0])
		}
		if m.HasProbabilities() != (m.Classes != nil) {
			t.Errorf("%s: has probabilities: %v", name, m.HasProbabilities())
		}
		if m.Classes == nil {
			if m.Calibration.Laplace != 0.125 {
				t.Errorf("%s: found %+v", name, m.Calibration)
			}
			continue
		}
		if p := m.Probabilities(nil, scores); !near(p[1], c.want) || !near(p[0], 1-c.want) {
			t.Errorf("%s: found the probabilities %v, expected %g of the second", name, p, c.want)
		}
	}
}

func TestCalibrationRefused(t *testing.T) {
	const svm = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 -1\n%snr_sv 1 0\nSV\n1 1:1\n"
	const svr = "svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\n%sSV\n1 1:1\n"
	const one = "svm_type one_class\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\n%sSV\n1 1:1\n"
	for _, c := range []struct{ text, lines, want string }{
		{svm, "probA 1\n", "probB: found 0 numbers, expected 1"},
		{svm, "probA 1 2\nprobB 1 2\n", "probA: found 2 numbers, expected 1"},
		{svm, "probA 1\nprobB NaN\n", "expected a finite number"},
		{svm, "probC 1\n", `line 7: found "probC", expected one of svm_type`},
		{svr, "probA -1\n", "the scale -1 of errors"},
		{one, "prob_density_marks 1 2\n", "found 2 numbers, expected 10"},
		{one, "prob_density_marks 1 2 3 4 5 6 7 8 9 8\n", "expected 10 increasing scores"},
	} {
		if _, err := Decode(fmt.Appendf(nil, c.text, c.lines)); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: found %v, expected %q", c.lines, err, c.want)
		}
	}
	forged := *examples(t)["binary"]
	forged.Calibration = &Calibration{}
	if _, err := Decode(encode(t, &forged)); err == nil || !strings.Contains(err.Error(), "found probabilities for 0 classifiers, expected 1") {
		t.Errorf("a calibration without numbers: found %v, expected a refusal", err)
	}
}

// A file of rows that all have one label says that label, as svm-predict does.
func TestSingleClass(t *testing.T) {
	for name, text := range map[string]string{
		"svm":           "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 1\ntotal_sv 0\nrho\nlabel 5\nnr_sv 0\nSV\n",
		"probabilities": "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 1\ntotal_sv 0\nrho\nlabel 5\nprobA\nprobB\nnr_sv 0\nSV\n",
		"linear":        "solver_type L2R_LR\nnr_class 1\nlabel 5\nnr_feature 1\nbias -1\nw\n0.5\n",
	} {
		m, err := Decode([]byte(text))
		if err != nil {
			t.Fatal(name, err)
		}
		if m, err = Decode(encode(t, m)); err != nil {
			t.Fatal(name, err)
		}
		for _, x := range []float32{-9, 9} {
			if c := m.Class(matrix.Vector{Value: []float32{x}}); c != "5" {
				t.Errorf("%s: found the class %s", name, c)
			}
		}
		if p := m.HasProbabilities(); p != (name != "svm") {
			t.Errorf("%s: has probabilities: %v", name, p)
		} else if p && m.Probabilities(nil, []float64{0.5})[0] != 1 {
			t.Errorf("%s: found no certainty", name)
		}
		var back bytes.Buffer
		if m.Support == nil {
			continue
		}
		if err := m.WriteLIBSVM(&back); err != nil || back.String() != text {
			t.Errorf("%s: found %v and\n%s, expected\n%s", name, err, back.String(), text)
		}
	}
	_, err := Decode([]byte("svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 1\ntotal_sv 2147483647\nrho\nlabel 5\nnr_sv 0\nSV\n"))
	if err == nil || !strings.Contains(err.Error(), "expected no more than a file of this size") {
		t.Errorf("support vectors of a single class: found %v", err)
	}
}

// Labels are written as the whole numbers that they are.
func TestWholeLabels(t *testing.T) {
	m := *examples(t)["dense machine"]
	for _, c := range []struct{ first, second, want string }{
		{"-1.0", "+1", "label +1 -1\n"}, {"0", "1e1", "label 10 0\n"},
		{"1.5", "2", `found the class "1.5", expected whole numbers`},
		{"1", "1.0", `found the classes "1" and "1.0", expected numbers that differ`},
		{"1", "4294967296", `found the class "4294967296"`}, {"a", "1", `found the class "a"`}, {"NaN", "1", `found the class "NaN"`},
	} {
		m.Classes = []string{c.first, c.second}
		var out bytes.Buffer
		if err := m.WriteLIBSVM(&out); !strings.Contains(out.String()+fmt.Sprint(err), c.want) {
			t.Errorf("%s, %s: found %v and\n%s, expected %q", c.first, c.second, err, out.String(), c.want)
		}
	}
}

// The types of LIBSVM are problems: a machine of another loss is none of them.
func TestWriteLIBSVMOtherLosses(t *testing.T) {
	for _, c := range []struct{ loss, penalty, want string }{
		{"hinge", "l2", "svm_type c_svc"},
		{"logistic", "l2", "found the loss logistic and the penalty l2, expected hinge and l2: the format has the type c_svc alone"},
		{"squared-hinge", "l2", "expected hinge"}, {"hinge", "l1", "the penalty l1"},
	} {
		m := *examples(t)["dense machine"]
		m.Classes = []string{"0", "1"}
		m.Statement.Loss, m.Statement.Penalty = c.loss, c.penalty
		var out bytes.Buffer
		if err := m.WriteLIBSVM(&out); !strings.Contains(out.String()+fmt.Sprint(err), c.want) {
			t.Errorf("%s: found %v and\n%s, expected %q", c.loss, err, out.String(), c.want)
		}
	}
	m := *examples(t)["dense machine"]
	m.Classes, m.Statement.Loss = nil, "squared"
	var out bytes.Buffer
	if err := m.WriteLIBSVM(&out); err == nil || !strings.Contains(err.Error(), "expected epsilon-insensitive") {
		t.Errorf("regression of squared loss: found %v", err)
	}
}

// TestDamagedCalibrators: what is no calibration of the model's classes is refused when it is read.
func TestDamagedCalibrators(t *testing.T) {
	two := func(c Calibration) *Model {
		return &Model{Statement: Statement{Loss: "hinge", Penalty: "l2", Bias: "free", Lambda: 1, Gap: 1e-3, Solver: "sdca"}, Classes: []string{"a", "b"}, Outputs: make([]Output, 1), Calibration: &c}
	}
	good := calibration.Isotonic{Score: []float64{-1, 0, 2}, Share: []float64{0.1, 0.1, 1}}
	for name, c := range map[string]Calibration{
		"several":              {Isotonic: []calibration.Isotonic{good}, Temperature: 1},
		"beside a sigmoid":     {Isotonic: []calibration.Isotonic{good}, Platt: [][2]float64{{-1, 0}}},
		"two functions":        {Isotonic: []calibration.Isotonic{good, good}},
		"no points":            {Isotonic: []calibration.Isotonic{{}}},
		"fewer probabilities":  {Isotonic: []calibration.Isotonic{{Score: []float64{1, 2}, Share: []float64{0.5}}}},
		"equal scores":         {Isotonic: []calibration.Isotonic{{Score: []float64{1, 1}, Share: []float64{0.5, 0.6}}}},
		"falling":              {Isotonic: []calibration.Isotonic{{Score: []float64{1, 2}, Share: []float64{0.6, 0.5}}}},
		"above 1":              {Isotonic: []calibration.Isotonic{{Score: []float64{1, 2}, Share: []float64{0.6, 1.5}}}},
		"infinite":             {Isotonic: []calibration.Isotonic{{Score: []float64{1, math.MaxFloat64}, Share: []float64{0.6, 0.7}}}},
		"negative temperature": {Temperature: -1},
		"log loss":             {Temperature: 1, LogLoss: map[string]float64{"temperature": -1}},
		"another way":          {Temperature: 1, LogLoss: map[string]float64{"magic": 1}},
	} {
		if err := two(c).checkCalibration(); err == nil {
			t.Errorf("%s: found no error", name)
		}
	}
	for _, c := range []Calibration{{Isotonic: []calibration.Isotonic{good}}, {Temperature: 2, LogLoss: map[string]float64{"sigmoid": 0.5}}} {
		if err := two(c).checkCalibration(); err != nil {
			t.Errorf("found %v", err)
		}
		if two(c).fitsOthers() == nil {
			t.Error("fits another program's format: found no error")
		}
	}
}
