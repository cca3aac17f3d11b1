package calendar

import (
	"testing"
	"time"
)

// One day is one number, however it is written.
func TestDays(t *testing.T) {
	const may31 = 19874
	for _, c := range []struct {
		text  string
		order Order
		want  float64 // -1: no day
	}{
		{"2024-05-31", NoOrder, may31}, {"2024-5-31", NoOrder, may31}, {"2024/05/31", NoOrder, may31}, {"2024.5.31", NoOrder, may31},
		{"31.05.2024", NoOrder, may31}, {"31.5.24", NoOrder, may31}, {"05.31.2024", NoOrder, -1}, {"05.31.2024", MonthFirst, -1}, {"31.05.2024", MonthFirst, may31},
		{"31/05/2024", NoOrder, -1}, {"31/05/2024", DayFirst, may31}, {"31/05/2024", MonthFirst, -1}, {"5/31/24", MonthFirst, may31}, {"5-31-2024", MonthFirst, may31}, {"31-05-2024", DayFirst, may31},
		{"31-May-2024", NoOrder, may31}, {"31 may 2024", NoOrder, may31}, {"31MAY2024", NoOrder, may31}, {"31-May-24", NoOrder, may31}, {"May 31, 2024", NoOrder, may31}, {"May 31 2024", NoOrder, may31}, {"2024-May-31", NoOrder, may31}, {"31. Mai 2024", NoOrder, -1},
		{"2024-05", NoOrder, may31 - 30}, {"05/2024", NoOrder, may31 - 30}, {"May 2024", NoOrder, may31 - 30}, {"May-24", NoOrder, may31 - 30}, {"2024May", NoOrder, may31 - 30}, {"2024-13", NoOrder, -1}, {"2024.05", NoOrder, -1},
		{"2024-Q2", NoOrder, may31 - 60}, {"2024Q2", NoOrder, may31 - 60}, {"Q2 2024", NoOrder, may31 - 60}, {"2024-Q5", NoOrder, -1},
		{"2024-W22", NoOrder, may31 - 4}, {"2024W22", NoOrder, may31 - 4}, {"2024-W54", NoOrder, -1}, {"2014-W01", NoOrder, 16069}, {"1965-W01", NoOrder, -1823},
		{"2024-05-31T18:00:00Z", NoOrder, may31 + .75}, {"2024-05-31 18:00", NoOrder, may31 + .75}, {"31.05.2024, 6:00 PM", NoOrder, may31 + .75}, {"2024-05-31T18:00:00,0+06:00", NoOrder, may31 + .5}, {"2024-05 18:00", NoOrder, may31 - 29.25},
		{"2024-05-31T18:00-0600", NoOrder, may31 + 1}, {"2024-05-31 24:00", NoOrder, -1}, {"2024-05-31x", NoOrder, -1}, {"2024-02-30", NoOrder, -1}, {"2023-02-29", NoOrder, -1}, {"0000-00-00", NoOrder, -1},
		{"192.168.100.200", MonthFirst, -1}, {"1.2.3", DayFirst, -1}, {"2024", NoOrder, -1}, {"20240531", NoOrder, -1}, {"12-16", DayFirst, -1}, {"2024-05-31-07", NoOrder, -1}, {"555-1234", NoOrder, -1}, {"1,158,521", DayFirst, -1}, {"", NoOrder, -1},
	} {
		if got, ok := Days([]byte(c.text), c.order); ok != (c.want != -1) || ok && got != c.want {
			t.Errorf("%q, order %d: found %v, %t, expected %v", c.text, c.order, got, ok, c.want)
		}
	}
}

// What package time writes is read as the same instant.
func TestDaysOfTime(t *testing.T) {
	for _, at := range []time.Time{time.Date(2024, 5, 31, 18, 30, 15, 120000000, time.UTC), time.Date(1907, 2, 1, 0, 0, 59, 0, time.FixedZone("", 5400))} {
		want := float64(at.Unix())/86400 + float64(at.Nanosecond())/86400e9
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2 January 2006 3:04:05.999 PM -0700"} {
			if got, ok := Days([]byte(at.Format(layout)), NoOrder); !ok || got != want {
				t.Errorf("%s: found %v, %t, expected %v", at.Format(layout), got, ok, want)
			}
		}
	}
}

func TestHours(t *testing.T) {
	for text, want := range map[string]float64{"18:30": 18.5, "6:30 PM": 18.5, "12:15am": .25, "18:30:00.5": 18.5 + .5e9/3600e9, "75:30": 75.5, "18:30Z": 18.5,
		"18:60": -1, "18:3": -1, "18": -1, "18:30x": -1, "1:2:3:4": -1, ":30": -1, "": -1} {
		if got, ok := Hours([]byte(text)); ok != (want != -1) || ok && got != want {
			t.Errorf("%q: found %v, %t, expected %v", text, got, ok, want)
		}
	}
}

// No text makes it fail, and what it reads is a number.
func FuzzDays(f *testing.F) {
	for _, text := range []string{"2024-05-31T18:30:00.5+02:00", "31.05.2024", "May 31, 2024", "2024-W22", "Q2 2024", "6:30 PM"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for order := range MonthFirst + 1 {
			if v, ok := Days(text, order); ok && !(v > -1e6 && v < 1e7) {
				t.Errorf("%q: found %v", text, v)
			}
		}
		Hours(text)
	})
}
