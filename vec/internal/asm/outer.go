package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An outer is what the outer product of one sparse row needs.
type outer struct {
	h, size, index, x reg.Register
	n, k, l, j        reg.GPVirtual // elements left; rows of h done; element; column
	scale             reg.VecVirtual
}

// outers writes the outer products of sparse rows with themselves, four rows of h at a
// time, after the first one to three alone: what that writes above the diagonal
// nobody reads. Four columns beside each other go together.
func outers() {
	kernel("sparseOutersAVX2", "func(h *float64, size int, scale []float64, start []int64, index []uint32, value []float32, x []float64) (done int)",
		"sparseOutersAVX2 is sparseOuters for the first rows, up to one that is not inside value, has more values than x has room for, or an index not below size; h has size rows of size numbers, start is one longer than scale, index as long as value.")
	o := outer{h: Load(Param("h"), GP64()), size: Load(Param("size"), GP64()), index: GP64(), x: Load(Param("x").Base(), GP64()),
		n: GP64(), k: GP64(), l: GP64(), j: GP64(), scale: YMM()}
	done, zero := GP64(), XMM()
	VXORPD(zero, zero, zero)
	XORQ(done, done)
	JMP(LabelRef("next"))

	Label("row")
	begin, value := Load(Param("start").Base(), GP64()), GP64()
	MOVQ(Mem{Base: begin, Index: done, Scale: 8}, o.k)
	MOVQ(Mem{Base: begin, Index: done, Scale: 8, Disp: 8}, o.n)
	CMPQ(o.n, Load(Param("value").Len(), GP64()))
	JHI(LabelRef("stop"))
	CMPQ(o.k, o.n)
	JHI(LabelRef("stop"))
	SUBQ(o.k, o.n)
	JE(LabelRef("added"))
	CMPQ(o.n, Load(Param("x").Len(), GP64()))
	JHI(LabelRef("stop"))
	scales := Load(Param("scale").Base(), GP64())
	VBROADCASTSD(Mem{Base: scales, Index: done, Scale: 8}, o.scale)
	VUCOMISD(zero, o.scale.AsX())
	JP(LabelRef("add")) // not a number
	JE(LabelRef("added"))
	Label("add")
	Load(Param("index").Base(), o.index)
	LEAQ(Mem{Base: o.index, Index: o.k, Scale: 4}, o.index)
	Load(Param("value").Base(), value)
	LEAQ(Mem{Base: value, Index: o.k, Scale: 4}, value)
	o.widen(value)
	o.sides()

	for _, way := range []string{"apart", "beside"} {
		Label(way)
		XORQ(o.k, o.k)
		Label(way + "First")
		TESTQ(U32(3), o.n)
		JE(LabelRef(way + "Fours"))
		o.group(1, way+"One", false)
		DECQ(o.n)
		JMP(LabelRef(way + "First"))
		Label(way + "Fours")
		SUBQ(Imm(4), o.n)
		JL(LabelRef("added"))
		o.group(4, way+"Four", way == "beside")
		JMP(LabelRef(way + "Fours"))
	}

	Label("added")
	INCQ(done)
	Label("next")
	CMPQ(done, Load(Param("scale").Len(), GP64()))
	JLT(LabelRef("row"))
	Label("stop")
	Store(done, Return("done"))
	VZEROUPPER()
	RET()
}

// widen writes the values to x and jumps to stop if an index is not below size.
func (o outer) widen(value reg.Register) {
	XORQ(o.l, o.l)
	Label("widen")
	MOVL(single.at(o.index, o.l, 0), o.j.As32())
	CMPQ(o.j, o.size)
	JAE(LabelRef("stop"))
	wide := XMM()
	VXORPD(wide, wide, wide)
	VCVTSS2SD(single.at(value, o.l, 0), wide, wide)
	VMOVSD(wide, double.at(o.x, o.l, 0))
	INCQ(o.l)
	CMPQ(o.l, o.n)
	JLT(LabelRef("widen"))
}

// sides jumps to beside if there are four columns beside each other.
func (o outer) sides() {
	MOVQ(I32(3), o.l)
	JMP(LabelRef("side"))
	Label("sides")
	MOVL(single.at(o.index, o.l, 0), o.j.As32())
	SUBL(single.at(o.index, o.l, -3), o.j.As32())
	CMPL(o.j.As32(), Imm(3))
	JE(LabelRef("beside"))
	INCQ(o.l)
	Label("side")
	CMPQ(o.l, o.n)
	JLT(LabelRef("sides"))
}

// group adds to the next rows of h.
func (o outer) group(rows int, again string, beside bool) {
	var c []reg.VecVirtual
	var at []reg.Register
	for r := range rows {
		b, e := GP64(), YMM()
		MOVL(single.at(o.index, o.k, r), b.As32())
		IMULQ(o.size, b)
		LEAQ(Mem{Base: o.h, Index: b, Scale: 8}, b)
		VBROADCASTSD(double.at(o.x, o.k, r), e)
		VMULPD(o.scale, e, e)
		at, c = append(at, b), append(c, e)
	}
	ADDQ(Imm(uint64(rows)), o.k)
	XORQ(o.l, o.l)
	Label(again)
	if beside {
		LEAQ(Mem{Base: o.l, Disp: 4}, o.j)
		CMPQ(o.j, o.k)
		JGT(LabelRef(again + "Single"))
		MOVL(single.at(o.index, o.l, 3), o.j.As32())
		SUBL(Imm(3), o.j.As32())
		CMPL(o.j.As32(), single.at(o.index, o.l, 0))
		JNE(LabelRef(again + "Single"))
		y := YMM()
		VMOVUPD(double.at(o.x, o.l, 0), y)
		for r, b := range at {
			e := YMM()
			VMOVAPD(y, e)
			VFMADD213PD(double.at(b, o.j, 0), c[r], e)
			VMOVUPD(e, double.at(b, o.j, 0))
		}
		ADDQ(Imm(4), o.l)
		CMPQ(o.l, o.k)
		JLT(LabelRef(again))
		JMP(LabelRef(again + "End"))
		Label(again + "Single")
	}
	y := XMM()
	MOVL(single.at(o.index, o.l, 0), o.j.As32())
	VMOVSD(double.at(o.x, o.l, 0), y)
	for r, b := range at {
		e := XMM()
		VMOVAPD(y, e)
		VFMADD213SD(double.at(b, o.j, 0), c[r].AsX(), e)
		VMOVSD(e, double.at(b, o.j, 0))
	}
	INCQ(o.l)
	CMPQ(o.l, o.k)
	JLT(LabelRef(again))
	if beside {
		Label(again + "End")
	}
}
