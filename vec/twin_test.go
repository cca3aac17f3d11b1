package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// The twin tests: every level computes the same bits as plain Go, at all
// lengths and alignments, for numbers of all kinds.

// eachLevel runs do for every level that the processor has but plain Go.
func eachLevel(t testing.TB, do func(l level)) {
	t.Helper()
	defer use(chosen())
	for _, l := range levels()[1:] {
		use(l)
		do(l)
	}
}

// sameBits reports whether a and b are the same numbers; any NaN equals any.
func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y) || (x != x && y != y)
	})
}

// operands are the arguments of one call. Kernels may change w and dst only.
type operands struct {
	x, y        []float64
	x32, y32    []float32
	w           []float64 // longer than the row below
	index       []uint32
	alpha, beta float64
	out         []float64 // one
}

// sum returns a result that is one number.
func (o operands) sum(x float64) []float64 { o.out[0] = x; return o.out }

// clone copies the operands to memory that place provides: in twins of
// alignment only, or against the end of a page.
func (o operands) clone(place func(bytes int) unsafe.Pointer) operands {
	o.x, o.y, o.w = placed(o.x, place), placed(o.y, place), placed(o.w, place)
	o.x32, o.y32, o.index = placed(o.x32, place), placed(o.y32, place), placed(o.index, place)
	o.out = make([]float64, 1)
	return o
}

func placed[T any](s []T, place func(bytes int) unsafe.Pointer) []T {
	p := (*T)(place(len(s) * int(unsafe.Sizeof(*new(T)))))
	c := unsafe.Slice(p, len(s))
	copy(c, s)
	return c
}

// aligned places memory offset bytes after a multiple of 64.
func aligned(offset int) func(int) unsafe.Pointer {
	return func(bytes int) unsafe.Pointer {
		b := make([]uint64, (bytes+128)/8+1)
		p := unsafe.Pointer(&b[0])
		return unsafe.Add(p, (64-int(uintptr(p)%64))%64+offset)
	}
}

// kernels returns the result of each, as numbers.
var kernels = []struct {
	name string
	run  func(o operands) []float64
}{
	{"Dot", func(o operands) []float64 { return o.sum(Dot(o.x, o.y32)) }},
	{"Dot32", func(o operands) []float64 { return o.sum(Dot32(o.x32, o.y32)) }},
	{"Dot64", func(o operands) []float64 { return o.sum(Dot64(o.x, o.y)) }},
	{"SquaredNorm", func(o operands) []float64 { return o.sum(SquaredNorm(o.x32)) }},
	{"SquaredNorm64", func(o operands) []float64 { return o.sum(SquaredNorm64(o.x)) }},
	{"SparseDot", func(o operands) []float64 { return o.sum(SparseDot(o.w, o.index, o.x32)) }},
	{"Axpy", func(o operands) []float64 { Axpy(o.x, o.alpha, o.y32); return o.x }},
	{"Axpy64", func(o operands) []float64 { Axpy64(o.x, o.alpha, o.y); return o.x }},
	{"ScaledAdd", func(o operands) []float64 { ScaledAdd(o.x, o.alpha, o.beta, o.y); return o.x }},
	{"SparseAxpy", func(o operands) []float64 { SparseAxpy(o.w, o.alpha, o.index, o.x32); return o.w }},
	{"ExpTo", func(o operands) []float64 { ExpTo(o.y, spread(o.x, 300)); return o.y }},
	{"ExpTo in place", func(o operands) []float64 { ExpTo(o.x, o.x); return o.x }},
	{"ExpTo32", func(o operands) []float64 { ExpTo32(o.y32, spread(o.x32, 40)); return widened(o.y32) }},
	{"SigmoidTo", func(o operands) []float64 { SigmoidTo(o.y, spread(o.x, 300)); return o.y }},
	{"SoftplusTo", func(o operands) []float64 { SoftplusTo(o.y, spread(o.x, 10)); return o.y }},
	{"PrefetchRow", func(o operands) []float64 { PrefetchRow(o.index, o.x32); return nil }},
}

// spread makes the numbers of kind 0 reach over the whole range of exp.
func spread[T float](x []T, factor T) []T {
	for j := range x {
		x[j] *= factor
	}
	return x
}

// widened returns x in double precision.
func widened(x []float32) []float64 {
	y := make([]float64, len(x))
	for j := range x {
		y[j] = float64(x[j])
	}
	return y
}

