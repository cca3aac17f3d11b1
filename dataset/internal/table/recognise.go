package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fenchel-ml/fenchel/dataset/internal/decimal"
	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/fenchel-ml/fenchel/dataset/set"
)

// What a column holds is decided once all rows are read: so it depends neither on how
// they are cut into files, nor on which of them come first.

// manyCategories is from how many on a column of categories is worth a word.
const manyCategories = 1000

// recognise decides what the columns of features are without a declared kind.
func (t *table) recognise() error {
	t.recoded = make([][]float64, len(t.place))
	ignored, kept := map[int]string{}, 0
	for slot, at := range t.place {
		why, err := t.judge(slot, at)
		if err != nil {
			return err
		}
		if why == "" {
			kept++
		} else {
			ignored[at] = why
		}
	}
	if kept == 0 { // they are all that there is to learn from
		return nil
	}
	for at, why := range ignored {
		c := &t.schema.Columns[at]
		*c = set.Column{Name: c.Name, Kind: set.KindIgnored, Why: why}
	}
	t.say()
	return nil
}

// judge decides on one column: its kind, or why it is no feature.
func (t *table) judge(slot, at int) (why string, err error) {
	k := t.kinds[at]
	switch {
	case k.allowed != nil || k.asked == askedCategory:
		return "", nil
	case t.roles[at] == roleCategory:
		return t.judgeWords(slot, at)
	case k.asked == askedNumber:
		return "", nil
	case t.missing[slot] == t.count && k.blank:
		return set.WhyEmpty, nil
	case t.numbered(slot, at):
		return set.WhyID, nil
	}
	return "", nil
}

// judgeWords decides on a column of which some fields are no plain numbers.
func (t *table) judgeWords(slot, at int) (why string, err error) {
	c, k, content, words := &t.schema.Columns[at], t.kinds[at], t.content[at], t.words[slot].words
	if k.kind != kindCategory {
		kind, value, ok := t.numbersIn(k, content, words)
		switch {
		case ok:
			t.recode(slot, c, kind, value)
			return "", nil
		case k.asked == askedNumber:
			return "", content.place.Fault("found %s in column %q, expected a number, as --numeric says", content.text, c.Name)
		case content.text != "" && t.doubt(c.Name, content):
			return "", nil
		}
		t.doubtDates(c.Name, words)
	}
	distinct, all := len(words), t.count-content.missing
	if content.missing > 0 {
		distinct--
	}
	switch {
	case areSentences(words, distinct, all):
		return set.WhyText, nil
	case distinct == all && 10*content.missing <= t.count && t.count >= leastRows(c.Name):
		return set.WhyID, nil
	}
	return "", nil
}

// numbersIn returns the numbers that the words of a column are, if they are some: in
// other words, or plain ones beside codes with leading zeros.
func (t *table) numbersIn(k columnKind, c content, words []string) (kind set.Kind, value []float64, ok bool) {
	if c.text != "" {
		return set.Spelled(words, t.rows.delimiter() != ',')
	}
	value, ok = plainNumbers(words)
	return set.KindPlain, value, ok && (k.asked == askedNumber || slices.ContainsFunc(words, lacksDigits))
}

// lacksDigits reports whether a word is neither a code of digits nor a missing value.
func lacksDigits(word string) bool {
	return word != set.MissingCategory && !set.AreDigits([]byte(word))
}

// plainNumbers returns the numbers that words spell.
func plainNumbers(words []string) (value []float64, ok bool) {
	for _, word := range words {
		v, status := decimal.Float64([]byte(word))
		if status != decimal.Number && word != set.MissingCategory {
			return nil, false
		}
		value = append(value, v)
	}
	return value, true
}

// recode makes a column of words one of numbers. Days are counted from the first row
// that has a date: so float32 has room for the time of the day.
func (t *table) recode(slot int, c *set.Column, kind set.Kind, value []float64) {
	if kind == set.KindDate {
		first := 0 // words are in order of first appearance
		if t.words[slot].words[0] == set.MissingCategory {
			first = 1
		}
		c.From = t.words[slot].words[first][:len(time.DateOnly)]
		from, _ := set.ParseDate([]byte(c.From))
		for k := range value {
			value[k] -= from
		}
	}
	c.Kind, c.Category = kind, nil
	t.recoded[slot] = value
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

// doubt warns of a column that a few slips turn from a number into categories, or commas in
// its numbers.
func (t *table) doubt(name string, c content) bool {
	if strings.Contains(c.text, ",") && strings.Trim(c.text, `"+-.,0123456789`) == "" {
		t.warnings = append(t.warnings, fmt.Errorf("column %q: found %s at %s, expected numbers with a point and no comma: taken as categories", name, c.text, c.place))
		return true
	}
	const least, ofTen = 10, 9 // numbers
	all := t.count - c.missing
	if numbers := all - c.others; numbers < least || 10*numbers < ofTen*all {
		return false
	}
	what := "are not numbers"
	if c.others == 1 {
		what = "is not a number"
	}
	t.warnings = append(t.warnings, fmt.Errorf("column %q: %d of %d fields %s (first: %s at %s): taken as categories",
		name, c.others, all, what, c.text, c.place))
	return true
}

// doubtDates warns of a column of dates that a few slips turn into words.
func (t *table) doubtDates(name string, words []string) {
	const least, ofTen = 10, 9 // dates
	dates, other := 0, ""
	for _, word := range words {
		if _, ok := set.ParseDate([]byte(word)); ok {
			dates++
		} else if word != set.MissingCategory && other == "" {
			other = word
		}
	}
	if dates >= least && dates < len(words) && 10*dates >= ofTen*len(words) && other != "" {
		t.warnings = append(t.warnings, fmt.Errorf("column %q: found %q beside %d dates, expected them all like 2025-12-31: not taken as dates", name, other, dates))
	}
}

// say tells what is not a feature, and which columns make very many.
func (t *table) say() {
	for _, r := range []struct{ why, what, flag string }{
		{set.WhyID, "ids (all values differ, or they number the rows)", "categorical"},
		{set.WhyText, "sentences, most of them different", "categorical"},
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
			keep = fmt.Sprintf(" (to keep: --%s %s)", r.flag, strings.Join(names, ","))
		}
		t.warnings = append(t.warnings, fmt.Errorf("%s %s: %s: ignored%s", column, fault.Quoted(names), r.what, keep))
	}
	for slot, at := range t.place {
		c := t.schema.Columns[at]
		if n := len(t.words[slot].words); c.Category != nil && n > manyCategories {
			t.warnings = append(t.warnings, fmt.Errorf("column %q: %d categories, a feature for each (to leave it out: --ignore %s)", c.Name, n, c.Name))
		}
	}
}

// whole returns the integer that a cell is.
func whole(cell uint32) (v int64, ok bool) {
	f := float64(set.AsNumber(cell))
	return int64(f), f == math.Trunc(f) && math.Abs(f) < 1<<53
}
