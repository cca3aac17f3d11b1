package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

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
	return sizes(n, d, matrix.Nonzeros(s.X))
}

// sizes says how much data there are.
func sizes(rows, features int, nonzeros int64) string {
	return fmt.Sprintf("%s, %s, %s", count(rows, "row"), count(features, "feature"), count(int(nonzeros), "nonzero"))
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

// spell writes a label so that it stays one field of one line: as it is, but
// quoted as in Go if it holds a newline, tab or other control character.
func spell(label string) string {
	if strings.ContainsFunc(label, unicode.IsControl) {
		return strconv.Quote(label)
	}
	return label
}

// spelled spells all labels.
func spelled(labels []string) []string {
	out := make([]string, len(labels))
	for i, label := range labels {
		out[i] = spell(label)
	}
	return out
}

// few lists at most ten labels.
func few(list []string) string {
	list = spelled(list)
	if len(list) > 10 {
		return strings.Join(list[:9], ", ") + ", ... " + list[len(list)-1]
	}
	return strings.Join(list, ", ")
}

// percent writes a share between 0 and 1.
func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

func printJSON(cmd *cobra.Command, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

// warn prints doubts to standard error.
func warn(cmd *cobra.Command, warnings []error) {
	for _, w := range warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "fenchel: warning: %s\n", w)
	}
}
