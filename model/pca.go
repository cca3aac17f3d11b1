package model

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/safetensors"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/matrix"
)

// PCA is a set of principal components: K orthonormal directions of rows
//
//	x' = (x - Mean) * Scale,
//
// by decreasing variance. It is not changed by use and may be shared by any number
// of goroutines. In a file it is
//
//	components   F64  k x d
//	eigenvalues  F64  k
//	mean, scale  F64  d   absent when rows are not centred, not scaled
//	heldout      I64      numbers of the rows that were kept apart; absent if none
//	state.NAME   F64      what a method needs to go on; absent if left out
//
// Components in a [Space] are k x its Width, and so is mean; there is no scale, but input.offset and
// input.factor, F64 d, of rows that are scaled, and the rows of support or landmarks as of a [Model].
type PCA struct {
	Statement  PCAStatement
	Data       Data // training rows; of a stream without digest and nonzeros
	Features   []string
	Schema     *data.Schema
	Components []float64 // K*d, row-major
	Eigenvalue []float64 // K: the variance along each component
	Mean       []float64 // d; nil: rows are not centred
	Scale      []float64 // d; nil: rows are not scaled
	Space      *Space    // nil: components are directions among the features
	Proof      PCAProof
	HeldOut    []int64              // increasing
	State      map[string][]float64 // nil: the model cannot go on
	Version    string
	Notes      map[string]string // notes of users, see CheckNotes; nil: none

	scaled []float64 // Components times Scale
	shift  []float64 // K: components times the scaled mean
}

// PCAStatement is what was asked for. It is stored as JSON.
type PCAStatement struct {
	K      int    `json:"k"`
	Method string `json:"method"`
	Center bool   `json:"center"`
	Scale  string `json:"scale"` // none, std, ...
	Stream bool   `json:"stream,omitempty"`
	Seed   uint64 `json:"seed"`
	// HoldOut is the share of a stream's rows that were held out; 0: one in twenty, -1: none.
	HoldOut   float64 `json:"hold_out,omitempty"`
	ZeroBased bool    `json:"zero_based,omitempty"` // LIBSVM indices of the data
	Whiten    string  `json:"whiten,omitempty"`     // one of Whitenings; "": coordinates are as they are
	Kernel    string  `json:"kernel,omitempty"`     // of which components are; "": of the features
	Map       string  `json:"map,omitempty"`        // to features of which products are nearly the kernel
	Missing   string  `json:"missing,omitempty"`    // Observed: components of the observed numbers alone; "": missing ones are replaced by means
}

// Observed is the [PCAStatement.Missing] of components of the numbers that are there, on which rows are
// projected by the features that they have.
const Observed = "observed"

// What coordinates are divided by along each component, where they are whitened: the deviation
// over the rows, of the mean over n squares or, as an estimate from a sample, over n-1.
const (
	WhitenPopulation = "population"
	WhitenSample     = "sample"
)

// Whitenings returns the values of [PCAStatement.Whiten] other than "", which whitens nothing.
func Whitenings() []string { return []string{WhitenPopulation, WhitenSample} }

// PCAProof is what is known of the components. It is stored as JSON. Variances are
// means over rows: of a second moment where rows are not centred.
type PCAProof struct {
	Status   string  `json:"status"`
	Gap      float64 `json:"gap"`      // the relative one asked for
	Total    Bound   `json:"total"`    // the variance of the rows
	Captured Bound   `json:"captured"` // variance that the components capture, at least; null where only HeldOut is known
	Upper    Bound   `json:"upper"`    // no K directions capture more
	// Failure is the probability, over the start of the search for the largest
	// eigenvalue outside, with which Upper is wrong; 0 for a deterministic one.
	Failure float64          `json:"failure_probability"`
	Route   string           `json:"route,omitempty"` // how Upper was found
	HeldOut *HeldOutVariance `json:"held_out,omitempty"`
}

// HeldOutVariance is about rows of a stream that were not learned from.
type HeldOutVariance struct {
	Rows     int   `json:"rows"`
	Captured Bound `json:"captured"`       // mean over them
	Error    Bound `json:"standard_error"` // standard error of that mean
	Total    Bound `json:"total"`
}

// Relative returns the share of the best possible that may be missing, NaN where
// that is not known.
func (p PCAProof) Relative() float64 {
	if p.Upper == 0 {
		return 0
	}
	return float64((p.Upper - p.Captured) / p.Upper)
}

// Cols returns the number of features of rows.
func (m *PCA) Cols() int { return m.Data.Features }

// Width returns how many numbers a component has: one for each feature, or for each row or feature
// of its space.
func (m *PCA) Width() int {
	if m.Space != nil {
		return m.Space.Width()
	}
	return m.Cols()
}

