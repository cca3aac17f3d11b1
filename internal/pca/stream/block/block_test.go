package block

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// blockMethods are the methods that learn from blocks, with blocks small enough to
// have several of them.
var blockMethods = []string{"block-power", "history:block=64", "history:block=64,memory=5,fresh=3", "frequent-directions", "ipca:batch=64", "ipca:batch=64,center=true"}

// spread returns n random rows of d features whose standard deviations fall from 4 by
// the ratio: some of the values are zero, and are left out if sparse.
func spread(rng *rand.Rand, n, d int, ratio float64, sparse bool) view.Rows {
	full, x := &matrix.Dense{Rows: n, Cols: d}, &matrix.CSR{Start: []int64{0}, Index: []uint32{}}
	for range n {
		var index []uint32
		var value []float32
		deviation := 4.0
		for j := range d {
			v := float32(0)
			if rng.IntN(3) > 0 {
				v = float32(deviation * rng.NormFloat64())
				index, value = append(index, uint32(j)), append(value, v)
			}
			full.Value = append(full.Value, v)
			deviation *= ratio
		}
		x.Append(index, value)
	}
	x.Cols = d
	if sparse {
		return view.Rows{X: x}
	}
	return view.Rows{X: full}
}

func feed(s method.State, x view.Rows, pieces ...int) {
	n, _ := x.Dims()
	lo := 0
	for _, hi := range append(pieces, n) {
		s.Learn(x.Part(lo, hi))
		lo = hi
	}
}

func TestBlockMethodsKeep(t *testing.T) {
	t.Parallel()
	const n, d, k = 4100, 12, 3
	for _, spec := range blockMethods {
		for _, sparse := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,sparse=%v", spec, sparse), func(t *testing.T) {
				x := spread(rand.New(rand.NewPCG(5, 1)), n, d, 0.8, sparse)
				x.Offset, x.Factor = pcatest.Normal(rand.New(rand.NewPCG(5, 2)), d), pcatest.Normal(rand.New(rand.NewPCG(5, 3)), d)
				p := method.Problem{Cols: d, K: k, Seed: 7, Threads: 1}
				at := func(s method.State, threads int) map[string][]float64 {
					feed(s, x)
					return method.Keep(s)
				}
				want := at(pcatest.StartOf(t, spec, p), 1)
				p.Threads = 2
				s := pcatest.StartOf(t, spec, p)
				if !equalLists(at(s, 2), want) {
					t.Error("other bits on two threads")
				}
				b := s.Basis()
				if b.K != k || b.Departure() > 1e-12 || !slices.IsSortedFunc(b.Value, func(a, b float64) int { return -compare(a, b) }) {
					t.Errorf("found %d directions, %g off orthonormal, with the values %v", b.K, b.Departure(), b.Value)
				}
				if !equalLists(method.Keep(s), want) {
					t.Error("Basis changes the state")
				}
				s = pcatest.StartOf(t, spec, p)
				feed(s, x.Part(0, 2048), 1024)
				again := pcatest.StartOf(t, spec, p)
				if err := method.Restore(again, method.Keep(s)); err != nil {
					t.Fatal(err)
				}
				feed(again, x.Part(2048, n))
				if !equalLists(method.Keep(again), want) {
					t.Error("other bits when it is cut, kept and restored")
				}
				for name, list := range want {
					broken := maps.Clone(want)
					if broken[name] = append(slices.Clone(list), 0.5); method.Restore(pcatest.StartOf(t, spec, p), broken) == nil {
						t.Errorf("restored %s with a number too many", name)
					}
					delete(broken, name)
					if method.Restore(pcatest.StartOf(t, spec, p), broken) == nil {
						t.Errorf("restored without %s", name)
					}
				}
			})
		}
	}
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func equalLists(a, b map[string][]float64) bool {
	return maps.EqualFunc(a, b, func(a, b []float64) bool { return slices.Equal(a, b) })
}

