package methods

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// What every registered method must do. A method that is known to be less exact on
// the Gaussian problem says so here: eps as a part of the optimum, in place of
// 1e-6 of a batch method on the rows and 5e-2 of a streaming one on the population.
var lessExact = map[string]float64{
	"grouse:step=greedy": 0.9, // which never settles: the last row is in U
}

// variants are tested besides all names.
var variants = []string{
	"oja:normalise=polar", "oja:normalise=qr", "oja:schedule=sqrt", "oja:schedule=constant",
	"grouse:step=greedy", "adaoja:batch=7", "power:shift=optimal",
	"block-power:block=50", "history:block=50,memory=4", "history:memory=5,fresh=3", "frequent-directions:memory=9", "ipca:batch=30", "ipca:batch=50,center=true",
}

// learn gives a state the rows in blocks of about size, after the first skipped.
func learn(s method.State, x view.Rows, skip, size int) {
	n, _ := x.Dims()
	size = wholeBlocks(s, size)
	for lo := skip; lo < n; lo += size {
		s.Learn(x.Part(lo, min(lo+size, n)))
	}
}

// wholeBlocks rounds a number of rows up to what s can be given.
func wholeBlocks(s method.State, rows int) int {
	if b, ok := s.(method.Blocked); ok {
		return (rows + b.BlockRows() - 1) / b.BlockRows() * b.BlockRows()
	}
	return rows
}

var errRefused = errors.New("refused")

// solve runs a method of either kind.
func solve(m method.Method, x view.Rows, p method.Problem) (method.Basis, error) {
	if err := method.Accepts(m, p); err != nil {
		return method.Basis{}, fmt.Errorf("%w: %w", errRefused, err)
	}
	if batch, ok := m.(method.Batch); ok {
		return batch.Solve(context.Background(), x, p)
	}
	s := m.(method.Streaming).Start(p)
	learn(s, x, 0, 100)
	return s.Basis(), nil
}

// eachMethod runs a subtest for every registered method with its defaults, and for
// the variants.
func eachMethod(t *testing.T, test func(t *testing.T, spec string, m method.Method)) {
	specs := slices.Clone(variants)
	for _, e := range method.Entries() {
		specs = append(specs, e.Name)
	}
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			m, err := method.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			test(t, spec, m)
		})
	}
}

// examineBasis checks what a basis always is.
func examineBasis(t *testing.T, b method.Basis, d, most int) {
	t.Helper()
	if b.Cols != d || b.K > most || len(b.Component) != b.K*d || b.Value != nil && len(b.Value) != b.K {
		t.Fatalf("found %d components of %d of %d numbers, %d in all, and %d values", b.K, most, b.Cols, len(b.Component), len(b.Value))
	}
	if got := pcatest.Departure(b.Component, d); !(got <= 1e-10) {
		t.Errorf("U U^T is off I by %g, expected at most 1e-10", got)
	}
	for i, v := range b.Value {
		if math.IsNaN(v) || math.IsInf(v, 0) || i > 0 && v > b.Value[i-1] {
			t.Errorf("values %v: expected finite ones that decrease", b.Value)
		}
	}
}

// Every method finds the answer of an easy problem, with the same bits on one
// thread and on two.
func TestMethodsFindTheAnswer(t *testing.T) {
	t.Parallel()
	g := pcatest.NewGaussian(1, 4000, pcatest.EasyDims)
	p := pcatest.ProblemOf(g.Rows, pcatest.EasyK)
	eachMethod(t, func(t *testing.T, name string, m method.Method) {
		b, err := solve(m, g.Rows, p)
		if err != nil {
			t.Fatal(err)
		}
		examineBasis(t, b, pcatest.EasyDims, pcatest.EasyK)
		if b.K != pcatest.EasyK {
			t.Fatalf("found %d components, expected %d", b.K, pcatest.EasyK)
		}
		missed, most := g.Missed(b), 5e-2
		if _, ok := m.(method.Batch); ok {
			missed, most = pcatest.MissedOf(g.Rows, b), 1e-6
		}
		if other, ok := lessExact[name]; ok {
			most = other
		}
		if _, ok := m.(method.Restricted); ok { // whose components are not to be the best
			most = 0.5
		}
		t.Logf("missed %.3g of the optimum", missed)
		if !(missed <= most) || missed < -1e-9 {
			t.Errorf("missed %g of the optimum, expected at most %g", missed, most)
		}
		p := p
		p.Threads = 2
		again, err := solve(m, g.Rows, p)
		if err != nil {
			t.Fatal(err)
		}
		pcatest.SameBits(t, "two threads", b, again)
	})
}

