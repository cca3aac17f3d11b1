package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sparseAxpy checks eight indices at once and then updates in pairs. It serves
// AVX-512 as well: gather and scatter of eight take 4 to 10 % longer, and
// single updates, with a conversion each, 10 to 15 %.
func sparseAxpy() {
	kernel("sparseAxpyAVX2", "func(w []float64, scale float64, index []uint32, value []float32) (done int)",
		"sparseAxpyAVX2 is sparseAxpy for w that is not empty, up to the first eight elements that hold an index not below len(w) and 2^31; it returns how many elements it has done.")
	r := loadRow()
	scale := Load(Param("scale"), XMM())
	VMOVDDUP(scale, scale)
	most := r.largest()
	r.updateAll(scale, most, "done", "done")
	Label("done")
	Store(r.k, Return("done"))
	VZEROUPPER()
	RET()
}

// sparseAxpys is sparseAxpy for one row after another.
func sparseAxpys() {
	kernel("sparseAxpysAVX2", "func(w, scale []float64, start []int64, index []uint32, value []float32) (done, part int)",
		"sparseAxpysAVX2 is sparseAxpys for w that is not empty, up to a row that is not inside value or where sparseAxpyAVX2 would stop; it returns how many rows it has done, and elements of the next. start is one longer than scale, index as long as value.")
	s := loadRows("scale")
	most, zero, scale := s.largest(), XMM(), XMM()
	VXORPD(zero, zero, zero)
	s.each("stop", func() {
		VMOVDDUP(s.here(), scale)
		VUCOMISD(zero, scale)
		JP(LabelRef("add")) // not a number
		JE(LabelRef("added"))
		Label("add")
		s.updateAll(scale, most, "stop", "added")
		Label("added")
	})
	SUBQ(Mem{Base: s.start, Index: s.done, Scale: 8}, s.k)
	Store(s.done, Return("done"))
	Store(s.k, Return("part"))
	VZEROUPPER()
	RET()
}

// updateAll adds scale times the elements left. It jumps to bad at an index
// above most, and to done if the last eight are done with none left.
func (r row) updateAll(scale reg.Register, most reg.VecVirtual, bad, done string) {
	SUBQ(Imm(8), r.n)
	JL(LabelRef("tail"))
	Label("loop")
	r.checkEight(most, bad)
	for i := 0; i < 8; i += 2 {
		r.updateTwo(scale, i)
	}
	ADDQ(Imm(8), r.k)
	SUBQ(Imm(8), r.n)
	JGE(LabelRef("loop"))
	Label("tail")
	ADDQ(Imm(8), r.n)
	JE(LabelRef(done))
	Label("single")
	r.update(scale, bad)
	DECQ(r.n)
	JNE(LabelRef("single"))
}

// updateTwo adds scale times elements k+i and k+i+1, whose indices differ.
func (r row) updateTwo(scale reg.Register, i int) {
	low, high := r.twoIndices(i)
	w, x := XMM(), XMM()
	VMOVSD(r.gatherAt(low), w)
	VMOVHPD(r.gatherAt(high), w, w)
	VCVTPS2PD(single.at(r.value, r.k, i), x)
	VFMADD231PD(x, scale, w)
	VMOVLPD(w, r.gatherAt(low))
	VMOVHPD(w, r.gatherAt(high))
}

// update adds scale times element k, and moves on; it jumps to bad instead if
// the index is.
func (r row) update(scale reg.Register, bad string) {
	j, x := GP64(), XMM()
	MOVL(single.at(r.index, r.k, 0), j.As32())
	CMPQ(j, r.limit)
	JCC(LabelRef(bad))
	VXORPD(x, x, x)
	VCVTSS2SD(single.at(r.value, r.k, 0), x, x)
	VFMADD213SD(r.gatherAt(j), scale, x)
	VMOVSD(x, r.gatherAt(j))
	INCQ(r.k)
}
