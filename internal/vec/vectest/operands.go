package vectest

import (
	"math"
	"math/rand/v2"
	"slices"
	"unsafe"
)

// SameBits reports whether a and b are the same numbers; any NaN equals any.
func SameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y) || (x != x && y != y)
	})
}

// Operands are the arguments of one call. Kernels may change W and dst only.
type Operands struct {
	X, Y        []float64
	X32, Y32    []float32
	W           []float64 // longer than the row below
	Index       []uint32
	Alpha, Beta float64
	out         []float64 // one
}

// Sum returns a result that is one number.
func (o Operands) Sum(x float64) []float64 { o.out[0] = x; return o.out }

// Clone copies the Operands to memory that place provides: in twins of
// alignment only, or against the end of a page.
func (o Operands) Clone(place func(bytes int) unsafe.Pointer) Operands {
	o.X, o.Y, o.W = Placed(o.X, place), Placed(o.Y, place), Placed(o.W, place)
	o.X32, o.Y32, o.Index = Placed(o.X32, place), Placed(o.Y32, place), Placed(o.Index, place)
	o.out = make([]float64, 1)
	return o
}

// Placed copies s to memory that place provides.
func Placed[T any](s []T, place func(bytes int) unsafe.Pointer) []T {
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

// Spread makes the numbers of kind 0 reach over the whole range of exp.
func Spread[T float32 | float64](x []T, factor T) []T {
	for j := range x {
		x[j] *= factor
	}
	return x
}

// Widened returns x in double precision.
func Widened(x []float32) []float64 {
	y := make([]float64, len(x))
	for j := range x {
		y[j] = float64(x[j])
	}
	return y
}

// Draw returns a number of the given kind: 0 ordinary, 1 of any size, zeros and
// denormals among them, 2 not always finite.
func Draw(r *rand.Rand, kind int) float64 {
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

// Draw32 is Draw in single precision.
func Draw32(r *rand.Rand, kind int) float32 {
	x := Draw(r, kind)
	switch a := math.Abs(x); {
	case a > 1e200:
		return float32(x * 1e-262)
	case a < 1e-200 && a > 0:
		return float32(x * 1e262)
	}
	return float32(x)
}

// DrawOperands returns rows of n numbers of the given kind.
func DrawOperands(r *rand.Rand, n, kind int) Operands {
	o := Operands{X: make([]float64, n), Y: make([]float64, n), X32: make([]float32, n), Y32: make([]float32, n),
		W: make([]float64, 3*n+1), Index: make([]uint32, n), Alpha: Draw(r, min(kind, 1)), Beta: Draw(r, min(kind, 1)), out: make([]float64, 1)}
	for j := range n {
		o.X[j], o.Y[j], o.X32[j], o.Y32[j] = Draw(r, kind), Draw(r, kind), Draw32(r, kind), Draw32(r, kind)
	}
	for j := range o.W {
		o.W[j] = Draw(r, kind)
	}
	for k, j := range r.Perm(len(o.W))[:n] {
		o.Index[k] = uint32(j)
	}
	slices.Sort(o.Index)
	if n > 0 {
		o.Index[n-1] = uint32(len(o.W) - 1)
	}
	return o
}
