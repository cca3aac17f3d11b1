package model

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

func TestNotes(t *testing.T) {
	notes := map[string]string{"by": "Ann", "problem": "{}", "long": "two\nlines, <b> & \u2028"}
	for name, m := range examples(t) {
		m.Notes = notes
		if back, err := Decode(encode(t, m)); err != nil || !maps.Equal(back.Notes, notes) {
			t.Errorf("%s: found %v, %v, expected %v", name, back.Notes, err, notes)
		}
	}
	many := map[string]string{}
	for i := range maxNotes + 1 {
		many[fmt.Sprint(i)] = ""
	}
	for _, bad := range []map[string]string{
		{"": "x"}, {"a=b": ""}, {"a\nb": ""}, {" a": ""}, {"\xff": ""}, {strings.Repeat("n", maxNoteName+1): ""},
		{"a": "\xff"}, {"a": strings.Repeat("x", maxNoteText)}, many,
	} {
		if CheckNotes(bad) == nil {
			t.Errorf("found no error for %.100q", fmt.Sprint(bad))
		}
		m := examples(t)["binary"]
		m.Notes = bad
		if _, err := Decode(encode(t, m)); err == nil && !strings.Contains(fmt.Sprint(bad), "\xff") { // JSON replaces what is no UTF-8
			t.Errorf("a file with %.100q is read", fmt.Sprint(bad))
		}
	}
}
