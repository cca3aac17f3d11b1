package dataset

import "math"

// An encoder turns cells into features.
type encoder struct {
	first []int       // feature of each slot
	fill  []float32   // of each slot, stands for a missing number
	value [][]float32 // of each slot whose words are numbers: of each code its value
	none  []bool      // of each slot: it is no feature
	odd   bool        // there are such slots
	cols  int
	same  bool // the cells of a row are its features
}

// add adds a slot, that of a column whose first feature is given.
func (e *encoder) add(first int, c Column, value []float32) {
	e.first, e.fill, e.value, e.none = append(e.first, first), append(e.fill, float32(c.Fill)), append(e.value, value), append(e.none, c.Kind == KindIgnored)
}

// feature returns what a cell becomes; zero stands for nothing. It is for encoders
// without odd slots.
func (e *encoder) feature(codes []uint32, slot int, cell uint32) (index uint32, value float32) {
	index = uint32(e.first[slot])
	switch {
	case codes == nil && cell == missingBits:
		return index, e.fill[slot]
	case codes == nil:
		return index, asNumber(cell)
	case codes[cell-1] == noCategory:
		return index, 0
	}
	return index + codes[cell-1], 1
}

// oddFeature is feature for all encoders.
func (e *encoder) oddFeature(codes []uint32, slot int, cell uint32) (index uint32, value float32) {
	switch {
	case e.none[slot]:
		return 0, 0
	case e.value[slot] != nil:
		return uint32(e.first[slot]), e.value[slot][codes[cell-1]]
	}
	return e.feature(codes, slot, cell)
}

var missingBits = math.Float32bits(float32(math.NaN()))

// noCategory is the cell of a category that the model does not know.
const noCategory = math.MaxUint32

const missingCategory = "?"

func asNumber(cell uint32) float32 { return math.Float32frombits(cell) }

// slotOf returns the slot of cell k of a row.
func slotOf(slots []uint32, k int) int {
	if slots == nil {
		return k
	}
	return int(slots[k])
}
