package table

import (
	"fmt"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/set"
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
