// Package measure has what the races write down: a measurement, the record of a run with
// its machine, the two files they are kept in, and how times and ratios are spelled.
// It imports no other room of the races. A stranger begins with [Measurement].
package measure

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
)

// A Measurement is one row of results.csv. What does not apply is empty or
// zero.
type Measurement struct {
	Race                 string
	Kind                 string // of row within the race
	Set                  string
	Loss, Lambda         string // lambda as spelled in lambdas
	Kernel               string // "rbf:gamma=0.05"; "": a linear model
	Contender            string // "fenchel", "liblinear -s 3", ...
	Setting              string // what was chosen for the contender: "e=0.1"
	Threads              int
	Target               float64 // accuracy asked for; 0: none
	Repeat               int
	Seconds              float64
	Certify              float64 // seconds of proof, on top
	Objective, Accuracy  float64
	Peak                 int64   // bytes of memory
	Support, Evaluations int64   // of kernel machines: vectors, values of the kernel computed; of products and steps: operations
	Test                 float64 // share of the test rows that are classified correctly
	Components           int64   // of a race of principal components: k
	Total                float64 // variance of the rows, of which components capture Objective
	Note                 string

	Size // of the input
}

// Size is how much was read.
type Size struct {
	Rows, Columns, Nonzeros int64
	Bytes                   int64 // of the input
}

// Log gathers measurements.
type Log struct{ Rows []Measurement }

func (l *Log) Add(m Measurement) { l.Rows = append(l.Rows, m) }

var CsvHeader = []string{"race", "kind", "set", "rows", "columns", "nonzeros", "loss", "lambda", "contender", "setting", "threads",
	"target", "repeat", "seconds", "certify_seconds", "objective", "accuracy", "input_bytes", "peak_bytes",
	"kernel", "support", "evaluations", "test_accuracy", "components", "total", "note"}

func (m Measurement) record() []string {
	f := func(x float64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	i := func(x int64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatInt(x, 10)
	}
	accuracy := f(m.Accuracy)
	if m.Objective != 0 {
		accuracy = strconv.FormatFloat(m.Accuracy, 'g', 4, 64) // zero: the best of all
	}
	return []string{m.Race, m.Kind, m.Set, i(m.Rows), i(m.Columns), i(m.Nonzeros), m.Loss, m.Lambda, m.Contender, m.Setting, i(int64(m.Threads)),
		f(m.Target), i(int64(m.Repeat)), f(m.Seconds), f(m.Certify), f(m.Objective), accuracy, i(m.Bytes), i(m.Peak),
		m.Kernel, i(m.Support), i(m.Evaluations), f(m.Test), i(m.Components), f(m.Total), m.Note}
}

// WriteCSV writes the measurements to a file.
func WriteCSV(path string, rows []Measurement) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := csv.NewWriter(file)
	records := [][]string{CsvHeader}
	for _, m := range rows {
		records = append(records, m.record())
	}
	if err := out.WriteAll(records); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return file.Close()
}

// Timing is the times of the same work, done several times.
type Timing struct {
	Best, Median float64
	N            int
}

func (t Timing) Found() bool { return t.N > 0 }

// TimingOf summarises the seconds of rows.
func TimingOf(rows []Measurement) Timing {
	if len(rows) == 0 {
		return Timing{Best: math.Inf(1), Median: math.Inf(1)}
	}
	seconds := make([]float64, len(rows))
	for i, m := range rows {
		seconds[i] = m.Seconds
	}
	slices.Sort(seconds)
	n := len(seconds)
	return Timing{Best: seconds[0], Median: (seconds[(n-1)/2] + seconds[n/2]) / 2, N: n}
}

// Where returns the rows that a predicate accepts, in their order.
func Where(rows []Measurement, accept func(Measurement) bool) []Measurement {
	var kept []Measurement
	for _, m := range rows {
		if accept(m) {
			kept = append(kept, m)
		}
	}
	return kept
}

// Distinct returns the values of a key in the order they first appear.
func Distinct[K comparable](rows []Measurement, key func(Measurement) K) []K {
	var keys []K
	seen := map[K]bool{}
	for _, m := range rows {
		if k := key(m); !seen[k] {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	return keys
}

// OwnName is Fenchel among the contenders.
const OwnName = "fenchel"

// OutOfBudget is a note that says nothing about the competitor.
const OutOfBudget = "the budget was spent"

// What an epoch of dual coordinate ascent must move at least, see the race of memory.
const (
	BytesPerNonzero = 8
	BytesPerRow     = 48
)
