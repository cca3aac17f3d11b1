package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/jsontext"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// inputs are what the rows of a model are made of: the columns of a table, or features in order.
type inputs struct {
	schema   *data.Schema  // of a table; nil: features
	columns  []data.Column // of the table that make features, in order
	features int
	names    []string       // of features; nil: their positions from 1
	place    map[string]int // of a column, or of a feature that has a name
	moves    []data.Column  // how features are stored, see set.Schema.Moves; nil: as they are
	numeric  bool           // all columns of the table are of numbers
}

func newInputs(schema *data.Schema, names []string, features int) inputs {
	in := inputs{features: features, names: names, place: map[string]int{}}
	if !schema.Table() {
		if schema != nil {
			in.moves = schema.Moves()
		}
		for j, name := range names {
			in.place[name] = j
		}
		return in
	}
	in.schema, in.numeric = schema, true
	for i, c := range schema.Columns {
		if schema.Answers(i) || c.Kind == set.KindIgnored {
			continue
		}
		in.place[c.Name] = len(in.columns)
		in.columns = append(in.columns, c)
		in.numeric = in.numeric && c.IsNumber() && c.Kind.IsNumber()
	}
	return in
}

// datatype is the type of the protocol in which a column is best sent; others that hold its values will do.
func datatype(c *data.Column) string {
	switch {
	case c.IsWords() || c.Kind.IsDate() || c.Kind == set.KindClock:
		return "BYTES"
	case c.Kind == set.KindBoolean:
		return "BOOL"
	}
	return "FP64"
}

// A declared input or output of a model, as the protocol describes it.
type declared struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"` // -1: any
}

// declare lists the tensors that a request brings.
func (in *inputs) declare() []declared {
	if in.schema == nil {
		kind := "FP32"
		if in.moves != nil { // offsets are subtracted before single precision rounds
			kind = "FP64"
		}
		return []declared{{"input", kind, []int64{-1, int64(in.features)}}}
	}
	all := make([]declared, 0, len(in.columns))
	for i := range in.columns {
		c := &in.columns[i]
		all = append(all, declared{c.Name, datatype(c), []int64{-1}})
	}
	return all
}

// expected says which columns a request has to bring.
func (in *inputs) expected() string {
	names := make([]string, 0, len(in.columns))
	for i := range in.columns {
		names = append(names, strconv.Quote(in.columns[i].Name))
	}
	return strings.Join(names, ", ")
}

// A builder makes a matrix, row by row.
type builder struct {
	in     *inputs
	rows   int
	start  []int64 // nil: rows are dense
	index  []uint32
	value  []float32
	buffer matrix.Vector
}

// add appends the row of a record, a value for each column.
func (b *builder) add(record map[string]any) error {
	row, err := b.in.schema.Row(b.buffer, record)
	if err != nil {
		return fmt.Errorf("row %d: %w", b.rows+1, err)
	}
	b.buffer = row
	if row.Index != nil {
		if b.start == nil {
			b.start = []int64{0}
		}
		b.index = append(b.index, row.Index...)
		b.start = append(b.start, int64(len(b.index)))
	}
	b.value = append(b.value, row.Value...)
	b.rows++
	return nil
}

// read reads feature j as files of rows are read.
func (in *inputs) read(s *jsontext.Scanner, j int) (float32, error) {
	if in.moves == nil {
		v, err := s.Float32()
		return v + 0, err // nor -0
	}
	v, err := s.Float()
	if err != nil {
		return 0, err
	}
	return in.set(j, v)
}

// set stores a number as feature j.
func (in *inputs) set(j int, v float64) (float32, error) {
	if in.moves != nil {
		v = in.moves[j].Stored(v)
	}
	if f := float32(v); !math.IsInf(float64(f), 0) && f == f {
		return f, nil
	}
	return 0, fmt.Errorf("feature %s: found %g, expected a finite number that single precision can hold", in.featureName(j), v)
}

// featureName is the name of a feature, or its position.
func (in *inputs) featureName(j int) string {
	if in.names != nil {
		return strconv.Quote(in.names[j])
	}
	return strconv.Itoa(j + 1)
}

// matrix returns the rows that were added.
func (b *builder) matrix() matrix.Matrix {
	if b.start != nil {
		return &matrix.CSR{Cols: b.in.features, Start: b.start, Index: b.index, Value: b.value}
	}
	return &matrix.Dense{Rows: b.rows, Cols: b.in.features, Value: b.value}
}

