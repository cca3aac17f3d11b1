package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rows writes tiles for products with few rows: the tall factor is read where it is.
func rows() {
	widen()
	for _, s := range []isa{avx512, avx2} {
		float{s, double}.colTile("colsMixed")
		float{s, double}.copySingle()
		float{s, double}.rowTile("rowsNarrow", 1)
		float{s, double}.rowTile("rowsWide", 2)
	}
}

// tileRows is how many rows a tile has: see gemm.
func (f float) tileRows() int {
	if f.isa == avx512 {
		return 12
	}
	return 6
}

// rowTile writes c[i][j] = fma(a[i][k], b[k][j], c[i][j]) for k = 0, 1, ... in order, where
// b is a packed panel of some vectors of columns. The rows of a are stride apart.
func (f float) rowTile(name string, vectors int) {
	kernel(name+f.suffix, "func(k int, a *float64, stride int, b, c *float64, cStride int)",
		name+f.suffix+" adds the product of rows of a, stride apart, and k rows of a packed panel to a tile of c.")
	const unroll = 4
	k, b := Load(Param("k"), GP64()), Load(Param("b"), GP64())
	stride := Load(Param("stride"), GP64())
	SHLQ(Imm(uint64(shift(f.p))), stride)
	size, rows := f.size()*int(f.p), f.tileRows()
	acc := f.tileOfC(rows, vectors, true, nil)
	groups := f.threes(Load(Param("a"), GP64()), stride, rows)

	step := func(u int) {
		x := make([]reg.VecVirtual, vectors)
		for h := range x {
			x[h] = f.copyOf(Mem{Base: b, Disp: (u*vectors + h) * size})
		}
		for i := range acc {
			e := f.vector()
			VBROADCASTSD(third(groups, stride, i, u*int(f.p)), e)
			for h := range x {
				VFMADD231PD(x[h], e, acc[i][h])
			}
		}
	}
	advance := func(steps int) {
		for _, g := range groups {
			ADDQ(Imm(uint64(steps*int(f.p))), g)
		}
		ADDQ(I32(steps*vectors*size), b)
	}
	SUBQ(Imm(unroll), k)
	JL(LabelRef("rest"))
	Label("loop")
	for u := range unroll {
		step(u)
	}
	advance(unroll)
	SUBQ(Imm(unroll), k)
	JGE(LabelRef("loop"))
	Label("rest")
	ADDQ(Imm(unroll), k)
	JE(LabelRef("store"))
	Label("single")
	step(0)
	advance(1)
	DECQ(k)
	JNE(LabelRef("single"))
	Label("store")
	f.tileOfC(rows, vectors, false, acc)
	VZEROUPPER()
	RET()
}

// copySingle writes a copy in double precision, of a multiple of as many numbers as a vector has.
func (f float) copySingle() {
	kernel("copySingle"+f.suffix, "func(n int, dst *float64, x *float32)", "copySingle"+f.suffix+" copies n vectors of numbers.")
	n, dst, x := Load(Param("n"), GP64()), Load(Param("dst"), GP64()), Load(Param("x"), GP64())
	TESTQ(n, n)
	JE(LabelRef("end"))
	Label("loop")
	VMOVUPD(f.load(single, Mem{Base: x}), Mem{Base: dst})
	ADDQ(Imm(uint64(f.size()*int(single))), x)
	ADDQ(Imm(uint64(f.size()*int(f.p))), dst)
	DECQ(n)
	JNE(LabelRef("loop"))
	Label("end")
	VZEROUPPER()
	RET()
}

// tileOfC loads or stores a tile of c.
func (f float) tileOfC(rows, vectors int, load bool, acc [][]reg.VecVirtual) [][]reg.VecVirtual {
	row, stride := Load(Param("c"), GP64()), Load(Param("cStride"), GP64())
	SHLQ(Imm(uint64(shift(f.p))), stride)
	for i := range rows {
		if load {
			acc = append(acc, make([]reg.VecVirtual, vectors))
		}
		for h := range vectors {
			at := Mem{Base: row, Disp: h * f.size() * int(f.p)}
			if load {
				acc[i][h] = f.copyOf(at)
			} else {
				VMOVUPD(acc[i][h], at)
			}
		}
		ADDQ(stride, row)
	}
	return acc
}

