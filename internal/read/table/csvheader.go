package table

import (
	"bytes"
	"fmt"
	"slices"
	"time"
	"unicode"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// headerRows is how many rows below the first are looked at.
const headerRows = 100

// A headerGuess says whether the first row names the columns. It is open when a person
// might think otherwise.
type headerGuess struct{ header, open bool }

// guessHeader compares the first row with later ones. It names the columns if it names
// those of a model or a usual target; if a word stands above numbers; if its numbers are
// consecutive, as in 0,1,2, and those of no later row are; or if it is all words, of
// which none occurs again in its column, unless the model's columns have no names.
func guessHeader(first []field, later [][]field, s *set.Schema) headerGuess {
	if s != nil && s.Header && namesAll(first, s) {
		return headerGuess{header: true}
	}
	if len(later) == 0 {
		return headerGuess{header: (s == nil || s.Header) && allWords(first) && namesTarget(first, later)}
	}
	c := compareHeader(first, later)
	switch {
	case c.above > 0: // a missing value may be a word too
		certain := c.numbers == 0 || c.consecutive
		return headerGuess{header: certain || c.again == 0, open: !certain}
	case c.numbers > 0:
		return c.numbered(first, later)
	}
	named := (s == nil || s.Header) && namesTarget(first, later)
	switch {
	case c.again > 0 && !named || !allWords(first):
		return headerGuess{}
	case named:
		return headerGuess{header: true}
	case repeated(first) != "":
		return headerGuess{open: true}
	}
	if s != nil && !s.Header { // such as texts, of which each is new: the rows learned from had no names
		return headerGuess{open: c.unseen <= 0.05}
	}
	return headerGuess{header: true, open: c.unseen > 0.05}
}

// A headerComparison counts columns by their first field and those below.
type headerComparison struct {
	above       int     // with a word above numbers alone
	again       int     // with a word that occurs again below
	numbers     int     // with a number
	consecutive bool    // the numbers are increasing integers without gaps, as in no later row
	fractions   int     // of the columns with a number those with one that is no integer below
	unseen      float64 // how likely it is that all words of one more row would be new
}

func compareHeader(first []field, later [][]field) headerComparison {
	c := headerComparison{unseen: 1}
	var columns []int
	for i, f := range first {
		below := columnBelow(later, i)
		if f.missing || set.IsDash(f.text) {
			continue
		}
		if isNumeric(f.text) || below.words > 0 && set.IsInWords(f.text) {
			c.numbers++
			columns = append(columns, i)
			if below.fraction {
				c.fractions++
			}
			continue
		}
		n := below.count[string(f.text)]
		switch {
		case n > 0:
			c.again++
		case below.texts == 0 && below.numbers > 0 && bytes.ContainsFunc(f.text, unicode.IsLetter):
			c.above++
		case below.texts > 0:
			c.unseen *= below.unseen()
		}
	}
	c.consecutive = c.numbers > 0 && areConsecutive(first, columns) &&
		!slices.ContainsFunc(later, func(row []field) bool { return areConsecutive(row, columns) })
	return c
}

// numbered is for a first row with numbers and no word above others.
func (c headerComparison) numbered(first []field, later [][]field) headerGuess {
	if !c.consecutive || c.again > 0 {
		return headerGuess{}
	}
	if c.numbers > 2 {
		return headerGuess{header: true, open: c.numbers < 5 && c.fractions == 0}
	}
	if !slices.ContainsFunc(first, func(f field) bool { return isNamed(f, "0") }) {
		return headerGuess{}
	}
	return headerGuess{header: c.fractions == c.numbers || namesTarget(first, later), open: true}
}

// isNumeric reports whether a text is a number or a day. Other words for these may also name
// columns: 5 kg, 2024-05.
func isNumeric(text []byte) bool {
	if _, status := decimal.Float64(text); status != decimal.Text {
		return true
	}
	_, unit, comma := decimal.Amount(text, ',')
	_, date := set.ParseDate(text)
	return comma && unit == nil || date && len(text) >= len(time.DateOnly) && set.AreDigits(text[:4])
}

// A below is what a column holds below its first field.
type below struct {
	numbers, texts int
	words          int            // of the numbers in other words
	fraction       bool           // some number is no integer
	count          map[string]int // of texts
}

func columnBelow(later [][]field, i int) below {
	b := below{count: map[string]int{}}
	for _, row := range later {
		if i >= len(row) || row[i].missing || set.IsDash(row[i].text) {
			continue
		}
		if !isNumeric(row[i].text) {
			if !set.IsInWords(row[i].text) {
				b.texts++
				b.count[string(row[i].text)]++
				continue
			}
			b.words++
		}
		b.numbers++
		b.fraction = b.fraction || !set.AreDigits(bytes.TrimLeft(row[i].text, "-+"))
	}
	return b
}

// unseen is how likely a further text is a new one: the share of those that came once
// (Good 1953).
func (b below) unseen() float64 {
	once := 0
	for _, n := range b.count {
		if n == 1 {
			once++
		}
	}
	return (float64(once) + 0.5) / (float64(b.texts) + 1)
}

// areConsecutive reports whether the fields of these columns are integers, each the one
// before and 1.
func areConsecutive(row []field, columns []int) bool {
	for k, i := range columns {
		if i >= len(row) || row[i].missing || !set.AreDigits(row[i].text) || len(row[i].text) > 15 {
			return false
		}
		v, _ := decimal.Float64(row[i].text)
		if k == 0 {
			continue
		}
		if before, _ := decimal.Float64(row[columns[k-1]].text); v != before+1 {
			return false
		}
	}
	return true
}

// allWords reports whether no field is missing, except the first, or without a letter.
func allWords(first []field) bool {
	for i, f := range first {
		if !(i == 0 && len(f.text) == 0) && (f.missing || !bytes.ContainsFunc(f.text, unicode.IsLetter)) {
			return false
		}
	}
	return true
}

// namesAll reports whether the fields name all features of a model.
func namesAll(first []field, s *set.Schema) bool {
	known := make(map[string]bool, len(first))
	for _, f := range first {
		known[string(f.text)] = true
	}
	for i, c := range s.Columns {
		if !s.Answers(i) && c.Kind != set.KindIgnored && !known[c.Name] {
			return false
		}
	}
	return true
}

// namesTarget reports whether a field of the first row is a usual name of a
// target. It must be there once and not be found below, since y is also a yes.
func namesTarget(first []field, later [][]field) bool {
	for _, usual := range usualTargets {
		same := func(f field) bool { return decimal.EqualFold(f.text, usual) }
		i := slices.IndexFunc(first, same)
		if i < 0 || slices.ContainsFunc(first[i+1:], same) {
			continue
		}
		if !slices.ContainsFunc(later, func(row []field) bool { return slices.ContainsFunc(row, same) }) {
			return true
		}
	}
	return false
}

// repeated returns the first text that two fields have, "" if there is none.
func repeated(fields []field) string {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		if text := string(f.text); text != "" {
			if seen[text] {
				return text
			}
			seen[text] = true
		}
	}
	return ""
}

// doubt says as what the first row was taken where that was open.
func (g headerGuess) doubt(c *lines.Chunk) error {
	line := fault.Quote(bytes.TrimSpace(c.Text))
	if g.header {
		return fmt.Errorf("%s:%d: %s taken as the names of the columns (if it is a row: 'header=no')", c.Name, c.Line, line)
	}
	return fmt.Errorf("%s:%d: %s taken as a row (if it names the columns: 'header=yes')", c.Name, c.Line, line)
}

func isNamed(f field, name string) bool { return string(f.text) == name }
