package set

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/internal/read/calendar"
	"github.com/fenchel-ml/fenchel/internal/read/decimal"
)

// A Kind says how the fields of a column are spelled that are neither plain numbers nor
// categories.
type Kind string

// What a column of one feature may hold besides plain numbers, and none.
const (
	KindPlain   Kind = ""         // numbers with a decimal point, or categories
	KindAmount  Kind = "amount"   // numbers with a decimal point, and thousands, a unit or a currency
	KindComma   Kind = "comma"    // the same with a decimal comma
	KindBoolean Kind = "boolean"  // true and false, or yes and no: 1 and 0
	KindDate    Kind = "date"     // days, months, weeks or times: days since the first one's midnight
	KindDMY     Kind = "date-dmy" // the same, 05/06/2024 being in June
	KindMDY     Kind = "date-mdy" // the same, 05/06/2024 being in May
	KindClock   Kind = "clock"    // times of the day: hours
	KindText    Kind = "text"     // texts, of which terms are features
	KindVector  Kind = "vector"   // vectors of one length, of which each entry is a feature
	KindIgnored Kind = "ignored"  // not a feature
)

// IsDate reports whether fields of the kind are days from a first one on.
func (k Kind) IsDate() bool { return k == KindDate || k == KindDMY || k == KindMDY }

// IsNumber reports whether fields of the kind are numbers, with a unit or without.
func (k Kind) IsNumber() bool { return k == KindPlain || k == KindAmount || k == KindComma }

// A spellingKind reads the fields of all columns of a kind.
type spellingKind struct {
	kind     Kind
	expected string
	parse    func(text []byte) (value float64, unit []byte, ok bool)
}

// spellings are the kinds that are numbers in other words, with what reads a field: the surer
// ones first, where two read as many fields. Two kinds that contradict each other are neighbours.
var spellings = []spellingKind{
	{KindBoolean, "true or false, yes or no", unitless(ParseBoolean)},
	{KindDate, "a date or time such as 2024-05-31 or 2024-05-31 18:30:00", dates(calendar.NoOrder)},
	{KindDMY, "a date or time such as 31/05/2024 or 31/05/2024 18:30", dates(calendar.DayFirst)},
	{KindMDY, "a date or time such as 05/31/2024 or 05/31/2024 18:30", dates(calendar.MonthFirst)},
	{KindClock, "a time of the day such as 18:30", unitless(calendar.Hours)},
	{KindAmount, "a number with a decimal point", amounts('.')},
	{KindComma, "a number with a decimal comma", amounts(',')},
}

func unitless(parse spelling) func([]byte) (float64, []byte, bool) {
	return func(text []byte) (float64, []byte, bool) {
		v, ok := parse(text)
		return v, nil, ok
	}
}

func dates(order calendar.Order) func([]byte) (float64, []byte, bool) {
	return unitless(func(text []byte) (float64, bool) { return calendar.Days(text, order) })
}

func amounts(point byte) func([]byte) (float64, []byte, bool) {
	return func(text []byte) (float64, []byte, bool) { return decimal.Amount(text, point) }
}

// ParsePlain reads a number that single precision can hold.
func ParsePlain(text []byte) (float64, bool) {
	v, status := decimal.Float64(text)
	return v, status == decimal.Number && math.Abs(v) <= math.MaxFloat32
}

// ParseBoolean reads one of two pairs of words, in any letter case.
func ParseBoolean(text []byte) (float64, bool) {
	switch {
	case decimal.EqualFold(text, "true"), decimal.EqualFold(text, "yes"):
		return 1, true
	case decimal.EqualFold(text, "false"), decimal.EqualFold(text, "no"):
		return 0, true
	}
	return 0, false
}

// ParseDate returns the days from the beginning of 1970, in UTC unless the text names
// another zone.
func ParseDate(text []byte) (days float64, ok bool) { return calendar.Days(text, calendar.NoOrder) }

// IsInWords reports whether a text is a number, a date or a time in other words.
func IsInWords(text []byte) bool {
	return slices.ContainsFunc(spellings[1:], func(s spellingKind) bool { _, _, ok := s.parse(text); return ok })
}

// daysOf returns the days from the beginning of 1970, in UTC.
func daysOf(at time.Time) float64 {
	return float64(at.Unix())/86400 + float64(at.Nanosecond())/86400e9
}

// A spelling reads the fields of a column of one kind.
type spelling func(text []byte) (value float64, ok bool)

