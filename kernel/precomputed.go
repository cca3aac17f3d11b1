package kernel

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Precomputed takes its values from a file: the training set is the matrix K
// itself, in one of two forms.
//
//   - n rows of n values: K_ij in row i, column j. A row to be compared with them
//     is the n values k(x,x_j).
//   - LIBSVM's: a number of the row first, then the values (0:i 1:K_i1 2:K_i2 ...
//     in a file read with indices from 0). Some of the rows of such a matrix can
//     be a training set too. The number of a row to be compared does not matter.
//
// Prepare makes rows of the second form, so that a row knows which value of
// another is theirs; rows to be compared get the number 0. Two of these have no
// value: NaN. So has a row whose number is none, as a damaged model may have it.
//
// What was read, in single precision, is the kernel, and where K_ij and K_ji differ by a
// rounding, that of the later row. To the value of a row with itself Shift >= 0 is
// added, which makes a matrix positive semidefinite that is not so by roundings; a row
// to be compared is none of the matrix, and has none. Auto stands for the shift that
// the rows of a training set need.
type Precomputed struct {
	Shift float64
	Auto  bool
}

var (
	_ Sized    = Precomputed{}
	_ preparer = Precomputed{}
	_ Shifted  = Precomputed{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "precomputed", Summary: "the training set is the matrix of values, n x n, or with a first column that counts the rows; shift=auto is added to its diagonal, as little as makes it positive semidefinite",
		New: func(p *registry.Params) (Kernel, error) {
			shift, auto := p.FloatOr("shift", "auto", 0, "a number >= 0", func(v float64) bool { return v >= 0 && v <= math.MaxFloat32 })
			return Precomputed{Shift: shift, Auto: auto}, p.Err()
		}})
}

// maxNumber is the largest number of a row: beyond it float32 skips some.
const maxNumber = 1 << 24

// Eval returns the value that the row without a number, or else the later row,
// has in the column of the other.
func (k Precomputed) Eval(x, y matrix.Vector) float64 {
	i, j := number(x), number(y)
	if i < 0 || j < 0 || i == 0 && j == 0 {
		return math.NaN()
	}
	if i == j {
		return float64(at(x, j)) + k.Shift
	}
	if j == 0 || i != 0 && i < j {
		x, j = y, i
	}
	return float64(at(x, j))
}

// Unproved returns true: a file can hold anything.
func (Precomputed) Unproved() bool { return true }

// AutoShift reports whether the rows of a training set say the shift.
func (k Precomputed) AutoShift() bool { return k.Auto }

// WithShift returns the kernel with a shift.
func (Precomputed) WithShift(shift float64) Kernel { return Precomputed{Shift: shift} }

// Size is the norm of a row, as k(x,x) is one of its values, and the shift.
func (k Precomputed) Size(_ int, xx float64) float64 { return (math.Sqrt(xx) + k.Shift) * (1 + 8*unit) }

// Relative is 0: the value of a row with itself is defined as the rounded sum.
func (Precomputed) Relative(int, float64, float64) float64 { return 0 }

// Error is 0.
func (Precomputed) Error(int, float64, float64) float64 { return 0 }

// number returns that of a row, -1 if it is none.
func number(v matrix.Vector) int {
	x := at(v, 0)
	if !(x >= 0 && x <= maxNumber) || x != float32(int(x)) {
		return -1
	}
	return int(x)
}

// at returns the value in a column.
func at(v matrix.Vector, column int) float32 {
	if v.Index == nil {
		if column < len(v.Value) {
			return v.Value[column]
		}
		return 0
	}
	if k, ok := slices.BinarySearch(v.Index, uint32(column)); ok {
		return v.Value[k]
	}
	return 0
}

// Prepare numbers the rows of a square matrix, and checks that it is symmetric.
func (Precomputed) Prepare(x matrix.Matrix, width int) (matrix.Matrix, error) {
	n, cols := x.Dims()
	if width > 0 {
		switch cols {
		case width - 1:
			return numbered(x, 0, false), nil
		case width:
			return numbered(x, 1, false), nil
		}
		return nil, fmt.Errorf("kernel \"precomputed\": found %s, expected %d, a value for each row of the training set (or %d with a number first)", registry.Count(cols, "column"), width-1, width)
	}
	if n == cols && n < maxNumber {
		x = numbered(x, 0, true)
	} else if cols <= n || cols > maxNumber {
		return nil, fmt.Errorf("kernel \"precomputed\": found %s of %s, expected as many columns as rows, or numbers of the rows first", registry.Count(n, "row"), registry.Count(cols, "column"))
	}
	numbers, err := rowNumbers(x)
	if err != nil {
		return nil, err
	}
	if matrix.Nonzeros(x) == int64(n) { // numbers alone, as models keep them
		return x, nil
	}
	return x, symmetric(x, numbers)
}

// numbered puts the number of the row, or 0, before the values from column from
// on.
func numbered(x matrix.Matrix, from int, count bool) matrix.Matrix {
	n, cols := x.Dims()
	out := &matrix.CSR{Cols: cols - from + 1, Start: make([]int64, 1, n+1), Index: []uint32{}}
	dense, isDense := x.(*matrix.Dense)
	if isDense {
		dense = &matrix.Dense{Rows: n, Cols: out.Cols, Value: make([]float32, n*out.Cols)}
	}
	for i := range n {
		number := float32(0)
		if count {
			number = float32(i + 1)
		}
		row := x.Row(i)
		if isDense {
			to := dense.Row(i).Value
			to[0] = number
			copy(to[1:], row.Value[from:])
			continue
		}
		out.Index, out.Value = append(out.Index, 0), append(out.Value, number)
		for k, v := range row.Value {
			if c := row.Column(k); c >= from {
				out.Index, out.Value = append(out.Index, uint32(c-from+1)), append(out.Value, v)
			}
		}
		out.Start = append(out.Start, int64(len(out.Value)))
	}
	if isDense {
		return dense
	}
	return out
}

// rowNumbers returns the first values of the rows, each the column of the row's
// own value in others.
func rowNumbers(x matrix.Matrix) ([]int, error) {
	n, cols := x.Dims()
	numbers := make([]int, n)
	for i := range numbers {
		if numbers[i] = number(x.Row(i)); numbers[i] < 1 || numbers[i] >= cols {
			return nil, fmt.Errorf("kernel \"precomputed\": row %d, column 1: found %g in a matrix of %d rows and %d columns, expected a square matrix, or the number of the row first, from 1 to %d", i+1, at(x.Row(i), 0), n, cols, cols-1)
		}
	}
	return numbers, nil
}

// symmetric refuses a matrix of which a value differs from the one that mirrors
// it by more than their roundings. It goes by blocks, which stay in the cache.
func symmetric(x matrix.Matrix, numbers []int) error {
	const size = 64
	n := len(numbers)
	errs := make([]error, (n+size-1)/size)
	parallel.Blocks(n, size, 0, func(b, first, last int) {
		bad := n // the first row that differs, from an earlier one
		for lo := 0; lo < last; lo += size {
			for i := first; i < min(last, bad); i++ {
				for j := lo; j < min(lo+size, i); j++ {
					here, there := float64(at(x.Row(i), numbers[j])), float64(at(x.Row(j), numbers[i]))
					if math.Abs(here-there) <= 0x1p-22*math.Max(math.Abs(here), math.Abs(there)) {
						continue
					}
					bad = i
					errs[b] = fmt.Errorf("kernel \"precomputed\": rows %d and %d: found the value %g one way round and %g the other, expected a symmetric matrix", j+1, i+1, there, here)
					break
				}
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
