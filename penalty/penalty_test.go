package penalty_test

import (
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/penalty"
)

// values holds one row per penalty: its value at w = (3, -4), by hand.
var values = []struct {
	spec    string
	want    float64
	wantErr string
}{
	{"l2", 12.5, ""},
	{"l1", 7, ""},
	{"elastic-net", 9.75, ""}, // 7/2 + 12.5/2
	{"elastic-net:ratio=0.2", 11.4, ""},
	{"elastic-net:ratio=1", 0, `penalty "elastic-net": ratio=1: expected a number between 0 and 1`},
	{"lp", math.Pow(math.Pow(3, 1.5)+8, 4./3), ""}, // |w|_1.5^2 / (2 (1.5-1))
	{"lp:p=2", 12.5, ""},
	{"lp:p=1.1", 5 * math.Pow(math.Pow(3, 1.1)+math.Pow(4, 1.1), 2/1.1), ""},
	{"lp:p=1", 0, `penalty "lp": p=1: expected a number above 1, up to 2`},
	{"lp:p=2.5", 0, `penalty "lp": p=2.5: expected a number above 1, up to 2`},
	{"group:size=2", 5 * math.Sqrt2, ""}, // |(3, -4)| = 5
	{"group:size=1", 7, ""},
	{"group:size=0", 0, `penalty "group": size=0: expected a whole number from 1 to 2147483647`},
	{"group:size=2,stride=1", 5 * math.Sqrt2, ""},
	{"group:size=2,stride=3", 0, `penalty "group": stride=3: expected a whole number from 1 to 2`},
	{"image:size=1x2", 7.7, ""},
	{"image:size=2x1,l1=2", 21, ""},
	{"image:size=1x1", 0.7, ""}, // of more weights than pixels the others have |w|_1 alone
	{"image:size=2y1", 0, `penalty "image": size=2y1: expected rows x columns, such as 28x28`},
	{"nonnegative", math.Inf(1), ""}, // -4 < 0
	{"nonnegative:ratio=0.3", math.Inf(1), ""},
	{"nonnegative:ratio=1", 0, `penalty "nonnegative": ratio=1: expected a number from 0 to below 1 (use nonnegative-l1 for 1)`},
	{"nonnegative-l1", math.Inf(1), ""},
	{"nuclear", 5, ""}, // of one column
	{"fused", 7.7, ""}, // |-4 - 3| + 7/10
	{"fused:l1=2", 21, ""},
	{"fused:l1=0", 0, `penalty "fused": l1=0: expected a number from 1e-9 to 1e9`},
	{"fused:l1=NaN", 0, `penalty "fused": l1=NaN: expected a number from 1e-9 to 1e9`},
	{"L2", 0, `unknown penalty "L2": did you mean "l2"? known: `},
}

func TestValuesAndLaws(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range values {
		p, err := penalty.New(c.spec)
		if c.wantErr != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.wantErr) {
				t.Errorf("New(%q): error %v, want %s...", c.spec, err, c.wantErr)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(c.spec, ":")
		tested[name] = true
		if got := p.Value([]float64{3, -4}); got != c.want && !(math.Abs(got-c.want) <= 1e-15*max(10, c.want)) {
			t.Errorf("%s: Value(3, -4) = %v, want %v", c.spec, got, c.want)
		}
		if err := conform.Penalty(p); err != nil {
			t.Errorf("%s breaks its laws:\n%v", c.spec, err)
		}
	}
	for _, e := range penalty.Entries() {
		if !tested[e.Name] {
			t.Errorf("penalty %q has no row in this table", e.Name)
		}
	}
}