// SpellingOf returns what reads the fields of a column of a model, and what it expects;
// nil for plain numbers that are taken as they are.
func SpellingOf(c Column) (s spelling, expected string) {
	parse := unitless(ParsePlain)
	if expected = decimal.Text.Expected(); c.Kind != KindPlain {
		at := slices.IndexFunc(spellings, func(s spellingKind) bool { return s.kind == c.Kind })
		if at < 0 {
			return nil, ""
		}
		if parse, expected = spellings[at].parse, spellings[at].expected; c.Unit != "" {
			expected += " and the unit " + c.Unit
		}
	} else if c.Offset == 0 && c.Factor == 0 {
		return nil, ""
	}
	from, _ := ParseDate([]byte(c.From))
	return func(text []byte) (float64, bool) {
		v, unit, ok := parse(text)
		return c.Stored(v - from), ok && (unit == nil || string(unit) == c.Unit)
	}, expected
}

// A Reading is what the words of a column are as numbers of one kind.
type Reading struct {
	Kind  Kind
	Unit  string    // of all words that have one
	Value []float64 // of each word; NaN: it cannot be read, or says that the value is missing
	All   int       // rows but those in which the value is missing
	Read  int       // rows of which the word is read
	Odd   int       // the first word that is not read; -1: none
	Sure  bool      // the kind that contradicts this one reads fewer rows
	Other *Reading  // as many rows as the other kind reads them, with other values; nil: there is none
}

// Agree reports whether at least 99 % of the rows are read.
func (r *Reading) Agree() bool { return r.Read > 0 && 100*(r.All-r.Read) <= r.All }

// readAs reads words as those of a kind.
func (s spellingKind) readAs(words []string, rows []int) *Reading {
	r, units, unit := &Reading{Kind: s.kind, Value: make([]float64, len(words)), Odd: -1}, map[string]int{}, make([]string, len(words))
	read := 0
	for k, word := range words {
		if r.Value[k] = math.NaN(); word == MissingCategory || IsDash([]byte(word)) {
			continue
		}
		r.All += rows[k]
		if v, u, ok := s.parse([]byte(word)); ok && math.Abs(v) <= math.MaxFloat32 {
			if r.Value[k], read = v, read+rows[k]; u != nil {
				unit[k] = string(u)
				if units[unit[k]] += rows[k]; units[unit[k]] > units[r.Unit] {
					r.Unit = unit[k]
				}
			}
		} else if r.Odd < 0 {
			r.Odd = k
		}
		if k > 1000 && 2*read < r.All { // words
			return r
		}
	}
	if 2*units[r.Unit] < read { // a slip
		r.Unit = ""
	}
	for k, word := range words {
		switch {
		case word == MissingCategory || IsDash([]byte(word)):
		case math.IsNaN(r.Value[k]) || unit[k] != "" && unit[k] != r.Unit:
			if r.Value[k] = math.NaN(); r.Odd < 0 || k < r.Odd {
				r.Odd = k
			}
		default:
			r.Read += rows[k]
		}
	}
	return r
}

// ReadWords returns the words of a column, which so many rows have each, as numbers of the kind
// that reads most rows; Read is 0 where none does.
func ReadWords(words []string, rows []int) *Reading {
	best, next := &Reading{}, (*Reading)(nil)
	for _, s := range spellings {
		r := s.readAs(words, rows)
		if r.Kind == KindBoolean && r.Odd >= 0 {
			continue
		}
		if r.Read > best.Read {
			best, next = r, nil
		} else if next == nil && (best.Kind == KindDMY && r.Kind == KindMDY || best.Kind == KindAmount && r.Kind == KindComma) {
			next = r
		}
	}
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	switch {
	case next == nil || next.Read < best.Read:
		best.Sure = true
	case !slices.EqualFunc(best.Value, next.Value, same):
		best.Other = next
	}
	return best
}

// IsPlain reports whether all words that are read are numbers without other words.
func (r *Reading) IsPlain(words []string) bool {
	for k, word := range words {
		if _, status := decimal.Float64([]byte(word)); status != decimal.Number && !math.IsNaN(r.Value[k]) {
			return false
		}
	}
	return true
}

