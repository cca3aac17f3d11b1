package pca

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// eighths returns n rows of d numbers that single precision has exactly, and shift added.
func eighths(s, n, d int, shift float32) *data.Set {
	x := &matrix.Dense{Rows: n, Cols: d}
	for i := range n {
		for j := range d {
			x.Value = append(x.Value, float32((i*i*(j+2)+7*j*i+3*s*i+j*j*s)%(23+2*s)-11)/8+shift)
		}
	}
	return &data.Set{X: x}
}

func fitKernel(t testing.TB, set *data.Set, spec Spec) *model.PCA {
	t.Helper()
	r, err := Fit(context.Background(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Converged {
		t.Fatalf("%s: %s, gap %g", spec.Kernel, r.Status, r.Model.Proof.Relative())
	}
	return r.Model
}

// coordinates are those of the rows of a set.
func coordinates(t testing.TB, m *model.PCA, set *data.Set) [][]float64 {
	t.Helper()
	x, err := m.Prepare(set.X)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := x.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, m.Statement.K)
		m.Transform(out[i], x.Row(i))
	}
	return out
}

// Eigenvalues and coordinates of a new row are those of scikit-learn 1.9.1 (KernelPCA; laplacian and
// cosine by their matrices): five kernels on three sets.
func TestKernelComponentsAreThoseOfScikitLearn(t *testing.T) {
	for _, c := range []struct {
		set, n, d     int
		kernel        string
		values, along []float64
	}{
		{0, 9, 4, "linear", []float64{10.248615124744594, 8.263795826313796, 4.670427649189836}, []float64{1.554181752053185, 0.13617473690671536, 3.631148402695023}},
		{0, 9, 4, "poly:gamma=0.25,degree=2,coef0=1", []float64{6.994151712495977, 4.543616547284935, 3.890786626073343}, []float64{0.18203020247691115, 0.3422834608488863, 0.05447564935996871}},
		{0, 9, 4, "rbf:gamma=0.25", []float64{1.7251009864985714, 1.3709323869183374, 0.9391350005802748}, []float64{0.15088115265028512, 0.12230816118892152, 0.00213562614993414}},
		{0, 9, 4, "normalised(linear)", []float64{3.129111256705059, 2.9530824894715626, 0.8222937163528143}, []float64{0.2710288139639005, 0.1628978090936874, 1.2949145064464749}},
		{0, 9, 4, "laplacian:gamma=0.25", []float64{1.204687329730269, 1.0866628419843067, 0.7028975498238663}, []float64{0.11273051172024984, 0.16175250578326011, 0.09303282159568335}},
		{1, 12, 3, "linear", []float64{14.984852700770857, 10.112013127602436, 9.485165421626705}, []float64{0.08477164314593001, 4.045621373953118, 0.10417587516010371}},
		{1, 12, 3, "poly:gamma=0.25,degree=2,coef0=1", []float64{8.391984544793711, 5.72792632816503, 5.193729248576857}, []float64{0.2403409825785392, 2.0651324202677497, 1.7766576154442189}},
		{1, 12, 3, "rbf:gamma=0.25", []float64{1.8734594801954474, 1.6258566861468284, 1.3850906089625774}, []float64{0.1452936197784407, 0.06262715646754864, 0.2514881101429465}},
		{1, 12, 3, "normalised(linear)", []float64{4.816082243161758, 3.627026820289161, 3.3262277446023516}, []float64{0.17563294518307077, 0.865360374975914, 0.6359420181230662}},
		{1, 12, 3, "laplacian:gamma=0.25", []float64{1.3267655182476357, 1.2490319389954936, 1.0904939524467212}, []float64{0.09189210708076379, 0.008022243714403748, 0.31139873604232815}},
		{2, 15, 6, "linear", []float64{39.80064567464914, 20.56485229171697, 10.316118082931258}, []float64{1.2403520442160696, 2.317983536985991, 2.4343621338842145}},
		{2, 15, 6, "poly:gamma=0.25,degree=2,coef0=1", []float64{23.52685341137799, 14.843193116268264, 11.417183825594323}, []float64{1.1440128530952665, 2.572925033410343, 1.9795709401388197}},
		{2, 15, 6, "rbf:gamma=0.25", []float64{1.9228152232034261, 1.3818472986171397, 1.3427818226270543}, []float64{0.040387136150636896, 0.0026031548622123864, 0.035465630623158106}},
		{2, 15, 6, "normalised(linear)", []float64{5.313022071388757, 2.7302677995685976, 1.4755895250111015}, []float64{0.30472454095468376, 0.4273077988927821, 0.3064062184714161}},
		{2, 15, 6, "laplacian:gamma=0.25", []float64{1.6835489385549418, 1.225991494672242, 1.0125326719312044}, []float64{0.0651429127988707, 0.08510252470745207, 0.040429225972503646}},
	} {
		set := eighths(c.set, c.n, c.d, 0)
		m := fitKernel(t, set, Spec{K: 3, Kernel: c.kernel, Gap: 1e-10})
		found := coordinates(t, m, eighths(c.set+5, 2, c.d, 0.25))[1]
		for i := range 3 {
			if value := m.Eigenvalue[i] * float64(c.n); math.Abs(value-c.values[i]) > 1e-12*c.values[0] {
				t.Errorf("set %d, %s: eigenvalue %d is %.17g, expected %.17g", c.set, c.kernel, i, value, c.values[i])
			}
			if math.Abs(math.Abs(found[i])-c.along[i]) > 1e-10 {
				t.Errorf("set %d, %s: coordinate %d is %.17g, expected %.17g but for its sign", c.set, c.kernel, i, found[i], c.along[i])
			}
		}
		if v, err := Verify(context.Background(), m, set, 1); err != nil || len(v.Problems) > 0 {
			t.Errorf("set %d, %s: %v, %v", c.set, c.kernel, v.Problems, err)
		}
	}
}

