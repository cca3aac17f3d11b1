package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The widths of tiles in bytes: as many accumulators as hide the latency of the
// multiply-add, and the fewest that fill a vector. Package vec knows them too.
var tileWidths = map[string]int{"Wide": 256, "Narrow": 64}

func tiles() {
	for _, p := range []precision{single, double} {
		float{avx512, p}.sparseTiles(products)
		float{avx2, p}.sparseTiles(products)
	}
	float{avx512, double}.sparseTiles(least)
	float{avx2, double}.sparseTiles(least)
	float{avx2, double}.sparseTiles(harmonic) // divisions, which wider vectors do no faster
}

// sparseTiles writes the tiles of an overlap. Narrow ones gain nothing from AVX-512.
func (f float) sparseTiles(of overlap) {
	for _, mapped := range []bool{false, true} {
		f.sparseTile(of, "Wide", mapped)
		if f.isa == avx2 {
			f.sparseTile(of, "Narrow", mapped)
		}
	}
}

func (f float) element() (name, bits string) {
	if f.double() {
		return "float64", "64"
	}
	return "float32", "32"
}

// An overlap adds up what a sparse and a dense row have in common. The zero of a
// row adds nothing to any.
type overlap struct {
	name, doc string
	begin     func(f float, x reg.VecVirtual) (values []reg.VecVirtual)         // of x, the element of the sparse row
	add       func(f float, values []reg.VecVirtual, b Mem, sum reg.VecVirtual) // that of the dense one
}

var products = overlap{"sparse", "Sparse",
	func(_ float, x reg.VecVirtual) []reg.VecVirtual { return []reg.VecVirtual{x} },
	func(f float, x []reg.VecVirtual, b Mem, sum reg.VecVirtual) {
		f.pick(VFMADD231PD, VFMADD231PS, b, x[0], sum)
	}}

// least is max(0, min(|x|, b with the sign of x taken off)).
var least = overlap{"least", "Least",
	func(f float, x reg.VecVirtual) []reg.VecVirtual {
		sign := f.vector()
		f.and(f.copyOf(f.constant("signs", math.Copysign(0, -1))), x, sign)
		f.xor(x, sign, x)
		return []reg.VecVirtual{x, sign}
	},
	func(f float, x []reg.VecVirtual, b Mem, sum reg.VecVirtual) {
		t := f.vector()
		f.xor(b, x[1], t)
		VMINPD(x[0], t, t)
		VMAXPD(f.nothing(), t, t)
		VADDPD(t, sum, sum)
	}}

// harmonic is 2xb/(x+b).
var harmonic = overlap{"harmonic", "Harmonic",
	func(f float, x reg.VecVirtual) []reg.VecVirtual { return []reg.VecVirtual{x, f.add(x, x)} },
	func(f float, x []reg.VecVirtual, b Mem, sum reg.VecVirtual) {
		d, t := f.add(x[0], b), f.mul(x[1], b)
		VDIVPD(d, t, t)
		VADDPD(t, sum, sum)
	}}

func (s isa) and(a Op, b, dst reg.VecVirtual) {
	if s == avx512 {
		VPANDQ(a, b, dst)
	} else {
		VANDPD(a, b, dst)
	}
}

func (s isa) xor(a Op, b, dst reg.VecVirtual) {
	if s == avx512 {
		VPXORQ(a, b, dst)
	} else {
		VXORPD(a, b, dst)
	}
}

// nothing is a vector of zeros in memory.
func (f float) nothing() Mem { return f.constant("nothing", 0) }

