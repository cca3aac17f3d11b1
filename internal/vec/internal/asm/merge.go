package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func merges() {
	merge(avx2)
}

// merge writes change = scale*((a-u) + (b-u)) and u, a, b = u+change, and returns the
// product of u and change, a dense sum. What a mask leaves out is 0 everywhere.
func merge(s isa) {
	kernel("merge"+s.suffix, "func(u, a, b, change []float64, scale float64) (along float64)",
		"merge"+s.suffix+" is merge for slices of the same length.")
	u, n := Load(Param("u").Base(), GP64()), Load(Param("u").Len(), GP64())
	a, b, change := Load(Param("a").Base(), GP64()), Load(Param("b").Base(), GP64()), Load(Param("change").Base(), GP64())
	scale := broadcast(s, "scale")
	sum(s, n.(reg.GPVirtual), func(acc reg.VecVirtual, j reg.Register, offset int, m *mask) {
		at := func(base reg.Register) Mem { return double.at(base, j, offset) }
		load := func(base reg.Register) reg.VecVirtual { return s.load(double, at(base)) }
		store := func(v reg.VecVirtual, base reg.Register) { VMOVUPD(v, at(base)) }
		if m != nil {
			load = func(base reg.Register) reg.VecVirtual { return s.loadFirst(double, at(base), *m) }
			store = func(v reg.VecVirtual, base reg.Register) { s.storeFirst(v, at(base), *m) }
		}
		x, c, other := load(u), load(a), load(b)
		VSUBPD(x, c, c)
		VSUBPD(x, other, other)
		VADDPD(other, c, c)
		VMULPD(scale, c, c)
		VFMADD231PD(x, c, acc)
		VADDPD(c, x, x)
		store(c, change)
		for _, to := range []reg.Register{u, a, b} {
			store(x, to)
		}
	})
}
