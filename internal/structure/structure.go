// Package structure has what the numbers of a row can stand for where the row is no point: a
// sequence of symbols, or a labelled graph.
//
// Formats and generators write such rows, kernels of strings and graphs read them. It imports
// matrix alone. Begin with [Symbols] and [Graph].
package structure

import (
	"slices"

	"github.com/fenchel-ml/fenchel/matrix"
)

// A Kind is what rows stand for.
type Kind uint8

// Points are rows of which each column is a number of its own, a feature.
const (
	Points Kind = iota
	Sequences
	Graphs
)

func (k Kind) String() string { return [...]string{"numbers", "sequences", "graphs"}[k] }

// MaxSymbol is the largest whole number below which float32 has all others.
const MaxSymbol = 1 << 24

// Symbols returns the sequence that a row stands for: its values that are not
// zero, in the order of the columns. So a text is a row of code points or of
// numbers of words, which ends where the values do.
func Symbols(v matrix.Vector) []float32 {
	value := v.Value
	for len(value) > 0 && value[len(value)-1] == 0 {
		value = value[:len(value)-1]
	}
	if !slices.Contains(value, 0) {
		return value
	}
	return slices.DeleteFunc(slices.Clone(value), func(v float32) bool { return v == 0 })
}
