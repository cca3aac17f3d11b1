package model

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/safetensors"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// mapped is a model whose scores are <w,Phi(x)> + b, where Phi is a map of an
// approximate kernel.
type mapped Model

// imageRows is how many rows are mapped at a time: more need more memory, and
// gain nothing.
const imageRows = 96

// images is memory for the images of some rows.
var images = sync.Pool{New: func() any { return new([]float32) }}

func (m *mapped) score(dst []float64, x matrix.Vector) { scoreOne(m, dst, x) }

func (m *mapped) scores(dst []float64, rows []matrix.Vector) {
	k := len(m.Outputs)
	_, features := m.Map.Dims()
	room := images.Get().(*[]float32)
	defer images.Put(room)
	for len(rows) > 0 {
		n := min(imageRows, len(rows))
		if len(*room) < n*features {
			*room = make([]float32, n*features)
		}
		m.Map.Images(*room, rows[:n])
		for i := range n {
			image := matrix.Vector{Value: (*room)[i*features : (i+1)*features]}
			for c, o := range m.Outputs {
				dst[i*k+c] = image.Dot(o.Weights) + o.Bias
			}
		}
		dst, rows = dst[n*k:], rows[n:]
	}
}

func (m *mapped) pack(tensors map[string]safetensors.Tensor) {
	_, features := m.Map.Dims()
	weights := (*Model)(m).gather(func(o Output) []float64 { return o.Weights })
	tensors["weights"] = safetensors.Tensor{Shape: []int{len(m.Outputs), features}, Value: weights}
	if landmarks := m.Map.Landmarks(); landmarks != nil {
		packRows("landmarks", landmarks, tensors)
	}
}

// restoreMapped takes the map, and the weights of its features, out of the
// tensors.
func (m *Model) restoreMapped(columns int, tensors map[string]safetensors.Tensor) error {
	k, err := kernel.New(m.Statement.Kernel)
	if err != nil {
		return err
	}
	if m.Map, err = restoreMap(m.Statement.Map, k, columns, m.Statement.Seed, tensors); err != nil {
		return err
	}
	_, features := m.Map.Dims()
	return m.cut("weights", features, tensors)
}

// restoreMap makes the map that spec describes again, of rows of so many columns.
func restoreMap(spec string, k kernel.Kernel, columns int, seed uint64, tensors map[string]safetensors.Tensor) (featuremap.Map, error) {
	a, err := featuremap.NewApproximation(spec)
	if err != nil {
		return nil, err
	}
	if err := a.Accepts(k); err != nil {
		return nil, err
	}
	var landmarks matrix.Matrix
	if _, ok := tensors["landmarks.values"]; ok {
		if landmarks, err = restoreRows("landmarks", columns, tensors); err != nil {
			return nil, err
		}
		if i, j, ok := matrix.Finite(landmarks); !ok {
			return nil, fmt.Errorf("landmark %d: found a value in column %d that is not finite", i+1, j+1)
		}
	}
	return a.Restore(k, columns, seed, landmarks)
}

// Machine returns the kernel machine that a model of a Nystrom map is: the
// landmarks are its support.
func (m *Model) Machine() (*Model, error) {
	n, ok := m.Map.(*featuremap.Nystrom)
	if !ok {
		return nil, errors.New("found a model of random features, expected a kernel machine")
	}
	machine := *m
	machine.Map, machine.Support = nil, &Support{Kernel: n.Kernel, Rows: n.Landmarks()}
	machine.Outputs = make([]Output, len(m.Outputs))
	for c, o := range m.Outputs {
		machine.Outputs[c] = Output{Weights: n.Coefficients(o.Weights), Bias: o.Bias}
		for _, a := range machine.Outputs[c].Weights {
			if math.IsNaN(a) || math.IsInf(a, 0) {
				return nil, fmt.Errorf("found the coefficient %g of a landmark, expected finite numbers", a)
			}
		}
	}
	return &machine, nil
}
