package spectral

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// The laws of all methods that move a spectral state.
var spectralSpecs = []string{
	"incremental", "incremental:memory=6,ties=new,forget=0.99", "msg", "msg:schedule=constant,c=0.1", "capped-msg",
	"capped-msg:cap=4", "capped-msg:cap=auto", "warmuth-kuzmin", "capped-msg:iterate=random", "warmuth-kuzmin:start=uniform", "warmuth-kuzmin:iterate=random", "rmsg", "rmsg:lambda=3",
	"msg:iterate=average", "capped-msg:iterate=best", "warmuth-kuzmin:round=systematic", "msg:iterate=random,round=decompose", "warmuth-kuzmin:iterate=best,round=best", "msg:regret=yes", "warmuth-kuzmin:regret=yes", "warmuth-kuzmin:regret=yes,schedule=constant,c=0.1",
}

// moments fills in what step sizes are scaled by.
func moments(x view.Rows, p method.Problem) method.Problem {
	n, d := x.Dims()
	row := make([]float64, d)
	for i := range n {
		x.Row(row, i)
		square := 0.0
		for _, v := range row {
			square += v * v
		}
		p.Squared += square / float64(n)
		p.Fourth += square * square / float64(n)
	}
	return p
}

// gaussianRows returns rows with variances that fall like 1/j.
func gaussianRows(n, d int, factor float64, seed uint64) view.Rows {
	rng := rand.New(rand.NewPCG(seed, 77))
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range x.Value {
		x.Value[i] = float32(factor * rng.NormFloat64() / math.Sqrt(float64(i%d+1)))
	}
	return view.Rows{X: x}
}

// Rows s times as long have the same subspace: step sizes scale with the data. s is
// a power of two, so that the bits are the same too where nothing has a size of its
// own.
func TestSpectraScale(t *testing.T) {
	const n, d, k = 300, 10, 3
	for _, spec := range spectralSpecs {
		x := gaussianRows(n, d, 1, 1)
		a := pcatest.StartOf(t, spec, moments(x, method.Problem{Cols: d, K: k, Seed: 3}))
		a.Learn(x)
		for _, s := range []float64{0x1p-40, 8, 0x1p50} {
			y := gaussianRows(n, d, s, 1)
			b := pcatest.StartOf(t, spec, moments(y, method.Problem{Cols: d, K: k, Seed: 3}))
			b.Learn(y)
			if got := subspaceDifference(a.Basis(), b.Basis()); got > 1e-9 {
				t.Errorf("%s: rows times %g: subspace differs by %g", spec, s, got)
			}
		}
	}
}

func repeat(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }

// subspaceDifference returns the largest element of the difference of the
// projections.
func subspaceDifference(a, b method.Basis) float64 {
	if a.K != b.K {
		return math.Inf(1)
	}
	return pcatest.LargestDifference(pcatest.Assemble(repeat(1, a.K), a.Component, a.Cols), pcatest.Assemble(repeat(1, b.K), b.Component, b.Cols))
}

// A kept state goes on with the same bits, and so does one that is given the rows
// in other blocks.
func TestSpectraKeep(t *testing.T) {
	const n, d, k = 2300, 10, 3
	x := gaussianRows(n, d, 1, 2)
	p := moments(x, method.Problem{Cols: d, K: k, Seed: 4})
	for _, spec := range spectralSpecs {
		whole, first, second := pcatest.StartOf(t, spec, p), pcatest.StartOf(t, spec, p), pcatest.StartOf(t, spec, p)
		whole.Learn(x)
		first.Learn(x.Part(0, 7))
		first.Learn(x.Part(7, 1301))
		if err := method.Restore(second, method.Keep(first)); err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		second.Learn(x.Part(1301, n))
		if !pcatest.SameLists(method.Keep(whole), method.Keep(second)) {
			t.Errorf("%s: other bits after it was kept", spec)
		}
		if c := whole.(Spectrum).Cost(); c.Steps != n && !strings.Contains(spec, "best") { // where some are kept apart
			t.Errorf("%s: %d steps, expected %d", spec, c.Steps, n)
		}
	}
}