// Component returns component i.
func (m *PCA) Component(i int) []float64 {
	width := m.Width()
	return m.Components[i*width : (i+1)*width]
}

// Prepare returns rows of data as [PCA.Transform] takes them: of most components, as they are.
func (m *PCA) Prepare(x matrix.Matrix) (matrix.Matrix, error) {
	if m.Space == nil {
		return x, nil
	}
	return m.Space.Prepare(x)
}

// Noise returns the mean variance along the directions that are left out, as
// probabilistic components (Tipping and Bishop 1999) take it for that of noise; 0
// when none are.
func (m *PCA) Noise() float64 {
	left := m.Width() - m.Statement.K
	if m.Data.Rows > 0 {
		left = min(m.Width(), m.Data.Rows) - m.Statement.K
	}
	if left <= 0 {
		return 0
	}
	rest := float64(m.Proof.Total)
	for _, x := range m.Eigenvalue {
		rest -= x
	}
	return max(rest, 0) / float64(left)
}

// CheckRow returns why x is no row for the components, nil if it is one. Methods that take
// a row do not check it, as those of a [Model].
func (m *PCA) CheckRow(x matrix.Vector) error { return x.Check(m.Cols()) }

// Check returns why the model has no components of the sizes that it states, nil if it has.
func (m *PCA) Check() error {
	if m == nil {
		return errors.New("found no components, expected some")
	}
	if (m.Space != nil) != (m.Statement.Kernel != "") || m.Space != nil && (m.Space.Map != nil) == (m.Space.Rows != nil) {
		return fmt.Errorf("found the kernel %q of components, expected its space too, of rows or of a map", m.Statement.Kernel)
	}
	k, d := m.Statement.K, m.Width()
	if k < 1 || d < 1 || len(m.Components)/d != k || len(m.Components)%d != 0 || len(m.Eigenvalue) != k {
		return fmt.Errorf("found %d numbers of components and %d eigenvalues, expected %d of %d", len(m.Components), len(m.Eigenvalue), k, d)
	}
	if s := m.Statement.Whiten; s != "" && !slices.Contains(Whitenings(), s) {
		return fmt.Errorf("found the whitening %q, expected %s", s, strings.Join(Whitenings(), " or "))
	}
	for _, v := range []struct {
		name   string
		values []float64
	}{{"mean", m.Mean}, {"scale", m.Scale}} {
		if v.values != nil && len(v.values) != d {
			return fmt.Errorf("found a %s of %d numbers, expected %d", v.name, len(v.values), d)
		}
	}
	return nil
}

// Seal makes the model ready for use after its fields are set.
func (m *PCA) Seal() error {
	if err := m.Check(); err != nil {
		return err
	}
	for _, list := range [][]float64{m.Components, m.Eigenvalue, m.Mean, m.Scale} {
		for _, x := range list {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("found the number %v, expected finite ones", x)
			}
		}
	}
	m.prepare()
	return nil
}

// prepare multiplies the components by the scale, and the mean by these.
func (m *PCA) prepare() {
	k, d := m.Statement.K, m.Width()
	m.scaled = m.Components
	if m.Scale != nil {
		m.scaled = slices.Clone(m.Components)
		for at := range m.scaled {
			m.scaled[at] *= m.Scale[at%d]
		}
	}
	m.shift = make([]float64, k)
	if m.Mean == nil {
		return
	}
	for i := range k {
		m.shift[i] = vec.Dot64(m.scaled[i*d:(i+1)*d], m.Mean)
	}
}

// Transform sets dst, K numbers, to the scores of the row x, raw or as [PCA.Prepare] makes it: the coordinates
// of x' along the components, divided by [PCA.Deviation]. Features beyond the model's are
// ignored. A component along which nothing varies has score 0 where scores are whitened.
func (m *PCA) Transform(dst []float64, x matrix.Vector) {
	m.project(dst, x)
	m.divide(dst)
}

// divide divides coordinates by deviations.
func (m *PCA) divide(dst []float64) {
	for i := range dst[:m.Statement.K] {
		if s := m.Deviation(i); s > 0 {
			dst[i] /= s
		} else {
			dst[i] = 0
		}
	}
}

// TransformObserved is [PCA.Transform] of a row without the features gone, of components among features: the
// coordinates of the point of their span that is nearest to it in the features that it has.
func (m *PCA) TransformObserved(dst []float64, x matrix.Vector, gone []uint32) {
	m.projectObserved(dst, x, gone)
	m.divide(dst)
}