// sparseTile writes the products of sparse rows and a block of dense ones that
// lie side by side: dst[at[r]+l] is the chain of fma(value[k], block[width*j+l], .)
// over the elements k of row r, where j is index[k], or slot[index[k]]; or the sum
// of another overlap.
func (f float) sparseTile(of overlap, width string, mapped bool) {
	element, bits := f.element()
	name, slot := of.name+"Tile"+bits+width, ""
	if mapped {
		name, slot = name+"Mapped", " slot []uint32,"
	}
	name += f.suffix
	kernel(name, "func(dst []"+element+", at []int, block []"+element+","+slot+" start []int64, index []uint32, value []float32) (done int)",
		name+" is "+of.doc+bits+" for the first rows, up to one with an index out of range; start is one longer than at, and all it and at say is inside the slices.")
	dst, at, rows := Load(Param("dst").Base(), GP64()), Load(Param("at").Base(), GP64()), Load(Param("at").Len(), GP64())
	block, limit := Load(Param("block").Base(), GP64()), Load(Param("block").Len(), GP64())
	begin, index, value := Load(Param("start").Base(), GP64()), Load(Param("index").Base(), GP64()), Load(Param("value").Base(), GP64())
	bytes := tileWidths[width]
	size := f.size() * int(f.p)
	SHRQ(Imm(uint64(log2(bytes/int(f.p)))), limit) // columns of the block
	var table reg.Register
	if mapped {
		table = Load(Param("slot").Base(), GP64())
	}
	done, k, end := GP64(), GP64(), GP64()
	XORQ(done, done)
	MOVQ(Mem{Base: begin}, k)
	JMP(LabelRef("next"))

	Label("row")
	MOVQ(Mem{Base: begin, Index: done, Scale: 8, Disp: 8}, end)
	acc := make([]reg.VecVirtual, bytes/size)
	for i := range acc {
		acc[i] = f.zero()
	}
	CMPQ(k, end)
	JGE(LabelRef("store"))
	Label("loop")
	j, x := GP64(), f.vector()
	MOVL(single.at(index, k, 0), j.As32())
	if mapped {
		CMPQ(j, address(Param("slot").Len()))
		JCC(LabelRef("stop"))
		MOVL(Mem{Base: table, Index: j, Scale: 4}, j.As32())
	}
	CMPQ(j, limit)
	JCC(LabelRef("stop"))
	SHLQ(Imm(uint64(log2(bytes))), j)
	if of.name != products.name { // the harmonic mean of two zeros is no number
		bits := GP32()
		MOVL(single.at(value, k, 0), bits)
		SHLL(Imm(1), bits)
		JE(LabelRef("skip"))
	}
	if f.double() {
		VXORPS(x.AsX(), x.AsX(), x.AsX())
		VCVTSS2SD(single.at(value, k, 0), x.AsX(), x.AsX())
		VBROADCASTSD(x.AsX(), x)
	} else {
		VBROADCASTSS(single.at(value, k, 0), x)
	}
	values := of.begin(f, x)
	for i := range acc {
		of.add(f, values, Mem{Base: block, Index: j, Scale: 1, Disp: i * size}, acc[i])
	}
	if of.name != products.name {
		Label("skip")
	}
	INCQ(k)
	CMPQ(k, end)
	JLT(LabelRef("loop"))
	Label("store")
	to := GP64()
	MOVQ(Mem{Base: at, Index: done, Scale: 8}, to)
	for i := range acc {
		VMOVUPD(acc[i], f.p.at(dst, to, i*f.size()))
	}
	INCQ(done)
	Label("next")
	CMPQ(done, rows)
	JLT(LabelRef("row"))
	Label("stop")
	Store(done, Return("done"))
	VZEROUPPER()
	RET()
}

func log2(n int) (l int) {
	for ; n > 1; n /= 2 {
		l++
	}
	return l
}

// broadcast returns a vector of copies of a parameter. (Load would move it by an
// SSE instruction, which after an AVX one costs a hundred cycles.)
func (f float) broadcast(name string) reg.VecVirtual {
	v := f.vector()
	f.pick(broadcast64, broadcast32, address(Param(name)), v)
	return v
}

// address returns where a parameter is.
func address(c gotypes.Component) Mem {
	p, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}
