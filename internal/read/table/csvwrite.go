package table

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// maxColumnsWritten keeps a few sparse rows with large indices from filling a
// disk with zeros.
const maxColumnsWritten = 1 << 20

// KeepsOffsets says that the files hold what offsets keep of numbers.
func (CSV) KeepsOffsets() {}

// KeepsTargets says that the files hold several targets.
func (CSV) KeepsTargets() {}

// Write writes a header, the features as numbers, the weights in a column
// "weight", and the target, named target, in the last column; of several each in a column of its
// name, in the last ones.
func (f CSV) Write(w io.Writer, s *set.Set) error {
	delimiter := f.delimiter
	if delimiter == 0 {
		delimiter = ','
	}
	if s.Cols() == 0 && s.Weight == nil && s.Target.Absent() {
		return fmt.Errorf("found a set without columns, expected something to write")
	}
	if s.Cols() > maxColumnsWritten {
		return fmt.Errorf("found %d features, expected at most %d in CSV: write sparse rows as .svm or .npz", s.Cols(), maxColumnsWritten)
	}
	if err := holdsLabels(&s.Target); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	line := f.headerLine(nil, s, delimiter)
	rows, cols := s.X.Dims()
	values, offsets, factors := make([]float32, cols), s.Schema.Offsets(), s.Schema.Factors()
	for i := range rows {
		if _, err := out.Write(append(line[:len(line)-1], '\n')); err != nil {
			return err
		}
		line = line[:0]
		clear(values)
		row := s.X.Row(i)
		for k, v := range row.Value {
			values[row.Column(k)] = v
		}
		for j, v := range values {
			if raw := set.Raw(float64(v), j, offsets, factors); raw != float64(v) {
				line = strconv.AppendFloat(line, raw, 'g', -1, 64)
			} else {
				line = set.AppendFloat32(line, v)
			}
			line = append(line, delimiter)
		}
		if s.Weight != nil {
			line = append(strconv.AppendFloat(line, s.Weight[i], 'g', -1, 64), delimiter)
		}
		if s.Target.Names != nil {
			for _, column := range s.Target.Columns() {
				line = append(strconv.AppendFloat(line, column[i], 'g', -1, 64), delimiter)
			}
		} else if !s.Target.Absent() {
			line = append(appendQuoted(line, string(set.AppendLabel(nil, &s.Target, i))), delimiter)
		}
	}
	out.Write(append(line[:len(line)-1], '\n')) // Flush reports its error
	return out.Flush()
}

// holdsLabels refuses labels that would be read as something else.
func holdsLabels(t *set.Target) error {
	for _, l := range t.Label {
		if set.IsMissing([]byte(l)) {
			return fmt.Errorf("label %q: CSV cannot hold it, as it stands for a missing value", l)
		}
	}
	if t.Number == nil && t.Code != nil && namesNumbers(set.ReadWords(t.Label, t.Counts()), t.Label) {
		return fmt.Errorf("label %q: CSV cannot hold it, as it is read as a number there", t.Label[0])
	}
	return nil
}

// headerLine names the columns such that they are read as a header, and the
// target as the target.
func (CSV) headerLine(line []byte, s *set.Set, delimiter byte) []byte {
	for j := range s.Cols() {
		name := "x" + strconv.Itoa(j+1)
		if s.Feature != nil {
			name = s.Feature[j]
		}
		if _, status := decimal.Float64([]byte(name)); status != decimal.Text || set.IsMissing([]byte(name)) || strings.EqualFold(name, "target") || name == "weight" {
			name = "x" + name
		}
		line = append(appendQuoted(line, name), delimiter)
	}
	if s.Weight != nil {
		line = append(append(line, "weight"...), delimiter)
	}
	for _, name := range s.Target.Names {
		line = append(appendQuoted(line, name), delimiter)
	}
	if !s.Target.Absent() && s.Target.Names == nil {
		line = append(append(line, "target"...), delimiter)
	}
	return line
}

// appendQuoted quotes text that holds any delimiter, lest the reader take that
// one for the delimiter of the file, and what a comment begins with.
func appendQuoted(line []byte, text string) []byte {
	if text == strings.TrimSpace(text) && !strings.ContainsAny(text, "\"\n\r\t,;|") && !strings.HasPrefix(text, "#") {
		return append(line, text...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(text, `"`, `""`)...)
	return append(line, '"')
}
