package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// Words such as 1,158 may be read as several numbers. All columns of a file are read before one is
// decided: a column with the word 1,5 shows that commas stand before decimals in the others too.

// readWords reads the columns of words as numbers, as far as they may be some. It reports
// whether the rows are to be read again: where commas stand before decimals, columns that were
// taken for numbers with a point have it between thousands.
func (t *table) readWords() (again bool) {
	t.reading, t.evidence = make([]*set.Reading, len(t.place)), evidence{}
	for slot, at := range t.place {
		k := t.kinds[at]
		if t.roles[at] != roleCategory || k.kind == kindCategory || k.asked == askedCategory || k.asked == askedText || !mayBeNumbers(t.words[slot].words) {
			continue
		}
		t.reading[slot] = set.ReadWords(t.words[slot].words, t.countWords(slot))
		t.learn(t.reading[slot])
	}
	if t.readTargets(); t.asNumbers.Read > 0 {
		t.learn(t.asNumbers)
		if t.skip && namesNumbers(t.asNumbers, t.answer.Label) {
			t.bareWords = map[string]struct{}{}
			for k, v := range t.asNumbers.Value {
				if math.IsNaN(v) {
					t.bareWords[t.answer.Label[k]], again = struct{}{}, true
				}
			}
		}
	}
	for slot, at := range t.place {
		switch {
		case t.roles[at] > roleInteger:
		case t.evidence.comma && t.open[at]:
			if t.kinds[at].pointed || t.hasFractions(slot) {
				t.text[at].Store(true)
				again = true
			}
		default:
			t.evidence.point = t.evidence.point || !t.evidence.comma && t.hasFractions(slot)
		}
	}
	return again
}

// readTargets reads the labels as numbers, unless they are plain ones.
func (t *table) readTargets() {
	t.answer, t.asNumbers = t.targets.Target(), &set.Reading{}
	if t.answer.Number == nil && t.answer.Code != nil {
		t.asNumbers = set.ReadWords(t.answer.Label, t.answer.Counts())
	}
}

// mayBeNumbers looks at the first words.
func mayBeNumbers(words []string) bool {
	return slices.ContainsFunc(words[:min(100, len(words))], func(word string) bool {
		_, two := set.ParseBoolean([]byte(word))
		return two || set.IsInWords([]byte(word))
	})
}

// countWords counts the rows of each word of a slot.
func (t *table) countWords(slot int) []int {
	rows := make([]int, len(t.words[slot].words))
	for _, p := range t.parts {
		for row := range p.rows {
			rows[p.codes[slot][p.at(row, slot)-1]]++
		}
	}
	return rows
}

// learn takes what a reading says of other columns.
func (t *table) learn(r *set.Reading) {
	e := &t.evidence
	if r.Agree() && r.Sure {
		e.point = e.point || r.Kind == set.KindAmount
		e.comma = e.comma || r.Kind == set.KindComma
		e.dayFirst = e.dayFirst || r.Kind == set.KindDMY
		e.monthFirst = e.monthFirst || r.Kind == set.KindMDY
	}
}

// hasFractions reports whether a number of a slot is no integer.
func (t *table) hasFractions(slot int) bool {
	return !t.each(slot, func(_ int, cell uint32) bool {
		_, ok := whole(cell)
		return ok || cell == set.MissingBits
	})
}

// decided returns the reading of the words of a column, of which a contradiction is decided: by
// other columns, by the option or, of thousands and decimals, by the column.
func (t *table) decided(r *set.Reading, words []string, name string, place func(code int) fault.Place) (*set.Reading, error) {
	at := -1 // the first word of two values
	for k := 0; r.Other != nil && at < 0; k++ {
		if v, o := r.Value[k], r.Other.Value[k]; v != o && !(math.IsNaN(v) && math.IsNaN(o)) {
			at = k
		}
	}
	e := t.evidence
	switch {
	case at < 0:
	case r.Kind.IsDate() && (t.dates == "mdy" || t.dates == "" && e.monthFirst && !e.dayFirst):
		return r.Other, nil
	case r.Kind.IsDate() && t.dates == "" && !(e.dayFirst && !e.monthFirst):
		return nil, place(at).Fault("found %q in column %q, expected a day above 12 in some row, or 'dates=dmy' or 'dates=mdy', which says what stands first", words[at], name)
	case r.Kind.IsDate() || e.point && !e.comma:
	case e.comma && !e.point:
		return r.Other, nil
	case t.rows.delimiter() != ',' && !slices.ContainsFunc(words, func(word string) bool { return word != set.MissingCategory && !strings.Contains(word, ",") }):
		t.warnings = append(t.warnings, fmt.Errorf("column %q: found nothing that tells whether the comma of %q stands before decimals or thousands: taken for decimals", name, words[at]))
		return r.Other, nil
	}
	return r, nil
}