// Sparse and dense rows are the same rows, and all of them find what there is.
func TestBlockMethodsFind(t *testing.T) {
	t.Parallel()
	const n, d, k = 6000, 30, 4
	for _, spec := range append([]string{"history", "ipca"}, blockMethods...) {
		rng := rand.New(rand.NewPCG(6, 1))
		dense, sparse := spread(rng, n, d, 0.75, false), view.Rows{}
		sparse = spread(rand.New(rand.NewPCG(6, 1)), n, d, 0.75, true)
		best := exact(dense, k)
		var bases []method.Basis
		for _, x := range []view.Rows{dense, sparse} {
			s := pcatest.StartOf(t, spec, method.Problem{Cols: d, K: k})
			feed(s, x)
			b := s.Basis()
			bases = append(bases, b)
			if lost := 1 - moment(x, b)/best; !(lost < 0.002) {
				t.Errorf("%s: lost %g of what there is", spec, lost)
			}
			for i, v := range b.Value {
				if along := moment(x, method.Basis{K: 1, Cols: d, Component: b.Row(i)}) / n; spec != "block-power" && v > along*(1+1e-6) && spec != "ipca:batch=64,center=true" {
					t.Errorf("%s: value %d is %g, more than the %g there is", spec, i, v, along)
				}
			}
		}
		bases[0].Orient()
		bases[1].Orient()
		if off := pcatest.LargestDifference(bases[0].Component, bases[1].Component); off > 1e-6 {
			t.Errorf("%s: sparse rows give directions that are %g off those of dense ones", spec, off)
		}
	}
}

// moment returns the sum of the squared products with the rows.
func moment(x view.Rows, b method.Basis) float64 {
	n, _ := x.Dims()
	y := make([]float64, n*b.K)
	x.Times(y, b.Component, b.K, 1)
	return vec.SquaredNorm64(y)
}

// gramOf returns the sum of x x^T.
func gramOf(x view.Rows) []float64 {
	_, d := x.Dims()
	a, identity := make([]float64, d*d), make([]float64, d*d)
	for j := range d {
		identity[j*d+j] = 1
	}
	x.Power(a, identity, d, 1)
	return a
}

// spectrum returns the eigenvalues of a, which it leaves.
func spectrum(a []float64, d int) []float64 {
	value := make([]float64, d)
	var e algebra.Eigensystem
	e.Decompose(value, slices.Clone(a), d)
	return value
}

// exact returns the sum of the k largest eigenvalues of the sum of x x^T.
func exact(x view.Rows, k int) float64 {
	_, d := x.Dims()
	sum := 0.0
	for _, v := range spectrum(gramOf(x), d)[:k] {
		sum += v
	}
	return sum
}

// less returns A - H^T H.
func (s *sketch) less(a []float64) []float64 {
	a = slices.Clone(a)
	for i := range s.rows() {
		row := s.h[i*s.cols : (i+1)*s.cols]
		for j, x := range row {
			vec.Axpy64(a[j*s.cols:(j+1)*s.cols], -x, row)
		}
	}
	return a
}

// The guarantee: 0 <= A - B^T B <= D <= (eigenvalues after k)/(l-k) for every k < l,
// also of merged states.
func TestFrequentDirectionsBound(t *testing.T) {
	t.Parallel()
	const n, d = 700, 24
	for seed := range uint64(12) {
		for _, l := range []int{2, 5, 9, 40} {
			rng := rand.New(rand.NewPCG(8, seed))
			x := spread(rng, n, d, []float64{1, 0.9, 0.6}[seed%3], seed%2 == 0)
			p := method.Problem{Cols: d, K: 1}
			whole := FrequentDirections{Memory: l}.Start(p).(*frequentDirections)
			feed(whole, x, 100, 101, 350)
			one, two := FrequentDirections{Memory: l}.Start(p).(*frequentDirections), FrequentDirections{Memory: l}.Start(p).(*frequentDirections)
			feed(one, x.Part(0, 250))
			feed(two, x.Part(250, n))
			if err := one.Merge(two); err != nil {
				t.Fatal(err)
			}
			a := gramOf(x)
			value := spectrum(a, d)
			for name, s := range map[string]*frequentDirections{"": whole, "merged ": one} {
				off := spectrum(s.less(a), d)
				rounding := 1e-10 * value[0]
				if off[d-1] < -rounding || off[0] > s.Lost()+rounding {
					t.Errorf("%sseed %d, l=%d: A - B^T B has eigenvalues from %g to %g, expected 0 to %g", name, seed, l, off[d-1], off[0], s.Lost())
				}
				for k := range min(l, d) {
					rest := 0.0
					for _, v := range value[k:] {
						rest += v
					}
					if s.Lost() > rest/float64(l-k)+rounding {
						t.Errorf("%sseed %d, l=%d: lost %g, expected at most %g by k=%d", name, seed, l, s.Lost(), rest/float64(l-k), k)
					}
				}
				if s.seen != n {
					t.Errorf("%ssaw %d rows, expected %d", name, s.seen, n)
				}
			}
		}
	}
}

