package pose

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/gram"
	kernelsolver "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// MachineFamily is that of kernel machines. All outputs share one matrix of the
// kernel, and so are trained one after another.
type MachineFamily struct{ Gram *gram.Gram }

// NewMachineFamily makes the matrix that a kernel makes of the rows of x.
func NewMachineFamily(k kernel.Kernel, x matrix.Matrix, opt gram.Options) (MachineFamily, error) {
	var err error
	if x, err = kernel.Prepare(k, x, 0); err != nil {
		return MachineFamily{}, DataError{err.Error()}
	}
	gram, err := gram.NewGram(k, x, opt)
	return MachineFamily{gram}, err
}

// part is the family of some of the rows. What it needs of the kernel counts for
// the whole.
func (f MachineFamily) part(rows []uint32) (MachineFamily, error) {
	places := make([]int, len(rows))
	for k, i := range rows {
		places[k] = int(i)
	}
	gram, err := f.Gram.Part(places)
	return MachineFamily{gram}, err
}

// DefaultsGamma reports whether gamma is 1/features, as in LIBSVM, where the
// kernel of that name is given without parameters.
func DefaultsGamma(name string) bool {
	return name == "rbf" || name == "poly" || name == "sigmoid"
}

// GammaScale is the gamma that the rows decide, as in scikit-learn: one over the features times the
// variance of all values, scaled as they are.
const GammaScale = "gamma=scale"

// CompleteKernel writes out the gamma that depends on the data, and that the shift of a
// precomputed matrix does.
func CompleteKernel(spec string, features int) string {
	switch {
	case DefaultsGamma(spec):
		spec += ":gamma=auto"
	case spec == "precomputed":
		spec = "precomputed:shift=auto"
	}
	gamma := strconv.FormatFloat(1/float64(max(1, features)), 'g', -1, 64)
	return strings.ReplaceAll(spec, "gamma=auto", "gamma="+gamma)
}

func (f MachineFamily) problem(t Terms, y, weights []float64, lambda float64) (problem.Problem, *problem.Risk, error) {
	switch {
	case t.Radius != 0:
		p, err := problem.NewNormConstrained(f.Gram, y, weights, t.Loss, t.Radius, t.bias)
		if err != nil {
			return nil, nil, err
		}
		return p, &p.Risk, nil
	case t.Nu != 0:
		return f.share(t, y, weights, lambda)
	case t.Margin():
		p, err := problem.NewSlack(f.Gram, y, t.Slack, t.bias)
		if err == nil && !t.Hard {
			err = p.Weigh(weights)
		}
		if err != nil {
			return nil, nil, err
		}
		return p, &p.Risk, nil
	}
	p, err := problem.NewKernel(f.Gram, y, weights, t.Loss, lambda, t.bias)
	if err != nil {
		return nil, nil, err
	}
	return p, &p.Risk, nil
}

func (MachineFamily) Solver(name string) (solver.Solver, error) { return kernelsolver.New(name) }

// Choose takes the fastest solver. For an indefinite kernel no duality gap is known, and it takes a solver
// that stops when no step lowers the objective.
func (f MachineFamily) Choose(p problem.Problem, gap float64) (name, why string) {
	switch p := p.(type) {
	case *problem.NormConstrained:
		if (kernelsolver.Root{}).Accepts(p) == nil {
			return "root", "the C whose machine has that norm"
		}
		return "sgd", "the one for bounded norms of kernels that are not positive semidefinite"
	case *problem.Slack:
		if (dual.HardMargin{}).Accepts(p) == nil {
			return "hard-margin", "the one for no slack"
		}
		if (kernelsolver.Root{}).Accepts(p) == nil {
			return "root", "the C whose machine has that slack"
		}
		return "sbp", "the one for slack of kernels that are not positive semidefinite"
	case *problem.Nu:
		return "nu", "the one for nu"
	case *problem.Kernel:
		if !loss.IsConvex(p.Loss) {
			return "ramp", "the one for its loss, which is not convex"
		}
		if s := (dual.SMO{}); f.Gram.Definite() || s.Accepts(p) != nil {
			return kernelsolver.Choose(p, gap)
		}
	}
	return "smo", "it ends with a kernel that is not positive definite"
}

// Store keeps the rows that have a coefficient in any output.
func (f MachineFamily) Store(m *model.Model, points []problem.Point) {
	index := []uint32{}
	for i := range f.Gram.Len() {
		if slices.ContainsFunc(points, func(p problem.Point) bool { return p.W[i] != 0 }) {
			index = append(index, uint32(i))
		}
	}
	m.Support = &model.Support{Kernel: f.Gram.Kernel, Rows: KeptRows(f.Gram.Kernel, f.Gram.X, index), Index: index}
	for c, p := range points {
		w := make([]float64, len(index))
		for j, i := range index {
			w[j] = p.W[i]
		}
		m.Outputs[c].Weights, m.Outputs[c].Bias = w, p.W[len(p.W)-1]
	}
}