// Rows are made again as by scikit-learn's inverse_transform, in single precision of coordinates; the squared distance
// of an image from what components keep of it is what is left of it, summed over the rows that they were found in.
func TestKernelPreimagesAndResiduals(t *testing.T) {
	set := eighths(1, 12, 3, 0)
	m := fitKernel(t, set, Spec{K: 3, Kernel: "rbf:gamma=0.25"})
	p, err := m.NewPreimage(0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 3)
	p.Inverse(row, coordinates(t, m, eighths(6, 2, 3, 0.25))[1])
	for j, expected := range []float64{-0.34025603460599235, 0.38176139169311785, 0.16629851972052562} {
		if math.Abs(row[j]-expected) > 1e-6 {
			t.Errorf("feature %d is %g, expected %g", j, row[j], expected)
		}
	}
	for _, center := range []string{"yes", "no"} {
		m := fitKernel(t, set, Spec{K: 3, Kernel: "rbf:gamma=0.25", Center: center})
		left := 0.0
		for i := range 12 {
			left += m.Residual(nil, make([]float64, 3), set.X.Row(i)) / 12
		}
		if expected := float64(m.Proof.Total) - m.Eigenvalue[0] - m.Eigenvalue[1] - m.Eigenvalue[2]; math.Abs(left-expected) > 1e-12 {
			t.Errorf("center %s: %g is left of a row, expected %g", center, left, expected)
		}
	}
	for name, alpha := range map[string]float64{"0": 0, "NaN": math.NaN()} {
		if _, err := m.NewPreimage(alpha, 1); err == nil {
			t.Errorf("alpha %s: taken", name)
		}
	}
}

