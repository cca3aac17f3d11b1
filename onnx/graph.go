package onnx

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// graph is a graph that is being put together: its methods add a node, or a constant, and
// return the name of the value that it makes.
type graph struct {
	nodes, constants, inputs, outputs []message
	count                             *int // of the names so far, shared with the bodies of loops
	known                             map[float64]string
}

func newGraph() *graph { return &graph{count: new(int), known: map[float64]string{}} }

// body begins the graph of a loop: it may use the values of g.
func (g *graph) body() *graph { return &graph{count: g.count, known: map[float64]string{}} }

// ml are the operators of the domain ai.onnx.ml; all others are of ai.onnx.
var ml = map[string]bool{"Imputer": true, "LabelEncoder": true, "SVMClassifier": true, "SVMRegressor": true}

// internal begins the names of values that are neither inputs nor outputs.
const internal = "fenchel/"

func (g *graph) name() string {
	*g.count++
	return internal + strconv.Itoa(*g.count)
}

// node adds a node of one output.
func (g *graph) node(op string, inputs []string, attributes ...attribute) string {
	out := g.name()
	g.add(op, inputs, []string{out}, attributes)
	return out
}

// op is node without attributes.
func (g *graph) op(op string, inputs ...string) string { return g.node(op, inputs) }

func (g *graph) add(op string, inputs, outputs []string, attributes []attribute) {
	var m message
	for _, name := range inputs {
		m.text(1, name)
	}
	for _, name := range outputs {
		m.text(2, name)
	}
	m.text(3, op+" "+outputs[0])
	m.text(4, op)
	for _, a := range attributes {
		m.bytes(5, a)
	}
	if ml[op] {
		m.text(7, "ai.onnx.ml")
	}
	g.nodes = append(g.nodes, m)
}

// constant adds a tensor.
func (g *graph) constant(shape []int, values any) string {
	name := g.name()
	g.constants = append(g.constants, tensorMessage(name, shape, values))
	return name
}

// number adds a number in double precision, once.
func (g *graph) number(x float64) string {
	name, ok := g.known[x]
	if !ok {
		name = g.constant(nil, []float64{x})
		g.known[x] = name
	}
	return name
}

// row adds a row of numbers, 1 x n.
func (g *graph) row(values []float64) string { return g.constant([]int{1, len(values)}, values) }

// wholes adds a list of whole numbers.
func (g *graph) wholes(values ...int64) string { return g.constant([]int{len(values)}, values) }

// cast changes the type of the elements.
func (g *graph) cast(x string, to elementType) string {
	return g.node("Cast", []string{x}, wholeAttribute("to", int64(to)))
}

// sum adds up the columns of x: N x 1.
func (g *graph) sum(x string) string {
	return g.node("ReduceSum", []string{x, g.wholes(1)}, wholeAttribute("keepdims", 1))
}

// rounded is x as single precision holds it, in double precision.
func (g *graph) rounded(x string) string { return g.cast(g.cast(x, single), double) }

// input adds an input of the rows, N x columns.
func (g *graph) input(name string, element elementType, columns int) {
	g.inputs = append(g.inputs, valueMessage(name, element, []dimension{{name: "N"}, {size: columns}}))
}

// output makes x an output of so many columns; 0: it has rows alone.
func (g *graph) output(name, x string, element elementType, columns int) {
	g.add("Identity", []string{x}, []string{name}, nil)
	shape := []dimension{{name: "N"}}
	if columns > 0 {
		shape = append(shape, dimension{size: columns})
	}
	g.outputs = append(g.outputs, valueMessage(name, element, shape))
}

func (g *graph) message(name string) message {
	var m message
	for _, part := range []struct {
		field    protowire.Number
		messages []message
	}{{1, g.nodes}, {5, g.constants}, {11, g.inputs}, {12, g.outputs}} {
		for _, x := range part.messages {
			m.bytes(part.field, x)
		}
	}
	m.text(2, name)
	return m
}
