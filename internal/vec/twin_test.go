package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
)

// The twin tests: every level computes the same bits as plain Go, at all
// lengths and alignments, for numbers of all kinds.

// eachLevel runs do for every level that the processor has but plain Go.
func eachLevel(t testing.TB, do func(l cpu.Level)) {
	t.Helper()
	defer cpu.Use(cpu.Chosen())
	for _, l := range cpu.Levels()[1:] {
		cpu.Use(l)
		do(l)
	}
}

func TestTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	try := func(n, kind, offset int) {
		o := drawOperands(r, n, kind)
		for _, k := range kernels {
			cpu.Use(cpu.Portable)
			want := k.run(o.clone(aligned(0)))
			eachLevel(t, func(l cpu.Level) {
				if got := k.run(o.clone(aligned(offset))); !sameBits(got, want) {
					t.Errorf("%s %s, n=%d, kind %d, offset %d: %v, plain Go has %v", k.name, l, n, kind, offset, got, want)
				}
			})
		}
	}
	defer cpu.Use(cpu.Chosen())
	for n := range 301 {
		try(n, 0, 4*r.IntN(16))
		try(n, 1+n%2, 4*r.IntN(16))
	}
	for offset := 0; offset < 64; offset += 4 {
		for range 10 {
			try(r.IntN(100), r.IntN(3), offset)
		}
	}
	try(1000, 0, 4)
}

// TestCanonicalOrder holds plain Go to the order that the package comment
// states, written as it is stated.
func TestCanonicalOrder(t *testing.T) {
	defer cpu.Use(cpu.Chosen())
	cpu.Use(cpu.Portable)
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 100 {
		o := drawOperands(r, n, n%3)
		gathered := make([]float64, n)
		for k, j := range o.index {
			gathered[k] = o.w[j]
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"Dot", Dot(o.x, o.y32), stated(32, o.x, widened(o.y32))},
			{"Dot64", Dot64(o.x, o.y), stated(32, o.x, o.y)},
			{"SquaredNorm", SquaredNorm(o.x32), stated(32, widened(o.x32), widened(o.x32))},
			{"SquaredNorm64", SquaredNorm64(o.x), stated(32, o.x, o.x)},
			{"SparseDot", SparseDot(o.w, o.index, o.x32), stated(8, gathered, widened(o.x32))},
		} {
			if !sameBits([]float64{c.got}, []float64{c.want}) {
				t.Errorf("%s, n=%d: %v, the stated order gives %v", c.name, n, c.got, c.want)
			}
		}
	}
}

// stated is a sum in the order that the package comment states.
func stated(lanes int, a, b []float64) float64 {
	s := make([]float64, lanes)
	for l := range s {
		for k := l; k < len(a); k += lanes {
			s[l] = math.FMA(a[k], b[k], s[l])
		}
	}
	if lanes == 32 {
		for l := range 8 {
			s[l] = (s[l] + s[l+8]) + (s[l+16] + s[l+24])
		}
	}
	sum := ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
	if sum == 0 {
		return 0
	}
	return sum
}

