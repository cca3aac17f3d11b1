package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sparseRows is the registers of a kernel that does one sparse row after another: for short
// rows a call of each costs more than the row.
type sparseRows struct {
	row
	length       reg.Register  // of value
	per, start   reg.Register  // a number for each row, and where rows begin
	number, done reg.GPVirtual // of rows, in all and so far
}

// loadRows loads the parameters, of which per has a number for each row.
func loadRows(per string) sparseRows {
	return sparseRows{per: Load(Param(per).Base(), GP64()), number: Load(Param(per).Len(), GP64()).(reg.GPVirtual),
		start: Load(Param("start").Base(), GP64()), row: loadRow(), length: Load(Param("value").Len(), GP64()), done: GP64()}
}

// here returns the address of the number of the row at work.
func (s sparseRows) here() Mem { return Mem{Base: s.per, Index: s.done, Scale: 8} }

// each does rows by body, up to one that is not inside value or in which body jumps to
// stop. k is where the row begins then, or where the last one ends.
func (s sparseRows) each(stop string, body func()) {
	end := GP64()
	XORQ(s.done, s.done)
	MOVQ(Mem{Base: s.start}, end)
	JMP(LabelRef("next"))
	Label("row")
	MOVQ(Mem{Base: s.start, Index: s.done, Scale: 8, Disp: 8}, end)
	CMPQ(end, s.length)
	JHI(LabelRef(stop))
	CMPQ(s.k, end)
	JHI(LabelRef(stop))
	MOVQ(end, s.n)
	SUBQ(s.k, s.n)
	body()
	INCQ(s.done)
	Label("next")
	MOVQ(end, s.k)
	CMPQ(s.done, s.number)
	JLT(LabelRef("row"))
	Label(stop)
}
