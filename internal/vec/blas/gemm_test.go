package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

func drawBlock[T vec.Float](r *rand.Rand, rows, cols int) Block[T] {
	b := Block[T]{Rows: rows, Cols: cols, Stride: cols + r.IntN(4)}
	b.Value = make([]T, rows*b.Stride)
	for i := range b.Value {
		b.Value[i] = T(r.NormFloat64())
	}
	return b
}

// symmetric returns a symmetric block.
func symmetric[T vec.Float](r *rand.Rand, n int) Block[T] {
	b := drawBlock[T](r, n, n)
	for i := range n {
		for j := range i {
			b.Value[j*b.Stride+i] = b.Value[i*b.Stride+j]
		}
	}
	return b
}

func (b Block[T]) clone() Block[T] {
	b.Value = slices.Clone(b.Value)
	return b
}

// chains adds to c[i][j] the chain of fma(a(i, k), b(k, j), .): the contract.
func chains[T vec.Float](c Block[T], depth int, fma func(a, b, c T) T, a func(i, k int) T, b func(k, j int) T) {
	for i := range c.Rows {
		for j := range c.Cols {
			s := &c.Value[i*c.Stride+j]
			for k := range depth {
				*s = fma(a(i, k), b(k, j), *s)
			}
		}
	}
}

// mirrored copies the lower triangle to the upper.
func mirrored[T vec.Float](c Block[T]) Block[T] {
	for i := range c.Rows {
		for j := range i {
			c.Value[j*c.Stride+i] = c.Value[i*c.Stride+j]
		}
	}
	return c
}

func at[T vec.Float](b Block[T]) func(i, j int) T {
	return func(i, j int) T { return b.Value[i*b.Stride+j] }
}

func transposed[T vec.Float](b Block[T]) func(i, j int) T {
	return func(i, j int) T { return b.Value[j*b.Stride+i] }
}

// checkProducts compares all products of one size with their contract, on
// every level.
func checkProducts(t *testing.T, r *rand.Rand, m, n, k int) {
	t.Helper()
	checkDouble(t, r, m, n, k)
	checkMixed(t, r, m, n, k)
	checkGram(t, r, m, k)
	x, h, weight := drawBlock[float32](r, k, m), symmetric[float64](r, m), drawBlock[float64](r, 1, k).Value[:k]
	want := h.clone()
	chains(want, k, math.FMA, func(j, i int) float64 { return weight[i] * float64(at(x)(i, j)) },
		func(i, l int) float64 { return float64(at(x)(i, l)) })
	compare(t, fmt.Sprint("WeightedGram ", m, k), h, mirrored(want), func(h Block[float64], threads int) { WeightedGram(h, weight, x, threads) })
}

// checkGram compares Gram and GramSingle of k rows.
func checkGram(t *testing.T, r *rand.Rand, m, k int) {
	t.Helper()
	x, h := drawBlock[float32](r, k, m), symmetric[float64](r, m)
	one, single := h.clone(), h.clone()
	value := func(i, j int) float64 { return float64(at(x)(i, j)) }
	chains(one, k, math.FMA, func(j, i int) float64 { return value(i, j) }, value)
	compare(t, fmt.Sprint("Gram ", m, k), h, mirrored(one), func(h Block[float64], threads int) { Gram(h, x, threads) })
	for from := 0; from < k; from += 256 {
		part := Block[float32]{make([]float32, m*m), m, m, m}
		rows := Block[float32]{x.Value[from*x.Stride:], min(256, k-from), m, x.Stride}
		chains(part, rows.Rows, vec.FMA32, transposed(rows), at(rows))
		for i := range m {
			for j := range m {
				single.Value[i*single.Stride+j] += float64(part.Value[i*m+j])
			}
		}
	}
	compare(t, fmt.Sprint("GramSingle ", m, k), h, mirrored(single), func(h Block[float64], threads int) { GramSingle(h, x, threads) })
}

// TestGramSingleExact: sums of integers below 2^8 have no error.
func TestGramSingleExact(t *testing.T) {
	const n, d = 700, 40
	x := Block[float32]{make([]float32, n*d), n, d, d}
	for i := range x.Value {
		x.Value[i] = 255 - float32(i%3)
	}
	single, exact := Block[float64]{make([]float64, d*d), d, d, d}, Block[float64]{make([]float64, d*d), d, d, d}
	GramSingle(single, x, 0)
	Gram(exact, x, 0)
	if !slices.Equal(single.Value, exact.Value) {
		t.Error("not the sums of integers")
	}
}

