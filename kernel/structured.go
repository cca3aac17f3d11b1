package kernel

import (
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// StructureOf returns the kind of rows that k takes. A combination takes those of its parts, constants
// aside; where these differ the result is Points.
func StructureOf(k Kernel) structure.Kind {
	how, parts := Parts(k)
	if how == "" {
		if s, ok := k.(structured); ok {
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

// graphs refuses rows that are not graphs, and graphs that check refuses.
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

// ordered returns two sequences, the longer first; of two of the same length, the lexicographically
// larger. So k(x,y) and k(y,x) are computed by the same operations, and have the same bits.
func ordered(s, t []float32) (longer, shorter []float32) {
	if len(s) < len(t) || len(s) == len(t) && slices.Compare(s, t) < 0 {
		return t, s
	}
	return s, t
}

// counts returns how often each row adds each key, nil if one does so more often
// than single precision can count.
func counts(x matrix.Matrix, each func(row matrix.Vector, add func(key []byte))) *matrix.CSR {
	n, _ := x.Dims()
	columns, row := map[string]uint32{}, []uint32(nil)
	out := &matrix.CSR{Start: make([]int64, 1, n+1), Index: []uint32{}}
	for i := range n {
		row = row[:0]
		each(x.Row(i), func(key []byte) {
			column, known := columns[string(key)]
			if !known {
				column = uint32(len(columns))
				columns[string(key)] = column
			}
			row = append(row, column)
		})
		if len(row) >= structure.MaxSymbol {
			return nil
		}
		slices.Sort(row)
		for rest := row; len(rest) > 0; {
			same := 1
			for same < len(rest) && rest[same] == rest[0] {
				same++
			}
			out.Index, out.Value = append(out.Index, rest[0]), append(out.Value, float32(same))
			rest = rest[same:]
		}
		out.Start = append(out.Start, int64(len(out.Value)))
	}
	out.Cols = len(columns)
	return out
}
