package jsontext

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// value reads any value as encoding/json would.
func (s *Scanner) value() (v any, err error) {
	switch s.Kind() {
	case Null:
		return nil, s.Null()
	case Bool:
		return s.Bool()
	case Number:
		return s.Float()
	case String:
		return s.String()
	case Array:
		list := []any{}
		err = s.Array(func(int) error {
			v, err := s.value()
			list = append(list, v)
			return err
		})
		return list, err
	}
	fields := map[string]any{}
	err = s.Object(func(key string) error {
		v, err := s.value()
		fields[key] = v
		return err
	})
	return fields, err
}

func read(text []byte) (any, error) {
	s := New(text)
	v, err := s.value()
	if err == nil {
		err = s.End()
	}
	return v, err
}

// FuzzScanner: what is read is what encoding/json reads, but for what is refused knowingly.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,0,"x\u00e9\n",true,null,{}]}`, `[[[1],[2]],"\ud83d\ude00"]`, `1e400`, `"é"`, "\"\xff\"", `01`, `-`, `1.`, `.5`, `+1`, `[1,]`, `{"a":1,"a":2}`, `nul`, `truex`, `NaN`, ` 1 2`, `"\x"`, "\"\x01\"", strings.Repeat("8", 310)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := read(text)
		var want any
		valid := json.Unmarshal(text, &want) == nil
		switch {
		case err == nil && !valid:
			t.Fatalf("%q: read %v, which is no JSON", text, got)
		case err == nil && !reflect.DeepEqual(got, want):
			t.Fatalf("%q: read %v, expected %v", text, got, want)
		case err != nil && valid && !refused(err):
			t.Fatalf("%q: %v, expected %v", text, err, want)
		}
		s := New(text)
		if skipped := s.Skip() == nil && s.End() == nil; skipped && !json.Valid(text) { // a number may be too large
			t.Fatalf("%q: skipped, but is no JSON", text)
		}
	})
}

// refused reports whether an error is about what encoding/json takes and this package does not.
func refused(err error) bool {
	for _, why := range []string{"twice", "not UTF-8", "deep in each other", "below 1.8e308"} {
		if strings.Contains(err.Error(), why) {
			return true
		}
	}
	return false
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:              `byte 1: found the end of the text, expected an object`,
		`[1 2]`:         `byte 4: found "2", expected a comma or ']'`,
		`[01]`:          `byte 2: found "01", expected a number`,
		`[1e999]`:       `byte 2: found "1e999", expected a number below 1.8e308`,
		`{"a":1,"a":2}`: `byte 12: found the key "a" twice`,
		`{"a" 1}`:       `byte 6: found "1", expected a colon`,
		`{a:1}`:         `byte 2: found "a:1", expected a key in quotes`,
		`["abc`:         `byte 2: found a string without an end`,
		`[1] x`:         `byte 5: found "x", expected the end of the text`,
		`[NaN]`:         `byte 2: found "NaN", expected an object`,
		"[\"\xff\"]":    `byte 2: found a string that is not UTF-8`,
		"[\"a\nb\"]":    `byte 4: found the control character 0xa in a string, expected it escaped`,
		strings.Repeat("[", 33) + strings.Repeat("]", 33): `byte 33: found arrays and objects more than 32 deep in each other`,
	} {
		if _, err := read([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: found %v, expected %s", text, err, want)
		}
	}
	if _, err := read([]byte(strings.Repeat("[", 32) + strings.Repeat("]", 32))); err != nil {
		t.Error(err)
	}
	many := "{"
	for i := range 40 {
		many += `"` + strconv.Itoa(i) + `":1,`
	}
	if _, err := read([]byte(many + `"39":1}`)); err == nil || !strings.Contains(err.Error(), `"39" twice`) {
		t.Errorf("forty keys: found %v, expected the last one twice", err)
	}
	if _, err := read([]byte(many + `"40":1}`)); err != nil {
		t.Error(err)
	}
}

func TestRaw(t *testing.T) {
	s := New([]byte(` {"a": [1, "x"]} 7`))
	raw, err := s.Raw()
	if string(raw) != `{"a": [1, "x"]}` || err != nil {
		t.Errorf("found %q, %v", raw, err)
	}
	if v, err := s.Float(); v != 7 || err != nil || s.At() != 18 {
		t.Errorf("found %g, %v at %d", v, err, s.At())
	}
	if _, err := New(nil).Raw(); err == nil {
		t.Error("found no error at the end of the text")
	}
	if v, _ := New([]byte("-0.0")).Float(); !math.Signbit(v) {
		t.Error("found 0, expected -0")
	}
}
