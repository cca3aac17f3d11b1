package main

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/train"
)

// tester evaluates models on the way, as long as that takes a small part of the work of
// training, by what is touched: numbers of rows, or values of a kernel.
type tester struct {
	set     *dataset.Set
	rows    float64 // numbers in the rows of the training data
	threads int
	work    float64 // of all evaluations so far
}

func newTester(set, training *dataset.Set, threads int) *tester {
	return &tester{set: set, rows: float64(matrix.Nonzeros(training.X)), threads: threads}
}

// testShare is the part of the work of training that evaluations may take.
const testShare = 0.1

// look returns the error of the model of a certificate in words; "" where there is none, or it
// would take too long.
func (t *tester) look(p train.Progress) string {
	if p.Model == nil {
		return ""
	}
	done, work := float64(p.Epoch)*t.rows, float64(matrix.Nonzeros(t.set.X))
	if p.Evaluations.Computed == 0 && t.work+work > testShare*done {
		return ""
	}
	m := p.Model()
	if m.Support != nil {
		done, work = float64(p.Evaluations.Computed), float64(m.Support.Len())*float64(t.set.Rows())
	}
	if t.work+work > testShare*done {
		return ""
	}
	t.work += work
	return t.words(m)
}

func (t *tester) words(m *model.Model) string {
	switch e, err := train.Evaluate(m, t.set, t.threads); {
	case err != nil:
		return ""
	case e.Error != nil:
		return "test error " + percent(*e.Error)
	case e.RMSE != nil:
		return fmt.Sprintf("test RMSE %.4g", *e.RMSE)
	}
	return ""
}
