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
		addRows(p)
		float{avx2, p}.transpose()
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
		name+" is "+of.doc+"Tile"+bits+" for the first rows, up to one with an index out of range; start is one longer than at, and all it and at say is inside the slices.")
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

// addRows writes dst[j] += c[0]*rows[0][first+j] + c[1]*rows[1][first+j] + ...,
// one multiply-add after the other. Four vectors of dst at a time are kept in
// registers, then one.
func addRows(p precision) {
	element, bits := float{avx2, p}.element()
	name := "addRows" + bits + "AVX2"
	kernel(name, "func(dst []float64, rows [][]"+element+", first int, c []float64)", name+" is AddRows"+bits+" for at least one row, none of them shorter than first+len(dst).")
	dst, n := Load(Param("dst").Base(), GP64()), Load(Param("dst").Len(), GP64()).(reg.GPVirtual)
	rows, j := Load(Param("rows").Base(), GP64()), Load(Param("first"), GP64())
	c, count := Load(Param("c").Base(), GP64()), Load(Param("c").Len(), GP64())
	k, row, header := GP64(), GP64(), GP64()
	each := func(label string, add func(scale reg.VecVirtual)) {
		XORQ(k, k)
		MOVQ(rows, header)
		Label(label)
		scale := YMM()
		VBROADCASTSD(Mem{Base: c, Index: k, Scale: 8}, scale)
		MOVQ(Mem{Base: header}, row)
		add(scale)
		ADDQ(Imm(24), header)
		INCQ(k)
		CMPQ(k, count)
		JLT(LabelRef(label))
	}
	for _, vectors := range []int{4, 1} {
		v := string(rune('0' + vectors))
		JMP(LabelRef("enough" + v))
		Label("loop" + v)
		sum := make([]reg.VecVirtual, vectors)
		for i := range sum {
			sum[i] = YMM()
			VMOVUPD(Mem{Base: dst, Disp: 8 * i * avx2.width}, sum[i])
		}
		each("rows"+v, func(scale reg.VecVirtual) {
			for i := range sum {
				VFMADD231PD(avx2.load(p, p.at(row, j, i*avx2.width)), scale, sum[i])
			}
		})
		for i := range sum {
			VMOVUPD(sum[i], Mem{Base: dst, Disp: 8 * i * avx2.width})
		}
		ADDQ(U32(8*vectors*avx2.width), dst)
		ADDQ(Imm(uint64(vectors*avx2.width)), j)
		SUBQ(Imm(uint64(vectors*avx2.width)), n)
		Label("enough" + v)
		CMPQ(n, Imm(uint64(vectors*avx2.width)))
		JGE(LabelRef("loop" + v))
	}
	TESTQ(n, n)
	JE(LabelRef("done"))
	m := first(n)
	sum := loadFirst(double, Mem{Base: dst}, m)
	each("rows0", func(scale reg.VecVirtual) {
		VFMADD231PD(loadFirst(p, p.at(row, j, 0), m), scale, sum)
	})
	storeFirst(sum, Mem{Base: dst}, m)
	Label("done")
	VZEROUPPER()
	RET()
}
