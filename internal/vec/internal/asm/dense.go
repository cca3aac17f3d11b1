package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of partial sums of a dense sum: package vec's contract.
const lanes = 32

func dense() {
	square()
	product("dot", "w []float64, x []float32", single)
	product("dot64", "x, y []float64", double)
	axpy("axpy", "dst []float64, scale float64, x []float32", single)
	axpy("axpy64", "dst []float64, scale float64, x []float64", double)
	scaledAdd()
	addRows(single)
	addRows(double)
}

// product writes a sum of a[j]*b[j], where a and b are the two parameters, a in double precision.
func product(name, parameters string, b precision) {
	kernel(name+"AVX2", "func("+parameters+") float64", name+"AVX2 is "+name+" for slices of the same length.")
	x, y := Load(ParamIndex(0).Base(), GP64()), Load(ParamIndex(1).Base(), GP64())
	n := Load(ParamIndex(1).Len(), GP64())
	sum(n.(reg.GPVirtual), func(acc reg.VecVirtual, j reg.Register, offset int, m *mask) {
		if m != nil {
			VFMADD231PD(loadFirst(double, double.at(x, j, offset), *m), loadFirst(b, b.at(y, j, offset), *m), acc)
		} else {
			VFMADD231PD(double.at(x, j, offset), avx2.load(b, b.at(y, j, offset)), acc)
		}
	})
}

// square writes a sum of x[j]^2 in single precision.
func square() {
	kernel("squaredNormAVX2", "func(x []float32) float64", "squaredNormAVX2 is squaredNorm.")
	x, n := Load(Param("x").Base(), GP64()), Load(Param("x").Len(), GP64())
	sum(n.(reg.GPVirtual), func(acc reg.VecVirtual, j reg.Register, offset int, m *mask) {
		v := loadFew(single, single.at(x, j, offset), m)
		VFMADD231PD(v, v, acc)
	})
}

// sum writes the body of a sum over n elements in 32 lanes and returns it.
// step adds the vector of products at j+offset to acc; with a mask, its first
// elements only, and +0 in the other lanes.
//
// The last step is always a masked one, if only of zeros: that makes a lane of
// -0 (all its products underflowed) +0, and then the tree cannot end in -0.
func sum(n reg.GPVirtual, step func(acc reg.VecVirtual, j reg.Register, offset int, m *mask)) {
	count := lanes / avx2.width
	acc := make([]reg.VecVirtual, count)
	for i := range acc {
		acc[i] = avx2.zero()
	}
	j := GP64()
	XORQ(j, j)
	SUBQ(Imm(lanes), n)
	JL(LabelRef("tail"))
	Label("loop")
	for i, v := range acc {
		step(v, j, i*avx2.width, nil)
	}
	ADDQ(Imm(lanes), j)
	SUBQ(Imm(lanes), n)
	JGE(LabelRef("loop"))

	Label("tail")
	ADDQ(Imm(lanes), n)
	for i, v := range acc[:count-1] {
		CMPQ(n, Imm(uint64(avx2.width)))
		JL(LabelRef(fmt.Sprintf("last%d", i)))
		step(v, j, 0, nil)
		ADDQ(Imm(uint64(avx2.width)), j)
		SUBQ(Imm(uint64(avx2.width)), n)
	}
	for i := count - 1; i >= 0; i-- {
		Label(fmt.Sprintf("last%d", i))
		m := first(n)
		step(acc[i], j, 0, &m)
		if i > 0 {
			JMP(LabelRef("tree"))
		}
	}
	Label("tree")
	total := sumLanes(foldLanes(acc))
	Store(total.AsX(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// foldLanes adds 32 lanes to eight: (0..7 + 8..15) + (16..23 + 24..31).
func foldLanes(acc []reg.VecVirtual) []reg.VecVirtual {
	eight := 8 / avx2.width
	for half := len(acc) / 2; half >= eight; half /= 2 {
		for i := 0; i < half; i++ {
			// pair neighbours of eight lanes
			group, part := i/eight, i%eight
			VADDPD(acc[2*group*eight+eight+part], acc[2*group*eight+part], acc[i])
		}
	}
	return acc[:eight]
}

// axpy writes dst[j] = fma(scale, x[j], dst[j]).
func axpy(name, parameters string, p precision) {
	kernel(name+"AVX2", "func("+parameters+")", name+"AVX2 is "+name+" for slices of the same length.")
	scale := broadcast("scale")
	elementwise(p, func(x, old reg.VecVirtual) { VFMADD231PD(scale, x, old) })
}

// scaledAdd writes dst[j] = fma(beta, x[j], alpha*dst[j]).
func scaledAdd() {
	kernel("scaledAddAVX2", "func(dst []float64, alpha, beta float64, x []float64)",
		"scaledAddAVX2 is scaledAdd for slices of the same length.")
	alpha, beta := broadcast("alpha"), broadcast("beta")
	elementwise(double, func(x, old reg.VecVirtual) {
		VMULPD(alpha, old, old)
		VFMADD231PD(beta, x, old)
	})
}

// broadcast returns a vector of copies of a parameter.
func broadcast(name string) reg.VecVirtual {
	x, v := Load(Param(name), XMM()), YMM()
	VBROADCASTSD(x, v)
	return v
}

// elementwise writes a loop that replaces old elements of dst; change computes
// the new in place from those of x.
func elementwise(p precision, change func(x, old reg.VecVirtual)) {
	dst, x := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64())
	n, j := Load(Param("x").Len(), GP64()).(reg.GPVirtual), GP64()
	XORQ(j, j)
	for _, unroll := range []int{4, 1} {
		step, loop, end := unroll*avx2.width, fmt.Sprintf("loop%d", unroll), fmt.Sprintf("end%d", unroll)
		SUBQ(Imm(uint64(step)), n)
		JL(LabelRef(end))
		Label(loop)
		for i := range unroll {
			old := avx2.load(double, double.at(dst, j, i*avx2.width))
			change(avx2.load(p, p.at(x, j, i*avx2.width)), old)
			VMOVUPD(old, double.at(dst, j, i*avx2.width))
		}
		ADDQ(Imm(uint64(step)), j)
		SUBQ(Imm(uint64(step)), n)
		JGE(LabelRef(loop))
		Label(end)
		ADDQ(Imm(uint64(step)), n)
	}
	JE(LabelRef("done"))
	m := first(n)
	old := loadFirst(double, double.at(dst, j, 0), m)
	change(loadFirst(p, p.at(x, j, 0), m), old)
	storeFirst(old, double.at(dst, j, 0), m)
	Label("done")
	VZEROUPPER()
	RET()
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
