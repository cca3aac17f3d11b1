package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

// column makes a table of three columns: these fields, repeated, then a number and a target.
func column(rows int, fields ...string) string {
	return linesOf("c;x;y", rows, func(i int) string { return fmt.Sprintf("%s;%d;%d", fields[i%len(fields)], i*i%7, i%2) })
}

// Numbers and dates in the words that people write: what becomes of them by the other fields of
// the column, by those of the file and by options, and what is said.
func TestWordsOfNumbers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opt        data.Options
		want       string // kind, unit and first values; or the summary
		warning    string // a part of it; "": there is none
	}{
		{"thousands beside a smaller number", column(6, "1,158", "521"), data.Options{}, "amount [1158 521]", ""},
		{"decimals beside one of less than three digits", column(6, "1,158", "521", "0,5"), data.Options{}, "comma [1.158 521 0.5]", ""},
		{"thousands alone", column(6, "1,158", "2,521"), data.Options{}, "comma [1.158 2.521]", `found nothing that tells whether the comma of "1,158" stands before decimals or thousands`},
		{"thousands alone between commas", linesOf("c,x,y", 6, func(i int) string { return fmt.Sprintf(`"%d,158",%d,%d`, 1+i%3, i*i%7, i%2) }), data.Options{}, "amount [1158 2158 3158]", ""},
		{"thousands in a file with decimal points", strings.ReplaceAll(column(6, "1,158", "2,521"), ";1;", ";1.5;"), data.Options{}, "amount [1158 2521]", ""},
		{"a decimal comma in a file with decimal commas", strings.ReplaceAll(column(6, "1,158", "521"), ";1;", ";1,5;"), data.Options{}, "comma [1.158 521]", ""},
		{"a point between thousands in a file with decimal commas", strings.ReplaceAll(column(6, "1.158", "521"), ";1;", ";1,5;"), data.Options{}, "comma [1158 521]", ""},
		{"thousands alone in a file with decimal commas", strings.ReplaceAll(column(6, "1.000", "500"), ";1;", ";1,5;"), data.Options{}, "comma [1000 500]", ""},
		{"integers in a file with decimal commas", strings.ReplaceAll(column(6, "1158", "521"), ";1;", ";1,5;"), data.Options{}, "comma [1158 521]", ""},
		{"integers in a file with both", linesOf("c;x;z;y", 6, func(i int) string { return fmt.Sprintf("%d;1,5;0.25;%d", 5+i%2, i%2) }), data.Options{}, " [5 6]", ""},
		{"a decimal point in a file with decimal commas", strings.ReplaceAll(column(6, "1.15", "521"), ";1;", ";1,5;"), data.Options{}, " [1.15 521]", ""},
		{"both", column(6, "1.158,25", "3,5"), data.Options{}, "comma [1158.25 3.5]", ""},
		{"currency", column(6, "$70,386", "($5)", "$1.2k"), data.Options{}, "amount $ [70386 -5 1200]", ""},
		{"currency behind", column(6, "1.158,50 €", "3 €"), data.Options{}, "comma € [1158.5 3]", ""},
		{"percent", column(6, "8%", "16 %"), data.Options{}, "amount % [8 16]", ""},
		{"a unit", column(6, "12 kg", "3.5 kg"), data.Options{}, "amount kg [12 3.5]", `column "c": taken as numbers with the unit kg (for categories: 'categorical=c')`},
		{"two units", column(6, "12 kg", "3.5 lb"), data.Options{}, "3: 1 numeric, 1 with 2 categories, target y", ""},
		{"one slip", column(120, append([]string{"n.a."}, strings.Fields(strings.Repeat("1 2.5 ", 60))...)...), data.Options{}, " [1.7436975 1 2.5]", `column "c": 1 of 120 fields is not a number (first: "n.a." at standard input:2): taken as missing`},
		{"slips", column(30, "n.a.", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14"), data.Options{}, "3: 1 numeric, 1 with 15 categories, target y", `column "c": 2 of 30 fields are not numbers (first: "n.a." at standard input:2): taken as words (to take these as missing: 'numeric=c')`},
		{"a word of its own for missing among numbers that all differ", column(15, "n.v.", "1", "2", "3", "4", "5", "n.v.", "6", "7", "8", "9", "10", "n.v.", "11", "12"), data.Options{}, "3: 1 numeric, 1 with 13 categories, target y", `column "c": 3 of 15 fields are not numbers (first: "n.v." at standard input:2): taken as words (to take these as missing: 'numeric=c')`},
		{"slips of numbers that are asked for", column(6, "n.a.", "1", "3"), data.Options{Numeric: []string{"c"}}, " [2 1 3]", "taken as missing"},
		{"dashes", column(6, "-", "1", "3"), data.Options{}, " [2 1 3]", ""},
		{"signs", column(6, "-", "+"), data.Options{}, "3: 1 numeric, 1 with 2 categories, target y", ""},
		{"what databases write", column(12, "None", "1", "NaT", "3", "#N/A", `\N`), data.Options{}, " [2 1 2]", ""},
		{"spellings of a missing number", column(6, "-999", "1", "3", "gone"), data.Options{Spelling: data.Spelling{Missing: []string{"-999", "gone"}}}, " [1.6666666 1 3]", ""},
		{"Fortran", column(6, "1.5D+03", "2d0"), data.Options{}, "amount [1500 2]", ""},
		{"codes", column(6, "01067", "10115", "-"), data.Options{}, "3: 1 numeric, 1 with 3 categories, target y", ""},
		{"days first", column(6, "13/1/2024", "2/1/2024"), data.Options{}, "date-dmy 2024-01-13 [0 -11]", ""},
		{"months first", column(6, "1/13/24", "2/1/24"), data.Options{}, "date-mdy 2024-01-13 [0 19]", ""},
		{"neither", column(6, "1/2/2024", "2/1/2024"), data.Options{Spelling: data.Spelling{Dates: "mdy"}}, "date-mdy 2024-01-02 [0 30]", ""},
		{"neither, but another column", linesOf("c;x;y", 6, func(i int) string { return fmt.Sprintf("%d/2/2024;31/%d/2024;%d", 1+i, 1+i%2*2, i%2) }), data.Options{}, "date-dmy 2024-02-01 [0 1]", ""},
		{"an option that the rows contradict", column(6, "13/1/2024", "2/1/2024"), data.Options{Spelling: data.Spelling{Dates: "mdy"}}, "date-dmy 2024-01-13 [0 -11]", ""},
		{"as many days first as months first", linesOf("c;x;y", 300, func(i int) string {
			return fmt.Sprintf("%s;%d;%d", map[int]string{7: "13/1/2024", 8: "1/13/2024"}[i]+strings.Repeat("5/5/2024", min(1, (i-7)*(i-8))), i*i%7, i%2)
		}), data.Options{Spelling: data.Spelling{Dates: "mdy"}}, "date-mdy 2024-05-05 [0 0]", `is not a date (first: "13/1/2024" at standard input:9): taken as missing`},
		{"days with points", column(6, "1.2.2024", "2.2.2024 12:00"), data.Options{}, "date 2024-02-01 [0 1.5]", ""},
		{"months", column(6, "2024-02", "2024-01"), data.Options{}, "date 2024-02-01 [0 -31]", ""},
		{"names of months", column(6, "01-Feb-2024", "02-Feb-2024"), data.Options{}, "date 2024-02-01 [0 1]", ""},
		{"weeks", column(6, "2024-W01", "2024-W02"), data.Options{}, "date 2024-01-01 [0 7]", ""},
		{"hours", column(6, "18:30", "06:00:00"), data.Options{}, "clock [18.5 6]", ""},
		{"near-unique words", linesOf("c;x;y", 100, func(i int) string { return fmt.Sprintf("u%d;%d;%d", max(i, 3), i*i%7, i%2) }), data.Options{}, "3: 1 numeric, 1 ignored (c), target y", "ids (nearly all values differ"},
		{"mostly different words", linesOf("c;x;y", 100, func(i int) string { return fmt.Sprintf("u%d;%d;%d", i%60, i*i%7, i%2) }), data.Options{}, "3: 1 numeric, 1 with 60 categories, target y", `column "c": 60 categories in 100 rows, a feature for each (to leave it out: 'ignore=c')`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readtest.ReadText(c.text, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			got := s.Schema.Summary()
			if first := s.Schema.Columns[0]; first.Category == nil && first.Why == "" {
				_, inside, _ := strings.Cut(c.want, "[")
				var values []float32
				for _, row := range readtest.RowsOf(s.X)[:len(strings.Fields(inside))] {
					values = append(values, row[0])
				}
				got = strings.Join(append(strings.Fields(string(first.Kind)+" "+first.Unit+" "+first.From), fmt.Sprint(values)), " ")
			}
			if strings.TrimSpace(c.want) != got {
				t.Errorf("found %s, expected %s", got, c.want)
			}
			if (c.warning == "") != (len(s.Warnings) == 0) || !strings.Contains(fmt.Sprint(s.Warnings), c.warning) {
				t.Errorf("found warnings %v, expected %s", s.Warnings, c.warning)
			}
			if err := s.Schema.Check(s.Cols()); err != nil {
				t.Error(err)
			}
			anyWay(t, s, c.text, c.opt)
		})
	}
}

// Targets are read as features are; what is none is refused, or left out where that is asked for.
func TestTargetsInWords(t *testing.T) {
	target := func(rows int, fields ...string) string {
		return linesOf("x;y", rows, func(i int) string { return fmt.Sprintf("%d;%s", i*i%7, fields[i%len(fields)]) })
	}
	long := strings.Fields(strings.Repeat("1.5 2.5 ", 100))
	for _, c := range []struct {
		name, text string
		opt        data.Options
		want       string // numbers, or labels, or the error
	}{
		{"thousands", target(3, "45,196", "521", "1,000"), data.Options{}, "amount [45196 521 1000]"},
		{"money", target(3, "$100.53", "$7", "$1,000.00"), data.Options{}, "amount [100.53 7 1000]"},
		{"decimal commas", target(3, "2,5", "-3", "2,50"), data.Options{}, "comma [2.5 -3 2.5]"},
		{"thousands by other columns", strings.ReplaceAll(target(3, "2.521", "3"), "1;", "1,5;"), data.Options{}, "comma [2521 3 2521]"},
		{"integers beside decimal commas", linesOf("x;y", 30, func(i int) string { return fmt.Sprintf("%d,5;%d", i*i%7, 521+i) }), data.Options{}, "comma"},
		{"signs", target(4, "+", "-"), data.Options{}, " [+ -]"},
		{"words for a missing feature", target(3, "None", "mild"), data.Options{}, " [None mild]"},
		{"few numbers and a word", target(4, "0", "1", "2+"), data.Options{}, " [0 1 2+]"},
		{"equal numbers", target(5, "+1", "1", "1.0", "0", "-0"), data.Options{}, " [1 1 1 0 0]"},
		{"large integers", target(4, "9007199254740992", "9007199254740993", "+9007199254740993.0", "9007199254740996"), data.Options{}, "3 labels"},
		{"a slip", target(201, append([]string{"soon"}, long...)...), data.Options{}, `standard input:2: found "soon" as target in column "y" (by its name; another: 'target'), expected a number, as in 200 of 201 rows ('skip-unlabelled' leaves out rows without a target)`},
		{"a slip left out", target(201, append([]string{"soon"}, long...)...), data.Options{SkipUnlabelled: true}, `200 rows, 1 row without a target (first: standard input:2:3; no numbers: soon): left out`},
		{"missing ones left out", target(4, "5", ""), data.Options{SkipUnlabelled: true}, "2 rows, 2 rows without a target (first: standard input:3:3): left out"},
	} {
		s, err := readtest.ReadText(c.text, c.opt)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case s.Rows() != strings.Count(c.text, "\n")-1:
			got = fmt.Sprintf("%d rows, %v", s.Rows(), s.Warnings[0])
		case len(s.Target.Label) == 3 && s.Rows() == 4 && s.Target.Number != nil:
			got = "3 labels"
		case s.Rows() == 30:
			got = string(s.Schema.Columns[1].Kind)
		case s.Target.Number == nil:
			got = fmt.Sprint(" ", s.Target.Label)
		default:
			got = fmt.Sprint(s.Schema.Columns[1].Kind, " ", s.Target.Number)
		}
		if got != c.want {
			t.Errorf("%s: found %s, expected %s", c.name, got, c.want)
		}
		if err == nil {
			again, err := readtest.ReadText(c.text, data.Options{Schema: s.Schema, SkipUnlabelled: s.Schema.SkipUnlabelled})
			if err != nil || fmt.Sprint(again.Target) != fmt.Sprint(s.Target) {
				t.Errorf("%s: found %v by its schema, error %v, expected %v", c.name, again.Target, err, s.Target)
			}
		}
	}
}

