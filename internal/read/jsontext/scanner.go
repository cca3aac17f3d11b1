// Package jsontext reads JSON that is in memory, value by value, where the reader knows what should come: numbers many times
// sooner than encoding/json, and by its grammar (RFC 8259) alone: no NaN, no comments, no key twice. Begin with [Scanner].
package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
)

// mostDepth is how deep arrays and objects may be in each other.
const mostDepth = 32

// A Scanner reads the values of a text one after another.
type Scanner struct {
	text  []byte
	at    int
	depth int
}

// New begins at the first value of a text.
func New(text []byte) *Scanner { return &Scanner{text: text} }

// A Kind is what a value begins with.
type Kind uint8

// The kinds of values.
const (
	None Kind = iota // the text ends here, or goes on with none
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"no value", "null", "true or false", "a number", "a string", "an array", "an object"}

func (k Kind) String() string { return kindNames[k] }

// Kind tells the kind of the value that comes next.
func (s *Scanner) Kind() Kind {
	switch c := s.peek(); {
	case c == '"':
		return String
	case c == '[':
		return Array
	case c == '{':
		return Object
	case c == 't' || c == 'f':
		return Bool
	case c == 'n':
		return Null
	case c == '-' || c-'0' <= 9:
		return Number
	}
	return None
}

// At returns how many bytes are behind.
func (s *Scanner) At() int { return s.at }

// peek skips blanks, and returns the byte after them; 0 at the end.
func (s *Scanner) peek() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\n', '\t', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// An Error is what is wrong with a text, and where.
type Error struct {
	At  int // bytes before it
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %v", e.At+1, e.Err) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Errorf is an error about what comes next.
func (s *Scanner) Errorf(format string, args ...any) error {
	return &Error{At: s.at, Err: fmt.Errorf(format, args...)}
}

// wrong says what comes next, and what was expected.
func (s *Scanner) wrong(expected string) error {
	if s.peek() == 0 && s.at == len(s.text) {
		return s.Errorf("found the end of the text, expected %s", expected)
	}
	rest := s.text[s.at:]
	if n := bytes.IndexAny(rest, " \n\t\r,]}"); n >= 0 {
		rest = rest[:max(n, 1)]
	}
	return s.Errorf("found %q, expected %s", rest[:min(len(rest), 20)], expected)
}

// End is an error where something follows the last value.
func (s *Scanner) End() error {
	if s.peek() != 0 || s.at < len(s.text) {
		return s.wrong("the end of the text")
	}
	return nil
}

// enter goes into an array or object.
func (s *Scanner) enter(open byte) error {
	if s.peek() != open {
		return s.wrong(map[byte]string{'[': "an array", '{': "an object"}[open])
	}
	if s.depth++; s.depth > mostDepth {
		return s.Errorf("found arrays and objects more than %d deep in each other", mostDepth)
	}
	s.at++
	return nil
}

// next goes to the next value of an array or object, of which some values are behind; false: there are no more.
func (s *Scanner) next(behind int, end byte) (bool, error) {
	switch c := s.peek(); {
	case c == end:
		s.at++
		s.depth--
		return false, nil
	case behind == 0:
		return true, nil
	case c == ',':
		s.at++
		return true, nil
	}
	return false, s.wrong(fmt.Sprintf("a comma or %q", end))
}

// Array reads an array: item has to read each value, the i-th of it.
func (s *Scanner) Array(item func(i int) error) error {
	if err := s.enter('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		more, err := s.next(i, ']')
		if err != nil || !more {
			return err
		}
		if err := item(i); err != nil {
			return err
		}
	}
}

// fewKeys is up to how many keys are compared one by one.
const fewKeys = 16

// Object reads an object: field has to read the value of each key.
func (s *Scanner) Object(field func(key string) error) error {
	var few [fewKeys]string
	keys, many := few[:0], map[string]bool(nil)
	return s.Fields(func(text []byte) error {
		key := string(text)
		if slices.Contains(keys, key) || many[key] {
			return s.Errorf("found the key %q twice", key)
		}
		if len(keys) < fewKeys {
			keys = append(keys, key)
		} else {
			if many == nil {
				many = map[string]bool{}
			}
			many[key] = true
		}
		return field(key)
	})
}

// Fields is Object for those who find a key that comes twice. The key is valid during the call.
func (s *Scanner) Fields(field func(key []byte) error) error {
	if err := s.enter('{'); err != nil {
		return err
	}
	for i := 0; ; i++ {
		more, err := s.next(i, '}')
		if err != nil || !more {
			return err
		}
		if s.peek() != '"' {
			return s.wrong("a key in quotes")
		}
		key, err := s.Text()
		if err != nil {
			return err
		}
		if s.peek() != ':' {
			return s.wrong("a colon")
		}
		s.at++
		if err := field(key); err != nil {
			return err
		}
	}
}

