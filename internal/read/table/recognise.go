package table

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/terms"
)

// What a column holds is decided once all rows are read: so it depends neither on how
// they are cut into files, nor on which of them come first.

// manyCategories is from how many on a column of categories is worth a word.
const manyCategories = 1000

// recognise decides what the columns of features are without a declared kind.
func (t *table) recognise() error {
	t.recoded = make([][]float64, len(t.place))
	ignored, kept := map[int]string{}, len(t.vectors)
	for slot, at := range t.place {
		why, err := t.judge(slot, at)
		if err != nil {
			return err
		}
		if why == "" {
			if kept++; t.roles[at] < roleCategory && t.open[at] && t.evidence.comma && !t.evidence.point {
				t.schema.Columns[at].Kind = set.KindComma // 1.158 of new rows is above a thousand
			}
		} else {
			ignored[at] = why
		}
	}
	if kept == 0 && len(ignored) > 0 {
		if err := t.keepNumbers(ignored); err != nil {
			return err
		}
	}
	for at, why := range ignored {
		c := &t.schema.Columns[at]
		*c = set.Column{Name: c.Name, Kind: set.KindIgnored, Why: why}
	}
	t.say()
	return t.checkTerms()
}

// checkTerms refuses options of terms where no column has texts.
func (t *table) checkTerms() error {
	asked := t.terms
	if len(t.crossed) > 0 { // products are numbered by the hash too
		asked.Crossed, asked.Bits = nil, 0
	}
	isText := func(c set.Column) bool { return c.Text != nil && !c.Text.Whole }
	if option, value := asked.Asked(); option != "" && !slices.ContainsFunc(t.schema.Columns, isText) {
		return fault.In(t.in[0].Name, "'%s=%s': found no column of sentences, expected one, or the name of a column of texts in 'text'", option, value)
	}
	return nil
}

// keepNumbers keeps columns that number the rows where there is nothing else to learn from: a
// number may be a time. Names of rows tell nothing of other rows.
func (t *table) keepNumbers(ignored map[int]string) error {
	var kept, rest []string
	for _, at := range t.place {
		if name := t.names[at]; ignored[at] == set.WhyID && t.roles[at] != roleCategory && !t.kinds[at].unnamed && !namesRows(name) {
			kept = append(kept, name)
			delete(ignored, at)
		} else {
			rest = append(rest, name)
		}
	}
	if len(kept) == 0 {
		return fault.In(t.in[0].Name, "found no column to learn from but %s (ids or nothing), expected columns of numbers, dates, categories or texts ('target' names the column to predict; to take one as it is: 'numeric' or 'categorical')", fault.Quoted(rest))
	}
	t.warnings = append(t.warnings, fmt.Errorf("%s: integers that number the rows, kept as there is nothing else to learn from", fault.Quoted(kept)))
	return nil
}

// judge decides on one column: its kind, or why it is no feature.
func (t *table) judge(slot, at int) (why string, err error) {
	k := t.kinds[at]
	switch {
	case k.allowed != nil || k.asked == askedCategory || k.asked == askedText:
		return "", nil
	case t.roles[at] == roleCategory:
		return t.judgeWords(slot, at)
	case k.asked == askedNumber:
		return "", nil
	case t.missing[slot] == t.count:
		return set.WhyEmpty, nil
	case t.numbered(slot, at):
		return set.WhyID, nil
	}
	return "", nil
}

// judgeWords decides on a column of which some fields are no plain numbers.
func (t *table) judgeWords(slot, at int) (why string, err error) {
	c, content, words := &t.schema.Columns[at], t.content[at], t.words[slot].words
	if ok, err := t.numbers(slot, at, t.reading[slot]); ok || err != nil {
		return "", err
	}
	distinct, all := len(words), t.count-content.missing
	if content.missing > 0 {
		distinct--
	}
	switch {
	case areSentences(words, distinct, all):
		t.makeText(c)
		t.warnings = append(t.warnings, fmt.Errorf("column %q: sentences, most of them different: each word is a feature, weighted by how rare it is (other terms: 'ngrams', 'hash', 'min-count'; to leave it out: 'ignore=%s')", c.Name, c.Name))
		return "", nil
	case distinct == all && 10*content.missing <= t.count && t.count >= leastRows(c.Name), all >= leastRows("") && 20*distinct >= 19*all:
		return set.WhyID, nil
	}
	return "", nil
}

