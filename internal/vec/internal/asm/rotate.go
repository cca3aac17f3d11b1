package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func rotations() {
	rotate(avx2)
	reflectedDot(avx2)
}

// rotate writes a sequence of rotations of neighbouring rows, of 8 columns or a multiple:
// x, y = fma(s, y, c*x), fma(-s, x, c*y). The y of a rotation, which is the x of the
// next, stays in registers.
func rotate(s isa) {
	kernel("rotate"+s.suffix, "func(v *float64, stride int, q *float64, count, cols int)",
		"rotate"+s.suffix+" applies count rotations, one at least, to cols columns of rows at v.")
	v, stride, q := Load(Param("v"), GP64()), Load(Param("stride"), GP64()), Load(Param("q"), GP64())
	count, cols := Load(Param("count"), GP64()), Load(Param("cols"), GP64())
	SHLQ(Imm(3), stride)
	for _, width := range []int{4 * s.width, 8} {
		again, end, loop := fmt.Sprintf("strip%d", width), fmt.Sprintf("end%d", width), fmt.Sprintf("loop%d", width)
		Label(again)
		CMPQ(cols, Imm(uint64(width)))
		JL(LabelRef(end))
		row, at, left := GP64(), GP64(), GP64()
		MOVQ(v, row)
		MOVQ(q, at)
		MOVQ(count, left)
		x := make([]reg.VecVirtual, width/s.width)
		for i := range x {
			x[i] = s.load(double, Mem{Base: row, Disp: 8 * i * s.width})
		}
		Label(loop)
		cosine, sine := s.vector(), s.vector()
		VBROADCASTSD(Mem{Base: at}, cosine)
		VBROADCASTSD(Mem{Base: at, Disp: 8}, sine)
		for i := range x {
			y, next := s.load(double, Mem{Base: row, Index: stride, Scale: 1, Disp: 8 * i * s.width}), s.vector()
			VMULPD(cosine, y, next)
			VFNMADD231PD(sine, x[i], next)
			VMULPD(cosine, x[i], x[i])
			VFMADD231PD(sine, y, x[i])
			VMOVUPD(x[i], Mem{Base: row, Disp: 8 * i * s.width})
			VMOVAPD(next, x[i])
		}
		ADDQ(stride, row)
		ADDQ(Imm(16), at)
		DECQ(left)
		JNE(LabelRef(loop))
		for i := range x {
			VMOVUPD(x[i], Mem{Base: row, Disp: 8 * i * s.width})
		}
		ADDQ(I32(8*width), v)
		SUBQ(Imm(uint64(width)), cols)
		JMP(LabelRef(again))
		Label(end)
	}
	VZEROUPPER()
	RET()
}

// reflectedDot writes one row of the reduction to tridiagonal form: the row loses x*w and
// y*v, and its product with next is returned, a dense sum.
func reflectedDot(s isa) {
	kernel("reflectedDot"+s.suffix, "func(row, w, v, next []float64, x, y float64) float64",
		"reflectedDot"+s.suffix+" is reflectedDot for slices of the same length.")
	row, n := Load(Param("row").Base(), GP64()), Load(Param("row").Len(), GP64())
	w, v, next := Load(Param("w").Base(), GP64()), Load(Param("v").Base(), GP64()), Load(Param("next").Base(), GP64())
	x, y := broadcast(s, "x"), broadcast(s, "y")
	sum(s, n.(reg.GPVirtual), func(acc reg.VecVirtual, j reg.Register, offset int, m *mask) {
		at := func(base reg.Register) Mem { return double.at(base, j, offset) }
		load := func(base reg.Register) reg.VecVirtual { return s.load(double, at(base)) }
		if m != nil {
			load = func(base reg.Register) reg.VecVirtual { return s.loadFirst(double, at(base), *m) }
		}
		e := load(row)
		VFNMADD231PD(load(w), x, e)
		VFNMADD231PD(load(v), y, e)
		switch {
		case m == nil:
			VMOVUPD(e, at(row))
		case s == avx512: // x may be infinite, and 0*x not zero
			s.storeFirst(e, at(row), *m)
			VMOVAPD_Z(e, m.k, e)
		default:
			s.storeFirst(e, at(row), *m)
			VANDPD(m.wide, e, e)
		}
		VFMADD231PD(load(next), e, acc)
	})
}
