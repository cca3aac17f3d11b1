package tune_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/tune"
)

func TestParseAxes(t *testing.T) {
	for _, c := range []struct {
		text     string
		expected []string // of the first axis
	}{
		{"C=0.1,1,10", []string{"0.1", "1", "10"}},
		{"C=2^-5..2^3", []string{"0.03125", "0.125", "0.5", "2", "8"}},
		{"C=2^-1..2^2*2", []string{"0.5", "1", "2", "4"}},
		{"C=2^0..2^3", []string{"1", "4", "8"}}, // the last is there
		{"C=1e-2..1e2", []string{"0.01", "0.1", "1", "10", "100"}},
		{"C=1..100/5", []string{"1", "3.16227766017", "10", "31.6227766017", "100"}},
		{"C=10^-1..10^1", []string{"0.1", "1", "10"}},
		{"nu=0.1..0.5", []string{"0.1", "0.2", "0.3", "0.4", "0.5"}},
		{"nu=0.1..0.9+0.4", []string{"0.1", "0.5", "0.9"}},
		{"degree=2..4", []string{"2", "3", "4"}},
		{"coef0=0..1+0.5", []string{"0", "0.5", "1"}},
		{"C=1..10,2^7", []string{"1", "10", "128"}},
		{"loss=hinge,logistic", []string{"hinge", "logistic"}},
		{"penalty=elastic-net:ratio=0.5,l1", []string{"elastic-net:ratio=0.5", "l1"}},
		{"kernel=rbf:gamma=1,poly:degree=2,gamma=1", []string{"rbf:gamma=1", "poly:degree=2,gamma=1"}},
	} {
		found, err := tune.ParseAxes(c.text)
		if err != nil || len(found) != 1 || !slices.Equal(found[0].Values, c.expected) {
			t.Errorf("%s: found %v and the error %v, expected %v", c.text, found, err, c.expected)
		}
	}
	if found, err := tune.ParseAxes(" C=1,2  gamma=3 "); err != nil || len(found) != 2 || found[1].Key != "gamma" {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestBadAxes(t *testing.T) {
	for text, expected := range map[string]string{
		"C":                    `found "C", expected PARAMETER=VALUES`,
		"C=":                   `found "C=", expected`,
		"C=10..1":              "empty range",
		"C=1..1":               "empty range",
		"C=0..1":               "expected numbers > 0",
		"C=a..b":               "expected numbers on both sides",
		"C=1..10*1":            "expected a factor > 1",
		"C=1..10/1":            "a number of values of at least 2",
		"C=1..10/2.5":          "a number of values of at least 2",
		"nu=0.1..0.5+0":        "a step > 0",
		"C=1,,2":               "empty value",
		"C=1,1":                "found the value 1 twice",
		"C=1 C=2":              "found C twice",
		"C=1..1e300*1.0000001": "more than",
		"C=3^2..3^4":           "expected numbers on both sides",
		"C=1..2^5000":          "expected numbers on both sides",
	} {
		if found, err := tune.ParseAxes(text); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s: found %v and the error %v, expected %q", text, found, err, expected)
		}
	}
}

func FuzzParseAxes(f *testing.F) {
	f.Add("C=2^-5..2^15 gamma=2^-15..2^3")
	f.Add("nu=0.1..0.9+0.2 loss=a,b:c=1,d=2")
	f.Fuzz(func(t *testing.T, text string) {
		found, err := tune.ParseAxes(text)
		for _, a := range found {
			if err == nil && (len(a.Values) == 0 || a.Key == "") {
				t.Errorf("found %v", a)
			}
		}
	})
}
