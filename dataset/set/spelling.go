package set

import (
	"bytes"
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
	} else if c.Offset == 0 {
		return nil, ""
	}
	from, _ := ParseDate([]byte(c.From))
	return func(text []byte) (float64, bool) {
		v, ok := parse(text)
		return v - from - c.Offset, ok
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
