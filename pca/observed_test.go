package pca

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// without takes numbers out of a set, and has means stand for them, as readers of tables do.
func without(set *data.Set, gone func(i, j int) bool) *data.Set {
	n, d := set.X.Dims()
	x := &matrix.Dense{Rows: n, Cols: d, Value: slices.Clone(set.X.(*matrix.Dense).Value)}
	out := &data.Set{X: x}
	for i := range n {
		for j := range d {
			if gone(i, j) {
				out.Gaps = append(out.Gaps, [2]uint32{uint32(i), uint32(j)})
				x.Value[i*d+j] = 0
			}
		}
	}
	known, sum := make([]float64, d), make([]float64, d)
	for at, v := range x.Value {
		known[at%d]++
		sum[at%d] += float64(v)
	}
	for _, g := range out.Gaps {
		known[g[1]]--
	}
	for _, g := range out.Gaps {
		x.Value[int(g[0])*d+int(g[1])] = float32(sum[g[1]] / max(known[g[1]], 1))
	}
	return out
}

// lowRank returns n rows of d features about k directions, which it returns too, and noise.
func lowRank(n, d, k int, noise float64) (*data.Set, method.Basis) {
	r := rand.New(rand.NewPCG(7, 9))
	b := method.Basis{K: k, Cols: d, Component: make([]float64, k*d)}
	for i := range b.Component {
		b.Component[i] = r.NormFloat64()
	}
	if err := b.Orthonormalise(1); err != nil {
		panic(err)
	}
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	row := make([]float64, d)
	for i := range n {
		for j := range row {
			row[j] = 1 + float64(j)/8 + noise*r.NormFloat64()
		}
		for c := range k {
			vec.Axpy64(row, (3-0.5*float64(c))*r.NormFloat64(), b.Row(c))
		}
		for j, v := range row {
			x.Value[i*d+j] = float32(v)
		}
	}
	return &data.Set{X: x}, b
}

// apart is the Frobenius norm of the difference of two projections.
func apart(m *model.PCA, b method.Basis) float64 {
	sum := float64(b.K + m.Statement.K)
	for i := range m.Statement.K {
		for l := range b.K {
			p := vec.Dot64(m.Component(i), b.Row(l))
			sum -= float64(2 * p * p)
		}
	}
	return math.Sqrt(max(0, sum))
}

