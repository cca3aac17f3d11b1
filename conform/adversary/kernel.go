package adversary

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A kernelTwin is a kernel written down again, as a tree: a name with its
// parameters, or a sum, product or normalised kernel of parts.
type kernelTwin struct {
	name  string // of a leaf; or "sum", "product", "normalised", "constant"
	gamma float64
	coef0 float64 // the number of a constant
	power int     // degree, or symbols of a substring
	shift float64 // of a precomputed matrix: added to its diagonal
	parts []kernelTwin
}

// kernelNames has all kernels that have a twin. Substrings and subtrees in common are
// counted by the kernel itself: these are whole numbers.
var kernelNames = []string{"linear", "rbf", "poly", "sigmoid", "laplacian", "chi2", "intersection", "precomputed", "spectrum", "mismatch", "ssk", "wl", "random-walk"}

// spec spells the kernel as kernel.New reads it.
func (k kernelTwin) spec() string {
	parts := make([]string, len(k.parts))
	for i, p := range k.parts {
		parts[i] = p.spec()
	}
	switch k.name {
	case "sum":
		return "(" + strings.Join(parts, "+") + ")"
	case "product":
		return "(" + strings.Join(parts, "*") + ")"
	case "normalised":
		return "normalised(" + parts[0] + ")"
	case "constant":
		return fmt.Sprint(k.coef0)
	case "rbf", "laplacian", "chi2":
		return fmt.Sprintf("%s:gamma=%g", k.name, k.gamma)
	case "poly":
		return fmt.Sprintf("poly:degree=%d,gamma=%g,coef0=%g", k.power, k.gamma, k.coef0)
	case "sigmoid":
		return fmt.Sprintf("sigmoid:gamma=%g,coef0=%g", k.gamma, k.coef0)
	case "spectrum", "ssk":
		return fmt.Sprintf("%s:p=%d", k.name, k.power)
	case "mismatch": // of the letters that strings have
		return fmt.Sprintf("mismatch:p=%d,m=1,alphabet=4", k.power)
	case "wl":
		return fmt.Sprintf("wl:h=%d", k.power)
	case "random-walk":
		return fmt.Sprintf("random-walk:lambda=%g", k.gamma)
	}
	return k.name
}

// has reports whether a part has that name.
func (k kernelTwin) has(names ...string) bool {
	for _, name := range names {
		if k.name == name {
			return true
		}
	}
	for _, p := range k.parts {
		if p.has(names...) {
			return true
		}
	}
	return false
}

// shifted is the kernel with the shift of precomputed values that a spec states.
func (k kernelTwin) shifted(spec string) (kernelTwin, error) {
	found := shift.FindStringSubmatch(spec)
	if found == nil {
		return k, nil
	}
	value, err := strconv.ParseFloat(found[1], 64)
	return k.with(value), err
}

var shift = regexp.MustCompile(`precomputed:shift=([0-9.]+(?:[eE][-+]?[0-9]+)?)`)

// with puts a shift into all precomputed parts.
func (k kernelTwin) with(shift float64) kernelTwin {
	k.shift = shift
	parts := make([]kernelTwin, len(k.parts))
	for i, p := range k.parts {
		parts[i] = p.with(shift)
	}
	k.parts = parts
	return k
}

// isIndefinite reports whether no theorem makes the kernel an inner product.
func (k kernelTwin) isIndefinite() bool {
	return k.has("sigmoid", "precomputed") || k.name == "poly" && k.coef0 < 0 || slicesAny(k.parts, kernelTwin.isIndefinite)
}

func slicesAny[T any](of []T, is func(T) bool) bool {
	for _, x := range of {
		if is(x) {
			return true
		}
	}
	return false
}

// between returns k(x,y) of two rows, numbered from 0.
func (k kernelTwin) between(x, y []float64, i, j int) number {
	switch k.name {
	case "sum", "product":
		total := k.parts[0].between(x, y, i, j)
		for _, p := range k.parts[1:] {
			if v := p.between(x, y, i, j); k.name == "sum" {
				total = add(total, v)
			} else {
				total = mul(total, v)
			}
		}
		return total
	case "normalised":
		return k.parts[0].cosine(x, y, i, j)
	case "constant":
		return num(k.coef0)
	case "precomputed":
		value := precomputedAt(x, y, i, j)
		if i == j {
			value += k.shift
		}
		return num(value)
	case "ssk":
		return subsequences(symbols(x), symbols(y), k.power)
	case "random-walk":
		return walks(x, y, k.gamma)
	case "spectrum", "mismatch", "wl":
		used, err := kernel.New(k.spec())
		if err != nil {
			panic(err) // the generator made the spec
		}
		return num(used.Eval(row32(x), row32(y)))
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
func (k kernelTwin) cosine(x, y []float64, i, j int) number {
	self := func(x []float64) float64 {
		used, err := kernel.New(k.spec())
		if err != nil {
			panic(err)
		}
		return used.Eval(row32(x), row32(x))
	}
	xx, yy := self(x), self(y)
	if xx < 0x1p-700 || yy < 0x1p-700 || math.IsInf(xx, 0) || math.IsInf(yy, 0) {
		return zero()
	}
	return quo(k.between(x, y, i, j), mul(sqrt(num(xx)), sqrt(num(yy))))
}

// ofRows is between for the kernels that are a formula of the rows.
func (k kernelTwin) ofRows(x, y []float64) number {
	inner, squared, taxicab, chi, common := zero(), zero(), zero(), zero(), zero()
	for c := range x {
		a, b := num(x[c]), num(y[c])
		inner = add(inner, mul(a, b))
		d := sub(a, b)
		squared = add(squared, square(d))
		taxicab = add(taxicab, abs(d))
		if s := add(a, b); s.Sign() > 0 {
			chi = add(chi, quo(square(d), s))
		}
		common = add(common, least(a, b))
	}
	argument := add(mul(num(k.gamma), inner), num(k.coef0))
	switch k.name {
	case "linear":
		return inner
	case "rbf":
		return exp(neg(mul(num(k.gamma), squared)))
	case "laplacian":
		return exp(neg(mul(num(k.gamma), taxicab)))
	case "chi2":
		return exp(neg(mul(num(k.gamma), chi)))
	case "intersection":
		return common
	case "poly":
		power := num(1)
		for range k.power {
			power = mul(power, argument)
		}
		return power
	case "sigmoid":
		return tanh(argument)
	}
	panic(fmt.Sprintf("adversary: found the kernel %q, expected one of %v", k.name, kernelNames))
}

// tanh returns tanh(z), by an exponent that is not positive.
func tanh(z number) number {
	e := exp(mul(num(-2), abs(z)))
	t := quo(sub(num(1), e), add(num(1), e))
	if z.Sign() < 0 {
		return neg(t)
	}
	return t
}

// row32 is a row as kernels take it.
func row32(x []float64) matrix.Vector {
	value := make([]float32, len(x))
	for j, v := range x {
		value[j] = float32(v)
	}
	return matrix.Vector{Value: value}
}

// matrixOf returns the values of all pairs of rows.
func (k kernelTwin) matrixOf(x [][]float64) [][]number {
	values := make([][]number, len(x))
	for i := range x {
		values[i] = make([]number, len(x))
		for j := range i + 1 {
			values[i][j] = k.between(x[i], x[j], i, j)
			values[j][i] = values[i][j]
		}
	}
	return values
}