// draw returns a number of the given kind: 0 ordinary, 1 of any size, zeros and
// denormals among them, 2 not always finite.
func draw(r *rand.Rand, kind int) float64 {
	pick := r.IntN(20)
	switch {
	case kind == 0:
		return r.NormFloat64()
	case pick == 0:
		return math.Copysign(0, r.NormFloat64())
	case pick < 4:
		return math.Copysign(math.Float64frombits(r.Uint64N(1<<52)), r.NormFloat64())
	case pick < 8:
		return math.Copysign(1e300, r.NormFloat64()) * r.Float64()
	case pick < 12:
		return r.NormFloat64() * 1e-300
	case kind == 2 && pick == 12:
		return math.Inf(1 - 2*r.IntN(2))
	case kind == 2 && pick == 13 && r.IntN(10) == 0:
		return math.NaN()
	}
	return r.NormFloat64()
}

// draw32 is draw in single precision.
func draw32(r *rand.Rand, kind int) float32 {
	x := draw(r, kind)
	switch a := math.Abs(x); {
	case a > 1e200:
		return float32(x * 1e-262)
	case a < 1e-200 && a > 0:
		return float32(x * 1e262)
	}
	return float32(x)
}

func drawOperands(r *rand.Rand, n, kind int) operands {
	o := operands{x: make([]float64, n), y: make([]float64, n), x32: make([]float32, n), y32: make([]float32, n),
		w: make([]float64, 3*n+1), index: make([]uint32, n), alpha: draw(r, min(kind, 1)), beta: draw(r, min(kind, 1)), out: make([]float64, 1)}
	for j := range n {
		o.x[j], o.y[j], o.x32[j], o.y32[j] = draw(r, kind), draw(r, kind), draw32(r, kind), draw32(r, kind)
	}
	for j := range o.w {
		o.w[j] = draw(r, kind)
	}
	for k, j := range r.Perm(len(o.w))[:n] {
		o.index[k] = uint32(j)
	}
	slices.Sort(o.index)
	if n > 0 {
		o.index[n-1] = uint32(len(o.w) - 1)
	}
	return o
}

func TestTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	try := func(n, kind, offset int) {
		o := drawOperands(r, n, kind)
		for _, k := range kernels {
			use(portable)
			want := k.run(o.clone(aligned(0)))
			eachLevel(t, func(l level) {
				if got := k.run(o.clone(aligned(offset))); !sameBits(got, want) {
					t.Errorf("%s %s, n=%d, kind %d, offset %d: %v, plain Go has %v", k.name, l, n, kind, offset, got, want)
				}
			})
		}
	}
	defer use(chosen())
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
	defer use(chosen())
	use(portable)
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
			{"Dot32", Dot32(o.x32, o.y32), stated(32, widened(o.x32), widened(o.y32))},
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
	check := func(l level) {
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
	check(chosen())
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
		"Dot32":       func() { Dot32(x[:3:3], x) },
		"Dot64":       func() { Dot64(w[:2:2], w) },
		"Axpy":        func() { Axpy(w[:3:3], 1, x) },
		"Axpy64":      func() { Axpy64(w[:2:2], 1, w) },
		"ScaledAdd":   func() { ScaledAdd(w[:2:2], 1, 1, w) },
		"SparseDot":   func() { SparseDot(w, index[:3:3], x) },
		"SparseAxpy":  func() { SparseAxpy(w, 1, index[:3:3], x) },
		"ExpTo":       func() { ExpTo(w[:2:2], w) },
		"ExpTo32":     func() { ExpTo32(x[:3:3], x) },
		"SigmoidTo":   func() { SigmoidTo(w[:2:2], w) },
		"SoftplusTo":  func() { SoftplusTo(w[:2:2], w) },
		"PrefetchRow": func() { PrefetchRow(index[:3:3], x) },
	} {
		if !panics(f) {
			t.Errorf("%s: no panic", name)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct{ wanted, want string }{
		{"", "avx2"}, {"avx512", "avx2"}, {"portable", "portable"}, {"avx2", "avx2"}, {"sse", "avx2"},
	} {
		if got := choose([]level{portable, avx2}, c.wanted); string(got) != c.want {
			t.Errorf("choose(%q) = %s, want %s", c.wanted, got, c.want)
		}
	}
}

// FuzzTwins looks for lengths, alignments and numbers on which levels differ.
func FuzzTwins(f *testing.F) {
	f.Add(uint64(1), uint16(17), uint8(4))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, offset uint8) {
		o := drawOperands(rand.New(rand.NewPCG(seed, 1)), int(n)%500, int(seed%3))
		defer use(chosen())
		for _, k := range kernels {
			use(portable)
			want := k.run(o.clone(aligned(0)))
			eachLevel(t, func(l level) {
				if got := k.run(o.clone(aligned(int(offset) % 64 &^ 3))); !sameBits(got, want) {
					t.Error(fmt.Sprint(k.name, l, got, want))
				}
			})
		}
	})
}
