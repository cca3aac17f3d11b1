// Package calendar reads days and times of the day as tables have them. It imports the
// standard library alone. Begin with [Days] and [Hours].
package calendar

import (
	"bytes"
	"strings"
	"time"
)

// An Order says how days such as 05/06/2024 are meant.
type Order byte

// The orders. In each of them 05.06.2024 is the 5th of June.
const (
	NoOrder    Order = iota // they are no days
	DayFirst                // the 5th of June
	MonthFirst              // the 6th of May
)

// Days returns the days from the beginning of 1970, in UTC unless the text names another
// zone. A day may be 2024-05-31, 31.05.2024, 31-May-2024 or May 31, 2024, with a time behind
// it or none; a month, a quarter or a week is its first day: 2024-05, 05/2024, May 2024,
// 2024-Q2, 2024-W22. Years of two digits are those from 1970 to 2069.
func Days(text []byte, order Order) (days float64, ok bool) {
	if len(text) < 5 || len(text) > 64 {
		return 0, false
	}
	day, rest, ok := readDay(text, order)
	if !ok || len(rest) == 0 {
		return float64(day), ok
	}
	if rest[0] != 'T' && rest[0] != ',' && rest[0] != ' ' {
		return 0, false
	}
	c, ok := readClock(bytes.TrimLeft(rest[1:], " "))
	if !ok || c.seconds >= 86400 {
		return 0, false
	}
	return float64(day*86400+c.seconds-c.zone)/86400 + float64(c.nanoseconds)/86400e9, true
}

// Hours returns the hours of a time of the day such as 18:30, 18:30:15.5 or 6:30 PM, or of a
// duration written so.
func Hours(text []byte) (hours float64, ok bool) {
	c, ok := readClock(text)
	return float64(c.seconds-c.zone)/3600 + float64(c.nanoseconds)/3600e9, ok
}

// A part of a day is a number, or a word: the month of that name, or what says that a quarter
// or a week follows.
type part struct {
	value, digits int
	word          byte // 'M', 'Q' or 'W'; 0: a number
	mark          byte // before it; 0: none
}

// readDay reads a day, in days from the beginning of 1970, and returns what is behind it.
func readDay(text []byte, order Order) (day int, rest []byte, ok bool) {
	var parts [3]part
	k, rest := 0, text
	for k < len(parts) {
		mark, after := byte(0), rest
		if k > 0 {
			mark, after = readMark(rest)
		}
		p, end := readPart(after)
		if end == nil || k > 0 && mark == 0 && (p.word == 0) == (parts[k-1].word == 0) || len(end) > 0 && end[0] == ':' {
			break // an hour begins, or nothing that belongs to a day
		}
		p.mark = mark
		parts[k], k, rest = p, k+1, end
	}
	day, ok = dayOf(parts[:k], order)
	return day, rest, ok
}

// readMark reads what may be between two parts, and the blanks behind it.
func readMark(t []byte) (mark byte, rest []byte) {
	if len(t) > 0 && bytes.IndexByte([]byte("-/. ,"), t[0]) >= 0 {
		return t[0], bytes.TrimLeft(t[1:], " ")
	}
	return 0, t
}

const months = "january   february  march     april     may       june      july      august    september october   november  december  "

// readPart returns what is behind the part, nil if there is none.
func readPart(t []byte) (p part, rest []byte) {
	for p.digits < len(t) && p.digits < 5 && t[p.digits]-'0' <= 9 {
		p.value = 10*p.value + int(t[p.digits]-'0')
		p.digits++
	}
	if p.digits > 0 {
		return p, t[p.digits:]
	}
	var room [9]byte
	letters := 0
	for letters < len(t) && t[letters]|0x20 >= 'a' && t[letters]|0x20 <= 'z' {
		if letters == len(room) {
			return p, nil
		}
		room[letters] = t[letters] | 0x20
		letters++
	}
	word := room[:letters]
	switch at := strings.Index(months, string(word)); {
	case letters >= 3 && at >= 0 && at%10 == 0:
		return part{value: at/10 + 1, word: 'M'}, t[letters:]
	case letters == 1 && (word[0] == 'q' || word[0] == 'w'):
		return part{word: word[0] - 'a' + 'A'}, t[1:]
	}
	return p, nil
}

