package data

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// FromDense makes a set of rows in memory, all of one length, with a target
// for each row from [Labels] or [Numbers]; the zero Target stands for none.
// Values are copied and must be finite. Errors count rows and features from 1.
func FromDense(rows [][]float32, target Target) (*Set, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("found no rows, expected at least one")
	}
	x := &matrix.Dense{Rows: len(rows), Cols: len(rows[0]), Value: make([]float32, 0, len(rows)*len(rows[0]))}
	for i, row := range rows {
		if len(row) != x.Cols {
			return nil, fmt.Errorf("row %d: found %s, expected %d as in row 1", i+1, fault.Plural(len(row), "value", "values"), x.Cols)
		}
		x.Value = append(x.Value, row...)
	}
	return fromMatrix(x, target)
}

// FromSparse makes a set of sparse rows in memory: row i has rows[i].Value[k]
// in column rows[i].Index[k], counted from 0, increasing and below cols; the
// other columns are zero. In all else it is like FromDense.
func FromSparse(rows []matrix.Vector, cols int, target Target) (*Set, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("found no rows, expected at least one")
	}
	if cols < 0 {
		return nil, fmt.Errorf("found %d columns, expected at least 0", cols)
	}
	start, index, value := make([]int64, 1, len(rows)+1), []uint32{}, []float32{}
	for i, row := range rows {
		if len(row.Index) != len(row.Value) {
			return nil, fmt.Errorf("row %d: found %s and %s, expected as many", i+1, fault.Plural(len(row.Index), "column", "columns"), fault.Plural(len(row.Value), "value", "values"))
		}
		for k, j := range row.Index {
			if int64(j) >= int64(cols) || k > 0 && j <= row.Index[k-1] {
				return nil, fmt.Errorf("row %d: found column %d in place %d, expected increasing columns below %d", i+1, j, k+1, cols)
			}
		}
		index, value = append(index, row.Index...), append(value, row.Value...)
		start = append(start, int64(len(value)))
	}
	x, err := matrix.NewCSR(cols, start, index, value)
	if err != nil {
		return nil, err
	}
	return fromMatrix(x, target)
}

// fromMatrix checks that all numbers are finite and targets belong to rows.
func fromMatrix(x matrix.Matrix, target Target) (*Set, error) {
	if row, col, ok := matrix.Finite(x); !ok {
		return nil, fmt.Errorf("row %d: feature %d is not a finite number", row+1, col+1)
	}
	n, _ := x.Dims()
	if err := target.Check(n); err != nil {
		return nil, err
	}
	for i, code := range target.Code {
		label := target.Label[code]
		if !utf8.ValidString(label) {
			return nil, fmt.Errorf("row %d: found the label %q, expected UTF-8 text", i+1, label)
		}
		if _, status := decimal.Float64([]byte(label)); label == "" || status == decimal.NoValue || status == decimal.Huge {
			return nil, fmt.Errorf("row %d: found the label %q, expected a finite number or a name", i+1, label)
		}
	}
	set := &Set{X: x, Target: target}
	return set.Vouch(), nil
}

// Labels makes the target of rows with these labels. Labels that all are
// numbers may be classes or numbers to predict, as in a file.
func Labels(labels []string) Target {
	t := set.NewTargets()
	for _, label := range labels {
		number, status := decimal.Float64([]byte(label))
		if status != decimal.Number {
			number = math.NaN()
		}
		t.Code = append(t.Code, t.Intern([]byte(label), number))
		if !t.Text {
			t.Number = append(t.Number, number)
		}
	}
	if len(t.Label) > set.MaxLabels && !t.Text {
		return Target{Number: t.Number}
	}
	return t.Target()
}

// Numbers makes the target of rows with these numbers to predict. As in a
// file, a few whole numbers may also be classes.
func Numbers(numbers []float64) Target {
	if slices.ContainsFunc(numbers, func(y float64) bool { return !decimal.Finite(y) }) {
		return Target{Number: slices.Clone(numbers)} // refused with the row's number
	}
	return set.NumberTarget(slices.Clone(numbers))
}

// Split deals n rows out at random, in parts as large as their shares of the whole, rounded: 0.4,
// 0.2, 0.4 and 40, 20, 40 mean the same. It depends on its arguments alone; [Set.Subset] makes a
// set of the rows of a part.
func Split(n int, seed uint64, shares ...float64) ([][]int, error) {
	return generate.Split(n, seed, shares...)
}
