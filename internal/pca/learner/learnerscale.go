package learner

import (
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// How a learner scales. The factors are those of the moments of all rows learned so
// far, so that a feature that varies late, or more than at first, is scaled as it
// would be if all rows were there. Rows that were learned had other factors before:
// a state that adds up squares is multiplied by the ratios, and others, whose
// directions follow the latest rows, adapt.

// Rescaled is a State that stands for the sum of x x^T, and can be made that of the
// rows with feature j multiplied by by[j].
type Rescaled interface{ Rescale(by []float64) }

// currentFactor returns the factors of the rows learned so far. A feature that has
// been constant and is not centred counts with its size, as it may vary later.
func (l *Learner) currentFactor() []float64 {
	factor := l.finalFactor()
	for j := range factor {
		if low := float64(l.moments.Low[j]); factor[j] == 0 && !l.centres() && low != 0 {
			factor[j] = 1 / max(low, -low)
		}
	}
	return factor
}

// finalFactor returns the factors as [data.Moments.Scaling] has them.
func (l *Learner) finalFactor() []float64 {
	s, err := l.moments.Scaling(l.scale, l.center)
	if err != nil {
		panic(err) // the kind of scaling was taken for the first rows
	}
	return s.Factor
}

func (l *Learner) centres() bool { return l.center || l.scale == "thesis" }

// rescale replaces the factors, of what was learned too. Of a feature with the factor 0
// nothing was learned that another would multiply.
func (l *Learner) rescale(factor []float64) {
	if s, ok := l.state.(Rescaled); ok && l.learned > 0 {
		by := make([]float64, len(factor))
		for j, f := range l.factor {
			if by[j] = 1; f != 0 {
				by[j] = factor[j] / f
			}
		}
		s.Rescale(by)
	}
	l.factor = factor
}

// settleScale makes the scale that of all rows, which are all learned.
func (l *Learner) settleScale() {
	if l.moments != nil {
		l.rescale(l.finalFactor())
	}
}

// total returns the mean squared norm of the learned rows.
func (l *Learner) total() float64 {
	if l.moments == nil {
		return l.squares / float64(l.learned)
	}
	n := float64(l.moments.Rows)
	var sum vec.Sum
	for j, f := range l.factor {
		squares := l.moments.Squares[j]
		if !l.centres() {
			mean := l.moments.Mean[j]
			squares += float64(n * float64(mean*mean))
		}
		sum.Add(float64(f*f) * squares)
	}
	return sum.Value() / n
}

// keepMoments visits the moments, of which a stream that is not scaled has none.
func (l *Learner) keepMoments(k *method.Kept) {
	d := l.problem.Cols
	m := l.moments
	if m == nil {
		if !k.Restoring() || len(l.factor) == 0 {
			return
		}
		m = &scaling.Moments{}
	}
	rows := int(m.Rows)
	low, high := widened(m.Low), widened(m.High)
	k.Count("stream.moments.rows", &rows)
	k.List("stream.moments.mean", &m.Mean)
	k.List("stream.moments.squares", &m.Squares)
	k.List("stream.moments.low", &low)
	k.List("stream.moments.high", &high)
	k.Number("stream.moments.second", &m.Second)
	if !k.Restoring() {
		return
	}
	k.Require(len(m.Mean) == d && len(m.Squares) == d && len(low) == d && len(high) == d && rows == l.learned, "state: found moments of %d features and %d rows, expected %d and %d", len(m.Mean), rows, d, l.learned)
	m.Rows, m.Low, m.High = int64(rows), narrowed[float32](low), narrowed[float32](high)
	l.moments = m
}