// threes returns the addresses of rows 0, 3, 6, ...
func (f float) threes(first, stride reg.Register, rows int) []reg.Register {
	groups := []reg.Register{first}
	for i := 3; i < rows; i += 3 {
		next := GP64()
		LEAQ(Mem{Base: groups[len(groups)-1], Index: stride, Scale: 2}, next)
		ADDQ(stride, next)
		groups = append(groups, next)
	}
	return groups
}

// third returns the address of row i.
func third(groups []reg.Register, stride reg.Register, i, disp int) Mem {
	m := Mem{Base: groups[i/3], Disp: disp}
	if i%3 > 0 {
		m.Index, m.Scale = stride, uint8(i%3)
	}
	return m
}

// colTile writes c[i][j] = fma(b[k][j], a[k][i], c[i][j]) for k = 0, 1, ... in order, where a is
// a packed panel and b has two vectors of columns in rows of single precision that are stride
// apart; the columns after them are asked for.
func (f float) colTile(name string) {
	kernel(name+f.suffix, "func(k int, a *float64, b *float32, stride int, c *float64, cStride int)",
		name+f.suffix+" adds the product of k columns of a packed panel and k rows, stride apart, to a tile of c.")
	k, a, b := Load(Param("k"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	stride := Load(Param("stride"), GP64())
	SHLQ(Imm(uint64(shift(single))), stride)
	rows, size := f.tileRows(), f.size()*int(single)
	acc := f.tileOfC(rows, 2, true, nil)
	TESTQ(k, k)
	JE(LabelRef("store"))
	Label("loop")
	x := [2]reg.VecVirtual{}
	for h := range x {
		x[h] = f.load(single, Mem{Base: b, Disp: h * size})
	}
	for at := 0; at < 2*size; at += 64 {
		PREFETCHT0(Mem{Base: b, Disp: 2*size + at})
	}
	for i := range acc {
		e := f.vector()
		VBROADCASTSD(Mem{Base: a, Disp: i * int(f.p)}, e)
		for h := range x {
			VFMADD231PD(x[h], e, acc[i][h])
		}
	}
	ADDQ(Imm(uint64(rows*int(f.p))), a)
	ADDQ(stride, b)
	DECQ(k)
	JNE(LabelRef("loop"))
	Label("store")
	f.tileOfC(rows, 2, false, acc)
	VZEROUPPER()
	RET()
}

// widen writes dst[r][j] = scale[r]*src[r][j] for rows that are strides apart.
func widen() {
	kernel("widenAVX2", "func(dst *float64, width int, src *float32, stride, cols int, scale []float64)",
		"widenAVX2 sets rows of dst, which are width apart, to as many numbers of those of src, in double precision and times the scale of the row, of which there is one at least.")
	dst, width := Load(Param("dst"), GP64()), Load(Param("width"), GP64())
	src, stride := Load(Param("src"), GP64()), Load(Param("stride"), GP64())
	cols, scale, rows := Load(Param("cols"), GP64()).(reg.GPVirtual), Load(Param("scale").Base(), GP64()), Load(Param("scale").Len(), GP64())
	SHLQ(Imm(uint64(shift(double))), width)
	SHLQ(Imm(uint64(shift(single))), stride)
	few, j, next := GP64(), GP64(), GP64()
	MOVQ(cols, few)
	ANDQ(Imm(uint64(avx2.width-1)), few)
	m := first(few)
	SUBQ(few, cols)
	Label("row")
	by := YMM()
	VBROADCASTSD(Mem{Base: scale}, by)
	XORQ(j, j)
	for _, vectors := range []int{4, 1} {
		v := string(rune('0' + vectors))
		JMP(LabelRef("enough" + v))
		Label("loop" + v)
		for i := range vectors {
			x := avx2.load(single, single.at(src, j, i*avx2.width))
			VMULPD(by, x, x)
			VMOVUPD(x, double.at(dst, j, i*avx2.width))
		}
		ADDQ(Imm(uint64(vectors*avx2.width)), j)
		Label("enough" + v)
		LEAQ(Mem{Base: j, Disp: vectors * avx2.width}, next)
		CMPQ(next, cols)
		JLE(LabelRef("loop" + v))
	}
	TESTQ(few, few)
	JE(LabelRef("done"))
	x := loadFirst(single, single.at(src, j, 0), m)
	VMULPD(by, x, x)
	storeFirst(x, double.at(dst, j, 0), m)
	Label("done")
	ADDQ(width, dst)
	ADDQ(stride, src)
	ADDQ(Imm(uint64(double)), scale)
	DECQ(rows)
	JNE(LabelRef("row"))
	VZEROUPPER()
	RET()
}
