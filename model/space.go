package model

import (
	"context"
	"fmt"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/safetensors"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Space is that of the images Phi(x) of rows in which components are, where these are not
// directions among the features: <Phi(x),Phi(y)> = k(x,y), or nearly so with a Map.
//
// Without a Map the rows that the components were found in span them: component i is the direction
// sum_j a_ij Phi(x_j) of length 1, Components are the a_ij, Mean is that of the n values k(x,x_j)
// over the rows x, if images are centred, and so
//
//	<u_i, Phi(x) - mean> = sum_j a_ij (k(x,x_j) - Mean_j),   sum_j a_ij = 0.
//
// With a Map components and Mean are of its features.
type Space struct {
	Kernel  kernel.Kernel
	Scaling *scaling.Scaling // of rows, before they have images; nil: they are as they are
	Rows    matrix.Matrix    // those that span the components, as the kernel takes them; nil with a Map
	Map     featuremap.Map

	once   sync.Once
	scorer *gram.Scorer
}

// Width returns how many numbers a component has.
func (s *Space) Width() int {
	if s.Map != nil {
		_, features := s.Map.Dims()
		return features
	}
	n, _ := s.Rows.Dims()
	return n
}

// Prepare returns rows of data as the space takes them, or why it cannot.
func (s *Space) Prepare(x matrix.Matrix) (matrix.Matrix, error) {
	width := 0
	if s.Scaling != nil {
		if err := s.Scaling.Range(x, 0); err != nil {
			return nil, err
		}
		x = s.Scaling.Matrix(x)
	}
	if s.Map != nil {
		return s.Map.Prepare(x)
	}
	if s.Rows != nil {
		_, width = s.Rows.Dims()
	}
	return kernel.Prepare(s.Kernel, x, width)
}

// Images returns the images of rows of data by the map.
func (s *Space) Images(ctx context.Context, x matrix.Matrix, threads int) (matrix.Matrix, error) {
	x, err := s.Prepare(x)
	if err != nil {
		return nil, err
	}
	return featuremap.Images(ctx, s.Map, x, threads)
}

// pack adds the space to tensors.
func (s *Space) pack(tensors map[string]safetensors.Tensor) {
	if s.Scaling != nil {
		d := len(s.Scaling.Factor)
		tensors["input.offset"] = safetensors.Tensor{Shape: []int{d}, Value: s.Scaling.Offset}
		tensors["input.factor"] = safetensors.Tensor{Shape: []int{d}, Value: s.Scaling.Factor}
	}
	if s.Rows != nil {
		packRows("support", s.Rows, tensors)
	} else if landmarks := s.Map.Landmarks(); landmarks != nil {
		packRows("landmarks", landmarks, tensors)
	}
}

// restoreSpace takes the space out of the tensors of rows of d features.
func restoreSpace(spec, mapping, scale string, seed uint64, d int, tensors map[string]safetensors.Tensor) (*Space, error) {
	k, err := kernel.New(spec)
	if err != nil {
		return nil, err
	}
	s := &Space{Kernel: k}
	if t, ok := tensors["input.factor"]; ok {
		if s.Scaling, err = scaling.Restore(scale, tensors["input.offset"].Floats(), t.Floats()); err != nil {
			return nil, err
		}
		if len(s.Scaling.Factor) != d {
			return nil, fmt.Errorf("found factors of %d features, expected %d", len(s.Scaling.Factor), d)
		}
	}
	if mapping != "" {
		s.Map, err = restoreMap(mapping, k, d, seed, tensors)
		return s, err
	}
	if s.Rows, err = restoreRows("support", d, tensors); err != nil {
		return nil, err
	}
	if i, j, ok := matrix.Finite(s.Rows); !ok {
		return nil, fmt.Errorf("row %d of the support: found a value in column %d that is not finite", i+1, j+1)
	}
	s.Rows, err = kernel.Prepare(k, s.Rows, 0)
	return s, err
}
