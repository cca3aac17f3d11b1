package kernel

import (
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/matrix"
)

// maxSymbol is the largest whole number below which float32 has all others.
const maxSymbol = 1 << 24

// symbols returns the sequence that a row stands for: its values that are not
// zero, in the order of the columns. So a text is a row of code points or of
// numbers of words, which ends where the values do.
func symbols(v matrix.Vector) []float32 {
	value := v.Value
	for len(value) > 0 && value[len(value)-1] == 0 {
		value = value[:len(value)-1]
	}
	if !slices.Contains(value, 0) {
		return value
	}
	return slices.DeleteFunc(slices.Clone(value), func(v float32) bool { return v == 0 })
}

// wholeNumbers refuses rows with values that are no symbols.
func wholeNumbers(name string, x matrix.Matrix) (matrix.Matrix, error) {
	n, _ := x.Dims()
	for i := range n {
		row := x.Row(i)
		for k, v := range row.Value {
			if !(v >= 0 && v <= maxSymbol) || v != float32(int(v)) {
				return nil, fmt.Errorf("kernel %q: row %d, column %d: found %g, expected a whole number up to %d, the code of a symbol", name, i+1, row.Column(k)+1, v, maxSymbol)
			}
		}
	}
	return x, nil
}

// ordered returns two sequences in an order that depends on what they are
// alone: the longer one first, or else the one that comes later.
func ordered(s, t []float32) (longer, shorter []float32) {
	if len(s) < len(t) || len(s) == len(t) && slices.Compare(s, t) < 0 {
		return t, s
	}
	return s, t
}
