package attack

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/attack/exact"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// A court holds the judges of all outputs of a problem. It is made of the problem
// and of what a model says of the rows: how they are scaled and mapped.
type court struct {
	judges  []exact.Judge
	lenient []exact.Judge // whose doubts are as large as the program's own
	members [][]int       // the rows that each output learns from
	rows    int
	kernel  *exact.KernelRows // nil: the predictors are linear
	apart   *exact.KernelRows // what rows to be compared have with those of the data
	images  [][]float64       // of the rows, where they are

	direction []float64 // of negative curvature; nil: the kernel has none
	classes   []string
	lambda    float64
}

// newCourt reads the problem as the model says it was solved, and refuses a model
// of another problem.
func newCourt(p *Problem, m *model.Model) (*court, error) {
	c := &court{rows: p.Set.Rows(), classes: m.Classes, lambda: m.Statement.Lambda}
	x, err := imagesOf(p, m)
	if err != nil {
		return nil, err
	}
	c.images = dense(x)
	if p.kernel != nil && p.Spec.Map == "" {
		twin, err := p.kernel.Shifted(m.Statement.Kernel)
		if err != nil {
			return nil, err
		}
		if c.kernel, err = exact.NewKernelRows(twin, c.images); err != nil {
			return nil, err
		}
		if c.apart = c.kernel; twin.Has("precomputed") { // a row to be compared has no shift
			if c.apart, err = exact.NewKernelRows(p.kernel.With(0), c.images); err != nil {
				return nil, err
			}
		}
		c.direction = lowest(c.kernel)
	}
	return c, c.appoint(p, m)
}

// geometry returns that of the predictors.
func (c *court) geometry(norms bool) exact.Geometry {
	if c.kernel == nil {
		return exact.LinearRows{X: c.images, Norms: norms}
	}
	g := *c.kernel
	g.Norms = norms
	return &g
}

// appoint makes the judges of all outputs.
func (c *court) appoint(p *Problem, m *model.Model) error {
	weights, err := weightsOf(p, m)
	if err != nil {
		return err
	}
	for output := range m.Outputs {
		rows, y, err := membersOf(p.Set, m, output)
		if err != nil {
			return err
		}
		s := make([]float64, len(rows))
		for k, i := range rows {
			s[k] = weights[i]
		}
		lambda := m.Statement.Lambda
		if len(rows) != len(weights) { // a pair has the same C
			lambda *= total(weights) / total(s)
		}
		for _, norms := range []bool{false, true} {
			j, err := newJudge(m.Statement, c.geometry(norms), rows, y, s, lambda)
			if err != nil {
				return err
			}
			if norms {
				c.lenient = append(c.lenient, j)
			} else {
				c.judges = append(c.judges, j)
			}
		}
		c.members = append(c.members, rows)
	}
	return nil
}

// imagesOf returns the rows that the problem is about.
func imagesOf(p *Problem, m *model.Model) (matrix.Matrix, error) {
	x := p.Set.X
	if m.Data.Precision == "" {
		x = matrix.Single(x)
	}
	if m.Scaling != nil {
		x = m.Scaling.Matrix(x)
	}
	if m.Map == nil {
		return x, nil
	}
	x, err := m.Map.Prepare(x)
	if err != nil {
		return nil, err
	}
	return featuremap.Images(context.Background(), m.Map, x, 1)
}

// newJudge makes the judge of one output.
func newJudge(s model.Statement, g exact.Geometry, rows []int, y, weights []float64, lambda float64) (exact.Judge, error) {
	loss, err := exact.NewLoss(s.Loss)
	if err != nil {
		return nil, err
	}
	penalty, err := exact.NewPenalty(s.Penalty)
	if err != nil {
		return nil, err
	}
	r := exact.NewRisk(g, loss, s.Bias, rows, y, weights)
	linear, isLinear := g.(exact.LinearRows)
	switch {
	case s.Slack != 0 || s.HardMargin:
		return &exact.Slack{Risk: r, Nu: exact.Num(s.Slack), Linear: isLinear}, nil
	case s.Radius != 0:
		return &exact.Ball{Risk: r, Radius: exact.Num(s.Radius)}, nil
	case s.Task == model.OneClass:
		return &exact.Share{Risk: r, Nu: exact.Num(s.Nu), Lambda: exact.Num(1), Task: "one-class"}, nil
	case s.Nu != 0 && loss.Margin:
		return &exact.Share{Risk: r, Nu: exact.Num(s.Nu), Lambda: exact.Num(1), Task: "classification"}, nil
	case s.Nu != 0:
		return &exact.Share{Risk: r, Nu: exact.Num(s.Nu), Lambda: exact.Num(lambda), Task: "regression"}, nil
	case !(lambda > 0) || math.IsInf(lambda, 1):
		return nil, fmt.Errorf("found lambda=%g, expected a number > 0", lambda)
	case isLinear:
		return &exact.Penalised{Risk: r, Linear: linear, Penalty: penalty, Lambda: exact.Num(lambda)}, nil
	}
	return &exact.Machine{Risk: r, Lambda: exact.Num(lambda)}, nil
}