// IsMissing recognises the usual spellings of a missing value in CSV.
func IsMissing(text []byte) bool {
	switch len(text) {
	case 0:
		return true
	case 1:
		return text[0] == '?'
	case 2:
		return bytes.EqualFold(text, []byte("na")) || string(text) == `\N`
	case 3:
		return bytes.EqualFold(text, []byte("n/a")) || bytes.EqualFold(text, []byte("nan")) || bytes.EqualFold(text, []byte("nat"))
	case 4:
		return bytes.EqualFold(text, []byte("null")) || bytes.EqualFold(text, []byte("<na>")) || bytes.EqualFold(text, []byte("none")) || bytes.EqualFold(text, []byte("#n/a"))
	}
	return false
}

// MayBeLabel reports whether a text that says in other columns that a value is missing, such as None,
// may be the name of a class in the column of the target.
func MayBeLabel(text []byte) bool {
	return bytes.EqualFold(text, []byte("none")) || bytes.EqualFold(text, []byte("nat")) || string(text) == `\N` || bytes.EqualFold(text, []byte("#n/a"))
}

// IsDash recognises the spellings of a missing value in a column of numbers or dates: they may
// be categories elsewhere.
func IsDash(text []byte) bool {
	return len(text) == 1 && (text[0] == '-' || text[0] == '.' || text[0] == '*')
}

// IsCode reports whether a text is all digits, of which the first is a zero that a number
// would lose.
func IsCode(text []byte) bool {
	return len(text) > 1 && text[0] == '0' && AreDigits(text)
}

// AreDigits reports whether text has nothing but digits.
func AreDigits(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// A Speller reads the numbers of a slot that are in other words; nil: plain ones.
type Speller struct {
	Read     spelling
	Expected string
}

// A timeKind is what a column of times may hold.
type timeKind struct {
	what  string
	parse spelling
}

// timeKinds are those, numbers first.
var timeKinds = []timeKind{
	{"a number", func(text []byte) (float64, bool) {
		v, status := decimal.Float64(text)
		return v, status == decimal.Number
	}},
	{"a number with a decimal comma", func(text []byte) (float64, bool) {
		whole, digits, comma := bytes.Cut(text, []byte(","))
		v, unit, ok := decimal.Amount(text, ',')
		return v, ok && unit == nil && !(comma && len(digits) == 3 && string(bytes.Trim(whole, "+-")) != "0") // 1,158 may be above a thousand
	}},
	{"a date or time such as 2024-05-31 or 31.05.2024 18:30", func(text []byte) (float64, bool) { return calendar.Days(text, calendar.DayFirst) }},
	{"a date or time such as 05/31/2024 or 2024-05-31 18:30", func(text []byte) (float64, bool) { return calendar.Days(text, calendar.MonthFirst) }},
	{"a time of day such as 18:30", calendar.Hours},
}

// Times returns the numbers that order the fields of a column of times: numbers, or dates and
// times, written however a table may have them. It refuses a field that is missing or unlike
// most of the others, with its row, and days and months that cannot be told apart.
func Times(fields []string) ([]float64, error) {
	var most []float64 // as the kind of most fields reads them, up to the first other one
	what, best, bad := "", -1, -1
	for kind, k := range timeKinds {
		at, read, wrong := make([]float64, len(fields)), 0, -1
		for i, text := range fields {
			var ok bool
			if at[i], ok = k.parse(bytes.TrimSpace([]byte(text))); ok {
				read++
			} else if wrong < 0 {
				wrong = i
			}
			if i-read > 100 {
				break
			}
		}
		switch {
		case wrong < 0 && kind < 2: // numbers
			return at, nil
		case read > best:
			most, what, best, bad = at, k.what, read, wrong
		case read == best && bad < 0 && best > 0:
			for i, x := range at {
				if x != most[i] {
					return nil, fmt.Errorf("row %d: found the time %q, expected a day above 12 in some row, or dates such as 2024-05-31, as day and month cannot be told apart", i+1, fields[i])
				}
			}
		}
	}
	switch {
	case bad < 0:
		return most, nil
	case IsMissing(bytes.TrimSpace([]byte(fields[bad]))):
		return nil, fmt.Errorf("row %d: found no time, expected %s in every row", bad+1, what)
	case best == 0:
		return nil, fmt.Errorf("row %d: found the time %q, expected a number, a date or a time such as 2024-05-31 or 2024-05-31 18:30:00", bad+1, fields[bad])
	}
	return nil, fmt.Errorf("row %d: found the time %q, expected %s, as in most rows", bad+1, fields[bad], what)
}
