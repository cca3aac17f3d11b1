package fenchel_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A parcel is a model file taken apart: every value of the header as JSON, and the
// tensors.
type parcel struct {
	document map[string]any  // of metadata; what is stored as JSON is decoded
	plain    map[string]bool // what is text as it is
	tensors  map[string]array
}

// array is a tensor of little-endian numbers.
type array struct {
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	At    [2]int `json:"data_offsets"`
	data  []byte
}

var widths = map[string]int{"F64": 8, "I64": 8, "F32": 4, "U32": 4}

// unpack takes a file apart.
func unpack(t testing.TB, file []byte) *parcel {
	t.Helper()
	n := 8 + binary.LittleEndian.Uint64(file)
	var header map[string]json.RawMessage
	var metadata map[string]string
	if err := cmp.Or(json.Unmarshal(file[8:n], &header), json.Unmarshal(header["__metadata__"], &metadata)); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(header["__metadata__"], &metadata); err != nil {
		t.Fatal(err)
	}
	p := &parcel{map[string]any{}, map[string]bool{}, map[string]array{}}
	for key, text := range metadata {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil || key == "format_version" {
			value, p.plain[key] = text, true
		}
		p.document[key] = value
	}
	for name, raw := range header {
		if name == "__metadata__" {
			continue
		}
		var a array
		if err := json.Unmarshal(raw, &a); err != nil {
			t.Fatal(err)
		}
		a.data = file[int(n)+a.At[0] : int(n)+a.At[1]]
		p.tensors[name] = a
	}
	return p
}

// clone returns a copy of which every part may be changed.
func (p *parcel) clone() *parcel {
	c := &parcel{copyJSON(p.document).(map[string]any), p.plain, maps.Clone(p.tensors)}
	for name, a := range c.tensors {
		a.data, a.Shape = bytes.Clone(a.data), slices.Clone(a.Shape)
		c.tensors[name] = a
	}
	return c
}

func copyJSON(value any) any {
	switch v := value.(type) {
	case map[string]any:
		c := map[string]any{}
		for key, x := range v {
			c[key] = copyJSON(x)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, x := range v {
			c[i] = copyJSON(x)
		}
		return c
	}
	return value
}

// pack makes a file of the parts, with the digests of them that a forger would compute,
// unless those were what was changed.
func (p *parcel) pack(t testing.TB, resign bool) []byte {
	t.Helper()
	names := slices.SortedFunc(maps.Keys(p.tensors), func(a, b string) int {
		return cmp.Or(widths[p.tensors[b].DType]-widths[p.tensors[a].DType], strings.Compare(a, b))
	})
	h, header, body := sha256.New(), map[string]any{}, []byte{}
	for _, name := range names {
		a := p.tensors[name]
		fmt.Fprintf(h, "%q %s %v\n%s", name, a.DType, a.Shape, a.data)
		a.At = [2]int{len(body), len(body) + len(a.data)}
		header[name], body = a, append(body, a.data...)
	}
	metadata := map[string]string{}
	for key, value := range p.document {
		if text, ok := value.(string); ok && p.plain[key] {
			metadata[key] = text
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		metadata[key] = string(text)
	}
	if resign {
		metadata["tensors_digest"] = "sha256:" + hex.EncodeToString(h.Sum(nil))
		delete(metadata, "metadata_digest")
		h.Reset()
		for _, key := range slices.Sorted(maps.Keys(metadata)) {
			fmt.Fprintf(h, "%q %q\n", key, metadata[key])
		}
		metadata["metadata_digest"] = "sha256:" + hex.EncodeToString(h.Sum(nil))
	}
	header["__metadata__"] = metadata
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, body)
}

// A change is one forgery of a file: what it did to which field.
type change struct {
	field string // as the table of package model names it
	what  string
	file  []byte
}

// names that may be written where one is expected.
type lexicon []string

// changes calls do for every forgery of a file: each value of the document changed to
// several others or taken away, fields of other documents added, numbers of tensors
// changed, alone and all together.
func (p *parcel) changes(t testing.TB, words lexicon, foreign map[string]any, do func(change)) {
	tell, same := do, p.pack(t, true)
	do = func(c change) {
		if !bytes.Equal(c.file, same) {
			tell(c)
		}
	}
	edit := func(path []any, what string, value any) {
		c := p.clone()
		c.set(path, value)
		do(change{fieldOf(path), fmt.Sprintf("%v %s", path, what), c.pack(t, !strings.HasSuffix(fieldOf(path), "_digest"))})
	}
	walk(p.document, nil, func(path []any, value any) {
		by := others(value, words)
		for _, what := range slices.Sorted(maps.Keys(by)) {
			edit(path, what, by[what])
		}
		if !means(value) && !strings.HasSuffix(fieldOf(path), "category") {
			edit(path, "taken away", removed{})
		}
	})
	for _, field := range slices.Sorted(maps.Keys(foreign)) {
		path := []any{}
		for part := range strings.SplitSeq(field, ".") {
			path = append(path, part)
		}
		if p.get(path) == nil && !means(foreign[field]) {
			edit(path, fmt.Sprintf("added, %v", foreign[field]), foreign[field])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.tensors)) {
		by := p.tensors[name].forgeries()
		for _, what := range slices.Sorted(maps.Keys(by)) {
			c := p.clone()
			by[what](c.tensors[name])
			do(change{"tensor " + tensorField(name), name + " " + what, c.pack(t, true)})
		}
		c := p.clone()
		delete(c.tensors, name)
		do(change{"tensor " + tensorField(name), name + " taken away", c.pack(t, true)})
	}
}

// tensorField is what the table calls a tensor.
func tensorField(name string) string {
	if strings.HasPrefix(name, "state.") {
		return "state.NAME"
	}
	return name
}

// means reports whether a value says what is meant where there is none.
func means(value any) bool { return value == false || value == 0.0 || value == "" }

// removed stands for no value at all.
type removed struct{}

// walk calls do for every value of a document, the inner ones too.
func walk(value any, path []any, do func(path []any, value any)) {
	if len(path) > 0 {
		do(path, value)
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			walk(v[key], append(slices.Clip(path), key), do)
		}
	case []any:
		for i, x := range v {
			walk(x, append(slices.Clip(path), i), do)
		}
	}
}

