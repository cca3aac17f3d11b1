package fenchel

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A start makes the points at which the solvers of a job begin out of a model, Spec.From.
//
//	weights    of a linear model as they are, for features as the job scales them;
//	           coefficients of a kernel machine on the rows that the support vectors are
//	dual       the model's own where the rows are those that it was made of; else the
//	           slope of the loss at the predictions, or what the coefficients say; of the
//	           model's C, from which the solvers of machines go on to another
//
// Solvers and certificates move what another problem does not allow into what it does:
// a start decides how long a run takes, never what is proved.
type start struct {
	*job
	model *model.Model
	same  bool // the rows are those that the model was made of

	output  []int     // output of the model for each output of the job
	sign    []float64 // -1: its classes are the other way round
	place   []int     // the row that each support vector is; -1: none
	dropped int       // support vectors that are none
}

// newStart says why no run can begin at the model; nil: none was given.
func newStart(j *job, digest *set.Digesting) (*start, error) {
	m := j.spec.From
	if m == nil {
		return nil, nil
	}
	s := &start{job: j, model: m}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("the model to begin with does not fit: %w", err)
	}
	if err := s.pair(); err != nil {
		return nil, fmt.Errorf("the model to begin with does not fit: %w", err)
	}
	if s.problems.Network() && (!reflect.DeepEqual(m.Scaling, j.scaling) || !slices.Equal(m.Classes, j.labels.Classes)) {
		return nil, errors.New("the model to begin with does not fit: it scales features otherwise, or spells its classes otherwise: expected a network of the same rows, or one that was trained with 'scale=none'")
	}
	s.same = m.Data.Rows == j.set.Rows() && m.Data.Digest == digest.Wait()
	if f, ok := j.problems.Family.(pose.MachineFamily); ok {
		return s, s.match(f)
	}
	return s, nil
}

// check refuses a model of other features, or of another kind.
func (s *start) check() error {
	m, j := s.model, s.job
	found, expected := form(m.Statement), form(j.statement())
	if !sameKernel(m.Statement.Kernel, j.spec.Kernel) || m.Statement.Map != j.spec.Map || len(m.Statement.Hidden)+len(j.spec.Hidden) > 0 && found != expected {
		return fmt.Errorf("found %s, expected %s", found, expected)
	}
	if m.Map != nil {
		if seed := m.Statement.Seed; seed != j.spec.Seed {
			return fmt.Errorf("its map was drawn with the seed %d, expected %d", seed, j.spec.Seed)
		}
		_, has := m.Map.Dims()
		if _, needs := j.mapped.Dims(); has != needs {
			return fmt.Errorf("its map makes %s, expected %d", registry.Count(has, "feature"), needs)
		}
	}
	if m.Features != nil && j.set.Feature != nil {
		for k, name := range m.Features[:min(len(m.Features), len(j.set.Feature))] {
			if name != j.set.Feature[k] {
				return fmt.Errorf("its feature %d is %q, that of the data %q", k+1, name, j.set.Feature[k])
			}
		}
	}
	if has, needs := m.Cols(), j.set.Cols(); has != needs && !s.numbered() {
		return fmt.Errorf("it has %s, the data have %d", registry.Count(has, "feature"), needs)
	}
	return nil
}

// numbered reports whether features are known by numbers of which some may not occur. To
// match rows with support vectors each of them is scaled, by as many numbers.
func (s *start) numbered() bool {
	m, set := s.model, s.set
	named := set.Schema != nil || m.Schema != nil || set.Feature != nil || m.Features != nil
	return !matrix.IsDense(set.X) && !named && m.Map == nil && (m.Support == nil || m.Scaling == nil)
}

// form says in words what kind of model a statement is about.
func form(s model.Statement) string {
	switch {
	case len(s.Hidden) > 0:
		return fmt.Sprintf("a network of the hidden layers %v, %s", s.Hidden, network.ActivationOf(s.Activation))
	case s.Map != "":
		return fmt.Sprintf("a linear model of the map %s of the kernel %s", s.Map, s.Kernel)
	case s.Kernel != "":
		return "a machine of the kernel " + s.Kernel
	}
	return "a linear model without kernel"
}

