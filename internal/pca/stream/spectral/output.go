package spectral

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// An Output says what the answer of a method of relaxed matrices is: which iterate (reference 1.5), how it
// is rounded to a subspace (1.4), and whether the regret is reported.
type Output struct {
	Iterate string // "random", "average", "best" by rows kept apart, or the last
	Round   string // "systematic", "decompose", "best" by rows kept apart, or the k largest eigenvalues
	Regret  bool
}

// outputHelp is what summaries of methods say of it.
const outputHelp = "iterate=last, random, average or best, round=top, systematic, decompose or best, regret=no or yes"

func outputOf(p *registry.Params) Output {
	return Output{p.Choice("iterate", "last", "random", "average", "best"), p.Choice("round", "top", "systematic", "decompose", "best"), p.Choice("regret", "no", "yes") == "yes"}
}

// denseCols is the largest d of which d x d numbers are added up for every row.
const denseCols = 2048

func (o Output) accepts(p method.Problem) error {
	switch {
	case p.Cols > denseCols && o.Iterate == "average":
		return fmt.Errorf("iterate=average: found %d features, expected at most %d: the mean is a dense matrix", p.Cols, denseCols)
	case p.Cols > denseCols && o.Regret:
		return fmt.Errorf("regret=yes: found %d features, expected at most %d: the best subspace in hindsight takes a dense matrix", p.Cols, denseCols)
	case o.rounds() && mostRank(p) < p.Cols:
		return fmt.Errorf("round=%s: found %d features, of which not all eigenvalues are kept, expected fewer or round=top", o.Round, p.Cols)
	}
	return nil
}

// rounds reports whether the answer is not that of the largest eigenvalues.
func (o Output) rounds() bool { return o.Round != "" && o.Round != "top" }

// judges reports whether rows are kept apart to judge by.
func (o Output) judges() bool { return o.Iterate == "best" || o.Round == "best" }

// visit shows the iterate before the step by x to what chooses one, and reports whether x is kept apart:
// then there is no step.
func (w *walk) visit(x []float64) (apart bool) {
	if w.jury != nil && w.jury.takes(x) {
		if n := w.jury.taken; w.output.Iterate == "best" && (n%64 == 0 || n&(n-1) == 0) {
			w.jury.best = w.jury.better(w.jury.best, w.rounded())
		}
		return true
	}
	if w.output.Iterate == "average" {
		w.iterate.visit(denseWalk{w})
	} else {
		w.iterate.visit(w)
	}
	return false
}

// note adds the loss of x, by the matrix before the step, to the regret.
func (w *walk) note(x []float64, eta float64) {
	if w.regret == nil {
		return
	}
	captured := w.a.weighted(x, w.believed(), 0)
	w.regret.AddM(x, captured)
	w.regret.step(eta, x, vec.SquaredNorm64(x)-captured, w.beliefs != nil)
}

// believed returns the eigenvalues of M.
func (w *walk) believed() []float64 {
	if w.beliefs == nil {
		return w.a.Value
	}
	return w.beliefs()
}

// denseWalk is a walk whose copies are M itself.
type denseWalk struct{ *walk }

func (w denseWalk) copyTo(dst []float64) []float64 {
	dst = algebra.Zeros(dst, w.a.cols*w.a.cols)
	spectralSum(dst, w.believed(), w.a.Directions(w.a.Rank()), w.a.cols)
	return dst
}

// answer returns the directions that are the answer.
func (w *walk) answer() []float64 {
	switch chosen := w.iterate.chosen(); {
	case w.output.Iterate == "best":
		return w.jury.better(w.jury.best, w.rounded())
	case chosen == nil:
		return w.rounded()
	case w.output.Iterate == "average":
		value := make([]float64, w.a.cols)
		vectors := new(algebra.Eigensystem).Decompose(value, append([]float64{}, chosen...), w.a.cols)
		return w.choose(value, vectors)
	default:
		return append([]float64{}, chosen...)
	}
}

// rounded returns the k directions that the current matrix is rounded to.
func (w *walk) rounded() []float64 {
	if !w.output.rounds() {
		return w.a.Directions(w.k)
	}
	return w.choose(w.believed(), w.a.Directions(w.a.Rank()))
}

// roundStream names the random numbers of rounding among those of a seed.
const roundStream = 0x726f756e64 // "round"