// ResidualObserved is [PCA.Residual] of a row without the features gone: in the features that it has.
func (m *PCA) ResidualObserved(scores []float64, x matrix.Vector, gone []uint32) float64 {
	row := m.projectObserved(scores, x, gone)
	for i, s := range scores[:m.Statement.K] {
		vec.Axpy64(row, -s, m.Component(i))
	}
	for _, j := range gone {
		row[j] = 0
	}
	return vec.SquaredNorm64(row)
}

// projectObserved sets dst to the coordinates, and returns x' with 0 for the features gone.
func (m *PCA) projectObserved(dst []float64, x matrix.Vector, gone []uint32) []float64 {
	d := m.Cols()
	row := make([]float64, d)
	without(x, d).AddTo(row, 1)
	if m.Mean != nil {
		vec.Axpy64(row, -1, m.Mean)
	}
	for j, f := range m.Scale {
		row[j] *= f
	}
	for _, j := range gone {
		row[j] = 0
	}
	method.Basis{K: m.Statement.K, Cols: d, Component: m.Components}.Observed(dst, row, gone)
	return row
}

// Scorer returns what sets dst to the coordinates of a row of set: of components of the numbers that are there, by
// the features that the row has. The error says why the rows do not fit the components.
func (m *PCA) Scorer(s *data.Set) (func(dst []float64, i int), error) {
	x, err := m.Prepare(s.X)
	if gone := s.Missing(); gone != nil && m.Statement.Missing == Observed {
		return func(dst []float64, i int) { m.TransformObserved(dst, x.Row(i), gone[i]) }, err
	}
	return func(dst []float64, i int) { m.Transform(dst, x.Row(i)) }, err
}

// project sets dst to the coordinates of x' along the components.
func (m *PCA) project(dst []float64, x matrix.Vector) {
	if m.Space != nil {
		m.projectImage(dst, x)
		return
	}
	d := m.Cols()
	x = without(x, d)
	for i := range dst[:m.Statement.K] {
		dst[i] = x.Dot(m.scaled[i*d:(i+1)*d]) - m.shift[i]
	}
}

// Deviation returns what coordinates along component i are divided by: 1 unless the statement
// asks for whitening.
func (m *PCA) Deviation(i int) float64 {
	switch v, n := max(m.Eigenvalue[i], 0), m.Data.Rows; {
	case m.Statement.Whiten == "":
		return 1
	case m.Statement.Whiten == WhitenSample && n > 1:
		return math.Sqrt(v * float64(n) / float64(n-1))
	default:
		return math.Sqrt(v)
	}
}

// Inverse sets dst, d numbers, to the raw row that has these scores and nothing
// outside of the components. A feature that was scaled to nothing gets its mean. Of components in a
// [Space] it is a [Preimage] that makes rows.
func (m *PCA) Inverse(dst, scores []float64) {
	clear(dst)
	for i, s := range scores[:m.Statement.K] {
		vec.Axpy64(dst, s*m.Deviation(i), m.Component(i))
	}
	for j, f := range m.Scale {
		if f != 0 {
			dst[j] /= f
		} else {
			dst[j] = 0
		}
	}
	if m.Mean != nil {
		vec.Axpy64(dst, 1, m.Mean)
	}
	offsets, factors := m.Schema.Offsets(), m.Schema.Factors()
	for j := range dst {
		dst[j] = set.Raw(dst[j], j, offsets, factors)
	}
}

