package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/train"
)

// tracer collects one line per certificate for --trace.
type tracer struct {
	t    *trainer
	rows [][]string
}

func newTracer(t *trainer) *tracer {
	head := []string{"class", "epoch", "train_seconds", "certify_seconds", "primal", "dual", "gap", "test_error"}
	if t.spec.IsMachine() {
		head = append(head, "evaluations_requested", "evaluations_computed", "evaluations_prefetched", "inner_products")
	}
	return &tracer{t: t, rows: [][]string{head}}
}

// look adds a line. The test error of a point is known only where the point is
// the whole model: with one output.
func (tr *tracer) look(p train.Progress) {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	c := p.Certificate
	class := ""
	if p.Classes > 1 {
		class = strconv.Itoa(p.Class + 1)
	}
	row := []string{class, strconv.Itoa(p.Epoch), number(p.Train.Seconds()), number(p.Certify.Seconds()),
		number(c.Primal), number(c.Dual), number(c.Relative()), tr.testError(p)}
	if tr.t.spec.IsMachine() {
		for _, n := range []int64{p.Evaluations.Requested, p.Evaluations.Computed, p.Evaluations.Prefetched, p.Evaluations.Products} {
			row = append(row, strconv.FormatInt(n, 10))
		}
	}
	tr.rows = append(tr.rows, row)
}

func (tr *tracer) testError(p train.Progress) string {
	if tr.t.testSet == nil || p.Classes > 1 || p.Model == nil {
		return ""
	}
	e, err := train.Evaluate(p.Model(), tr.t.testSet, tr.t.in.opt.Threads)
	if err != nil {
		return ""
	}
	if e.Error != nil {
		return fmt.Sprint(*e.Error)
	}
	if e.RMSE != nil {
		return fmt.Sprint(*e.RMSE)
	}
	return ""
}

// write writes the lines.
func (tr *tracer) write(path string) error {
	return dataset.WriteFile(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		if err := out.WriteAll(tr.rows); err != nil {
			return err
		}
		return out.Error()
	})
}
