package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/safetensors"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
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

// projectImage sets dst to the coordinates of a prepared row, and returns the mean of its products with
// the images that span the components, 0 with a Map.
func (m *PCA) projectImage(dst []float64, x matrix.Vector) (mean float64) {
	s, k, width := m.Space, m.Statement.K, m.Space.Width()
	if s.Map != nil {
		image := make([]float32, width)
		s.Map.Images(image, []matrix.Vector{x})
		for i := range dst[:k] {
			dst[i] = matrix.Vector{Value: image}.Dot(m.Component(i)) - m.shift[i]
		}
		return 0
	}
	s.once.Do(func() {
		outputs := make([][]float64, k+1)
		for i := range k {
			outputs[i] = m.Component(i)
		}
		outputs[k] = make([]float64, width)
		for j := range outputs[k] {
			outputs[k][j] = 1 / float64(width)
		}
		s.scorer = gram.NewScorer(s.Kernel, s.Rows, outputs)
	})
	scores := make([]float64, k+1)
	s.scorer.Scores(scores, []matrix.Vector{x})
	for i := range dst[:k] {
		dst[i] = scores[i] - m.shift[i]
	}
	return scores[k]
}

// residualImage is Residual in the space.
func (m *PCA) residualImage(scores []float64, x matrix.Vector) float64 {
	mean, squared := m.projectImage(scores, x), 0.0
	if s := m.Space; s.Map != nil {
		image := make([]float32, s.Width())
		s.Map.Images(image, []matrix.Vector{x})
		for j, v := range image {
			away := float64(v)
			if m.Mean != nil {
				away -= m.Mean[j]
			}
			squared += float64(away * away)
		}
	} else if squared = s.Kernel.Eval(x, x); m.Mean != nil {
		squared += vec.Total(m.Mean)/float64(len(m.Mean)) - 2*mean
	}
	return max(0, squared-vec.SquaredNorm64(scores[:m.Statement.K]))
}

// A Preimage makes rows of coordinates along components that are in a [Space], where most points are
// no image of a row: by kernel ridge regression of rows x_j on their coordinates z_j, with the same
// kernel (Bakir, Weston and Schoelkopf 2004; scikit-learn's inverse_transform),
//
//	x(z) = sum_j c_j k(z,z_j),   C = (K + alpha I)^-1 X,   K_jl = k(z_j,z_l).
//
// The rows are those that span the components, or the landmarks of a Map.
type Preimage struct {
	m      *PCA
	cols   int
	scorer *gram.Scorer
}

// NewPreimage learns rows of coordinates. Cost: n^3/3 and 2 n^2 d operations.
func (m *PCA) NewPreimage(alpha float64, threads int) (*Preimage, error) {
	s, k := m.Space, m.Statement.K
	if s == nil {
		return nil, errors.New("found components that are directions among the features, expected those of a kernel")
	}
	rows := s.Rows
	if s.Map != nil {
		rows = s.Map.Landmarks()
	}
	if rows == nil {
		return nil, fmt.Errorf("map %s: found no rows to learn from what a point is the image of, expected a kernel without a map, or nystrom", m.Statement.Map)
	}
	if !(alpha > 0 && alpha <= math.MaxFloat64) {
		return nil, fmt.Errorf("alpha = %g: expected a number > 0", alpha)
	}
	n, d := rows.Dims()
	scores, z := make([]float64, k), &matrix.Dense{Rows: n, Cols: k, Value: make([]float32, n*k)}
	for i := range n {
		m.projectImage(scores, rows.Row(i))
		for c, v := range scores {
			z.Value[i*k+c] = float32(v)
		}
	}
	g, a, err := gram.Whole(s.Kernel, z, threads)
	if err != nil {
		return nil, err
	}
	for i := range n {
		a[i*n+i] += alpha
	}
	var factor lapack.Cholesky
	factor.Decompose(a, n, threads)
	coefficients, row := make([][]float64, d), make([]float64, d)
	for j := range coefficients {
		coefficients[j] = make([]float64, n)
	}
	for i := range n {
		clear(row)
		rows.Row(i).AddTo(row, 1)
		for j, v := range row {
			coefficients[j][i] = v
		}
	}
	for _, c := range coefficients {
		factor.Solve(c, c)
	}
	return &Preimage{m, m.Cols(), gram.NewScorer(s.Kernel, g.X, coefficients)}, nil
}

// Inverse sets dst, d numbers, to the raw row of these coordinates.
func (p *Preimage) Inverse(dst, scores []float64) {
	m := p.m
	z := make([]float32, m.Statement.K)
	for i, s := range scores[:len(z)] {
		z[i] = float32(s * m.Deviation(i))
	}
	p.scorer.Scores(dst, []matrix.Vector{{Value: z}})
	offsets, factors := m.Schema.Offsets(), m.Schema.Factors()
	for j := range dst[:p.cols] {
		if s := m.Space.Scaling; s != nil {
			x := s.Offset[j]
			if s.Factor[j] != 0 {
				x += dst[j] / s.Factor[j]
			}
			dst[j] = x
		}
		dst[j] = set.Raw(dst[j], j, offsets, factors)
	}
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
func restoreSpace(st PCAStatement, d int, tensors map[string]safetensors.Tensor) (*Space, error) {
	k, err := kernel.New(st.Kernel)
	if err != nil {
		return nil, err
	}
	s := &Space{Kernel: k}
	if t, ok := tensors["input.factor"]; ok {
		if s.Scaling, err = scaling.Restore(st.Scale, tensors["input.offset"].Floats(), t.Floats()); err != nil {
			return nil, err
		}
		if len(s.Scaling.Factor) != d {
			return nil, fmt.Errorf("found factors of %d features, expected %d", len(s.Scaling.Factor), d)
		}
	}
	if st.Map != "" {
		s.Map, err = restoreMap(st.Map, k, d, st.Seed, tensors)
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
