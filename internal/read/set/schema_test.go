package set_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
)

// What a schema from a file says twice, or of columns that have no use for it, must fit.
func TestSchemaFitsItself(t *testing.T) {
	names := []string{"size", "colour=red", "colour=blue"}
	made := func(change func(*data.Schema)) *data.Schema {
		s := &data.Schema{Target: 2, Weight: 3, Header: true, Columns: []data.Column{
			{Name: "size", Fill: 2}, {Name: "colour", Category: []string{"red", "blue"}}, {Name: "y"}, {Name: "w"}}}
		change(s)
		return s
	}
	for want, change := range map[string]func(*data.Schema){
		"":                                     func(*data.Schema) {},
		"columns that make 4 features":         func(s *data.Schema) { s.Weight = -1 },
		"column 2 as target and as weights":    func(s *data.Schema) { s.Weight = 2 },
		"7 to stand for missing numbers and 2": func(s *data.Schema) { s.Columns[1].Fill = 7 },
		"1 to stand for missing numbers and 0": func(s *data.Schema) { s.Columns[3].Fill = 1 },
		"0 to stand for missing numbers and 1": func(s *data.Schema) { s.Columns[2].Category = []string{"x"} },
		"they differ at feature 3":             func(s *data.Schema) { s.Columns[1].Category[1] = "green" },
		"they differ at feature 1":             func(s *data.Schema) { s.Columns[0].Name = "length" },
		`the name "size" of column 1`:          func(s *data.Schema) { s.Header = false },
	} {
		s := made(change)
		err := s.Check(3)
		if err == nil {
			err = s.CheckNames(names)
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("found error %v, expected %q", err, want)
		}
	}
	if err := made(func(*data.Schema) {}).CheckNames(slices.Repeat(names, 2)); err == nil {
		t.Error("six names of three features: found no error")
	}
}
