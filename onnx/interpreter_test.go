package onnx

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
)

// A slow twin of what runs graphs elsewhere, of the operators that are written, by their
// definitions in the pages of ONNX. Numbers of all types are held in double precision.

// tensor is a tensor of numbers or of words.
type tensor struct {
	shape  []int
	number []float64
	word   []string
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func scalar(x float64) *tensor { return &tensor{shape: []int{}, number: []float64{x}} }

// run runs the graph of a file.
func run(file []byte, inputs map[string]*tensor) map[string]*tensor {
	m := parse(file)
	graph := m.messages(7)[0]
	values := maps.Clone(inputs)
	runGraph(graph, values)
	outputs := map[string]*tensor{}
	for _, o := range graph.messages(12) {
		outputs[o.text(1)] = values[o.text(1)]
	}
	return outputs
}

func runGraph(graph fields, values map[string]*tensor) {
	for _, c := range graph.messages(5) {
		values[c.text(8)] = tensorOf(c)
	}
	for _, node := range graph.messages(1) {
		var in []*tensor
		for _, name := range node.texts(1) {
			if values[name] == nil {
				panic(fmt.Sprintf("node %s: found no value %q before it", node.text(3), name))
			}
			in = append(in, values[name])
		}
		if want := map[bool]string{true: "ai.onnx.ml"}[ml[node.text(4)]]; node.text(7) != want {
			panic(fmt.Sprintf("node %s: found the domain %q, expected %q", node.text(3), node.text(7), want))
		}
		out := node.texts(2)[len(node.texts(2))-1] // labels of SVMClassifier are not used
		if values[out] != nil {
			panic(fmt.Sprintf("found the value %q twice", out))
		}
		values[out] = apply(node.text(4), in, attributesOf(node), values)
	}
}

var pairwise = map[string]func(a, b float64) float64{
	"Add": func(a, b float64) float64 { return a + b }, "Sub": func(a, b float64) float64 { return a - b },
	"Mul": func(a, b float64) float64 { return a * b }, "Div": func(a, b float64) float64 { return a / b },
	"Pow": math.Pow, "Max": math.Max, "Min": math.Min,
	"Greater":        func(a, b float64) float64 { return float64(flag(a > b)) },
	"GreaterOrEqual": func(a, b float64) float64 { return float64(flag(a >= b)) },
	"Less":           func(a, b float64) float64 { return float64(flag(a < b)) },
}

var single1 = map[string]func(a float64) float64{
	"Exp": math.Exp, "Tanh": math.Tanh, "Sqrt": math.Sqrt, "Abs": math.Abs, "Cos": math.Cos, "Sin": math.Sin, "Round": math.RoundToEven,
	"Sigmoid": func(a float64) float64 { return 1 / (1 + math.Exp(-a)) }, "Not": func(a float64) float64 { return 1 - a },
	"Relu":     func(a float64) float64 { return math.Max(a, 0) },
	"Identity": func(a float64) float64 { return a },
}

func apply(op string, in []*tensor, at map[string]any, values map[string]*tensor) *tensor {
	if f, ok := pairwise[op]; ok {
		return broadcast(func(v []float64) float64 { return f(v[0], v[1]) }, in)
	}
	if f, ok := single1[op]; ok {
		out := &tensor{shape: in[0].shape, word: in[0].word}
		for _, x := range in[0].number {
			out.number = append(out.number, f(x))
		}
		return out
	}
	switch op {
	case "Where":
		return broadcast(func(v []float64) float64 {
			if v[0] != 0 {
				return v[1]
			}
			return v[2]
		}, in)
	case "Softmax":
		return softmax(in[0])
	case "RegexFullMatch":
		out, pattern := &tensor{shape: in[0].shape}, regexp.MustCompile("^(?:"+at["pattern"].(string)+")$")
		for _, word := range in[0].word {
			out.number = append(out.number, float64(flag(pattern.MatchString(word))))
		}
		return out
	case "Cast":
		return castTo(in[0], at["to"].(int))
	case "Gemm":
		return broadcast(func(v []float64) float64 { return v[0] + v[1] }, []*tensor{matMul(in[0], in[1]), in[2]})
	case "MatMul":
		return matMul(in[0], in[1])
	case "ReduceSum":
		return reduce(in[0], []int{int(in[1].number[0])}, at["keepdims"].(int), 0, func(a, b float64) float64 { return a + b })
	case "ReduceMax":
		axes := []int{}
		if len(in) > 1 {
			axes = append(axes, int(in[1].number[0]))
		}
		return reduce(in[0], axes, at["keepdims"].(int), math.Inf(-1), math.Max)
	case "Transpose":
		return transpose(in[0])
	case "Reshape", "Squeeze", "Unsqueeze":
		return reshape(op, in[0], in[1].number)
	case "Concat":
		return concat(in)
	case "ArgMax":
		return argMax(in[0], at["select_last_index"].(int) == 1)
	case "Gather":
		return gather(in[0], in[1], at["axis"].(int))
	case "Imputer", "LabelEncoder", "SVMRegressor", "SVMClassifier":
		return applyML(op, in[0], at)
	case "Scan":
		return scan(in[0], at["body"].(fields), values)
	case "Loop":
		return loop(in, at["body"].(fields), values)
	}
	panic("found the operator " + op)
}

// broadcast applies f element by element; shapes are aligned at their ends.
func broadcast(f func([]float64) float64, in []*tensor) *tensor {
	rank := 0
	for _, t := range in {
		rank = max(rank, len(t.shape))
	}
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 1
		for _, t := range in {
			if at := i - rank + len(t.shape); at >= 0 && t.shape[at] != 1 {
				if shape[i] != 1 && shape[i] != t.shape[at] {
					panic(fmt.Sprintf("found the shapes %v and %v", in[0].shape, in[1].shape))
				}
				shape[i] = t.shape[at]
			}
		}
	}
	out := &tensor{shape: shape, number: make([]float64, product(shape))}
	v, place := make([]float64, len(in)), make([]int, rank)
	for e := range out.number {
		for i, rest := rank-1, e; i >= 0; i-- {
			place[i], rest = rest%shape[i], rest/shape[i]
		}
		for k, t := range in {
			at := 0
			for i, d := range t.shape {
				at *= d
				if d != 1 {
					at += place[i+rank-len(t.shape)]
				}
			}
			v[k] = t.number[at]
		}
		out.number[e] = f(v)
	}
	return out
}