// TestBadIndex gives sparse kernels an index outside w in each place of a row:
// they panic and leave the memory around w alone.
func TestBadIndex(t *testing.T) {
	check := func(l cpu.Level) {
		for n := 1; n < 30; n++ {
			for at := range n {
				for _, bad := range []uint32{50, 51, 1 << 20, 1<<31 - 1, 1 << 31, math.MaxUint32} {
					around := make([]float64, 150)
					w := around[50:100:100]
					index, value := make([]uint32, n), make([]float32, n)
					for k := range index {
						index[k], value[k] = uint32(k), 1
					}
					index[at] = bad
					for name, f := range map[string]func(){
						"SparseDot":  func() { SparseDot(w, index, value) },
						"SparseAxpy": func() { SparseAxpy(w, 1, index, value) },
						"SparseAxpys": func() {
							SparseAxpys(w, []float64{1, 1, 1}, []int64{0, 0, int64(n / 2), int64(n)}, index, value)
						},
						"SparseDots": func() { SparseDots(make([]float64, 3), w, []int64{0, 0, int64(n / 2), int64(n)}, index, value) },
						"SparseGemv": func() { SparseGemv(make([]float64, 1), w, index, value) },
						"SparseGer":  func() { SparseGer(w, make([]float64, 1), index, value) },
						"empty w":    func() { SparseDot(w[:0], index, value) },
						"empty dst":  func() { SparseAxpy(w[:0], 1, index, value) },
					} {
						if !panics(f) {
							t.Fatalf("%s %s, index %d at %d of %d: no panic", name, l, bad, at, n)
						}
					}
					if slices.Max(around[:50]) != 0 || slices.Max(around[100:]) != 0 {
						t.Fatalf("%s, index %d at %d of %d: wrote outside w", l, bad, at, n)
					}
				}
			}
		}
	}
	check(cpu.Chosen())
	eachLevel(t, check)
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func TestShortArgumentsPanic(t *testing.T) {
	w, x, index := make([]float64, 3), make([]float32, 4), make([]uint32, 3)
	for name, f := range map[string]func(){
		"Dot":         func() { Dot(w[:3:3], x) },
		"Dot64":       func() { Dot64(w[:2:2], w) },
		"Axpy":        func() { Axpy(w[:3:3], 1, x) },
		"Axpy64":      func() { Axpy64(w[:2:2], 1, w) },
		"ScaledAdd":   func() { ScaledAdd(w[:2:2], 1, 1, w) },
		"SparseDot":   func() { SparseDot(w, index[:3:3], x) },
		"SparseAxpy":  func() { SparseAxpy(w, 1, index[:3:3], x) },
		"SparseDots":  func() { SparseDots(w, w, []int64{0, 1, 2}, index, x[:3]) },
		"SparseAxpys": func() { SparseAxpys(w, w, []int64{0, 1, 2}, index, x[:3]) },
		"axpys back":  func() { SparseAxpys(w, []float64{1, 1, 1}, []int64{0, 2, 1, 3}, index, x[:3]) },
		"axpys past":  func() { SparseAxpys(w, []float64{1, 1, 1}, []int64{0, 2, 3, 4}, index, x[:3]) },
		"no index":    func() { SparseDots(w, w, []int64{0, 1, 2, 3}, index[:2:2], x[:3]) },
		"backwards":   func() { SparseDots(w, w, []int64{0, 2, 1, 3}, index, x[:3]) },
		"past value":  func() { SparseDots(w, w, []int64{0, 2, 3, 4}, index, x[:3]) },
		"before it":   func() { SparseDots(w, w, []int64{-1, 2, 3, 3}, index, x[:3]) },
		"ExpTo":       func() { ExpTo(w[:2:2], w) },
		"ExpTo32":     func() { ExpTo32(x[:3:3], x) },
		"SinTo":       func() { SinTo(w[:2:2], w) },
		"CosTo":       func() { CosTo(w[:2:2], w) },
		"SigmoidTo":   func() { SigmoidTo(w[:2:2], w) },
		"SoftplusTo":  func() { SoftplusTo(w[:2:2], w) },
		"EntropyTo":   func() { EntropyTo(w[:2:2], w) },
		"PrefetchRow": func() { PrefetchRow(index[:3:3], x) },
	} {
		if !panics(f) {
			t.Errorf("%s: no panic", name)
		}
	}
}

// FuzzTwins looks for lengths, alignments and numbers on which levels differ.
func FuzzTwins(f *testing.F) {
	f.Add(uint64(1), uint16(17), uint8(4))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, offset uint8) {
		o := drawOperands(rand.New(rand.NewPCG(seed, 1)), int(n)%500, int(seed%3))
		defer cpu.Use(cpu.Chosen())
		for _, k := range kernels {
			cpu.Use(cpu.Portable)
			want := k.run(o.clone(aligned(0)))
			eachLevel(t, func(l cpu.Level) {
				if got := k.run(o.clone(aligned(int(offset) % 64 &^ 3))); !sameBits(got, want) {
					t.Error(fmt.Sprint(k.name, l, got, want))
				}
			})
		}
	})
}
