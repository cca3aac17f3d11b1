package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// Operations on vectors in double precision that only ramps need.

// div returns a/b, as a new register.
func (f ramp) div(a, b reg.VecVirtual) reg.VecVirtual {
	v := f.vector()
	VDIVPD(b, a, v)
	return v
}

// madd returns fma(a, b, c), nmadd fma(-a, b, c), as new registers.
func (f ramp) madd(a, b, c reg.VecVirtual) reg.VecVirtual {
	v := f.copyOf(c)
	VFMADD231PD(a, b, v)
	return v
}

func (f ramp) nmadd(a, b, c reg.VecVirtual) reg.VecVirtual {
	v := f.copyOf(c)
	VFNMADD231PD(a, b, v)
	return v
}

// larger returns a where that is larger, and else b.
func (f ramp) larger(a, b reg.VecVirtual) reg.VecVirtual {
	v := f.vector()
	VMAXPD(b, a, v)
	return v
}

func (f ramp) abs(a reg.VecVirtual) reg.VecVirtual {
	v := f.vector()
	VANDPD(f.bits("notSign", 1<<63-1), a, v)
	return v
}

func (f ramp) negative(a reg.VecVirtual) reg.VecVirtual {
	v := f.vector()
	VXORPD(f.bits("signBit", 1<<63), a, v)
	return v
}

// where returns yes where the sign bit of x is set, and else no.
func (f ramp) where(x, yes, no reg.VecVirtual) reg.VecVirtual {
	v := f.vector()
	VBLENDVPD(x, yes, no, v)
	return v
}

const atMost = 18 // ordered, quiet
