package fault

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Plural puts a number before the right form of its noun.
func Plural[T int | int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Are is the verb that goes with a number.
func Are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Quote shows input in an error message: short, and on one line.
func Quote(text []byte) string {
	const most = 40
	if len(text) <= most {
		return strconv.Quote(string(text))
	}
	cut := most
	for cut > most-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strconv.Quote(string(text[:cut]) + "...")
}
