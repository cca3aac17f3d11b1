package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The products of sparse rows by the gather instructions of AVX-512.

func sparseDot512() {
	kernel("sparseDotAVX512", "func(w []float64, index []uint32, value []float32) (sum float64, ok bool)",
		"sparseDotAVX512 is sparseDot."+sparseDoc)
	r := loadRow()
	limit, acc := YMM(), avx512.zero()
	VPBROADCASTD(r.limit.As32(), limit)
	good := K()
	KXNORB(good, good, good)
	r.dotEights(limit, acc, good)

	Label("tail")
	ADDQ(Imm(8), r.n)
	out := r.dotRest(limit, acc)
	Store(avx512.sumLanes([]reg.VecVirtual{acc}).AsX(), Return("sum"))
	KANDNB(good, out, good)
	KORTESTB(good, good)
	ok := GP8()
	SETCS(ok)
	Store(ok, Return("ok"))
	VZEROUPPER()
	RET()
}

// sparseDots512 is sparseDot512 for one row after another.
func sparseDots512() {
	kernel("sparseDotsAVX512", "func(dst, w []float64, start []int64, index []uint32, value []float32) (done int)",
		"sparseDotsAVX512 is sparseDots for the first rows, up to one that sparseDotAVX512 would not take or that is not inside value; start is one longer than dst, index as long as value.")
	s := loadRows("dst")
	limit, zero := YMM(), avx512.zero()
	VPBROADCASTD(s.limit.As32(), limit)
	s.each("stop", func() {
		acc, good := avx512.zero(), K()
		KXNORB(good, good, good)
		s.dotEights(limit, acc, good)
		Label("tail")
		ADDQ(Imm(8), s.n)
		JE(LabelRef("tree"))
		out := s.dotRest(limit, acc)
		KANDNB(good, out, good)
		Label("tree")
		KORTESTB(good, good)
		JCC(LabelRef("stop"))
		sum := avx512.sumLanes([]reg.VecVirtual{acc}).AsX()
		VADDSD(zero.AsX(), sum, sum) // a sum of zero is +0, also without a tail
		VMOVSD(sum, s.here())
	})
	Store(s.done, Return("done"))
	VZEROUPPER()
	RET()
}

// dotEights adds the products of eight elements at a time to acc, as long as
// there are so many; good keeps the lanes whose indices all were below limit. It
// leaves at tail with eight less in n than there are.
func (r row) dotEights(limit, acc reg.VecVirtual, good reg.OpmaskVirtual) {
	SUBQ(Imm(8), r.n)
	JL(LabelRef("tail"))
	Label("loop")
	index, in := YMM(), K()
	VMOVDQU(single.at(r.index, r.k, 0), index)
	VPCMPUD(U8(1), limit, index, in)
	KANDB(in, good, good)
	w := avx512.zero()
	VGATHERDPD(r.gatherAt(index), in, w)
	VFMADD231PD(avx512.load(single, single.at(r.value, r.k, 0)), w, acc)
	ADDQ(Imm(8), r.k)
	SUBQ(Imm(8), r.n)
	JGE(LabelRef("loop"))
}

// dotRest adds the products of the less than eight elements left, and returns
// the lanes whose indices are not below limit.
func (r row) dotRest(limit, acc reg.VecVirtual) (out reg.OpmaskVirtual) {
	m, last := avx512.first(r.n), YMM()
	out = K()
	VMOVDQU32_Z(single.at(r.index, r.k, 0), m.k, last)
	VPCMPUD(U8(5), limit, last, m.k, out)
	in := K()
	KANDNB(m.k, out, in)
	w := avx512.zero()
	VGATHERDPD(r.gatherAt(last), in, w)
	VFMADD231PD(avx512.loadFirst(single, single.at(r.value, r.k, 0), m), w, acc)
	return out
}