// KeptRows returns what a model keeps of rows: of a precomputed matrix only their
// numbers, as the values stand in the rows that are to be compared with them.
func KeptRows(k kernel.Kernel, x matrix.Matrix, index []uint32) matrix.Matrix {
	if _, ok := k.(kernel.Precomputed); !ok {
		return matrix.Gather(x, index)
	}
	_, cols := x.Dims()
	numbers := &matrix.CSR{Cols: cols, Start: []int64{0}, Index: []uint32{}, Value: []float32{}}
	for _, i := range index {
		numbers.Append([]uint32{0}, x.Row(int(i)).Value[:1])
	}
	return numbers
}

func (f MachineFamily) Weights(m *model.Model, c int) []float64 {
	w := make([]float64, f.Gram.Len()+1)
	for j, i := range m.Support.Index {
		w[i] = m.Outputs[c].Weights[j]
	}
	w[f.Gram.Len()] = m.Outputs[c].Bias
	return w
}

func (f MachineFamily) Predict(dst, w []float64) {
	n := f.Gram.Len()
	f.Gram.Combine(dst, w[:n])
	for i := range dst {
		dst[i] += w[n]
	}
}

// supports says which support vector of a model is not the row it claims to be.
func (f MachineFamily) supports(m *model.Model) error {
	if n := f.Gram.Len(); len(m.Support.Index) != m.Support.Len() || n != m.Data.Rows {
		return fmt.Errorf("found the places of %d support vectors in %d rows, expected %d in %d", len(m.Support.Index), n, m.Support.Len(), m.Data.Rows)
	}
	rows := KeptRows(f.Gram.Kernel, f.Gram.X, m.Support.Index)
	if _, cols := rows.Dims(); m.Support.Cols() != cols {
		return fmt.Errorf("found support vectors of %d columns, expected %d", m.Support.Cols(), cols)
	}
	for j, i := range m.Support.Index {
		if !sameRow(m.Support.Rows.Row(j), rows.Row(j), func(a, b float32) bool { return a == b }) {
			return fmt.Errorf("support vector %d is not row %d of the data", j+1, i+1)
		}
	}
	return nil
}

// sameRow reports whether two rows have the same values, however stored.
func sameRow(x, y matrix.Vector, same func(a, b float32) bool) bool {
	for i, j := 0, 0; ; i, j = i+1, j+1 {
		for i < len(x.Value) && x.Value[i] == 0 {
			i++
		}
		for j < len(y.Value) && y.Value[j] == 0 {
			j++
		}
		switch {
		case i == len(x.Value) || j == len(y.Value):
			return i == len(x.Value) && j == len(y.Value)
		case x.Column(i) != y.Column(j) || !same(x.Value[i], y.Value[j]):
			return false
		}
	}
}

// doubt says why nothing is proved with the kernel.
func (f MachineFamily) doubt() string {
	err := f.Gram.Doubt()
	if errors.Is(err, gram.ErrIndefinite) {
		const sample = 300
		curvature, _ := gram.Check(f.Gram.Kernel, f.Gram.X, sample)
		err = fmt.Errorf("%w: the smallest eigenvalue of its matrix of %d rows is %.3g", err, min(sample, f.Gram.Len()), curvature)
	}
	return err.Error()
}

// OneClass is the task of telling rows like those of the data from outliers.
const OneClass = model.OneClass

// ShareLosses are those of machines with nu: the margin or the tube's width, which
// is what nu stands instead of, is no part of them.
var ShareLosses = map[string]string{"classification": "hinge", "regression": "epsilon-insensitive", OneClass: "hinge"}

// CheckShares refuses a nu that is too large for the classes of an output: on either
// side there must be rows enough for half of it.
func (l *Labels) CheckShares(nu float64, weights []float64) error {
	of := make([]float64, len(l.Classes))
	for i, c := range l.Class {
		of[c] += weights[i]
	}
	for c := range l.Outputs() {
		i, j := len(of)-1, -1 // the second of two classes
		if l.Outputs() > 1 {
			i = c
		}
		all := Sum(of)
		if l.Pairs && len(of) > 2 {
			i, j = model.Pair(c, len(of))
			all = of[i] + of[j]
		}
		if most := 2 * min(of[i], all-of[i]) / all; nu > most {
			against := "the other classes"
			if j >= 0 {
				against = fmt.Sprintf("%q", l.Classes[j])
			} else if len(of) == 2 {
				against = fmt.Sprintf("%q", l.Classes[0])
			}
			return fmt.Errorf("nu=%g: expected at most %.6g, twice the share of the smaller side: class %q has %g rows, %s %g", nu, most, l.Classes[i], of[i], against, all-of[i])
		}
	}
	return nil
}

// share states the problem of a machine with nu. What other problems know of losses
// is filled in for it as far as it goes.
func (f MachineFamily) share(t Terms, y, weights []float64, lambda float64) (problem.Problem, *problem.Risk, error) {
	var p *problem.Nu
	var err error
	_, margin := t.Loss.(loss.Margin)
	switch {
	case t.OneClass:
		p, err = problem.NewOneClass(f.Gram, weights, t.Nu)
	case margin:
		p, err = problem.NewNuClassification(f.Gram, y, weights, t.Nu)
	default:
		p, err = problem.NewNuRegression(f.Gram, y, weights, t.Nu, lambda)
	}
	if err != nil {
		return nil, nil, err
	}
	return p, &problem.Risk{Y: y, S: p.S, N: p.N, Loss: t.Loss, Lambda: p.Lambda, Bias: problem.Free}, nil
}
