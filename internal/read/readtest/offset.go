package readtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Times are rows of a time in hundredths of a second, of which half are too large for
// single precision; a temperature that is not; a year; and a constant.
func Times(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = []float64{float64(170000000000+int64(i)) / 100, 270 + float64(i%401)/10, float64(1990 + i%30), 0.1, float64(i % 7)}
	}
	return rows
}

// AsCSV writes rows of times as a table.
func AsCSV(rows [][]float64) string {
	var b strings.Builder
	b.WriteString("t,p,year,c,y\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "%.2f,%.1f,%g,%g,%g\n", r[0], r[1], r[2], r[3], r[4])
	}
	return b.String()
}

// ReadNamed reads a text as a file of that name.
func ReadNamed(t *testing.T, name, text string, opt data.Options) *data.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := data.Read(context.Background(), []string{path}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// CheckTimes checks that no value of a column differs by more than 1e-6 of its spread from
// what it was.
func CheckTimes(t *testing.T, s *data.Set, rows [][]float64) {
	t.Helper()
	offsets := s.Schema.Offsets()
	for j := range s.Cols() {
		low, high, worst := math.Inf(1), math.Inf(-1), 0.0
		for i, row := range rows {
			v := ValueAt(s.X.Row(i), j)
			if offsets != nil {
				v += offsets[j]
			}
			low, high = min(low, row[j]), max(high, row[j])
			worst = max(worst, math.Abs(v-row[j]))
		}
		if high > low && worst > 1e-6*(high-low) {
			t.Errorf("feature %d differs by %g, the spread is %g", j+1, worst, high-low)
		}
	}
}

// ValueAt is the value of a row in a column.
func ValueAt(x matrix.Vector, j int) float64 {
	for k, v := range x.Value {
		if x.Column(k) == j {
			return float64(v)
		}
	}
	return 0
}

// npyOf makes an array of any of the types, row after row or column after column.
func ArrayOf(rows [][]float64, descr string, fortran bool) string {
	var b bytes.Buffer
	order := "False"
	if fortran {
		order = "True"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }", descr, order, len(rows), len(rows[0]))
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	put := func(v float64) {
		switch descr {
		case "<f8":
			binary.Write(&b, binary.LittleEndian, v)
		case ">f8":
			binary.Write(&b, binary.BigEndian, v)
		case "<i8":
			binary.Write(&b, binary.LittleEndian, int64(v))
		case "<u4":
			binary.Write(&b, binary.LittleEndian, uint32(v))
		case "<f4":
			binary.Write(&b, binary.LittleEndian, float32(v))
		}
	}
	if fortran {
		for j := range rows[0] {
			for i := range rows {
				put(rows[i][j])
			}
		}
		return b.String()
	}
	for _, row := range rows {
		for _, v := range row {
			put(v)
		}
	}
	return b.String()
}

// RowOf is a row of a set, zeros included.
func RowOf(s *data.Set, i int) []float64 {
	row := make([]float64, s.Cols())
	s.X.Row(i).AddTo(row, 1)
	return row
}

// StreamOf reads a file as a stream.
func StreamOf(t *testing.T, name, text string, opt data.Options) (rows [][]float64, s *data.RowStream) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := data.Blocks(context.Background(), []string{path}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for x, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		n, d := x.Dims()
		for i := range n {
			row := make([]float64, d)
			x.Row(i).AddTo(row, 1)
			rows = append(rows, row)
		}
	}
	return rows, s
}
