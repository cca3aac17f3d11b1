package kernel

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestSpec(t *testing.T) {
	rbf := func(gamma float64) Kernel { return RBF{gamma} }
	sum := func(parts ...Kernel) Kernel { k, _ := Sum(parts...); return k }
	product := func(parts ...Kernel) Kernel { k, _ := Product(parts...); return k }
	normalised := func(k Kernel) Kernel { n, _ := Normalise(k); return n }
	for _, c := range []struct {
		spec    string
		want    Kernel
		wantErr string
	}{
		{"linear", Linear{}, ""},
		{" linear\t", Linear{}, ""},
		{"(linear)", Linear{}, ""},
		{"((linear))", Linear{}, ""},
		{"linear+linear", sum(Linear{}, Linear{}), ""},
		{"2*linear", product(Constant(2), Linear{}), ""},
		{"linear * 2", product(Linear{}, Constant(2)), ""},
		{"rbf:gamma=0.1 + 2*linear", sum(rbf(0.1), product(Constant(2), Linear{})), ""},
		{"2*(linear + 1)", product(Constant(2), sum(Linear{}, Constant(1))), ""},
		{"linear*linear+linear", sum(product(Linear{}, Linear{}), Linear{}), ""},
		{"rbf:gamma=1e+3+linear", sum(rbf(1000), Linear{}), ""},
		{"rbf:gamma=1e-3+1.e+2*linear", sum(rbf(1e-3), product(Constant(100), Linear{})), ""},
		{"rbf:gamma=0x1p+3 + 0x1p-2", sum(rbf(8), Constant(0.25)), ""},
		{"poly:degree=2,coef0=1*linear", product(Poly{2, 1, 1}, Linear{}), ""},
		{"normalised(linear)", normalised(Linear{}), ""},
		{"normalised( linear + 1 )*3", product(normalised(sum(Linear{}, Constant(1))), Constant(3)), ""},
		{"5", Constant(5), ""},

		{"", nil, `unknown kernel ""`},
		{" ", nil, `kernel " ", column 2: found the end, expected a kernel, a number or "("`},
		{"linear +", nil, `kernel "linear +", column 9: found the end, expected a kernel, a number or "("`},
		{"+ linear", nil, `kernel "+ linear", column 1: found "+ linear", expected a kernel, a number or "("`},
		{"linear linear", nil, `kernel "linear linear", column 8: found "linear", expected "+", "*" or the end`},
		{"linear)", nil, `kernel "linear)", column 7: found ")", expected "+", "*" or the end`},
		{"(linear", nil, `kernel "(linear", column 8: found the end, expected "+", "*" or ")"`},
		{"()", nil, `kernel "()", column 2: found ")", expected a kernel, a number or "("`},
		{"-1*linear", nil, `kernel "-1*linear", column 1: found "-1*linear", expected a number > 0`},
		{"linear + 0", nil, `kernel "linear + 0", column 10: found "0", expected a number > 0`},
		{"1x*linear", nil, `kernel "1x*linear", column 1: found "1x*linear", expected a number > 0`},
		{"1e999", nil, `kernel "1e999", column 1: found "1e999", expected a number > 0`},
		{"linear - linear", nil, `kernel "linear - linear", column 8: found "- linear", expected "+", "*" or the end`},
		{"exp(linear)", nil, `kernel "exp(linear)", column 1: found "exp(linear)", expected "normalised(", the only function of a kernel`},
		{"2*normalised", nil, `kernel "2*normalised", column 13: found the end, expected "(" and a kernel`},
		{"normalised(sigmoid)", nil, `kernel: found the kernel sigmoid to normalise, expected an inner product: k(x,x) may be negative`},
		{"normalised(precomputed)", nil, `kernel: found precomputed values to normalise, expected a kernel of rows`},
		{"linear*normalised(2*precomputed + 1)", nil, `kernel: found precomputed values to normalise, expected a kernel of rows`},
		{"linear + rfb:gamma=1", nil, `unknown kernel "rfb": did you mean "rbf"?`},
		{"linear + rbf:gamma=0", nil, `kernel "rbf": gamma=0: expected a number > 0`},
		{"linear + rbf:gamma=1, sigma=2", nil, `kernel "rbf": found "", expected key=value`},
		{strings.Repeat("(", 101) + "linear", nil, `kernel "((((`},
	} {
		k, err := New(c.spec)
		switch {
		case c.wantErr == "" && (err != nil || !reflect.DeepEqual(k, c.want)):
			t.Errorf("New(%q) = %#v, %v, want %#v", c.spec, k, err, c.want)
		case c.wantErr != "" && (err == nil || !strings.HasPrefix(err.Error(), c.wantErr)):
			t.Errorf("New(%q): error %v, want %s...", c.spec, err, c.wantErr)
		}
	}
}

// FuzzNew looks for specs that crash, or that make a kernel in which nothing is
// known of sizes and errors.
func FuzzNew(f *testing.F) {
	for _, seed := range []string{"linear", "rbf:gamma=1e+3 + 2*(linear+1)", "normalised(poly:degree=2)*chi2", "((", "1e+", "a:b=+", "\xff*\xff", "rbf:gamma=\x02\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		k, err := New(spec)
		if (k == nil) == (err == nil) {
			t.Fatalf("New(%q) = %v, %v", spec, k, err)
		}
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("New(%q): an error of several lines: %v", spec, err)
			}
			return
		}
		if e := k.Error(3, 1, 2); !(e >= 0) {
			t.Errorf("New(%q): the error is %v", spec, e)
		}
		if s, ok := k.(Sized); ok && math.IsNaN(s.Size(3, 1)) {
			t.Errorf("New(%q): the size is no number", spec)
		}
	})
}
