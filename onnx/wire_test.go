package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// What the tests know of a file: read by the numbers of onnx.proto, as they stand there,
// not by those that the writer uses.

// fields are the fields of a message by number, in order.
type fields map[protowire.Number][]any // uint64, uint32 or []byte

func parse(b []byte) fields {
	f := fields{}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			panic(fmt.Sprintf("found a field that cannot be read: %v", protowire.ParseError(n)))
		}
		b = b[n:]
		var value any
		switch kind {
		case protowire.VarintType:
			value, n = anyOf(protowire.ConsumeVarint(b))
		case protowire.Fixed32Type:
			value, n = anyOf(protowire.ConsumeFixed32(b))
		default:
			value, n = anyOf(protowire.ConsumeBytes(b))
		}
		if n < 0 {
			panic(fmt.Sprintf("field %d: %v", number, protowire.ParseError(n)))
		}
		f[number], b = append(f[number], value), b[n:]
	}
	return f
}

func anyOf[T any](v T, n int) (any, int) { return v, n }

func (f fields) whole(n protowire.Number) int {
	if len(f[n]) == 0 {
		return 0
	}
	return int(f[n][0].(uint64))
}

func (f fields) text(n protowire.Number) string {
	if len(f[n]) == 0 {
		return ""
	}
	return string(f[n][0].([]byte))
}

func (f fields) texts(n protowire.Number) (all []string) {
	for _, v := range f[n] {
		all = append(all, string(v.([]byte)))
	}
	return all
}

func (f fields) messages(n protowire.Number) (all []fields) {
	for _, v := range f[n] {
		all = append(all, parse(v.([]byte)))
	}
	return all
}

// tensorOf reads a TensorProto.
func tensorOf(f fields) *tensor {
	t := &tensor{shape: []int{}}
	for _, d := range f[1] {
		t.shape = append(t.shape, int(d.(uint64)))
	}
	switch raw := []byte(f.text(9)); f.whole(2) {
	case 1:
		for ; len(raw) > 0; raw = raw[4:] {
			t.number = append(t.number, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
		}
	case 7:
		for ; len(raw) > 0; raw = raw[8:] {
			t.number = append(t.number, float64(int64(binary.LittleEndian.Uint64(raw))))
		}
	case 11:
		for ; len(raw) > 0; raw = raw[8:] {
			t.number = append(t.number, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		}
	default:
		panic(fmt.Sprintf("found a tensor of type %d", f.whole(2)))
	}
	if size := product(t.shape); size != len(t.number) {
		panic(fmt.Sprintf("found %d numbers in a tensor of shape %v", len(t.number), t.shape))
	}
	return t
}

// attributesOf reads the attributes of a node: whole numbers, numbers, texts and graphs.
func attributesOf(node fields) map[string]any {
	all := map[string]any{}
	for _, a := range node.messages(5) {
		var value any
		switch a.whole(20) {
		case 1:
			value = float64(math.Float32frombits(a[2][0].(uint32)))
		case 2:
			value = a.whole(3)
		case 3:
			value = a.text(4)
		case 5:
			value = a.messages(6)[0]
		case 6:
			var list []float64
			for raw := []byte(a.text(7)); len(raw) > 0; raw = raw[4:] {
				list = append(list, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
			}
			value = list
		case 7:
			var list []float64
			for _, v := range a[8] {
				list = append(list, float64(int64(v.(uint64))))
			}
			value = list
		case 8:
			value = a.texts(9)
		}
		all[a.text(1)] = value
	}
	return all
}
