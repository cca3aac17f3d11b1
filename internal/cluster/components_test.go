package cluster

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
)

// rowsOf reads rows, without targets.
func rowsOf(t testing.TB, spec string) *data.Set {
	set, err := data.Read(context.Background(), []string{spec}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &data.Set{X: set.X}
}

// dealt deals rows to so many partitions by their digests, as a cluster does.
func dealt(t testing.TB, set *data.Set, partitions int) near {
	blobs, err := Split(set, 1)
	if err != nil {
		t.Fatal(err)
	}
	partitions = min(partitions, len(blobs))
	of := make([][][]byte, partitions)
	for i, b := range blobs {
		k := i * partitions / len(blobs)
		of[k] = append(of[k], b.Data)
	}
	var c near
	for k, list := range of {
		part, digests, err := Gather(list, 1)
		if err != nil {
			t.Fatal(err)
		}
		c.partitions = append(c.partitions, &Partition{set: part, number: k, threads: 1, digests: digests})
	}
	return c
}

// sure has a model verified by one machine.
func sure(t *testing.T, what string, m *model.PCA, set *data.Set) {
	t.Helper()
	v, err := pca.Verify(context.Background(), m, set, 0)
	if err != nil || len(v.Problems) > 0 || v.Unproved != "" {
		t.Errorf("%s: found %v, %v, %q, expected all to be confirmed", what, err, v.Problems, v.Unproved)
	}
}

// table is dense rows.
func table(n, d int, value func(i, j int) float64) *data.Set {
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		for j := range d {
			x.Value[i*d+j] = float32(value(i, j))
		}
	}
	return &data.Set{X: x}
}

