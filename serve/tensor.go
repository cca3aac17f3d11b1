package serve

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/read/jsontext"
)

// headerLength is the header that says where the JSON of a body ends and binary tensors begin.
const headerLength = "Inference-Header-Content-Length"

// A tensor is an input of a request.
type tensor struct {
	name, datatype string
	shape          []int64
	number         []float64 // of all types but BYTES
	text           []string
	lengths        []int // of the arrays in each other that the JSON has, by depth
	given          bool  // has data in the JSON
	size           int   // bytes of binary data; -1: none
}

// A wanted output of a request.
type wanted struct {
	name   string
	binary bool
	said   bool // whether it is
}

// A request to infer.
type request struct {
	id      string
	inputs  []*tensor
	outputs []wanted
	binary  bool // outputs are binary unless they say otherwise
}

// element is a type of the protocol: its size in bytes, and how one is read.
type element struct {
	size  int
	read  func(b []byte) float64
	whole bool // has integers alone
	least float64
	most  float64
}

var elements = map[string]element{
	"BOOL":   {1, func(b []byte) float64 { return float64(b[0]) }, true, 0, 1},
	"UINT8":  {1, func(b []byte) float64 { return float64(b[0]) }, true, 0, math.MaxUint8},
	"INT8":   {1, func(b []byte) float64 { return float64(int8(b[0])) }, true, math.MinInt8, math.MaxInt8},
	"UINT16": {2, func(b []byte) float64 { return float64(binary.LittleEndian.Uint16(b)) }, true, 0, math.MaxUint16},
	"INT16":  {2, func(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) }, true, math.MinInt16, math.MaxInt16},
	"UINT32": {4, func(b []byte) float64 { return float64(binary.LittleEndian.Uint32(b)) }, true, 0, math.MaxUint32},
	"INT32":  {4, func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }, true, math.MinInt32, math.MaxInt32},
	"UINT64": {8, func(b []byte) float64 { return float64(binary.LittleEndian.Uint64(b)) }, true, 0, 1 << 53}, // beyond, double precision does not tell them apart
	"INT64":  {8, func(b []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(b))) }, true, -1 << 53, 1 << 53},
	"FP32":   {4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }, false, -math.MaxFloat32, math.MaxFloat32},
	"FP64":   {8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }, false, -math.MaxFloat64, math.MaxFloat64},
}

