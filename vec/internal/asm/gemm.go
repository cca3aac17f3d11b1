package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The tiles are as many rows as registers allow, of two vectors each: 24 of 32
// registers hold the tile with AVX-512, 12 of 16 with AVX2. Package vec knows
// the same numbers.
func gemm() {
	for _, p := range []precision{single, double} {
		float{avx512, p}.tile(12)
		float{avx2, p}.tile(6)
	}
}

// tile writes the product of a tile: c[i][j] = fma(a[k][i], b[k][j], c[i][j])
// for k = 0, 1, ... in order, where a has the given number of rows and b two
// vectors of columns.
func (f float) tile(rows int) {
	name, element := "tile64"+f.suffix, "float64"
	if !f.double() {
		name, element = "tile32"+f.suffix, "float32"
	}
	kernel(name, "func(k int, a, b, c *"+element+", stride int)",
		name+" adds the product of k columns of a packed panel and k rows of another to a tile of c.")
	k := Load(Param("k"), GP64())
	a, b, c := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("c"), GP64())
	stride, row, size := Load(Param("stride"), GP64()), GP64(), f.size()*int(f.p)
	SHLQ(Imm(uint64(shift(f.p))), stride)

	acc := make([][2]reg.VecVirtual, rows)
	MOVQ(c, row)
	for i := range acc {
		for h := range acc[i] {
			acc[i][h] = f.vector()
			VMOVUPD(Mem{Base: row, Disp: h * size}, acc[i][h])
		}
		ADDQ(stride, row)
	}
	// The tile below is next.
	for range rows {
		PREFETCHT0(Mem{Base: row})
		PREFETCHT0(Mem{Base: row, Disp: 2*size - 1})
		ADDQ(stride, row)
	}
	TESTQ(k, k)
	JE(LabelRef("store"))
	Label("loop")
	low, high := f.copyOf(Mem{Base: b}), f.copyOf(Mem{Base: b, Disp: size})
	for i := range acc {
		x := f.vector()
		f.pick(broadcast64, broadcast32, Mem{Base: a, Disp: i * int(f.p)}, x)
		f.pick(VFMADD231PD, VFMADD231PS, low, x, acc[i][0])
		f.pick(VFMADD231PD, VFMADD231PS, high, x, acc[i][1])
	}
	ADDQ(Imm(uint64(rows*int(f.p))), a)
	ADDQ(Imm(uint64(2*size)), b)
	DECQ(k)
	JNE(LabelRef("loop"))
	Label("store")
	for i := range acc {
		for h := range acc[i] {
			VMOVUPD(acc[i][h], Mem{Base: c, Disp: h * size})
		}
		ADDQ(stride, c)
	}
	VZEROUPPER()
	RET()
}

// shift is the logarithm of the bytes of an element.
func shift(p precision) int { return map[precision]int{single: 2, double: 3}[p] }

func broadcast64(ops ...Op) { VBROADCASTSD(ops[0], ops[1]) }
func broadcast32(ops ...Op) { VBROADCASTSS(ops[0], ops[1]) }
