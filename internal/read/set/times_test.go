package set

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// One instant is one number, however it is written; the rows of a column decide what stands first,
// day or month.
func TestTimes(t *testing.T) {
	want := []float64{19724 + 18.5/24, 19850, 19851.25}
	for _, fields := range [][]string{
		{"2024-01-02 18:30:00", "2024-05-07", "2024-05-08T06:00:00Z"},
		{"02.01.2024 18:30", "7.5.2024", "08.05.2024 06:00:00"},
		{"2/1/2024 18:30", "07/05/2024 00:00", "08/05/2024T06:00"},
		{"1/2/2024 6:30 PM", "05/07/2024", "5/8/2024 06:00"},
		{"2 Jan 2024 18:30", "May 7, 2024", "08-May-2024 06:00"},
		{"2024-01-02T20:30:00+02:00", "2024-05-07T02:00:00+02:00", "2024-05-08 06:00:00.000"},
		{"2024/1/2 18:30", "2024.5.7", "2024-5-8 6:00"},
	} {
		if strings.Contains(fields[1], "/05/") {
			fields = append(fields, "31/05/2024")
		} else {
			fields = append(fields, "05/31/2024")
		}
		at, err := Times(fields)
		if err != nil || !slices.Equal(at[:3], want) {
			t.Errorf("%q: found %v, error %v, expected %v", fields, at, err, want)
		}
	}
	for _, c := range []struct {
		fields []string
		want   []float64
	}{
		{[]string{"10", " 9", "1e1", "-0.5"}, []float64{10, 9, 10, -0.5}},
		{[]string{"1,5", "0,125", "-2"}, []float64{1.5, 0.125, -2}},
		{[]string{"2024-05", "2023-12"}, []float64{19844, 19692}},
		{[]string{"18:30", "06:00:30"}, nil},
	} {
		if at, err := Times(c.fields); err != nil || c.want != nil && !slices.Equal(at, c.want) {
			t.Errorf("%q: found %v, error %v, expected %v", c.fields, at, err, c.want)
		}
	}
}

// Whatever the reader of tables takes for a date is one.
func TestTimesOfTables(t *testing.T) {
	for _, layout := range []string{time.DateOnly, time.DateTime, "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04Z07:00", "2006/01/02", "2006/01/02 15:04:05"} {
		at := time.Date(2024, 5, 31, 18, 30, 0, 0, time.UTC).Format(layout)
		want, ok := ParseDate([]byte(at))
		if got, err := Times([]string{at}); !ok || err != nil || got[0] != want {
			t.Errorf("%q: found %v, error %v, expected %v", at, got, err, want)
		}
	}
}

// What cannot be read is refused with its row, and nothing is guessed.
func TestTimesThatAreNone(t *testing.T) {
	many := slices.Repeat([]string{"2024-05-31"}, 300)
	many[200] = "soon"
	for _, c := range []struct {
		fields []string
		want   string
	}{
		{many, `row 201: found the time "soon", expected a date or time such as`},
		{[]string{"1", "2", "x3"}, `row 3: found the time "x3", expected a number, as in most rows`},
		{[]string{"1", "", "3"}, "row 2: found no time, expected a number in every row"},
		{[]string{"2024-05-31", "NA"}, "row 2: found no time, expected a date"},
		{[]string{"2024-05-31", "45443", "2024-06-01"}, `row 2: found the time "45443", expected a date`},
		{[]string{"05/31/2024", "31/05/2024", "06/13/2024"}, `row 2: found the time "31/05/2024"`},
		{[]string{"01/02/2024", "03/03/2024"}, `row 1: found the time "01/02/2024", expected a day above 12`},
		{[]string{"2024-05-31", "18:30", "2024-06-01"}, `row 2: found the time "18:30", expected a date`},
		{[]string{"999", "1,158"}, `row 2: found the time "1,158", expected a number`},
		{[]string{"v1", "v2"}, `row 1: found the time "v1", expected a number, a date or a time`},
		{[]string{"", ""}, "row 1: found no time"},
		{[]string{"1", "nan", "inf"}, "row 2: found no time"},
	} {
		if at, err := Times(c.fields); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.60q: found %v, error %v, expected %q", c.fields, at, err, c.want)
		}
	}
}
