package registry

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// wheel is what the test registry makes: all its parameters.
type wheel struct {
	radius float64
	spokes int
	wood   string
}

func wheels() *Registry[wheel] {
	r := New[wheel]("wheel")
	positive := func(v float64) bool { return v > 0 }
	for _, name := range []string{"solid", "bicycle", "cart"} { // out of order on purpose
		r.Register(Entry[wheel]{Name: name, Summary: name + " wheel", New: func(p *Params) (wheel, error) {
			w := wheel{p.Float("radius", 1, "a number > 0", positive), p.Int("spokes", 8, 0, 64), p.Choice("wood", "oak", "ash")}
			return w, p.Err()
		}})
	}
	r.Register(Entry[wheel]{Name: "plain", New: func(*Params) (wheel, error) { return wheel{}, nil }})
	return r
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		spec    string
		want    wheel
		wantErr string // the whole text
	}{
		{"cart", wheel{1, 8, "oak"}, ""},
		{"cart:", wheel{1, 8, "oak"}, ""},
		{"cart:radius=2.5", wheel{2.5, 8, "oak"}, ""},
		{"cart:spokes=64,radius=1e-3", wheel{1e-3, 64, "oak"}, ""},
		{"cart:radius=0x1p-2", wheel{0.25, 8, "oak"}, ""},
		{"cart:wood=ash", wheel{1, 8, "ash"}, ""},
		{"cart:wood=", wheel{}, `wheel "cart": wood=: expected one of oak, ash`},
		{"cart:radius=0", wheel{}, `wheel "cart": radius=0: expected a number > 0`},
		{"cart:radius=nan", wheel{}, `wheel "cart": radius=nan: expected a number > 0`},
		{"cart:radius=1e999", wheel{}, `wheel "cart": radius=1e999: expected a number > 0`}, // out of range
		{"cart:radius=two", wheel{}, `wheel "cart": radius=two: expected a number > 0`},
		{"cart:radius=", wheel{}, `wheel "cart": radius=: expected a number > 0`},
		{"cart:spokes=65", wheel{}, `wheel "cart": spokes=65: expected a whole number from 0 to 64`},
		{"cart:spokes=-1", wheel{}, `wheel "cart": spokes=-1: expected a whole number from 0 to 64`},
		{"cart:spokes=1.5", wheel{}, `wheel "cart": spokes=1.5: expected a whole number from 0 to 64`},
		// The first bad value is the one reported, in the constructor's order.
		{"cart:spokes=x,radius=y", wheel{}, `wheel "cart": radius=y: expected a number > 0`},
		{"cart:radius", wheel{}, `wheel "cart": found "radius", expected key=value`},
		{"cart:=1", wheel{}, `wheel "cart": found "=1", expected key=value`},
		{"cart:radius=1,", wheel{}, `wheel "cart": found "", expected key=value`},
		{"cart:radius=1,radius=1", wheel{}, `wheel "cart": parameter "radius" is given twice`},
		{"cart:radios=1", wheel{}, `wheel "cart": unknown parameter "radios": did you mean "radius"? known: radius, spokes, wood`},
		{"cart:colour=1", wheel{}, `wheel "cart": unknown parameter "colour": known: radius, spokes, wood`},
		{"plain:radius=1", wheel{}, `wheel "plain": unknown parameter "radius": there are none`},
		{"crat", wheel{}, `unknown wheel "crat": did you mean "cart"? known: bicycle, cart, plain, solid`},
		{"bi", wheel{}, `unknown wheel "bi": did you mean "bicycle"? known: bicycle, cart, plain, solid`},
		{"tank", wheel{}, `unknown wheel "tank": known: bicycle, cart, plain, solid`},
		{"", wheel{}, `unknown wheel "": known: bicycle, cart, plain, solid`},
		{"Cart", wheel{}, `unknown wheel "Cart": did you mean "cart"? known: bicycle, cart, plain, solid`},
	} {
		got, err := wheels().New(c.spec)
		if text := message(err); text != c.wantErr {
			t.Errorf("New(%q): error %q, want %q", c.spec, text, c.wantErr)
		}
		if err == nil && got != c.want {
			t.Errorf("New(%q) = %v, want %v", c.spec, got, c.want)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A thing has the name of the entry that makes it, with other parameters too; one of no entry that of its type.
func TestNameOf(t *testing.T) {
	type shape interface{}
	r := New[shape]("shape")
	r.Register(Entry[shape]{Name: "plain", New: func(*Params) (shape, error) { return wheel{wood: "oak"}, nil }})
	r.Register(Entry[shape]{Name: "fine", New: func(*Params) (shape, error) { return wheel{wood: "ash"}, nil }})
	r.Register(Entry[shape]{Name: "sized", New: func(p *Params) (shape, error) { return p.Int("size", 0, 1, 9), errors.New("expected a size") }})
	for want, thing := range map[string]shape{"plain": wheel{wood: "oak"}, "fine": wheel{wood: "ash"}, "int": 3, "registry.Params": Params{}} {
		if got := r.NameOf(thing); got != want {
			t.Errorf("%#v: found the name %q, expected %q", thing, got, want)
		}
	}
	if got := r.NameOf(wheel{spokes: 9}); got != "fine" {
		t.Errorf("found the name %q, expected fine, the first of that type", got)
	}
}

func TestNamesAreSorted(t *testing.T) {
	r := wheels()
	want := []string{"bicycle", "cart", "plain", "solid"}
	if got := r.Names(); !slices.Equal(got, want) {
		t.Errorf("Names() = %v, want %v", got, want)
	}
	for i, e := range r.Entries() {
		if e.Name != want[i] {
			t.Errorf("Entries()[%d] is %q, want %q", i, e.Name, want[i])
		}
	}
}

func TestEmptyRegistry(t *testing.T) {
	_, err := New[int]("cog").New("x")
	if got, want := message(err), `unknown cog "x": there are none`; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

func TestRegisterTwicePanics(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, `two entries named cart`) {
			t.Errorf("recovered %q, want a panic that names the entry", text)
		}
	}()
	wheels().Register(Entry[wheel]{Name: "cart"})
}

// TestDistance checks the optimal string alignment distance: counts by hand.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"abc", "abd", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1}, {"abcd", "abdc", 1},
		{"kitten", "sitting", 3},
		{"ca", "abc", 3}, // swap, then insert inside the swap: not allowed in this distance
		{"hinge", "hnige", 1},
	} {
		if got, back := distance(c.a, c.b), distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("distance(%q, %q) = %d and %d backwards, want %d", c.a, c.b, got, back, c.want)
		}
	}
}

// A name of one letter is within one replacement of any other: that is no guess.
func TestNearestSharesSomething(t *testing.T) {
	for _, c := range []struct{ name, known, want string }{{"9", "a", ""}, {"A", "a", "a"}, {"3", "13", "13"}, {"x1", "x2", "x2"}} {
		if got := Nearest(c.name, []string{c.known}); got != c.want {
			t.Errorf("Nearest(%q, %q) = %q, want %q", c.name, c.known, got, c.want)
		}
	}
}

// Names out of files do not break the line.
func TestUnknownIsOneLine(t *testing.T) {
	err := Unknown("column", "zz", []string{"a\x1b[31m", "b\nc", "d"})
	if want := `unknown column "zz": known: "a\x1b[31m", "b\nc", d`; err.Error() != want {
		t.Errorf("found %s, expected %s", err, want)
	}
}