// Components of rows in partitions capture what those of one machine do within the gap, which is proved, and one machine confirms all that
// is claimed: of few columns and many, sparse and dense, centred or scaled, fewer rows than columns, constant columns.
func TestPrincipal(t *testing.T) {
	low := func(i, j int) float64 { return math.Sin(float64(i*7+j)) + math.Cos(float64(i*i%31))*float64(j) } // of few dimensions
	for _, c := range []struct {
		name                  string
		set                   *data.Set
		k, partitions         int
		method, center, scale string
		jobs                  int
	}{
		{"few columns", rowsOf(t, "@blobs:n=3000,d=40"), 5, 3, "", "yes", "none", 3},
		{"few columns, scaled", rowsOf(t, "@blobs:n=3000,d=40"), 5, 16, "", "yes", "std", 3},
		{"few columns by products", rowsOf(t, "@blobs:n=3000,d=40"), 3, 3, "krylov", "yes", "thesis", 40},
		{"sparse", rowsOf(t, "@text:n=600,d=6000"), 4, 3, "", "", "none", 60},
		{"sparse, centred", rowsOf(t, "@text:n=600,d=6000"), 4, 1, "", "yes", "norm", 60},
		{"sparse, many partitions", rowsOf(t, "@text:n=4200,d=4300"), 3, 16, "", "no", "max-norm", 60},
		{"largest distance", rowsOf(t, "@blobs:n=500,d=10"), 2, 3, "", "yes", "max-norm", 4},
		{"fewer rows than columns", rowsOf(t, "@blobs:n=30,d=90"), 7, 3, "", "yes", "none", 3},
		{"as many components as rows", rowsOf(t, "@blobs:n=20,d=90"), 20, 3, "krylov", "no", "none", 60},
		{"few dimensions", table(400, 30, low), 6, 3, "", "yes", "none", 3},
		{"few dimensions by products", table(400, 30, low), 6, 3, "krylov", "yes", "none", 60},
		{"constant columns", table(300, 12, func(i, j int) float64 { return float64(j%3) * math.Sin(float64(i*j)) }), 3, 4, "", "yes", "std", 3},
		{"all dimensions", rowsOf(t, "@blobs:n=300,d=8"), 8, 3, "krylov", "yes", "none", 30},
	} {
		spec := pca.Spec{K: c.k, Method: c.method, Center: c.center, Scale: c.scale, Seed: 5}
		r, err := Principal(context.Background(), dealt(t, c.set, c.partitions), spec, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Jobs > c.jobs {
			t.Errorf("%s: found %d jobs, expected at most %d", c.name, r.Jobs, c.jobs)
		}
		t.Logf("%s: %d jobs, %d steps, gap %.3g, %s", c.name, r.Jobs, r.Steps, r.Model.Proof.Relative(), r.Model.Proof.Route)
		if r.Model.Proof.Status != "converged" || !(r.Model.Proof.Relative() <= 1e-3) {
			t.Errorf("%s: ended as %s with the gap %g", c.name, r.Model.Proof.Status, r.Model.Proof.Relative())
		}
		if digest := c.set.DigestSorted(1); r.Model.Data.Digest != digest {
			t.Errorf("%s: found the digest %s, expected %s", c.name, r.Model.Data.Digest, digest)
		}
		sure(t, c.name, r.Model, c.set)
		spec.Method = ""
		one, err := pca.Fit(context.Background(), c.set, spec)
		if err != nil {
			t.Fatal(err)
		}
		p, best := r.Model.Proof, one.Model.Proof
		if float64(p.Captured) > float64(best.Upper) || float64(p.Upper) < float64(best.Captured) || float64(p.Captured) < float64(best.Captured)*(1-1e-3) {
			t.Errorf("%s: found %.9g captured of at most %.9g, in one partition %.9g of at most %.9g", c.name, p.Captured, p.Upper, best.Captured, best.Upper)
		}
		if r.Model.Statement.Center != one.Model.Statement.Center || r.Model.Statement.Scale != one.Model.Statement.Scale {
			t.Errorf("%s: found %+v, expected %+v", c.name, r.Model.Statement, one.Model.Statement)
		}
	}
}

// What a model claims beyond the truth is found false: of rows of which one machine too proves components by products.
func TestForgedPrincipal(t *testing.T) {
	set := rowsOf(t, "@text:n=4200,d=4300")
	var r *Components
	var err error
	for _, gap := range []float64{0.1, 1e-3, 2e-5} { // little, the usual, and more steps than usual
		if r, err = Principal(context.Background(), dealt(t, set, 2), pca.Spec{K: 3, Center: "yes", Gap: gap}, nil); err != nil {
			t.Fatal(err)
		}
		if found := r.Model.Proof.Relative(); found > gap || found < gap/1e3 {
			t.Errorf("gap %g: found %g in %d jobs", gap, found, r.Jobs)
		}
		t.Logf("gap %g: %d jobs, %d steps", gap, r.Jobs, r.Steps)
		sure(t, "as it was found", r.Model, set)
	}
	for what, forge := range map[string]func(m *model.PCA){
		"captured":  func(m *model.PCA) { m.Proof.Captured *= 1.001 },
		"upper":     func(m *model.PCA) { m.Proof.Upper *= 0.9998 },
		"digest":    func(m *model.PCA) { m.Data.Digest = m.Data.Digest[:len(m.Data.Digest)-1] + "x" },
		"component": func(m *model.PCA) { m.Components = slices.Clone(m.Components); m.Components[0] += 0.5 },
		"mean":      func(m *model.PCA) { m.Mean = slices.Clone(m.Mean); m.Mean[7] += 0.1 },
		"certainty": func(m *model.PCA) { m.Proof.Failure = 0 },
		"status":    func(m *model.PCA) { m.Proof.Status = "stalled" },
	} {
		forged := *r.Model
		forge(&forged)
		if v, err := pca.Verify(context.Background(), &forged, set, 0); err == nil && len(v.Problems) == 0 {
			t.Errorf("%s: found nothing wrong with a forged claim", what)
		}
	}
}

// Of many rows of few columns the bound is that of products, made with the second moment: above the one of route exact, and close.
func TestSecondByProducts(t *testing.T) {
	set := rowsOf(t, "@blobs:n=6000,d=40")
	h := &hunt{trainer: trainer{cluster: dealt(t, set, 3)}, pca: pca.Spec{K: 4, Gap: 1e-3, Center: "yes", Scale: "std"}}
	if err := h.measure(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := h.bySecond(context.Background()); err != nil {
		t.Fatal(err)
	}
	exact := h.proof
	if err := h.certify(context.Background(), h.powerOfSecond); err != nil {
		t.Fatal(err)
	}
	if p := h.proof; p.Route != "lanczos" || p.Failure == 0 || p.Upper < exact.Captured || p.Loss() > 1e-3 || math.Abs(p.Captured-exact.Captured) > 1e-10*p.Captured || math.Abs(p.Total-exact.Total) > 1e-10*p.Total {
		t.Errorf("found %+v, exact %+v", p, exact)
	}
	sure(t, "by products", h.model(), set)
}

// What cannot be done is said.
func TestRefusedPrincipal(t *testing.T) {
	blobs := rowsOf(t, "@blobs:n=100,d=5")
	labelled, err := data.Read(context.Background(), []string{"@blobs:n=100,d=5"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	weighted := &data.Set{X: blobs.X, Weight: slices.Repeat([]float64{2}, 100)}
	same := table(200, 4, func(_, j int) float64 { return 1e6 / float64(j+3) })
	for _, c := range []struct {
		set  *data.Set
		spec pca.Spec
		says string
	}{
		{blobs, pca.Spec{K: 6}, "k = 6: expected 1 to 5"},
		{table(3, 9, func(i, j int) float64 { return float64(i * j) }), pca.Spec{K: 4}, "k = 4: expected 1 to 3"},
		{labelled, pca.Spec{K: 2}, "found rows with targets"},
		{weighted, pca.Spec{K: 2}, "found row weights"},
		{same, pca.Spec{K: 1, Center: "yes"}, "all rows are the same"},
		{same, pca.Spec{K: 1, Center: "yes", Method: "krylov", Scale: "std"}, "all rows are the same"},
		{table(9, 4, func(int, int) float64 { return 0 }), pca.Spec{K: 1, Center: "no"}, "all values are zero"},
		{blobs, pca.Spec{K: 1, Method: "power"}, "a cluster knows auto, covariance and krylov"},
		{blobs, pca.Spec{Share: 0.9}, "a number of components"},
		{blobs, pca.Spec{K: 1, Scale: "max"}, "unknown scaling"},
		{rowsOf(t, "@text:n=300,d=5000"), pca.Spec{K: 1, Method: "covariance"}, "expected at most 4000: use krylov"},
	} {
		if _, err := Principal(context.Background(), dealt(t, c.set, 2), c.spec, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("found %v, expected %q", err, c.says)
		}
	}
	p := dealt(t, blobs, 1).partitions[0]
	for _, v := range []*View{nil, {Offset: make([]float64, 4)}, {Factor: make([]float64, 6)}, {Q: make([]float64, 9), M: 2}, {Q: make([]float64, 70), M: 14}, {M: -1}, {Q: []float64{1, 2, 3, 4, math.NaN()}, M: 1}, {Offset: []float64{1, 2, 3, 4, math.Inf(1)}}} {
		if a, err := p.Answer(&Request{Verb: "power", View: v}); err == nil {
			t.Errorf("%+v: found %+v, expected an error", v, a)
		}
	}
	wide := dealt(t, rowsOf(t, "@text:n=300,d=5000"), 1).partitions[0]
	if a, err := wide.Answer(&Request{Verb: "second", View: &View{}}); err == nil {
		t.Errorf("found %+v, expected too many columns to be refused", a)
	}
	for what, change := range map[string]func(q *Request, a *Answer){
		"short":      func(_ *Request, a *Answer) { a.Sum = a.Sum[:max(len(a.Sum)-1, 0)] },
		"no number":  func(_ *Request, a *Answer) { a.Sum = append(a.Sum[:max(len(a.Sum)-1, 0)], math.NaN()) },
		"no moments": func(_ *Request, a *Answer) { a.Moments = nil },
		"few means": func(q *Request, a *Answer) {
			if a.Moments != nil && q.View.Offset == nil {
				a.Moments.Mean = a.Moments.Mean[1:]
			}
		},
		"few lows": func(q *Request, a *Answer) {
			if a.Moments != nil && q.View.Offset == nil {
				a.Moments.Low = a.Moments.Low[1:]
			}
		},
		"distance": func(q *Request, a *Answer) {
			if a.Moments != nil && q.View.Offset != nil {
				a.Moments.MaxCentred = math.Inf(1)
			}
		},
	} {
		r := &recorded{near: dealt(t, blobs, 2), change: func(_ int, q *Request, answers []*Answer) {
			if q.View != nil {
				change(q, answers[1])
			}
		}}
		if _, err := Principal(context.Background(), r, pca.Spec{K: 1, Center: "yes", Scale: "max-norm"}, nil); err == nil || !strings.HasPrefix(err.Error(), "partition 2: ") {
			t.Errorf("%s: found the error %v, expected one that names partition 2", what, err)
		}
	}
}

// Equal rows in several partitions are one direction, of which the rest captures nothing.
func TestEqualRows(t *testing.T) {
	set := table(500, 6, func(_, j int) float64 { return float64(j + 1) })
	for _, method := range []string{"covariance", "krylov"} {
		r, err := Principal(context.Background(), dealt(t, set, 2), pca.Spec{K: 2, Center: "no", Method: method}, nil)
		if err != nil {
			t.Fatal(err)
		}
		sure(t, method, r.Model, set)
		if captured := float64(r.Model.Proof.Captured); math.Abs(captured-91) > 1e-9 {
			t.Errorf("%s: found %g captured, expected 91", method, captured)
		}
	}
}

// The same bits come out when partitions lose their rows, and from rows in any order.
func TestPrincipalLost(t *testing.T) {
	set := rowsOf(t, "@text:n=1500,d=3000")
	find := func(size int, lose func(ask int) (int, bool)) *Components {
		order := make([]int, set.Rows())
		for i := range order {
			order[i] = set.Rows() - 1 - i
		}
		w := fourPartitions(t, set, order, size, lose)
		r, err := Principal(context.Background(), &Remote{Map: w.ask}, pca.Spec{K: 3, Center: "yes"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := find(1500, func(int) (int, bool) { return -1, false })
	for _, every := range []int{3, 7} {
		got := find(400, func(ask int) (int, bool) { return map[bool]int{true: ask % 4, false: -1}[ask%every == 2], ask%2 == 0 })
		if !reflect.DeepEqual(got.Model, want.Model) || got.Jobs != want.Jobs {
			t.Errorf("found another model after %d jobs, expected the same bits as without loss after %d", got.Jobs, want.Jobs)
		}
	}
	sure(t, "lost", want.Model, set)
}
