package fenchel_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
)

// TestSMOAgainstLIBSVM trains the same machines with both to the end, and wants
// the same objective, bias, support vectors and test accuracy. LIBSVM's objective
// at the tolerance 1e-5 is within 2e-5 of the optimum; support vectors whose
// coefficients vanish may differ.
func TestSMOAgainstLIBSVM(t *testing.T) {
	needLIBSVM(t)
	for _, c := range []struct {
		file, test string // "": the same
		c, gamma   float64
	}{
		{"adult/a1a.gz", "adult/a1a.t.gz", 1, 0.05},
		{"web/w1a.gz", "web/w8a.t.gz", 10, 0.1},
	} {
		t.Run(fmt.Sprintf("%s/C=%g", filepath.Base(c.file), c.c), func(t *testing.T) {
			set := realData(t, data.Options{}, c.file)
			test := realData(t, data.Options{Columns: set.Cols()}, c.test)
			theirs := trainLIBSVM(t, set, c.c, c.gamma)
			audit, err := fenchel.Audit(t.Context(), theirs, set, fenchel.AuditOptions{C: c.c})
			if err != nil {
				t.Fatal(err)
			}
			own, err := fenchel.Train(t.Context(), set, fenchel.Spec{Kernel: fmt.Sprintf("rbf:gamma=%g", c.gamma), C: c.c, Solver: "smo", Gap: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			if p, q := own.Summary.Primal, audit.Summary.Primal; math.Abs(p-q) > 1e-4*q || audit.Summary.Gap > 1e-4 {
				t.Errorf("objective %.9g, LIBSVM's %.9g with the gap %.2g", p, q, audit.Summary.Gap)
			}
			if b, want := biasTo(own.Model), biasTo(theirs); math.Abs(b-want) > 1e-3 {
				t.Errorf("bias %.6g, LIBSVM's %.6g", b, want)
			}
			if n, want := own.Model.Support.Len(), theirs.Support.Len(); math.Abs(float64(n-want)) > 0.01*float64(want) {
				t.Errorf("%d support vectors, LIBSVM has %d", n, want)
			}
			if a, want := accuracyOn(t, own.Model, test), accuracyOn(t, theirs, test); math.Abs(a-want) > 0.001 {
				t.Errorf("accuracy %.4f, LIBSVM's %.4f", a, want)
			}
		})
	}
}

// trainLIBSVM lets svm-train learn a Gaussian kernel machine.
func trainLIBSVM(t *testing.T, set *data.Set, c, gamma float64) *model.Model {
	t.Helper()
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	path := filepath.Join(t.TempDir(), "data.svm")
	if err := data.Write(t.Context(), path, set, "libsvm"); err != nil {
		t.Fatal(err)
	}
	m, _ := svmTrain(t, path, "-q", "-s", "0", "-t", "2", "-g", number(gamma), "-c", number(c), "-e", "1e-5")
	return m
}

// biasTo is the bias of the score for the greater of the labels -1 and 1.
func biasTo(m *model.Model) float64 {
	if first, _ := strconv.ParseFloat(m.Classes[1], 64); first < 0 {
		return -m.Outputs[0].Bias
	}
	return m.Outputs[0].Bias
}

func accuracyOn(t *testing.T, m *model.Model, test *data.Set) float64 {
	t.Helper()
	e, err := fenchel.Evaluate(t.Context(), m, test, fenchel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return *e.Accuracy
}
