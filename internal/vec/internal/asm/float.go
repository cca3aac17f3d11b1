package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A float writes operations on vectors of one precision.
type float struct {
	isa
	p precision
}

func (f float) double() bool { return f.p == double }

// size returns the elements in a vector.
func (f float) size() int { return f.width * 8 / int(f.p) }

// function writes dst[j] = value(src[j]).
func (f float) function(name, element string, value func(x reg.VecVirtual) reg.VecVirtual) {
	kernel(name+"To"+f.suffix, "func(dst, src []"+element+")", name+"To"+f.suffix+" is "+name+"To for slices of the same length.")
	dst, src := Load(Param("dst").Base(), GP64()), Load(Param("src").Base(), GP64())
	n, j := Load(Param("src").Len(), GP64()).(reg.GPVirtual), GP64()
	XORQ(j, j)
	SUBQ(Imm(uint64(f.size())), n)
	JL(LabelRef("tail"))
	Label("loop")
	x := f.vector()
	VMOVUPD(f.p.at(src, j, 0), x)
	VMOVUPD(value(x), f.p.at(dst, j, 0))
	ADDQ(Imm(uint64(f.size())), j)
	SUBQ(Imm(uint64(f.size())), n)
	JGE(LabelRef("loop"))
	Label("tail")
	ADDQ(Imm(uint64(f.size())), n)
	JE(LabelRef("done"))
	f.last(f.p.at(src, j, 0), f.p.at(dst, j, 0), n, value)
	Label("done")
	VZEROUPPER()
	RET()
}

// last writes the first n elements of a vector.
func (f float) last(src, dst Mem, n reg.GPVirtual, value func(x reg.VecVirtual) reg.VecVirtual) {
	load, store := f.firstOf(n)
	store(value(load(src)), dst)
}

// firstOf returns how to load and store the first n elements of a vector, n
// being less than there are.
func (f float) firstOf(n reg.GPVirtual) (load func(Mem) reg.VecVirtual, store func(reg.VecVirtual, Mem)) {
	if f.isa == avx512 {
		bits, k := GP32(), K()
		MOVL(I32(-1), bits)
		BZHIL(n.As32(), bits, bits)
		KMOVW(bits, k)
		load = func(m Mem) reg.VecVirtual {
			x := f.vector()
			f.pick(zeroingMove64, zeroingMove32, m, k, x)
			return x
		}
		return load, func(x reg.VecVirtual, m Mem) { f.pick(VMOVUPD, VMOVUPS, x, k, m) }
	}
	start, m := GP64(), YMM()
	LEAQ(wideTable(f.p), start)
	NEGQ(n)
	VMOVDQU(Mem{Base: start, Index: n, Scale: uint8(f.p), Disp: 32}, m)
	load = func(from Mem) reg.VecVirtual {
		x := f.vector()
		f.pick(maskedMove64, maskedMove32, from, m, x)
		return x
	}
	return load, func(x reg.VecVirtual, to Mem) { f.pick(maskedMove64, maskedMove32, x, m, to) }
}

func zeroingMove64(ops ...Op) { VMOVUPD_Z(ops[0], ops[1], ops[2]) }
func zeroingMove32(ops ...Op) { VMOVUPS_Z(ops[0], ops[1], ops[2]) }
func maskedMove64(ops ...Op)  { VMASKMOVPD(ops[0], ops[1], ops[2]) }
func maskedMove32(ops ...Op)  { VMASKMOVPS(ops[0], ops[1], ops[2]) }

var wideTables = map[precision]Mem{}

// wideTable is a vector of ones and then a vector of zeros.
func wideTable(p precision) Mem {
	if m, ok := wideTables[p]; ok {
		return m
	}
	name := map[precision]string{double: "ones64", single: "ones32"}[p]
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range 64 / int(p) {
		if p == double {
			DATA(8*i, I64(i/4-1))
		} else {
			DATA(4*i, I32(i/8-1))
		}
	}
	wideTables[p] = m
	return m
}

var constants = map[string]Mem{}

// constant returns a vector of copies of x in memory. One that serves AVX-512 too is
// written for that first.
func (f float) constant(name string, x float64) Mem {
	if f.double() {
		return f.bits(name, math.Float64bits(x))
	}
	return f.bits(name, uint64(math.Float32bits(float32(x))))
}

// bits is constant for a bit pattern.
func (f float) bits(name string, bits uint64) Mem {
	if !f.double() {
		name += "Single"
	}
	if m, ok := constants[name]; ok {
		return m
	}
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range f.width {
		if f.double() {
			DATA(8*i, U64(bits))
		} else {
			DATA(8*i, U64(bits|bits<<32))
		}
	}
	constants[name] = m
	return m
}

// pick calls the instruction of the precision.
func (f float) pick(pd, ps func(ops ...Op), ops ...Op) {
	if f.double() {
		pd(ops...)
	} else {
		ps(ops...)
	}
}

// fma returns a*b + c in place of a.
func (f float) fma(a, b reg.VecVirtual, c Op) reg.VecVirtual {
	f.pick(VFMADD213PD, VFMADD213PS, c, b, a)
	return a
}

// copyOf returns a new register with the constant or register x.
func (f float) copyOf(x Op) reg.VecVirtual {
	v := f.vector()
	VMOVUPD(x, v)
	return v
}

// mul returns a*b, as a new register.
func (f float) mul(a reg.VecVirtual, b Op) reg.VecVirtual {
	v := f.vector()
	f.pick(VMULPD, VMULPS, b, a, v)
	return v
}

// add returns a+b, as a new register.
func (f float) add(a reg.VecVirtual, b Op) reg.VecVirtual {
	v := f.vector()
	f.pick(VADDPD, VADDPS, b, a, v)
	return v
}

// sub returns a-b, as a new register.
func (f float) sub(a reg.VecVirtual, b Op) reg.VecVirtual {
	v := f.vector()
	f.pick(VSUBPD, VSUBPS, b, a, v)
	return v
}

// estrin returns the polynomial c[0] + c[1] x + ... by Estrin's scheme:
// neighbours are joined by x, then pairs by x^2, and so on. It also returns
// x^2, the powers being squares of squares.
func (f float) estrin(x reg.VecVirtual, c []Mem) (p, square reg.VecVirtual) {
	var terms []reg.VecVirtual
	for i := 0; i < len(c); i += 2 {
		if i+1 == len(c) {
			terms = append(terms, f.copyOf(c[i]))
		} else {
			terms = append(terms, f.fma(f.copyOf(c[i+1]), x, c[i]))
		}
	}
	power := x
	for len(terms) > 1 {
		power = f.mul(power, power)
		if square == nil {
			square = power
		}
		var joined []reg.VecVirtual
		for i := 0; i < len(terms); i += 2 {
			if i+1 == len(terms) {
				joined = append(joined, terms[i])
			} else {
				joined = append(joined, f.fma(terms[i+1], power, terms[i]))
			}
		}
		terms = joined
	}
	return terms[0], square
}

// series returns the coefficients c(0), c(1), ... c(n-1).
func (f float) series(name string, n int, c func(i int) float64) []Mem {
	var m []Mem
	for i := range n {
		m = append(m, f.constant(name+string(rune('A'+i)), c(i)))
	}
	return m
}