// choose rounds a matrix of these eigenvalues and directions. What is drawn depends on the seed and the
// number of rows alone.
func (w *walk) choose(p, directions []float64) []float64 {
	d := w.a.cols
	u := 1 - rand.New(rand.NewPCG(w.seed^roundStream, uint64(w.cost.Steps))).Float64()
	p = append([]float64{}, p...)
	for i, v := range p {
		p[i] = min(max(v, 0), 1) // but for rounding
	}
	var index []int
	var err error
	switch w.output.Round {
	case "systematic":
		index, err = Systematic(p, w.k, u)
	case "decompose":
		var pieces []Piece
		pieces, err = Decompose(p, w.k)
		for _, piece := range pieces {
			if index = piece.Index; u <= piece.Probability {
				break
			}
			u -= piece.Probability
		}
	case "best":
		index, err = Best(p, w.k, func(index []int) float64 { return w.jury.captured(gather(directions, index, d)) })
	default:
		index = TopK(p, w.k)
	}
	if err != nil { // no probabilities: rows so large that rounding shows
		index = TopK(p, w.k)
	}
	return gather(directions, index, d)
}

// gather returns the rows of an index.
func gather(rows []float64, index []int, d int) (some []float64) {
	for _, i := range index {
		some = append(some, rows[i*d:(i+1)*d]...)
	}
	return some
}

// A jury are rows kept apart, one in juryShare until there are juryRows and then a random sample of
// these, by which bases are judged. They are never learned.
type jury struct {
	seed  uint64
	cols  int
	seen  int       // rows so far
	taken int       // of them, kept apart
	rows  []float64 // at most juryRows of those
	best  []float64 // the best basis at the judgements so far
}

const (
	juryShare  = 16
	juryRows   = 256
	juryStream = 0x6a757279 // "jury"
)

// takes reports whether x is kept apart.
func (j *jury) takes(x []float64) bool {
	draw := rand.NewPCG(j.seed^juryStream, uint64(j.seen))
	j.seen++
	if draw.Uint64()%juryShare != 0 {
		return false
	}
	j.taken++
	if len(j.rows) < juryRows*j.cols {
		j.rows = append(j.rows, x...)
	} else if at, _ := bits.Mul64(draw.Uint64(), uint64(j.taken)); at < juryRows {
		copy(j.rows[int(at)*j.cols:], x)
	}
	return true
}

// captured returns the sum over the rows of what a basis captures.
func (j *jury) captured(basis []float64) float64 {
	var sum vec.Sum
	for lo := 0; lo < len(j.rows); lo += j.cols {
		for at := 0; at < len(basis); at += j.cols {
			product := vec.Dot64(j.rows[lo:lo+j.cols], basis[at:at+j.cols])
			sum.Add(float64(product * product))
		}
	}
	return sum.Value()
}

// better returns the basis that captures more, the later one of equals.
func (j *jury) better(before, now []float64) []float64 {
	if before != nil && j.captured(before) > j.captured(now) {
		return before
	}
	return append([]float64{}, now...)
}

// Keep visits everything.
func (j *jury) Keep(k *method.Kept) {
	k.Count("seen", &j.seen)
	k.Count("taken", &j.taken)
	k.List("rows", &j.rows)
	k.List("best", &j.best)
	k.Require(len(j.rows) == min(j.taken, juryRows)*j.cols && len(j.best)%j.cols == 0, "state: found %d numbers of %d rows kept apart", len(j.rows), j.taken)
	if len(j.best) == 0 {
		j.best = nil
	}
}

// Regretted is what a method lost to the best subspace of the rows that it has seen, as means over them.
type Regretted struct {
	Rows  int
	Mean  float64
	Best  float64 // the loss of that subspace: L* of the bounds
	Bound float64 // infinite: nothing is proved
}

// Regret returns what was lost; not ok where that was not asked for.
func (w *walk) Regret() (r Regretted, ok bool) {
	if w.regret == nil {
		return r, false
	}
	distance := w.distance
	if distance == 0 {
		distance = float64(min(w.k, w.a.cols-w.k))
	}
	best := w.regret.Best()
	r = Regretted{w.regret.rows, w.regret.above(best), best, w.regret.bound(distance)}
	if w.unproved {
		r.Bound = math.Inf(1)
	}
	return r, true
}