// areSentences reports whether a column holds texts rather than categories: four words
// and more, and most of them different.
func areSentences(words []string, distinct, all int) bool {
	blanks := 0
	for _, word := range words {
		blanks += strings.Count(word, " ")
	}
	return all >= 3 && 2*distinct > all && blanks >= 3*distinct
}

// say tells what is not a feature, and which columns make very many.
func (t *table) say() {
	for _, r := range []struct{ why, what, flag string }{
		{set.WhyID, "ids (nearly all values differ, or they number the rows)", "categorical"},
		{set.WhyEmpty, "no values", ""},
	} {
		var names []string
		numbers := true
		for i, c := range t.schema.Columns {
			if c.Why == r.why {
				names = append(names, c.Name)
				numbers = numbers && t.roles[i] != roleCategory
			}
		}
		if len(names) == 0 {
			continue
		}
		keep, column := "", "column"
		if numbers {
			r.flag = "numeric"
		}
		if len(names) > 1 {
			column = "columns"
		}
		if r.why != set.WhyEmpty {
			keep = fmt.Sprintf(" (to keep: '%s=%s')", r.flag, strings.Join(names, ","))
		}
		t.warnings = append(t.warnings, fmt.Errorf("%s %s: %s: ignored%s", column, fault.Quoted(names), r.what, keep))
	}
	for slot, at := range t.place {
		c, all := t.schema.Columns[at], t.count-t.content[at].missing
		n := len(t.words[slot].words)
		if unlike := all > 3 && 2*n > all; c.Category != nil && t.kinds[at].asked != askedCategory && (n > manyCategories || unlike) {
			few := ""
			if unlike {
				few = fmt.Sprintf(" in %d rows", all)
			}
			t.warnings = append(t.warnings, fmt.Errorf("column %q: %d categories%s, a feature for each (to leave it out: 'ignore=%s')", c.Name, n, few, c.Name))
		}
	}
}

// makeText makes a column one of texts.
func (t *table) makeText(c *set.Column) {
	c.Category, c.Kind, c.Text = nil, set.KindText, t.terms.Space()
}

// fit gives a column of texts its vocabulary, of the texts of all rows.
func (t *table) fit(slot int, s *terms.Space, threads int) {
	words := t.words[slot].words
	rows := t.countWords(slot)
	for k, word := range words {
		if word == set.MissingCategory {
			words[k] = "" // a text without terms
		}
	}
	s.Fit(words, rows, t.count, threads)
}

// numbered reports whether a column of numbers numbers the rows: consecutive integers in
// any order; integers that are all different, where the name says that they are ids; any
// integers where a header has no name for them, as pandas and R write the names of rows. A
// column that does not costs a look at a few rows.
func (t *table) numbered(slot, at int) bool {
	name := t.schema.Columns[at].Name
	named := namesRows(name)
	switch {
	case t.missing[slot] > 0:
		return false
	case t.kinds[at].unnamed:
		return t.allWhole(slot)
	case t.count < leastRows(name) || !t.wholeAtFirst(slot, named):
		return false
	case named:
		return t.allWhole(slot) && t.allDiffer(slot)
	}
	return !namesTime(name) && t.consecutive(slot)
}

// each calls do for the cells of a slot, row by row, while it returns true.
func (t *table) each(slot int, do func(row int, cell uint32) bool) bool {
	row := 0
	for _, p := range t.parts {
		for i := range p.rows {
			if !do(row, p.at(i, slot)) {
				return false
			}
			row++
		}
	}
	return true
}