func castTo(x *tensor, to int) *tensor {
	out := &tensor{shape: x.shape}
	for _, v := range x.number {
		switch to {
		case 1:
			v = float64(float32(v))
		case 7:
			v = math.Trunc(v)
		case 9:
			v = float64(flag(v != 0))
		}
		out.number = append(out.number, v)
	}
	return out
}

// matMul multiplies matrices, or as many of them.
func matMul(a, b *tensor) *tensor {
	r := len(a.shape)
	n, k, m := a.shape[r-2], a.shape[r-1], b.shape[len(b.shape)-1]
	if b.shape[len(b.shape)-2] != k || len(b.shape) != r {
		panic(fmt.Sprintf("found the product of shapes %v and %v", a.shape, b.shape))
	}
	out := &tensor{shape: append(slices.Clone(a.shape[:r-1]), m)}
	for batch := range product(a.shape[:r-2]) {
		for i := range n {
			for j := range m {
				sum := 0.0
				for l := range k {
					sum += a.number[batch*n*k+i*k+l] * b.number[batch*k*m+l*m+j]
				}
				out.number = append(out.number, sum)
			}
		}
	}
	return out
}

// reduce joins the columns of a matrix, or everything.
func reduce(x *tensor, axes []int, keep int, start float64, f func(a, b float64) float64) *tensor {
	if len(axes) == 0 {
		all := start
		for _, v := range x.number {
			all = f(all, v)
		}
		return scalar(all)
	}
	if axes[0] != 1 || len(x.shape) != 2 {
		panic(fmt.Sprintf("found axis %d of the shape %v", axes[0], x.shape))
	}
	out := &tensor{shape: []int{x.shape[0]}}
	if keep == 1 {
		out.shape = append(out.shape, 1)
	}
	for i := range x.shape[0] {
		all := start
		for _, v := range x.number[i*x.shape[1] : (i+1)*x.shape[1]] {
			all = f(all, v)
		}
		out.number = append(out.number, all)
	}
	return out
}