// All directions in which images vary are found, and scaled rows are those that have been scaled before.
func TestKernelComponentsOfSharesAndScales(t *testing.T) {
	set := eighths(1, 12, 3, 0)
	if m := fitKernel(t, set, Spec{Share: 1, Kernel: "rbf:gamma=0.25"}); m.Statement.K != 11 {
		t.Errorf("found %d directions, expected 11 of 12 rows that are centred", m.Statement.K)
	}
	m, half := fitKernel(t, set, Spec{Share: 0.5, Kernel: "rbf:gamma=0.25"}), 0.0
	for i, v := range m.Eigenvalue {
		if half += v; (half >= float64(m.Proof.Total)/2) != (i == m.Statement.K-1) {
			t.Errorf("the first %d of %d directions capture %g of %g, expected the fewest that capture half", i+1, m.Statement.K, half, m.Proof.Total)
		}
	}
	for _, scale := range Scales() {
		a := fitKernel(t, set, Spec{K: 3, Kernel: "rbf:gamma=0.25", Scale: scale})
		x, err := a.Prepare(set.X)
		if err != nil {
			t.Fatal(err)
		}
		b := fitKernel(t, &data.Set{X: x}, Spec{K: 3, Kernel: "rbf:gamma=0.25"})
		if !slices.Equal(a.Components, b.Components) {
			t.Errorf("scale %s: other components than of rows that were scaled", scale)
		}
		if v, err := Verify(context.Background(), a, set, 1); err != nil || len(v.Problems) > 0 {
			t.Errorf("scale %s: %v, %v", scale, v, err)
		}
	}
}

// Claims that were made larger are found.
func TestVerifyKernelComponentsFindsLies(t *testing.T) {
	set := eighths(2, 15, 6, 0)
	for name, lie := range map[string]func(*model.PCA){
		"captures more":          func(m *model.PCA) { m.Proof.Captured *= 1.0001 },
		"others capture less":    func(m *model.PCA) { m.Proof.Upper *= 0.999 },
		"another total":          func(m *model.PCA) { m.Proof.Total *= 1.1 },
		"worse components":       func(m *model.PCA) { copy(m.Components[15:], m.Components[:14]) },
		"longer components":      func(m *model.PCA) { m.Components[0] *= 1.01 },
		"one that is not there":  func(m *model.PCA) { m.Components[0], m.Components[1] = m.Components[1], m.Components[0] },
		"not centred components": func(m *model.PCA) { m.Components[3] += 1e-3 },
		"shifted coefficients": func(m *model.PCA) { // of which the products with centred images are the same
			for j := range 15 {
				m.Components[15+j] += 1e-7
			}
		},
		"another mean":          func(m *model.PCA) { m.Mean[2]++ },
		"another variance":      func(m *model.PCA) { m.Eigenvalue[1] *= 1.01 },
		"other rows":            func(m *model.PCA) { m.Data.Digest = "sha256:0" },
		"other support":         func(m *model.PCA) { m.Space.Rows = eighths(3, 15, 6, 0).X },
		"another kernel":        func(m *model.PCA) { m.Statement.Kernel = "rbf:gamma=0.5" },
		"another scale":         func(m *model.PCA) { m.Space.Scaling.Factor[0] *= 2 },
		"a convergence not met": func(m *model.PCA) { m.Proof.Gap = 1e-16 },
		"no centring":           func(m *model.PCA) { m.Statement.Center = false },
	} {
		m := fitKernel(t, set, Spec{K: 2, Kernel: "rbf:gamma=0.25", Scale: "std"})
		lie(m)
		if v, err := Verify(context.Background(), m, set, 1); err == nil && len(v.Problems) == 0 {
			t.Errorf("%s: believed", name)
		}
	}
}

