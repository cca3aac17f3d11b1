package decimal

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// currencies are what may stand before an amount.
var currencies = [][]byte{[]byte("US$"), []byte("$"), []byte("€"), []byte("£"), []byte("¥"), []byte("₹"),
	[]byte("USD"), []byte("EUR"), []byte("GBP"), []byte("CHF"), []byte("JPY")}

// Amount reads a number as people write it: with groups of three digits, a currency before or
// a unit behind it, in parentheses for a minus, with k, M or B for a thousand, a million or
// 1e9, or with D before the exponent, as Fortran has it. point is what stands before decimals,
// '.' or ','; the other one may separate groups.
func Amount(text []byte, point byte) (value float64, unit []byte, ok bool) {
	if len(text) == 0 || len(text) > 64 || bytes.ContainsAny(text, "\r\n\v\f") {
		return 0, nil, false
	}
	t := bytes.TrimSpace(text)
	negative := len(t) > 2 && t[0] == '(' && t[len(t)-1] == ')'
	if negative {
		t = t[1 : len(t)-1]
	}
	if t, unit, negative, ok = beforeDigits(t, negative); !ok {
		return 0, nil, false
	}
	var room [64]byte
	digits, rest := figures(room[:0], t, point)
	value, status := Float64(digits)
	if status != Number {
		return 0, nil, false
	}
	scale := 1.0
	if len(rest) > 0 {
		if power := bytes.IndexByte([]byte("kKMB"), rest[0]); power >= 0 && (len(rest) == 1 || isCurrency(rest[1:])) {
			scale, rest = [...]float64{1e3, 1e3, 1e6, 1e9}[power], rest[1:]
		}
	}
	if rest = bytes.TrimSpace(rest); len(rest) > 0 {
		if unit != nil || !isUnit(rest) {
			return 0, nil, false
		}
		unit = rest
	}
	if value *= scale; negative {
		value = -value
	}
	return value, unit, Finite(value)
}

// beforeDigits takes a sign and a currency from the front, in either order.
func beforeDigits(t []byte, negative bool) (rest, currency []byte, minus, ok bool) {
	for signed := false; ; t = bytes.TrimSpace(t) {
		sign, size := utf8.DecodeRune(t)
		if sign == '-' || sign == '+' || sign == '−' {
			if signed || negative && sign != '+' {
				return nil, nil, false, false
			}
			signed, negative, t = true, negative || sign != '+', t[size:]
			continue
		}
		if at := leading(t, currencies); at > 0 && currency == nil {
			currency, t = t[:at], t[at:]
			continue
		}
		return t, currency, negative, true
	}
}

// leading returns the length of the first of the words that begins t.
func leading(t []byte, words [][]byte) int {
	for _, word := range words {
		if bytes.HasPrefix(t, word) {
			return len(word)
		}
	}
	return 0
}

// groupMarks may stand between groups of three digits, besides a comma or a point.
var groupMarks = [][]byte{[]byte(" "), []byte("'"), []byte("\u00a0"), []byte("\u2009"), []byte("\u202f"), []byte("’")}

// figures appends the digits of a number, with a point and an exponent as [Float64] reads
// them, and returns what is behind it.
func figures(dst, t []byte, point byte) (digits, rest []byte) {
	n := digitsOf(t)
	dst, rest = append(dst, t[:n]...), t[n:]
	if n >= 1 && n <= 3 && t[0] != '0' {
		dst, rest = groups(dst, rest, point)
	}
	if len(rest) > 0 && rest[0] == point {
		n = digitsOf(rest[1:])
		dst, rest = append(append(dst, '.'), rest[1:1+n]...), rest[1+n:]
	}
	if len(rest) > 1 && bytes.IndexByte([]byte("eEdD"), rest[0]) >= 0 {
		sign := 1
		if rest[1] == '-' || rest[1] == '+' {
			sign = 2
		}
		if n = digitsOf(rest[sign:]); n > 0 {
			dst, rest = append(append(append(dst, 'e'), rest[1:sign]...), rest[sign:sign+n]...), rest[sign+n:]
		}
	}
	return dst, rest
}

// groups appends the groups of three digits behind the first one. Between two commas there may
// be two digits, as in 12,34,567.
func groups(dst, t []byte, point byte) (digits, rest []byte) {
	comma := byte(',')
	if point == comma {
		comma = '.'
	}
	mark, before := 0, dst
	digits, rest = dst, t
	for len(rest) > 0 {
		width := 1
		if rest[0] != comma {
			width = leading(rest, groupMarks)
		}
		if width == 0 || mark > 0 && !bytes.HasPrefix(rest, t[:mark]) {
			break
		}
		n := digitsOf(rest[width:])
		if n != 3 && (n != 2 || rest[0] != ',') {
			break
		}
		mark = width
		digits, rest = append(digits, rest[width:width+n]...), rest[width+n:]
		if n == 2 && (len(rest) == 0 || rest[0] != ',') {
			return before, t
		}
	}
	return digits, rest
}

// digitsOf counts the digits at the beginning.
func digitsOf(t []byte) (n int) {
	for n < len(t) && t[n]-'0' <= 9 {
		n++
	}
	return n
}

func isCurrency(t []byte) bool { return leading(t, currencies) == len(t) }

// isUnit reports whether a text may be the unit behind a number, such as kg, mm², km/h or %.
func isUnit(t []byte) bool {
	first, _ := utf8.DecodeRune(t)
	if len(t) > 12 || first == '/' || unicode.IsDigit(first) {
		return false
	}
	return !bytes.ContainsFunc(t, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.Is(unicode.Sc, r) && !unicode.IsDigit(r) && !strings.ContainsRune("%‰°²³/", r)
	})
}

// Exact spells the value of a number that float64 may not tell from others: the same for all
// spellings of that value. ok is false where a number is the shortest one of its float64, and
// where text is no number.
func Exact(text []byte) (spelling string, ok bool) {
	v, status := Float64(text)
	if _, exponent, _ := bytes.Cut(bytes.ToLower(text), []byte("e")); status != Number || len(text) <= 15 || len(exponent) > 4 {
		return "", false
	}
	exact, ok := new(big.Rat).SetString(string(text))
	shortest, _ := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	if !ok || exact.Cmp(shortest) == 0 {
		return "", false
	}
	return exact.RatString(), true
}