// sameKernel reports whether two specs mean the same kernel, but for the shift of a
// precomputed one.
func sameKernel(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := kernel.New(a)
	y, errY := kernel.New(b)
	if a == "" || b == "" || errX != nil || errY != nil {
		return false
	}
	if _, ok := x.(kernel.Precomputed); ok {
		_, ok = y.(kernel.Precomputed)
		return ok
	}
	return reflect.DeepEqual(x, y)
}

// pair finds for each output that of the model for the same classes.
func (s *start) pair() error {
	if s.labels.Names != nil || s.model.Statement.Targets != nil {
		return s.pairTargets()
	}
	have, want := s.model.Classes, s.labels.Classes
	if (have == nil) != (want == nil) || s.model.OneClass() != (s.spec.Task == pose.OneClass) {
		return fmt.Errorf("it is for %s, the task is %s", taskOf(s.model), s.spec.Task)
	}
	if scheme := s.statement().Scheme; s.model.Statement.Scheme != scheme && (len(have) > 2 || s.labels.Joint || s.model.IsJoint()) {
		return fmt.Errorf("it tells classes apart otherwise: expected the scheme %s", cmp.Or(scheme, pose.Schemes()[0]))
	}
	place := make([]int, len(want))
	for c, label := range want {
		place[c] = slices.IndexFunc(have, func(l string) bool { return set.SameLabel(l, label) })
	}
	if len(have) != len(want) || slices.Contains(place, -1) {
		return fmt.Errorf("it has the classes %q, the data have %q", have, want)
	}
	outputs := s.labels.Outputs()
	if s.labels.Joint {
		outputs = len(want)
	}
	s.output, s.sign = make([]int, outputs), slices.Repeat([]float64{1}, outputs)
	of := map[[2]int]int{}
	if s.labels.Pairs {
		for c := range outputs {
			i, j := model.Pair(c, len(have))
			of[[2]int{i, j}] = c
		}
	}
	for c := range outputs {
		switch {
		case s.labels.Joint:
			s.output[c] = place[c]
		case len(want) == 2 && place[0] > place[1]:
			s.sign[c] = -1
		case len(want) <= 2:
		case !s.labels.Pairs:
			s.output[c] = place[c]
		default:
			i, j := model.Pair(c, len(want))
			if i, j = place[i], place[j]; i > j {
				i, j, s.sign[c] = j, i, -1
			}
			s.output[c] = of[[2]int{i, j}]
		}
	}
	return nil
}

// pairTargets is pair for several targets, by their names.
func (s *start) pairTargets() error {
	have, want := pose.TargetNames(s.model), s.labels.Names
	for _, name := range want {
		s.output, s.sign = append(s.output, slices.Index(have, name)), append(s.sign, 1)
	}
	if len(have) != len(want) || slices.Contains(s.output, -1) || s.model.Classes != nil {
		return fmt.Errorf("it predicts the targets %q, the data have %q", have, want)
	}
	return nil
}

// match finds the rows that the support vectors are, as the model scales rows.
func (s *start) match(f pose.MachineFamily) error {
	m := s.model
	if s.same && len(m.Support.Index) == m.Support.Len() {
		for _, i := range m.Support.Index {
			s.place = append(s.place, int(i))
		}
		return nil
	}
	x := f.Gram.X
	if m.Scaling != nil || s.scaling != nil {
		x = s.set.X
		if m.Scaling != nil {
			x = m.Scaling.Matrix(x)
		}
		var err error
		if x, err = kernel.Prepare(m.Support.Kernel, x, 0); err != nil {
			return pose.DataError{Reason: err.Error()}
		}
	}
	class := s.labels.Class
	if m.Classes != nil && !m.OneClass() && !slices.Equal(m.Classes, s.labels.Classes) {
		known, own := pose.MatchClasses(m.Classes, s.set.Target), make([]uint32, len(class))
		for i, c := range known {
			own[i] = uint32(c)
		}
		class = own
	}
	s.place = pose.MatchSupport(m, x, class)
	for _, i := range s.place {
		if i < 0 {
			s.dropped++
		}
	}
	return nil
}

// warning says what of the model was of no use; nil: nothing.
func (s *start) warning() error {
	if s == nil || s.dropped == 0 {
		return nil
	}
	return fmt.Errorf("%d of the %d support vectors to begin with are not among the rows: training begins without them", s.dropped, len(s.place))
}

