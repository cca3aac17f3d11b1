package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The formulas, with their reasons, are in package vec: exp.go, log.go and sincos.go. What
// stands here is the same operations in the same order.

const (
	ln2Hi33  = 6.93147180369123816490e-01
	ln2Lo33  = 1.90821492927058770002e-10
	oneBits  = 0x3ff0000000000000
	rootBits = 0x3fe6a09e667f3bcd // of the square root of a half
)

func exponentials() {
	float{avx512, double}.gaussian()
	float{avx512, single}.gaussian()
	f, f32 := float{avx2, double}, float{avx2, single}
	f.gaussian()
	f32.gaussian()
	f.function("sigmoid", "float64", f.sigmoid)
	f.function("softplus", "float64", f.softplus)
	f.function("entropy", "float64", f.entropy)
	f.function("log", "float64", f.log)
	f.function("exp", "float64", f.exp)
	f32.function("exp32", "float32", f32.exp)
	f.function("sin", "float64", f.sin)
	f.function("cos", "float64", f.cos)
}

// exp writes Exp or Exp32.
func (f float) exp(x reg.VecVirtual) reg.VecVirtual {
	low, high, magic, terms := -746.0, 710.0, 0x1.8p52, 12
	ln2Hi, ln2Lo := 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56
	if !f.double() {
		low, high, magic, terms = -104, 89, 0x1.8p23, 6
		ln2Hi, ln2Lo = 0x1.62e43p-1, -0x1.05c610ca86c39p-29
	}
	// min and max return their second operand where one is NaN.
	clamped := f.copyOf(f.constant("high", high))
	f.pick(VMINPD, VMINPS, x, clamped, clamped)
	lower := f.copyOf(f.constant("low", low))
	f.pick(VMAXPD, VMAXPS, clamped, lower, clamped)

	t := f.fma(f.copyOf(f.constant("log2e", math.Log2E)), clamped, f.constant("magic", magic))
	k := f.sub(t, f.constant("magic", magic))
	r := clamped
	f.pick(VFNMADD231PD, VFNMADD231PS, f.constant("ln2Hi", ln2Hi), k, r)
	f.pick(VFNMADD231PD, VFNMADD231PS, f.constant("ln2Lo", ln2Lo), k, r)

	factorial := 1.0
	q, square := f.estrin(r, f.series("exp", terms, func(i int) float64 {
		factorial *= float64(i + 2)
		return 1 / factorial
	}))
	y := f.add(f.fma(q, square, r), f.constant("one", 1))
	if f.isa == avx512 {
		f.pick(VSCALEFPD, VSCALEFPS, k, y, y)
		return y
	}
	return f.scale(y, t)
}

// gaussian writes dst[j] = exp(minus*max(0, (xx+yy[j])-2*dst[j])).
func (f float) gaussian() {
	element, bits := f.element()
	name := "gaussian" + bits + f.suffix
	kernel(name, "func(dst, yy []"+element+", xx, minus "+element+")", name+" is Gaussian"+bits+" for slices of the same length, minus being -gamma.")
	dst, yy := Load(Param("dst").Base(), GP64()), Load(Param("yy").Base(), GP64())
	n, j := Load(Param("dst").Len(), GP64()).(reg.GPVirtual), GP64()
	xx, minus := f.broadcast("xx"), f.broadcast("minus")
	zero, minusTwo := f.zero(), f.copyOf(f.constant("minusTwo", -2))
	value := func(d, y reg.VecVirtual) reg.VecVirtual {
		t := f.add(xx, y)
		f.pick(VFMADD231PD, VFMADD231PS, minusTwo, d, t)
		f.pick(VMAXPD, VMAXPS, t, zero, t) // a NaN stays
		f.pick(VMULPD, VMULPS, minus, t, t)
		return f.exp(t)
	}
	XORQ(j, j)
	SUBQ(Imm(uint64(f.size())), n)
	JL(LabelRef("tail"))
	Label("loop")
	VMOVUPD(value(f.copyOf(f.p.at(dst, j, 0)), f.copyOf(f.p.at(yy, j, 0))), f.p.at(dst, j, 0))
	ADDQ(Imm(uint64(f.size())), j)
	SUBQ(Imm(uint64(f.size())), n)
	JGE(LabelRef("loop"))
	Label("tail")
	ADDQ(Imm(uint64(f.size())), n)
	JE(LabelRef("done"))
	load, store := f.firstOf(n)
	store(value(load(f.p.at(dst, j, 0)), load(f.p.at(yy, j, 0))), f.p.at(dst, j, 0))
	Label("done")
	VZEROUPPER()
	RET()
}

