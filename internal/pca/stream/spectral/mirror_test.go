package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// sphere returns a random vector of length at most 1, mostly along the first axes.
func sphere(r *rand.Rand, d int) []float64 {
	x, norm := make([]float64, d), 0.0
	for i := range x {
		x[i] = r.NormFloat64() / float64(i+1)
		norm += x[i] * x[i]
	}
	norm = math.Sqrt(norm) / (1 - 0.5*r.Float64())
	for i := range x {
		x[i] /= norm
	}
	return x
}

// Row 19 of the checklist: the Frobenius instance is dense projected SGD (row 15's
// twin), the entropy instance is Warmuth and Kuzmin's algorithm as stated (row 12).
func TestMirrorInstances(t *testing.T) {
	const d, k, steps = 12, 3, 200
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(19, seed))
		msg, entropy := newDenseMSG(d, k, nil), newDenseEntropy(d, k, nil)
		f := newMirrorState(d, k, new(frobenius), schedule.InverseRoot{C: 1})
		v := newMirrorState(d, k, new(vonNeumann), schedule.InverseRoot{C: 1})
		var worstF, worstV float64
		for t := 1; t <= steps; t++ {
			x, eta := sphere(r, d), 1/math.Sqrt(float64(t))
			msg.step(eta, x)
			entropy.step(eta, x)
			f.step(eta, x)
			v.step(eta, x)
			worstF = max(worstF, pcatest.LargestDifference(f.copyTo(nil), msg.m))
			worstV = max(worstV, pcatest.LargestDifference(v.copyTo(nil), entropy.w))
		}
		t.Logf("seed %d: worst difference Frobenius %.2g, entropy %.2g", seed, worstF, worstV)
		if !(worstF <= 1e-12 && worstV <= 1e-12) {
			t.Errorf("seed %d: differs from the dense twins by %g and %g", seed, worstF, worstV)
		}
	}
}

// Rows 12 and 15: the dense twins stay feasible, and so do both methods that stand for
// row 12's.
func TestDenseTwinsFeasible(t *testing.T) {
	const d, k, steps = 12, 3, 200
	r := rand.New(rand.NewPCG(12, 1))
	basis := pcatest.RandomRows(r.NormFloat64, k+1, d)
	msg, entropy := newDenseMSG(d, k, basis[:k*d]), newDenseEntropy(d, k, basis)
	naive := newMirrorState(d, k, new(vonNeumann), schedule.InverseRoot{C: 1})
	var kept []*warmuthKuzmin
	for _, spec := range []string{"warmuth-kuzmin:c=1", "warmuth-kuzmin:c=1,start=uniform"} {
		kept = append(kept, pcatest.StartOf(t, spec, method.Problem{Cols: d, K: k}).(*warmuthKuzmin))
	}
	for step := 1; step <= steps; step++ {
		x, eta := sphere(r, d), 1/math.Sqrt(float64(step))
		msg.step(eta, x)
		entropy.step(eta, x)
		m, _ := pcatest.Jacobi(msg.m, d)
		sumM := 0.0
		for i := range d {
			sumM += m[i]
		}
		if math.Abs(sumM-k) > 1e-12 || m[0] > 1+1e-12 || m[d-1] < -1e-12 {
			t.Fatalf("step %d: M has eigenvalues %v", step, m)
		}
		naive.step(eta, x)
		for _, s := range kept {
			s.step(x)
		}
		for i, of := range [][]float64{entropy.w, naive.copyTo(nil), kept[0].weights(), kept[1].weights()} {
			w, _ := pcatest.Jacobi(of, d)
			sumW := 0.0
			for i := range d {
				sumW += w[i]
			}
			if math.Abs(sumW-1) > 1e-12 || w[0] > (1+1e-12)/(d-k) || w[d-1] <= 0 {
				t.Fatalf("step %d, form %d: W has eigenvalues %v", step, i, w)
			}
		}
	}
}

