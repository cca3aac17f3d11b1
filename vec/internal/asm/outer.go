package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// outers writes the outer product of a sparse row with itself, four rows of it at a time,
// after the first one to three alone: what that writes above the diagonal nobody reads.
func outers() {
	kernel("sparseOuterAVX2", "func(h *float64, size int, scale float64, index []uint32, value []float32, x *float64) (ok bool)",
		"sparseOuterAVX2 is sparseOuter for h of size rows of size numbers, with room for the values at x; ok is whether all indices were below size. Otherwise it does nothing.")
	h, size := Load(Param("h"), GP64()), Load(Param("size"), GP64())
	index, value := Load(Param("index").Base(), GP64()), Load(Param("value").Base(), GP64())
	n, x := Load(Param("index").Len(), GP64()), Load(Param("x"), GP64())
	scale := Load(Param("scale"), XMM())
	k, l, j := GP64(), GP64(), GP64()

	XORQ(k, k)
	Label("widen")
	CMPQ(k, n)
	JGE(LabelRef("widened"))
	MOVL(single.at(index, k, 0), j.As32())
	CMPQ(j, size)
	JAE(LabelRef("outside"))
	wide := XMM()
	VXORPD(wide, wide, wide)
	VCVTSS2SD(single.at(value, k, 0), wide, wide)
	VMOVSD(wide, double.at(x, k, 0))
	INCQ(k)
	JMP(LabelRef("widen"))
	Label("widened")

	SHLQ(Imm(3), size) // bytes of a row of h
	group := func(rows int, again string) {
		var base, c []reg.Register
		for r := range rows {
			b, e := GP64(), XMM()
			MOVL(single.at(index, k, r), b.As32())
			IMULQ(size, b)
			ADDQ(h, b)
			VMULSD(double.at(x, k, r), scale, e)
			base, c = append(base, b), append(c, e)
		}
		ADDQ(Imm(uint64(rows)), k)
		XORQ(l, l)
		Label(again)
		y := XMM()
		MOVL(single.at(index, l, 0), j.As32())
		VMOVSD(double.at(x, l, 0), y)
		for r := range rows {
			e := XMM()
			VMOVAPD(y, e)
			VFMADD213SD(double.at(base[r], j, 0), c[r], e)
			VMOVSD(e, double.at(base[r], j, 0))
		}
		INCQ(l)
		CMPQ(l, k)
		JL(LabelRef(again))
	}
	XORQ(k, k)
	Label("first")
	TESTQ(U32(3), n)
	JE(LabelRef("fours"))
	group(1, "one")
	DECQ(n)
	JMP(LabelRef("first"))
	Label("fours")
	left := n // those that make up whole fours
	SUBQ(Imm(4), left)
	JL(LabelRef("done"))
	group(4, "four")
	JMP(LabelRef("fours"))
	Label("done")
	ok, err := Return("ok").Resolve()
	if err != nil {
		panic(err)
	}
	MOVB(Imm(1), ok.Addr)
	RET()
	Label("outside")
	MOVB(Imm(0), ok.Addr)
	RET()
}