// scale returns y times 2^k, where the low bits of t are k.
func (f float) scale(y, t reg.VecVirtual) reg.VecVirtual {
	half, rest := f.vector(), f.vector()
	VPSRAD(U8(1), t, half) // the low half of each quadword counts
	VPSUBD(half, t, rest)
	for _, k := range []reg.VecVirtual{half, rest} {
		if f.double() {
			VPADDD(f.bits("exponentBias", 1023), k, k)
			VPSLLQ(U8(52), k, k)
		} else {
			VPADDD(f.bits("exponentBias", 127), k, k)
			VPSLLD(U8(23), k, k)
		}
	}
	return f.mul(f.mul(y, half), rest)
}

// expOfMinusAbs writes Exp(-|x|).
func (f float) expOfMinusAbs(x reg.VecVirtual) reg.VecVirtual {
	v := f.vector()
	VORPD(f.bits("signBit", 1<<63), x, v)
	return f.exp(v)
}

// selectWhere returns yes where x compares (less than, not less than, ...) with
// c, and else no.
func (f float) selectWhere(predicate uint64, x reg.VecVirtual, c Op, yes, no reg.VecVirtual) reg.VecVirtual {
	v, m := YMM(), YMM()
	VCMPPD(U8(predicate), c, x, m)
	VBLENDVPD(m, yes, no, v)
	return v
}

const (
	lessThan = 17 // ordered, quiet
	atLeast  = 29 // ordered, quiet
)

// sigmoid writes Sigmoid.
func (f float) sigmoid(x reg.VecVirtual) reg.VecVirtual {
	e := f.expOfMinusAbs(x)
	one := f.copyOf(f.constant("one", 1))
	over := f.selectWhere(lessThan, x, f.constant("zero", 0), e, one)
	VDIVPD(f.add(e, one), over, over)
	return over
}

// softplus writes Softplus.
func (f float) softplus(x reg.VecVirtual) reg.VecVirtual {
	e := f.expOfMinusAbs(x)
	half := f.mul(f.sub(e, f.constant("one", 1)), f.constant("half", 0.5))
	at := f.constant("half", 0.5)
	value := f.selectWhere(atLeast, e, at, half, e)
	zero := f.zero()
	kHi := f.selectWhere(atLeast, e, at, f.copyOf(f.constant("ln2Hi33", ln2Hi33)), zero)
	kLo := f.selectWhere(atLeast, e, at, f.copyOf(f.constant("ln2Lo33", ln2Lo33)), zero)

	log := f.logOnePlus(value, kHi, kLo)
	positive := f.vector()
	VMAXPD(zero, x, positive)
	return f.add(positive, log)
}

// logOnePlus writes k ln 2 + log(1+x), where kHi + kLo are k ln 2.
func (f float) logOnePlus(x, kHi, kLo reg.VecVirtual) reg.VecVirtual {
	s := f.add(x, f.constant("two", 2))
	VDIVPD(s, x, s)
	z := f.mul(s, s)
	p, _ := f.estrin(z, f.series("log", 11, func(i int) float64 { return 2 / float64(2*i+3) }))
	rest := f.copyOf(x)
	VFNMADD231PD(p, z, rest)
	return f.add(f.sub(x, f.sub(f.mul(s, rest), kLo)), kHi)
}

