package kernel

import (
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/structure"
)

// Structured is a kernel of rows that stand for something else than points.
type Structured interface {
	Preparer
	Structure() structure.Kind
}

// StructureOf returns what the rows of k stand for. A combination has the structure of its
// parts but for numbers; it is Points where they differ.
func StructureOf(k Kernel) structure.Kind {
	how, parts := Parts(k)
	if how == "" {
		if s, ok := k.(Structured); ok {
			return s.Structure()
		}
		return structure.Points
	}
	parts = slices.DeleteFunc(parts, func(part Kernel) bool { _, number := part.(Constant); return number })
	for _, part := range parts {
		if StructureOf(part) != StructureOf(parts[0]) {
			return structure.Points
		}
	}
	if len(parts) == 0 {
		return structure.Points
	}
	return StructureOf(parts[0])
}

// wholeNumbers refuses rows with values that are no symbols.
func wholeNumbers(name string, x matrix.Matrix) (matrix.Matrix, error) {
	n, _ := x.Dims()
	for i := range n {
		row := x.Row(i)
		for k, v := range row.Value {
			if !(v >= 0 && v <= structure.MaxSymbol) || v != float32(int(v)) {
				return nil, fmt.Errorf("kernel %q: row %d, column %d: found %g, expected a whole number up to %d, the code of a symbol", name, i+1, row.Column(k)+1, v, structure.MaxSymbol)
			}
		}
	}
	return x, nil
}

// graphs refuses rows that are no graphs, or of which a kernel refuses one.
func graphs(name string, x matrix.Matrix, check func(structure.Graph) error) (matrix.Matrix, error) {
	if _, err := wholeNumbers(name, x); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	for i := range n {
		g, err := structure.ReadGraph(structure.Symbols(x.Row(i)))
		if err == nil {
			err = check(g)
		}
		if err != nil {
			return nil, fmt.Errorf("kernel %q: row %d: %w", name, i+1, err)
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
