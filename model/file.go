package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
)

// formatVersion changes when an older program could misread a file.
const formatVersion = "1"

// ErrTampered is wrapped by the error of Read when the numbers of a file are
// not those that were written: its digest does not fit.
var ErrTampered = errors.New("the numbers are not those that were written")

// WriteFile writes the model to path; either all of it is there in the end, or
// path is as it was before.
func (m *Model) WriteFile(path string) error { return dataset.WriteFile(path, m.Write) }

// Write writes the model as a safetensors file.
func (m *Model) Write(w io.Writer) error {
	if m.Support != nil || m.Map != nil {
		if _, err := kernel.New(m.Statement.Kernel); err != nil {
			return fmt.Errorf("model: %w: no program could read it again", err)
		}
	}
	return writeDocument(w, "", m.Version, m.parts(), m.tensors())
}

// writeDocument writes parts, as JSON, and tensors as a safetensors file that says
// which kind of model it is, "" for one that predicts, and holds digests of both.
func writeDocument(w io.Writer, kind, version string, parts map[string]any, tensors map[string]tensor) error {
	metadata := map[string]string{"format": "fenchel", "format_version": formatVersion, "program_version": version,
		"tensors_digest": digestTensors(tensors)}
	if kind != "" {
		metadata["kind"] = kind
	}
	for key, value := range parts {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("model: %s: %w", key, err)
		}
		metadata[key] = string(text)
	}
	metadata["metadata_digest"] = digestMetadata(metadata)
	return writeTensors(w, metadata, tensors)
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

func (m *Model) tensors() map[string]tensor {
	k, d, n := len(m.Outputs), m.Cols(), m.Data.Rows
	bias := m.gather(func(o Output) []float64 { return []float64{o.Bias} })
	tensors := map[string]tensor{"bias": {[]int{k}, bias}}
	m.predictor().pack(tensors)
	if dual := m.gather(func(o Output) []float64 { return o.Dual }); len(dual) > 0 {
		tensors["dual"] = tensor{[]int{k, n}, shortest(dual)}
	}
	if m.Scaling != nil {
		tensors["offset"] = tensor{[]int{d}, m.Scaling.Offset}
		tensors["factor"] = tensor{[]int{d}, m.Scaling.Factor}
	}
	return tensors
}

// gather returns the numbers of all outputs one after another: for one output
// the slice itself.
func (m *Model) gather(of func(Output) []float64) []float64 {
	if len(m.Outputs) == 1 {
		return of(m.Outputs[0])
	}
	var all []float64
	for _, o := range m.Outputs {
		all = append(all, of(o)...)
	}
	return all
}

// shortest has the numbers written in single precision if that loses nothing.
func shortest(v []float64) any {
	if isShort(v) {
		return short(v)
	}
	return v
}

// ReadFile reads the model in path.
func ReadFile(path string) (*Model, error) { return readFile(path, Decode) }

