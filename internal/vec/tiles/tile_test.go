package tiles

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

// A tiling is the arguments of one tile.
type tiling[T vec.Float] struct {
	width       int
	block       []T
	slot, index []uint32
	start       []int64
	value       []float32
	at          []int
}

// drawTiling makes rows, each of which repeats no column, and places for them
// in reverse order.
func drawTiling[T vec.Float](r *rand.Rand, width, cols int, mapped bool) tiling[T] {
	t := tiling[T]{width: width, start: []int64{0}, block: make([]T, width*cols)}
	for i := range t.block {
		t.block[i] = T(r.NormFloat64() * float64(r.IntN(3)))
	}
	domain := cols
	if mapped {
		t.slot = make([]uint32, 2*cols)
		for j := range t.slot {
			t.slot[j] = uint32(r.IntN(cols))
		}
		domain = 2 * cols
	}
	rows := r.IntN(9)
	for i := range rows {
		columns := r.Perm(domain)[:r.IntN(domain+1)]
		slices.Sort(columns)
		for _, j := range columns {
			t.index, t.value = append(t.index, uint32(j)), append(t.value, float32(r.NormFloat64()))
		}
		t.start, t.at = append(t.start, int64(len(t.index))), append(t.at, (rows-1-i)*(width+3))
	}
	return t
}

// TestSparse compares with the chain that is stated, on every level.
func TestSparse(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 300 {
		mapped, cols := r.IntN(2) == 0, 1+r.IntN(40)
		checkTiling(t, drawTiling[float32](r, []int{Width32, NarrowWidth32}[r.IntN(2)], cols, mapped), vec.FMA32, Sparse32)
		checkTiling(t, drawTiling[float64](r, []int{Width64, NarrowWidth64}[r.IntN(2)], cols, mapped), math.FMA, Sparse64)
	}
}

func checkTiling[T vec.Float](t *testing.T, g tiling[T], fma func(a, b, c T) T,
	tile func(dst []T, at []int, block []T, width int, slot []uint32, start []int64, index []uint32, value []float32)) {
	t.Helper()
	want := make([]T, len(g.at)*(g.width+3))
	for i := range want {
		want[i] = 7
	}
	dst := slices.Clone(want)
	for r, to := range g.at {
		for l := range g.width {
			sum := T(0)
			for k := g.start[r]; k < g.start[r+1]; k++ {
				j := g.index[k]
				if g.slot != nil {
					j = g.slot[j]
				}
				sum = fma(T(g.value[k]), g.block[int(j)*g.width+l], sum)
			}
			want[to+l] = sum
		}
	}
	check := func(l cpu.Level) {
		got := slices.Clone(dst)
		tile(got, g.at, g.block, g.width, g.slot, g.start, g.index, g.value)
		if !slices.Equal(got, want) {
			t.Fatalf("%s, width %d, %d rows: not the chains that the contract states", l, g.width, len(g.at))
		}
	}
	defer cpu.Use(cpu.Chosen())
	cpu.Use(cpu.Portable)
	check(cpu.Portable)
	vectest.EachLevel(t, check)
}

// TestSparseRefuses gives arguments of wrong shape and indices that are too
// large, on every level.
func TestSparseRefuses(t *testing.T) {
	call := func(change func(g *tiling[float32])) func() {
		g := tiling[float32]{width: 16, block: make([]float32, 32), start: []int64{0, 1, 3}, index: []uint32{1, 0, 1}, value: make([]float32, 3), at: []int{0, 16}}
		change(&g)
		return func() { Sparse32(make([]float32, 32), g.at, g.block, g.width, g.slot, g.start, g.index, g.value) }
	}
	if vectest.Panics(call(func(*tiling[float32]) {})) {
		t.Fatal("good arguments panic")
	}
	check := func(l cpu.Level) {
		for name, f := range map[string]func(){
			"width":   call(func(g *tiling[float32]) { g.width = 17 }),
			"block":   call(func(g *tiling[float32]) { g.block = g.block[1:] }),
			"start":   call(func(g *tiling[float32]) { g.start = g.start[:2] }),
			"falling": call(func(g *tiling[float32]) { g.start = []int64{0, 4, 3} }),
			"before":  call(func(g *tiling[float32]) { g.start[0] = -1 }),
			"value":   call(func(g *tiling[float32]) { g.value = g.value[:2] }),
			"index":   call(func(g *tiling[float32]) { g.index[2] = 2 }),
			"indices": call(func(g *tiling[float32]) { g.index = g.index[:2] }),
			"slot":    call(func(g *tiling[float32]) { g.slot = []uint32{0} }),
			"slots":   call(func(g *tiling[float32]) { g.slot = []uint32{0, 2} }),
			"at":      call(func(g *tiling[float32]) { g.at[1] = 17 }),
			"at less": call(func(g *tiling[float32]) { g.at[1] = -1 }),
		} {
			if !vectest.Panics(f) {
				t.Errorf("%s, wrong %s: no panic", l, name)
			}
		}
	}
	check(cpu.Chosen())
	vectest.EachLevel(t, check)
}
