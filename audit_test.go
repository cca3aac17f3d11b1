package fenchel

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// twoPoints are x = 1 of class 1 and x = -1 of class -1, each so many times.
func twoPoints(times int) *data.Set {
	set := &data.Set{Target: data.Target{Label: []string{"1", "-1"}}}
	x := &matrix.Dense{Cols: 1}
	for range times {
		x.Value = append(x.Value, 1, -1)
		set.Target.Code, set.Target.Number = append(set.Target.Code, 0, 1), append(set.Target.Number, 1, -1)
	}
	x.Rows = 2 * times
	set.X = x
	return set
}

func decode(t testing.TB, text string) *model.Model {
	t.Helper()
	m, err := model.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// On the two points the optimum is w = 1 with both alpha = 1/2 and no loss, so
// that with C = 1 the objective is lambda/2 |w|^2 = 1/4. A file with both alpha =
// 1 has w = 2, no loss, the objective 1, and the dual value 2 - |w|^2/2 = 0. One
// with alpha = 3 is clipped to C, which is that dual point again, while its own
// objective is that of w = 6. Refined, the bound is the optimum for all of them.
func TestAuditByHand(t *testing.T) {
	const format = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\nA 1:1 \n-A 1:-1 \n"
	for alpha, want := range map[string][2]float64{"0.5": {0.25, 0.25}, "1": {1, 0}, "3": {9, 0}} {
		m := decode(t, strings.ReplaceAll(format, "A", alpha))
		for refine, dual := range map[int]float64{0: want[1], 50: 0.25} {
			a, err := Audit(t.Context(), m, twoPoints(1), AuditOptions{C: 1, Refine: refine})
			if err != nil {
				t.Fatal(err)
			}
			if s := a.Summary; math.Abs(s.Primal-want[0]) > 1e-12 || s.Dual > dual || s.Dual < dual-1e-6 {
				t.Errorf("alpha %s, refine %d: found %g and %g, expected %g and %g", alpha, refine, s.Primal, s.Dual, want[0], dual)
			}
		}
	}
}

// A row that is there several times may be several support vectors.
func TestAuditMatchesDuplicates(t *testing.T) {
	m := decode(t, "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 4\nrho 0\nlabel 1 -1\nnr_sv 2 2\nSV\n0.25 1:1 \n0.25 1:1 \n-0.25 1:-1 \n-0.25 1:-1 \n")
	set := twoPoints(2)
	// The first of them has the other label: it is not the one to be matched.
	set.X.(*matrix.Dense).Value = append([]float32{1}, set.X.(*matrix.Dense).Value...)
	set.X.(*matrix.Dense).Rows++
	set.Target.Code, set.Target.Number = append([]uint32{1}, set.Target.Code...), append([]float64{-1}, set.Target.Number...)
	place := pose.MatchSupport(m, set.X, []uint32{0, 1, 0, 1, 0}) // classes of the model: -1, 1
	if !slices.Equal(place, []int{1, 3, 2, 4}) {
		t.Errorf("found the places %v, expected 1 3 2 4", place)
	}
}

// What Train proves of a machine, an audit of its LIBSVM file proves again; and
// however wrong the coefficients are, the bound stays below the optimum.
func TestAuditOfOwnMachines(t *testing.T) {
	set := rings(t, 80, 2, false)
	r, err := Train(t.Context(), set, Spec{Kernel: "rbf:gamma=1", C: 2, Gap: 1e-7})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := r.Model.WriteLIBSVM(&file); err != nil {
		t.Fatal(err)
	}
	optimum := r.Summary.Primal
	for factor, most := range map[float64]float64{1: 2e-6, 0.9: 0.2, 0: 1.1, -1: math.Inf(1), 3: math.Inf(1)} {
		m := decode(t, file.String())
		for v := range m.Outputs[0].Weights {
			m.Outputs[0].Weights[v] *= factor
		}
		for _, refine := range []int{0, 100} {
			a, err := Audit(t.Context(), m, set, AuditOptions{C: 2, Refine: refine})
			if err != nil {
				t.Fatal(err)
			}
			s := a.Summary
			if s.Gap > most || s.Dual > optimum || s.Primal < optimum*(1-1e-6) || refine > 0 && s.Dual < optimum*(1-1e-5) {
				t.Errorf("coefficients times %g, refine %d: found %+v of the optimum %.10g", factor, refine, s, optimum)
			}
		}
	}
	// A thousandth is more than the digits of a file explain.
	moved := decode(t, file.String())
	moved.Support.Rows.(*matrix.CSR).Value[0] *= 1.001
	_, err = Audit(t.Context(), moved, set, AuditOptions{C: 2})
	if data := (pose.DataError{}); !errors.As(err, &data) || !strings.Contains(err.Error(), "is not among the rows") {
		t.Errorf("another support vector: found error %v", err)
	}
}

// A model of each pair of classes is judged on their rows.
func TestAuditOfPairs(t *testing.T) {
	m := decode(t, "svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 4\nrho 0 0 0\nlabel 1 2 3\nnr_sv 1 2 1\nSV\n0.5 0.25 1:1 \n-0.5 0 1:-1 \n0 0.5 1:-1 \n-0.25 -0.5 1:-1 \n")
	set := &data.Set{X: &matrix.Dense{Rows: 4, Cols: 1, Value: []float32{1, -1, -1, -1}},
		Target: data.Target{Label: []string{"1", "2", "3"}, Code: []uint32{0, 1, 1, 2}, Number: []float64{1, 2, 2, 3}}}
	a, err := Audit(t.Context(), m, set, AuditOptions{C: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Rows; len(got) != 3 || got[0] != 3 || got[1] != 2 || got[2] != 3 {
		t.Errorf("found %v rows, expected 3 for the classes 3 and 2, 2 for 3 and 1, 3 for 2 and 1", got)
	}
	// 1 against 3: w = 1/4 + 1/4, margins 1/2: lambda/2 |w|^2 = 1/16, losses 1/2.
	if p := a.Outputs[1].Primal; math.Abs(p-0.5625) > 1e-12 {
		t.Errorf("classes 1 and 3: found the objective %g, expected 1/16 + 1/2", p)
	}
	// 1 against 2: w = 1, margins 1: lambda/2 |w|^2 = 1/6, and it is the best.
	if o := a.Outputs[2]; math.Abs(o.Primal-1./6) > 1e-12 || o.Gap() > 1e-9 {
		t.Errorf("classes 1 and 2: found %+v, expected 1/6 and no gap", o)
	}
}

// With L2R_L2LOSS_SVC and C = 1 on the two points the optimum of
// w^2/2 + 2 (1-w)^2 is w = 4/5, its value 8/25 + 2/25 = 2/5, and lambda = 1/2.
func TestAuditOfLinearModels(t *testing.T) {
	m := decode(t, "solver_type L2R_L2LOSS_SVC\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias -1\nw\n0.8\n")
	a, err := Audit(t.Context(), m, twoPoints(1), AuditOptions{C: 1})
	if err != nil || math.Abs(a.Summary.Primal-0.2) > 1e-12 || a.Summary.Gap > 1e-9 {
		t.Errorf("found %+v, %v, expected the optimum 1/2 of 2/5", a, err)
	}
}

func TestAuditRefuses(t *testing.T) {
	const one = "svm_type one_class\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 1:1 \n"
	const linear = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias 1\nw\n1\n1\n"
	set := twoPoints(1)
	own, err := Train(t.Context(), set, Spec{})
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		m   *model.Model
		opt AuditOptions
	}{
		"states its own problem": {own.Model, AuditOptions{C: 1}},
		"found C=0, expected":    {decode(t, linear), AuditOptions{}},
		"refine=-1":              {decode(t, linear), AuditOptions{C: 1, Refine: -1}},
		"found nu=0, expected":   {decode(t, one), AuditOptions{}},
		"type libsvm:one_class":  {decode(t, one), AuditOptions{C: 1, Nu: 0.5}},
		"type liblinear:L2R_LR":  {decode(t, linear), AuditOptions{C: 1, Nu: 0.5}},
		"expected hinge":         {decode(t, one), AuditOptions{Nu: 0.5, Loss: "logistic"}},
		"did you mean":           {decode(t, linear), AuditOptions{C: 1, Loss: "hing"}},
	} {
		if _, err := Audit(t.Context(), c.m, set, c.opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found error %v, expected %q", err, want)
		}
	}
}

// A svcProblem is that of L2R_L2LOSS_SVC, |w|^2/2 + sum_i C_i max(0, 1 - y_i <w,x_i>)^2,
// with a constant as the last feature. Nothing of this package evaluates it.
type svcProblem struct {
	x [][]float64
	y []float64
	c []float64
}

func (p svcProblem) value(w []float64) (value float64, gradient []float64) {
	gradient = slices.Clone(w)
	for _, v := range w {
		value += v * v / 2
	}
	for i, x := range p.x {
		score := 0.0
		for j, v := range x {
			score += v * w[j]
		}
		if short := 1 - p.y[i]*score; short > 0 {
			value += p.c[i] * short * short
			for j, v := range x {
				gradient[j] -= 2 * p.c[i] * short * p.y[i] * v
			}
		}
	}
	return value, gradient
}

// least returns the optimal value, by many steps down the gradient.
func (p svcProblem) least() float64 {
	curvature := 1.0
	for i, x := range p.x {
		for _, v := range x {
			curvature += 2 * p.c[i] * v * v
		}
	}
	w := make([]float64, len(p.x[0]))
	for range 200000 {
		_, g := p.value(w)
		for j := range w {
			w[j] -= g[j] / curvature
		}
	}
	value, _ := p.value(w)
	return value
}

// The bound of a linear model's audit is of the problem with all features of the rows,
// weights of rows and of classes: never above the optimum of that, and with a solver's
// help as good as equal to it. The objective is what the model's own weights give.
func TestAuditIsOfTheWholeProblem(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for trial := range 40 {
		n, d, known := 6+random.IntN(8), 1+random.IntN(4), 1+random.IntN(5)
		c, factor := math.Exp(2*random.NormFloat64()), []float64{1, 1 + 4*random.Float64()}[trial%2]
		set := &data.Set{Target: data.Target{Label: []string{"1", "-1"}}}
		x, weighted := &matrix.Dense{Rows: n, Cols: d}, trial%3 > 0
		p := svcProblem{}
		for i := range n {
			y, s := float64(1-2*(i%2)), 1.0
			if weighted {
				s = 0.2 + 3*random.Float64()
				set.Weight = append(set.Weight, s)
			}
			row := make([]float64, max(d, known)+1) // the last is the constant
			for j := range d {
				x.Value = append(x.Value, float32(random.NormFloat64()+y/2))
				row[j] = float64(x.Value[len(x.Value)-1])
			}
			row[len(row)-1] = 1
			if i%2 == 0 {
				p.c = append(p.c, c*s*factor)
			} else {
				p.c = append(p.c, c*s)
			}
			p.x, p.y = append(p.x, row), append(p.y, y)
			set.Target.Code, set.Target.Number = append(set.Target.Code, uint32(i%2)), append(set.Target.Number, y)
		}
		set.X = x
		w, file := make([]float64, len(p.x[0])), fmt.Sprintf("solver_type L2R_L2LOSS_SVC\nnr_class 2\nlabel 1 -1\nnr_feature %d\nbias 1\nw\n", known)
		for j := range known {
			w[j] = random.NormFloat64()
			file += fmt.Sprintln(w[j])
		}
		w[len(w)-1] = random.NormFloat64()
		file += fmt.Sprintln(w[len(w)-1])
		opt := AuditOptions{C: c}
		if factor != 1 {
			opt.ClassWeight = map[string]float64{"1": factor}
		}
		objective, _ := p.value(w)
		optimum, total := p.least(), pose.Sum(p.c)
		for _, refine := range []int{0, 2000} {
			opt.Refine = refine
			a, err := Audit(t.Context(), decode(t, file), set, opt)
			if err != nil {
				t.Fatal(err)
			}
			// The package's objective is the mean: divided by C N.
			primal, dual := a.Summary.Primal*total, a.Summary.Dual*total
			if math.Abs(primal-objective) > 1e-6*objective {
				t.Errorf("trial %d: found the objective %.10g, expected %.10g", trial, primal, objective)
			}
			if dual > optimum*(1+1e-9) || refine > 0 && dual < optimum*(1-1e-4) {
				t.Errorf("trial %d, refine %d: %d features, the model knows %d: found the bound %.10g on the optimum %.10g", trial, refine, d, known, dual, optimum)
			}
		}
	}
}

// LIBLINEAR tells each class from the rest, and multiplies C for the rows of that class.
func TestAuditWeighsOneClassAgainstTheRest(t *testing.T) {
	m := decode(t, "solver_type L2R_L2LOSS_SVC\nnr_class 3\nlabel 1 2 3\nnr_feature 1\nbias -1\nw\n0.5 0 -0.5\n")
	set := &data.Set{X: &matrix.Dense{Rows: 3, Cols: 1, Value: []float32{1, 0.5, -1}},
		Target: data.Target{Label: []string{"1", "2", "3"}, Code: []uint32{0, 1, 2}, Number: []float64{1, 2, 3}}}
	a, err := Audit(t.Context(), m, set, AuditOptions{C: 1, ClassWeight: map[string]float64{"1": 4, "3": 2}})
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range []struct{ weights, w, y []float64 }{
		{[]float64{4, 1, 1}, []float64{0.5}, []float64{1, -1, -1}},
		{[]float64{1, 1, 1}, []float64{0}, []float64{-1, 1, -1}},
		{[]float64{1, 1, 2}, []float64{-0.5}, []float64{-1, -1, 1}},
	} {
		value, _ := svcProblem{[][]float64{{1}, {0.5}, {-1}}, want.y, want.weights}.value(want.w)
		if found := a.Outputs[c].Primal * pose.Sum(want.weights); math.Abs(found-value) > 1e-12 {
			t.Errorf("class %d: found the objective %.12g, expected %.12g", c+1, found, value)
		}
	}
}

// A row of weight 3 is the row three times, for every type of machine.
func TestAuditOfMachinesWithWeights(t *testing.T) {
	set := rings(t, 40, 2, false)
	times := make([]float64, set.Rows())
	often := &data.Set{Target: data.Target{Label: set.Target.Label}}
	x, rows := &matrix.Dense{Cols: 2}, set.X.(*matrix.Dense)
	for i := range times {
		times[i] = float64(1 + i%3)
		for range 1 + i%3 {
			x.Value = append(x.Value, rows.Row(i).Value...)
			often.Target.Code = append(often.Target.Code, set.Target.Code[i])
			often.Target.Number = append(often.Target.Number, set.Target.Number[i])
			x.Rows++
		}
	}
	often.X = x
	weighted := *set
	weighted.Weight = times
	for kind, opt := range map[string]AuditOptions{"c_svc": {C: 0.7}, "nu_svc": {Nu: 0.3}, "one_class": {Nu: 0.2}, "epsilon_svr": {C: 0.7}, "nu_svr": {C: 0.7, Nu: 0.3}} {
		file := "svm_type " + kind + "\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 2\nrho 0\n"
		if kind == "c_svc" || kind == "nu_svc" {
			file += "label 2 1\nnr_sv 1 1\n"
		}
		file += "SV\n"
		for i, sign := range []string{"", "-"} {
			if kind == "one_class" {
				sign = ""
			}
			at := slices.Index(set.Target.Number, float64(2-i))
			file += fmt.Sprintf("%s0.1 1:%g 2:%g\n", sign, rows.Row(at).Value[0], rows.Row(at).Value[1])
		}
		opt.Refine = 3000
		a, err := Audit(t.Context(), decode(t, file), &weighted, opt)
		if err != nil {
			t.Fatal(kind, err)
		}
		b, err := Audit(t.Context(), decode(t, file), often, opt)
		if err != nil {
			t.Fatal(kind, err)
		}
		if f, g := a.Summary, b.Summary; math.Abs(f.Primal-g.Primal) > 1e-9*math.Abs(g.Primal) || math.Abs(f.Dual-g.Dual) > 1e-4*math.Abs(g.Dual) {
			t.Errorf("%s: found %+v with weights, %+v with rows so many times", kind, f, g)
		}
	}
}

// Rows of categories are none that a file without names of features can be about.
func TestAuditRefusesCategories(t *testing.T) {
	set := twoPoints(1)
	set.Schema = &data.Schema{Target: -1, Weight: -1, Columns: []data.Column{{Name: "a", Category: []string{"x"}}}}
	_, err := Audit(t.Context(), decode(t, "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias -1\nw\n1\n"), set, AuditOptions{C: 1})
	if data := (pose.DataError{}); !errors.As(err, &data) {
		t.Errorf("found error %v, expected one about the data", err)
	}
}
