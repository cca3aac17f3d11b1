package onnx

import (
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// values makes values of kernels of the rows x, N x d in double precision, and the m rows
// of a machine's support.
type values struct {
	*graph
	rows    matrix.Matrix
	columns int // d
	x       string
	support string // m x d, double precision; "": not there yet
	inner   string // x support^T; "": not there yet
}

// of returns k(x_i,s_j): N x m, or a number for all.
func (v *values) of(k kernel.Kernel) (string, error) {
	switch k := k.(type) {
	case kernel.Linear:
		return v.product(), nil
	case kernel.RBF:
		return v.exp(k.Gamma, v.op("Max", v.distance(), v.number(0))), nil
	case kernel.Poly:
		return v.op("Pow", v.affine(k.Gamma, v.product(), k.Coef0), v.number(float64(k.Degree))), nil
	case kernel.Sigmoid:
		return v.op("Tanh", v.affine(k.Gamma, v.product(), k.Coef0)), nil
	case kernel.Laplacian:
		return v.exp(k.Gamma, v.scan(func(b *graph, s string) string { return b.op("Abs", b.op("Sub", v.x, s)) })), nil
	case kernel.Chi2:
		return v.exp(k.Gamma, v.scan(v.chi2)), nil
	case kernel.Intersection:
		return v.scan(func(b *graph, s string) string { return b.op("Min", v.x, s) }), nil
	case kernel.Constant:
		return v.constant(nil, []float64{float64(k)}), nil
	case kernel.Precomputed:
		return v.looked()
	}
	how, parts := kernel.Parts(k)
	switch how {
	case kernel.HowSum, kernel.HowProduct:
		return v.join(how, parts, v.of)
	case kernel.HowNormalised:
		return v.normalised(parts[0])
	}
	return "", errRows
}

// rowsOf returns the support.
func (v *values) rowsOf() string {
	if v.support == "" {
		n, d := v.rows.Dims()
		v.support = v.cast(v.constant([]int{n, d}, dense(v.rows)), double)
	}
	return v.support
}

// product returns <x_i,s_j>.
func (v *values) product() string {
	if v.inner == "" {
		v.inner = v.op("MatMul", v.x, v.node("Transpose", []string{v.rowsOf()}, wholesAttribute("perm", []int64{1, 0})))
	}
	return v.inner
}

// distance returns |x_i - s_j|^2, up to a rounding below 0.
func (v *values) distance() string {
	n, _ := v.rows.Dims()
	squares := make([]float64, n)
	for j := range squares {
		squares[j] = kernel.SquaredNorm(v.rows.Row(j))
	}
	both := v.op("Add", v.sum(v.op("Mul", v.x, v.x)), v.row(squares))
	return v.op("Sub", both, v.op("Mul", v.number(2), v.product()))
}

// exp returns exp(-gamma distance).
func (v *values) exp(gamma float64, distance string) string {
	return v.op("Exp", v.op("Mul", distance, v.number(-gamma)))
}

// affine returns a x + b.
func (v *values) affine(a float64, x string, b float64) string {
	return v.op("Add", v.op("Mul", x, v.number(a)), v.number(b))
}

// scan returns sum_c f(x_i,s_j)_c, where of adds f of all rows and one of the support to
// the body of a loop over the support: memory does not grow with N d m.
func (v *values) scan(of func(b *graph, s string) string) string {
	b := v.body()
	s, sum := b.name(), b.name()
	_, d := v.rows.Dims()
	b.inputs = append(b.inputs, valueMessage(s, double, []dimension{{size: d}}))
	total := b.node("ReduceSum", []string{of(b, s), b.wholes(1)}, wholeAttribute("keepdims", 0))
	b.add("Identity", []string{total}, []string{sum}, nil)
	b.outputs = append(b.outputs, valueMessage(sum, double, []dimension{{name: "N"}}))
	all := v.node("Scan", []string{v.rowsOf()}, wholeAttribute("num_scan_inputs", 1), bodyAttribute("body", b))
	return v.node("Transpose", []string{all}, wholesAttribute("perm", []int64{1, 0}))
}

// chi2 is (x-s)^2/(x+s), 0 where both are.
func (v *values) chi2(b *graph, s string) string {
	apart, both := b.op("Sub", v.x, s), b.op("Add", v.x, s)
	zero := b.number(0)
	some := b.op("Where", b.op("Greater", both, zero), both, b.number(1))
	return b.op("Div", b.op("Mul", apart, apart), some)
}

// join adds or multiplies what of returns of the parts.
func (v *values) join(how string, parts []kernel.Kernel, of func(kernel.Kernel) (string, error)) (string, error) {
	op, all := map[string]string{kernel.HowSum: "Add", kernel.HowProduct: "Mul"}[how], ""
	for i, part := range parts {
		value, err := of(part)
		if err != nil {
			return "", err
		}
		if i == 0 {
			all = value
			continue
		}
		all = v.op(op, all, value)
	}
	return all, nil
}

// normalised returns k(x,s)/sqrt(k(x,x) k(s,s)), 0 where one of these is.
func (v *values) normalised(k kernel.Kernel) (string, error) {
	value, err := v.of(k)
	if err != nil {
		return "", err
	}
	own, err := v.own(k)
	if err != nil {
		return "", err
	}
	n, _ := v.rows.Dims()
	factors := make([]float64, n)
	for j := range factors {
		if ss := k.Eval(v.rows.Row(j), v.rows.Row(j)); ss >= kernel.LeastSelf {
			factors[j] = 1 / math.Sqrt(ss)
		}
	}
	none := v.op("Less", own, v.number(kernel.LeastSelf))
	factor := v.op("Where", none, v.number(0), v.op("Div", v.number(1), v.op("Sqrt", v.op("Where", none, v.number(1), own))))
	return v.op("Mul", v.op("Mul", value, factor), v.row(factors)), nil
}

// own returns k(x_i,x_i): N x 1, or a number for all.
func (v *values) own(k kernel.Kernel) (string, error) {
	switch k := k.(type) {
	case kernel.Linear:
		return v.sum(v.op("Mul", v.x, v.x)), nil
	case kernel.Poly:
		return v.op("Pow", v.affine(k.Gamma, v.sum(v.op("Mul", v.x, v.x)), k.Coef0), v.number(float64(k.Degree))), nil
	case kernel.RBF, kernel.Laplacian, kernel.Chi2:
		return v.number(1), nil
	case kernel.Intersection:
		return v.sum(v.x), nil
	case kernel.Constant:
		return v.number(float64(k)), nil
	}
	how, parts := kernel.Parts(k)
	switch how {
	case kernel.HowSum, kernel.HowProduct:
		return v.join(how, parts, v.own)
	case kernel.HowNormalised:
		own, err := v.own(parts[0])
		if err != nil {
			return "", err
		}
		return v.op("Where", v.op("Less", own, v.number(kernel.LeastSelf)), v.number(0), v.number(1)), nil
	}
	return "", errRows
}

// looked returns values of a precomputed kernel: x are those of a row with all rows of the
// training set, in their order, after a number where the training rows had one; the support
// says which of these it is.
func (v *values) looked() (string, error) {
	n, width := v.rows.Dims()
	places := make([]int64, n)
	for j := range places {
		row := v.rows.Row(j)
		if len(row.Value) == 0 || row.Column(0) != 0 || row.Value[0] < 1 {
			return "", errors.New("found a support vector without its number")
		}
		places[j] = int64(row.Value[0]) - int64(width-v.columns)
	}
	return v.node("Gather", []string{v.x, v.wholes(places...)}, wholeAttribute("axis", 1)), nil
}
