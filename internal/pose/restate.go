package pose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// Restate gives the problems that a model says it solved, with these rows.
func Restate(m *model.Model, set *data.Set, threads int) (*Problems, error) {
	y, err := Relabel(m, set)
	if err != nil {
		return nil, err
	}
	x := set.X
	if m.Scaling != nil {
		x = m.Scaling.Matrix(x)
	}
	k, err := KernelOf(m)
	if err != nil {
		return nil, err
	}
	if m.Map != nil {
		if x, err = restateImages(m, k, x, threads); err != nil {
			return nil, err
		}
		k = nil
	}
	s, err := NewProblems(m.Statement, CustomOf(m), y, OrOnes(y.Weights(set.Weight), set.Rows()), k, x, gram.Options{Threads: threads})
	if err != nil {
		return nil, err
	}
	if f, ok := s.Family.(MachineFamily); ok {
		if err := f.supports(m); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Relabel reads the targets of set as the classes of m.
func Relabel(m *model.Model, set *data.Set) (*Labels, error) {
	if m.OneClass() {
		return oneClassLabels(set.Rows()), nil
	}
	if m.Classes == nil {
		if set.Target.Number == nil {
			return nil, fmt.Errorf("the targets are not numbers (one is %q)", set.Target.Label[0])
		}
		if err := CheckTargets(m, set.Target); err != nil {
			return nil, err
		}
		y, err := NumbersOf(set.Target, m.Statement.TargetLog)
		if err == nil {
			y.Joint = m.IsJoint()
		}
		return y, err
	}
	y := &Labels{Classes: m.Classes, Class: make([]uint32, set.Rows()), Pairs: m.Statement.Scheme == model.OneAgainstOne, ByClass: m.Support != nil, Joint: m.IsJoint()}
	for i, c := range MatchClasses(m.Classes, set.Target) {
		if c < 0 {
			return nil, fmt.Errorf("row %d has a label that is not among the model's classes", i+1)
		}
		y.Class[i] = uint32(c)
	}
	if m.Statement.ClassWeight == nil {
		return y, nil
	}
	return y, y.SetFactors(m.Statement.ClassWeight, false, nil)
}

// restateImages returns the images of the rows of x by the map that a model
// states. It is made anew: nothing but its landmarks, which must be the same, is
// taken from the model.
func restateImages(m *model.Model, k kernel.Kernel, x matrix.Matrix, threads int) (matrix.Matrix, error) {
	made, images, err := Image(context.Background(), m.Statement.Map, k, x, m.Statement.Seed, threads)
	if err != nil {
		return nil, err
	}
	stated, _ := m.Map.Dims()
	if cols, _ := made.Dims(); stated != cols {
		return nil, fmt.Errorf("found a map of rows of %d columns, expected %d", stated, cols)
	}
	claimed, found := m.Map.Landmarks(), made.Landmarks()
	if claimed == nil || found == nil {
		return images, nil
	}
	n, _ := claimed.Dims()
	if rows, _ := found.Dims(); rows != n {
		return nil, fmt.Errorf("found %d landmarks, the map %s with the seed %d has %d", n, m.Statement.Map, m.Statement.Seed, rows)
	}
	for i := range n {
		if !sameRow(claimed.Row(i), found.Row(i), func(a, b float32) bool { return a == b }) {
			return nil, fmt.Errorf("landmark %d is not that of the map %s with the seed %d", i+1, m.Statement.Map, m.Statement.Seed)
		}
	}
	return images, nil
}

// KernelOf returns the kernel that a model states, or has if no other program
// knows it; nil: it is linear.
func KernelOf(m *model.Model) (kernel.Kernel, error) {
	var used kernel.Kernel
	switch n, lowRank := m.Map.(*featuremap.Nystrom); {
	case m.Support != nil:
		used = m.Support.Kernel
	case lowRank:
		used = n.Kernel
	case m.Map == nil:
		return nil, nil
	}
	if _, custom := used.(kernel.Func); custom {
		return used, nil
	}
	return kernel.New(m.Statement.Kernel)
}

// CustomOf returns what of a model's statement is. A value beside a registered name would
// change what the name means.
func CustomOf(m *model.Model) Custom {
	o := Custom{m.CustomLoss, m.CustomPenalty}
	if !strings.HasPrefix(m.Statement.Loss, model.Foreign) {
		o.Loss = nil
	}
	if !strings.HasPrefix(m.Statement.Penalty, model.Foreign) {
		o.Penalty = nil
	}
	return o
}

// Replace gives a model predictors found elsewhere, for Verify to judge: weights are outputs x
// features, of a kernel machine outputs x rows of the set that it was trained on; biases one for
// each output.
func Replace(m *model.Model, set *data.Set, weights, bias []float64, threads int) error {
	k, d := len(m.Outputs), m.Cols()
	if m.Support != nil {
		d = set.Rows()
	}
	if m.Map != nil || m.Network != nil || len(weights) != k*d || len(bias) != k {
		return fmt.Errorf("found %d weights and %d biases, expected a model without map or hidden layers, of %d predictors and %d weights each", len(weights), len(bias), k, d)
	}
	if m.Support == nil {
		for c := range m.Outputs {
			m.Outputs[c].Weights, m.Outputs[c].Bias = weights[c*d:(c+1)*d], bias[c]
		}
		return nil
	}
	problems, err := Restate(m, set, threads)
	if err != nil {
		return err
	}
	points := make([]problem.Point, k)
	for c := range points {
		points[c].W = append(slices.Clone(weights[c*d:(c+1)*d]), bias[c])
	}
	problems.Store(m, points)
	return nil
}
