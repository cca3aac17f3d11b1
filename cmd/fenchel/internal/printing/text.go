// Package printing writes what verbs report: lines of a name and a text, numbers with
// their nouns, labels as one field, JSON, warnings, and rows of predictions.
package printing

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Report prints lines of a name and a text, aligned.
type Report struct{ W io.Writer }

func (r Report) Line(name, format string, args ...any) {
	fmt.Fprintf(r.W, "%-10s %s\n", name, Visible(fmt.Sprintf(format, args...)))
}

// Visible shows control characters as Go writes them, and bytes that are no UTF-8:
// names out of files and of files may hold what a terminal obeys.
func Visible(text string) string {
	odd := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }
	if !strings.ContainsFunc(text, odd) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		part := text[:size]
		if odd(r) {
			part = strings.Trim(strconv.Quote(part), `"`)
		}
		b.WriteString(part)
		text = text[size:]
	}
	return b.String()
}

// Describe says how large a set is.
func Describe(s *data.Set) string {
	n, d := s.X.Dims()
	return Sizes(n, d, matrix.Nonzeros(s.X))
}

// Sizes says how much data there are.
func Sizes(rows, features int, nonzeros int64) string {
	return fmt.Sprintf("%s, %s, %s", Count(rows, "row"), Count(features, "feature"), Count(int(nonzeros), "nonzero"))
}

// Short writes a large number in three digits or more: 789 M for 789341746.
func Short(n int64) string {
	const units = " kMGTPE"
	unit := 0
	for n >= 10000 && unit < len(units)-1 {
		n, unit = (n+500)/1000, unit+1
	}
	return strings.TrimSpace(fmt.Sprintf("%d %c", n, units[unit]))
}

// Decimal writes a number in as many digits as it needs.
func Decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Count writes a number with its noun, as registry.Count does.
func Count(n int, noun string) string { return registry.Count(n, noun) }

// Spell writes a label so that it stays one field of one line, as registry.Spell does.
func Spell(label string) string { return registry.Spell(label) }

// Word spells an argument of a command line as shells take it: in quotes if it holds characters other
// than letters, digits and those that mean nothing special to a shell.
func Word(arg string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:=,+@%^\\", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 || Spell(arg) != arg {
		return Spell(arg)
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Command is the command line of this run, as shells take it.
func Command() string {
	words := []string{"fenchel"}
	for _, word := range os.Args[1:] {
		words = append(words, Word(word))
	}
	return strings.Join(words, " ")
}

// Spelled spells all labels.
func Spelled(labels []string) []string {
	out := make([]string, len(labels))
	for i, label := range labels {
		out[i] = Spell(label)
	}
	return out
}

// Few lists at most ten labels.
func Few(list []string) string {
	list = Spelled(list)
	if len(list) > 10 {
		return strings.Join(list[:9], ", ") + ", ... " + list[len(list)-1]
	}
	return strings.Join(list, ", ")
}

// Percent writes a share between 0 and 1.
func Percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// jsonVersion is the version of the objects that verbs print: within one, fields are only added.
const jsonVersion = 1

// Print says what came out: as one object of JSON or, in lines, what text prints.
func Print(cmd *cobra.Command, asJSON bool, out any, text func(Report)) error {
	if asJSON {
		return exitcode.BadData(printJSON(cmd.OutOrStdout(), out))
	}
	text(Report{W: cmd.OutOrStdout()})
	return nil
}

// InOrder has JSON print the fields of a report in the order of their declaration, instead of that of
// their names.
type InOrder struct{ Report any }

// printJSON prints an object, with the version of its format before its fields.
func printJSON(w io.Writer, v any) error {
	declared, ok := v.(InOrder)
	if ok {
		v = declared.Report
	}
	fields, err := encode(v)
	if err == nil && !ok {
		var sorted map[string]json.RawMessage
		if err = json.Unmarshal(fields, &sorted); err == nil {
			fields, err = encode(sorted)
		}
	}
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, fmt.Appendf(nil, `{"format_version":%d,%s`, jsonVersion, fields[1:]), "", "  "); err != nil {
		return err
	}
	_, err = text.WriteTo(w)
	return err
}

// encode spells a class <=50K as the data do.
func encode(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return text.Bytes(), err
}

func Seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

// Warn prints doubts to standard error.
func Warn(cmd *cobra.Command, warnings []error) {
	for _, w := range warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "fenchel: warning: %s\n", Visible(Message(w.Error())))
	}
}

// WriteCSV writes a line for each row, of the fields that have these names in JSON; numbers that are not
// finite are empty.
func WriteCSV[T any](path string, names []string, rows []T) error {
	return file.WriteFile(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		_ = out.Write(names) // the writer remembers its error
		for _, row := range rows {
			cells, fields := make([]string, len(names)), reflect.ValueOf(row)
			for k := range fields.NumField() {
				if at := slices.Index(names, fields.Type().Field(k).Tag.Get("json")); at >= 0 {
					if v := fields.Field(k); v.CanInt() {
						cells[at] = strconv.FormatInt(v.Int(), 10)
					} else if x := v.Float(); x-x == 0 {
						cells[at] = Decimal(x)
					}
				}
			}
			_ = out.Write(cells)
		}
		out.Flush()
		return out.Error()
	})
}
