package model

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// The models of LIBSVM and LIBLINEAR are text: lines "key value ...", a line
// that is a key alone, and a table. [Decode] reads them as it reads its own.
//
// They hold no lambda, no proof and nothing about the data: a model made of one
// claims nothing. Feature values and weights are decimal; the former become
// single precision.

// isForeign names the program whose model begins so; "": none that is known.
func isForeign(data []byte) string {
	switch word, _, _ := bytes.Cut(data[:min(len(data), 16)], []byte(" ")); string(word) {
	case "svm_type":
		return "libsvm"
	case "solver_type":
		return "liblinear"
	}
	return ""
}

// IsFile reports whether a file begins as models do, of this program or of those
// that Decode reads too. One that cannot be read does not. The first key of the metadata
// of this program comes before "format", as which other programs begin safetensors.
func IsFile(path string) bool {
	begin := beginning(path)
	if isForeign(begin) != "" {
		return true
	}
	_, first, found := bytes.Cut(begin[min(8, len(begin)):], []byte(`{"__metadata__":{`))
	return found && !bytes.HasPrefix(first, []byte(`"format`))
}

// IsForeignFile reports whether a file begins as a model of another program.
func IsForeignFile(path string) bool { return isForeign(beginning(path)) != "" }

// beginning returns the first bytes of a file.
func beginning(path string) []byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	begin := make([]byte, 32)
	n, _ := io.ReadFull(f, begin)
	return begin[:n]
}

// text is a file that is read line by line.
type text struct {
	rest   []byte
	number int // line number of the line that was read last
	fields map[string][]string
}

// line returns the words of the next line; ok is false at the end.
func (t *text) line() (words []string, ok bool) {
	if len(t.rest) == 0 {
		return nil, false
	}
	line, rest, _ := bytes.Cut(t.rest, []byte("\n"))
	t.rest, t.number = rest, t.number+1
	return strings.Fields(string(line)), true
}

// header reads the keys, of those that are known, up to the line that is last.
func (t *text) header(last string, known ...string) error {
	t.fields = map[string][]string{}
	for {
		words, ok := t.line()
		switch {
		case !ok:
			return fmt.Errorf("found the end of the file after line %d, expected a line %q", t.number, last)
		case len(words) == 0:
		case words[0] == last:
			return nil
		case !slices.Contains(known, words[0]):
			return fmt.Errorf("line %d: found %q, expected one of %s or %s", t.number, words[0], strings.Join(known, ", "), last)
		default:
			t.fields[words[0]] = words[1:]
		}
	}
}

// word returns the one word that belongs to a key; "" if there is none.
func (t *text) word(key string) string {
	if words := t.fields[key]; len(words) == 1 {
		return words[0]
	}
	return ""
}

// whole returns the whole number >= 0 that belongs to a key.
func (t *text) whole(key string) (int, error) {
	n, err := strconv.ParseUint(t.word(key), 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%s: found %q, expected a whole number", key, strings.Join(t.fields[key], " "))
	}
	return int(n), nil
}

// numbers returns the count numbers that belong to a key.
func (t *text) numbers(key string, count int) ([]float64, error) {
	words := t.fields[key]
	if len(words) != count {
		return nil, fmt.Errorf("%s: found %d numbers, expected %d", key, len(words), count)
	}
	numbers := make([]float64, count)
	for i, word := range words {
		var err error
		if numbers[i], err = finite(word); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return numbers, nil
}

// finite reads a number.
func finite(word string) (float64, error) {
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("found %q, expected a finite number", word)
	}
	return x, nil
}

// labels returns the classes, the last of the file first: there a positive
// score speaks for the first of two.
func (t *text) labels(count int) ([]string, error) {
	labels := t.fields["label"]
	if len(labels) != count || count < 1 {
		return nil, fmt.Errorf("label: found %d classes, expected %d, at least one", len(labels), count)
	}
	for i, label := range labels {
		if _, err := strconv.Atoi(label); err != nil {
			return nil, fmt.Errorf("label: found %q, expected a whole number", label)
		}
		if slices.Contains(labels[:i], label) {
			return nil, fmt.Errorf("label: found %s twice", label)
		}
	}
	labels = slices.Clone(labels)
	slices.Reverse(labels)
	return labels, nil
}

// imported is what is known of an output of another program.
func imported() Certificate {
	unknown := Bound(math.NaN())
	return Certificate{Status: Imported, Primal: unknown, Dual: unknown, Zero: unknown}
}

// IsImported reports whether the model was read from a file of another program,
// so that it claims nothing.
func (m *Model) IsImported() bool {
	return len(m.Outputs) > 0 && m.Outputs[0].Certificate.Status == Imported
}

// decimal writes a number so that it can be read back.
func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// wholeLabels returns the classes as LIBSVM and LIBLINEAR read them, whole numbers: those
// that are spelled otherwise, as 1.0, are spelled so.
func wholeLabels(classes []string) ([]string, error) {
	labels, numbers := make([]string, len(classes)), make([]float64, len(classes))
	for c, class := range classes {
		x, err := strconv.ParseFloat(class, 64)
		if err != nil || x != math.Trunc(x) || math.Abs(x) >= 1<<31 {
			return nil, fmt.Errorf("found the class %q, expected whole numbers below 2^31: the format holds no other labels", class)
		}
		if at := slices.Index(numbers[:c], x); at >= 0 {
			return nil, fmt.Errorf("found the classes %q and %q, expected numbers that differ", classes[at], class)
		}
		labels[c], numbers[c] = class, x
		if _, err := strconv.Atoi(class); err != nil {
			labels[c] = strconv.Itoa(int(x))
		}
	}
	return labels, nil
}

// writeNumbersLine writes a line of count numbers.
func writeNumbersLine(w io.Writer, key string, count int, number func(i int) float64) {
	fmt.Fprint(w, key)
	for i := range count {
		fmt.Fprintf(w, " %s", decimal(number(i)))
	}
	fmt.Fprintln(w)
}
