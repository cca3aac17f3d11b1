package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose writes dst[j*dstStride+i] = src[i*srcStride+j] for as many columns as
// a vector has elements, and count times as many rows.
func (f float) transpose() {
	element, bits := f.element()
	name := "transpose" + bits + f.suffix
	kernel(name, "func(dst, src []"+element+", dstStride, srcStride, count int)",
		fmt.Sprintf("%s transposes %d columns of count times as many rows, of which there is one at least.", name, f.size()))
	dst, src := Load(Param("dst").Base(), GP64()), Load(Param("src").Base(), GP64())
	to, from, count := Load(Param("dstStride"), GP64()), Load(Param("srcStride"), GP64()), Load(Param("count"), GP64())
	SHLQ(Imm(uint64(shift(f.p))), to)
	SHLQ(Imm(uint64(shift(f.p))), from)
	row := GP64()
	Label("loop")
	rows := make([]reg.VecVirtual, f.size())
	for i := range rows {
		rows[i] = f.copyOf(Mem{Base: src})
		ADDQ(from, src)
	}
	MOVQ(dst, row)
	for _, column := range f.columns(rows) {
		VMOVUPD(column, Mem{Base: row})
		ADDQ(to, row)
	}
	ADDQ(Imm(uint64(f.size()*int(f.p))), dst)
	DECQ(count)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// columns transposes a square: first inside the lanes of 128 bits, so that
// lane l of vector per*g+c is column per*l+c of rows per*g to per*g+per-1; then
// the lanes.
func (f float) columns(rows []reg.VecVirtual) []reg.VecVirtual {
	per := 16 / int(f.p) // elements in a lane
	t := rows
	if !f.double() {
		t = f.pairs(rows, VUNPCKLPS, VUNPCKHPS)
		for g := 0; g < len(t); g += 4 { // columns 0 and 1 before 2 and 3
			t[g+1], t[g+2] = t[g+2], t[g+1]
		}
	}
	t = f.pairs(t, VUNPCKLPD, VUNPCKHPD)
	columns := make([]reg.VecVirtual, len(t))
	for c := range per {
		a, b := t[c], t[per+c]
		columns[c], columns[per+c] = f.vector(), f.vector()
		VPERM2F128(U8(0x20), b, a, columns[c])
		VPERM2F128(U8(0x31), b, a, columns[per+c])
	}
	return columns
}

// pairs replaces vectors 2i and 2i+1 by what low and high make of them.
func (f float) pairs(v []reg.VecVirtual, low, high func(ops ...Op)) []reg.VecVirtual {
	t := make([]reg.VecVirtual, len(v))
	for i := 0; i < len(v); i += 2 {
		t[i], t[i+1] = f.vector(), f.vector()
		low(v[i+1], v[i], t[i])
		high(v[i+1], v[i], t[i+1])
	}
	return t
}