// point is where the run of output c begins: a point of the rows of its problem, and how many
// times as large C is as it was for the model.
func (s *start) point(c int, p pose.Objective) (*problem.Point, float64) {
	if s == nil {
		return nil, 0
	}
	growth := pose.FiniteOr(s.model.Statement.Lambda/s.problems.Lambda*(float64(s.model.Data.Rows)/float64(s.set.Rows())), 0)
	switch was, is := s.model.Statement.Nu, s.spec.Nu; {
	case is > was: // more rows must find their place than a start saves
		return nil, 0
	case is > 0 && is < was:
		growth = solver.Far
	case is != was:
		growth = 0
	}
	if s.problems.Network() {
		return &problem.Point{W: s.problems.WeightsOf(s.model, 0)}, growth
	}
	if s.labels.Joint {
		return s.jointPoint(p), growth
	}
	w := s.outputWeights(c, p)
	o, sign := s.model.Outputs[s.output[c]], s.sign[c]
	point := p.Restrict(problem.Point{W: w, A: s.dual(o, sign, p, w, growth)})
	return &point, growth
}

// outputWeights returns the weights of an output, of all rows, and the bias.
func (s *start) outputWeights(c int, p pose.Objective) (w []float64) {
	o, sign := s.model.Outputs[s.output[c]], s.sign[c]
	if machine, ok := s.problems.Family.(pose.MachineFamily); ok {
		w = make([]float64, machine.Gram.Len()+1)
		for v, beta := range o.Weights {
			if i := s.place[v]; i >= 0 {
				w[i] += sign * beta
			}
		}
		w[len(w)-1] = sign * o.Bias
	} else {
		w = s.linear(s.output[c], sign)
	}
	if p.Bias == problem.None {
		w[len(w)-1] = 0
	}
	return w
}

// dual returns dual variables of all rows.
func (s *start) dual(o model.Output, sign float64, p pose.Objective, w []float64, growth float64) []float64 {
	_, machine := p.Problem.(*problem.Kernel)
	if s.same && len(o.Dual) == s.set.Rows() && (!machine || growth > 0) {
		a := slices.Clone(o.Dual)
		for i := range a {
			a[i] *= sign
		}
		return a
	}
	if !machine {
		return p.Derivatives(w)
	}
	return p.DualOf(w, cmp.Or(growth, 1))
}

// linear returns weights, and the bias, of features as the job has them.
func (s *start) linear(output int, sign float64) []float64 {
	family := s.first.Family.(pose.LinearFamily)
	d := family.Cols()
	w, offsets := make([]float64, d+1), s.set.Schema.Offsets()
	o := s.model.Outputs[output]
	weights, bias := o.Weights, o.Bias
	same := reflect.DeepEqual(s.model.Scaling, s.scaling) && slices.Equal(s.model.Schema.Offsets(), offsets) && slices.Equal(s.model.Schema.Factors(), s.set.Schema.Factors())
	if same = same || s.mapped != nil; !same {
		weights, bias = s.model.Original(output)
	}
	copy(w[:d], weights)
	if w[d] = bias; !same {
		adapt(w, s.set.Schema, s.scaling)
	}
	for j := range w {
		w[j] *= sign
	}
	return family.Point(w)
}

// adapt turns weights, and the bias, of features as the data have them into those of features
// as a schema has them stored, and then scaled, that predict the same; nil: not scaled.
func adapt(w []float64, s *data.Schema, to *data.Scaling) {
	d := len(w) - 1
	for j, offset := range s.Offsets() {
		w[d] += float64(w[j] * offset)
	}
	for j, f := range s.Factors() {
		w[j] /= f
	}
	for j := range w[:d] {
		factor := 1.0
		if to != nil {
			w[d] += float64(w[j] * to.Offset[j])
			factor = to.Factor[j]
		}
		w[j] = pose.FiniteOr(w[j]/factor, 0)
	}
	w[d] = pose.FiniteOr(w[d], 0)
}

// jointPoint is where a run on all classes begins.
func (s *start) jointPoint(p pose.Objective) *problem.Point {
	parts, duals := make([][]float64, len(s.output)), make([][]float64, len(s.output))
	own := s.same
	for c, from := range s.output {
		parts[c], duals[c] = s.outputWeights(c, p), s.model.Outputs[from].Dual
		own = own && len(duals[c]) == s.set.Rows()
	}
	point := &problem.Point{W: pose.Join(parts)}
	if own {
		point.A = pose.Join(duals)
	} else {
		point.A = p.JointDerivatives(point.W)
	}
	return point
}