// checkDouble compares the products in double precision.
func checkDouble(t *testing.T, r *rand.Rand, m, n, k int) {
	t.Helper()
	a, b, c := drawBlock[float64](r, m, k), drawBlock[float64](r, n, k), drawBlock[float64](r, m, n)
	want := c.clone()
	chains(want, k, math.FMA, at(a), transposed(b))
	compare(t, fmt.Sprintf("Gemm64 %d %d %d", m, n, k), c, want, func(c Block[float64], threads int) { Gemm64(c, a, b, threads) })

	a, b, c = drawBlock[float64](r, k, m), drawBlock[float64](r, k, n), drawBlock[float64](r, m, n)
	want = c.clone()
	chains(want, k, math.FMA, transposed(a), at(b))
	compare(t, fmt.Sprintf("GemmCols64 %d %d %d", m, n, k), c, want, func(c Block[float64], threads int) { GemmCols64(c, a, b, threads) })

	c, a = symmetric[float64](r, m), drawBlock[float64](r, m, k)
	want = c.clone()
	chains(want, k, math.FMA, at(a), transposed(a))
	compare(t, fmt.Sprintf("SyrkRows64 %d %d", m, k), c, mirrored(want), func(c Block[float64], threads int) { SyrkRows64(c, a, threads) })

	c, a = symmetric[float64](r, m), drawBlock[float64](r, k, m)
	want = c.clone()
	chains(want, k, math.FMA, transposed(a), at(a))
	compare(t, fmt.Sprintf("SyrkCols64 %d %d", m, k), c, mirrored(want), func(c Block[float64], threads int) { SyrkCols64(c, a, threads) })
}

// checkMixed is checkDouble for an A in single precision.
func checkMixed(t *testing.T, r *rand.Rand, m, n, k int) {
	t.Helper()
	a, b, c := drawBlock[float32](r, m, k), drawBlock[float64](r, n, k), drawBlock[float64](r, m, n)
	wide := func(a func(i, j int) float32) func(i, j int) float64 {
		return func(i, j int) float64 { return float64(a(i, j)) }
	}
	want := c.clone()
	chains(want, k, math.FMA, wide(at(a)), transposed(b))
	compare(t, fmt.Sprint("GemmMixed ", m, n, k), c, want, func(c Block[float64], threads int) { GemmMixed(c, a, b, threads) })

	a, b, c = drawBlock[float32](r, k, m), drawBlock[float64](r, k, n), drawBlock[float64](r, m, n)
	want = c.clone()
	chains(want, k, math.FMA, wide(transposed(a)), at(b))
	compare(t, fmt.Sprint("GemmColsMixed ", m, n, k), c, want, func(c Block[float64], threads int) { GemmColsMixed(c, a, b, threads) })
}

// compare runs do on copies of c, on every level and by one and three threads.
func compare[T vec.Float](t *testing.T, name string, c, want Block[T], do func(c Block[T], threads int)) {
	t.Helper()
	check := func(l cpu.Level) {
		for _, threads := range []int{1, 3} {
			got := c.clone()
			do(got, threads)
			if !slices.Equal(got.Value, want.Value) {
				t.Errorf("%s, %s, %d threads: not the chains that the contract states", name, l, threads)
			}
		}
	}
	defer cpu.Use(cpu.Chosen())
	cpu.Use(cpu.Portable)
	check(cpu.Portable)
	vectest.EachLevel(t, check)
}

func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range 40 {
		checkProducts(t, r, 1+r.IntN(40), 1+r.IntN(70), r.IntN(30))
	}
	for _, c := range [][3]int{{0, 3, 2}, {3, 0, 2}, {1, 1, 1}, {12, 32, 256}, {25, 33, 257}, {13, 65, 600}, {205, 40, 3}, {26, 10, 1100}, {13, 128, 9}, {13, 129, 8}, {14, 70, 1025}} {
		checkProducts(t, r, c[0], c[1], c[2])
	}
	// More than one block of columns.
	a, b, c := drawBlock[float64](r, 5, 3), drawBlock[float64](r, colsOfBlock+100, 3), drawBlock[float64](r, 5, colsOfBlock+100)
	want := c.clone()
	chains(want, 3, math.FMA, at(a), transposed(b))
	compare(t, "wide Gemm", c, want, func(c Block[float64], threads int) { Gemm64(c, a, b, threads) })
}

