package fenchel

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// rings are n points of the plane in so many classes by their distance from the
// origin, some of them wrongly: nothing linear tells them apart.
func rings(t testing.TB, n, classes int, sparse bool) *data.Set {
	t.Helper()
	set, err := data.Read(t.Context(), []string{"@linear:n=" + strconv.Itoa(n) + ",d=2"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target := data.Target{Code: make([]uint32, n), Number: make([]float64, n)}
	for c := range classes {
		target.Label = append(target.Label, strconv.Itoa(c+1))
	}
	for i := range n {
		c := min(classes-1, int(math.Sqrt(set.X.Row(i).SquaredNorm())))
		if i%17 == 0 {
			c = 0
		}
		target.Code[i], target.Number[i] = uint32(c), float64(c+1)
	}
	set.Target = target
	if sparse {
		all := make([]uint32, n)
		for i := range all {
			all[i] = uint32(i)
		}
		csr := &matrix.CSR{Cols: 2, Start: []int64{0}, Index: []uint32{}}
		for i := range all {
			csr.Append([]uint32{0, 1}, set.X.Row(i).Value)
		}
		set.X = csr
	}
	return set
}

func encoded(t testing.TB, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A machine is proved, verified, and separates what it should; its support
// vectors are stored once for all classes; what is read from its file is the same.
func TestMachine(t *testing.T) {
	for _, classes := range []int{2, 3} {
		set := rings(t, 100, classes, classes == 3)
		for _, scale := range []string{"none", "std"} {
			for _, short := range []float64{1e-3, 1e-6} {
				spec := Spec{Kernel: "rbf:gamma=1", Bias: "feature", Solver: "sdca", Scaling: scale, C: 10, Gap: short, Seed: 1}
				r, err := Train(t.Context(), set, spec)
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != solver.Converged || r.Summary.Worst > short {
					t.Errorf("%d classes, %s: %s with gap %g", classes, scale, r.Status, r.Summary.Worst)
				}
				m, err := model.Decode(encoded(t, r.Model))
				if err != nil {
					t.Fatal(err)
				}
				if v, err := Verify(t.Context(), m, set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 || v.Rebuilt || v.Found != v.Claimed {
					t.Errorf("%d classes, %s: verification %+v, %v", classes, scale, v, err)
				}
				e, err := Evaluate(t.Context(), m, set, Options{Threads: 2})
				if err != nil || *e.Accuracy < 0.85 {
					t.Errorf("%d classes, %s: accuracy %v, %v", classes, scale, e.Accuracy, err)
				}
				if s := m.Support; s.Evaluations() != int64(s.Len()*set.Rows()) || s.Len() >= set.Rows() {
					t.Errorf("%d classes: %d values of the kernel for %d rows and %d support vectors", classes, s.Evaluations(), set.Rows(), s.Len())
				}
				if r.Evaluations.Requested == 0 || r.Evaluations.Computed > r.Evaluations.Requested {
					t.Errorf("counted %+v", r.Evaluations)
				}
			}
		}
	}
}

// The model depends neither on the threads nor on the size of the cache.
func TestMachineHasTheSameBits(t *testing.T) {
	set := rings(t, 120, 3, true)
	var first []byte
	for _, spec := range []Spec{{Run: Run{Threads: 1}}, {Run: Run{Threads: 2}}, {Run: Run{Threads: 2, Cache: 16 << 10}}} {
		spec.Kernel, spec.Bias, spec.Solver, spec.C = "rbf:gamma=1", "none", "sdca", 10
		r, err := Train(t.Context(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		if file := encoded(t, r.Model); first == nil {
			first = file
		} else if !bytes.Equal(file, first) {
			t.Errorf("threads %d, cache %d: found another model", spec.Threads, spec.Cache)
		}
	}
}

// With the linear kernel a machine is a linear model.
func TestMachineOfTheLinearKernel(t *testing.T) {
	set := rings(t, 100, 2, false)
	spec := Spec{Bias: "feature", Solver: "sdca", C: 1, Gap: 1e-9}
	flat, err := Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Kernel = "linear"
	machine, err := Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := flat.Summary.Primal, machine.Summary.Primal; math.Abs(a-b) > 1e-8*a {
		t.Errorf("found the objective %.12g, expected %.12g", b, a)
	}
	for i := range 10 {
		if a, b := flat.Model.Score(set.X.Row(i)), machine.Model.Score(set.X.Row(i)); math.Abs(a-b) > 1e-4 {
			t.Errorf("row %d scores %g, expected %g", i, b, a)
		}
	}
}

// Problems with a radius or with slack are proved and verified too, with the same
// claims; that of the radius says that the norm is at most this.
func TestOtherProblems(t *testing.T) {
	set := rings(t, 60, 2, false)
	for _, spec := range []Spec{
		{Radius: 2, Bias: "none"}, {Radius: 2, Bias: "feature", Loss: "logistic"}, {Slack: 0.1, Bias: "free"}, {Slack: 0.1, Bias: "none"},
	} {
		spec.Kernel, spec.Gap = "rbf:gamma=1", 0.05
		r, err := Train(t.Context(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Decode(encoded(t, r.Model))
		if err != nil || r.Status != solver.Converged {
			t.Fatalf("%+v: %s, %v", spec, r.Status, err)
		}
		if v, err := Verify(t.Context(), m, set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 || v.Found != v.Claimed {
			t.Errorf("%+v: verification %+v, %v", spec, v, err)
		}
		m.Statement.Radius, m.Statement.Slack = m.Statement.Radius/2, m.Statement.Slack/2
		if v, err := Verify(t.Context(), m, set, Options{Threads: 1}); err != nil || len(v.Problems) == 0 {
			t.Errorf("%+v: a model with half of it is not found out: %v", spec, err)
		}
	}
}

// A kernel of the program's own does what the same one by name does, but its
// model cannot be written.
func TestCustomKernel(t *testing.T) {
	set := rings(t, 60, 2, false)
	spec := Spec{Kernel: "rbf:gamma=1", C: 3, Gap: 1e-6}
	named, err := Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	rbf := kernel.RBF{Gamma: 1}
	spec.Custom.Kernel = &kernel.Func{Value: rbf.Eval, Largest: rbf.Size, Rounding: rbf.Relative}
	if _, err := Train(t.Context(), set, spec); err == nil || !strings.Contains(err.Error(), "a name that no other has") {
		t.Errorf("with the name of another: found error %v", err)
	}
	spec.Kernel = "mine"
	own, err := Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := named.Summary.Primal, own.Summary.Primal; own.Status != solver.Converged || math.Abs(a-b) > 2e-6*a {
		t.Errorf("%s with the objective %.9g, expected %.9g", own.Status, b, a)
	}
	if v, err := Verify(t.Context(), own.Model, set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 {
		t.Errorf("verification %+v, %v", v, err)
	}
	if err := own.Model.Write(io.Discard); err == nil || !strings.Contains(err.Error(), "no program could read it again") {
		t.Errorf("written: found error %v", err)
	}
}

// A liar's machine is found out, and one without dual variables has a bound all
// the same.
func TestVerifyMachine(t *testing.T) {
	set := rings(t, 100, 2, false)
	spec := Spec{Kernel: "rbf", Bias: "none", Solver: "sdca", C: 10, Loss: "squared-hinge"}
	r, err := Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Model.Statement.Kernel; got != "rbf:gamma=0.5" {
		t.Errorf("found the kernel %s, expected gamma = 1/2 for two features", got)
	}
	for name, lie := range map[string]struct {
		tell func(*model.Model)
		want string
	}{
		"coefficient":     {func(m *model.Model) { m.Outputs[0].Weights[3] *= 1.5 }, "claims the objective"},
		"dual variable":   {func(m *model.Model) { m.Outputs[0].Dual[m.Support.Index[0]] = 0 }, "claims the lower bound"},
		"kernel":          {func(m *model.Model) { m.Statement.Kernel = "rbf:gamma=0.7" }, "claims the objective"},
		"unknown kernel":  {func(m *model.Model) { m.Statement.Kernel = "rfb" }, "did you mean"},
		"place of a row":  {func(m *model.Model) { m.Support.Index[0], m.Support.Index[1] = m.Support.Index[1], m.Support.Index[0] }, "is not row"},
		"another support": {func(m *model.Model) { m.Support.Rows.(*matrix.Dense).Value[0]++ }, "support vector 1 is not row"},
	} {
		m, err := model.Decode(encoded(t, r.Model))
		if err != nil {
			t.Fatal(err)
		}
		lie.tell(m)
		v, err := Verify(t.Context(), m, set, Options{Threads: 1})
		if err != nil || !slices.ContainsFunc(v.Problems, func(p string) bool { return strings.Contains(p, lie.want) }) {
			t.Errorf("%s: found %v, %v, expected %q", name, v.Problems, err, lie.want)
		}
	}
	spec.NoDual = true
	if r, err = Train(t.Context(), set, spec); err != nil {
		t.Fatal(err)
	}
	v, err := Verify(t.Context(), r.Model, set, Options{Threads: 1})
	if err != nil || len(v.Problems) > 0 || !v.Rebuilt || !(v.Found.Gap < 0.2) {
		t.Errorf("without dual variables: found %+v, %v", v, err)
	}
}

func TestMachineRefuses(t *testing.T) {
	set := rings(t, 20, 2, false)
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Kernel: "rfb"}, `did you mean "rbf"?`},
		{Spec{Kernel: "rbf:gamma=-1"}, "gamma=-1: expected a number > 0"},
		{Spec{Kernel: "rbf", Penalty: "l1"}, `penalty "l1" with a kernel`},
		{Spec{Kernel: "rbf", Run: Run{Partitions: 2}}, "partitions=2 with a kernel"},
		{Spec{Kernel: "rbf", Solver: "newton"}, "newton trains linear models: leave out 'kernel'"},
		{Spec{Kernel: "rbf", Run: Run{Cache: -1}}, "cache=-1"},
		{Spec{Run: Run{Cache: 1 << 20}}, "without a kernel"},
		{Spec{Kernel: "rbf", Bias: "free", Solver: "sdca"}, "a free bias forbids"},
		{Spec{Radius: 1, Penalty: "elastic-net"}, "radius=1 with the penalty elastic-net: expected l1 or l2, the norm that is bounded"},
		{Spec{Radius: 1e-200}, "radius=1e-200: expected a number from 1e-150 to 1e150"},
		{Spec{Radius: 1, Solver: "sdca"}, "solver sdca needs a strongly convex penalty"},
		{Spec{Kernel: "rbf", Map: "nystrom", Radius: 1}, "map=nystrom with radius=1"},
		{Spec{Kernel: "rbf", Radius: -1}, "radius=-1: expected a number > 0"},
		{Spec{Kernel: "rbf", Radius: 1, Bias: "free", Solver: "sgd"}, "free bias"},
		{Spec{Kernel: "rbf", Radius: 1, Slack: 1}, "expected one of them"},
		{Spec{Kernel: "rbf", Slack: 1, C: 1}, "expected one of them"},
		{Spec{Kernel: "rbf", Slack: 1, Loss: "logistic"}, "expected hinge"},
		{Spec{Kernel: "rbf", HardMargin: true, Weighting: Weighting{Balanced: true}}, "weights of rows or classes"},
		{Spec{Kernel: "rbf", Slack: 1, Weighting: Weighting{Balanced: true}, Solver: "sbp"}, "rows that count alike"},
		{Spec{Kernel: "rbf", Slack: 1, Task: "regression"}, "is for classes"},
	} {
		if _, err := Train(t.Context(), set, c.spec); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: found error %v, expected %q", c.spec, err, c.want)
		}
	}
}

// One against one, each pair is the problem of its two classes alone, with the
// same C, whatever other classes there are; and the model says so.
func TestOneAgainstOne(t *testing.T) {
	set := rings(t, 90, 3, true)
	for _, spec := range []Spec{{}, {Kernel: "rbf:gamma=1"}} {
		spec.Scheme, spec.C, spec.Gap, spec.ClassWeight = model.OneAgainstOne, 3, 1e-6, map[string]float64{"2": 2}
		r, err := Train(t.Context(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Decode(encoded(t, r.Model))
		if err != nil || r.Status != solver.Converged || len(m.Outputs) != 3 {
			t.Fatalf("%s, %d outputs, %v", r.Status, len(m.Outputs), err)
		}
		if v, err := Verify(t.Context(), m, set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 || v.Found != v.Claimed {
			t.Errorf("verification %+v, %v", v, err)
		}
		for c := range m.Outputs {
			i, j := model.Pair(c, 3)
			spec.Scheme = ""
			spec.ClassWeight = map[string]float64{m.Classes[j]: 1}
			if i == 1 {
				spec.ClassWeight[m.Classes[i]] = 2
			}
			if j == 1 {
				spec.ClassWeight[m.Classes[j]] = 2
			}
			alone, err := Train(t.Context(), someClasses(set, i, j), spec)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := alone.Summary.Primal, float64(m.Outputs[c].Certificate.Primal); math.Abs(a-b) > 3e-6*a {
				t.Errorf("classes %d and %d: found the objective %.9g, expected %.9g", i, j, b, a)
			}
			for row := range 10 {
				if a, b := alone.Model.Score(set.X.Row(row)), m.Scores(nil, set.X.Row(row))[c]; math.Abs(a-b) > 0.02 {
					t.Errorf("classes %d and %d: found the score %g, expected %g", i, j, b, a)
				}
			}
		}
		if e, err := Evaluate(t.Context(), m, set, Options{Threads: 1}); err != nil || spec.Kernel != "" && *e.Accuracy < 0.85 {
			t.Errorf("accuracy %v, %v", e.Accuracy, err)
		}
	}
	if _, err := Train(t.Context(), set, Spec{Scheme: "one-against-two"}); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("an unknown scheme: found error %v", err)
	}
}

// someClasses are the rows of two classes alone.
func someClasses(set *data.Set, i, j int) *data.Set {
	part := &data.Set{Target: data.Target{Label: []string{set.Target.Label[i], set.Target.Label[j]}}}
	var rows []uint32
	for row, c := range set.Target.Code {
		if int(c) == i || int(c) == j {
			rows = append(rows, uint32(row))
			part.Target.Number = append(part.Target.Number, set.Target.Number[row])
			part.Target.Code = append(part.Target.Code, map[bool]uint32{false: 0, true: 1}[int(c) == j])
		}
	}
	part.X = matrix.Gather(set.X, rows)
	return part
}
