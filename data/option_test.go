package data_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// An option reaches a format that takes it, and is refused for every other.
func TestOptionsMeanSomething(t *testing.T) {
	every := map[string]data.Options{"header": {Header: "no"}, "target": {Target: "1"}, "weights": {Weights: "1"}, "labels": {Labels: "nowhere"},
		"ignore": {Ignore: []string{"1"}}, "categorical": {Categorical: []string{"1"}}, "numeric": {Numeric: []string{"1"}}, "id": {ID: "1"},
		"text":    {Spelling: data.Spelling{Terms: set.Terms{Columns: []string{"1"}}}},
		"missing": {Spelling: data.Spelling{Missing: []string{"x"}}}, "dates": {Spelling: data.Spelling{Dates: "dmy"}}, "skip-unlabelled": {SkipUnlabelled: true}}
	text := map[string]string{"csv": "1,2,3\n4,5,6\n", "tsv": "1\t2\t3\n4\t5\t6\n", "libsvm": "1 1:2\n2 1:3\n", "strings": "1\ta\n2\tb\n", "@toy:n=4": ""}
	for name, content := range text {
		var takes []string
		if f, err := set.Registered.New(name); err == nil {
			takes = f.Takes()
		}
		for option, opt := range every {
			opt.Stdin, opt.Format = strings.NewReader(content), name
			source := "-"
			if content == "" {
				opt.Format, source = "", name
			}
			_, err := data.Read(context.Background(), []string{source}, opt)
			var useless *data.OptionError
			refused := errors.As(err, &useless) && useless.Option == option
			if refused == slices.Contains(takes, option) {
				t.Errorf("%s with %s: found error %v, expected it refused: %t", name, option, err, !refused)
			}
		}
	}
	for _, e := range data.Formats() {
		f, err := e.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, option := range f.Takes() {
			if _, known := every[option]; !known {
				t.Errorf("%s takes %q, expected one of the options that check knows", e.Name, option)
			}
		}
	}
}

// A schema knows the columns of target and weights: to ask for others is an
// error, to ask for the same is none.
func TestOptionsAgreeWithSchema(t *testing.T) {
	const table = "a,w,y\n1,2,3\n2,1,5\n"
	plain, err := readtest.ReadText(table, data.Options{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	weighted, err := readtest.ReadText(table, data.Options{Target: "3", Weights: "w"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set  *data.Set
		opt  data.Options
		want string // in the error; "": none
	}{
		{plain, data.Options{}, ""},
		{plain, data.Options{Target: "y"}, ""},
		{plain, data.Options{Target: "3", Header: "yes"}, ""},
		{plain, data.Options{Target: "w"}, `found the column "w" asked for as target, expected "y" as in the training data`},
		{plain, data.Options{Weights: "w"}, `found the column "w" asked for as weights, expected none as in the training data`},
		{weighted, data.Options{Weights: "w"}, ""},
		{weighted, data.Options{Weights: "2"}, ""},
		{weighted, data.Options{Weights: "a"}, `found the column "a" asked for as weights, expected "w" as in the training data`},
	} {
		c.opt.Schema = c.set.Schema
		again, err := readtest.ReadText(table, c.opt)
		switch {
		case c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)):
			t.Errorf("%+v: found error %v, expected %q", c.opt, err, c.want)
		case c.want == "" && err != nil:
			t.Errorf("%+v: found error %v, expected none", c.opt, err)
		case c.want == "" && again.Digest() != c.set.Digest():
			t.Errorf("%+v: found other rows", c.opt)
		}
	}
}
