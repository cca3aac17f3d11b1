package model

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// The files in testdata/foreign were written by hand after the description of
// the formats at the top of libsvm.go and liblinear.go.
func foreign(t testing.TB, name string) *Model {
	t.Helper()
	m, err := ReadFile("testdata/foreign/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

// TestLIBSVMScores computes the three pairs of three.svm-model from its text.
// The row is (1,0,2), and the support vectors are at the squared distances
// 0.25+0+1, 1+4+4, 4+0.0625+4 and 1+0+6.25.
func TestLIBSVMScores(t *testing.T) {
	m := foreign(t, "three.svm-model")
	var k [4]float64
	for v, squared := range []float64{1.25, 9, 8.0625, 7.25} {
		k[v] = math.Exp(-0.5 * squared)
	}
	// The first two speak for "3", the third for "1", the last for "2".
	third1 := 0.5*k[0] + 0.25*k[1] - 0.75*k[2] - 0.5 // 3 against 1
	third2 := 1*k[0] + 0*k[1] - 1*k[3] + 0.5         // 3 against 2
	one2 := 0.75*k[2] - 0.75*k[3] - 0.125            // 1 against 2
	x := matrix.Vector{Value: []float32{1, 0, 2}}
	// Classes in the opposite order: 2 1 3, pairs 2-1, 2-3, 1-3, positive for the latter.
	scores := m.Scores(nil, x)
	if strings.Join(m.Classes, " ") != "2 1 3" || !near(scores[0], one2) || !near(scores[1], third2) || !near(scores[2], third1) {
		t.Errorf("found classes %v and scores %v, expected 2 1 3 and %v", m.Classes, scores, []float64{one2, third2, third1})
	}
	// 3 loses against 1, wins against 2; 2 wins against 1: a vote each, and of
	// equals LIBSVM takes the first of its labels.
	if third1 > 0 || third2 < 0 || one2 > 0 {
		t.Fatalf("the test needs a tie, found %g, %g, %g", third1, third2, one2)
	}
	if class := m.Class(x); class != "3" {
		t.Errorf("found class %s, expected 3, the first label", class)
	}
	if m.HasProbabilities() || !m.IsImported() || m.Support.Len() != 4 {
		t.Errorf("found %+v with %d support vectors, expected an imported model with 4", m.Statement, m.Support.Len())
	}
}

// regression.svm-model is 0.5*2 x1 - 0.25*4 x2 + 1.5.
func TestLIBSVMRegression(t *testing.T) {
	m := foreign(t, "regression.svm-model")
	if y := m.Predict(matrix.Vector{Value: []float32{3, 1, 9}}); m.Classes != nil || y != 3.5 {
		t.Errorf("found %g, expected 3-1+1.5", y)
	}
}

// The kernels are those of the description of LIBSVM: (gamma u'v + coef0)^degree
// and tanh(gamma u'v + coef0), here of u = (1,2) and v = (3,0).
func TestLIBSVMKernels(t *testing.T) {
	const format = "svm_type c_svc\n%snr_class 2\ntotal_sv 1\nrho 0\nlabel 1 -1\nnr_sv 1 0\nSV\n1 1:1 2:2 \n"
	for lines, want := range map[string]float64{
		"kernel_type polynomial\ndegree 2\ngamma 0.5\ncoef0 1\n": 6.25,
		"kernel_type sigmoid\ngamma 0.25\ncoef0 -0.5\n":          math.Tanh(0.25),
		"kernel_type linear\n":                                   3,
	} {
		file := fmt.Sprintf(format, lines)
		m, err := Decode([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		if s := m.Score(matrix.Vector{Value: []float32{3}}); !near(s, want) {
			t.Errorf("%q: found the score %g, expected %g", lines, s, want)
		}
		var text bytes.Buffer
		if err := m.WriteLIBSVM(&text); err != nil || text.String() != file {
			t.Errorf("%q: written as %q, %v", lines, text.String(), err)
		}
	}
}

// TestLIBLINEAR computes scores from the text of the files.
func TestLIBLINEAR(t *testing.T) {
	x := matrix.Vector{Value: []float32{1, 2}}
	two := foreign(t, "two.linear-model") // 0.5 - 4 + 0.25 < 0: not label 1
	if s := two.Score(x); s != -3.25 || two.Class(x) != "-1" || two.Statement.Bias != "feature" {
		t.Errorf("two classes: found score %g, class %s, bias %s", s, two.Class(x), two.Statement.Bias)
	}
	three := foreign(t, "three.linear-model") // 0.5-2, -0.5+0.5, 1.5
	if s := three.Scores(nil, x); s[0] != -1.5 || s[1] != 0 || s[2] != 1.5 || three.Class(x) != "2" {
		t.Errorf("three classes: found scores %v, class %s", s, three.Class(x))
	}
	// A type with a number for each of two classes: their difference decides.
	both, err := Decode([]byte("solver_type MCSVM_CS\nnr_class 2\nlabel 7 9\nnr_feature 1\nbias -1\nw\n1 3\n"))
	if err != nil || both.Score(matrix.Vector{Value: []float32{2}}) != 4 || both.Class(matrix.Vector{Value: []float32{2}}) != "9" {
		t.Errorf("two numbers for two classes: found %+v, %v", both, err)
	}
}

// Models with nu are written as what they are, and read as that; the numbers are those
// of the model. Of one class the names are LIBSVM's own.
func TestLIBSVMTypes(t *testing.T) {
	for kind, s := range map[string]struct {
		statement Statement
		classes   []string
	}{
		"c_svc": {Statement{Loss: "hinge"}, []string{"-1", "1"}}, "nu_svc": {Statement{Loss: "hinge", Nu: 0.5}, []string{"-1", "1"}},
		"epsilon_svr": {Statement{Loss: "epsilon-insensitive"}, nil}, "nu_svr": {Statement{Loss: "epsilon-insensitive", Nu: 0.5}, nil},
		"one_class": {Statement{Loss: "hinge", Nu: 0.5, Task: OneClass}, OneClassLabels()},
	} {
		s.statement.Kernel, s.statement.Penalty, s.statement.Bias = "linear", "l2", "free"
		m := &Model{Statement: s.statement, Classes: s.classes, Data: Data{Rows: 1, Features: 1}, Outputs: []Output{{Weights: []float64{0.1}, Bias: -1.0 / 3}},
			Support: &Support{Kernel: kernel.Linear{}, Rows: &matrix.Dense{Rows: 1, Cols: 1, Value: []float32{7}}, Index: []uint32{0}}}
		var text bytes.Buffer
		if err := m.WriteLIBSVM(&text); err != nil || !strings.HasPrefix(text.String(), "svm_type "+kind+"\n") {
			t.Fatalf("%s: found %v and\n%s", kind, err, text.String())
		}
		again, err := Decode(text.Bytes())
		if err != nil {
			t.Fatal(kind, err)
		}
		o := again.Outputs[0]
		if again.Statement.Solver != "libsvm:"+kind || again.OneClass() != m.OneClass() || strings.Join(again.Classes, " ") != strings.Join(m.Classes, " ") || o.Weights[0] != 0.1 || o.Bias != -1.0/3 {
			t.Errorf("%s: read as %+v with the classes %q and %+v", kind, again.Statement, again.Classes, o)
		}
		stored, err := Decode(encode(t, again))
		var back bytes.Buffer
		if err != nil || stored.WriteLIBSVM(&back) != nil || back.String() != text.String() {
			t.Errorf("%s: %v, written again as\n%s", kind, err, back.String())
		}
	}
}

// What was read and is written in either format is read as the same.
func TestForeignRoundTrip(t *testing.T) {
	for _, name := range []string{"three.svm-model", "regression.svm-model", "two.linear-model", "three.linear-model"} {
		m := foreign(t, name)
		first := encode(t, m)
		again, err := Decode(first)
		if err != nil || !bytes.Equal(encode(t, again), first) {
			t.Errorf("%s: found another model after writing it: %v", name, err)
			continue
		}
		var text bytes.Buffer
		err = again.WriteLIBSVM(&text)
		if m.Support == nil {
			if err == nil || !strings.Contains(err.Error(), "found a linear model") {
				t.Errorf("%s: found error %v, expected a refusal", name, err)
			}
			continue
		}
		golden, _ := os.ReadFile("testdata/foreign/" + name)
		if want := string(golden); err != nil || text.String() != want {
			t.Errorf("%s: found error %v and\n%s, expected\n%s", name, err, text.String(), want)
		}
	}
}

func TestWriteLIBSVMRefuses(t *testing.T) {
	models := examples(t)
	rest := *models["sparse machine"]
	rest.Statement.Scheme = ""
	tangled := *models["sparse machine"]
	tangled.Classes = []string{"1", "2", "3"}
	scaled := *models["dense machine"]
	scaled.Scaling = models["scaled table"].Scaling
	for want, m := range map[string]*Model{
		"expected one against one":  &rest,
		"expected one without":      &scaled,
		"pulls to the classes":      &tangled,
		"found the class \"a\"":     models["sparse machine"],
		"expected a kernel machine": models["binary"],
	} {
		var out bytes.Buffer
		if err := m.WriteLIBSVM(&out); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("found error %v and %d bytes, expected %q", err, out.Len(), want)
		}
	}
}

func TestForeignRefusesLies(t *testing.T) {
	const svm = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 -1\nnr_sv 1 0\nSV\n1 1:1\n"
	const matrix = "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 -1\nnr_sv 1 0\nSV\n1 0:7\n"
	const linear = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias -1\nw\n1\n"
	const one = "svm_type one_class\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 1:1\n"
	for _, c := range []struct{ text, old, by, want string }{
		{svm, "c_svc", "x_svc", `svm_type: found "x_svc"`},
		{svm, "rbf", "rbg", `kernel_type: found "rbg"`},
		{svm, "gamma 0.5", "gamma x", `gamma: found "x", expected a finite number`},
		{svm, "gamma 0.5", "gamma 0.5 1", "gamma: found 2 numbers, expected 1"},
		{svm, "gamma 0.5", "gamma -1", "expected a number > 0"},
		{svm, "nr_class 2", "nr_class 2147483647", "expected 2147483647"},
		{svm, "nr_class 2", "nr_class -2", "expected a whole number"},
		{svm, "label 1 -1", "label 1 1", "found 1 twice"},
		{svm, "label 1 -1", "label 1 \xff", `found "\xff", expected a whole number`},
		{svm, "total_sv 1", "total_sv 2147483647", "expected no more than a file of this size"},
		{svm, "total_sv 1", "total_sv 2", "expected those of support vector 2 of 2"},
		{svm, "total_sv 1", "total_sv 0", "line 10: found more lines"},
		{svm, "rho 0", "rho NaN", "expected a finite number"},
		{svm, "1:1", "1:1 1:2", "line 10: found index 1 after 1"},
		{svm, "1:1", "4294967296:1", "expected index:value"},
		{svm, "1:1", "1:1e39", "expected index:value"},
		{svm, "\nSV\n1 1:1\n", "\n", `expected a line "SV"`},
		{one, "one_class", "two_class", `svm_type: found "two_class"`},
		{one, "total_sv 1", "total_sv 3", "expected those of support vector 2 of 3"},
		{one, "rho 0", "rho 0 0", "rho: found 2 numbers, expected 1"},
		{one, "1 1:1", "Inf 1:1", `found "Inf", expected a finite number`},
		{matrix, "0:7", "0:1e30", "support vector 1: found the number 1e+30"},
		{matrix, "0:7", "0:-1", "found the number -1"},
		{matrix, "0:7", "0:1.5", "expected 0:i with a whole number from 1"},
		{matrix, "0:7", "7:1", "found the number 0"},
		{linear, "L2R_LR", "L3R_LR", `solver_type: found "L3R_LR"`},
		{linear, "nr_feature 1", "nr_feature 2147483647", "as many as 2 bytes can hold"},
		{linear, "\n1\n", "\nInf\n", `line 7: found "Inf"`},
		{linear, "\n1\n", "\n1 2\n", "line 7: found 2 weights, expected 1"},
	} {
		if !strings.Contains(c.text, c.old) {
			t.Fatalf("no %q in the file", c.old)
		}
		m, err := Decode([]byte(strings.Replace(c.text, c.old, c.by, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || m != nil {
			t.Errorf("%q: found error %v, expected one line with %q", c.by, err, c.want)
		}
	}
}
