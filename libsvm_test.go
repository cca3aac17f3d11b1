package fenchel_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

// needLIBSVM skips a test where svm-train is not installed.
func needLIBSVM(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("svm-train"); err != nil {
		t.Skip("found no svm-train of LIBSVM in PATH")
	}
}

// svmTrain has LIBSVM train on a file, and returns its model and the numbers that it
// prints as names = values, the last of each.
func svmTrain(t *testing.T, rows string, args ...string) (*model.Model, map[string]float64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model")
	out, err := exec.Command("svm-train", append(args, rows, path)...).CombinedOutput()
	if err != nil {
		t.Fatalf("svm-train %v: %v\n%s", args, err, out)
	}
	printed := map[string]float64{}
	for _, match := range regexp.MustCompile(`(\w+) = ([-+.e0-9]+)`).FindAllSubmatch(out, -1) {
		printed[string(match[1])], _ = strconv.ParseFloat(string(match[2]), 64)
	}
	m, err := model.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return m, printed
}

// TestSharesAsLIBSVM: the objectives are those that LIBSVM prints, in its units, and its
// model, judged as ours are, lies between our bounds and 1e-3 above. (Its files hold
// gamma in single precision.) With n rows, the
// coefficients beta and objective P here, LIBSVM has
//
//	one class       alpha = nu n beta                obj = -(nu n)^2 P
//	nu-SVC          alpha = n beta/r, r = n rho      obj = -n^2 P/r^2, printed: C = 1/r
//	nu-SVR          alpha = beta                     obj = -C n P
func TestSharesAsLIBSVM(t *testing.T) {
	needLIBSVM(t)
	const n = 300
	rows := filepath.Join(t.TempDir(), "data.svm")
	text := []byte{}
	for i := range n {
		a, b := math.Sin(float64(7*i)), math.Cos(float64(i*i))
		y := 1
		if a*b+0.3*math.Sin(float64(31*i)) < 0 {
			y = -1
		}
		text = append(text, strconv.Itoa(y)+" 1:"+strconv.FormatFloat(a, 'g', 6, 64)+" 2:"+strconv.FormatFloat(b, 'g', 6, 64)+"\n"...)
	}
	if err := os.WriteFile(rows, text, 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := data.Read(t.Context(), []string{rows}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind string
		spec fenchel.Spec
		unit func(printed map[string]float64) float64
	}{
		{"2", fenchel.Spec{Task: pose.OneClass, Nu: 0.15}, func(map[string]float64) float64 { return 1 / (0.15 * n * 0.15 * n) }},
		{"1", fenchel.Spec{Nu: 0.4}, func(p map[string]float64) float64 { return 1 / (n * p["C"] * n * p["C"]) }},
		{"4", fenchel.Spec{Task: "regression", Nu: 0.5, C: 2}, func(map[string]float64) float64 { return 1 / (2. * n) }},
	} {
		args := []string{"-s", c.kind, "-t", "2", "-g", "0.5", "-n", strconv.FormatFloat(c.spec.Nu, 'g', -1, 64), "-e", "1e-6"}
		if c.spec.C > 0 {
			args = append(args, "-c", strconv.FormatFloat(c.spec.C, 'g', -1, 64))
		}
		theirs, printed := svmTrain(t, rows, args...)
		c.spec.Kernel, c.spec.Gap = "rbf:gamma=0.5", 1e-7
		r, err := fenchel.Train(t.Context(), set, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		ours := r.Summary
		if p := -printed["obj"] * c.unit(printed); math.Abs(p-ours.Primal) > 1e-3*math.Abs(ours.Primal) {
			t.Errorf("-s %s: LIBSVM has the objective %g, found %g", c.kind, p, ours.Primal)
		}
		audit, err := fenchel.Audit(t.Context(), theirs, set, fenchel.AuditOptions{Nu: c.spec.Nu, C: c.spec.C})
		if err != nil {
			t.Fatal(err)
		}
		size := 1e-3 * math.Abs(ours.Primal)
		if s := audit.Summary; s.Primal < ours.Dual || s.Primal > ours.Primal+size || s.Dual > ours.Primal || s.Dual < ours.Dual-size {
			t.Errorf("-s %s: LIBSVM's model has %g and the bound %g, ours %g and %g", c.kind, s.Primal, s.Dual, ours.Primal, ours.Dual)
		}
	}
}
