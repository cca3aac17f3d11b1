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
	float{avx512, double}.tile(12)
	float{avx2, double}.tile(6)
	float{avx512, single}.wideTile(12)
	float{avx2, single}.wideTile(6)
	float{avx2, single}.transpose()
	float{avx2, double}.transpose()
}

// tile writes the product of a tile: c[i][j] = fma(a[k][i], b[k][j], c[i][j])
// for k = 0, 1, ... in order, where a has the given number of rows and b two
// vectors of columns; a[k+1] is aStride numbers behind a[k].
func (f float) tile(rows int) {
	name := "tile64" + f.suffix
	kernel(name, "func(k int, a *float64, aStride int, b *float64, bStride int, c *float64, stride int)",
		name+" adds the product of k columns of a panel and k rows of another to a tile of c.")
	k := Load(Param("k"), GP64())
	a, b, c := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("c"), GP64())
	stride, row, size := Load(Param("stride"), GP64()), GP64(), f.size()*int(f.p)
	SHLQ(Imm(3), stride)

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
	f.accumulate(k, a, b, acc)
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

// accumulate adds the products of a tile to registers.
func (f float) accumulate(k, a, b reg.Register, acc [][2]reg.VecVirtual) {
	size := f.size() * int(f.p)
	aStride, bStride := Load(Param("aStride"), GP64()), Load(Param("bStride"), GP64())
	SHLQ(Imm(uint64(shift(f.p))), aStride)
	SHLQ(Imm(uint64(shift(f.p))), bStride)
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
	ADDQ(aStride, a)
	ADDQ(bStride, b)
	DECQ(k)
	JNE(LabelRef("loop"))
}

// wideTile writes the product of a tile, from 0, and adds it to one in double precision.
func (f float) wideTile(rows int) {
	name := "tileWide" + f.suffix
	kernel(name, "func(k int, a *float32, aStride int, b *float32, bStride int, c *float64, stride int)",
		name+" adds the product of k columns of a panel and k rows of another, a sum in single precision, to a tile of c.")
	k := Load(Param("k"), GP64())
	a, b, c := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("c"), GP64())
	stride := Load(Param("stride"), GP64())
	SHLQ(Imm(3), stride)
	acc, row := make([][2]reg.VecVirtual, rows), GP64()
	MOVQ(c, row)
	for i := range acc {
		for line := range 4 * f.width * 8 / 64 { // C is far away, and not needed until the end
			PREFETCHT0(Mem{Base: row, Disp: 64 * line})
		}
		ADDQ(stride, row)
		for h := range acc[i] {
			acc[i][h] = f.zero()
		}
	}
	f.accumulate(k, a, b, acc)
	Label("store")
	for i := range acc {
		for h := range acc[i] {
			for part := range 2 {
				to, low, sum := Mem{Base: c, Disp: (2*h + part) * 8 * f.width}, f.half(), f.vector()
				switch {
				case part == 0 && f.isa == avx512:
					VCVTPS2PD(acc[i][h].AsY(), sum)
				case part == 0:
					VCVTPS2PD(acc[i][h].AsX(), sum)
				case f.isa == avx512:
					VEXTRACTF64X4(U8(1), acc[i][h], low)
					VCVTPS2PD(low, sum)
				default:
					VEXTRACTF128(U8(1), acc[i][h], low)
					VCVTPS2PD(low, sum)
				}
				VADDPD(to, sum, sum)
				VMOVUPD(sum, to)
			}
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
