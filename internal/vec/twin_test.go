package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

// TestCanonicalOrder holds plain Go to the order that the package comment
// states, written as it is stated.
func TestCanonicalOrder(t *testing.T) {
	defer cpu.Use(cpu.Chosen())
	cpu.Use(cpu.Portable)
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 100 {
		o := vectest.DrawOperands(r, n, n%3)
		gathered := make([]float64, n)
		for k, j := range o.Index {
			gathered[k] = o.W[j]
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"Dot", Dot(o.X, o.Y32), stated(32, o.X, vectest.Widened(o.Y32))},
			{"Dot64", Dot64(o.X, o.Y), stated(32, o.X, o.Y)},
			{"SquaredNorm", SquaredNorm(o.X32), stated(32, vectest.Widened(o.X32), vectest.Widened(o.X32))},
			{"SquaredNorm64", SquaredNorm64(o.X), stated(32, o.X, o.X)},
			{"SparseDot", SparseDot(o.W, o.Index, o.X32), stated(8, gathered, vectest.Widened(o.X32))},
		} {
			if !vectest.SameBits([]float64{c.got}, []float64{c.want}) {
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
						if !vectest.Panics(f) {
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
	vectest.EachLevel(t, check)
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
		"PrefetchRow": func() { PrefetchRow(index[:3:3], x) },
	} {
		if !vectest.Panics(f) {
			t.Errorf("%s: no panic", name)
		}
	}
}

func TestTwins(t *testing.T) { vectest.Twins(t, kernels) }

func FuzzTwins(f *testing.F) { vectest.FuzzTwins(f, kernels) }