// TestNarrow: of a matrix of few columns, times itself, runs of 4096 rows (of very many more) have sums of
// their own, which are added in order.
func TestNarrow(t *testing.T) {
	if terms := termsOfRun(1 << 20); terms != 1<<14 {
		t.Errorf("runs of %d rows, expected 64 of them", terms)
	}
	const k, d = 9000, 5
	r := rand.New(rand.NewPCG(21, 22))
	x, h, weight := drawBlock[float32](r, k, d), symmetric[float64](r, d+1), drawBlock[float64](r, 1, k).Value[:k]
	with := Block[float32]{make([]float32, k*(d+1)), k, d + 1, d + 1} // a column of ones
	wide := Block[float64]{make([]float64, k*(d+1)), k, d + 1, d + 1}
	for i := range k {
		copy(with.Value[i*(d+1):], append(slices.Clone(x.Value[i*x.Stride:][:d]), 1))
	}
	for i, v := range with.Value {
		wide.Value[i] = float64(v)
	}
	for name, do := range map[string]func(h Block[float64], from, to, threads int){
		"WeightedGram": func(h Block[float64], from, to, threads int) {
			WeightedGram(h, weight[from:to], rowsOf(x, from, to), threads)
		},
		"Gram":       func(h Block[float64], from, to, threads int) { Gram(h, rowsOf(with, from, to), threads) },
		"GramSingle": func(h Block[float64], from, to, threads int) { GramSingle(h, rowsOf(with, from, to), threads) },
		"SyrkCols64": func(h Block[float64], from, to, threads int) { SyrkCols64(h, rowsOf(wide, from, to), threads) },
	} {
		want := h.clone()
		do(want, 0, 4096, 1)
		for from := 4096; from < k; from += 4096 {
			run := Block[float64]{make([]float64, (d+1)*(d+1)), d + 1, d + 1, d + 1}
			do(run, from, min(k, from+4096), 1)
			for i := range d + 1 {
				for j := range d + 1 {
					want.Value[i*want.Stride+j] += run.Value[i*(d+1)+j]
				}
			}
		}
		compare(t, name, h, want, func(h Block[float64], threads int) { do(h, 0, k, threads) })
	}
	same := h.clone()
	ones := slices.Repeat([]float64{1}, k)
	WeightedGram(same, ones, x, 1)
	compare(t, "a column of ones", h, same, func(h Block[float64], threads int) { Gram(h, with, threads) })
}

// rowsOf returns some rows of a block.
func rowsOf[T vec.Float](b Block[T], from, to int) Block[T] {
	return Block[T]{b.Value[from*b.Stride:], to - from, b.Cols, b.Stride}
}

func TestProductsRefuse(t *testing.T) {
	block := func(rows, cols, stride, values int) Block[float64] {
		return Block[float64]{make([]float64, values), rows, cols, stride}
	}
	good := block(3, 3, 3, 9)
	for name, f := range map[string]func(){
		"short value": func() { Gemm64(good, good, block(3, 3, 3, 8), 1) },
		"overlap":     func() { Gemm64(good, block(3, 3, 2, 9), good, 1) },
		"negative":    func() { Gemm64(good, block(-3, 3, 3, 9), good, 1) },
		"depth":       func() { Gemm64(good, block(3, 2, 2, 6), good, 1) },
		"rows of c":   func() { Gemm64(good, block(2, 3, 3, 6), good, 1) },
		"square c":    func() { SyrkCols64(good, block(3, 2, 2, 6), 1) },
		"short c":     func() { SyrkRows64(block(3, 3, 4, 10), good, 1) },
		"tall c":      func() { Gemm64(good, block(24, 3, 3, 72), good, 1) },
		"columns":     func() { GemmCols64(good, good, block(2, 3, 3, 6), 1) },
		"columns c":   func() { GemmCols64(good, block(3, 40, 40, 120), good, 1) },
		"Gram":        func() { Gram(good, Block[float32]{make([]float32, 6), 3, 2, 2}, 1) },
		"GramSingle":  func() { GramSingle(good, Block[float32]{make([]float32, 6), 3, 2, 2}, 1) },
		"few weights": func() { WeightedGram(good, make([]float64, 2), Block[float32]{make([]float32, 9), 3, 3, 3}, 1) },
	} {
		if !vectest.Panics(f) {
			t.Errorf("%s: no panic", name)
		}
	}
}

func BenchmarkProduct(b *testing.B) {
	const m, k = 2000, 784
	r := rand.New(rand.NewPCG(19, 20))
	a32, a64 := drawBlock[float32](r, m, k), drawBlock[float64](r, m, k)
	c64 := drawBlock[float64](r, m, m)
	h, weight := drawBlock[float64](r, k, k), make([]float64, m)
	for _, threads := range []int{1, 2} {
		for _, p := range []struct {
			name  string
			flops float64
			do    func()
		}{
			{"Gemm64", 2 * m * m * k, func() { Gemm64(c64, a64, a64, threads) }},
			{"SyrkRows64", m * m * k, func() { SyrkRows64(c64, a64, threads) }},
			{"SyrkCols64", m * k * k, func() { SyrkCols64(h, a64, threads) }},
			{"WeightedGram", m * k * k, func() { WeightedGram(h, weight, a32, threads) }},
		} {
			vectest.EveryLevel(b, fmt.Sprintf("threads=%d/kernel=%s", threads, p.name), func(b *testing.B) {
				if cpu.Chosen() == cpu.Portable {
					b.Skip("seconds")
				}
				for b.Loop() {
					p.do()
				}
				b.ReportMetric(p.flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}
