package certificate

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// size says how large rows are.
type size struct {
	total float64 // tr Sigma, the mean of |x|^2
	upper float64 // at least tr Sigma
	// raw is at least the mean of the squares of norms of rows that the errors of
	// products are relative to: of the rows, but for sparse ones of which an offset
	// is subtracted afterwards (|F x| + |F o|)^2.
	raw float64
}

// balanced returns the rows times 2^exponent, for which their squares are neither so
// large nor so small that something overflows, or underflows and matters. formed says
// that sparse rows may be formed to measure them.
func balanced(x view.Rows, formed bool, threads int) (view.Rows, size, int, error) {
	const most = 0x1p400
	var s size
	for _, exponent := range []int{0, 350, -350, 700, -700, 1020, -1050} {
		moved := x.Shifted(exponent)
		s = sizeOf(moved, formed, threads)
		if s.raw >= 1/most && s.raw <= most || exponent == 0 && s.raw == 0 && x.Zero() {
			return moved, s, exponent, nil
		}
	}
	if row, col, ok := matrix.Finite(x.X); !ok {
		return x, s, 0, fmt.Errorf("certificate: row %d, feature %d: found %g, expected a finite number", row, col, element(x.X.Row(row), col))
	}
	return x, s, 0, fmt.Errorf("certificate: found offsets or factors with which rows are not finite, or of too many magnitudes")
}

func element(x matrix.Vector, col int) float32 {
	for k, v := range x.Value {
		if x.Column(k) == col {
			return v
		}
	}
	return 0
}

// sizeOf computes the size, by the rows or, of sparse ones that are not formed,
//
//	|F (x - o)|^2 = |F o|^2 + sum over stored j of F_j^2 ((x_j - o_j)^2 - o_j^2).
func sizeOf(x view.Rows, formed bool, threads int) size {
	const block = 256
	n, d := x.Dims()
	sparse, offset := view.IsSparse(x.X), x.OffsetSquare()
	totals, raws := make([]float64, (n+block-1)/block), make([]float64, (n+block-1)/block)
	parallel.Blocks(n, block, threads, func(b, lo, hi int) {
		row := make([]float64, d)
		for i := lo; i < hi; i++ {
			squared, raw := 0.0, 0.0
			if sparse {
				squared, raw = x.StoredSquares(i)
				squared, raw = squared+offset, raw+offset+float64(2*math.Sqrt(raw*offset))
			}
			if !sparse || formed {
				x.Row(row, i)
				squared = vec.SquaredNorm64(row)
			}
			if !sparse {
				raw = squared
			}
			totals[b] += squared
			raws[b] += raw
		}
	})
	var total, raw vec.Sum
	for b := range totals {
		total.Add(totals[b])
		raw.Add(raws[b])
	}
	error := algebra.Gamma(3 * (d + block + 32))
	s := size{total: max(0, total.Value()) / float64(n), raw: algebra.Up(raw.Value() / float64(n) * (1 + float64(2*error)))}
	s.upper = algebra.Up(s.total + float64(error*s.raw))
	if formed {
		s.upper = min(s.upper, algebra.Up(s.total*(1+float64(2*error))))
	}
	return s
}
