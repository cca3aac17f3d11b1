package model

import (
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/safetensors"
	"github.com/fenchel-ml/fenchel/loss"
)

// packOnePass adds what a run goes on from to tensors.
func (m *Model) packOnePass(tensors map[string]safetensors.Tensor) {
	s := m.OnePass
	if s == nil {
		return
	}
	shape := []int{len(s.Index)}
	tensors["state.indices"] = safetensors.Tensor{Shape: shape, Value: s.Index}
	tensors["state.squares"] = safetensors.Tensor{Shape: shape, Value: s.Squares}
	tensors["state.scale"] = safetensors.Tensor{Shape: shape, Value: s.Scale}
}

// restoreOnePass takes it out again, and refuses what no run could have come to. Nothing is proved of such a model.
func (m *Model) restoreOnePass(tensors map[string]safetensors.Tensor) error {
	s := m.OnePass
	if s == nil {
		return nil
	}
	var known [3]bool
	s.Index, known[0] = tensors["state.indices"].Value.([]uint32)
	s.Squares, known[1] = tensors["state.squares"].Value.([]float64)
	s.Scale, known[2] = tensors["state.scale"].Value.([]float32)
	if known != [3]bool{true, true, true} {
		return fmt.Errorf("found the state of one pass of the types %s, %s and %s, expected U32, F64 and F32", tensors["state.indices"].DType(), tensors["state.squares"].DType(), tensors["state.scale"].DType())
	}
	switch p := m.Statement; {
	case !m.IsLinear() || len(m.Outputs) != 1 || m.Scaling != nil || m.Outputs[0].Dual != nil || m.Sparse != nil:
		return errors.New("found the state of one pass, expected a linear model of two classes or of a number, neither scaled nor with dual variables")
	case p.Penalty != "l2" || p.Lambda != 0 || p.Radius != 0 || p.Slack != 0 || p.HardMargin || p.Nu != 0 || p.Bias != "feature" || p.ClassWeight != nil || p.TargetLog || p.Gap != 0:
		return fmt.Errorf("found the penalty %s, lambda %g and the bias %s of one pass, expected no problem: penalty l2 with lambda 0, bias feature", p.Penalty, p.Lambda, p.Bias)
	case s.All.Rows != int64(m.Data.Rows):
		return fmt.Errorf("found the state of %d rows, expected %d", s.All.Rows, m.Data.Rows)
	}
	for _, x := range []Bound{m.Outputs[0].Certificate.Primal, m.Outputs[0].Certificate.Dual, m.Outputs[0].Certificate.Zero} {
		if x == x {
			return fmt.Errorf("found the bound %g of a model of one pass, expected none: nothing is proved of it", x)
		}
	}
	l, err := loss.New(m.Statement.Loss)
	if err != nil {
		return err
	}
	return s.Check(l, m.Outputs[0].Weights, m.Outputs[0].Bias)
}