// dayOf returns the day that two or three parts are, in days from the beginning of 1970.
func dayOf(p []part, order Order) (day int, ok bool) {
	if len(p) < 2 {
		return 0, false
	}
	first, second, last := p[0], p[1], p[len(p)-1]
	even := second.mark == last.mark && second.mark != ',' && second.mark != ' ' // numbers alone
	switch {
	case len(p) == 2 && first.digits == 4 && second.word == 'M': // 2024-May
		return date(first, second, part{value: 1})
	case len(p) == 2 && first.word == 'M' && (last.digits == 4 || last.digits == 2 && last.mark == '-'): // May 2024, May-24
		return date(last, first, part{value: 1})
	case len(p) == 2 && even && second.mark != '.' && first.digits == 4: // 2024-05
		return date(first, second, part{value: 1})
	case len(p) == 2 && even && second.mark != '.' && last.digits == 4: // 05/2024
		return date(last, first, part{value: 1})
	case len(p) == 2:
		return 0, false
	case first.digits == 4 && second.word == 'W' && last.mark == 0 && last.digits <= 2 && last.value >= 1 && last.value <= 53: // 2024-W22
		at := time.Date(first.value, 1, 4, 0, 0, 0, 0, time.UTC) // in the first week
		return int(at.Unix()/86400) - (int(at.Weekday())+6)%7 + 7*(last.value-1), true
	case first.digits == 4 && second.word == 'Q' && last.mark == 0: // 2024-Q2
		return date(first, part{value: 3*last.value - 2}, part{value: 1})
	case first.word == 'Q' && second.mark == 0 && last.digits == 4: // Q2 2024
		return date(last, part{value: 3*second.value - 2}, part{value: 1})
	case first.digits == 4 && (even || second.word == 'M') && last.word == 0: // 2024-05-31
		return date(first, second, last)
	case last.digits != 4 && last.digits != 2 || last.word != 0:
		return 0, false
	case second.word == 'M': // 31 May 2024
		return date(last, second, first)
	case first.word == 'M' && second.word == 0: // May 31, 2024
		return date(last, first, second)
	case even && (order == DayFirst || second.mark == '.'):
		return date(last, second, first)
	case even && order == MonthFirst:
		return date(last, first, second)
	}
	return 0, false
}

// date returns the days from the beginning of 1970 to a day, if there is such a day.
func date(year, month, day part) (int, bool) {
	y := year.value
	if year.digits == 2 {
		if y += 1900; y < 1970 {
			y += 100
		}
	}
	at := time.Date(y, time.Month(month.value), day.value, 0, 0, 0, 0, time.UTC)
	exists := int(at.Month()) == month.value && at.Day() == day.value && month.digits <= 2 && day.digits <= 2
	return int(at.Unix() / 86400), exists
}

// A clock is a time of the day.
type clock struct{ seconds, nanoseconds, zone int } // zone: seconds before UTC

// readClock reads hours and minutes, seconds perhaps, AM or PM, and a zone.
func readClock(t []byte) (c clock, ok bool) {
	var n [3]int
	k := 0
	for ; k < len(n); k++ {
		p, rest := readPart(t)
		if rest == nil || p.word != 0 || p.digits > 3 || k > 0 && (p.digits != 2 || p.value > 59) {
			return c, false
		}
		if n[k], t = p.value, rest; len(t) == 0 || t[0] != ':' || k == 2 {
			break
		}
		t = t[1:]
	}
	if k == 0 {
		return c, false
	}
	if k == 2 && len(t) > 1 && (t[0] == '.' || t[0] == ',') && t[1]-'0' <= 9 {
		t = t[1:]
		for scale := 100000000; len(t) > 0 && t[0]-'0' <= 9; t, scale = t[1:], scale/10 {
			c.nanoseconds += scale * int(t[0]-'0')
		}
	}
	t = bytes.TrimLeft(t, " ")
	if half := len(t) > 1 && t[1]|0x20 == 'm' && n[0] >= 1 && n[0] <= 12; half && (t[0]|0x20 == 'a' || t[0]|0x20 == 'p') {
		n[0] %= 12
		if t[0]|0x20 == 'p' {
			n[0] += 12
		}
		t = bytes.TrimLeft(t[2:], " ")
	}
	c.seconds = 3600*n[0] + 60*n[1] + n[2]
	c.zone, ok = readZone(t)
	return c, ok
}

// readZone reads Z or an offset such as +02:00, or nothing.
func readZone(t []byte) (seconds int, ok bool) {
	if len(t) == 0 || string(t) == "UTC" {
		return 0, true
	}
	for _, layout := range []string{"Z07:00", "Z0700", "Z07"} {
		if at, err := time.Parse(layout, string(t)); err == nil {
			_, seconds = at.Zone()
			return seconds, true
		}
	}
	return 0, false
}
