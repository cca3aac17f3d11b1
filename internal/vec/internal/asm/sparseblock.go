package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A sparseBlock is the registers of a kernel that goes over a row once for every strip of up to 20
// columns of w, of which each row belongs to an element: the sums, or what is added, stay in registers.
type sparseBlock struct {
	w, vector, index, value reg.Register
	rows, stride            reg.Register  // of w: how many, and bytes from one to the next
	n, k, left              reg.GPVirtual // elements, elements done, columns left
}

// sparseBlocks writes SparseGemv and SparseGer.
func sparseBlocks() {
	const doc = " len(w) is at least rows*len(%s); ok is whether all rows are below that. It reads and writes inside w only."
	kernel("sparseGemvAVX2", "func(dst []float64, w []float64, rows int, index []uint32, value []float32) (ok bool)", "sparseGemvAVX2 is SparseGemv."+fmt.Sprintf(doc, "dst"))
	loadSparseBlock("dst").strips(func(b sparseBlock, n int, load func(Mem) reg.VecVirtual, store func(reg.VecVirtual, Mem)) (each func(reg.Register, reg.VecVirtual), end func()) {
		sums := make([]reg.VecVirtual, n)
		for i := range sums {
			sums[i] = load(Mem{Base: b.vector, Disp: 32 * i})
		}
		return func(at reg.Register, x reg.VecVirtual) {
				for i, sum := range sums {
					VFMADD231PD(load(Mem{Base: at, Disp: 32 * i}), x, sum)
				}
			}, func() {
				for i, sum := range sums {
					store(sum, Mem{Base: b.vector, Disp: 32 * i})
				}
			}
	})
	kernel("sparseGerAVX2", "func(w []float64, v []float64, rows int, index []uint32, value []float32) (ok bool)", "sparseGerAVX2 is SparseGer."+fmt.Sprintf(doc, "v"))
	loadSparseBlock("v").strips(func(b sparseBlock, n int, load func(Mem) reg.VecVirtual, store func(reg.VecVirtual, Mem)) (each func(reg.Register, reg.VecVirtual), end func()) {
		added := make([]reg.VecVirtual, n)
		for i := range added {
			added[i] = load(Mem{Base: b.vector, Disp: 32 * i})
		}
		return func(at reg.Register, x reg.VecVirtual) {
			for i, v := range added {
				place := Mem{Base: at, Disp: 32 * i}
				w := load(place)
				VFMADD231PD(v, x, w)
				store(w, place)
			}
		}, func() {}
	})
}

func loadSparseBlock(vector string) sparseBlock {
	b := sparseBlock{w: Load(Param("w").Base(), GP64()), vector: Load(Param(vector).Base(), GP64()), index: Load(Param("index").Base(), GP64()), value: Load(Param("value").Base(), GP64()),
		rows: Load(Param("rows"), GP64()), n: Load(Param("value").Len(), GP64()).(reg.GPVirtual), left: Load(Param(vector).Len(), GP64()).(reg.GPVirtual), k: GP64(), stride: GP64()}
	MOVQ(b.left, b.stride)
	SHLQ(U8(3), b.stride)
	return b
}

// strips writes the loops over the elements: for five vectors of columns (20 classes go in one) and for fewer, and for the columns
// after the last vector.
func (b sparseBlock) strips(body func(b sparseBlock, n int, load func(Mem) reg.VecVirtual, store func(reg.VecVirtual, Mem)) (each func(reg.Register, reg.VecVirtual), end func())) {
	sizes := []int{5, 2, 1}
	ok := GP8()
	Label("strip")
	for _, n := range sizes {
		CMPQ(b.left, Imm(uint64(4*n)))
		JGE(LabelRef(fmt.Sprint("strip", n)))
	}
	TESTQ(b.left, b.left)
	JE(LabelRef("done"))
	m := first(b.left)
	b.loop("rest", 1, func(from Mem) reg.VecVirtual { return loadFirst(double, from, m) }, func(v reg.VecVirtual, to Mem) { storeFirst(v, to, m) }, body)
	Label("done")
	MOVB(U8(1), ok)
	Store(ok, Return("ok"))
	VZEROUPPER()
	RET()
	for _, n := range sizes {
		name := fmt.Sprint("strip", n)
		Label(name)
		b.loop(name+"Loop", n, func(from Mem) reg.VecVirtual { return avx2.load(double, from) }, func(v reg.VecVirtual, to Mem) { VMOVUPD(v, to) }, body)
		ADDQ(U32(uint32(32*n)), b.w)
		ADDQ(U32(uint32(32*n)), b.vector)
		SUBQ(Imm(uint64(4*n)), b.left)
		JMP(LabelRef("strip"))
	}
	Label("bad")
	XORB(ok, ok)
	Store(ok, Return("ok"))
	VZEROUPPER()
	RET()
}

// loop goes over the elements for one strip of n vectors.
func (b sparseBlock) loop(name string, n int, load func(Mem) reg.VecVirtual, store func(reg.VecVirtual, Mem), body func(b sparseBlock, n int, load func(Mem) reg.VecVirtual, store func(reg.VecVirtual, Mem)) (each func(reg.Register, reg.VecVirtual), end func())) {
	each, end := body(b, n, load, store)
	XORQ(b.k, b.k)
	JMP(LabelRef(name + "Next"))
	Label(name)
	at, x := GP64(), YMM()
	MOVL(single.at(b.index, b.k, 0), at.As32())
	CMPQ(at, b.rows)
	JCC(LabelRef("bad"))
	IMULQ(b.stride, at)
	ADDQ(b.w, at)
	VBROADCASTSS(single.at(b.value, b.k, 0), x.AsX())
	VCVTPS2PD(x.AsX(), x)
	each(at, x)
	INCQ(b.k)
	Label(name + "Next")
	CMPQ(b.k, b.n)
	JLT(LabelRef(name))
	end()
}
