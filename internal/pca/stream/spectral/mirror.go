package spectral

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Mirror is mirror descent on the relaxed problem, for any distance-generating
// function Psi of the eigenvalues (thesis 5.4, after Srebro, Sridharan and Tewari
// 2011):
//
//	maximise E[x^T M x]  over  0 <= M <= I, tr M = k
//
//	theta  <-  theta +- eta_t x x^T                 in mirror space, theta = grad Psi
//	theta  <-  grad Psi of the Bregman projection of grad Psi*(theta)
//
// Psi = |M|_F^2/2 gives MSG; Psi = tr W ln W, with M = I - (d-k) W, gives Warmuth
// and Kuzmin's algorithm. Both keep the eigenvectors in the projection, so another
// Psi is three functions of a list of numbers (see geometry). theta is kept
// dense, d x d: this is the reference for the methods that keep few directions.
//
// The start is the centre of the set, M = (k/d) I. Returned are the k directions
// with the largest eigenvalues of the last M, of a random one, or of the mean of
// all, as the theory has it. A step costs one dense
// eigendecomposition, O(d^3), so d is at most 200.
type Mirror struct {
	geometry func() geometry
	schedule schedule.Schedule
	iterate  string
}

// mirrorCols is the largest d.
const mirrorCols = 200

func init() {
	method.Register("mirror", "mirror descent on dense matrices, the reference: geometry=frobenius (MSG) or entropy (W&K), schedule=sqrt, c=1, iterate=last; at most 200 features",
		func(p *registry.Params) (method.Method, error) {
			m := Mirror{geometry: func() geometry { return new(frobenius) }}
			if p.Choice("geometry", "frobenius", "entropy") == "entropy" {
				m.geometry = func() geometry { return new(vonNeumann) }
			}
			m.schedule, m.iterate = schedule.Of(p, 1), p.Choice("iterate", "last", "random", "average")
			return m, p.Err()
		})
}

// Accepts refuses more features than a dense eigendecomposition a step can bear.
func (Mirror) Accepts(p method.Problem) error {
	if p.Cols > mirrorCols {
		return fmt.Errorf("mirror: found %d features, expected at most %d: each step decomposes a dense matrix", p.Cols, mirrorCols)
	}
	if p.K >= p.Cols {
		return fmt.Errorf("mirror: k = %d of %d features leaves nothing to choose: expected fewer", p.K, p.Cols)
	}
	return nil
}

// Start begins at the centre.
func (m Mirror) Start(p method.Problem) method.State {
	s := newMirrorState(p.Cols, p.K, m.geometry(), m.schedule)
	s.iterate = newIterate(m.iterate, p.Seed)
	if p.Squared > 0 {
		s.unit = 1 / p.Squared
	}
	return s
}

// mirrorState is Mirror under way.
type mirrorState struct {
	d, k     int
	geometry geometry
	way      float64 // +1: the largest eigenvalues of theta are wanted, -1: the smallest
	schedule schedule.Schedule
	unit     float64 // of the step size
	t        int
	theta    []float64 // d x d, in mirror space
	iterate  iterate

	row, value, outer []float64 // scratch
	small             algebra.Eigensystem
}

func newMirrorState(d, k int, g geometry, schedule schedule.Schedule) *mirrorState {
	s := &mirrorState{d: d, k: k, geometry: g, schedule: schedule, unit: 1, iterate: lastIterate{}, theta: make([]float64, d*d)}
	s.row, s.value, s.outer = make([]float64, d), make([]float64, d), make([]float64, d*d)
	each, way := g.centre(d, k)
	start := []float64{each}
	g.mirror(start)
	s.way = way
	for i := range d {
		s.theta[i*d+i] = start[0]
	}
	return s
}

// Learn takes a step for each row.
func (s *mirrorState) Learn(x view.Rows) {
	x.Each(s.row, func(x []float64) {
		s.iterate.visit(s)
		s.t++
		s.step(s.schedule.Step(s.t)*s.unit, x)
	})
}

// step adds eta x x^T, or subtracts it, and projects.
func (s *mirrorState) step(eta float64, x []float64) {
	d := s.d
	for i, v := range x {
		vec.Axpy64(s.theta[i*d:(i+1)*d], s.way*eta*v, x)
	}
	vectors := s.decompose(s.theta)
	s.geometry.project(s.value, s.k)
	spectralSum(s.theta, s.value, vectors, d)
}

