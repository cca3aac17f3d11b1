package set

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/fenchel-ml/fenchel/dataset/internal/decimal"
)

// A Kind says how the fields of a column are spelled that are neither plain numbers nor
// categories.
type Kind string

// What a column of one feature may hold besides plain numbers, and none.
const (
	KindPlain   Kind = ""        // numbers with a decimal point, or categories
	KindComma   Kind = "comma"   // numbers with a decimal comma
	KindBoolean Kind = "boolean" // true and false, or yes and no: 1 and 0
	KindDate    Kind = "date"    // ISO dates or times: days since the first one's midnight
	KindIgnored Kind = "ignored" // not a feature
)

// A spellingKind reads the fields of all columns of a kind.
type spellingKind struct {
	kind     Kind
	expected string
	parse    func(text []byte) (value float64, ok bool)
}

// spellings are the kinds that are numbers in other words, with what reads a field.
var spellings = []spellingKind{
	{KindComma, "a number with a decimal comma", ParseComma},
	{KindBoolean, "true or false, yes or no", parseBoolean},
	{KindDate, "a date or time such as 2024-05-31 or 2024-05-31 18:30:00", ParseDate},
}

// ParsePlain reads a number that single precision can hold.
func ParsePlain(text []byte) (float64, bool) {
	v, status := decimal.Float64(text)
	return v, status == decimal.Number && math.Abs(v) <= math.MaxFloat32
}

// ParseComma reads a number whose decimal point is a comma, or that has neither.
func ParseComma(text []byte) (float64, bool) {
	if bytes.IndexByte(text, '.') >= 0 || len(text) > 64 {
		return 0, false
	}
	var room [64]byte
	point := append(room[:0], text...)
	if i := bytes.IndexByte(point, ','); i >= 0 {
		point[i] = '.'
	}
	v, status := decimal.Float64(point)
	return v, status == decimal.Number
}

// parseBoolean reads one of two pairs of words, in any letter case.
func parseBoolean(text []byte) (float64, bool) {
	switch {
	case decimal.EqualFold(text, "true"), decimal.EqualFold(text, "yes"):
		return 1, true
	case decimal.EqualFold(text, "false"), decimal.EqualFold(text, "no"):
		return 0, true
	}
	return 0, false
}

// dateLayouts are those of ISO 8601, and what Python, R and SQL make of it. Digits behind
// the seconds may follow in each.
var dateLayouts = []string{time.DateOnly, time.DateTime, "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04Z07:00", "2006/01/02", "2006/01/02 15:04:05"}

// ParseDate returns the days from the beginning of 1970, in UTC unless the text names
// another zone.
func ParseDate(text []byte) (days float64, ok bool) {
	if len(text) < 10 || text[4] != '-' && text[4] != '/' || text[0] > '9' {
		return 0, false
	}
	layouts := dateLayouts
	switch usual := len(text); { // a layout that does not fit costs an error
	case usual == len(time.DateOnly):
		layouts = []string{time.DateOnly, "2006/01/02"}
	case usual == len(time.DateTime) && text[4] == '-' && text[10] == ' ':
		layouts = []string{time.DateTime}
	case usual == len(time.DateTime) && text[4] == '-' && text[10] == 'T':
		layouts = []string{"2006-01-02T15:04:05"}
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, unsafe.String(unsafe.SliceData(text), len(text))); err == nil {
			return daysOf(at), true
		}
	}
	return 0, false
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
	parse := ParsePlain
	if expected = decimal.Text.Expected(); c.Kind != KindPlain {
		at := slices.IndexFunc(spellings, func(s spellingKind) bool { return s.kind == c.Kind })
		if at < 0 {
			return nil, ""
		}
		parse, expected = spellings[at].parse, spellings[at].expected
	} else if c.Offset == 0 && c.Factor == 0 {
		return nil, ""
	}
	from, _ := ParseDate([]byte(c.From))
	return func(text []byte) (float64, bool) {
		v, ok := parse(text)
		return c.Stored(v - from), ok
	}, expected
}