// weightsOf returns the row weights times those of the classes that the model states.
func weightsOf(p *Problem, m *model.Model) ([]float64, error) {
	weights := make([]float64, p.Set.Rows())
	for i := range weights {
		factor := 1.0
		if m.Statement.ClassWeight != nil {
			if f, ok := m.Statement.ClassWeight[p.Set.Target.Label[p.Set.Target.Code[i]]]; ok {
				factor = f
			}
		}
		weights[i] = factor
		if p.Set.Weight != nil {
			weights[i] *= p.Set.Weight[i]
		}
		if !(weights[i] > 0) {
			return nil, fmt.Errorf("found the weight %g, expected a number > 0", weights[i])
		}
	}
	return weights, nil
}

// membersOf returns the rows of an output, and their targets.
func membersOf(set *data.Set, m *model.Model, output int) (rows []int, y []float64, err error) {
	t := set.Target
	all := exact.EveryRow(set.Rows())
	switch k := len(m.Classes); {
	case m.OneClass():
		return all, make([]float64, len(all)), nil
	case k == 0:
		return all, t.Number, nil
	case k != len(t.Label):
		return nil, nil, fmt.Errorf("found %d classes, expected %d", k, len(t.Label))
	}
	first, second := -1, output // the rest against the class
	if len(m.Classes) == 2 {
		first, second = 0, 1
	} else if m.Statement.Scheme == model.OneAgainstOne {
		first, second = pair(output, len(m.Classes))
	}
	for _, i := range all {
		class := slices.Index(m.Classes, t.Label[t.Code[i]])
		switch {
		case class < 0:
			return nil, nil, errors.New("found a label that is none of the model's classes")
		case class == second:
			rows, y = append(rows, i), append(y, 1)
		case first < 0 || class == first:
			rows, y = append(rows, i), append(y, -1)
		}
	}
	return rows, y, nil
}

// pair returns the classes of an output, in the order (0,1), (0,2), ..., (1,2), ...
func pair(output, classes int) (first, second int) {
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			if output == 0 {
				return i, j
			}
			output--
		}
	}
	return -1, -1
}

func total(weights []float64) float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	return sum
}

// predictor returns the weights of an output, one for each feature, or one for
// each row of the data.
func (c *court) predictor(m *model.Model, output int) ([]float64, error) {
	o := m.Outputs[output]
	if c.kernel == nil {
		return o.Weights, nil
	}
	if m.Support == nil || len(m.Support.Index) != len(o.Weights) {
		return nil, errors.New("found no places of the support vectors in the data")
	}
	w := make([]float64, c.rows)
	for k, i := range m.Support.Index {
		if int(i) >= c.rows {
			return nil, fmt.Errorf("found a support vector at row %d of %d", i+1, c.rows)
		}
		w[i] = o.Weights[k]
	}
	return w, nil
}

// point returns the weights and the bias that an output is judged at: with slack they are
// those of the predictor times its margin, in single precision.
func (c *court) point(m *model.Model, output int) (w []float64, bias float64, err error) {
	w, err = c.predictor(m, output)
	bias = m.Outputs[output].Bias
	margin := float64(float32(-m.Outputs[output].Certificate.Primal))
	if err != nil || m.Statement.Slack == 0 && !m.Statement.HardMargin || !(margin >= 0x1p-100 && margin <= 0x1p100) {
		return w, bias, err
	}
	scaled := make([]float64, len(w))
	for i, x := range w {
		scaled[i] = margin * x
	}
	return scaled, margin * bias, nil
}

// dual returns the dual variables of an output's rows, and the dual objective
// there; nil: none.
func (c *court) dual(m *model.Model, output int) (a []float64, value exact.Number) {
	all := m.Outputs[output].Dual
	if len(all) != c.rows {
		return nil, nil
	}
	for _, i := range c.members[output] {
		a = append(a, all[i])
	}
	return a, c.judges[output].Dual(a)
}
