package table

import (
	"unsafe"

	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

// cells are the features of some rows, one cell for each slot of each row: the
// bits of a number, set.MissingBits if it is missing, or the number of a category
// and one.
// Where most are zero, or rows are sparse, only the others are kept.
type cells struct {
	memory *memory.Block // of cell; nil: no cells yet, or left out zeros
	cell   []uint32      // row by row, all cells or those that are not zero
	column []uint32      // nil: all cells; else the slot of each, increasing in a row
	end    []int         // of each row in cell, if column is not nil
	rows   int
	width  int      // slots
	filled int      // cells that are not zero
	spare  []uint32 // a row that is being read, if column is not nil
}

// reserve makes room for so many rows with all their cells, if it is needed and
// was not made before.
func (c *cells) reserve(a *memory.Arena, rows int) {
	if c.memory == nil && c.column == nil {
		c.memory = a.Lend((rows*c.width + 1) / 2)
		words := c.memory.Words[c.memory.Used:]
		c.cell = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))[:0]
	}
}

// next returns the cells of the next row, all to be set before it is closed.
func (c *cells) next() []uint32 {
	if c.column != nil {
		return c.spare
	}
	n := len(c.cell)
	return c.cell[n : n+c.width]
}

// close ends a row that next began.
func (c *cells) close(filled int) {
	if c.column == nil {
		c.rows++
		c.filled += filled
		c.cell = c.cell[:len(c.cell)+c.width]
		return
	}
	c.appendRow(c.spare)
}

// appendRow appends a row without its zeros.
func (c *cells) appendRow(row []uint32) {
	for slot, cell := range row {
		if cell != 0 {
			c.appendCell(slot, cell)
		}
	}
	c.endRow()
}

func (c *cells) appendCell(slot int, cell uint32) {
	c.cell, c.column = append(c.cell, cell), append(c.column, uint32(slot))
}

func (c *cells) endRow() {
	c.rows++
	c.end = append(c.end, len(c.cell))
	c.filled = len(c.cell)
}

// reset drops all rows.
func (c *cells) reset() {
	*c = cells{memory: c.memory, cell: c.cell[:0], width: c.width}
}

// eachRow calls do for the rows, with their cells and the slots of these; nil
// stands for all slots.
func (c *cells) eachRow(do func(row int, slots, cell []uint32)) {
	from := 0
	for i := range c.rows {
		if c.column == nil {
			do(i, nil, c.cell[i*c.width:(i+1)*c.width])
			continue
		}
		do(i, c.column[from:c.end[i]], c.cell[from:c.end[i]])
		from = c.end[i]
	}
}

// drop gives back all cells.
func (c *cells) drop() {
	if len(c.cell) > 0 {
		c.memory.Free()
	}
	*c = cells{}
}

// thin leaves out the cells that are zero and gives back the room for all.
func (c *cells) thin(a *memory.Arena) {
	if c.column != nil {
		return
	}
	all := *c
	*c = cells{width: all.width, spare: make([]uint32, all.width),
		cell: make([]uint32, 0, all.filled), column: make([]uint32, 0, all.filled), end: make([]int, 0, all.rows)}
	for i := range all.rows {
		c.appendRow(all.cell[i*c.width : (i+1)*c.width])
	}
	a.Keep(all.memory, 0)
}