// numbers makes a column of words one of numbers, if it is one.
func (t *table) numbers(slot, at int, r *set.Reading) (ok bool, err error) {
	c, words, asked := &t.schema.Columns[at], t.words[slot].words, t.kinds[at].asked == askedNumber
	place := func(code int) fault.Place { return t.placeOf(t.firstRow(slot, uint32(code))) }
	switch {
	case asked && (r == nil || 2*r.Read <= r.All):
		return false, t.content[at].place.Fault("found %s in column %q, expected a number, as 'numeric' says", t.content[at].text, c.Name)
	case r == nil || r.Read == 0 || !asked && areCodes(words, r):
		return false, nil
	case !asked && !r.Agree():
		t.doubt(c.Name, words, r, place)
		return false, nil
	}
	if r, err = t.decided(r, words, c.Name, place); err != nil {
		return false, err
	}
	if r.Odd >= 0 {
		t.warnings = append(t.warnings, fmt.Errorf("%s: taken as missing", slips(c.Name, words, r, place)))
	}
	for k, v := range r.Value { // new rows may have them too
		if word := words[k]; math.IsNaN(v) && word != set.MissingCategory && !set.IsDash([]byte(word)) && !t.isAlso([]byte(word)) {
			t.also[word], t.schema.Missing = struct{}{}, append(t.schema.Missing, word)
		}
	}
	if strings.ContainsFunc(r.Unit, unicode.IsLetter) {
		t.warnings = append(t.warnings, fmt.Errorf("column %q: taken as numbers with the unit %s (for categories: 'categorical=%s')", c.Name, fault.Printable(r.Unit), c.Name))
	}
	c.Kind, c.Unit, c.Category = r.Kind, r.Unit, nil
	if r.Kind == set.KindAmount && r.IsPlain(words) {
		c.Kind = set.KindPlain
	}
	t.recoded[slot] = r.Value
	if c.Kind.IsDate() { // days are counted from the first row on: so float32 has room for the time of the day
		first := r.Value[slices.IndexFunc(r.Value, func(v float64) bool { return !math.IsNaN(v) })]
		c.From = time.Unix(int64(math.Floor(first))*86400, 0).UTC().Format(time.DateOnly)
		from, _ := set.ParseDate([]byte(c.From))
		for k := range r.Value {
			r.Value[k] -= from
		}
	}
	return true, nil
}

// areCodes reports whether the words that can be read are digits, of which some begin with a zero
// that a number would lose.
func areCodes(words []string, r *set.Reading) (codes bool) {
	for k, word := range words {
		if text := []byte(word); !math.IsNaN(r.Value[k]) {
			if codes = codes || set.IsCode(text); !set.AreDigits(text) {
				return false
			}
		}
	}
	return codes
}

// slips counts the fields of a column that are not as the others.
func slips(name string, words []string, r *set.Reading, place func(code int) fault.Place) string {
	what := [2]string{"a number", "numbers"}
	switch {
	case r.Kind.IsDate():
		what = [2]string{"a date", "dates"}
	case r.Kind == set.KindClock:
		what = [2]string{"a time of day", "times of day"}
	}
	n, are := r.All-r.Read, "are not "+what[1]
	if n == 1 {
		are = "is not " + what[0]
	}
	if r.Unit != "" {
		are += " with the unit " + fault.Printable(r.Unit)
	}
	found := ""
	for k := r.Odd + 1; k < len(words) && found == ""; k++ {
		if math.IsNaN(r.Value[k]) && words[k] != set.MissingCategory && !set.IsDash([]byte(words[k])) {
			found = fmt.Sprintf(", %s at %s", fault.Quote([]byte(words[k])), place(k))
		}
	}
	return fmt.Sprintf("column %q: %d of %d fields %s (first: %s at %s%s)", name, n, r.All, are, fault.Quote([]byte(words[r.Odd])), place(r.Odd), found)
}

// doubt warns of a column that some slips turn from numbers or dates into words.
func (t *table) doubt(name string, words []string, r *set.Reading, place func(code int) fault.Place) {
	const least, ofTen = 10, 9                              // numbers
	few := 10*r.Read < ofTen*r.All && 2*len(words) <= r.All // and no feature for nearly each row
	if r.Kind.IsNumber() && (r.Read < least || few) || 2*r.Read < r.All {
		return
	}
	t.warnings = append(t.warnings, fmt.Errorf("%s: taken as words (to take these as missing: 'numeric=%s')", slips(name, words, r, place), name))
}

// firstRow returns the first row with a word.
func (t *table) firstRow(slot int, code uint32) (row int) {
	for _, p := range t.parts {
		for i := range p.rows {
			if p.codes[slot][p.at(i, slot)-1] == code {
				return row + i
			}
		}
		row += p.rows
	}
	return row
}