// fieldOf is what the table of package model calls a place in the document.
func fieldOf(path []any) string {
	field := ""
	for i, part := range path {
		switch key := part.(type) {
		case int:
			field += "[]"
		case string:
			if i > 0 {
				field += "."
			}
			if i > 0 && path[i-1] == "class_weight" {
				key = "LABEL"
			}
			if i > 0 && path[i-1] == "notes" {
				key = "NAME"
			}
			field += key
		}
	}
	return field
}

func (p *parcel) get(path []any) any {
	var value any = p.document
	for _, part := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[part.(string)]
		case []any:
			value = v[part.(int)]
		default:
			return nil
		}
	}
	return value
}

// set puts a value at a place; removed takes away what is there.
func (p *parcel) set(path []any, value any) {
	last := path[len(path)-1]
	_, gone := value.(removed)
	switch v := p.get(path[:len(path)-1]).(type) {
	case map[string]any:
		if gone {
			delete(v, last.(string))
		} else {
			v[last.(string)] = value
		}
	case []any:
		if gone {
			p.set(path[:len(path)-1], slices.Delete(slices.Clone(v), last.(int), last.(int)+1))
		} else {
			v[last.(int)] = value
		}
	}
}

// others returns values to put in place of one, by what was done.
func others(value any, words lexicon) map[string]any {
	by := map[string]any{}
	switch v := value.(type) {
	case float64:
		for _, x := range []float64{v + 1, v - 1, 2 * v, v / 2, -v, 0, v*1.01 + 0.001} {
			if x != v {
				by[strconv.FormatFloat(x, 'g', -1, 64)] = x
			}
		}
	case string:
		for _, word := range append([]string{v + "x", ""}, words...) {
			if word != v {
				by[strconv.Quote(word)] = word
			}
		}
	case bool:
		by[strconv.FormatBool(!v)] = !v
	case nil:
		by["1"], by["\"x\""] = 1.0, "x"
	case []any:
		if len(v) > 0 {
			by["the last twice"] = append(slices.Clip(v), v[len(v)-1])
		}
		if len(v) > 1 {
			swapped := slices.Clone(v)
			swapped[0], swapped[1] = v[1], v[0]
			by["two changed round"] = swapped
		}
	}
	return by
}

// forgeries returns what may be done to the numbers of a tensor.
func (a array) forgeries() map[string]func(array) {
	all, width := map[string]func(array){}, widths[a.DType]
	each := func(f func(float64) float64) func(array) {
		return func(a array) {
			for at := 0; at < len(a.data); at += width {
				if x := a.number(at); x != 0 { // zeros have no sign
					a.put(at, f(x))
				}
			}
		}
	}
	all["doubled"] = each(func(x float64) float64 { return 2 * x })
	all["halved"] = each(func(x float64) float64 { return x / 2 })
	all["negated"] = each(func(x float64) float64 { return -x })
	step := max(1, len(a.data)/width/60) * width
	for at := 0; at < len(a.data); at += step {
		all[fmt.Sprintf("number %d and 1", at/width)] = func(a array) { a.put(at, a.number(at)+1) }
		all[fmt.Sprintf("number %d doubled", at/width)] = func(a array) { a.put(at, 2*a.number(at)) }
	}
	return all
}

func (a array) number(at int) float64 {
	switch a.DType {
	case "F64":
		return math.Float64frombits(binary.LittleEndian.Uint64(a.data[at:]))
	case "F32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(a.data[at:])))
	case "I64":
		return float64(int64(binary.LittleEndian.Uint64(a.data[at:])))
	}
	return float64(binary.LittleEndian.Uint32(a.data[at:]))
}

func (a array) put(at int, x float64) {
	switch a.DType {
	case "F64":
		binary.LittleEndian.PutUint64(a.data[at:], math.Float64bits(x))
	case "F32":
		binary.LittleEndian.PutUint32(a.data[at:], math.Float32bits(float32(x)))
	case "I64":
		binary.LittleEndian.PutUint64(a.data[at:], uint64(int64(x)))
	default:
		binary.LittleEndian.PutUint32(a.data[at:], uint32(int64(x)))
	}
}