func transpose(x *tensor) *tensor {
	n, m := x.shape[0], x.shape[1]
	out := &tensor{shape: []int{m, n}}
	for j := range m {
		for i := range n {
			out.number = append(out.number, x.number[i*m+j])
		}
	}
	return out
}

func reshape(op string, x *tensor, to []float64) *tensor {
	out := &tensor{number: x.number, word: x.word}
	switch op {
	case "Squeeze":
		out.shape = slices.Delete(slices.Clone(x.shape), int(to[0]), int(to[0])+1)
	case "Unsqueeze":
		out.shape = slices.Insert(slices.Clone(x.shape), int(to[0]), 1)
	default:
		for i, d := range to {
			switch d {
			case 0:
				d = float64(x.shape[i])
			case -1:
				d = float64(product(x.shape))
			}
			out.shape = append(out.shape, int(d))
		}
	}
	if product(out.shape) != product(x.shape) {
		panic(fmt.Sprintf("found the shape %v for %v", out.shape, x.shape))
	}
	return out
}

func concat(in []*tensor) *tensor {
	out := &tensor{shape: []int{in[0].shape[0], 0}}
	for i := range in[0].shape[0] {
		for _, t := range in {
			out.number = append(out.number, t.number[i*t.shape[1]:(i+1)*t.shape[1]]...)
		}
	}
	for _, t := range in {
		out.shape[1] += t.shape[1]
	}
	return out
}

func argMax(x *tensor, last bool) *tensor {
	out := &tensor{shape: x.shape[:1]}
	for i := range x.shape[0] {
		row, best := x.number[i*x.shape[1]:(i+1)*x.shape[1]], 0
		for c, v := range row {
			if v > row[best] || last && v >= row[best] {
				best = c
			}
		}
		out.number = append(out.number, float64(best))
	}
	return out
}

func gather(x, index *tensor, axis int) *tensor {
	out := &tensor{shape: slices.Concat(x.shape[:axis], index.shape, x.shape[axis+1:])}
	inner := product(x.shape[axis+1:])
	for o := range product(x.shape[:axis]) {
		for _, i := range index.number {
			from := (o*x.shape[axis] + int(i)) * inner
			out.number = append(out.number, x.number[from:from+inner]...)
		}
	}
	return out
}

// softmax is exp(x) divided by its sum over the last axis.
func softmax(x *tensor) *tensor {
	out := &tensor{shape: x.shape}
	for row := range slices.Chunk(x.number, x.shape[len(x.shape)-1]) {
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(v - slices.Max(row))
		}
		for _, v := range row {
			out.number = append(out.number, math.Exp(v-slices.Max(row))/sum)
		}
	}
	return out
}

// scan runs a body for each row of x, and stacks its output.
func scan(x *tensor, body fields, values map[string]*tensor) *tensor {
	out := &tensor{shape: []int{x.shape[0]}}
	for i := range x.shape[0] {
		v := maps.Clone(values)
		v[body.messages(11)[0].text(1)] = &tensor{shape: x.shape[1:], number: x.number[i*x.shape[1] : (i+1)*x.shape[1]]}
		runGraph(body, v)
		end := v[body.messages(12)[0].text(1)]
		if i == 0 {
			out.shape = append(out.shape, end.shape...)
		}
		out.number = append(out.number, end.number...)
	}
	return out
}

// loop runs a body with one value that is carried on.
func loop(in []*tensor, body fields, values map[string]*tensor) *tensor {
	state, going := in[2], in[1]
	for round := 0; round < int(in[0].number[0]) && going.number[0] != 0; round++ {
		v := maps.Clone(values)
		for i, t := range []*tensor{scalar(float64(round)), going, state} {
			v[body.messages(11)[i].text(1)] = t
		}
		runGraph(body, v)
		going, state = v[body.messages(12)[0].text(1)], v[body.messages(12)[1].text(1)]
	}
	return state
}