// value reads a value of a column of a table: null, true or false, a number, or text.
func value(s *jsontext.Scanner) (any, error) {
	switch s.Kind() {
	case jsontext.Null:
		return nil, s.Null()
	case jsontext.Bool:
		return s.Bool()
	case jsontext.Number:
		text, err := s.Digits()
		return json.Number(text), err
	case jsontext.String:
		return s.String()
	case jsontext.Array: // a vector
		list := []float64{}
		return list, s.Array(func(int) error {
			v, err := s.Float()
			list = append(list, v)
			return err
		})
	}
	return nil, s.Errorf("found %s, expected a number, a string, true, false or null", s.Kind())
}

// record reads a row of a table, an object, into record. A column that is not there is an error, and so is a name that no
// column of the table has.
func (in *inputs) record(s *jsontext.Scanner, record map[string]any) error {
	err := s.Object(func(key string) (err error) {
		if _, known := in.place[key]; !known && !in.silent(key) {
			return s.Errorf("found the column %q, expected %s", key, in.expected())
		}
		record[key], err = value(s)
		return err
	})
	if err != nil || len(record) >= len(in.columns) && in.complete(record) {
		return err
	}
	return refuse(http.StatusBadRequest, "found no value of %s, expected one, or null where it is missing", strings.Join(in.absent(func(name string) bool { _, ok := record[name]; return ok }), ", "))
}

// silent reports whether the table has a column of that name that makes no feature: it may be there.
func (in *inputs) silent(name string) bool {
	return slices.ContainsFunc(in.schema.Columns, func(c data.Column) bool { return c.Name == name })
}

func (in *inputs) complete(record map[string]any) bool {
	for i := range in.columns {
		if _, ok := record[in.columns[i].Name]; !ok {
			return false
		}
	}
	return true
}

// absent lists the columns that are not there.
func (in *inputs) absent(there func(name string) bool) (names []string) {
	for i := range in.columns {
		if name := in.columns[i].Name; !there(name) {
			names = append(names, strconv.Quote(name))
		}
	}
	return names
}

// readRow appends a row of a request: of a table an object of its columns; else an array of all features, or an object of some, by
// name or position from 1, of which the others are 0.
func (b *builder) readRow(s *jsontext.Scanner, record map[string]any) error {
	switch {
	case b.in.schema != nil:
		clear(record)
		if err := b.in.record(s, record); err != nil {
			return err
		}
		return b.add(record)
	case s.Kind() == jsontext.Object:
		return b.readSparse(s)
	}
	found := 0
	err := s.Array(func(i int) error {
		found++
		if i >= b.in.features {
			return s.Skip()
		}
		f, err := b.in.read(s, i)
		b.value = append(b.value, f)
		return err
	})
	if err == nil && found != b.in.features {
		err = s.Errorf("row %d: found %d features, expected %d", b.rows+1, found, b.in.features)
	}
	b.rows++
	if b.start != nil { // among sparse rows
		for j := range b.in.features {
			b.index = append(b.index, uint32(j))
		}
		b.start = append(b.start, int64(len(b.index)))
	}
	return err
}

// readSparse appends a row of which some features are given.
func (b *builder) readSparse(s *jsontext.Scanner) error {
	type entry struct {
		j uint32
		v float32
	}
	var row []entry
	if b.start == nil {
		if b.start = []int64{0}; b.rows > 0 { // dense ones came before
			for i := range b.rows {
				for j := range b.in.features {
					b.index = append(b.index, uint32(j))
				}
				b.start = append(b.start, int64((i+1)*b.in.features))
			}
		}
	}
	err := s.Object(func(key string) error {
		j, ok := b.in.place[key]
		if !ok {
			position, err := strconv.Atoi(key)
			if j = position - 1; err != nil || j < 0 || j >= b.in.features || strconv.Itoa(position) != key {
				return s.Errorf("found the feature %q, expected the name of one, or a position from 1 to %d", key, b.in.features)
			}
		}
		f, err := b.in.read(s, j)
		row = append(row, entry{uint32(j), f})
		return err
	})
	if err != nil {
		return err
	}
	if b.in.moves != nil { // what is not there is 0, which may be stored as another number
		return s.Errorf("row %d: found some features, expected an array of all %d: their values are stored less an offset", b.rows+1, b.in.features)
	}
	slices.SortFunc(row, func(x, y entry) int { return int(x.j) - int(y.j) })
	for k, e := range row {
		if k > 0 && row[k-1].j == e.j {
			return s.Errorf("row %d: found feature %s twice", b.rows+1, b.in.featureName(int(e.j)))
		}
		b.index, b.value = append(b.index, e.j), append(b.value, e.v)
	}
	b.start = append(b.start, int64(len(b.index)))
	b.rows++
	return nil
}
