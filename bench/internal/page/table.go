package page

import (
	"fmt"
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