// readFile decodes what is in path.
func readFile[T any](path string, decode func([]byte) (*T, error)) (*T, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // a device may never end
		return nil, fmt.Errorf("%s: found a %s, expected a model file", path, kindOf(info.Mode()))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, err := decode(data)
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func kindOf(mode fs.FileMode) string {
	if mode.IsDir() {
		return "directory"
	}
	return "device or pipe"
}

// Decode reads a model from the bytes of its file, or of a file of LIBSVM or
// LIBLINEAR: the result then claims nothing, see Imported. When only the digest of the
// numbers is wrong, it returns the model together with an error that wraps
// ErrTampered, so that a caller may look at it.
func Decode(data []byte) (*Model, error) {
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

// readDocument undoes writeDocument, without looking at the digests.
func readDocument(data []byte, kind string) (map[string]string, map[string]tensor, error) {
	metadata, tensors, err := readTensors(data)
	if err != nil {
		return nil, nil, fmt.Errorf("not a model: %w", err)
	}
	if metadata["format"] != "fenchel" {
		return nil, nil, fmt.Errorf("not a model: found format %q in the metadata, expected \"fenchel\"", metadata["format"])
	}
	if v := metadata["format_version"]; v != formatVersion {
		return nil, nil, fmt.Errorf("found model format version %q, expected %q: written by program version %q", v, formatVersion, metadata["program_version"])
	}
	if found := metadata["kind"]; found != kind {
		return nil, nil, &KindError{Found: found, Expected: kind}
	}
	return metadata, tensors, nil
}

// A KindError says that a model file is of another kind: "" for one that predicts,
// "pca".
type KindError struct{ Found, Expected string }

func (e *KindError) Error() string {
	what := map[string]string{"": "a model that predicts", kindPCA: "principal components"}
	found, ok := what[e.Found]
	if !ok {
		found = fmt.Sprintf("a model of the kind %q", e.Found)
	}
	return fmt.Sprintf("found %s, expected %s", found, what[e.Expected])
}

// checkDigests returns an error that wraps ErrTampered unless the digests fit.
func checkDigests(metadata map[string]string, tensors map[string]tensor) error {
	if found := digestTensors(tensors); found != metadata["tensors_digest"] {
		return fmt.Errorf("%w: found tensors with %s, expected %s", ErrTampered, found, metadata["tensors_digest"])
	}
	if found := digestMetadata(metadata); found != metadata["metadata_digest"] {
		return fmt.Errorf("%w: found metadata with %s, expected %s", ErrTampered, found, metadata["metadata_digest"])
	}
	return nil
}

// restore fills the model from the parts of a file and checks that they fit
// each other.
func (m *Model) restore(metadata map[string]string, tensors map[string]tensor) error {
	var certificates []Certificate
	var scaling string
	var columns int // of support vectors or landmarks, where a kernel makes more of rows than their features
	parts := map[string]any{"problem": &m.Statement, "data": &m.Data, "certificates": &certificates,
		"classes": &m.Classes, "features": &m.Features, "schema": &m.Schema, "scaling": &scaling, "support_columns": &columns}
	if err := readParts(metadata, parts); err != nil {
		return err
	}
	if columns == 0 {
		columns = m.Data.Features
	}
	if err := m.restoreOutputs(certificates, columns, tensors); err != nil {
		return err
	}
	if err := m.checkNames(); err != nil {
		return err
	}
	if scaling != "" {
		offset, factor := tensors["offset"].floats(), tensors["factor"].floats()
		if len(offset) != m.Cols() || len(factor) != m.Cols() {
			return fmt.Errorf("found %d offsets and %d factors, expected %d", len(offset), len(factor), m.Cols())
		}
		if !slices.Contains(dataset.ScalingNames(), scaling) || scaling == "none" {
			return fmt.Errorf("found the scaling %q, expected max or std", scaling)
		}
		var err error
		if m.Scaling, err = dataset.RestoreScaling(scaling, offset, factor); err != nil {
			return err
		}
	}
	return m.Seal()
}

// readParts reads the parts that are there.
func readParts(metadata map[string]string, parts map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		text, ok := metadata[key]
		if !ok {
			continue
		}
		if err := json.Unmarshal([]byte(text), parts[key]); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// restoreOutputs cuts the tensors into outputs.
func (m *Model) restoreOutputs(certificates []Certificate, columns int, tensors map[string]tensor) error {
	k, n := len(certificates), m.Data.Rows
	if b := tensors["bias"].shape; k == 0 || n < 0 || !slices.Equal(b, []int{k}) {
		return fmt.Errorf("found biases of shape %v for %d rows, expected %d outputs, at least one, and no negative number of rows", b, n, k)
	}
	if t, ok := tensors["dual"]; ok && !slices.Equal(t.shape, []int{k, n}) {
		return fmt.Errorf("found dual variables of shape %v, expected %d outputs of %d rows", t.shape, k, n)
	}
	bias, dual := tensors["bias"].floats(), tensors["dual"].floats()
	if bias == nil {
		return fmt.Errorf("found biases of type %s, expected F64", tensors["bias"].dtype())
	}
	m.Outputs = make([]Output, k)
	for c := range m.Outputs {
		m.Outputs[c] = Output{Bias: bias[c], Certificate: certificates[c]}
		if len(dual) > 0 {
			m.Outputs[c].Dual = dual[c*n : (c+1)*n : (c+1)*n]
		}
	}
	if m.Statement.Map != "" {
		return m.restoreMapped(columns, tensors)
	}
	if m.Statement.Kernel != "" {
		return m.restoreMachine(columns, tensors)
	}
	return m.restoreLinear(tensors)
}

// cut gives each output its weights, width numbers of the tensor of that name,
// and refuses any that are not finite.
func (m *Model) cut(name string, width int, tensors map[string]tensor) error {
	k, t := len(m.Outputs), tensors[name]
	all := t.floats()
	if !slices.Equal(t.shape, []int{k, width}) || all == nil {
		return fmt.Errorf("found %s of shape %v and type %s, expected F64, %d outputs of %d", name, t.shape, t.dtype(), k, width)
	}
	for c := range m.Outputs {
		o := &m.Outputs[c]
		o.Weights = all[c*width : (c+1)*width : (c+1)*width]
		for _, w := range append(o.Weights, o.Bias) { // a copy: Weights has no room to grow
			if math.IsNaN(w) || math.IsInf(w, 0) {
				return fmt.Errorf("found the weight %g, expected finite numbers", w)
			}
		}
	}
	return nil
}
