package set

import "math"

// An Encoder turns cells into features.
type Encoder struct {
	first []int       // feature of each slot
	Fill  []float32   // of each slot, stands for a missing number
	value [][]float32 // of each slot whose words are numbers: of each code its value
	None  []bool      // of each slot: it is no feature
	Odd   bool        // there are such slots
	Cols  int
	Same  bool // the cells of a row are its features
}

// Add adds a slot, that of a column whose first feature is given.
func (e *Encoder) Add(first int, c Column, value []float32) {
	e.first, e.Fill, e.value, e.None = append(e.first, first), append(e.Fill, float32(c.Fill)), append(e.value, value), append(e.None, c.Kind == KindIgnored)
}

// Feature returns what a cell becomes; zero stands for nothing. It is for encoders
// without odd slots.
func (e *Encoder) Feature(codes []uint32, slot int, cell uint32) (index uint32, value float32) {
	index = uint32(e.first[slot])
	switch {
	case codes == nil && cell == MissingBits:
		return index, e.Fill[slot]
	case codes == nil:
		return index, AsNumber(cell)
	case codes[cell-1] == NoCategory:
		return index, 0
	}
	return index + codes[cell-1], 1
}

// OddFeature is feature for all encoders.
func (e *Encoder) OddFeature(codes []uint32, slot int, cell uint32) (index uint32, value float32) {
	switch {
	case e.None[slot]:
		return 0, 0
	case e.value[slot] != nil:
		return uint32(e.first[slot]), e.value[slot][codes[cell-1]]
	}
	return e.Feature(codes, slot, cell)
}

// MissingBits is the cell of a number that is missing.
var MissingBits = math.Float32bits(float32(math.NaN()))

// NoCategory is the cell of a category that the model does not know.
const NoCategory = math.MaxUint32

// MissingCategory is the category of missing values.
const MissingCategory = "?"

// AsNumber returns the number that a cell of numbers is.
func AsNumber(cell uint32) float32 { return math.Float32frombits(cell) }

// SlotOf returns the slot of cell k of a row.
func SlotOf(slots []uint32, k int) int {
	if slots == nil {
		return k
	}
	return int(slots[k])
}
