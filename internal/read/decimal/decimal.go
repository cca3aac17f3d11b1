// Package decimal parses numbers: digits with an optional sign, point and exponent; no
// hexadecimal, no underscores, no nan, no inf. The result is the nearest float32 (or
// float64), ties to even, as strconv.ParseFloat gives it. It imports the standard library
// alone. Begin with [Float32], with [Window] for text that is read in place, and with [Amount]
// for numbers as people write them.
//
// The fast way is Clinger's: a mantissa and a power of ten that are both exact
// in float64 need one rounded operation. On the way to float32 that rounding
// must not matter: the float64 has to be far enough from the middle between
// two float32. All other numbers go to strconv.
package decimal

import (
	"math"
	"strconv"
)

// A decimal is mant * 10^exp, negated if neg.
type decimal struct {
	mant uint64
	exp  int
	neg  bool
	long bool // mant overflowed: more than 19 digits
}

var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// Scan reads the longest number at t[i:] and returns where it ends; ok
// is false when there is none.
func Scan(t []byte, i int) (d decimal, end int, ok bool) {
	if i < len(t) && (t[i] == '-' || t[i] == '+') {
		d.neg = t[i] == '-'
		i++
	}
	start := i
	for i < len(t) && t[i]-'0' <= 9 {
		d.mant = d.mant*10 + uint64(t[i]-'0')
		i++
	}
	digits := i - start
	if i < len(t) && t[i] == '.' {
		i++
		point := i
		for i < len(t) && t[i]-'0' <= 9 {
			d.mant = d.mant*10 + uint64(t[i]-'0')
			i++
		}
		d.exp = point - i
		digits += i - point
	}
	if digits == 0 {
		return d, start, false
	}
	d.long = digits > 19 // a few leading zeros may say so too: slower, not wrong
	if i < len(t) && t[i]|0x20 == 'e' {
		return scanExponent(d, t, i)
	}
	return d, i, true
}

// scanExponent reads what follows the mantissa, from the letter e at t[i] on.
func scanExponent(d decimal, t []byte, i int) (decimal, int, bool) {
	i++
	minus := false
	if i < len(t) && (t[i] == '-' || t[i] == '+') {
		minus = t[i] == '-'
		i++
	}
	start, e := i, 0
	for i < len(t) && t[i]-'0' <= 9 {
		if e < 1e6 { // far beyond any float; more digits change nothing
			e = e*10 + int(t[i]-'0')
		}
		i++
	}
	if minus {
		e = -e
	}
	d.exp += e
	return d, i, i > start
}

// Float64 returns the nearest float64; sure is false where the fast way fails.
func (d decimal) Float64() (v float64, sure bool) {
	if d.long || d.mant >= 1<<53 || d.exp < -22 || d.exp > 22 {
		return 0, false
	}
	return d.scaled(), true
}

// Float32 returns the nearest float32; sure is false where the fast way fails.
func (d decimal) Float32() (v float32, sure bool) {
	if d.long || d.exp < -22 || d.exp > 22 {
		return 0, false
	}
	f := d.scaled()
	if d.mant == 0 {
		return float32(f), true
	}
	if NearMiddle(f) {
		return 0, false
	}
	if a := math.Abs(f); a > math.MaxFloat32 || a < 0x1p-126 {
		return 0, false
	}
	return float32(f), true
}

// NearMiddle tells numbers that an earlier rounding may have carried over the
// middle between two float32. Rounding the mantissa and scaling it cost less
// than 1.5 units in the last place: the 29 bits that float32 drops must be
// further from the middle.
func NearMiddle(f float64) bool {
	const middle, margin = 1 << 28, 4
	return math.Float64bits(f)&(1<<29-1)-(middle-margin) <= 2*margin
}

func (d decimal) scaled() float64 {
	f := float64(d.mant)
	if d.neg {
		f = -f
	}
	if d.exp < 0 {
		return f / tens[-d.exp]
	}
	return f * tens[d.exp]
}

// A Status says what a text is.
type Status uint8

const (
	Number  Status = iota
	Huge           // a number beyond the largest finite one
	NoValue        // nan or inf
	Text
)

// Expected says what should have stood in the place of a bad number.
func (s Status) Expected() string {
	if s == Huge {
		return "a number that 32 bits can hold (below 3.4e38)"
	}
	return "a finite number"
}

// Float32 returns the number that is the whole of text.
func Float32(text []byte) (float32, Status) {
	d, end, ok := Scan(text, 0)
	if !ok || end != len(text) {
		return 0, classify(text)
	}
	if v, sure := d.Float32(); sure {
		return v, Number
	}
	return SlowFloat32(text)
}

// SlowFloat32 is for text that Scan accepted.
func SlowFloat32(text []byte) (float32, Status) {
	v, err := strconv.ParseFloat(string(text), 32)
	if err != nil {
		return 0, Huge
	}
	return float32(v), Number
}

// Float64 returns the number that is the whole of text.
func Float64(text []byte) (float64, Status) {
	d, end, ok := Scan(text, 0)
	if !ok || end != len(text) {
		return 0, classify(text)
	}
	if v, sure := d.Float64(); sure {
		return v, Number
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, Huge
	}
	return v, Number
}

// classify tells nan and inf from other text that is no number.
func classify(text []byte) Status {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	for _, word := range []string{"nan", "inf", "infinity"} {
		if EqualFold(text, word) {
			return NoValue
		}
	}
	return Text
}

// EqualFold compares text with a lower-case ASCII word.
func EqualFold(text []byte, word string) bool {
	if len(text) != len(word) {
		return false
	}
	for i, b := range text {
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		if b != word[i] {
			return false
		}
	}
	return true
}
