package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func sparse() {
	sparseDot512()
	sparseDots512()
	sparseDot2()
	sparseAxpy()
	sparseAxpys()
	prefetchRow()
	prefetchAt()
	vendor()
}

// A row is the registers that hold a sparse row and the dense vector.
type row struct {
	w, index, value reg.Register
	n, k            reg.GPVirtual // elements left, elements done
	limit           reg.GPVirtual // indices must be below
}

// loadRow loads the parameters. The gather instructions take an index as a
// signed number, so that the limit is at most 2^31.
func loadRow() row {
	r := row{w: Load(Param("w").Base(), GP64()), index: Load(Param("index").Base(), GP64()),
		value: Load(Param("value").Base(), GP64()), n: Load(Param("value").Len(), GP64()).(reg.GPVirtual),
		limit: Load(Param("w").Len(), GP64()).(reg.GPVirtual), k: GP64()}
	most := GP64()
	MOVQ(U64(1<<31), most)
	CMPQ(r.limit, most)
	CMOVQGT(most, r.limit)
	XORQ(r.k, r.k)
	return r
}

// gatherAt returns the address of w at eight or four indices.
func (r row) gatherAt(index reg.Register) Mem { return Mem{Base: r.w, Index: index, Scale: 8} }

const sparseDoc = " It reads and writes inside w only; ok is whether all indices were below len(w) and 2^31."

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

