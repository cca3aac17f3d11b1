package spectral

import (
	"math/bits"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
)

// Which iterate of a run is its answer (reference 1.5). The theory bounds the mean
// of all iterates M_1, ..., M_T, each taken before the update by its row, and the
// expectation of one drawn uniformly; experiments take the last.

// A copier is the current iterate: a matrix M, a basis, or whatever describes one.
type copier interface {
	// copyTo writes it to the memory of dst if there is enough, and returns it.
	copyTo(dst []float64) []float64
}

// An iterate chooses one from a run. Law: chosen is what was chosen from the
// iterates visited so far; nil stands for the current one.
type iterate interface {
	visit(c copier)
	chosen() []float64
	Keep(k *method.Kept)
}

// newIterate returns the one of a name, "last" unless it is "random" or "average"; of the best one see
// [jury].
func newIterate(name string, seed uint64) iterate {
	switch name {
	case "random":
		return &randomIterate{seed: seed}
	case "average":
		return &averageIterate{}
	}
	return lastIterate{}
}

// lastIterate is the current one. Nothing is kept.
type lastIterate struct{}

func (lastIterate) visit(copier)      {}
func (lastIterate) chosen() []float64 { return nil }
func (lastIterate) Keep(*method.Kept) {}

// randomIterate is one of T, each with probability 1/T whatever T: iterate t
// replaces the one before with probability 1/t. About ln T are copied. The draw
// of step t depends on the seed and t alone.
type randomIterate struct {
	answer
	seed uint64
}

// iterateStream names the random numbers of iterates among those of a seed.
const iterateStream = 0x69746572617465 // "iterate"

func (r *randomIterate) visit(c copier) {
	r.t++
	draw := rand.NewPCG(r.seed^iterateStream, uint64(r.t)).Uint64()
	if below, _ := bits.Mul64(draw, uint64(r.t)); below == 0 { // of 0, ..., t-1
		r.value = c.copyTo(r.value)
	}
}

// An answer is what was chosen from t iterates.
type answer struct {
	t     int
	value []float64
}

func (a *answer) chosen() []float64 { return a.value }

func (a *answer) Keep(k *method.Kept) {
	k.Count("iterates", &a.t)
	k.List("iterate", &a.value)
	k.Require((a.t == 0) == (len(a.value) == 0), "state: found an iterate of %d numbers after %d rows", len(a.value), a.t)
}

// averageIterate is the mean of all, which means something for dense matrices
// only: it has rank up to d where each iterate has few.
type averageIterate struct {
	answer
	next []float64
}

func (a *averageIterate) visit(c copier) {
	a.next = c.copyTo(a.next)
	if a.t++; a.t == 1 {
		a.value = append(a.value[:0], a.next...)
		return
	}
	for i, v := range a.next {
		a.value[i] += (v - a.value[i]) / float64(a.t)
	}
}
