package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An isa is a set of instructions that kernels are written for.
type isa struct {
	suffix string // of the names of the kernels
	width  int    // float64 in a vector
}

var (
	avx512 = isa{"AVX512", 8}
	avx2   = isa{"AVX2", 4}
)

// vector returns a fresh register.
func (s isa) vector() reg.VecVirtual {
	if s == avx512 {
		return ZMM()
	}
	return YMM()
}

// half returns a fresh register of half the width, for single precision.
func (s isa) half() reg.VecVirtual {
	if s == avx512 {
		return YMM()
	}
	return XMM()
}

// zero returns a fresh vector of zeros.
func (s isa) zero() reg.VecVirtual {
	v := s.vector()
	if s == avx512 {
		VPXORQ(v, v, v)
	} else {
		VXORPD(v, v, v)
	}
	return v
}

// kernel begins a function of the given signature.
func kernel(name, signature, doc string) {
	TEXT(name, attr.NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc)
}

// A precision is how a slice stores its numbers.
type precision int

const (
	single precision = 4 // bytes
	double precision = 8
)

// at returns the address of element offset after element j of the slice that
// begins at base.
func (p precision) at(base, j reg.Register, offset int) Mem {
	return Mem{Base: base, Index: j, Scale: uint8(p), Disp: offset * int(p)}
}

// load returns the vector at m as double precision.
func (s isa) load(p precision, m Mem) reg.VecVirtual {
	v := s.vector()
	if p == single {
		VCVTPS2PD(m, v)
	} else {
		VMOVUPD(m, v)
	}
	return v
}

// A mask selects the first elements of a vector of AVX2, in double and in single precision.
type mask struct{ wide, narrow reg.VecVirtual }

// first returns the mask of the first r elements, r from 0 to 3.
func first(r reg.GPVirtual) mask {
	start, m := GP64(), mask{wide: YMM(), narrow: XMM()}
	LEAQ(maskTable(), start)
	NEGQ(r)
	VMOVDQU(Mem{Base: start, Index: r, Scale: 8, Disp: 32}, m.wide)
	VMOVDQU(Mem{Base: start, Index: r, Scale: 4, Disp: 80}, m.narrow)
	NEGQ(r)
	return m
}

var table *Mem

// maskTable is four ones and four zeros as quadwords, then as doublewords: a
// vector read r elements before the middle has r ones.
func maskTable() Mem {
	if table == nil {
		m := GLOBL("ones", attr.RODATA|attr.NOPTR)
		for i := range 8 {
			DATA(8*i, I64(i/4-1)) // -1 four times, 0 four times
		}
		for i := range 8 {
			DATA(64+4*i, I32(i/4-1))
		}
		table = &m
	}
	return *table
}

// loadFirst returns the selected elements at m as double precision; the others are zero,
// and not read.
func loadFirst(p precision, from Mem, m mask) reg.VecVirtual {
	v := YMM()
	if p == single {
		VMASKMOVPS(from, m.narrow, v.AsX())
		VCVTPS2PD(v.AsX(), v)
	} else {
		VMASKMOVPD(from, m.wide, v)
	}
	return v
}

// loadFew is loadFirst, or without a mask the load of all.
func loadFew(p precision, from Mem, m *mask) reg.VecVirtual {
	if m == nil {
		return avx2.load(p, from)
	}
	return loadFirst(p, from, *m)
}

// storeFirst stores the selected elements.
func storeFirst(v reg.VecVirtual, to Mem, m mask) { VMASKMOVPD(v, m.wide, to) }

// sumLanes adds eight lanes, of which v is the vectors: element i to i+4, then to i+2, then to i+1.
func sumLanes(v []reg.VecVirtual) reg.VecVirtual {
	y, x, high := v[0], v[0].AsX(), XMM()
	VADDPD(v[1], y, y)
	VEXTRACTF128(U8(1), y, high)
	VADDPD(high, x, x)
	VPERMILPD(U8(1), x, high)
	VADDSD(high, x, x)
	return y
}