// sparseDots512 is sparseDot512 for one row after another: for short rows the
// call costs more than the row.
func sparseDots512() {
	kernel("sparseDotsAVX512", "func(dst, w []float64, start []int64, index []uint32, value []float32) (done int)",
		"sparseDotsAVX512 is sparseDots for the first rows, up to one that sparseDotAVX512 would not take or that is not inside value; start is one longer than dst, index as long as value.")
	dst, rows, begin := Load(Param("dst").Base(), GP64()), Load(Param("dst").Len(), GP64()), Load(Param("start").Base(), GP64())
	r := loadRow()
	length := Load(Param("value").Len(), GP64())
	limit, zero, done, end := YMM(), avx512.zero(), GP64(), GP64()
	VPBROADCASTD(r.limit.As32(), limit)
	XORQ(done, done)
	MOVQ(Mem{Base: begin}, end)
	JMP(LabelRef("next"))
	Label("row")
	MOVQ(end, r.k)
	MOVQ(Mem{Base: begin, Index: done, Scale: 8, Disp: 8}, end)
	CMPQ(end, length)
	JHI(LabelRef("stop"))
	CMPQ(r.k, end)
	JHI(LabelRef("stop"))
	MOVQ(end, r.n)
	SUBQ(r.k, r.n)
	acc, good := avx512.zero(), K()
	KXNORB(good, good, good)
	r.dotEights(limit, acc, good)
	Label("tail")
	ADDQ(Imm(8), r.n)
	JE(LabelRef("tree"))
	out := r.dotRest(limit, acc)
	KANDNB(good, out, good)
	Label("tree")
	KORTESTB(good, good)
	JCC(LabelRef("stop"))
	sum := avx512.sumLanes([]reg.VecVirtual{acc}).AsX()
	VADDSD(zero.AsX(), sum, sum) // a sum of zero is +0, also without a tail
	VMOVSD(sum, Mem{Base: dst, Index: done, Scale: 8})
	INCQ(done)
	Label("next")
	CMPQ(done, rows)
	JLT(LabelRef("row"))
	Label("stop")
	Store(done, Return("done"))
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

// sparseDot2 collects elements by single loads: the gather instructions of many
// processors are slower than that, of AMD's with AVX-512 too. Only the tail
// gathers, masked.
func sparseDot2() {
	kernel("sparseDotAVX2", "func(w []float64, index []uint32, value []float32) (sum float64, ok bool)",
		"sparseDotAVX2 is sparseDot."+sparseDoc)
	r := loadRow()
	acc := []reg.VecVirtual{avx2.zero(), avx2.zero()}
	most := r.largest()
	SUBQ(Imm(8), r.n)
	JL(LabelRef("tail"))
	Label("loop")
	r.checkEight(most, "bad")
	for half, sum := range acc {
		VFMADD231PD(avx2.load(single, single.at(r.value, r.k, 4*half)), r.collectFour(4*half), sum)
	}
	ADDQ(Imm(8), r.k)
	SUBQ(Imm(8), r.n)
	JGE(LabelRef("loop"))

	Label("tail")
	ADDQ(Imm(8), r.n)
	r.dotLast(most, acc)
	Store(avx2.sumLanes(acc).AsX(), Return("sum"))
	ok := GP8()
	MOVB(U8(1), ok)
	Store(ok, Return("ok"))
	VZEROUPPER()
	RET()
	Label("bad")
	MOVB(U8(0), ok)
	Store(ok, Return("ok"))
	VZEROUPPER()
	RET()
}

// largest returns copies of the largest index allowed. Without any (w is
// empty) it is 2^32-1, and the caller must not come here.
func (r row) largest() reg.VecVirtual {
	last, most := GP32(), YMM()
	MOVL(r.limit.As32(), last)
	DECL(last)
	VMOVD(last, most.AsX())
	VPBROADCASTD(most.AsX(), most)
	return most
}

// checkEight jumps to bad if one of the next eight indices is above most.
func (r row) checkEight(most reg.VecVirtual, bad string) {
	index := YMM()
	VMOVDQU(single.at(r.index, r.k, 0), index)
	r.checkIndices(most, index, bad)
}

// checkIndices jumps to bad if one of eight indices is above most.
func (r row) checkIndices(most, index reg.VecVirtual, bad string) {
	below, bits := YMM(), GP32()
	VPMINUD(most, index, below)
	VPCMPEQD(index, below, below)
	VPMOVMSKB(below, bits)
	CMPL(bits, I8(-1))
	JNE(LabelRef(bad))
}

// collectFour returns w at four of the next indices.
func (r row) collectFour(offset int) reg.VecVirtual {
	x, v := [2]reg.VecVirtual{XMM(), XMM()}, YMM()
	for i := range x {
		low, high := r.twoIndices(offset + 2*i)
		VMOVSD(r.gatherAt(low), x[i])
		VMOVHPD(r.gatherAt(high), x[i], x[i])
	}
	VINSERTF128(U8(1), x[1], x[0].AsY(), v)
	return v
}

// twoIndices returns the next indices at an offset, by one load: loads are what
// these kernels have most of.
func (r row) twoIndices(offset int) (low, high reg.GPVirtual) {
	low, high = GP64(), GP64()
	MOVQ(single.at(r.index, r.k, offset), high)
	MOVL(high.As32(), low.As32())
	SHRQ(U8(32), high)
	return low, high
}

// collectFrom returns w at the four indices of a register.
func (r row) collectFrom(index reg.Register) reg.VecVirtual {
	x, v := [2]reg.VecVirtual{XMM(), XMM()}, YMM()
	for i := range x {
		low, high := GP64(), GP64()
		if i == 0 {
			VMOVQ(index, high)
		} else {
			VPEXTRQ(U8(1), index, high)
		}
		MOVL(high.As32(), low.As32())
		SHRQ(U8(32), high)
		VMOVSD(r.gatherAt(low), x[i])
		VMOVHPD(r.gatherAt(high), x[i], x[i])
	}
	VINSERTF128(U8(1), x[1], x[0].AsY(), v)
	return v
}

// dotLast adds to acc the products of the less than eight elements left, without a
// jump that could not be foretold: what is not there counts as index 0 and is then
// cleared.
func (r row) dotLast(most reg.VecVirtual, acc []reg.VecVirtual) {
	place, wide, there, index, value := GP64(), []reg.VecVirtual{YMM(), YMM()}, YMM(), YMM(), YMM()
	LEAQ(maskTable(), place)
	NEGQ(r.n)
	VMOVDQU(Mem{Base: place, Index: r.n, Scale: 4, Disp: 32}, there)
	VPMASKMOVD(single.at(r.index, r.k, 0), there, index)
	VMASKMOVPS(single.at(r.value, r.k, 0), there, value)
	r.checkIndices(most, index, "bad")
	for half, sum := range acc {
		four, x, v := index.AsX(), value.AsX(), YMM()
		mask := there.AsX()
		if half == 1 {
			four, x, mask = XMM(), XMM(), XMM()
			VEXTRACTI128(U8(1), index, four)
			VEXTRACTF128(U8(1), value, x)
			VEXTRACTI128(U8(1), there, mask)
		}
		VPMOVSXDQ(mask, wide[half])
		VCVTPS2PD(x, v)
		w := r.collectFrom(four)
		VANDPD(wide[half], w, w)
		VFMADD231PD(v, w, sum)
	}
}

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
	scales, rows, begin := Load(Param("scale").Base(), GP64()), Load(Param("scale").Len(), GP64()), Load(Param("start").Base(), GP64())
	r := loadRow()
	length := Load(Param("value").Len(), GP64())
	most, zero, scale, done, end := r.largest(), XMM(), XMM(), GP64(), GP64()
	VXORPD(zero, zero, zero)
	XORQ(done, done)
	MOVQ(Mem{Base: begin}, end)
	JMP(LabelRef("next"))
	Label("row")
	MOVQ(end, r.k)
	MOVQ(Mem{Base: begin, Index: done, Scale: 8, Disp: 8}, end)
	CMPQ(end, length)
	JHI(LabelRef("stop"))
	CMPQ(r.k, end)
	JHI(LabelRef("stop"))
	VMOVDDUP(Mem{Base: scales, Index: done, Scale: 8}, scale)
	VUCOMISD(zero, scale)
	JP(LabelRef("add")) // not a number
	JE(LabelRef("added"))
	Label("add")
	MOVQ(end, r.n)
	SUBQ(r.k, r.n)
	r.updateAll(scale, most, "stop", "added")
	Label("added")
	INCQ(done)
	Label("next")
	MOVQ(end, r.k)
	CMPQ(done, rows)
	JLT(LabelRef("row"))
	Label("stop")
	SUBQ(Mem{Base: begin, Index: done, Scale: 8}, r.k)
	Store(done, Return("done"))
	Store(r.k, Return("part"))
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