// Bool reads true or false.
func (s *Scanner) Bool() (bool, error) {
	s.peek()
	for _, word := range []string{"true", "false"} {
		if s.word(word) {
			return word == "true", nil
		}
	}
	return false, s.wrong("true or false")
}

// Null reads null.
func (s *Scanner) Null() error {
	if s.peek(); !s.word("null") {
		return s.wrong("null")
	}
	return nil
}

// word reads a word that has to end there.
func (s *Scanner) word(word string) bool {
	rest := s.text[s.at:]
	if len(rest) < len(word) || string(rest[:len(word)]) != word || len(rest) > len(word) && isWord(rest[len(word)]) {
		return false
	}
	s.at += len(word)
	return true
}

func isWord(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c-'0' <= 9 || c == '_' }

// Digits reads a number, and returns its text.
func (s *Scanner) Digits() ([]byte, error) {
	s.peek()
	t, i := s.text, s.at
	if i < len(t) && t[i] == '-' {
		i++
	}
	whole := i
	i = digits(t, i)
	if i == whole || t[whole] == '0' && i > whole+1 {
		return nil, s.wrong("a number")
	}
	if i < len(t) && t[i] == '.' {
		point := i + 1
		if i = digits(t, point); i == point {
			return nil, s.wrong("a number")
		}
	}
	if i < len(t) && t[i]|0x20 == 'e' {
		if i++; i < len(t) && (t[i] == '-' || t[i] == '+') {
			i++
		}
		first := i
		if i = digits(t, i); i == first {
			return nil, s.wrong("a number")
		}
	}
	if i < len(t) && (isWord(t[i]) || t[i] == '.') {
		return nil, s.wrong("a number")
	}
	text := t[s.at:i]
	s.at = i
	return text, nil
}

func digits(t []byte, i int) int {
	for i < len(t) && t[i]-'0' <= 9 {
		i++
	}
	return i
}

// Float reads a number that double precision can hold.
func (s *Scanner) Float() (float64, error) {
	from := s.at
	text, err := s.Digits()
	if err != nil {
		return 0, err
	}
	v, status := decimal.Float64(text)
	if status != decimal.Number {
		s.at = from
		return 0, s.wrong("a number below 1.8e308")
	}
	return v, nil
}

// Float32 reads a number that single precision can hold: the nearest one, not that to the nearest of double precision.
func (s *Scanner) Float32() (float32, error) {
	s.peek()
	from := s.at
	text, err := s.Digits()
	if err != nil {
		return 0, err
	}
	v, status := decimal.Float32(text)
	if status != decimal.Number {
		s.at = from
		return 0, s.wrong("a finite number that single precision can hold")
	}
	return v, nil
}

// String reads a string.
func (s *Scanner) String() (string, error) {
	text, err := s.Text()
	return string(text), err
}

// Text reads a string, which is a part of the text where nothing in it is escaped.
func (s *Scanner) Text() ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.wrong("a string")
	}
	t, plain := s.text, true
	for i := s.at + 1; i < len(t); i++ {
		switch c := t[i]; {
		case c == '"':
			text := t[s.at+1 : i]
			if !plain && !utf8.Valid(text) {
				return nil, s.Errorf("found a string that is not UTF-8")
			}
			s.at = i + 1
			return text, nil
		case c == '\\':
			return s.escaped()
		case c >= utf8.RuneSelf:
			plain = false
		case c < ' ':
			s.at = i
			return nil, s.Errorf("found the control character %#x in a string, expected it escaped", c)
		}
	}
	return nil, s.Errorf("found a string without an end")
}

// escaped reads a string that has more than plain characters.
func (s *Scanner) escaped() ([]byte, error) {
	t := s.text
	for i := s.at + 1; i < len(t); i++ {
		switch t[i] {
		case '\\':
			i++
		case '"':
			raw, text := t[s.at:i+1], ""
			if !utf8.Valid(raw) {
				return nil, s.Errorf("found a string that is not UTF-8")
			}
			if err := json.Unmarshal(raw, &text); err != nil {
				return nil, s.Errorf("string: %w", err)
			}
			s.at = i + 1
			return []byte(text), nil
		}
	}
	return nil, s.Errorf("found a string without an end")
}

// Skip reads a value of any kind.
func (s *Scanner) Skip() error {
	switch s.Kind() {
	case Null:
		return s.Null()
	case Bool:
		_, err := s.Bool()
		return err
	case Number:
		_, err := s.Digits()
		return err
	case String:
		_, err := s.String()
		return err
	case Array:
		return s.Array(func(int) error { return s.Skip() })
	case Object:
		return s.Object(func(string) error { return s.Skip() })
	}
	return s.wrong("a value")
}

// Raw reads a value of any kind, and returns its text.
func (s *Scanner) Raw() ([]byte, error) {
	s.peek()
	from := s.at
	if err := s.Skip(); err != nil {
		return nil, err
	}
	return s.text[from:s.at], nil
}
