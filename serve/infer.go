package serve

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// requestOf reads a request.
func requestOf(text []byte, length string) (*request, error) {
	if length == "" {
		return parseRequest(text, nil)
	}
	n, err := strconv.Atoi(length)
	if err != nil || n < 0 || n > len(text) {
		return nil, fmt.Errorf("%s: found %q, expected the length of the JSON, at most %d bytes", headerLength, length, len(text))
	}
	return parseRequest(text[:n], text[n:])
}

// names are those of the outputs that are asked for.
func (q *request) names() (names []string) {
	for _, o := range q.outputs {
		names = append(names, o.name)
	}
	return names
}

// infer answers a request of the protocol: its text, of which the first bytes are JSON where length is not "", and others tensors.
func (v *served) infer(work *work, text []byte, length string, most int) (reply, error) {
	out := reply{code: 200, kind: kindJSON, model: v}
	q, err := requestOf(text, length)
	if err != nil {
		return out, err
	}
	wants, err := v.wants("outputs", q.names())
	if err != nil {
		return out, err
	}
	b := work.builder(&v.inputs)
	if err := b.fill(q, most); err != nil {
		return out, err
	}
	a, err := v.answer(b.matrix(), wants)
	if err != nil {
		return out, err
	}
	if len(q.outputs) == 0 {
		for _, name := range wants {
			q.outputs = append(q.outputs, wanted{name: name, binary: q.binary})
		}
	}
	out.rows = a.rows
	out.body, out.header = v.tensors(work.out[:0], q, a)
	if out.header > 0 {
		out.kind = kindBinary
	}
	if cap(out.body) <= 1<<20 {
		work.out = out.body
	}
	return out, nil
}

// result is an output of an answer: its shape, and its numbers or texts.
func (v *served) result(a *answer, name string) (shape []int, number []float64, text func(i int) string) {
	m := v.model
	switch name {
	case outComponents:
		return []int{a.rows, v.components.Statement.K}, a.score, nil
	case outScore:
		return []int{a.rows, len(m.Outputs)}, a.score, nil
	case outProbability:
		return []int{a.rows, len(m.Classes)}, a.probability, nil
	case outInterval:
		return []int{a.rows, 2}, a.coverage, nil
	case outSet:
		return []int{a.rows, len(m.Classes)}, a.coverage, nil
	case outExplanation:
		return []int{a.rows, len(m.Outputs), v.explained() + 1}, a.explanation, nil
	}
	if m.Classes != nil {
		return []int{a.rows}, nil, func(i int) string { return m.Classes[a.class[i]] }
	}
	if k := len(m.Outputs); k > 1 {
		return []int{a.rows, k}, a.number, nil
	}
	return []int{a.rows}, a.number, nil
}

// tensors writes the reply to a request: header is how much of it is JSON, 0: all.
func (v *served) tensors(b []byte, q *request, a *answer) (body []byte, header int) {
	b = appendQuoted(append(b, `{"model_name":`...), v.name)
	b = appendQuoted(append(b, `,"model_version":`...), v.version)
	if q.id != "" {
		b = appendQuoted(append(b, `,"id":`...), q.id)
	}
	b = append(b, `,"outputs":[`...)
	var raw []byte
	for i, o := range q.outputs {
		if i > 0 {
			b = append(b, ',')
		}
		shape, number, text := v.result(a, o.name)
		kind := "FP64"
		if text != nil {
			kind = "BYTES"
		}
		b = appendQuoted(append(b, `{"name":`...), o.name)
		b = append(append(append(b, `,"datatype":"`...), kind...), `","shape":[`...)
		for j, n := range shape {
			if j > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(n), 10)
		}
		if b = append(b, ']'); o.binary {
			from := len(raw)
			raw = appendRaw(raw, a.rows, number, text)
			b = append(strconv.AppendInt(append(b, `,"parameters":{"binary_data_size":`...), int64(len(raw)-from), 10), "}}"...)
			continue
		}
		b = append(appendData(append(b, `,"data":[`...), a.rows, number, text), "]}"...)
	}
	b = append(b, "]}"...)
	if raw == nil {
		return b, 0
	}
	return append(b, raw...), len(b)
}

// appendData appends values as JSON.
func appendData(b []byte, rows int, number []float64, text func(i int) string) []byte {
	if text == nil {
		for i, x := range number {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNumber(b, x)
		}
		return b
	}
	for i := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, text(i))
	}
	return b
}

// appendRaw appends values as bytes.
func appendRaw(b []byte, rows int, number []float64, text func(i int) string) []byte {
	if b == nil {
		b = []byte{}
	}
	if text == nil {
		for _, x := range number {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		return b
	}
	for i := range rows {
		label := text(i)
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(label))), label...)
	}
	return b
}

// metadata describes a model, of which there are these versions.
func (v *served) metadata(versions []string) []byte {
	outputs := []declared{}
	for _, name := range v.outputs() {
		shape, _, text := v.result(&answer{}, name)
		d := declared{Name: name, Datatype: "FP64", Shape: []int64{-1}}
		if text != nil {
			d.Datatype = "BYTES"
		}
		for _, n := range shape[1:] {
			d.Shape = append(d.Shape, int64(n))
		}
		outputs = append(outputs, d)
	}
	about := map[string]any{"name": v.name, "versions": versions, "platform": "fenchel", "inputs": v.inputs.declare(), "outputs": outputs}
	parameters := map[string]any{}
	if m := v.model; m != nil {
		parameters["digest"], parameters["loss"] = m.Data.Digest, m.Statement.Loss
		if m.Classes != nil {
			parameters["classes"] = m.Classes
		}
	} else {
		parameters["digest"] = v.components.Data.Digest
	}
	about["parameters"] = parameters
	body, err := json.Marshal(about)
	if err != nil { // names are strings, and numbers finite
		panic(err)
	}
	return body
}
