package training

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/read/file"
)

// tracer collects a line for each epoch for --trace. Bounds are known after those that a
// certificate follows: more of them would change the course of a solver.
type tracer struct {
	t     *Trainer
	lines []traced
	last  map[int]int // of each class, its last line
}

// traced is a line.
type traced struct {
	fenchel.Output
	epoch          int
	train, certify time.Duration
	bounds         []float64 // primal, dual and gap; nil: no certificate was made
	estimate       float64   // of the gap by the solver; NaN: none
	test           string
	values         gram.Counts
}

func NewTracer(t *Trainer) *tracer { return &tracer{t: t, last: map[int]int{}} }

// step adds a line for an epoch that was made.
func (tr *tracer) step(s fenchel.Step) {
	if s.Epoch > 0 {
		tr.add(traced{Output: s.Output, epoch: s.Epoch, train: s.Train, certify: s.Certify, estimate: s.Estimate, values: s.Evaluations()})
	}
}

// look completes the line of the epoch with its certificate, or adds one. The test error of a
// point is known only where the point is the whole model: with one output.
func (tr *tracer) look(p fenchel.Progress) {
	c := p.Certificate
	line := traced{Output: p.Output, epoch: p.Epoch, train: p.Train, certify: p.Certify, estimate: math.NaN(), values: p.Evaluations,
		bounds: []float64{c.Primal, c.Dual, c.Relative()}, test: tr.testError(p)}
	if at, ok := tr.last[p.Class]; ok && tr.lines[at].epoch == p.Epoch && tr.lines[at].bounds == nil {
		line.estimate = tr.lines[at].estimate
		tr.lines[at] = line
		return
	}
	tr.add(line)
}

func (tr *tracer) add(line traced) {
	tr.last[line.Class] = len(tr.lines)
	tr.lines = append(tr.lines, line)
}

func (tr *tracer) testError(p fenchel.Progress) string {
	if tr.t.TestSet == nil || p.Classes > 1 || p.Model == nil {
		return ""
	}
	if value, name := errorOn(p.Model(), tr.t.TestSet, tr.t.In.Opt.Threads); name != "" {
		return fmt.Sprint(value)
	}
	return ""
}

// write writes the lines, class after class.
func (tr *tracer) write(path string) error {
	slices.SortStableFunc(tr.lines, func(a, b traced) int { return cmp.Compare(a.Class, b.Class) })
	return file.WriteFile(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		_ = out.Write(tr.Head()) // the writer remembers its error
		for _, line := range tr.lines {
			_ = out.Write(tr.cells(line))
		}
		out.Flush()
		return out.Error()
	})
}

func (tr *tracer) Head() []string {
	head := []string{"class", "epoch", "train_seconds", "certify_seconds", "primal", "dual", "gap", "test_error"}
	if tr.t.Spec.IsMachine() {
		head = append(head, "evaluations_requested", "evaluations_computed", "evaluations_prefetched", "inner_products")
	}
	return append(head, "gap_estimate")
}

func (tr *tracer) cells(line traced) []string {
	bounds := []string{"", "", ""}
	for k, x := range line.bounds {
		bounds[k] = printing.Decimal(x)
	}
	cells := append([]string{line.Name, strconv.Itoa(line.epoch), printing.Decimal(line.train.Seconds()), printing.Decimal(line.certify.Seconds())}, bounds...)
	if cells = append(cells, line.test); tr.t.Spec.IsMachine() {
		for _, n := range []int64{line.values.Requested, line.values.Computed, line.values.Prefetched, line.values.Products} {
			cells = append(cells, strconv.FormatInt(n, 10))
		}
	}
	estimate := ""
	if !math.IsNaN(line.estimate) && !math.IsInf(line.estimate, 0) {
		estimate = printing.Decimal(line.estimate)
	}
	return append(cells, estimate)
}