// Sparse rows are the same rows, whether or not an offset makes them dense.
func TestMethodsTakeSparseRows(t *testing.T) {
	dense, sparse := thinned(400, 20)
	eachMethod(t, func(t *testing.T, name string, m method.Method) {
		for _, offset := range [][]float64{nil, dense.Factor} {
			dense.Offset, sparse.Offset = offset, offset
			p := pcatest.ProblemOf(dense, 1)
			a, err := solve(m, dense, p)
			if err != nil {
				t.Fatal(err)
			}
			b, err := solve(m, sparse, p)
			if err != nil {
				t.Fatal(err)
			}
			if got := math.Abs(vec.Dot64(a.Row(0), b.Row(0))); math.Abs(got-1) > 1e-9 {
				t.Errorf("offset %v: the cosine with that of dense rows is %.12g", offset != nil, got)
			}
		}
	})
}

// Rows at the edge of what may be asked: nothing panics, and what is found is
// finite and orthonormal.
func TestMethodsAtTheEdge(t *testing.T) {
	t.Parallel()
	easy := pcatest.NewGaussian(4, 400, 8).Rows
	by := func(factor float64) view.Rows {
		f := make([]float64, 8)
		for j := range f {
			f[j] = factor
		}
		return view.Rows{X: easy.X, Factor: f}
	}
	fill := func(n, d int, value func(i, j int) float32) view.Rows {
		m := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
		for i := range m.Value {
			m.Value[i] = value(i/d, i%d)
		}
		return view.Rows{X: m}
	}
	some := easy.X.(*matrix.Dense).Value
	for _, c := range []struct {
		name    string
		rows    view.Rows
		k       int
		unknown bool // the number of rows
	}{
		{"huge", by(1e70), 3, false},
		{"tiny", by(1e-70), 3, false},
		{"tinier", by(1e-100), 3, false},
		{"k=d", easy, 8, false},
		{"k=1", easy, 1, false},
		{"d=1", fill(50, 1, func(i, _ int) float32 { return some[i] }), 1, false},
		{"no rows", fill(0, 8, nil), 3, true},
		{"two rows", easy.Part(0, 2), 5, true},
		{"zero rows", fill(50, 8, func(int, int) float32 { return 0 }), 3, false},
		{"zero rows first", fill(50, 8, func(i, j int) float32 { return some[i*8+j] * float32(i/30) }), 3, false},
		{"constant rows", fill(50, 8, func(_, j int) float32 { return float32(j) }), 3, false},
		{"axes", fill(50, 8, func(i, j int) float32 {
			if i%8 == j {
				return 1
			}
			return 0
		}), 3, false},
		{"one very long row", fill(50, 8, func(i, j int) float32 {
			if i == 20 {
				return 1e18 * some[j]
			}
			return some[i*8+j]
		}), 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, d := c.rows.Dims()
			eachMethod(t, func(t *testing.T, _ string, m method.Method) {
				p := pcatest.ProblemOf(c.rows, c.k)
				if c.unknown {
					p.Rows = 0
				}
				b, err := solve(m, c.rows, p)
				if errors.Is(err, errRefused) {
					t.Skip(err)
				}
				if err != nil {
					t.Logf("error: %v", err)
					return
				}
				examineBasis(t, b, d, c.k)
			})
		})
	}
}

// thinned is rows of which about a third is not zero, dense and sparse.
func thinned(n, d int) (dense, sparse view.Rows) {
	rng := rand.New(rand.NewPCG(6, 6))
	m := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	s := &matrix.CSR{Cols: d, Start: []int64{0}}
	for i := range n {
		length := rng.NormFloat64()
		for j := range d {
			if rng.IntN(3) == 0 {
				v := float32(rng.NormFloat64() + 3*length*float64(j%5)/5)
				m.Value[i*d+j] = v
				s.Index, s.Value = append(s.Index, uint32(j)), append(s.Value, v)
			}
		}
		s.Start = append(s.Start, int64(len(s.Value)))
	}
	factor := make([]float64, d)
	for j := range factor {
		factor[j] = 0.5 + rng.Float64()
	}
	return view.Rows{X: m, Factor: factor}, view.Rows{X: s, Factor: factor}
}

// A batch method ends soon after its context does.
func TestBatchMethodsStop(t *testing.T) {
	g := pcatest.NewGaussian(27, 3000, pcatest.EasyDims).Rows
	ctx, stop := context.WithCancel(context.Background())
	stop()
	eachMethod(t, func(t *testing.T, _ string, m method.Method) {
		if batch, ok := m.(method.Batch); ok {
			if _, err := batch.Solve(ctx, g, pcatest.ProblemOf(g, pcatest.EasyK)); !errors.Is(err, context.Canceled) {
				t.Errorf("found %v, expected %v", err, context.Canceled)
			}
		}
	})
}
