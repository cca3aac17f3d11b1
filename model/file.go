package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/safetensors"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
)

// WriteFile writes the model to path; either all of it is there in the end, or
// path is as it was before. A model that [ReadFile] would refuse is an error.
func (m *Model) WriteFile(path string) error { return replaceFile(path, m.Write, decode) }

// Write writes the model as a safetensors file.
func (m *Model) Write(w io.Writer) error {
	if m == nil {
		return m.Check()
	}
	if m.Support != nil || m.Map != nil {
		if _, err := kernel.New(m.Statement.Kernel); err != nil {
			return fmt.Errorf("model: %w: no program could read it again", err)
		}
	}
	format := firstFormat
	if m.Calibration != nil && m.Calibration.Folds != nil || m.Threshold != nil || m.Statement.Targets != nil || m.Schema.Later() {
		format = "2"
	}
	if m.Statement.TargetLog {
		format = "3"
	}
	if m.Network != nil {
		format = "4"
	}
	if m.OnePass != nil {
		format = "5"
	}
	if m.Calibration.later() || m.Coverage != nil {
		format = "6"
	}
	return writeDocument(w, "", format, m.Version, m.parts(), m.tensors())
}

// parts names the pieces of metadata that are stored as JSON.
func (m *Model) parts() map[string]any {
	certificates := make([]Certificate, len(m.Outputs))
	for i, o := range m.Outputs {
		certificates[i] = o.Certificate
	}
	parts := map[string]any{"problem": m.Statement, "data": m.Data, "certificates": certificates}
	if m.Classes != nil {
		parts["classes"] = m.Classes
	}
	if m.Features != nil {
		parts["features"] = m.Features
	}
	if m.Schema != nil {
		parts["schema"] = m.Schema
	}
	if m.Scaling != nil {
		parts["scaling"] = m.Scaling.Kind
	}
	if m.Sparse != nil {
		parts["sparse"] = m.Sparse
	}
	if m.Facts != nil {
		parts["facts"] = m.Facts
	}
	if m.Network != nil {
		parts["network"] = m.Network
	}
	if m.OnePass != nil {
		parts["one_pass"] = m.OnePass
	}
	if m.Calibration != nil {
		parts["calibration"] = m.Calibration
	}
	if m.Coverage != nil {
		parts["coverage"] = m.Coverage
	}
	if m.Threshold != nil {
		parts["threshold"] = m.Threshold
	}
	if len(m.Notes) > 0 {
		parts["notes"] = m.Notes
	}
	if cols := m.keptCols(); cols != m.Cols() {
		parts["support_columns"] = cols
	}
	return parts
}

// keptCols returns the number of columns of support vectors or landmarks, to
// which a kernel may prepare rows.
func (m *Model) keptCols() int {
	switch {
	case m.Support != nil:
		return m.Support.Cols()
	case m.Map != nil:
		cols, _ := m.Map.Dims()
		return cols
	}
	return m.Cols()
}

func (m *Model) tensors() map[string]safetensors.Tensor {
	k, d, n := len(m.Outputs), m.Cols(), m.Data.Rows
	bias := m.gather(func(o Output) []float64 { return []float64{o.Bias} })
	tensors := map[string]safetensors.Tensor{"bias": {Shape: []int{k}, Value: bias}}
	m.predictor().pack(tensors)
	m.packOnePass(tensors)
	if dual := m.gather(func(o Output) []float64 { return o.Dual }); len(dual) > 0 {
		tensors["dual"] = safetensors.Tensor{Shape: []int{k, n}, Value: safetensors.Shortest(dual)}
	}
	if m.Scaling != nil {
		tensors["offset"] = safetensors.Tensor{Shape: []int{d}, Value: m.Scaling.Offset}
		tensors["factor"] = safetensors.Tensor{Shape: []int{d}, Value: m.Scaling.Factor}
	}
	return tensors
}

// ReadFile reads the model in path.
func ReadFile(path string) (*Model, error) { return readFile(path, decode) }

// Decode reads a model from the bytes of its file, or of a file of LIBSVM or
// LIBLINEAR: the result then claims nothing, see Imported. When only the digest of the
// numbers is wrong, it returns the model together with an error that wraps
// ErrTampered, so that a caller may show it.
func Decode(data []byte) (*Model, error) { return decode(slices.Clone(data)) }

// decode is Decode of data that do not change.
func decode(data []byte) (*Model, error) {
	if program := isForeign(data); program != "" {
		return decodeForeign(program, data)
	}
	metadata, tensors, err := readDocument(data, "")
	if err != nil {
		return nil, err
	}
	m := &Model{Version: metadata["program_version"]}
	if err := m.restore(metadata, tensors); err != nil {
		return nil, fmt.Errorf("damaged model: %w", err)
	}
	return m, checkDigests(metadata, tensors)
}

