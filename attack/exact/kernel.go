package exact

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A KernelTwin is a kernel written down again, as a tree: a name with its
// parameters, or a sum, product or normalised kernel of parts.
type KernelTwin struct {
	Name  string // of a leaf; or "sum", "product", "normalised", "constant"
	Gamma float64
	Coef0 float64 // the number of a constant
	Power int     // degree, or symbols of a substring
	shift float64 // of a precomputed matrix: added to its diagonal
	Parts []KernelTwin
}

// kernelNames has all kernels that have a twin. Substrings and subtrees in common are
// counted by the kernel itself: these are whole numbers.
var kernelNames = []string{"linear", "rbf", "poly", "sigmoid", "laplacian", "chi2", "intersection", "precomputed", "spectrum", "mismatch", "ssk", "wl", "random-walk"}

// Spec spells the kernel as kernel.New reads it.
func (k KernelTwin) Spec() string {
	parts := make([]string, len(k.Parts))
	for i, p := range k.Parts {
		parts[i] = p.Spec()
	}
	switch k.Name {
	case "sum":
		return "(" + strings.Join(parts, "+") + ")"
	case "product":
		return "(" + strings.Join(parts, "*") + ")"
	case "normalised":
		return "normalised(" + parts[0] + ")"
	case "constant":
		return fmt.Sprint(k.Coef0)
	case "rbf", "laplacian", "chi2":
		return fmt.Sprintf("%s:gamma=%g", k.Name, k.Gamma)
	case "poly":
		return fmt.Sprintf("poly:degree=%d,gamma=%g,coef0=%g", k.Power, k.Gamma, k.Coef0)
	case "sigmoid":
		return fmt.Sprintf("sigmoid:gamma=%g,coef0=%g", k.Gamma, k.Coef0)
	case "spectrum", "ssk":
		return fmt.Sprintf("%s:p=%d", k.Name, k.Power)
	case "mismatch": // of the letters that strings have
		return fmt.Sprintf("mismatch:p=%d,m=1,alphabet=4", k.Power)
	case "wl":
		return fmt.Sprintf("wl:h=%d", k.Power)
	case "random-walk":
		return fmt.Sprintf("random-walk:lambda=%g", k.Gamma)
	}
	return k.Name
}

// Has reports whether a part has that name.
func (k KernelTwin) Has(names ...string) bool {
	for _, name := range names {
		if k.Name == name {
			return true
		}
	}
	for _, p := range k.Parts {
		if p.Has(names...) {
			return true
		}
	}
	return false
}

// Shifted is the kernel with the shift of precomputed values that a spec states.
func (k KernelTwin) Shifted(spec string) (KernelTwin, error) {
	found := shift.FindStringSubmatch(spec)
	if found == nil {
		return k, nil
	}
	value, err := strconv.ParseFloat(found[1], 64)
	return k.With(value), err
}

var shift = regexp.MustCompile(`precomputed:shift=([0-9.]+(?:[eE][-+]?[0-9]+)?)`)

// With puts a shift into all precomputed parts.
func (k KernelTwin) With(shift float64) KernelTwin {
	k.shift = shift
	parts := make([]KernelTwin, len(k.Parts))
	for i, p := range k.Parts {
		parts[i] = p.With(shift)
	}
	k.Parts = parts
	return k
}

// IsIndefinite reports whether no theorem makes the kernel an inner product.
func (k KernelTwin) IsIndefinite() bool {
	return k.Has("sigmoid", "precomputed") || k.Name == "poly" && k.Coef0 < 0 || slicesAny(k.Parts, KernelTwin.IsIndefinite)
}

func slicesAny[T any](of []T, is func(T) bool) bool {
	for _, x := range of {
		if is(x) {
			return true
		}
	}
	return false
}