// decompose sets value to the eigenvalues of the symmetric a, of which it reads
// what is on and below the diagonal, and returns the eigenvectors as rows.
func (s *mirrorState) decompose(a []float64) []float64 {
	for i := range s.d {
		for j := range i + 1 {
			s.outer[i*s.d+j], s.outer[j*s.d+i] = a[i*s.d+j], a[i*s.d+j]
		}
	}
	return s.small.Decompose(s.value, s.outer, s.d)
}

// spectralSum sets a to sum_i value_i v_i v_i^T over the rows v_i.
func spectralSum(a, value, vectors []float64, d int) {
	clear(a)
	for l, w := range value {
		v := vectors[l*d : (l+1)*d]
		for i, vi := range v {
			vec.Axpy64(a[i*d:i*d+d], w*vi, v)
		}
	}
}

// copyTo writes M or W, whichever the geometry has, to dst. What rounding has added
// to theta since it was projected counts where its other eigenvalues are huge.
func (s *mirrorState) copyTo(dst []float64) []float64 {
	vectors := s.decompose(s.theta)
	s.geometry.project(s.value, s.k)
	s.geometry.primal(s.value)
	dst = algebra.Zeros(dst, s.d*s.d)
	spectralSum(dst, s.value, vectors, s.d)
	return dst
}

// Basis returns the directions of the k largest eigenvalues of M, which are the
// smallest ones of W; they have the order of those in mirror space.
func (s *mirrorState) Basis() method.Basis {
	from := s.iterate.chosen()
	if from == nil {
		from = s.theta
	}
	vectors := s.decompose(from)
	b := method.Basis{K: s.k, Cols: s.d}
	for i := range s.k {
		at := i
		if s.way < 0 {
			at = s.d - 1 - i
		}
		b.Component = append(b.Component, vectors[at*s.d:(at+1)*s.d]...)
	}
	return b
}

// Keep visits theta, the number of steps, and the iterate that was chosen.
func (s *mirrorState) Keep(k *method.Kept) {
	k.Count("rows", &s.t)
	k.List("theta", &s.theta)
	k.Require(len(s.theta) == s.d*s.d, "state: found %d numbers of theta, expected %d", len(s.theta), s.d*s.d)
	s.iterate.Keep(k)
	n := len(s.iterate.chosen())
	k.Require(n == 0 || n == s.d*s.d, "state: found an iterate of %d numbers, expected %d", n, s.d*s.d)
}

// A geometry is a distance-generating function Psi of the eigenvalues. All of its
// functions replace a list by another; what is projected is in mirror space, where
// no precision is lost.
type geometry interface {
	mirror(primal []float64)             // grad Psi
	primal(mirror []float64)             // grad Psi*, its inverse
	project(mirror []float64, k int)     // of the primal, in mirror space
	centre(d, k int) (each, way float64) // every primal eigenvalue at the start; +1: rows are added, -1: subtracted
}

// frobenius is Psi = |M|_F^2/2: mirror space is the space itself, and the
// projection shifts and clips. Mirror descent is then dense MSG.
type frobenius struct{ fantope fantope }

func (*frobenius) mirror([]float64) {}
func (*frobenius) primal([]float64) {}

func (g *frobenius) project(mirror []float64, k int) { g.fantope.project(mirror, nil, float64(k)) }

func (*frobenius) centre(d, k int) (each, way float64) { return float64(k) / float64(d), 1 }

// vonNeumann is Psi = tr W ln W, the negative entropy: mirror space has logarithms
// (without the constant 1, which the projection takes off again), and the
// projection scales and caps. Mirror descent is then Warmuth and Kuzmin's
// algorithm.
type vonNeumann struct{ entropy entropy }

func (*vonNeumann) mirror(primal []float64) {
	for i, w := range primal {
		primal[i] = elementary.Log(w)
	}
}

func (*vonNeumann) primal(mirror []float64) { elementary.ExpTo(mirror, mirror) }

func (g *vonNeumann) project(mirror []float64, k int) {
	g.entropy.project(mirror, nil, len(mirror), k)
}

func (*vonNeumann) centre(d, _ int) (each, way float64) { return 1 / float64(d), -1 }
