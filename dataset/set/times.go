package set

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fenchel-ml/fenchel/dataset/internal/decimal"
)

// timeKinds say what a column of times may hold, all fields the same.
var timeKinds = []struct {
	what   string
	parser func() func(text string) (at float64, ok bool)
}{
	{"a number", func() func(string) (float64, bool) {
		return func(text string) (float64, bool) {
			v, status := decimal.Float64([]byte(text))
			return v, status == decimal.Number
		}
	}},
	{"a number with a decimal comma", func() func(string) (float64, bool) {
		return func(text string) (float64, bool) {
			whole, digits, comma := strings.Cut(text, ",")
			if comma && len(digits) == 3 && strings.Trim(whole, "+-") != "0" { // 1,158 may be above a thousand
				return 0, false
			}
			return ParseComma([]byte(text))
		}
	}},
	{"a date or time such as 2024-05-31 or 31.05.2024 18:30", func() func(string) (float64, bool) { return timeParser(dayLayouts("2", "1")) }},
	{"a date or time such as 05/31/2024 or 2024-05-31 18:30", func() func(string) (float64, bool) { return timeParser(dayLayouts("1", "2")) }},
	{"a time of day such as 18:30", func() func(string) (float64, bool) { return timeParser(slices.Clone(clocks)) }},
}

var clocks = []string{"15:04", "15:04:05", "15:04Z07:00", "15:04:05Z07:00", "15:04:05 Z07:00", "15:04:05 -0700", "3:04 PM", "3:04:05 PM"}

// dayLayouts are dates and times, those that ParseDate reads too, with D and M for what stands
// first and second of a day and a month.
func dayLayouts(first, second string) (all []string) {
	days := []string{"2006-1-2", "2006/1/2", "2.1.2006", "D/M/2006", "D-M-2006", "2006-1", "2006/1", "2006.1.2", "2 Jan 2006", "2-Jan-2006", "Jan 2, 2006", "2 January 2006", "January 2, 2006"}
	order := strings.NewReplacer("D", first, "M", second)
	for _, day := range days {
		if day[0] == 'D' {
			day = order.Replace(day)
		}
		all = append(all, day)
		for _, clock := range clocks {
			all = append(all, day+" "+clock, day+"T"+clock, day+", "+clock)
		}
	}
	return all
}

// timeParser returns what reads a date or time as days from the beginning of 1970, in UTC unless the
// text names another zone, or a time of day. It tries first what it read last.
func timeParser(layouts []string) func(text string) (days float64, ok bool) {
	return func(text string) (days float64, ok bool) {
		for k, layout := range layouts {
			if at, err := time.Parse(layout, text); err == nil {
				layouts[0], layouts[k] = layouts[k], layouts[0]
				return daysOf(at), true
			}
		}
		return 0, false
	}
}

// mostWrong is after how many fields of another kind a kind is given up.
const mostWrong = 100

// Times returns the numbers that order the fields of a column of times: numbers, or dates and
// times, written however a table may have them. It refuses a field that is missing or unlike
// most of the others, with its row, and days and months that cannot be told apart.
func Times(fields []string) ([]float64, error) {
	var most []float64 // as the kind of most fields reads them, up to the first other one
	what, best, bad := "", -1, -1
	for kind, k := range timeKinds {
		at, read, wrong, parse := make([]float64, len(fields)), 0, -1, k.parser()
		for i, text := range fields {
			var ok bool
			if at[i], ok = parse(strings.TrimSpace(text)); ok {
				read++
			} else if wrong < 0 {
				wrong = i
			}
			if i-read > mostWrong {
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
	case IsMissing([]byte(strings.TrimSpace(fields[bad]))):
		return nil, fmt.Errorf("row %d: found no time, expected %s in every row", bad+1, what)
	case best == 0:
		return nil, fmt.Errorf("row %d: found the time %q, expected a number, a date or a time such as 2024-05-31 or 2024-05-31 18:30:00", bad+1, fields[bad])
	}
	return nil, fmt.Errorf("row %d: found the time %q, expected %s, as in most rows", bad+1, fields[bad], what)
}