// What a model learned of a spelling holds for a row alone, in a table and in a record; what it
// does not allow is refused.
func TestLearnedSpellings(t *testing.T) {
	for _, c := range []struct {
		text, field string
		want        float32
		refused     string
	}{
		{column(6, "1,158", "521"), "2,521", 2521, "2,5"},
		{column(6, "1,15", "521"), "2.521", 2521, "2.5"},
		{strings.ReplaceAll(column(6, "1158", "521"), ";1;", ";1,5;"), "2.521", 2521, "2.5"}, // as the file has decimal commas
		{column(6, "12 kg", "3.5 kg"), "7", 7, "7 lb"},
		{column(6, "13/1/2024", "2/1/2024"), "3/2/2024", 21, "1/13/2024"},
		{column(6, "18:30", "6:00"), "12:15", 12.25, "12"},
		{column(6, "-", "1", "3"), ".", 2, "1,5"},
	} {
		s, err := readtest.ReadText(c.text, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		one, err := readtest.ReadText("c;x\n"+c.field+";0\n", data.Options{Schema: s.Schema, Spelling: data.Spelling{Separator: ';'}})
		if err != nil || readtest.RowsOf(one.X)[0][0] != c.want {
			t.Errorf("%s: found %v, %v, expected %v", c.field, one, err, c.want)
		}
		row, err := s.Schema.Row(matrix.Vector{}, map[string]any{"c": c.field, "x": 0})
		if err != nil || row.Value[0] != c.want && c.field != "." {
			t.Errorf("%s: found %v in a record, %v, expected %v", c.field, row, err, c.want)
		}
		if _, err := readtest.ReadText("c;x\n"+c.refused+";0\n", data.Options{Schema: s.Schema, Spelling: data.Spelling{Separator: ';'}}); err == nil || !strings.Contains(err.Error(), "found") {
			t.Errorf("%s: found %v, expected it refused", c.refused, err)
		}
	}
}

// Where ids and sentences are all there is to learn from, they are refused; dates whose order
// nothing tells, too.
func TestNothingToLearnFrom(t *testing.T) {
	for text, want := range map[string]string{
		linesOf("customer_id,y", 20, func(i int) string { return fmt.Sprintf("c%d,%d", i*i, i%2) }): `standard input: found no column to learn from but "customer_id" (ids or nothing), expected`,
		linesOf(",y", 20, func(i int) string { return fmt.Sprintf("%d,%d", i+1, i%2) }):             `standard input: found no column to learn from but "1" (ids`,
		linesOf("c;x;y", 6, func(i int) string {
			return fmt.Sprintf("%d/2/2024;%s;%d", 1+i, []string{"31/1/2024", "a", "b"}[i%3], i%2)
		}): `standard input:2: found "1/2/2024" in column "c", expected a day above 12 in some row`, // words are no evidence
		column(6, "1/2/2024", "2/1/2024"): `standard input:2: found "1/2/2024" in column "c", expected a day above 12 in some row, or 'dates=dmy' or 'dates=mdy'`,
	} {
		if _, err := readtest.ReadText(text, data.Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
}

// A model of an older program may know None as a category.
func TestNoneIsACategoryOfOlderModels(t *testing.T) {
	s := &data.Schema{Columns: []data.Column{{Name: "c", Category: []string{"None", "a"}}, {Name: "y"}}, Target: 1, Weight: -1, Header: true}
	one, err := readtest.ReadText("c,y\nNone,1\n", data.Options{Schema: s})
	if err != nil || fmt.Sprint(readtest.RowsOf(one.X), one.Warnings) != "[[1 0]] []" {
		t.Errorf("found %v, %v", one, err)
	}
	row, err := s.Row(matrix.Vector{}, map[string]any{"c": "None"})
	if err != nil || fmt.Sprint(row.Index, row.Value) != "[0] [1]" {
		t.Errorf("found %v, %v", row, err)
	}
}