// A map of full rank has the products of the kernel, in single precision; random features nearly so. What
// learns from a stream of images of rows, by the map of the first, is verified as other streams are.
func TestComponentsOfMaps(t *testing.T) {
	set := ellipsoid(t, 400, 3, 1)
	exact := fitKernel(t, set, Spec{K: 3, Kernel: "rbf:gamma=0.1"})
	for name, off := range map[string]float64{"nystrom:rank=200": 1e-4, "fourier:dim=4096": 0.05} {
		m := fitKernel(t, set, Spec{K: 3, Kernel: "rbf:gamma=0.1", Map: name})
		for i, v := range m.Eigenvalue {
			if math.Abs(v-exact.Eigenvalue[i]) > off*exact.Eigenvalue[0] {
				t.Errorf("%s: eigenvalue %d is %g, of the kernel %g", name, i, v, exact.Eigenvalue[i])
			}
		}
		if v, err := Verify(context.Background(), m, set, 1); err != nil || len(v.Problems) > 0 {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		e, err := Evaluate(context.Background(), m, set, 1)
		if err != nil || math.Abs(e.Captured-m.Eigenvalue[0]-m.Eigenvalue[1]-m.Eigenvalue[2]) > 1e-9 {
			t.Fatalf("%s: %v, %v", name, e, err)
		}
		rows, err := m.Prepare(set.X)
		if err != nil {
			t.Fatal(err)
		}
		left := 0.0
		for i := range 400 {
			left += m.Residual(nil, make([]float64, 3), rows.Row(i)) / 400
		}
		if math.Abs(left-e.Loss()) > 1e-9 {
			t.Errorf("%s: residuals of %g on average, expected the loss %g", name, left, e.Loss())
		}
		s, err := NewStream(set.X, nil, Spec{K: 3, Kernel: "rbf:gamma=0.1", Map: name})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Learn(set.X); err != nil {
			t.Fatal(err)
		}
		r, err := s.Result(solver.EpochLimit)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := Verify(context.Background(), r.Model, set, 1); err != nil || len(v.Problems) > 0 {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		if _, err := Resume(r.Model, 1); err != nil {
			t.Error(err)
		}
	}
	m := fitKernel(t, set, Spec{K: 3, Kernel: "rbf:gamma=0.1", Map: "nystrom:rank=20"})
	other := fitKernel(t, set, Spec{K: 3, Kernel: "rbf:gamma=0.1", Map: "nystrom:rank=20", Seed: 9})
	m.Space = other.Space
	if v, err := Verify(context.Background(), m, set, 1); err != nil || len(v.Problems) == 0 {
		t.Errorf("another map was believed: %v", err)
	}
}

func TestKernelComponentsRefuse(t *testing.T) {
	set := eighths(1, 12, 3, 0)
	for expected, spec := range map[string]Spec{
		"expected a kernel too":             {K: 1, Map: "nystrom"},
		"a kernel that is no inner product": {K: 1, Kernel: "sigmoid"},
		"depends on two rows alone":         {K: 1, Kernel: "precomputed"},
		"gram, the eigenvectors":            {K: 1, Kernel: "rbf", Method: "krylov"},
		"a map of the kernel to features":   {K: 1, Kernel: "rbf", Epochs: 2},
		"found only 3 of k = 4":             {K: 4, Kernel: "linear"},
		"k = 13: expected 1 to 12":          {K: 13, Kernel: "rbf"},
		`unknown kernel "gauss"`:            {K: 1, Kernel: "gauss"},
		"expected a number >= 0":            {K: 1, Kernel: "chi2"},
		"expected rbf or laplacian":         {K: 1, Kernel: "poly:gamma=1", Map: "fourier"},
	} {
		if _, err := Fit(context.Background(), set, spec); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%+v: %v, expected %s", spec, err, expected)
		}
	}
	if _, err := NewStream(set.X, nil, Spec{K: 1, Kernel: "rbf"}); err == nil {
		t.Error("a stream without a map was begun")
	}
	m := fitKernel(t, set, Spec{K: 1, Kernel: "rbf"})
	for name, err := range map[string]error{
		"merge":    errorOf(Merge([]*model.PCA{m, m})),
		"compare":  errorOf(Compare(m, m)),
		"evaluate": errorOf(Evaluate(context.Background(), m, set, 1)),
	} {
		if err == nil || !strings.Contains(err.Error(), "found components of the kernel rbf") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

// A search that is cut short ends with components, whose bound is what there is in all.
func TestKernelComponentsInTime(t *testing.T) {
	set := ellipsoid(t, 700, 6, 1)
	r, err := Fit(context.Background(), set, Spec{K: 3, Kernel: "rbf:gamma=0.1", Time: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.TimeLimit || r.Model.Statement.K != 3 || !(r.Model.Proof.Captured > 0 && r.Model.Proof.Upper <= r.Model.Proof.Total*1.01) {
		t.Errorf("%s: %+v", r.Status, r.Model.Proof)
	}
	if v, err := Verify(context.Background(), r.Model, set, 1); err != nil || len(v.Problems) > 0 {
		t.Errorf("%+v, %v", v, err)
	}
}