func fitObserved(t testing.TB, set *data.Set, spec Spec) *model.PCA {
	t.Helper()
	r, err := Fit(context.Background(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) > 0 || r.Status != solver.EpochLimit {
		t.Errorf("%s: %s, %v, expected no doubt in means", spec.Method, r.Status, r.Warnings)
	}
	if v, err := Verify(context.Background(), r.Model, set, 1); err != nil || len(v.Problems) > 0 || !strings.Contains(v.Unproved, "missing") {
		t.Errorf("%s: %+v, %v", spec.Method, v, err)
	}
	return r.Model
}

// The components, variances and means of a plain EM in numpy, run until it stands still.
func TestPPCAIsEM(t *testing.T) {
	set := without(eighths(2, 15, 6, 0), func(i, j int) bool { return (3*i+5*j)%7 == 0 })
	m := fitObserved(t, set, Spec{K: 2, Method: "ppca:tol=1e-12"})
	for _, c := range []struct {
		name            string
		found, expected []float64
	}{
		{"variances", m.Eigenvalue, []float64{2.938554801192903, 1.5125896653479554}},
		{"means", m.Mean, []float64{-0.08504346022577258, 0.39808261690363167, 0.6147070991348607, 0.4150265944676413, 0.5086169709339319, 0.7448442516170716}},
		{"components", m.Components, []float64{-0.4858086788550322, 0.5517573576034346, 0.08860096146561479, 0.06237789009065931, 0.48635264037165493, -0.4596452148541631,
			-0.2768206451975548, -0.32457854424543736, 0.1813322660825021, 0.7192133315035563, -0.3728297376757545, -0.358981724851685}},
	} {
		for i, v := range c.found {
			if math.Abs(v-c.expected[i]) > 1e-8 {
				t.Errorf("%s: found %v, expected %v", c.name, c.found, c.expected)
				break
			}
		}
	}
	whole := eighths(2, 15, 6, 0)
	a, b := fitKernel(t, whole, Spec{K: 2, Method: "ppca"}), fitKernel(t, whole, Spec{K: 2, Method: "covariance"})
	if !slices.Equal(a.Components, b.Components) {
		t.Error("where nothing is missing the components are others than those of covariance")
	}
}

// With 30 % of the numbers missing, methods that learn row by row come as near as EM, which finds the subspace exactly
// where there is no noise, and means in place of numbers are far away.
func TestObservedSubspaces(t *testing.T) {
	for _, noise := range []float64{0, 0.1, 0.4} {
		whole, truth := lowRank(1000, 20, 5, noise)
		r := rand.New(rand.NewPCG(1, 2))
		set := without(whole, func(int, int) bool { return r.Float64() < 0.3 })
		m := fitObserved(t, set, Spec{K: 5, Method: "ppca", Scale: "none"})
		em := apart(m, truth)
		if noise == 0 {
			if em > 1e-6 {
				t.Errorf("EM is %g away from the subspace of rows without noise", em)
			}
			exact := make([]float64, 5)
			gone, found := set.Missing(), make([]float64, 5)
			for i := range 50 {
				m.TransformObserved(found, set.X.Row(i), gone[i])
				m.Transform(exact, whole.X.Row(i))
				if away := distance(found, exact); away > 1e-4 {
					t.Errorf("row %d is projected %g away by the features that it has", i, away)
				}
				if left := m.ResidualObserved(found, set.X.Row(i), gone[i]); left > 1e-8 {
					t.Errorf("row %d is %g away from the subspace in the features that it has", i, left)
				}
			}
			continue
		}
		for _, name := range []string{"grouse", "msg"} {
			m := fitObserved(t, set, Spec{K: 5, Method: name, Missing: Observed, Epochs: 10, Scale: "none"})
			if found := apart(m, truth); found > 1.2*em {
				t.Errorf("noise %g, %s: %g away from the subspace, EM %g", noise, name, found, em)
			}
		}
		if filled, err := Fit(context.Background(), set, Spec{K: 5, Missing: "mean", Scale: "none"}); err != nil || apart(filled.Model, truth) < 1.5*em || len(filled.Warnings) == 0 {
			t.Errorf("noise %g: means are as good as EM: %v", noise, err)
		}
	}
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64((a[i] - b[i]) * (a[i] - b[i]))
	}
	return math.Sqrt(sum)
}

// learned is a method that finds (1,1)/sqrt 2 and notes the rows that it is given.
type learned struct {
	blocks []int
	rows   [][]float64
}

func (s *learned) Learn(x view.Rows) {
	n, _ := x.Dims()
	s.blocks = append(s.blocks, n)
	x.Each(make([]float64, 2), func(row []float64) { s.rows = append(s.rows, slices.Clone(row)) })
}

func (s *learned) Basis() method.Basis {
	return method.Basis{K: 1, Cols: 2, Component: []float64{math.Sqrt(0.5), math.Sqrt(0.5)}}
}

func (s *learned) Keep(*method.Kept) {}
func (s *learned) BlockRows() int    { return 3 }

