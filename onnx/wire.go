package onnx

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The messages of onnx.proto that models need, in the wire format of protocol buffers. A
// message is the bytes of its fields; the numbers of fields are those of onnx.proto, IR
// version 8.

// message is a message that is being put together.
type message []byte

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendString(protowire.AppendTag(*m, field, protowire.BytesType), s)
}

func (m *message) whole(field protowire.Number, v int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

func (m *message) single(field protowire.Number, v float32) {
	*m = protowire.AppendFixed32(protowire.AppendTag(*m, field, protowire.Fixed32Type), math.Float32bits(v))
}

func (m *message) bytes(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

// elementType is a type of the elements of tensors.
type elementType int64

const (
	single elementType = 1
	whole  elementType = 7
	text   elementType = 8
	truth  elementType = 9
	double elementType = 11
)

// tensorMessage returns a tensor of these values: []float32, []float64, []int64 or []string.
func tensorMessage(name string, shape []int, values any) message {
	var m message
	for _, d := range shape {
		m.whole(1, int64(d))
	}
	m.whole(2, int64(elementOf(values)))
	if words, ok := values.([]string); ok {
		for _, w := range words {
			m.text(6, w)
		}
	} else {
		m.bytes(9, raw(values))
	}
	m.text(8, name)
	return m
}

func elementOf(values any) elementType {
	switch values.(type) {
	case []float32:
		return single
	case []float64:
		return double
	case []int64:
		return whole
	}
	return text
}

// raw returns numbers as little-endian bytes.
func raw(values any) []byte {
	var b []byte
	switch v := values.(type) {
	case []float32:
		b = make([]byte, 0, 4*len(v))
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	case []float64:
		b = make([]byte, 0, 8*len(v))
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	case []int64:
		b = make([]byte, 0, 8*len(v))
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		}
	}
	return b
}

// attribute is an attribute of a node.
type attribute message

// newAttribute begins an attribute of a type of onnx.proto.
func newAttribute(name string, kind int64) message {
	var m message
	m.text(1, name)
	m.whole(20, kind)
	return m
}

func wholeAttribute(name string, v int64) attribute {
	m := newAttribute(name, 2)
	m.whole(3, v)
	return attribute(m)
}

func singleAttribute(name string, v float32) attribute {
	m := newAttribute(name, 1)
	m.single(2, v)
	return attribute(m)
}

func textAttribute(name, v string) attribute {
	m := newAttribute(name, 3)
	m.text(4, v)
	return attribute(m)
}

func bodyAttribute(name string, g *graph) attribute {
	m := newAttribute(name, 5)
	m.bytes(6, g.message(name))
	return attribute(m)
}

func singlesAttribute(name string, values []float32) attribute {
	m := newAttribute(name, 6)
	m.bytes(7, raw(values)) // packed
	return attribute(m)
}

func wholesAttribute(name string, values []int64) attribute {
	m := newAttribute(name, 7)
	for _, v := range values {
		m.whole(8, v)
	}
	return attribute(m)
}

func textsAttribute(name string, values []string) attribute {
	m := newAttribute(name, 8)
	for _, v := range values {
		m.text(9, v)
	}
	return attribute(m)
}

// dimension is one of a shape: a number, or else a name; neither: not known.
type dimension struct {
	size int
	name string
}

// valueMessage returns what a graph says of an input or output.
func valueMessage(name string, element elementType, shape []dimension) message {
	var dims message
	for _, d := range shape {
		var dim message
		switch {
		case d.name != "":
			dim.text(2, d.name)
		case d.size > 0:
			dim.whole(1, int64(d.size))
		}
		dims.bytes(1, dim)
	}
	var tensor, kind, value message
	tensor.whole(1, int64(element))
	tensor.bytes(2, dims)
	kind.bytes(1, tensor)
	value.text(1, name)
	value.bytes(2, kind)
	return value
}