// Between returns k(x,y) of two rows, numbered from 0.
func (k KernelTwin) Between(x, y []float64, i, j int) Number {
	switch k.Name {
	case "sum", "product":
		total := k.Parts[0].Between(x, y, i, j)
		for _, p := range k.Parts[1:] {
			if v := p.Between(x, y, i, j); k.Name == "sum" {
				total = Add(total, v)
			} else {
				total = Mul(total, v)
			}
		}
		return total
	case "normalised":
		return k.Parts[0].cosine(x, y, i, j)
	case "constant":
		return Num(k.Coef0)
	case "precomputed":
		value := precomputedAt(x, y, i, j)
		if i == j {
			value += k.shift
		}
		return Num(value)
	case "ssk":
		return Subsequences(Symbols(x), Symbols(y), k.Power)
	case "random-walk":
		return walks(x, y, k.Gamma)
	case "spectrum", "mismatch", "wl":
		used, err := kernel.New(k.Spec())
		if err != nil {
			panic(err) // the generator made the spec
		}
		return Num(used.Eval(Row32(x), Row32(y)))
	}
	return k.ofRows(x, y)
}

// precomputedAt is K_ij, that of the later row where the two differ.
func precomputedAt(x, y []float64, i, j int) float64 {
	if len(x) == 0 {
		return 0
	}
	if i < j {
		return y[i]
	}
	return x[j]
}

// cosine returns k(x,y)/sqrt(k(x,x) k(y,y)), where the two roots are those of
// doubles, as the kernel's own definition says.
func (k KernelTwin) cosine(x, y []float64, i, j int) Number {
	self := func(x []float64) float64 {
		used, err := kernel.New(k.Spec())
		if err != nil {
			panic(err)
		}
		return used.Eval(Row32(x), Row32(x))
	}
	xx, yy := self(x), self(y)
	if xx < 0x1p-700 || yy < 0x1p-700 || math.IsInf(xx, 0) || math.IsInf(yy, 0) {
		return Zero()
	}
	return Quo(k.Between(x, y, i, j), Mul(sqrt(Num(xx)), sqrt(Num(yy))))
}

// ofRows is between for the kernels that are a formula of the rows.
func (k KernelTwin) ofRows(x, y []float64) Number {
	inner, squared, taxicab, chi, common := Zero(), Zero(), Zero(), Zero(), Zero()
	for c := range x {
		a, b := Num(x[c]), Num(y[c])
		inner = Add(inner, Mul(a, b))
		d := Sub(a, b)
		squared = Add(squared, square(d))
		taxicab = Add(taxicab, Abs(d))
		if s := Add(a, b); s.Sign() > 0 {
			chi = Add(chi, Quo(square(d), s))
		}
		common = Add(common, least(a, b))
	}
	argument := Add(Mul(Num(k.Gamma), inner), Num(k.Coef0))
	switch k.Name {
	case "linear":
		return inner
	case "rbf":
		return exp(Neg(Mul(Num(k.Gamma), squared)))
	case "laplacian":
		return exp(Neg(Mul(Num(k.Gamma), taxicab)))
	case "chi2":
		return exp(Neg(Mul(Num(k.Gamma), chi)))
	case "intersection":
		return common
	case "poly":
		power := Num(1)
		for range k.Power {
			power = Mul(power, argument)
		}
		return power
	case "sigmoid":
		return tanh(argument)
	}
	panic(fmt.Sprintf("exact: found the kernel %q, expected one of %v", k.Name, kernelNames))
}

// tanh returns tanh(z), by an exponent that is not positive.
func tanh(z Number) Number {
	e := exp(Mul(Num(-2), Abs(z)))
	t := Quo(Sub(Num(1), e), Add(Num(1), e))
	if z.Sign() < 0 {
		return Neg(t)
	}
	return t
}

// Row32 is a row as kernels take it.
func Row32(x []float64) matrix.Vector {
	value := make([]float32, len(x))
	for j, v := range x {
		value[j] = float32(v)
	}
	return matrix.Vector{Value: value}
}

// matrixOf returns the values of all pairs of rows.
func (k KernelTwin) matrixOf(x [][]float64) [][]Number {
	values := make([][]Number, len(x))
	for i := range x {
		values[i] = make([]Number, len(x))
		for j := range i + 1 {
			values[i][j] = k.Between(x[i], x[j], i, j)
			values[j][i] = values[i][j]
		}
	}
	return values
}
