package report

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/figure"
)

// traceHead begins every file of train --trace.
const traceHead = "class,epoch,"

// IsTrace reports whether a file is one of train --trace.
func IsTrace(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := bufio.NewReader(f).Peek(len(traceHead))
	return string(head) == traceHead
}

// ErrNoTrace says that a file is not of train --trace.
var ErrNoTrace = errors.New("found another file, expected one of train --trace")

// ReadTrace reads two columns of a file of train --trace: a curve for each class, of the lines that have both numbers. Of the
// column gap the lines are marked, as it is proved; with estimates there are also those that have the solver's estimate of it alone.
func ReadTrace(path, x, y string, estimates bool) (curves []figure.Curve, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if !IsTrace(path) {
		return nil, fmt.Errorf("%s: %w", path, ErrNoTrace)
	}
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	across, up, estimate := slices.Index(lines[0], x), slices.Index(lines[0], y), slices.Index(lines[0], "gap_estimate")
	if across < 0 || up < 0 {
		return nil, fmt.Errorf("%s: --x %s, --y %s: expected columns of it: %s", path, x, y, strings.Join(lines[0], ", "))
	}
	for k, line := range lines[1:] {
		if k == 0 || line[0] != lines[k][0] {
			curves = append(curves, figure.Curve{Name: line[0], Marked: []bool{}})
		}
		c := &curves[len(curves)-1]
		right, err1 := strconv.ParseFloat(line[across], 64)
		above, err2 := strconv.ParseFloat(line[up], 64)
		proved := y == "gap" && err2 == nil
		if y == "gap" && !proved && estimates && estimate >= 0 {
			above, err2 = strconv.ParseFloat(line[estimate], 64)
		}
		if err1 == nil && err2 == nil {
			c.X, c.Y, c.Marked = append(c.X, right), append(c.Y, above), append(c.Marked, proved)
		}
	}
	return curves, nil
}
