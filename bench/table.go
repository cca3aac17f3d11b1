package main

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// table is text in columns.
type table struct {
	header []string
	rows   [][]string
}

func newTable(header ...string) *table { return &table{header: header} }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// markdown returns the table for a page.
func (t *table) markdown() string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.header)
	rule := make([]string, len(t.header))
	for i := range rule {
		rule[i] = "---"
	}
	line(rule)
	for _, cells := range t.rows {
		line(cells)
	}
	return b.String()
}

// under returns the table below a heading and a remark, "" when it is empty.
func (t *table) under(heading, remark string) string {
	if len(t.rows) == 0 {
		return ""
	}
	return fmt.Sprintf("## %s\n\n%s\n\n%s", heading, remark, t.markdown())
}

// terminal returns the table with its columns aligned.
func (t *table) terminal() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, cells := range append([][]string{t.header}, t.rows...) {
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	_ = w.Flush() // a Builder takes everything
	return b.String()
}

// seconds spells a time to three digits.
func seconds(s float64) string {
	switch {
	case math.IsInf(s, 0) || math.IsNaN(s) || s <= 0:
		return "-"
	case s < 1e-3:
		return fmt.Sprintf("%.3g us", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	case s < 1000:
		return fmt.Sprintf("%.3g s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// String spells the best of several times, and the median where it differs.
func (t timing) String() string {
	if !t.found() {
		return "-"
	}
	best, median := seconds(t.Best), seconds(t.Median)
	if t.N == 1 || best == median {
		return best
	}
	return best + " (" + median + ")"
}

// ratio spells how many times faster the second is.
func ratio(slow, fast float64) string {
	r := slow / fast
	if math.IsNaN(r) || math.IsInf(r, 0) || r <= 0 {
		return "-"
	}
	return times(r)
}

// times spells a ratio.
func times(r float64) string {
	switch {
	case r >= 100:
		return fmt.Sprintf("%.0fx", r)
	case r >= 10:
		return fmt.Sprintf("%.1fx", r)
	}
	return fmt.Sprintf("%.2fx", r)
}

// megabytes spells a number of bytes.
func megabytes(b int64) string {
	if b <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.4g MB", float64(b)/1e6)
}