// placeOf returns where a row is: the line, if no row near it has several.
func (t *table) placeOf(row int) fault.Place {
	for _, p := range t.parts {
		if row < p.rows {
			if p.lines != p.rows+len(p.blank) {
				return fault.Place{File: p.name}
			}
			before, _ := slices.BinarySearch(p.blank, row+1)
			return fault.Place{File: p.name, Line: p.line + row + before}
		}
		row -= p.rows
	}
	return fault.Place{}
}

// labels returns the targets: as numbers where nearly all are some, in the words of columns of
// numbers.
func (t *table) labels() (set.Target, error) {
	out, r := t.answer, t.asNumbers
	place := func(code int) fault.Place { return t.placeOf(slices.Index(out.Code, uint32(code))) }
	name := ""
	if t.target >= 0 {
		name = t.names[t.target]
	}
	switch {
	case t.untargeted > 0:
		return set.Target{}, nil
	case out.Code == nil:
		return out, nil
	case t.fixed && t.learned().Kind != set.KindPlain:
		read, expected := set.SpellingOf(t.learned())
		value := make([]float64, len(out.Label))
		for k, label := range out.Label {
			var ok bool
			if value[k], ok = read([]byte(label)); !ok {
				return out, place(k).Fault("found %s as target, expected %s, as in the training data", fault.Quote([]byte(label)), expected)
			}
		}
		return asNumbers(out, value), nil
	case out.Number != nil && t.evidence.comma && !t.fixed:
		r = set.ReadWords(out.Label, out.Counts())
	case out.Number != nil:
		return out, nil
	}
	if t.asNumbers = r; !namesNumbers(r, out.Label) || t.fixed && slices.ContainsFunc(r.Value, math.IsNaN) {
		return out, nil
	}
	r, err := t.decided(r, out.Label, name, place)
	if err != nil {
		return out, err
	}
	if bad := slices.IndexFunc(r.Value, math.IsNaN); bad >= 0 {
		return out, place(bad).Fault("found %s as target%s, expected a number, as in %d of %d rows (%s)", fault.Quote([]byte(out.Label[bad])), t.targetBy(), r.Read, len(out.Code), skipHint)
	}
	switch c := &t.schema.Columns[max(t.target, 0)]; {
	case t.fixed:
	case r.Kind == set.KindComma || !r.IsPlain(out.Label):
		c.Kind, c.Unit = r.Kind, r.Unit
	case t.evidence.comma && !t.evidence.point && len(out.Label) > fewLabels:
		c.Kind = set.KindComma // 1.158 of new rows is above a thousand
	}
	return asNumbers(out, r.Value), nil
}

// several are the targets where there are several: the first and the others, as far as all are there.
func (t *table) several(first set.Target) (set.Target, error) {
	if first.Absent() || len(t.further) < len(t.schema.Further) {
		return set.Target{}, nil
	}
	if first.Number == nil {
		return first, fault.In(t.in[0].Name, "found %s as target%s, expected a number in each of several targets: classes are learned one column at a time", fault.Quote([]byte(first.Label[0])), t.targetBy())
	}
	names := []string{t.schema.Columns[t.schema.Target].Name}
	for _, at := range t.schema.Further {
		names = append(names, t.schema.Columns[at].Name)
	}
	return set.ColumnsTarget(names, append([][]float64{first.Number}, t.others...)), nil
}

// fewLabels are at most so many.
const fewLabels = 20

// namesNumbers reports whether nearly all labels are numbers. At most 20 labels, whole numbers among
// other words, are names of classes.
func namesNumbers(r *set.Reading, labels []string) bool {
	fraction := slices.ContainsFunc(r.Value, func(v float64) bool { return v != math.Trunc(v) && !math.IsNaN(v) })
	if strings.ContainsFunc(r.Unit, unicode.IsLetter) && len(labels) <= fewLabels && !fraction {
		return false // such as 4G and 5G
	}
	return r.Kind.IsNumber() && r.Agree() && (len(labels) > fewLabels || fraction || !slices.ContainsFunc(r.Value, math.IsNaN) || !r.IsPlain(labels))
}

const skipHint = "'skip-unlabelled' leaves out rows without a target"

// learned is the column of the target in a model's schema.
func (t *table) learned() set.Column {
	if t.schema.Target < 0 {
		return set.Column{}
	}
	return t.schema.Columns[t.schema.Target]
}

// asNumbers is a target of which each label has a value.
func asNumbers(labels set.Target, value []float64) set.Target {
	number := make([]float64, len(labels.Code))
	for i, c := range labels.Code {
		number[i] = value[c]
	}
	return set.NumberTarget(number)
}

// targetBy names the target and says how it was found, if nothing names it.
func (t *table) targetBy() string {
	switch {
	case t.target < 0:
		return ""
	case t.guessed != "":
		return fmt.Sprintf(" in column %q (%s; another: 'target')", t.names[t.target], t.guessed)
	}
	return fmt.Sprintf(" in column %q", t.names[t.target])
}
