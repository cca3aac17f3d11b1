package svmlight

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Write writes one row a line, indices from 1, or from 0 if the set says so. If the last column is empty,
// the first row names it with a zero, so that the number of columns survives.
func (LIBSVM) Write(w io.Writer, s *set.Set) error {
	if s.Weight != nil {
		return fmt.Errorf("LIBSVM has no place for row weights: expected another format, such as CSV")
	}
	if s.Target.Absent() {
		return fmt.Errorf("LIBSVM needs a label in each row: found a set without targets")
	}
	for _, l := range s.Target.Label {
		if l == "" || bytes.ContainsAny([]byte(l), " \t\r\n#:,") {
			return fmt.Errorf("label %q: LIBSVM cannot hold blanks, line breaks or any of # : , in a label", l)
		}
	}
	s, err := scaling.Restored(s)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	rows, cols := s.X.Dims()
	pad := cols > usedColumns(s.X)
	first := 1
	if s.ZeroBased {
		first = 0
	}
	var line []byte
	for i := range rows {
		line = set.AppendLabel(line[:0], &s.Target, i)
		line = appendFeatures(line, s.X.Row(i), first)
		if pad && i == 0 {
			line = fmt.Appendf(line, " %d:0", cols-1+first)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

func appendFeatures(line []byte, row matrix.Vector, first int) []byte {
	for k, v := range row.Value {
		if v == 0 {
			continue
		}
		line = append(line, ' ')
		line = strconv.AppendInt(line, int64(row.Column(k)+first), 10)
		line = append(line, ':')
		line = set.AppendFloat32(line, v)
	}
	return line
}

// usedColumns returns one more than the last column that is not all zero.
func usedColumns(x matrix.Matrix) int {
	rows, _ := x.Dims()
	used := 0
	for i := range rows {
		row := x.Row(i)
		for k := len(row.Value) - 1; k >= 0 && row.Column(k) >= used; k-- {
			if row.Value[k] != 0 {
				used = row.Column(k) + 1
			}
		}
	}
	return used
}
