package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
)

// report prints lines of a name and a text, aligned.
type report struct{ w io.Writer }

func (r report) line(name, format string, args ...any) {
	fmt.Fprintf(r.w, "%-10s %s\n", name, fmt.Sprintf(format, args...))
}

// describe says how large a set is.
func describe(s *dataset.Set) string {
	n, d := s.X.Dims()
	return fmt.Sprintf("%s, %s, %s", count(n, "row"), count(d, "feature"), count(int(matrix.Nonzeros(s.X)), "nonzero"))
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "ss"); ok {
		return fmt.Sprintf("%d %ssses", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// few lists at most ten names.
func few(list []string) string {
	if len(list) > 10 {
		return strings.Join(list[:9], ", ") + ", ... " + list[len(list)-1]
	}
	return strings.Join(list, ", ")
}

// percent writes a share between 0 and 1.
func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }
