package penalty

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Image is the total variation of weights that are the pixels of an image, row after row, sum |w_p - w_q| over the pairs
// of neighbours in a row or a column, and L1 sum_j |w_j|, L1 > 0: regions of equal weights (Rudin, Osher, Fatemi 1992; the
// variation of the sizes, not of the lengths, of the gradient). Weights beyond the pixels, such as that of a constant
// feature, have the second part alone.
//
// Its proximal point is that of a sum: of the rows, and of the columns, each exactly, and of |w|_1.
type Image struct {
	Rows, Columns int // 0: a row of all weights
	L1            float64
}

var (
	_ Coupled     = Image{}
	_ Shaped      = Image{}
	_ Approximate = Image{}
)

func init() {
	penalties.Register(registry.Entry[Penalty]{Name: "image", Summary: "total variation of weights that are pixels, size=ROWSxCOLUMNS, and l1=0.1 times |w|_1, l1 > 0: regions of equal weights",
		New: func(p *registry.Params) (Penalty, error) {
			rows, columns, err := size(p.Text("size", ""))
			if err != nil {
				return nil, err
			}
			return Image{rows, columns, p.Float("l1", 0.1, "a number from 1e-9 to 1e9", func(v float64) bool { return v >= 1e-9 && v <= 1e9 })}, p.Err()
		}})
}

// size reads a number of rows and columns, such as 28x28.
func size(text string) (rows, columns int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	first, second, _ := strings.Cut(text, "x")
	rows, err1 := strconv.Atoi(first)
	columns, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || rows < 1 || columns < 1 || rows > 1<<20 || columns > 1<<20 {
		return 0, 0, fmt.Errorf("size=%s: expected rows x columns, such as 28x28", registry.Spell(text))
	}
	return rows, columns, nil
}

// Fits wants a feature for each pixel.
func (i Image) Fits(features int) error {
	if pixels := i.Rows * i.Columns; pixels > 0 && features != pixels {
		return fmt.Errorf("penalty image: found %d features, expected one for each of the %d pixels of %dx%d", features, pixels, i.Rows, i.Columns)
	}
	return nil
}

// Value returns the sum of both parts.
func (i Image) Value(w []float64) float64 {
	var jumps, sizes vec.Sum
	if i.Rows == 0 {
		i.Rows, i.Columns = 1, len(w)
	}
	for j, x := range w {
		sizes.Add(math.Abs(x))
		if j >= i.Rows*i.Columns {
			continue
		}
		if j%i.Columns > 0 {
			jumps.Add(math.Abs(x - w[j-1]))
		}
		if j >= i.Columns {
			jumps.Add(math.Abs(x - w[j-i.Columns]))
		}
	}
	return jumps.Value() + float64(i.L1*sizes.Value())
}

// parts are the chains of rows, the chains of columns, and the sizes, which are the home of all weights.
func (i Image) parts(n int) sum {
	if i.Rows == 0 {
		i.Rows, i.Columns = 1, n
	}
	pixels := min(n, i.Rows*i.Columns)
	var rows, columns chains
	for from := 0; from < pixels; from += i.Columns {
		rows = append(rows, chain{from, 1, min(i.Columns, pixels-from)})
	}
	for from := 0; from < min(i.Columns, pixels); from++ {
		columns = append(columns, chain{from, i.Columns, (pixels - from + i.Columns - 1) / i.Columns})
	}
	return sum{[]term{rows, columns, sized(i.L1)}, func(int) int { return 2 }}
}

// Prox is that of the variation, and then that of |w|_1 (Friedman et al. 2007).
func (i Image) Prox(dst, v []float64, step float64) {
	s := i.parts(len(v))
	last := len(s.terms) - 1
	l1 := s.terms[last]
	s.terms = s.terms[:last]
	s.prox(dst, v, step)
	l1.prox(dst, dst, step)
}

// Conjugate returns the scale of a sum.
func (i Image) Conjugate(u []float64) (scale, value float64) {
	return i.parts(len(u)).conjugate(u, i.Value)
}

// Within returns the scale of a sum.
func (i Image) Within(u, reach []float64) (scale float64) {
	return i.parts(len(u)).within(u, reach, i.Value)
}

// Accuracy is that of a sum.
func (Image) Accuracy() float64 { return sumAccuracy }

// StrongConvexity is 0.
func (Image) StrongConvexity() float64 { return 0 }

// A chain is n numbers, the first at from, each so many after the one before.
type chain struct{ from, stride, n int }

// chains is the term sum |x_{j+1} - x_j| of chains that have no number in common.
type chains []chain

func (c chains) prox(dst, v []float64, step float64) {
	copy(dst, v)
	var line []float64
	for _, l := range c {
		line = line[:0]
		for k := range l.n {
			line = append(line, v[l.from+k*l.stride])
		}
		denoise(line, line, step)
		for k, x := range line {
			dst[l.from+k*l.stride] = x
		}
	}
}

// repair lets every chain sum to zero by its last number, as differences of neighbours do, and drops what is in no chain.
func (c chains) repair(u []float64) {
	inside := make([]bool, len(u))
	for _, l := range c {
		total := 0.0
		for k := range l.n {
			at := l.from + k*l.stride
			if inside[at] = true; k == l.n-1 {
				u[at] = -total
			}
			total += u[at]
		}
	}
	for j, in := range inside {
		if !in {
			u[j] = 0
		}
	}
}

// gauge is the largest of the sums of the first numbers of a chain: u is the differences of these.
func (c chains) gauge(u []float64) (largest float64) {
	for _, l := range c {
		total := 0.0
		for k := range l.n - 1 {
			total += u[l.from+k*l.stride]
			largest = max(largest, math.Abs(total))
		}
	}
	return largest
}

// sized is the term l1 |w|_1.
type sized float64

func (l sized) prox(dst, v []float64, step float64) {
	for j, x := range v {
		dst[j] = vec.Shrink(x, step*float64(l))
	}
}

func (l sized) gauge(u []float64) (largest float64) {
	for _, x := range u {
		largest = max(largest, math.Abs(x))
	}
	return largest / float64(l) * (1 + 2*unit)
}

func (sized) repair([]float64) {}
