package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An outer is what the outer product of one sparse row needs.
type outer struct {
	h, index, x  reg.Register
	size         reg.GPVirtual
	n, k, l, j   reg.GPVirtual // elements left; rows of h done; element; column
	scale        reg.VecVirtual
	most         reg.VecVirtual // eight times the largest index
	third, three reg.VecVirtual // where the third element after each is, inside eight; threes
}

// outers writes the outer products of sparse rows with themselves, four rows of h at a
// time, after the first one and two where these are left over. Four columns beside each
// other go together.
func outers() {
	kernel("sparseOutersAVX2", "func(h *float64, size int, scale []float64, start []int64, index []uint32, value []float32, x []float64) (done int)",
		"sparseOutersAVX2 is sparseOuters for the first rows, up to one that is not inside value, has more values than x has room for, or an index not below size; h has size rows of size numbers, start is one longer than scale, index as long as value.")
	o := outer{h: Load(Param("h"), GP64()), size: Load(Param("size"), GP64()).(reg.GPVirtual), index: GP64(), x: Load(Param("x").Base(), GP64()),
		n: GP64(), k: GP64(), l: GP64(), j: GP64(), scale: YMM(), third: YMM(), three: YMM()}
	o.most = row{limit: o.size}.largest()
	table := thirdTable()
	VMOVDQU(table, o.third)
	VMOVDQU(table.Offset(32), o.three)
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

	for _, way := range []string{"apart", "beside"} {
		Label(way)
		XORQ(o.k, o.k)
		for _, rows := range []int{1, 2} {
			next := fmt.Sprint(way, "After", rows)
			TESTQ(U32(rows), o.n)
			JE(LabelRef(next))
			o.group(rows, fmt.Sprint(way, rows), false)
			SUBQ(Imm(uint64(rows)), o.n)
			Label(next)
		}
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

// widen writes the values to x, and goes to apart, to beside if there are four columns beside
// each other, or to stop if an index is not below size. Eight elements at a time, of which the
// last eight may have been done in part; neighbours are looked for inside eights alone, and
// not in rows of less, which go on to apart.
func (o outer) widen(value reg.Register) {
	near := YMM()
	VPXOR(near, near, near)
	XORQ(o.l, o.l)
	SUBQ(Imm(8), o.n)
	JL(LabelRef("few"))
	Label("widen")
	index, third := YMM(), YMM()
	VMOVDQU(single.at(o.index, o.l, 0), index)
	row{}.checkIndices(o.most, index, "stop")
	VPERMD(index, o.third, third)
	VPSUBD(index, third, third)
	VPCMPEQD(o.three, third, third)
	VPOR(third, near, near)
	for half := range 2 {
		wide := YMM()
		VCVTPS2PD(single.at(value, o.l, 4*half), wide)
		VMOVUPD(wide, double.at(o.x, o.l, 4*half))
	}
	CMPQ(o.l, o.n)
	JE(LabelRef("wide"))
	ADDQ(Imm(8), o.l)
	CMPQ(o.l, o.n)
	CMOVQGT(o.n, o.l)
	JMP(LabelRef("widen"))
	Label("wide")
	ADDQ(Imm(8), o.n)
	VPTEST(near, near)
	JNE(LabelRef("beside"))
	JMP(LabelRef("apart"))

	Label("few")
	ADDQ(Imm(8), o.n)
	Label("widenOne")
	MOVL(single.at(o.index, o.l, 0), o.j.As32())
	CMPQ(o.j, o.size)
	JAE(LabelRef("stop"))
	wide := XMM()
	VXORPD(wide, wide, wide)
	VCVTSS2SD(single.at(value, o.l, 0), wide, wide)
	VMOVSD(wide, double.at(o.x, o.l, 0))
	INCQ(o.l)
	CMPQ(o.l, o.n)
	JLT(LabelRef("widenOne"))
}

// group adds to the next rows of h: the columns before theirs, and then their own; with
// beside all alike, and what that writes above the diagonal nobody reads.
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
	XORQ(o.l, o.l)
	if beside {
		o.all(rows, again, at, c)
		return
	}
	if rows > 1 { // alone it is the first
		TESTQ(o.k, o.k)
		JE(LabelRef(again + "Own"))
		Label(again)
		o.one(o.l, 0, at, c)
		INCQ(o.l)
		CMPQ(o.l, o.k)
		JLT(LabelRef(again))
		Label(again + "Own")
	}
	for r := range rows {
		o.one(o.k, r, at[r:], c[r:])
	}
	ADDQ(Imm(uint64(rows)), o.k)
}

// one adds the column of element k+offset to rows.
func (o outer) one(k reg.Register, offset int, at []reg.Register, c []reg.VecVirtual) {
	y := XMM()
	MOVL(single.at(o.index, k, offset), o.j.As32())
	VMOVSD(double.at(o.x, k, offset), y)
	for r, b := range at {
		e := XMM()
		VMOVAPD(y, e)
		VFMADD213SD(double.at(b, o.j, 0), c[r].AsX(), e)
		VMOVSD(e, double.at(b, o.j, 0))
	}
}

// all adds all columns up to those of the rows, four beside each other at once.
func (o outer) all(rows int, again string, at []reg.Register, c []reg.VecVirtual) {
	ADDQ(Imm(uint64(rows)), o.k)
	Label(again)
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
	o.one(o.l, 0, at, c)
	INCQ(o.l)
	CMPQ(o.l, o.k)
	JLT(LabelRef(again))
	Label(again + "End")
}

// thirdTable is, of eight elements, the third after each that has one, else the element
// itself; and then eight threes.
func thirdTable() Mem {
	m := GLOBL("third", attr.RODATA|attr.NOPTR)
	for i := range 8 {
		if i < 5 {
			DATA(4*i, U32(i+3))
		} else {
			DATA(4*i, U32(i))
		}
	}
	for i := range 8 {
		DATA(32+4*i, U32(3))
	}
	return m
}
