package scaling

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Ranges are kept in the layout of svm-scale of LIBSVM, options -s and -r:
//
//	y                    absent where targets are not scaled
//	LOWER UPPER
//	MIN MAX
//	x
//	LOWER UPPER
//	INDEX MIN MAX        of each feature whose values differ
//
// Features of which there is no line are constant: they become 0.

// Write writes ranges; first is the index of the first feature, 1, or 0 where indices of
// LIBSVM begin with 0.
func (r *Ranges) Write(w io.Writer, first int) error {
	out := bufio.NewWriter(w)
	if t := r.Target; t != nil {
		fmt.Fprintf(out, "y\n%s %s\n%s %s\n", exact(t.Lower), exact(t.Upper), exact(t.Min), exact(t.Max))
	}
	fmt.Fprintf(out, "x\n%s %s\n", exact(r.Lower), exact(r.Upper))
	for j, low := range r.Min {
		if high := r.Max[j]; low != high {
			fmt.Fprintf(out, "%d %s %s\n", first+j, exact(low), exact(high))
		}
	}
	return out.Flush()
}

// exact spells a number with all of its digits.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// mostIndex bounds the indices of a file, or so many for each line that is there: a few
// lines may claim any number of features.
const mostIndex, mostForLine = 1 << 24, 64

// ReadRanges reads ranges, of at least so many features.
func ReadRanges(r io.Reader, first, features int) (*Ranges, error) {
	f := rangeFile{lines: bufio.NewScanner(r)}
	out := &Ranges{}
	word, err := f.word("y", "x")
	if err != nil {
		return nil, err
	}
	if word == "y" {
		out.Target = &TargetRange{}
		if err := f.pairs(&out.Target.Lower, &out.Target.Upper, &out.Target.Min, &out.Target.Max); err != nil {
			return nil, err
		}
		if !(out.Target.Lower < out.Target.Upper) || !(out.Target.Min <= out.Target.Max) {
			return nil, f.found("increasing numbers")
		}
		if _, err := f.word("x"); err != nil {
			return nil, err
		}
	}
	if err := f.pairs(&out.Lower, &out.Upper); err != nil {
		return nil, err
	}
	if !(out.Lower < out.Upper) {
		return nil, f.found("increasing numbers")
	}
	return out, f.features(out, first, features)
}

// rangeFile is a file that is read line by line.
type rangeFile struct {
	lines  *bufio.Scanner
	number int
	text   string
}

// next reads a line; ok is false at the end.
func (f *rangeFile) next() (ok bool, err error) {
	if f.lines.Scan() {
		f.number, f.text = f.number+1, strings.TrimSpace(f.lines.Text())
		return true, nil
	}
	if errors.Is(f.lines.Err(), bufio.ErrTooLong) {
		return false, fmt.Errorf("line %d: found a line of more than %d bytes, expected numbers", f.number+1, bufio.MaxScanTokenSize)
	}
	return false, f.lines.Err()
}

// found says of the present line what was expected of it.
func (f *rangeFile) found(expected string) error {
	return fmt.Errorf("line %d: found %.40q, expected %s", f.number, f.text, expected)
}

// word reads a line that is one of some words.
func (f *rangeFile) word(words ...string) (string, error) {
	ok, err := f.next()
	if err != nil {
		return "", err
	}
	for _, w := range words {
		if ok && f.text == w {
			return w, nil
		}
	}
	if !ok {
		f.number, f.text = f.number+1, ""
	}
	return "", f.found("the word " + strings.Join(words, " or ") + ", as svm-scale -s writes")
}

// pairs reads lines of two numbers each.
func (f *rangeFile) pairs(to ...*float64) error {
	for ; len(to) > 0; to = to[2:] {
		ok, err := f.next()
		if err != nil {
			return err
		}
		if !ok {
			f.number, f.text = f.number+1, ""
		}
		words := strings.Fields(f.text)
		if len(words) != 2 || !number(words[0], to[0]) || !number(words[1], to[1]) {
			return f.found("two finite numbers")
		}
	}
	return nil
}

// number reads a finite number.
func number(word string, to *float64) bool {
	v, err := strconv.ParseFloat(word, 64)
	*to = v
	return err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// features reads the lines of the features.
func (f *rangeFile) features(r *Ranges, first, least int) error {
	type line struct {
		index     int
		low, high float64
	}
	var lines []line
	before := first - 1
	for {
		ok, err := f.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if f.text == "" {
			continue
		}
		words := strings.Fields(f.text)
		var l line
		if len(words) != 3 || !number(words[1], &l.low) || !number(words[2], &l.high) || l.low > l.high {
			return f.found("an index and two increasing numbers")
		}
		l.index, err = strconv.Atoi(words[0])
		if err != nil || l.index <= before || l.index > max(mostIndex, mostForLine*(len(lines)+1), least+first) {
			return f.found(fmt.Sprintf("an index above %d", before))
		}
		before, lines = l.index, append(lines, l)
	}
	d := max(least, before-first+1)
	r.Min, r.Max = make([]float64, d), make([]float64, d)
	for _, l := range lines {
		r.Min[l.index-first], r.Max[l.index-first] = l.low, l.high
	}
	return nil
}