// The method finds the subspace of data that lie near one, and a kept state goes
// on with the same bits.
func TestMirrorMethod(t *testing.T) {
	const n, d, k = 600, 8, 2
	r := rand.New(rand.NewPCG(19, 9))
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		for j := range d {
			spread := 0.1
			if j == 2 || j == 5 {
				spread = 1
			}
			x.Value[i*d+j] = float32(spread * r.NormFloat64())
		}
	}
	for _, spec := range []string{"mirror", "mirror:geometry=entropy,c=2", "mirror:schedule=constant,c=0.05", "mirror:iterate=random,c=0.5", "mirror:iterate=average,geometry=entropy"} {
		m, err := method.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		p := method.Problem{Rows: n, Cols: d, K: k, Squared: 2.06}
		if err := method.Accepts(m, p); err != nil {
			t.Fatal(err)
		}
		rows := view.Rows{X: x}
		whole, first, second := m.(method.Streaming).Start(p), m.(method.Streaming).Start(p), m.(method.Streaming).Start(p)
		whole.Learn(rows)
		first.Learn(rows.Part(0, 250))
		if err := method.Restore(second, method.Keep(first)); err != nil {
			t.Fatal(err)
		}
		second.Learn(rows.Part(250, n))
		b, c := whole.Basis(), second.Basis()
		if pcatest.LargestDifference(b.Component, c.Component) != 0 {
			t.Errorf("%s: a kept state goes on with other bits", spec)
		}
		found := 0.0
		for i := range k {
			found += b.Row(i)[2]*b.Row(i)[2] + b.Row(i)[5]*b.Row(i)[5]
		}
		if found < k-0.05 {
			t.Errorf("%s: captured %v of the two large directions", spec, found)
		}
	}
}

func TestMirrorRefuses(t *testing.T) {
	for _, p := range []method.Problem{{Cols: 201, K: 1}, {Cols: 3, K: 3}, {Cols: 3, K: 0}, {Cols: 3, K: 4}} {
		if method.Accepts(Mirror{}, p) == nil {
			t.Errorf("%+v was accepted", p)
		}
	}
}

// A kept state that cannot be is refused.
func TestMirrorRestoreRefuses(t *testing.T) {
	m, err := method.New("mirror:iterate=average")
	if err != nil {
		t.Fatal(err)
	}
	start := func() method.State { return m.(method.Streaming).Start(method.Problem{Cols: 3, K: 1}) }
	for name, list := range map[string][]float64{
		"rows": {-1}, "theta": {1, 2}, "iterates": {4}, "iterate": {1},
	} {
		kept := method.Keep(start())
		kept[name] = list
		if method.Restore(start(), kept) == nil {
			t.Errorf("%s = %v was restored", name, list)
		}
		delete(kept, name)
		if method.Restore(start(), kept) == nil {
			t.Errorf("a state without %s was restored", name)
		}
	}
	if err := method.Restore(start(), method.Keep(start())); err != nil {
		t.Error(err)
	}
}

// Rows of any length whose fourth power is finite give a finite, feasible answer.
func TestMirrorHugeRows(t *testing.T) {
	const d, k = 5, 2
	r := rand.New(rand.NewPCG(19, 10))
	for _, g := range []geometry{new(frobenius), new(vonNeumann)} {
		for _, size := range []float64{1e-150, 1e30, 1e75} {
			s := newMirrorState(d, k, g, schedule.InverseRoot{C: 1})
			for step := range 20 {
				x := sphere(r, d)
				for i := range x {
					x[i] *= size
				}
				if step%5 == 4 {
					clear(x)
				}
				s.step(1, x)
			}
			m, want := s.copyTo(nil), 1.0
			if s.way > 0 {
				want = k
			}
			trace := 0.0
			for i := range d {
				trace += m[i*d+i]
			}
			if !(math.Abs(trace-want) <= 1e-12) {
				t.Errorf("%T, rows of length %g: trace %v, expected %v", g, size, trace, want)
			}
			b := s.Basis()
			for i := range k {
				if norm := pcatest.Quadratic(pcatest.Assemble([]float64{1}, b.Row(i), d), b.Row(i)); !(math.Abs(norm-1) <= 1e-12) {
					t.Errorf("%T, rows of length %g: component %d of norm %v", g, size, i, norm)
				}
			}
		}
	}
}

func BenchmarkMirror(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	s := newMirrorState(mirrorCols, 10, new(frobenius), schedule.InverseRoot{C: 1})
	for b.Loop() {
		s.step(0.1, sphere(r, mirrorCols))
	}
}
