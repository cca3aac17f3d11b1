package set

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/terms"
	"github.com/fenchel-ml/fenchel/matrix"
)

// An Encoder turns cells into features.
type Encoder struct {
	First []int       // feature of each slot
	Fill  []float32   // of each slot, stands for a missing number
	value [][]float32 // of each slot whose words are numbers: of each code its value
	None  []bool      // of each slot: it is no feature
	Odd   bool        // there are such slots
	Texts []*Texts    // of each slot; nil: it has none
	Cols  int
	Same  bool // the cells of a row are its features
}

// Texts are what each text of a slot becomes: its terms and their values.
type Texts struct {
	Terms  [][]terms.Term
	Values [][]float32
}

// NewTexts makes the features of texts.
func NewTexts(space *terms.Space, texts []string, threads int) *Texts {
	x, index := &Texts{make([][]terms.Term, len(texts)), make([][]float32, len(texts))}, space.Index()
	parallel.Blocks(len(texts), 64, threads, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			if texts[k] != MissingCategory {
				x.Terms[k] = index.Count(texts[k])
				x.Values[k] = space.Weigh(x.Terms[k])
			}
		}
	})
	return x
}

// Append appends what a cell becomes, where it is not zero.
func (e *Encoder) Append(row matrix.Vector, codes []uint32, slot int, cell uint32) matrix.Vector {
	if x := e.Texts[slot]; x != nil {
		code := codes[cell-1]
		return e.appendTerms(row, slot, x.Terms[code], x.Values[code])
	}
	if index, value := e.OddFeature(codes, slot, cell); value != 0 {
		row.Index, row.Value = append(row.Index, index), append(row.Value, value)
	}
	return row
}

// appendTerms appends the terms of a text whose values are not zero.
func (e *Encoder) appendTerms(row matrix.Vector, slot int, found []terms.Term, values []float32) matrix.Vector {
	for k, v := range values {
		if v != 0 {
			row.Index, row.Value = append(row.Index, uint32(e.First[slot])+found[k].Index), append(row.Value, v)
		}
	}
	return row
}

// Add adds a slot, that of a column whose first feature is given.
func (e *Encoder) Add(first int, c Column, value []float32) {
	e.Texts = append(e.Texts, nil)
	e.First, e.Fill, e.value, e.None = append(e.First, first), append(e.Fill, float32(c.Fill)), append(e.value, value), append(e.None, c.Kind == KindIgnored)
}

// Feature returns what a cell becomes; zero stands for nothing. It is for encoders
// without odd slots.
func (e *Encoder) Feature(codes []uint32, slot int, cell uint32) (index uint32, value float32) {
	index = uint32(e.First[slot])
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
		return uint32(e.First[slot]), e.value[slot][codes[cell-1]]
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
