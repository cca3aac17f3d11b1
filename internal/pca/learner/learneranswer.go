package learner

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/matrix"
)

// An Answer is what came of a stream.
type Answer struct {
	Basis   method.Basis // with the variance along each component
	Learned int          // rows
	Mean    []float64    // nil: not centred
	Factor  []float64    // nil: not scaled
	Total   float64      // mean squared norm of the learned rows, about their mean if centred
	HeldOut []int        // numbers of the rows that were not learned, from 0
	Score   HeldOut      // what the components capture of them
	State   method.State
}

// Answer returns what came of the rows so far. The learner goes on as if it had
// not been asked.
func (l *Learner) Answer() (Answer, error) {
	if l.taken == 0 {
		return Answer{}, fmt.Errorf("found no rows, expected at least one")
	}
	last := *l
	if l.state != nil {
		last.state = l.method.Start(l.problem)
		if err := method.Restore(last.state, method.Keep(l.state)); err != nil {
			return Answer{}, err
		}
		last.mean = append([]float64(nil), l.mean...)
		if l.moments != nil {
			last.moments = scaling.NewMoments(&matrix.Dense{Cols: l.problem.Cols}, 1)
			last.moments.Merge(l.moments)
		}
	}
	if last.pending.rows() == 0 && last.state == nil { // all few rows were held out
		last.pending, last.held = rowStore{}, reservoir{first: l.held.first, limit: l.held.first}
		for _, v := range l.held.rows {
			last.pending.add(v)
		}
	}
	sample := last.held
	if last.pending.rows() > 0 {
		if last.state == nil {
			if err := last.start(); err != nil {
				return Answer{}, err
			}
		}
		if len(sample.rows) == 0 { // of so few rows none was held out
			for i := range last.pending.rows() {
				sample.add(i, last.pending.row(i))
			}
		}
		last.learn(true)
	}
	last.settleScale()
	return last.answer(sample.matrix(l.problem.Cols)), nil
}

// answer is Answer when nothing waits; the sample is of rows that tell variances to
// methods that do not know them.
func (l *Learner) answer(sample matrix.Matrix) Answer {
	a := Answer{Basis: l.state.Basis(), Learned: l.learned, Mean: l.mean, Factor: l.factor,
		Total: l.total(), State: l.state}
	if !l.all {
		a.HeldOut = l.held.numbers
	}
	if len(a.HeldOut) > 0 {
		a.Score = NewHeldOut(view.Rows{X: l.held.matrix(l.problem.Cols), Offset: l.mean, Factor: l.factor}, a.Basis)
	}
	_, own := l.state.(method.OwnScale)
	if _, follows := l.state.(Rescaled); own || l.moments != nil && !follows {
		a.Basis.Value = nil
	}
	if a.Basis.Value == nil {
		l.estimate(&a.Basis, view.Rows{X: sample, Offset: l.mean, Factor: l.factor}, a.Total)
	} else {
		algebra.Scale(a.Basis.Value, float64(l.learned+l.extra)/float64(l.learned))
	}
	a.Basis.Orient()
	return a
}

// estimate sets the variances along the components by a sample: its shares of the
// total of all rows. The components are put in their order.
func (l *Learner) estimate(b *method.Basis, sample view.Rows, total float64) {
	b.Along(sample, l.problem.Threads)
	if squared, _ := sample.Sizes(l.problem.Threads); squared > 0 {
		algebra.Scale(b.Value, total/squared)
	}
	*b = b.Sorted()
}
