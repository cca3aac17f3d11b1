package spectral

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A probe asks whether the first k directions of a state are the right ones, by
// comparing the k-th with one that is kept beside the state and outside of its
// first k: the answer cannot be right while a direction outside captures more
// than one inside. (The state alone cannot tell: one that has settled and one
// that is stuck both forget all that is new.)
//
// The outside direction u follows what the first k leave of x by Oja's rule,
//
//	r = x - U_k^T U_k x,   u <- u + eta_n (u^T r) r,  |u| = 1,  eta_n = 2/(sqrt(n) mean |r|^2)
//
// and (U_k x)_k^2 - (u^T x)^2 is taken before u learns from x, so that its mean is
// unbiased. One row of eight is compared, chosen by a fixed hash of its number, so
// that the cost is a tenth of a step's.
type probe struct {
	u     []float64
	seen  int     // rows so far
	asked int     // of them, compared
	size  float64 // sum of |r|^2 over these

	window, streak tally // since the last verdict; since the last sign of change
	entered        int   // rows of the window that brought a new direction
	forgotten      int   // of them, those whose direction was dropped as it was
	isStuck        bool  // the verdict: in the last window nearly all that was new was forgotten, although a direction outside captures more than the k-th
	calm           int   // windows in the streak

	rest []float64 // scratch
}

const (
	probeWindow = 1024 // rows between verdicts
	sureErrors  = 3    // standard errors that count as certain
	wholly      = 0.9  // share that counts as all
)

// A tally is of the differences of two squared products.
type tally struct{ n, sum, squares float64 }

func (t *tally) add(v float64) { t.n, t.sum, t.squares = t.n+1, t.sum+v, t.squares+float64(v*v) }

// above reports whether the mean is above zero by a number of standard errors.
func (t tally) above(errors float64) bool {
	if t.n < 2 {
		return false
	}
	mean := t.sum / t.n
	variance := max(0, t.squares/t.n-float64(mean*mean)) / (t.n - 1)
	return mean > float64(errors*math.Sqrt(variance))
}

func (t tally) negative() tally    { return tally{t.n, -t.sum, t.squares} }
func (t tally) plus(u tally) tally { return tally{t.n + u.n, t.sum + u.sum, t.squares + u.squares} }

func (t tally) mean() float64 { return t.sum / max(t.n, 1) }

// opposes reports whether both are certain, of opposite signs.
func (t tally) opposes(u tally) bool {
	return t.above(sureErrors) && u.negative().above(sureErrors) || t.negative().above(sureErrors) && u.above(sureErrors)
}

func newProbe(p method.Problem) probe {
	u := make([]float64, p.Cols)
	algebra.FillNormal(u, rand.NewPCG(p.Seed, probeStream))
	return probe{u: u, rest: make([]float64, p.Cols)}
}

// probeStream names the random numbers of a probe among those of a seed.
const probeStream = 0x70726f6265 // "probe"

// compare compares what is captured of x, before the state learns from it.
func (p *probe) compare(a *Spectral, k int, x []float64) {
	p.seen++
	if bits.Reverse64(uint64(p.seen)*0x9e3779b97f4a7c15)&7 != 0 {
		return
	}
	a.leftOver(p.rest, p.u, k)
	norm := math.Sqrt(vec.SquaredNorm64(p.rest))
	if !(norm > algebra.Negligible) {
		return // k = d
	}
	copy(p.u, p.rest)
	algebra.Scale(p.u, 1/norm)
	y := a.leftOver(p.rest, x, k)
	outside := vec.Dot64(p.u, x)
	p.window.add(float64(y*y) - float64(outside*outside))
	p.learn(outside)
}

// learn turns u towards rest, whose product with u is given.
func (p *probe) learn(product float64) {
	square := vec.SquaredNorm64(p.rest)
	p.asked++
	p.size += square
	if !(p.size > 0) {
		return
	}
	eta := min(2*float64(p.asked)/(math.Sqrt(float64(p.asked))*p.size), 2/square)
	vec.Axpy64(p.u, eta*product, p.rest)
	algebra.Scale(p.u, 1/math.Sqrt(vec.SquaredNorm64(p.u)))
}

// count notes whether the row brought a new direction, and whether that is what is
// dropped when only the first r stay; quiet says that the state has nothing left
// to decide. It reports whether there is a new verdict.
func (p *probe) count(entered bool, a *Spectral, r int, quiet bool) bool {
	if entered {
		p.entered++
		for i := r; i < a.Rank(); i++ {
			if a.Fresh(i) > wholly {
				p.forgotten++
			}
		}
	}
	if p.seen%probeWindow != 0 {
		return false
	}
	p.judge(quiet, float64(p.forgotten) >= wholly*float64(p.entered))
	return true
}

// judge ends the window. Windows are taken together as long as the directions
// cannot have changed much, and the newest does not say the opposite.
func (p *probe) judge(quiet, deaf bool) {
	now := p.window
	if all := p.streak.plus(now); (quiet || deaf) && !p.streak.opposes(now) {
		now = all
	} else {
		p.calm = 0
	}
	p.streak, p.window, p.entered, p.forgotten = now, tally{}, 0, 0
	worse := p.streak.negative().above(sureErrors)
	p.isStuck = worse && deaf
	if p.calm++; worse || !quiet {
		p.calm = 0
	}
}

// restart forgets the verdict and its evidence.
func (p *probe) restart() { p.streak, p.calm, p.isStuck = tally{}, 0, false }

// calmWindows is for how many windows nothing must have changed.
const calmWindows = 4

func (p *probe) keep(k *method.Kept) {
	k.List("probe", &p.u)
	k.Require(len(p.u) == len(p.rest), "state: found a probe of %d numbers, expected %d", len(p.u), len(p.rest))
	k.Count("probe-seen", &p.seen)
	k.Count("probe-asked", &p.asked)
	k.Number("probe-size", &p.size)
	for _, t := range []struct {
		name string
		of   *tally
	}{{"window", &p.window}, {"streak", &p.streak}} {
		k.Number(t.name+"-n", &t.of.n)
		k.Number(t.name+"-sum", &t.of.sum)
		k.Number(t.name+"-squares", &t.of.squares)
	}
	k.Count("entered", &p.entered)
	k.Count("forgotten", &p.forgotten)
	k.Count("calm", &p.calm)
	stuck := 0
	if p.isStuck {
		stuck = 1
	}
	k.Count("stuck", &stuck)
	p.isStuck = stuck == 1
}
