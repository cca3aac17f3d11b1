package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
)

// A measurement is one row of results.csv. What does not apply is empty or
// zero.
type measurement struct {
	Race                    string
	Kind                    string // of row within the race
	Set                     string
	Rows, Columns, Nonzeros int64
	Loss, Lambda            string // lambda as spelled in lambdas
	Kernel                  string // "rbf:gamma=0.05"; "": a linear model
	Contender               string // "fenchel", "liblinear -s 3", ...
	Setting                 string // what was chosen for the contender: "e=0.1"
	Threads                 int
	Target                  float64 // accuracy asked for; 0: none
	Repeat                  int
	Seconds                 float64
	Certify                 float64 // seconds of proof, on top
	Objective, Accuracy     float64
	Bytes                   int64   // of the input
	Peak                    int64   // bytes of memory
	Support, Evaluations    int64   // of kernel machines: vectors, values of the kernel computed; of products and steps: operations
	Test                    float64 // share of the test rows that are classified correctly
	Components              int64   // of a race of principal components: k
	Total                   float64 // variance of the rows, of which components capture Objective
	Note                    string
}

// log gathers measurements.
type log struct{ rows []measurement }

func (l *log) add(m measurement) { l.rows = append(l.rows, m) }

var csvHeader = []string{"race", "kind", "set", "rows", "columns", "nonzeros", "loss", "lambda", "contender", "setting", "threads",
	"target", "repeat", "seconds", "certify_seconds", "objective", "accuracy", "input_bytes", "peak_bytes",
	"kernel", "support", "evaluations", "test_accuracy", "components", "total", "note"}

func (m measurement) record() []string {
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

// writeCSV writes the measurements to a file.
func writeCSV(path string, rows []measurement) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := csv.NewWriter(file)
	records := [][]string{csvHeader}
	for _, m := range rows {
		records = append(records, m.record())
	}
	if err := out.WriteAll(records); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return file.Close()
}

// timing is the times of the same work, done several times.
type timing struct {
	Best, Median float64
	N            int
}

func (t timing) found() bool { return t.N > 0 }

// timingOf summarises the seconds of rows.
func timingOf(rows []measurement) timing {
	if len(rows) == 0 {
		return timing{Best: math.Inf(1), Median: math.Inf(1)}
	}
	seconds := make([]float64, len(rows))
	for i, m := range rows {
		seconds[i] = m.Seconds
	}
	slices.Sort(seconds)
	n := len(seconds)
	return timing{Best: seconds[0], Median: (seconds[(n-1)/2] + seconds[n/2]) / 2, N: n}
}

// where returns the rows that a predicate accepts, in their order.
func where(rows []measurement, accept func(measurement) bool) []measurement {
	var kept []measurement
	for _, m := range rows {
		if accept(m) {
			kept = append(kept, m)
		}
	}
	return kept
}

// distinct returns the values of a key in the order they first appear.
func distinct[K comparable](rows []measurement, key func(measurement) K) []K {
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

// ownName is Fenchel among the contenders.
const ownName = "fenchel"

// outOfBudget is a note that says nothing about the competitor.
const outOfBudget = "the budget was spent"

// What an epoch of dual coordinate ascent must move at least, see the race of memory.
const (
	bytesPerNonzero = 8
	bytesPerRow     = 48
)
