package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairLanes is package vec's contract.
const pairLanes = 8

func pairs() {
	float{avx2, double}.extremes()
	float{avx2, double}.partner()
}

// eachEight writes a loop over the full eights of n elements: body compares those
// of part p, elements k + p*width and on, of which the numbers are at.
func (f float) eachEight(n reg.GPVirtual, body func(k reg.Register, p int, at reg.VecVirtual)) {
	var numbers []reg.VecVirtual
	for p := range pairLanes / f.width {
		numbers = append(numbers, f.copyOf(f.counting(p)))
	}
	k := GP64()
	XORQ(k, k)
	ANDQ(I8(-pairLanes), n)
	JMP(LabelRef("next"))
	Label("loop")
	for p, at := range numbers {
		body(k, p, at)
		VPADDQ(f.bits("eight", pairLanes), at, at)
	}
	ADDQ(Imm(pairLanes), k)
	Label("next")
	CMPQ(k, n)
	JLT(LabelRef("loop"))
}

var counts *Mem

// counting returns the numbers of the lanes of a part.
func (f float) counting(part int) Mem {
	if counts == nil {
		m := GLOBL("counting", attr.RODATA|attr.NOPTR)
		for i := range pairLanes {
			DATA(8*i, U64(i))
		}
		counts = &m
	}
	return counts.Offset(8 * f.width * part)
}

// greater returns where a is greater than b.
func (f float) greater(a, b reg.VecVirtual) (where reg.Register) {
	const greaterThan = 30 // ordered, quiet
	where = YMM()
	VCMPPD(U8(greaterThan), b, a, where)
	return where
}

// replace sets dst to src where a comparison says so.
func (f float) replace(dst, src reg.VecVirtual, where reg.Register) {
	VBLENDVPD(where, src, dst, dst)
}

// A laneState is arrays of eight lanes each, in registers: v[i] is array number i,
// in parts.
type laneState struct {
	float
	base reg.Register
	v    [][]reg.VecVirtual
}

func (f float) loadLanes(parameter string, arrays int) laneState {
	l := laneState{f, Load(Param(parameter), GP64()), make([][]reg.VecVirtual, arrays)}
	for i := range l.v {
		for p := range pairLanes / f.width {
			l.v[i] = append(l.v[i], f.copyOf(l.address(i, p)))
		}
	}
	return l
}

func (l laneState) address(i, p int) Mem {
	return Mem{Base: l.base, Disp: 8 * (pairLanes*i + l.width*p)}
}

func (l laneState) store() {
	for i, parts := range l.v {
		for p, v := range parts {
			VMOVUPD(v, l.address(i, p))
		}
	}
}

// extremes writes the search for the largest up-r and the least low-r.
func (f float) extremes() {
	name := "extremes" + f.suffix
	kernel(name, "func(best *[2][8]float64, at *[2][8]int64, up, low, r []float64)", name+" is extremeLanes.portable for the full eights of slices of the same length.")
	best, where := f.loadLanes("best", 2), f.loadLanes("at", 2)
	up, low, r := Load(Param("up").Base(), GP64()), Load(Param("low").Base(), GP64()), Load(Param("r").Base(), GP64())
	n := Load(Param("r").Len(), GP64()).(reg.GPVirtual)
	f.eachEight(n, func(k reg.Register, p int, at reg.VecVirtual) {
		response := f.copyOf(double.at(r, k, f.width*p))
		for i, from := range []reg.Register{up, low} {
			old := best.v[i][p]
			h := f.sub(f.copyOf(double.at(from, k, f.width*p)), response)
			better := f.greater(h, old)
			if i == 1 {
				better = f.greater(old, h)
			}
			f.replace(old, h, better)
			f.replace(where.v[i][p], at, better)
		}
	})
	best.store()
	where.store()
	VZEROUPPER()
	RET()
}

// partner writes the search for the largest fraction.
func (f float) partner() {
	name := "partner" + f.suffix
	kernel(name, "func(best *[2][8]float64, at *[8]int64, h, diagonal, floor float64, low, r, own, row []float64)",
		name+" is partnerLanes.portable for the full eights of slices of the same length.")
	best, where := f.loadLanes("best", 2), f.loadLanes("at", 1)
	low, r := Load(Param("low").Base(), GP64()), Load(Param("r").Base(), GP64())
	own, row := Load(Param("own").Base(), GP64()), Load(Param("row").Base(), GP64())
	n := Load(Param("r").Len(), GP64()).(reg.GPVirtual)
	h, diagonal, floor := f.broadcast("h"), f.broadcast("diagonal"), f.broadcast("floor")
	f.eachEight(n, func(k reg.Register, p int, at reg.VecVirtual) {
		square, curvature := best.v[0][p], best.v[1][p]
		d := f.sub(h, f.sub(f.copyOf(double.at(low, k, f.width*p)), double.at(r, k, f.width*p)))
		// Where one is NaN, max returns its second operand: here the first.
		VMAXPD(f.constant("zero", 0), d, d)
		VMULPD(d, d, d)
		c, twice := f.add(diagonal, double.at(own, k, f.width*p)), f.copyOf(double.at(row, k, f.width*p))
		VADDPD(twice, twice, twice)
		VSUBPD(twice, c, c)
		VMAXPD(floor, c, c)
		better := f.greater(f.mul(d, curvature), f.mul(square, c))
		f.replace(square, d, better)
		f.replace(curvature, c, better)
		f.replace(where.v[0][p], at, better)
	})
	best.store()
	where.store()
	VZEROUPPER()
	RET()
}
