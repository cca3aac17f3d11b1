// Package pca finds principal components: the k orthonormal directions that
// capture the most of the second moment Sigma = (1/n) sum_i x_i x_i^T,
//
//	maximise  tr(U Sigma U^T)   subject to  U U^T = I,   U of k rows,
//
// in batch, or in one pass over the rows, and proves how good the answer is.
// Rows are centred and scaled in flight (see [Rows]), so sparse data stay sparse.
//
// A [Batch] method has all rows and may read them often; a [Streaming] one starts a [State] that
// learns from blocks of rows, each seen once, and can be kept and taken up again with the same
// bits. Both are made by [New], and [Certify] proves how good a basis is.
//
// This package imports all methods and has the names that programs use, as package data has them
// of its formats; no mathematics is here. The rooms, of which each imports those before it:
//
//	view         rows, products with them, their second moment
//	method       what a method is, what it is given and returns; angles and losses of bases
//	stream       methods of one pass: oja, block, spectral; schedule has their step sizes
//	batch        methods that read all rows again and again
//	certificate  the proof
//	learner      above this package: a stream of rows scaled, centred, cut and merged
//
// One method lives in one file of its room, which registers a name and a one-line summary from init.
// There is no other list: the tests of this package examine every name.
// Model files are written by package model, options and messages of the command line are cmd's.
package methods

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/spectral"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"

	_ "github.com/fenchel-ml/fenchel/internal/pca/stream" // the methods register themselves
)

// What package view says of rows.
type (
	Rows = view.Rows
	Work = view.Work
)

// What package method says of methods, and of what they are given and return.
type (
	Problem = method.Problem
	Basis   = method.Basis

	Method   = method.Method
	Batch    = method.Batch
	Refining = method.Refining

	Streaming = method.Streaming
	State     = method.State
	Blocked   = method.Blocked
	Batched   = method.Batched
	Merger    = method.Merger
	Stuck     = method.Stuck
	Converged = method.Converged
	OwnScale  = method.OwnScale

	Kept   = method.Kept
	Keeper = method.Keeper
)

// What package spectral says of its states.
type (
	Spectrum = spectral.Spectrum
	Relaxed  = spectral.Relaxed
)

// A Certificate is what is proven of a basis: see [certificate.Certificate].
type Certificate = certificate.Certificate

// Certify proves how good the basis is for the rows: see [certificate.Certify].
func Certify(ctx context.Context, x Rows, b Basis, threads int, seed uint64) (Certificate, error) {
	return certificate.Certify(ctx, x, b, threads, seed)
}

// CertifyUntil is Certify that goes without the closest bound where enough reports that a
// quicker one will do.
func CertifyUntil(ctx context.Context, x Rows, b Basis, threads int, seed uint64, enough func(Certificate) bool) (Certificate, error) {
	return certificate.CertifyUntil(ctx, x, b, threads, seed, enough)
}

// New makes the method that spec describes: a name, or "name:key=value,...".
func New(spec string) (Method, error) { return method.New(spec) }

// Entries lists the methods by name.
func Entries() []registry.Entry[Method] { return method.Entries() }

// ChooseBatch returns the name of the batch method that takes the least time, and why: see
// [batch.Choose].
func ChooseBatch(n, d int, nonzeros int64, sparse bool, k int) (name, reason string) {
	return batch.Choose(n, d, nonzeros, sparse, k)
}

// OfSample returns components of a few rows in a bounded time: see [batch.OfSample].
func OfSample(x Rows, p Problem) (Basis, error) { return batch.OfSample(x, p) }

// BlockOf returns how many rows to give a state at a time: see [method.BlockOf].
func BlockOf(s State) int { return method.BlockOf(s) }

// Keep returns what s is made of, by name.
func Keep(s Keeper) map[string][]float64 { return method.Keep(s) }

// Restore makes s, freshly started, the state that was kept.
func Restore(s Keeper, lists map[string][]float64) error { return method.Restore(s, lists) }

// Preprocess returns rows that are centred and scaled as asked: see [view.Preprocess].
func Preprocess(x matrix.Matrix, scale string, center bool, threads int) (Rows, error) {
	return view.Preprocess(x, scale, center, threads)
}

// ColumnMeans returns the mean of every column.
func ColumnMeans(x matrix.Matrix, threads int) []float64 { return view.ColumnMeans(x, threads) }

// RayleighRitz returns the basis rotated within its span to the directions that capture the
// most: see [method.RayleighRitz].
func RayleighRitz(x Rows, b Basis, threads int) Basis { return method.RayleighRitz(x, b, threads) }

// Captured returns tr(U Sigma U^T): see [method.Captured].
func Captured(second []float64, u Basis) float64 { return method.Captured(second, u) }

// Suboptimality returns by how much less than the best u captures: see [method.Suboptimality].
func Suboptimality(second []float64, best float64, u Basis) float64 {
	return method.Suboptimality(second, best, u)
}

// Grid returns the powers of two with exponents from lo to hi.
func Grid(lo, hi int) []float64 { return schedule.Grid(lo, hi) }

// SimulationGrid and ImageGrid are the step sizes of the thesis's experiments.
func SimulationGrid() []float64 { return schedule.SimulationGrid() }

// ImageGrid is that of images.
func ImageGrid() []float64 { return schedule.ImageGrid() }