// projectImage sets dst to the coordinates of a prepared row, and returns its image by a Map, or else the
// mean of its products with the images that span the components.
func (m *PCA) projectImage(dst []float64, x matrix.Vector) (image []float32, mean float64) {
	s, k, width := m.Space, m.Statement.K, m.Space.Width()
	if s.Map != nil {
		image = make([]float32, width)
		s.Map.Images(image, []matrix.Vector{x})
		for i := range dst[:k] {
			dst[i] = matrix.Vector{Value: image}.Dot(m.Component(i)) - m.shift[i]
		}
		return image, 0
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
	return nil, scores[k]
}

// residualImage is Residual in the space.
func (m *PCA) residualImage(scores []float64, x matrix.Vector) float64 {
	image, mean := m.projectImage(scores, x)
	squared := 0.0
	if s := m.Space; s.Map != nil {
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

// Residual returns the squared distance of x' from its projection on the
// components; scratch has d numbers, scores K.
func (m *PCA) Residual(scratch, scores []float64, x matrix.Vector) float64 {
	if m.Space != nil {
		return m.residualImage(scores, x)
	}
	x = without(x, m.Cols())
	m.project(scores, x)
	clear(scratch)
	x.AddTo(scratch, 1)
	if m.Mean != nil {
		vec.Axpy64(scratch, -1, m.Mean)
	}
	for j, f := range m.Scale {
		scratch[j] *= f
	}
	for i, s := range scores {
		vec.Axpy64(scratch, -s, m.Component(i))
	}
	return vec.SquaredNorm64(scratch)
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

const statePrefix = "state."

// WriteFile writes the components to path; either all of it is there in the end,
// or path is as it was before. Components that [ReadPCAFile] would refuse are an error.
func (m *PCA) WriteFile(path string) error { return replaceFile(path, m.Write, decodePCA) }

// Write writes the components as a safetensors file.
func (m *PCA) Write(w io.Writer) error {
	if err := m.Check(); err != nil {
		return err
	}
	k, d := m.Statement.K, m.Width()
	tensors := map[string]safetensors.Tensor{"components": {Shape: []int{k, d}, Value: m.Components}, "eigenvalues": {Shape: []int{k}, Value: m.Eigenvalue}}
	if m.Mean != nil {
		tensors["mean"] = safetensors.Tensor{Shape: []int{d}, Value: m.Mean}
	}
	if m.Scale != nil {
		tensors["scale"] = safetensors.Tensor{Shape: []int{d}, Value: m.Scale}
	}
	if m.HeldOut != nil {
		tensors["heldout"] = safetensors.Tensor{Shape: []int{len(m.HeldOut)}, Value: m.HeldOut}
	}
	if m.Space != nil {
		m.Space.pack(tensors)
	}
	for name, list := range m.State {
		tensors[statePrefix+name] = safetensors.Tensor{Shape: []int{len(list)}, Value: list}
	}
	parts := map[string]any{"problem": m.Statement, "data": m.Data, "proof": m.Proof}
	if m.Features != nil {
		parts["features"] = m.Features
	}
	if m.Schema != nil {
		parts["schema"] = m.Schema
	}
	if len(m.Notes) > 0 {
		parts["notes"] = m.Notes
	}
	format := firstFormat
	if m.Statement.Whiten != "" || m.Schema.Later() { // an older program would leave it out
		format = "2"
	}
	if m.Space != nil || m.Statement.Missing != "" {
		format = "4"
	}
	return writeDocument(w, kindPCA, format, m.Version, parts, tensors)
}

// ReadPCAFile reads the components in path.
func ReadPCAFile(path string) (*PCA, error) { return readFile(path, decodePCA) }

// DecodePCA reads components from the bytes of their file. When only a digest is
// wrong, it returns them together with an error that wraps ErrTampered.
func DecodePCA(data []byte) (*PCA, error) { return decodePCA(slices.Clone(data)) }

// decodePCA is DecodePCA of data that do not change.
func decodePCA(data []byte) (*PCA, error) {
	metadata, tensors, err := readDocument(data, kindPCA)
	if err != nil {
		return nil, err
	}
	m := &PCA{Version: metadata["program_version"]}
	if err := m.restore(metadata, tensors); err != nil {
		return nil, fmt.Errorf("damaged model: %w", err)
	}
	return m, checkDigests(metadata, tensors)
}

// restore fills the components from the parts of a file.
func (m *PCA) restore(metadata map[string]string, tensors map[string]safetensors.Tensor) error {
	err := readParts(metadata, map[string]any{"problem": &m.Statement, "data": &m.Data, "proof": &m.Proof, "features": &m.Features, "schema": &m.Schema})
	if err != nil {
		return err
	}
	if err := readNotes(metadata, &m.Notes); err != nil {
		return err
	}
	if m.Statement.Kernel != "" {
		if m.Space, err = restoreSpace(m.Statement.Kernel, m.Statement.Map, m.Statement.Scale, m.Statement.Seed, m.Cols(), tensors); err != nil {
			return err
		}
	}
	k, d := m.Statement.K, m.Width()
	if t := tensors["components"]; !slices.Equal(t.Shape, []int{k, d}) {
		return fmt.Errorf("found components of shape %v, expected %d of %d", t.Shape, k, d)
	}
	m.Components, m.Eigenvalue = tensors["components"].Floats(), tensors["eigenvalues"].Floats()
	m.Mean, m.Scale = tensors["mean"].Floats(), tensors["scale"].Floats()
	m.HeldOut, _ = tensors["heldout"].Value.([]int64)
	for name, t := range tensors {
		if name, ok := strings.CutPrefix(name, statePrefix); ok {
			if m.State == nil {
				m.State = map[string][]float64{}
			}
			m.State[name] = t.Floats()
		}
	}
	if err := m.Seal(); err != nil {
		return err
	}
	return m.Data.checkFeatures(m.Features, m.Schema)
}
