package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// What is asked of the processor beside arithmetic: memory ahead of its use, and who
// made it.

// prefetchRow asks for every cache line of both slices.
func prefetchRow() {
	kernel("prefetchRow", "func(index []uint32, value []float32)", "prefetchRow is PrefetchRow for slices of the same length.")
	n := Load(Param("value").Len(), GP64())
	TESTQ(n, n)
	JE(LabelRef("done"))
	for _, name := range []string{"index", "value"} {
		p, end := Load(Param(name).Base(), GP64()), GP64()
		LEAQ(Mem{Base: p, Index: n, Scale: 4, Disp: -1}, end)
		ANDQ(I8(-64), p)
		loop := fmt.Sprintf("%sLoop", name)
		Label(loop)
		PREFETCHT1(Mem{Base: p})
		ADDQ(Imm(64), p)
		CMPQ(p, end)
		JLS(LabelRef(loop))
	}
	Label("done")
	RET()
}

// prefetchAt asks for one element after another, wherever it is: a prefetch
// never faults.
func prefetchAt() {
	kernel("prefetchAt", "func(x []byte, size int, at []uint32)", "prefetchAt is PrefetchElements for elements of so many bytes.")
	x, size := Load(Param("x").Base(), GP64()), Load(Param("size"), GP64())
	at, n := Load(Param("at").Base(), GP64()), Load(Param("at").Len(), GP64())
	k, j := GP64(), GP64()
	XORQ(k, k)
	JMP(LabelRef("next"))
	Label("loop")
	MOVL(single.at(at, k, 0), j.As32())
	IMULQ(size, j)
	PREFETCHT1(Mem{Base: x, Index: j, Scale: 1})
	INCQ(k)
	Label("next")
	CMPQ(k, n)
	JLT(LabelRef("loop"))
	RET()
}