// parseRequest reads the JSON of a request, and the binary tensors behind it.
func parseRequest(text, raw []byte) (*request, error) {
	q := &request{}
	s := jsontext.New(text)
	err := s.Object(func(key string) (err error) {
		switch key {
		case "id":
			q.id, err = s.String()
		case "inputs":
			err = s.Array(func(int) error { return q.input(s) })
		case "outputs":
			err = s.Array(func(int) error { return q.output(s) })
		case "parameters":
			err = s.Object(func(key string) (err error) {
				if key == "binary_data_output" {
					q.binary, err = s.Bool()
					return err
				}
				return s.Skip()
			})
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return nil, err
	}
	return q, q.complete(raw)
}

// complete checks what was read, and takes in the tensors behind the JSON.
func (q *request) complete(raw []byte) (err error) {
	if len(q.inputs) == 0 {
		return fmt.Errorf("inputs: found none, expected the tensors of the rows")
	}
	for i := range q.outputs {
		if o := &q.outputs[i]; !o.said { // the parameters of all may be behind it
			o.binary = q.binary
		}
	}
	seen := make(map[string]bool, len(q.inputs))
	for _, t := range q.inputs {
		if seen[t.name] {
			return fmt.Errorf("inputs: found %q twice", t.name)
		}
		seen[t.name] = true
		if raw, err = t.complete(raw); err != nil {
			return fmt.Errorf("input %q: %w", t.name, err)
		}
	}
	if len(raw) > 0 {
		return fmt.Errorf("found %d bytes behind the tensors, expected none", len(raw))
	}
	return nil
}

// input reads an input tensor.
func (q *request) input(s *jsontext.Scanner) error {
	t := &tensor{size: -1}
	q.inputs = append(q.inputs, t)
	return s.Object(func(key string) (err error) {
		switch key {
		case "name":
			t.name, err = s.String()
		case "datatype":
			t.datatype, err = s.String()
		case "shape":
			err = s.Array(func(int) error {
				v, err := s.Float()
				if err == nil && (v < 0 || v > 1<<40 || v != math.Trunc(v)) {
					err = s.Errorf("shape: found %g, expected a whole number >= 0", v)
				}
				t.shape = append(t.shape, int64(v))
				return err
			})
		case "parameters":
			err = s.Object(func(key string) error {
				if key != "binary_data_size" {
					return s.Skip()
				}
				v, err := s.Float()
				if err == nil && (v < 0 || v > 1<<40 || v != math.Trunc(v)) {
					err = s.Errorf("binary_data_size: found %g, expected a whole number >= 0", v)
				}
				t.size = int(v)
				return err
			})
		case "data":
			t.given = true
			err = t.data(s, 0)
		default:
			err = s.Skip()
		}
		return err
	})
}

// data reads numbers or texts, in arrays in each other or in one.
func (t *tensor) data(s *jsontext.Scanner, depth int) error {
	count := 0
	err := s.Array(func(i int) (err error) {
		count++
		switch kind := s.Kind(); {
		case kind == jsontext.Array:
			return t.data(s, depth+1)
		case depth+1 < len(t.lengths):
			return s.Errorf("data: found %s among arrays, expected an array", kind)
		case kind == jsontext.Number:
			v, err := s.Float()
			t.number = append(t.number, v)
			return err
		case kind == jsontext.Bool:
			v, err := s.Bool()
			t.number = append(t.number, map[bool]float64{true: 1}[v])
			return err
		case kind == jsontext.String:
			v, err := s.String()
			t.text = append(t.text, v)
			return err
		}
		return s.Errorf("data: found %s, expected a number, a string, true or false", s.Kind())
	})
	if err != nil {
		return err
	}
	for len(t.lengths) <= depth {
		t.lengths = append(t.lengths, -1)
	}
	if known := t.lengths[depth]; known >= 0 && known != count {
		return s.Errorf("data: found arrays of %d and of %d values beside each other, expected arrays of one length", known, count)
	}
	t.lengths[depth] = count
	return nil
}

// output reads an output that is asked for.
func (q *request) output(s *jsontext.Scanner) error {
	var w wanted
	err := s.Object(func(key string) (err error) {
		switch key {
		case "name":
			w.name, err = s.String()
		case "parameters":
			err = s.Object(func(key string) (err error) {
				switch key {
				case "binary_data":
					w.said = true
					w.binary, err = s.Bool()
					return err
				case "classification":
					return s.Errorf("classification: found it asked for, expected %s and %s instead", outPredict, outProbability)
				}
				return s.Skip()
			})
		default:
			err = s.Skip()
		}
		return err
	})
	q.outputs = append(q.outputs, w)
	return err
}

// complete takes binary data in, and checks the data against type and shape; it returns the bytes that are left.
func (t *tensor) complete(raw []byte) ([]byte, error) {
	e, ok := elements[t.datatype]
	if !ok && t.datatype != "BYTES" {
		return nil, fmt.Errorf("found the datatype %q, expected BOOL, BYTES, FP32, FP64, INT8 to INT64 or UINT8 to UINT64", t.datatype)
	}
	if len(t.shape) == 0 {
		return nil, fmt.Errorf("found no shape, expected one such as [rows]")
	}
	total := int64(1)
	for _, n := range t.shape {
		if n > 0 && total > math.MaxInt32/n {
			return nil, fmt.Errorf("found the shape %d, expected at most %d values", t.shape, math.MaxInt32)
		}
		total *= n
	}
	switch {
	case t.size >= 0 && t.given:
		return nil, fmt.Errorf("found data in the JSON and binary data, expected one of both")
	case t.size >= 0:
		return t.binary(raw, e, total)
	case !t.given:
		return nil, fmt.Errorf("found no data, expected some")
	}
	return raw, t.check(e, total)
}

// check compares data of the JSON with type and shape.
func (t *tensor) check(e element, total int64) error {
	if t.datatype == "BYTES" && t.number != nil || t.datatype != "BYTES" && t.text != nil {
		return fmt.Errorf("found data that are none of %s", t.datatype)
	}
	if found := int64(len(t.number) + len(t.text)); found != total {
		return fmt.Errorf("found %d values, expected %d by the shape %d", found, total, t.shape)
	}
	if len(t.lengths) > 1 && total > 0 {
		same := len(t.lengths) == len(t.shape)
		for i := 0; same && i < len(t.shape); i++ {
			same = int64(t.lengths[i]) == t.shape[i]
		}
		if !same {
			return fmt.Errorf("found arrays of the lengths %d in each other, expected those of the shape %d", t.lengths, t.shape)
		}
	}
	for i, v := range t.number {
		if e.whole && v != math.Trunc(v) || v < e.least || v > e.most {
			return fmt.Errorf("found %g, expected values of %s", v, t.datatype)
		}
		if t.datatype == "FP32" { // what the bytes would hold
			t.number[i] = float64(float32(v))
		}
	}
	return nil
}

// binary takes values out of bytes.
func (t *tensor) binary(raw []byte, e element, total int64) ([]byte, error) {
	if t.size > len(raw) {
		return nil, fmt.Errorf("found %d bytes of binary data, expected %d", len(raw), t.size)
	}
	mine, rest := raw[:t.size], raw[t.size:]
	if t.datatype != "BYTES" {
		if int64(len(mine)) != total*int64(e.size) {
			return nil, fmt.Errorf("found %d bytes of binary data, expected %d for the shape %d", len(mine), total*int64(e.size), t.shape)
		}
		t.number = make([]float64, total)
		for i := range t.number {
			t.number[i] = e.read(mine[i*e.size:])
		}
		if e.whole {
			return rest, t.check(e, total)
		}
		return rest, nil
	}
	for len(mine) > 0 {
		if len(mine) < 4 || uint64(len(mine)-4) < uint64(binary.LittleEndian.Uint32(mine)) {
			return nil, fmt.Errorf("found a text that ends behind the data, expected its length in 4 bytes before each")
		}
		n := binary.LittleEndian.Uint32(mine)
		t.text, mine = append(t.text, string(mine[4:4+n])), mine[4+n:]
	}
	if int64(len(t.text)) != total {
		return nil, fmt.Errorf("found %d texts, expected %d by the shape %d", len(t.text), total, t.shape)
	}
	return rest, nil
}

// rowsOf returns how many rows the inputs have: [rows] or [rows, 1] each.
func rowsOf(tensors []*tensor) (int, error) {
	for i, t := range tensors {
		if len(t.shape) > 2 || len(t.shape) == 2 && t.shape[1] != 1 {
			return 0, fmt.Errorf("input %q: found the shape %d, expected [rows]", t.name, t.shape)
		}
		if t.shape[0] != tensors[0].shape[0] {
			return 0, fmt.Errorf("input %q: found %d rows, expected %d as in %q", t.name, t.shape[0], tensors[0].shape[0], tensors[0].name)
		}
		if i == 0 && t.shape[0] > math.MaxInt32 {
			return 0, fmt.Errorf("input %q: found %d rows", t.name, t.shape[0])
		}
	}
	return int(tensors[0].shape[0]), nil
}

// cell is the value of a row of a column's tensor, nil where it is missing.
func (t *tensor) cell(i int) any {
	switch {
	case t.datatype == "BYTES":
		return t.text[i]
	case t.datatype == "BOOL":
		return t.number[i] == 1
	case math.IsNaN(t.number[i]):
		return nil
	}
	return t.number[i]
}

// fill makes rows of the tensors of a request.
func (b *builder) fill(q *request, most int) error {
	in := b.in
	if in.schema == nil || len(q.inputs) == 1 && in.numeric && len(q.inputs[0].shape) == 2 && (len(in.columns) != 1 || q.inputs[0].name != in.columns[0].Name) {
		return b.fillWhole(q, most)
	}
	rows, err := rowsOf(q.inputs)
	if err != nil {
		return err
	}
	if err := checkRows(rows, most); err != nil {
		return err
	}
	byName := map[string]*tensor{}
	for _, t := range q.inputs {
		if _, known := in.place[t.name]; !known && !in.silent(t.name) {
			return fmt.Errorf("inputs: found %q, expected %s", t.name, in.expected())
		}
		byName[t.name] = t
	}
	if absent := in.absent(func(name string) bool { return byName[name] != nil }); absent != nil {
		return fmt.Errorf("inputs: found none called %s, expected one for each column", absent)
	}
	record := map[string]any{}
	for i := range rows {
		for j := range in.columns {
			name := in.columns[j].Name
			record[name] = byName[name].cell(i)
		}
		if err := b.add(record); err != nil {
			return err
		}
	}
	return nil
}

// fillWhole makes rows of one tensor of all features, or of all columns where these are of numbers.
func (b *builder) fillWhole(q *request, most int) error {
	in, t := b.in, q.inputs[0]
	width := in.features
	if in.schema != nil {
		width = len(in.columns)
	}
	if len(q.inputs) != 1 || len(t.shape) != 2 || t.shape[1] != int64(width) || t.datatype == "BYTES" {
		return fmt.Errorf("inputs: found %d, the first one %q of shape %d and type %s, expected one of numbers of shape [rows, %d]", len(q.inputs), t.name, t.shape, t.datatype, width)
	}
	if err := checkRows(int(t.shape[0]), most); err != nil {
		return err
	}
	if in.schema == nil {
		for k, v := range t.number {
			f, err := in.set(k%width, v)
			if err != nil {
				return fmt.Errorf("row %d: %w", k/width+1, err)
			}
			b.value = append(b.value, f)
		}
		b.rows = int(t.shape[0])
		return nil
	}
	record := map[string]any{}
	for i := range int(t.shape[0]) {
		for j := range in.columns {
			record[in.columns[j].Name] = t.cell(i*width + j)
		}
		if err := b.add(record); err != nil {
			return err
		}
	}
	return nil
}