// log writes Log of a normal number.
func (f float) log(x reg.VecVirtual) reg.VecVirtual {
	shifted, k, m := f.vector(), f.vector(), f.vector()
	VPADDQ(f.bits("oneLessRoot", oneBits-rootBits), x, shifted)
	VPSRLQ(U8(52), shifted, k)
	VANDPD(f.bits("fraction", 1<<52-1), shifted, m)
	VPADDQ(f.bits("root", rootBits), m, m)
	// 2^52 with an integer in its low bits is so much more.
	VORPD(f.constant("twoTo52", 1<<52), k, k)
	k = f.sub(k, f.constant("twoTo52AndBias", 1<<52+1023))
	one := f.constant("one", 1)
	return f.logOnePlus(f.sub(m, one), f.mul(k, f.constant("ln2Hi33", ln2Hi33)), f.mul(k, f.constant("ln2Lo33", ln2Lo33)))
}

// entropy writes Entropy.
func (f float) entropy(x reg.VecVirtual) reg.VecVirtual {
	one, zero := f.copyOf(f.constant("one", 1)), f.zero()
	t := f.sub(one, x)
	VMINPD(x, t, t)
	VMAXPD(t, zero, t)
	floor := f.vector()
	VMAXPD(t, f.copyOf(f.constant("smallestNormal", 0x1p-1022)), floor)
	less := f.mul(t, f.log(floor))

	quarter := f.constant("quarter", 0.25)
	rest := f.sub(one, t)
	value := f.selectWhere(lessThan, t, quarter, f.sub(zero, t), f.sub(one, f.add(t, t)))
	kHi := f.selectWhere(lessThan, t, quarter, zero, f.copyOf(f.constant("minusLn2Hi33", -ln2Hi33)))
	kLo := f.selectWhere(lessThan, t, quarter, zero, f.copyOf(f.constant("minusLn2Lo33", -ln2Lo33)))
	return f.sub(f.sub(zero, less), f.mul(rest, f.logOnePlus(value, kHi, kLo)))
}

// sin writes Sin.
func (f float) sin(turns reg.VecVirtual) reg.VecVirtual {
	x, sign := f.halfTurns(turns)
	p, _ := f.estrin(f.mul(x, x), f.trigonometric("sin", 1, 11))
	return f.mul(f.mul(x, p), sign)
}

// cos writes Cos.
func (f float) cos(turns reg.VecVirtual) reg.VecVirtual {
	x, sign := f.halfTurns(turns)
	p, _ := f.estrin(f.mul(x, x), f.trigonometric("cos", 0, 12))
	return f.mul(p, sign)
}

// trigonometric returns the coefficients of the sine or cosine.
func (f float) trigonometric(name string, first, n int) []Mem {
	factorial := 1.0
	return f.series(name, n, func(k int) float64 {
		if k > 0 {
			factorial *= -float64((2*k + first - 1) * (2*k + first))
		}
		return 1 / factorial
	})
}

// halfTurns returns 2 pi times what is left of an angle without the nearest half
// turn, and the sign that this half turn gives.
func (f float) halfTurns(turns reg.VecVirtual) (x, sign reg.VecVirtual) {
	t := f.sub(turns, f.round(turns))
	h := f.round(f.add(t, t))
	r := f.fma(f.copyOf(f.constant("minusHalf", -0.5)), h, t)
	sign = f.fma(f.mul(h, f.constant("minusTwo", -2)), h, f.constant("one", 1))
	return f.mul(r, f.constant("twoPi", 2*math.Pi)), sign
}

// round returns the nearest whole numbers, the even ones of two.
func (f float) round(x reg.VecVirtual) reg.VecVirtual {
	const nearestEvenQuietly = 8
	v := YMM()
	VROUNDPD(U8(nearestEvenQuietly), x, v)
	return v
}