// Rows (i,i), centred and scaled, of which every other lacks a number, are completed to themselves, whatever is in its
// place, and in any order; they come in the blocks that the method asks for.
func TestRowsAreCompleted(t *testing.T) {
	const n = 7
	x := &matrix.Dense{Rows: n, Cols: 2}
	missing := make([][]uint32, n)
	for i := range n {
		x.Value = append(x.Value, 1+float32(i)/2, 2+float32(i)/4)
		if i%2 == 1 {
			x.Value[2*i+1], missing[i] = 99, []uint32{1}
		}
	}
	for _, shuffle := range []bool{false, true} {
		s := &learned{}
		j := &pcaJob{spec: Spec{Shuffle: shuffle, Seed: 1}, problem: method.Problem{Rows: n, Cols: 2, K: 1}, rows: view.Rows{X: x, Offset: []float64{1, 2}, Factor: []float64{2, 4}, Missing: missing}}
		b, err := j.learn(context.Background(), s)
		if err != nil || math.Abs(b.Value[0]-2*91./n) > 1e-5 {
			t.Errorf("%v, %v", b, err)
		}
		if !slices.Equal(s.blocks, []int{3, 3, 1}) {
			t.Errorf("blocks of %v rows", s.blocks)
		}
		for at, row := range s.rows {
			if math.Abs(row[0]-row[1]) > 1e-5 || !shuffle && row[0] != float64(at) {
				t.Errorf("shuffle %v: row %d was learned as %v", shuffle, at, row)
			}
		}
	}
}

// Deviations are those of the numbers that are there; the answer has the same bits on any number of threads.
func TestObservedScales(t *testing.T) {
	whole, _ := lowRank(1000, 8, 2, 0.1)
	set := without(whole, func(i, j int) bool { return i%2 == 0 && j == 3 })
	one := fitObserved(t, set, Spec{K: 2, Method: "ppca", Scale: "std", Threads: 1})
	all := fitKernel(t, whole, Spec{K: 2, Scale: "std"})
	if ratio := one.Scale[3] / all.Scale[3]; math.Abs(ratio-1) > 0.05 {
		t.Errorf("the factor of a feature of which half is missing is %g of that of all", ratio)
	}
	if two := fitObserved(t, set, Spec{K: 2, Method: "ppca", Scale: "std", Threads: 2}); !slices.Equal(one.Components, two.Components) {
		t.Error("other bits on two threads")
	}
}

func TestObservedRefusesAndFindsLies(t *testing.T) {
	whole, _ := lowRank(100, 6, 2, 0.1)
	set := without(whole, func(i, j int) bool { return (i+j)%5 == 0 })
	for expected, spec := range map[string]Spec{
		"expected mean or observed":        {K: 2, Missing: "zero"},
		"expected no kernel":               {K: 2, Missing: Observed, Kernel: "rbf"},
		"expected a number of components":  {Share: 0.5, Missing: Observed},
		"expected ppca, or one that":       {K: 2, Missing: Observed, Method: "covariance"},
		"found 6 components of 6 features": {K: 6, Missing: Observed},
	} {
		if _, err := Fit(context.Background(), set, spec); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%+v: %v, expected %s", spec, err, expected)
		}
	}
	if _, err := NewStream(set.X, nil, Spec{K: 2, Missing: Observed, Method: "grouse"}); err == nil {
		t.Error("a stream was begun, which does not know what is missing")
	}
	if _, err := Fit(context.Background(), without(whole, func(_, j int) bool { return j == 4 }), Spec{K: 2, Missing: Observed}); err == nil || !strings.Contains(err.Error(), "feature 5 has no number") {
		t.Errorf("a feature without any number: %v", err)
	}
	for name, lie := range map[string]func(*model.PCA){
		"a proof":              func(m *model.PCA) { m.Proof.Captured, m.Proof.Upper = 1, 1 },
		"another total":        func(m *model.PCA) { m.Proof.Total *= 1.1 },
		"other rows":           func(m *model.PCA) { m.Data.Digest = "sha256:0" },
		"another scale":        func(m *model.PCA) { m.Scale[0] *= 2 },
		"longer components":    func(m *model.PCA) { m.Components[0] *= 1.01 },
		"means stood for them": func(m *model.PCA) { m.Statement.Missing = "" },
		"another mean":         func(m *model.PCA) { m.Mean[0]++ },
	} {
		r, err := Fit(context.Background(), set, Spec{K: 2, Missing: Observed, Method: "grouse", Scale: "std"})
		if err != nil {
			t.Fatal(err)
		}
		lie(r.Model)
		if v, err := Verify(context.Background(), r.Model, set, 1); err == nil && len(v.Problems) == 0 {
			t.Errorf("%s: believed", name)
		}
	}
}