// Spelled returns the kind as which all of the words can be read, and their values; those
// that stand for a missing one have any.
func Spelled(words []string, comma bool) (kind Kind, value []float64, ok bool) {
	for _, known := range spellings {
		if known.kind == KindComma && !comma {
			continue
		}
		value = value[:0]
		fits := !slices.ContainsFunc(words, func(word string) bool {
			v, ok := known.parse([]byte(word))
			value = append(value, v)
			return !ok && word != MissingCategory
		})
		if fits {
			return known.kind, value, true
		}
	}
	return KindPlain, nil, false
}

// IsMissing recognises the usual spellings of a missing value in CSV.
func IsMissing(text []byte) bool {
	switch len(text) {
	case 0:
		return true
	case 1:
		return text[0] == '?'
	case 2:
		return bytes.EqualFold(text, []byte("na"))
	case 3:
		return bytes.EqualFold(text, []byte("n/a")) || bytes.EqualFold(text, []byte("nan"))
	case 4:
		return bytes.EqualFold(text, []byte("null")) || bytes.EqualFold(text, []byte("<na>"))
	}
	return false
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

// A timeKind is what a column of times may hold: numbers, or days and clocks of these layouts.
type timeKind struct {
	what    string
	parse   spelling
	layouts []string
}

// timeKinds are those, numbers first.
var timeKinds = []timeKind{
	{"a number", func(text []byte) (float64, bool) {
		v, status := decimal.Float64(text)
		return v, status == decimal.Number
	}, nil},
	{"a number with a decimal comma", func(text []byte) (float64, bool) {
		whole, digits, comma := bytes.Cut(text, []byte(","))
		v, ok := ParseComma(text)
		return v, ok && !(comma && len(digits) == 3 && string(bytes.Trim(whole, "+-")) != "0") // 1,158 may be above a thousand
	}, nil},
	{"a date or time such as 2024-05-31 or 31.05.2024 18:30", nil, dayLayouts("2/1/2006", "2-1-2006")},
	{"a date or time such as 05/31/2024 or 2024-05-31 18:30", nil, dayLayouts("1/2/2006", "1-2-2006")},
	{"a time of day such as 18:30", nil, clocks},
}

var clocks = []string{"15:04", "15:04:05", "15:04Z07:00", "15:04:05Z07:00", "15:04:05 Z07:00", "15:04:05 -0700", "3:04 PM", "3:04:05 PM"}

// dayLayouts are dates and times, those that ParseDate reads too, and those that are given.
func dayLayouts(more ...string) (all []string) {
	days := []string{"2006-1-2", "2006/1/2", "2.1.2006", "2006-1", "2006/1", "2006.1.2", "2 Jan 2006", "2-Jan-2006", "Jan 2, 2006", "2 January 2006", "January 2, 2006"}
	for _, day := range append(days, more...) {
		all = append(all, day)
		for _, clock := range clocks {
			all = append(all, day+" "+clock, day+"T"+clock, day+", "+clock)
		}
	}
	return all
}

// timeParser returns what reads days from the beginning of 1970, in UTC unless the text names another
// zone, or of times of day. It tries first what it read last.
func timeParser(layouts []string) spelling {
	layouts = slices.Clone(layouts)
	return func(text []byte) (days float64, ok bool) {
		for k, layout := range layouts {
			if at, err := time.Parse(layout, string(text)); err == nil {
				layouts[0], layouts[k] = layouts[k], layouts[0]
				return daysOf(at), true
			}
		}
		return 0, false
	}
}

// Times returns the numbers that order the fields of a column of times: numbers, or dates and
// times, written however a table may have them. It refuses a field that is missing or unlike
// most of the others, with its row, and days and months that cannot be told apart.
func Times(fields []string) ([]float64, error) {
	var most []float64 // as the kind of most fields reads them, up to the first other one
	what, best, bad := "", -1, -1
	for kind, k := range timeKinds {
		at, read, wrong, parse := make([]float64, len(fields)), 0, -1, k.parse
		if parse == nil {
			parse = timeParser(k.layouts)
		}
		for i, text := range fields {
			var ok bool
			if at[i], ok = parse(bytes.TrimSpace([]byte(text))); ok {
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