// at returns one cell.
func (c *cells) at(row, slot int) uint32 {
	if cell := c.ref(row, slot); cell != nil {
		return *cell
	}
	return 0
}

// ref returns where a cell is, nil if it is a zero that is left out.
func (c *cells) ref(row, slot int) *uint32 {
	if c.column == nil {
		return &c.cell[row*c.width+slot]
	}
	from := 0
	if row > 0 {
		from = c.end[row-1]
	}
	columns := c.column[from:c.end[row]]
	if k := sort.Search(len(columns), func(k int) bool { return columns[k] >= uint32(slot) }); k < len(columns) && columns[k] == uint32(slot) {
		return &c.cell[from+k]
	}
	return nil
}

// wholeAtFirst reports whether the first rows of a slot have integers, all different
// unless they are so large that float32 cannot tell.
func (t *table) wholeAtFirst(slot int, large bool) bool {
	var seen []int64
	first := true
	t.each(slot, func(row int, cell uint32) bool {
		v, ok := whole(cell)
		first = first && ok && (large && exceedsFloat32(v) || !slices.Contains(seen, v))
		seen = append(seen, v)
		return first && row < 32
	})
	return first
}

// exceedsFloat32 reports whether float32 cannot tell an integer from its neighbours.
func exceedsFloat32(v int64) bool { return v >= 1<<24 || v <= -1<<24 }

func (t *table) allWhole(slot int) bool {
	return t.each(slot, func(_ int, cell uint32) bool { _, ok := whole(cell); return ok })
}

// allDiffer reports whether all integers of a slot are different, as far as float32 can
// tell.
func (t *table) allDiffer(slot int) bool {
	var all []int64
	t.each(slot, func(_ int, cell uint32) bool {
		if v, _ := whole(cell); !exceedsFloat32(v) {
			all = append(all, v)
		}
		return true
	})
	slices.Sort(all)
	n := len(all)
	return len(slices.Compact(all)) == n
}

// consecutive reports whether the numbers of a slot are as many consecutive integers as
// there are rows, in any order.
func (t *table) consecutive(slot int) bool {
	n := int64(t.count)
	seen := make([]uint64, (2*n+63)/64) // of the integers from the first one less n
	lo, hi, first := int64(math.MaxInt64), int64(math.MinInt64), int64(0)
	return t.each(slot, func(row int, cell uint32) bool {
		v, ok := whole(cell)
		if row == 0 {
			first = v
		}
		bit := v - first + n
		if !ok || exceedsFloat32(v) || bit < 0 || bit >= 2*n || seen[bit/64]>>(bit%64)&1 != 0 {
			return false
		}
		seen[bit/64] |= 1 << (bit % 64)
		lo, hi = min(lo, v), max(hi, v)
		return hi-lo < n
	})
}

// whole returns the integer that a cell is.
func whole(cell uint32) (v int64, ok bool) {
	f := float64(set.AsNumber(cell))
	return int64(f), f == math.Trunc(f) && math.Abs(f) < 1<<53
}

// leastRows is how many rows it takes to believe that values are all different because
// they name the rows.
func leastRows(name string) int {
	if namesRows(name) {
		return 3
	}
	return 10
}

// namesRows reports whether the name of a column is a usual one for what names its rows.
func namesRows(name string) bool {
	lower := strings.ToLower(name)
	for _, usual := range []string{"id", "index", "uuid", "guid", "rowid", "rownames", "row.names", "row_names", "unnamed: 0"} {
		if lower == usual {
			return true
		}
	}
	for _, ending := range []string{"_id", "-id", ".id", " id", "_uuid"} {
		if strings.HasSuffix(lower, ending) {
			return true
		}
	}
	return len(name) > 2 && (strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID"))
}

// namesTime reports whether the name of a column says that consecutive numbers are times.
func namesTime(name string) bool {
	lower := strings.ToLower(name)
	return slices.Contains([]string{"t", "time", "year", "quarter", "month", "week", "day", "date", "hour", "minute", "second", "step", "epoch"}, lower)
}
