package training

import (
	"context"
	"fmt"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// tester evaluates models on the way, as long as that takes a small part of the work of
// training, by what is touched: numbers of rows, or values of a kernel.
type tester struct {
	set     *data.Set
	rows    float64 // numbers in the rows of the training data
	threads int
	work    float64 // of all evaluations so far
}

// NewTester returns an evaluator that scores models on a test set during training, so often that it takes
// testShare of the work at most.
func NewTester(set, training *data.Set, threads int) *tester {
	return &tester{set: set, rows: float64(matrix.Nonzeros(training.X)), threads: threads}
}

// testShare is the part of the work of training that evaluations may take.
const testShare = 0.1

// ErrorAt returns the error of the model of a certificate, as errorOn does; "" also where it would take too long.
func (t *tester) ErrorAt(p fenchel.Progress) (value float64, name string) {
	if p.Model == nil {
		return 0, ""
	}
	done, work := float64(p.Epoch)*t.rows, float64(matrix.Nonzeros(t.set.X))
	if p.Evaluations.Computed == 0 && t.work+work > testShare*done {
		return 0, ""
	}
	m := p.Model()
	if m.Support != nil {
		done, work = float64(p.Evaluations.Computed), float64(m.Support.Len())*float64(t.set.Rows())
	}
	if t.work+work > testShare*done {
		return 0, ""
	}
	t.work += work
	return errorOn(m, t.set, t.threads)
}

// errorWords writes an error on the test data; "": there is none.
func errorWords(value float64, name string) string {
	switch name {
	case "error":
		return "test error " + printing.Percent(value)
	case "RMSE":
		return fmt.Sprintf("test RMSE %.4g", value)
	}
	return ""
}

// errorOn returns the share of wrong classes, "error", or the error of numbers, "RMSE", of a
// model on a set; "" if neither can be told.
func errorOn(m *model.Model, set *data.Set, threads int) (value float64, name string) {
	switch e, err := fenchel.Evaluate(context.Background(), m, set, fenchel.Options{Threads: threads}); {
	case err != nil:
	case e.Error != nil:
		return *e.Error, "error"
	case e.RMSE != nil:
		return *e.RMSE, "RMSE"
	}
	return 0, ""
}
