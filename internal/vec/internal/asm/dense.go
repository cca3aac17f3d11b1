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
	product(avx2, "dot32", "x, y []float32", single, single)
	square(avx2, "squaredNorm", "x []float32", single)
	square(avx2, "squaredNorm64", "x []float64", double)
	for _, s := range []isa{avx512, avx2} {
		product(s, "dot", "w []float64, x []float32", double, single)
		product(s, "dot64", "x, y []float64", double, double)
		axpy(s, "axpy", "dst []float64, scale float64, x []float32", single)
		axpy(s, "axpy64", "dst []float64, scale float64, x []float64", double)
		scaledAdd(s)
	}
}

// product writes a sum of a[j]*b[j], where a and b are the two parameters.
func product(s isa, name, parameters string, a, b precision) {
	kernel(name+s.suffix, "func("+parameters+") float64", name+s.suffix+" is "+name+" for slices of the same length.")
	x, y := Load(ParamIndex(0).Base(), GP64()), Load(ParamIndex(1).Base(), GP64())
	n := Load(ParamIndex(1).Len(), GP64())
	sum(s, n.(reg.GPVirtual), func(acc reg.VecVirtual, j reg.Register, offset int, m *mask) {
		if m != nil {
			VFMADD231PD(s.loadFirst(a, a.at(x, j, offset), *m), s.loadFirst(b, b.at(y, j, offset), *m), acc)
		} else if a == double {
			VFMADD231PD(a.at(x, j, offset), s.load(b, b.at(y, j, offset)), acc)
		} else {
			VFMADD231PD(s.load(a, a.at(x, j, offset)), s.load(b, b.at(y, j, offset)), acc)
		}
	})
}

// square writes a sum of x[j]^2.
func square(s isa, name, parameters string, p precision) {
	kernel(name+s.suffix, "func("+parameters+") float64", name+s.suffix+" is "+name+".")
	x, n := Load(Param("x").Base(), GP64()), Load(Param("x").Len(), GP64())
	sum(s, n.(reg.GPVirtual), func(acc reg.VecVirtual, j reg.Register, offset int, m *mask) {
		var v reg.VecVirtual
		if m != nil {
			v = s.loadFirst(p, p.at(x, j, offset), *m)
		} else {
			v = s.load(p, p.at(x, j, offset))
		}
		VFMADD231PD(v, v, acc)
	})
}

// sum writes the body of a sum over n elements in 32 lanes and returns it.
// step adds the vector of products at j+offset to acc; with a mask, its first
// elements only, and +0 in the other lanes.
//
// The last step is always a masked one, if only of zeros: that makes a lane of
// -0 (all its products underflowed) +0, and then the tree cannot end in -0.
func sum(s isa, n reg.GPVirtual, step func(acc reg.VecVirtual, j reg.Register, offset int, m *mask)) {
	count := lanes / s.width
	acc := make([]reg.VecVirtual, count)
	for i := range acc {
		acc[i] = s.zero()
	}
	j := GP64()
	XORQ(j, j)
	SUBQ(Imm(lanes), n)
	JL(LabelRef("tail"))
	Label("loop")
	for i, v := range acc {
		step(v, j, i*s.width, nil)
	}
	ADDQ(Imm(lanes), j)
	SUBQ(Imm(lanes), n)
	JGE(LabelRef("loop"))

	Label("tail")
	ADDQ(Imm(lanes), n)
	for i, v := range acc[:count-1] {
		CMPQ(n, Imm(uint64(s.width)))
		JL(LabelRef(fmt.Sprintf("last%d", i)))
		step(v, j, 0, nil)
		ADDQ(Imm(uint64(s.width)), j)
		SUBQ(Imm(uint64(s.width)), n)
	}
	for i := count - 1; i >= 0; i-- {
		Label(fmt.Sprintf("last%d", i))
		m := s.first(n)
		step(acc[i], j, 0, &m)
		if i > 0 {
			JMP(LabelRef("tree"))
		}
	}
	Label("tree")
	total := s.sumLanes(s.foldLanes(acc))
	Store(total.AsX(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// foldLanes adds 32 lanes to eight: (0..7 + 8..15) + (16..23 + 24..31).
func (s isa) foldLanes(acc []reg.VecVirtual) []reg.VecVirtual {
	eight := 8 / s.width
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
func axpy(s isa, name, parameters string, p precision) {
	kernel(name+s.suffix, "func("+parameters+")", name+s.suffix+" is "+name+" for slices of the same length.")
	scale := broadcast(s, "scale")
	elementwise(s, p, func(x, old reg.VecVirtual) { VFMADD231PD(scale, x, old) })
}

// scaledAdd writes dst[j] = fma(beta, x[j], alpha*dst[j]).
func scaledAdd(s isa) {
	kernel("scaledAdd"+s.suffix, "func(dst []float64, alpha, beta float64, x []float64)",
		"scaledAdd"+s.suffix+" is scaledAdd for slices of the same length.")
	alpha, beta := broadcast(s, "alpha"), broadcast(s, "beta")
	elementwise(s, double, func(x, old reg.VecVirtual) {
		VMULPD(alpha, old, old)
		VFMADD231PD(beta, x, old)
	})
}

// broadcast returns a vector of copies of a parameter.
func broadcast(s isa, name string) reg.VecVirtual {
	x, v := Load(Param(name), XMM()), s.vector()
	VBROADCASTSD(x, v)
	return v
}

// elementwise writes a loop that replaces old elements of dst; change computes
// the new in place from those of x.
func elementwise(s isa, p precision, change func(x, old reg.VecVirtual)) {
	dst, x := Load(Param("dst").Base(), GP64()), Load(Param("x").Base(), GP64())
	n, j := Load(Param("x").Len(), GP64()).(reg.GPVirtual), GP64()
	XORQ(j, j)
	for _, unroll := range []int{4, 1} {
		step, loop, end := unroll*s.width, fmt.Sprintf("loop%d", unroll), fmt.Sprintf("end%d", unroll)
		SUBQ(Imm(uint64(step)), n)
		JL(LabelRef(end))
		Label(loop)
		for i := range unroll {
			old := s.load(double, double.at(dst, j, i*s.width))
			change(s.load(p, p.at(x, j, i*s.width)), old)
			VMOVUPD(old, double.at(dst, j, i*s.width))
		}
		ADDQ(Imm(uint64(step)), j)
		SUBQ(Imm(uint64(step)), n)
		JGE(LabelRef(loop))
		Label(end)
		ADDQ(Imm(uint64(step)), n)
	}
	JE(LabelRef("done"))
	m := s.first(n)
	old := s.loadFirst(double, double.at(dst, j, 0), m)
	change(s.loadFirst(p, p.at(x, j, 0), m), old)
	s.storeFirst(old, double.at(dst, j, 0), m)
	Label("done")
	VZEROUPPER()
	RET()
}
