package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The formulas are in package vec: ramp.go. What stands here is the same operations
// in the same order.

func ramps() {
	rampKernel("Predict", ramp.predict)
	rampKernel("Measure", ramp.measure)
	rampKernel("Linearise", ramp.linearise)
	rampKernel("Correct", ramp.correct)
	rampKernel("Step", ramp.step)
}

// The places of the slices, numbers and sums that package vec gives.
const (
	rampX = iota
	rampR
	rampU
	rampAway
	rampBefore
	rampMove
	rampWeight
	rampC
	rampV
)

const (
	rampJump = iota
	rampWidth
	rampHalf
	rampInverse
	rampShift
	rampM
	rampScale
	rampT
	rampLeast
	rampPart
	rampFloor
	rampSteps
)

// rampTries is how many steps rampMeasure tries: RampSteps of package vec.
const rampTries = 5

// A ramp writes operations on the rows of one vector.
type ramp struct {
	float
	slices, numbers, sums, j reg.Register
	bases                    map[int]reg.Register
	first                    int // row of the vector, of the eight that a turn of the loop takes
}

// rampKernel writes a pass over n rows, a multiple of eight.
func rampKernel(name string, body func(ramp)) {
	kernel("ramp"+name+"AVX2", "func(n int, slices *[9]*float64, numbers *[16]float64, sums *[7][8]float64)",
		"ramp"+name+"AVX2 is ramp"+name+" for n rows, a multiple of eight.")
	n, j := Load(Param("n"), GP64()), GP64()
	slices, numbers, sums := Load(Param("slices"), GP64()), Load(Param("numbers"), GP64()), Load(Param("sums"), GP64())
	XORQ(j, j)
	Label("loop")
	CMPQ(j, n)
	JGE(LabelRef("done"))
	for first := 0; first < 8; first += avx2.width {
		body(ramp{float{avx2, double}, slices, numbers, sums, j, map[int]reg.Register{}, first})
	}
	ADDQ(Imm(8), j)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// at returns the address of the rows in a slice.
func (f ramp) at(slice int) Mem {
	if f.bases[slice] == nil {
		base := GP64()
		MOVQ(Mem{Base: f.slices, Disp: 8 * slice}, base)
		f.bases[slice] = base
	}
	return double.at(f.bases[slice], f.j, f.first)
}

func (f ramp) get(slice int) reg.VecVirtual    { return f.copyOf(f.at(slice)) }
func (f ramp) put(slice int, v reg.VecVirtual) { VMOVUPD(v, f.at(slice)) }

// number returns copies of a number.
func (f ramp) number(i int) reg.VecVirtual {
	v := f.vector()
	VBROADCASTSD(Mem{Base: f.numbers, Disp: 8 * i}, v)
	return v
}

func (f ramp) one() reg.VecVirtual { return f.copyOf(f.constant("one", 1)) }

// sum returns the address of a sum's lanes.
func (f ramp) sum(i int) Mem { return Mem{Base: f.sums, Disp: 64*i + 8*f.first} }

// addTo adds a*b to a sum.
func (f ramp) addTo(i int, a, b reg.VecVirtual) {
	v := f.copyOf(f.sum(i))
	VFMADD231PD(a, b, v)
	VMOVUPD(v, f.sum(i))
}

// raise sets a sum to a where that is larger.
func (f ramp) raise(i int, a reg.VecVirtual) {
	VMOVUPD(f.larger(a, f.copyOf(f.sum(i))), f.sum(i))
}

// split writes SplitRamp.
func (f ramp) split(x reg.VecVirtual) (a, b reg.VecVirtual) {
	jump := f.number(rampJump)
	over := f.where(x, jump, f.zero())
	return f.add(x, over), f.sub(f.sub(jump, over), x)
}

// A rampRow is what the passes have in common.
type rampRow struct{ a, b, r, u, k, d reg.VecVirtual }

func (f ramp) row() rampRow {
	var s rampRow
	s.a, s.b = f.split(f.get(rampX))
	s.r, s.u = f.get(rampR), f.get(rampU)
	width := f.number(rampWidth)
	s.k = f.nmadd(width, s.a, f.sub(f.get(rampAway), f.number(rampShift)))
	s.d = f.div(f.one(), f.madd(s.a, f.madd(width, s.b, s.u), f.mul(s.r, s.b)))
	return s
}

// relative writes relative.
func (f ramp) relative(s rampRow) (z, down, up, down1, up1 reg.VecVirtual) {
	z = f.mul(f.add(f.get(rampBefore), s.k), s.d)
	down, up = f.mul(z, s.b), f.mul(z, s.a)
	return z, down, up, f.add(f.one(), down), f.sub(f.one(), up)
}

func (f ramp) scaledWeight() reg.VecVirtual { return f.mul(f.get(rampWeight), f.number(rampScale)) }

func (f ramp) linearise() {
	s := f.row()
	rate, weight := f.mul(f.mul(s.a, s.b), s.d), f.scaledWeight()
	f.put(rampC, f.madd(weight, rate, f.get(rampC)))
	f.put(rampV, f.madd(weight, f.madd(s.k, rate, s.a), f.get(rampV)))
}

func (f ramp) predict() {
	s := f.row()
	z, down, up, down1, up1 := f.relative(s)
	half := f.copyOf(f.constant("half", 0.5))
	f.raise(0, f.abs(f.add(down, half)))
	f.raise(0, f.abs(f.sub(up, half)))
	weight := f.get(rampWeight)
	f.addTo(1, weight, f.madd(s.a, s.r, f.mul(s.b, s.u)))
	da := f.mul(z, f.mul(s.a, s.b))
	f.addTo(2, f.mul(weight, da), f.nmadd(s.r, down1, f.mul(s.u, up1)))
	floor := f.number(rampFloor)
	a, b := f.larger(f.add(s.a, da), f.mul(floor, s.a)), f.larger(f.sub(s.b, da), f.mul(floor, s.b))
	jump := f.number(rampJump)
	a, b = f.selectWhere(lessThan, a, b, a, f.sub(jump, b)), f.selectWhere(lessThan, a, b, f.sub(jump, a), b)
	below := f.mul(f.mul(a, s.r), f.larger(f.negative(down), floor))
	f.addTo(3, weight, f.madd(f.mul(b, s.u), f.larger(up, floor), below))
}

func (f ramp) correct() {
	s := f.row()
	_, down, up, down1, up1 := f.relative(s)
	second := f.madd(f.mul(down, s.r), down1, f.mul(f.mul(up, s.u), up1))
	inner := f.madd(f.number(rampM), f.sub(s.b, s.a), f.mul(f.mul(s.a, s.b), second))
	f.put(rampV, f.madd(f.mul(f.scaledWeight(), s.d), inner, f.get(rampV)))
}

// steps writes steps.
func (f ramp) steps(s rampRow) (da, dr, du reg.VecVirtual) {
	_, down, up, down1, up1 := f.relative(s)
	fr, gu := f.mul(f.mul(down, s.r), down1), f.mul(f.mul(up, s.u), up1)
	ab := f.mul(s.a, s.b)
	each := f.div(f.number(rampM), ab)
	ma, mb := f.mul(each, s.b), f.mul(each, s.a)
	y := f.add(f.add(f.get(rampMove), s.k), f.sub(ma, mb))
	y = f.mul(f.add(y, f.add(fr, gu)), s.d)
	da = f.mul(ab, y)
	dr = f.nmadd(s.r, f.mul(s.b, y), f.add(f.sub(ma, s.r), fr))
	du = f.madd(s.u, f.mul(s.a, y), f.sub(f.sub(mb, s.u), gu))
	return da, dr, du
}

func (f ramp) measure() {
	s := f.row()
	da, dr, du := f.steps(s)
	f.raise(0, f.div(f.negative(dr), s.r))
	f.raise(0, f.div(f.negative(du), s.u))
	loser, size := f.where(da, s.a, s.b), f.abs(da)
	f.raise(0, f.div(size, loser))
	weight := f.get(rampWeight)
	f.addTo(1, weight, size)
	part := f.mul(f.number(rampPart), loser)
	for k := range rampTries {
		t := f.number(rampSteps + k)
		VFMSUB213PD(part, size, t)
		f.addTo(2+k, weight, f.larger(t, f.zero()))
	}
}

func (f ramp) step() {
	s := f.row()
	da, dr, du := f.steps(s)
	t, least := f.number(rampT), f.number(rampLeast)
	a, b := f.larger(f.madd(t, da, s.a), f.mul(least, s.a)), f.larger(f.nmadd(t, da, s.b), f.mul(least, s.b))
	x := f.selectWhere(atMost, a, b, a, f.negative(b))
	r, u := f.larger(f.madd(t, dr, s.r), f.mul(least, s.r)), f.larger(f.madd(t, du, s.u), f.mul(least, s.u))
	f.put(rampX, x)
	f.put(rampR, r)
	f.put(rampU, u)
	f.reached(x, r, u, f.madd(t, f.get(rampMove), f.get(rampAway)))
}

// reached writes look.
func (f ramp) reached(x, r, u, away reg.VecVirtual) {
	a, b := f.split(x)
	weight := f.get(rampWeight)
	f.addTo(0, weight, f.madd(a, r, f.mul(b, u)))
	q, half := f.sub(away, f.number(rampShift)), f.number(rampHalf)
	best := f.larger(f.mul(q, f.number(rampInverse)), f.zero())
	VMINPD(f.number(rampJump), best, best)
	loss := f.mul(best, f.nmadd(half, best, q))
	f.addTo(1, weight, loss)
	f.addTo(2, weight, f.nmadd(a, q, f.madd(f.mul(half, a), a, loss)))
}