// History never overestimates, and is exact with room for all directions.
func TestHistoryBelow(t *testing.T) {
	const n, d = 1000, 24
	for seed := range uint64(6) {
		x := spread(rand.New(rand.NewPCG(9, seed)), n, d, 0.9, seed%2 == 0)
		a := gramOf(x)
		largest := spectrum(a, d)[0]
		for _, spec := range []string{"history:memory=6,block=50", "history:memory=24,block=50", "history:memory=9,block=1000", "history:memory=6,fresh=4,block=100"} {
			s := pcatest.StartOf(t, spec, method.Problem{Cols: d, K: 2}).(*history)
			feed(s, x, 250, 252, 502)
			off := spectrum(s.less(a), d)
			if off[d-1] < -1e-9*largest {
				t.Errorf("%s: A - H^T H has the eigenvalue %g, the largest of A is %g", spec, off[d-1], largest)
			}
			if s.memory == d && off[0] > 1e-9*largest {
				t.Errorf("%s: A - H^T H has the eigenvalue %g with room for everything", spec, off[0])
			}
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	p := method.Problem{Cols: 5, K: 2}
	for _, spec := range []string{"history", "frequent-directions"} {
		s := pcatest.StartOf(t, spec, p).(merger)
		if err := s.Merge(pcatest.StartOf(t, "block-power", p)); err == nil {
			t.Errorf("%s: merged with block-power", spec)
		}
		if err := s.Merge(pcatest.StartOf(t, spec, method.Problem{Cols: 6, K: 2})); err == nil {
			t.Errorf("%s: merged 5 features with 6", spec)
		}
	}
}

// Rows that are zero, few, of one direction, or very large or small.
func TestBlockMethodsExtremes(t *testing.T) {
	const n, d, k = 300, 9, 3
	for _, spec := range blockMethods {
		for name, scale := range map[string]float32{"zero": 0, "tiny": 1e-30, "huge": 1e30, "one": 1} {
			for _, rank := range []int{1, 2, d} {
				x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
				rng := rand.New(rand.NewPCG(10, 1))
				for i := range n {
					for j := range rank {
						x.Value[i*d+j] = scale * float32(rng.NormFloat64())
					}
				}
				r := view.Rows{X: x}
				if name == "one" { // as long as may be
					r.Factor = slices.Repeat([]float64{1e75}, d)
				}
				for _, rows := range []int{0, 1, 2, 70, n} {
					s := pcatest.StartOf(t, spec, method.Problem{Cols: d, K: k})
					feed(s, r.Part(0, rows))
					b := s.Basis()
					if off := b.Departure(); !(off < 1e-12) || len(b.Component) != b.K*d || b.K > k {
						t.Errorf("%s, %s, rank %d, %d rows: found %d directions, %g off orthonormal", spec, name, rank, rows, b.K, off)
					}
					for _, v := range b.Value {
						if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
							t.Errorf("%s, %s, rank %d, %d rows: found the value %v", spec, name, rank, rows, v)
						}
					}
					if err := method.Restore(pcatest.StartOf(t, spec, method.Problem{Cols: d, K: k}), method.Keep(s)); err != nil {
						t.Errorf("%s, %s, rank %d, %d rows: %v", spec, name, rank, rows, err)
					}
				}
			}
		}
	}
}

// scikit-learn 1.9.1:
//
//	X = np.array([[((i*i*7+j*j*13+i*j*5)%17) + j*(i%3) for j in range(5)] for i in range(12)], float)
//	p = IncrementalPCA(2)
//	for lo, hi in ((0, 5), (5, 9), (9, 12)): p.partial_fit(X[lo:hi])
//	p.components_, p.explained_variance_, p.mean_, p.var_
func TestIncrementalPCAOfScikitLearn(t *testing.T) {
	const n, d, k = 12, 5, 2
	x := &matrix.Dense{Rows: n, Cols: d}
	for i := range n {
		for j := range d {
			x.Value = append(x.Value, float32((i*i*7+j*j*13+i*j*5)%17+j*(i%3)))
		}
	}
	components := []float64{-0.44728240754562915, 0.49320394477821794, -0.3776891344956466, 0.6409953810385404, -0.05625083045232369,
		-0.0753264815481247, -0.3352054442691029, 0.5960764785384217, 0.5932575962911708, 0.4179730702880148}
	explained := []float64{52.48548181436811, 27.605125009623098}
	mean := []float64{7.583333333333333, 9.416666666666666, 7.5, 8.916666666666666, 9.416666666666666}
	variance := []float64{19.243055555555557, 22.076388888888886, 22.583333333333332, 31.743055555555557, 24.409722222222225}

	s := IncrementalPCA{Center: true}.Start(method.Problem{Cols: d, K: k}).(*incrementalPCA)
	outside := IncrementalPCA{}.Start(method.Problem{Cols: d, K: k}).(*incrementalPCA)
	center := IncrementalPCA{Center: true}.Start(method.Problem{Cols: d, K: k}).(*incrementalPCA)
	lo := 0
	for _, hi := range []int{5, 9, 12} {
		part := view.Rows{X: x}.Part(lo, hi)
		s.Learn(part)
		// What centres outside gives the row first, then the batch about its mean.
		before := slices.Clone(center.mean)
		about := center.move(part)
		if lo > 0 {
			away, weight := make([]float64, d), math.Sqrt(float64(lo*(hi-lo))/float64(hi))
			for j := range away {
				away[j] = weight * (about.Offset[j] - before[j])
			}
			outside.Learn(view.Rows{X: &matrix.CSR{Cols: d, Start: []int64{0, 0}, Index: []uint32{}}, Offset: away})
		}
		center.seen = hi
		outside.Learn(about)
		lo = hi
	}
	for name, s := range map[string]*incrementalPCA{"centres": s, "is centred": outside} {
		b := s.Basis()
		b.Orient()
		if off := pcatest.LargestDifference(b.Component, components); off > 1e-10 {
			t.Errorf("%s: components are off by %g", name, off)
		}
		for i := range k {
			if got := b.Value[i] * float64(s.seen) / (n - 1); math.Abs(got-explained[i]) > 1e-10*explained[i] {
				t.Errorf("%s: explained variance %d is %.15g, expected %.15g", name, i, got, explained[i])
			}
		}
	}
	gotMean, gotVariance := s.Moments()
	if off := max(pcatest.LargestDifference(gotMean, mean), pcatest.LargestDifference(gotVariance, variance)); off > 1e-12 {
		t.Errorf("mean and variance are off by %g", off)
	}
}

// Products of rows and of columns give the same.
func TestIncrementalPCAStacks(t *testing.T) {
	const d, k = 40, 5
	for _, sparse := range []bool{false, true} {
		x := spread(rand.New(rand.NewPCG(11, 1)), 100, d, 0.8, sparse)
		x.Offset, x.Factor = pcatest.Normal(rand.New(rand.NewPCG(11, 2)), d), nil
		rows := IncrementalPCA{}.Start(method.Problem{Cols: d, K: k}).(*incrementalPCA)
		columns := IncrementalPCA{}.Start(method.Problem{Cols: d, K: k}).(*incrementalPCA)
		for lo := 0; lo < 100; lo += 20 {
			rows.byRows(x.Part(lo, lo+20))
			columns.byColumns(x.Part(lo, lo+20))
		}
		a, b := method.Basis{K: k, Cols: d, Component: rows.h}, method.Basis{K: k, Cols: d, Component: columns.h}
		a.Orient()
		b.Orient()
		if off := pcatest.LargestDifference(a.Component, b.Component); off > 1e-10 {
			t.Errorf("sparse=%v: off by %g", sparse, off)
		}
	}
}

// Lost returns D: no direction has lost more of its sum of squares.
func (s *frequentDirections) Lost() float64 { return s.lost }

// Moments returns the mean and the variance of every feature, if the state centres.
func (s *incrementalPCA) Moments() (mean, variance []float64) {
	variance = append(variance, s.scatter...)
	for j := range variance {
		variance[j] /= float64(s.seen)
	}
	return append(mean, s.mean...), variance
}
