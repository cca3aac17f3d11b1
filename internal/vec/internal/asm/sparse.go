package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func sparse() {
	sparseDot2()
	sparseDots2()
	sparseAxpy()
	sparseAxpys()
	prefetchRow()
	prefetchAt()
	sparseBlocks()
	outers()
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

// sparseDot2 collects elements by single loads: the gather instructions of many
// processors are slower than that, of AMD's with AVX-512 too. Only the tail
// gathers, masked.
func sparseDot2() {
	kernel("sparseDotAVX2", "func(w []float64, index []uint32, value []float32) (sum float64, ok bool)",
		"sparseDotAVX2 is sparseDot."+sparseDoc)
	r := loadRow()
	acc := []reg.VecVirtual{avx2.zero(), avx2.zero()}
	most := r.largest()
	r.dotAll(most, acc)
	Store(sumLanes(acc).AsX(), Return("sum"))
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

// sparseDots2 is sparseDot2 for one row after another.
func sparseDots2() {
	kernel("sparseDotsAVX2", "func(dst, w []float64, start []int64, index []uint32, value []float32) (done int)",
		"sparseDotsAVX2 is sparseDots for w that is not empty, for the first rows, up to one that sparseDotAVX2 would not take or that is not inside value; start is one longer than dst, index as long as value.")
	s := loadRows("dst")
	most := s.largest()
	s.each("bad", func() {
		acc := []reg.VecVirtual{avx2.zero(), avx2.zero()}
		s.dotAll(most, acc)
		VMOVSD(sumLanes(acc).AsX(), s.here())
	})
	Store(s.done, Return("done"))
	VZEROUPPER()
	RET()
}

// dotAll adds the products of the elements left to acc. It jumps to bad at an index
// above most.
func (r row) dotAll(most reg.VecVirtual, acc []reg.VecVirtual) {
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
