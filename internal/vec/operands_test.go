package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"unsafe"
)

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

// block is a row of up to 37 columns, and the indices as those of rows of w that have as many.
func (o operands) block() (columns []float64, index []uint32) {
	columns, index = o.x[:len(o.x)*7%min(38, len(o.x)+1)], slices.Clone(o.index)
	for k := range index {
		index[k] %= uint32(len(o.w) / max(1, len(columns)))
	}
	return columns, index
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
	{"Dot64", func(o operands) []float64 { return o.sum(Dot64(o.x, o.y)) }},
	{"SquaredNorm", func(o operands) []float64 { return o.sum(SquaredNorm(o.x32)) }},
	{"SquaredNorm64", func(o operands) []float64 { return o.sum(SquaredNorm64(o.x)) }},
	{"SparseDot", func(o operands) []float64 { return o.sum(SparseDot(o.w, o.index, o.x32)) }},
	{"SparseDots", func(o operands) []float64 {
		start := growing(len(o.x32))
		dst := make([]float64, len(start)-1)
		SparseDots(dst, o.w, start, o.index, o.x32)
		return dst
	}},
	{"SparseAxpys", func(o operands) []float64 {
		start := growing(len(o.x32))
		scale := slices.Repeat([]float64{o.alpha, o.beta, 0}, len(start))[:len(start)-1]
		SparseAxpys(o.w, scale, start, o.index, o.x32)
		return o.w
	}},
	{"SparseGemv", func(o operands) []float64 {
		dst, index := o.block()
		SparseGemv(dst, o.w, index, o.x32)
		return dst
	}},
	{"SparseGemv without indices", func(o operands) []float64 {
		dst, _ := o.block()
		SparseGemv(dst, o.w, nil, o.x32[:min(len(o.x32), len(o.w)/max(1, len(dst)))])
		return dst
	}},
	{"SparseGer", func(o operands) []float64 {
		v, index := o.block()
		SparseGer(o.w, v, index, o.x32)
		return o.w
	}},
	{"Axpy", func(o operands) []float64 { Axpy(o.x, o.alpha, o.y32); return o.x }},
	{"Axpy64", func(o operands) []float64 { Axpy64(o.x, o.alpha, o.y); return o.x }},
	{"ScaledAdd", func(o operands) []float64 { ScaledAdd(o.x, o.alpha, o.beta, o.y); return o.x }},
	{"SparseAxpy", func(o operands) []float64 { SparseAxpy(o.w, o.alpha, o.index, o.x32); return o.w }},
	{"ExpTo", func(o operands) []float64 { ExpTo(o.y, spread(o.x, 300)); return o.y }},
	{"ExpTo in place", func(o operands) []float64 { ExpTo(o.x, o.x); return o.x }},
	{"SinTo", func(o operands) []float64 { SinTo(o.y, spread(o.x, 3)); return o.y }},
	{"CosTo", func(o operands) []float64 { CosTo(o.y, spread(o.x, 1e9)); return o.y }},
	{"SinTo in place", func(o operands) []float64 { SinTo(o.x, o.x); return o.x }},
	{"ExpTo32", func(o operands) []float64 { ExpTo32(o.y32, spread(o.x32, 40)); return widened(o.y32) }},
	{"Gaussian32", func(o operands) []float64 { Gaussian32(o.y32, 1, o.x32, 0.7); return widened(o.y32) }},
	{"Gaussian64", func(o operands) []float64 { Gaussian64(o.y, 1, o.x, 0.7); return o.y }},
	{"AddRows32", func(o operands) []float64 {
		AddRows32(o.x, [][]float32{o.x32, o.y32, o.x32}, 0, []float64{o.alpha, o.beta, 3})
		return o.x
	}},
	{"AddRows64", func(o operands) []float64 {
		AddRows64(o.x, [][]float64{o.y, o.y}, 0, []float64{o.alpha, o.beta})
		return o.x
	}},
	{"Extremes", func(o operands) []float64 {
		i, j := Extremes(o.w, o.y, o.x)
		return []float64{float64(i), float64(j)}
	}},
	{"Partner", func(o operands) []float64 {
		return o.sum(float64(Partner(o.beta, o.alpha, 1e-12, o.y, o.x, o.w, o.w[len(o.x):])))
	}},
	{"SigmoidTo", func(o operands) []float64 { SigmoidTo(o.y, spread(o.x, 300)); return o.y }},
	{"EntropyTo", func(o operands) []float64 { EntropyTo(o.y, o.x); return o.y }},
	{"EntropyTo of probabilities", func(o operands) []float64 { SigmoidTo(o.y, spread(o.x, 10)); EntropyTo(o.y, o.y); return o.y }},
	{"SoftplusTo", func(o operands) []float64 { SoftplusTo(o.y, spread(o.x, 10)); return o.y }},
	{"PrefetchRow", func(o operands) []float64 { PrefetchRow(o.index, o.x32); return nil }},
	{"PrefetchElements", func(o operands) []float64 { PrefetchElements(o.w, o.index); return nil }},
}

// growing cuts n elements into rows of 0, 1, 2, ... and the rest.
func growing(n int) []int64 {
	start := []int64{0}
	for at := 0; at < n; at += len(start) {
		start = append(start, int64(at))
	}
	return append(start, int64(n))
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