// restore fills the model from the parts of a file and checks that they fit
// each other.
func (m *Model) restore(metadata map[string]string, tensors map[string]safetensors.Tensor) error {
	var certificates []Certificate
	var scale string
	var columns int // of support vectors or landmarks, where a kernel makes more of rows than their features
	parts := map[string]any{"problem": &m.Statement, "data": &m.Data, "certificates": &certificates,
		"classes": &m.Classes, "features": &m.Features, "schema": &m.Schema, "scaling": &scale, "support_columns": &columns, "calibration": &m.Calibration, "threshold": &m.Threshold, "coverage": &m.Coverage, "sparse": &m.Sparse, "facts": &m.Facts, "network": &m.Network, "one_pass": &m.OnePass}
	if err := readParts(metadata, parts); err != nil {
		return err
	}
	if err := readNotes(metadata, &m.Notes); err != nil {
		return err
	}
	if err := m.restoreOutputs(certificates, cmp.Or(columns, m.Data.Features), tensors); err != nil {
		return err
	}
	if columns != 0 && (columns != m.keptCols() || columns == m.Data.Features) {
		return fmt.Errorf("found %d columns of support vectors for %d features, expected these alone where they differ", columns, m.Data.Features)
	}
	if err := m.checkNames(); err != nil {
		return err
	}
	if (m.Network != nil || m.Statement.Activation != "") && m.Statement.Hidden == nil {
		return fmt.Errorf("found facts or an activation of a network, expected none in a model without hidden layers")
	}
	if m.Facts != nil && m.Support == nil {
		return fmt.Errorf("found facts of a kernel machine, expected none in a linear model")
	}
	if scale != "" && m.IsImported() {
		return fmt.Errorf("found a model of another program that is scaled by %s, expected none", scale)
	}
	if scale != "" {
		offset, factor := tensors["offset"].Floats(), tensors["factor"].Floats()
		if len(offset) != m.Cols() || len(factor) != m.Cols() {
			return fmt.Errorf("found %d offsets and %d factors, expected %d", len(offset), len(factor), m.Cols())
		}
		if !slices.Contains(scaling.Names(), scale) || scale == "none" {
			return fmt.Errorf("found the scaling %q, expected max or std", scale)
		}
		var err error
		if m.Scaling, err = scaling.Restore(scale, offset, factor); err != nil {
			return err
		}
	}
	if err := m.restoreOnePass(tensors); err != nil {
		return err
	}
	return m.Seal()
}

// restoreOutputs cuts the tensors into outputs.
func (m *Model) restoreOutputs(certificates []Certificate, columns int, tensors map[string]safetensors.Tensor) error {
	k, n := len(certificates), m.Data.Rows
	if b := tensors["bias"].Shape; k == 0 || n < 0 || !slices.Equal(b, []int{k}) {
		return fmt.Errorf("found biases of shape %v for %d rows, expected [%d], at least [1], and no negative number of rows", b, n, k)
	}
	if t, ok := tensors["dual"]; ok && !slices.Equal(t.Shape, []int{k, n}) {
		return fmt.Errorf("found dual variables of shape %v, expected [%d %d]", t.Shape, k, n)
	}
	bias, dual := tensors["bias"].Floats(), tensors["dual"].Floats()
	if bias == nil {
		return fmt.Errorf("found biases of type %s, expected F64", tensors["bias"].DType())
	}
	m.Outputs = make([]Output, k)
	for c := range m.Outputs {
		m.Outputs[c] = Output{Bias: bias[c], Certificate: certificates[c]}
		if r := certificates[c].Region; r != nil && !(r.Radius >= 0 && r.Radius <= math.MaxFloat64 && !(r.Low > Bound(bias[c])) && !(r.High < Bound(bias[c]))) {
			return fmt.Errorf("found optima of classifier %d within %g, with a bias from %g to %g, expected a number >= 0 and an interval that holds its bias, %g", c+1, r.Radius, r.Low, r.High, bias[c])
		}
		if len(dual) > 0 {
			m.Outputs[c].Dual = dual[c*n : (c+1)*n : (c+1)*n]
		}
	}
	if s := m.Statement; s.Hidden != nil {
		if s.Map != "" || s.Kernel != "" || len(dual) > 0 {
			return fmt.Errorf("found a network with the kernel %q, the map %q and %d dual variables, expected none", s.Kernel, s.Map, len(dual))
		}
		return m.restoreNetwork(tensors)
	}
	if m.Statement.Map != "" {
		return m.restoreMapped(columns, tensors)
	}
	if m.Statement.Kernel != "" {
		return m.restoreMachine(columns, tensors)
	}
	return m.restoreLinear(tensors)
}

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

// decodeForeign reads the model of another program.
func decodeForeign(program string, data []byte) (m *Model, err error) {
	switch program {
	case "libsvm":
		m, err = decodeLIBSVM(data)
	default:
		m, err = decodeLIBLINEAR(data)
	}
	if err == nil {
		err = m.checkNames()
	}
	if err == nil {
		err = m.Seal()
	}
	if err != nil {
		return nil, fmt.Errorf("not a model of %s: %w", strings.ToUpper(program), err)
	}
	return m, nil
}
