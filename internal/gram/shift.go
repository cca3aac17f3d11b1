package gram

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// fitted is what the rows of a training set say of a precomputed kernel: its shift, and
// why the matrix is not proved positive semidefinite with it; nil: it is.
type fitted struct {
	kernel kernel.Kernel
	shift  float64
	doubt  error
}

// maxShift is the largest automatic shift, for a diagonal of 1: what rounding to four
// digits can need. A larger shift would change the answer visibly.
const maxShift = 0x1p-13

// fit returns k with the shift that prepared rows need in place of Auto; nil: there is
// no Auto in it.
func fit(k kernel.Kernel, x matrix.Matrix, threads int) (kernel.Kernel, *fitted) {
	if s, ok := k.(kernel.Shifted); ok && s.AutoShift() {
		f := fitShift(s, x, threads)
		return f.kernel, &f
	}
	how, parts := kernel.Parts(k)
	if how == kernel.HowNormalised {
		return k, nil // of no such kernel, see [Normalise]
	}
	var found *fitted
	for i, part := range parts {
		of, f := fit(part, x, threads)
		if f != nil {
			parts[i], found = of, f
		}
	}
	if found == nil {
		return k, nil
	}
	join := map[string]func(...kernel.Kernel) (kernel.Kernel, error){kernel.HowSum: kernel.Sum, kernel.HowProduct: kernel.Product}[how]
	joined, err := join(parts...)
	if err != nil {
		panic(err) // it was joined before
	}
	return joined, found
}

// fitShift takes no shift where the matrix is proved without, and else a power of two
// near the smallest that suffices.
func fitShift(k kernel.Shifted, x matrix.Matrix, threads int) fitted {
	none := k.WithShift(0)
	a, err := newLower(none, x, threads)
	if err != nil {
		return fitted{kernel: none, doubt: err}
	}
	least := a.smallest()
	if least > 0 {
		if a.definite(0) {
			return fitted{kernel: none}
		}
		a.fill()
	}
	enough := 2 * max(2*a.margin(0), float64(-least*(1-0x1p-40))) // roundings of the estimate must not double the shift
	for shift := above(enough); shift <= maxShift*a.largest; shift *= 4 {
		if a.definite(shift) {
			return fitted{kernel: k.WithShift(shift), shift: shift}
		}
		a.fill()
	}
	return fitted{kernel: none, doubt: fmt.Errorf("%w; precomputed:shift=%.3g would add as much to its diagonal", a.refute(least), above(enough))}
}

// above returns the least power of two that is not below x > 0.
func above(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	if fraction == 0.5 {
		exponent--
	}
	return math.Ldexp(1, exponent)
}

// Shift returns the shift that took the place of an automatic one; 0 if there was none.
func (g *Gram) Shift() float64 {
	if g.fitted == nil {
		return 0
	}
	return g.fitted.shift
}

// Fitted returns the spec of a kernel with a number in place of an automatic shift.
func Fitted(spec string, shift float64) string {
	if shift == 0 {
		spec = strings.ReplaceAll(spec, ":shift=auto", "")
	}
	return strings.ReplaceAll(spec, "shift=auto", "shift="+strconv.FormatFloat(shift, 'g', -1, 64))
}