// A state that cannot be is refused, or at least borne.
func TestSpectraRestore(t *testing.T) {
	const n, d, k = 40, 6, 2
	x := gaussianRows(n, d, 1, 3)
	p := moments(x, method.Problem{Cols: d, K: k})
	for _, spec := range spectralSpecs {
		s := pcatest.StartOf(t, spec, p)
		s.Learn(x)
		kept := method.Keep(s)
		for name, list := range kept {
			for _, bad := range [][]float64{nil, {math.NaN()}, {1}, {-5, 3}, make([]float64, len(list)+1), make([]float64, len(list)), repeat(1e300, len(list)), repeat(-1, len(list))} {
				changed := map[string][]float64{}
				for n, l := range kept {
					changed[n] = l
				}
				changed[name] = bad
				again := pcatest.StartOf(t, spec, p)
				if method.Restore(again, changed) == nil {
					again.Learn(x)
					again.Basis()
				}
			}
			without := map[string][]float64{}
			for n, l := range kept {
				if n != name {
					without[n] = l
				}
			}
			if method.Restore(pcatest.StartOf(t, spec, p), without) == nil {
				t.Errorf("%s: restored without %s", spec, name)
			}
		}
	}
}

// Bases are orthonormal and finite, whatever the rows: none at all, zeros,
// outliers, one repeated row, numbers as large as single precision has.
func TestSpectraRows(t *testing.T) {
	for _, spec := range spectralSpecs {
		for _, shape := range [][2]int{{1, 1}, {2, 1}, {5, 5}, {5, 4}, {7, 2}} {
			d, k := shape[0], shape[1]
			zeros := &matrix.Dense{Rows: 10, Cols: d, Value: make([]float32, 10*d)}
			same := &matrix.Dense{Rows: 30, Cols: d, Value: make([]float32, 30*d)}
			for i := range same.Value {
				same.Value[i] = float32(i%d) + 1
			}
			for name, x := range map[string]view.Rows{
				"none": {X: &matrix.Dense{Cols: d}}, "zeros": {X: zeros}, "same": {X: same},
				"small": gaussianRows(50, d, 1e-37, 1), "large": gaussianRows(50, d, 1e37, 1), "ordinary": gaussianRows(50, d, 1, 1),
			} {
				for _, q := range []method.Problem{moments(x, method.Problem{Cols: d, K: k}), {Cols: d, K: k, Squared: 1, Fourth: 1}} {
					m, err := method.New(spec)
					if err != nil {
						t.Fatal(err)
					}
					if method.Accepts(m, q) != nil {
						continue
					}
					s := m.(method.Streaming).Start(q)
					s.Learn(x)
					b := s.Basis()
					if b.K > k || len(b.Component) != b.K*d || !(pcatest.Departure(b.Component, d) < 1e-12) {
						t.Fatalf("%s d=%d k=%d %s: found basis %v", spec, d, k, name, b)
					}
					for _, v := range append(b.Value, s.(interface{ Outside() float64 }).Outside()) {
						if math.IsNaN(v) || math.IsInf(v, 0) {
							t.Fatalf("%s d=%d k=%d %s: found values %v", spec, d, k, name, b.Value)
						}
					}
				}
			}
		}
	}
}

// x^T M x is what the eigenvalues say, and lies between 0 and |x|^2.
func TestSpectraCaptured(t *testing.T) {
	const n, d, k = 40, 8, 3
	x := gaussianRows(n, d, 1, 9)
	for _, spec := range []string{"msg", "capped-msg", "warmuth-kuzmin", "rmsg", "rmsg:lambda=3"} {
		s := pcatest.StartOf(t, spec, moments(x, method.Problem{Cols: d, K: k}))
		s.Learn(x)
		trace := 0.0
		for i := range d {
			axis := make([]float64, d)
			axis[i] = 1
			captured := s.(interface{ Captured([]float64) float64 }).Captured(axis)
			if captured < -1e-14 || captured > 1+1e-14 {
				t.Errorf("%s: axis %d captured %g", spec, i, captured)
			}
			trace += captured
		}
		if math.Abs(trace-k) > 1e-12 {
			t.Errorf("%s: the axes have %g in all, expected %d", spec, trace, k)
		}
	}
}

func TestSpectraRefuse(t *testing.T) {
	for spec, p := range map[string]method.Problem{
		"incremental:memory=2":         {Cols: 9, K: 3},
		"capped-msg:cap=2":             {Cols: 9, K: 3},
		"warmuth-kuzmin":               {Cols: 3, K: 3},
		"warmuth-kuzmin:start=uniform": {Cols: 1 << 20, K: 3},
		"msg":                          {Cols: 3, K: 4},
		"rmsg":                         {Cols: 3, K: 0},
	} {
		m, err := method.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := method.Accepts(m, p); err == nil {
			t.Errorf("%s accepted %+v", spec, p)
		}
	}
	for _, spec := range []string{"capped-msg:cap=0", "capped-msg:cap=automatic", "incremental:forget=0", "incremental:forget=2", "msg:cap=3", "rmsg:lambda=0", "warmuth-kuzmin:start=zero"} {
		if _, err := method.New(spec); err == nil {
			t.Errorf("%s was accepted", spec)
		}
	}
}
