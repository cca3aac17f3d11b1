package inference

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fenchel-ml/fenchel/internal/inference/protocol"
)

// The JSON of a request and of its answer over HTTP, where tensors are binary.
type (
	tensor struct {
		Name       string         `json:"name"`
		Datatype   string         `json:"datatype"`
		Shape      []int64        `json:"shape"`
		Parameters map[string]int `json:"parameters"`
	}
	wanted struct {
		Name       string          `json:"name"`
		Parameters map[string]bool `json:"parameters,omitempty"`
	}
	question struct {
		ID         string          `json:"id,omitempty"`
		Parameters map[string]bool `json:"parameters"` // of the outputs, before them
		Inputs     []tensor        `json:"inputs"`
		Outputs    []wanted        `json:"outputs,omitempty"`
	}
	answered struct {
		ModelName    string `json:"model_name"`
		ModelVersion string `json:"model_version"`
		ID           string
		Outputs      []tensor
	}
)

// sizeKey is the parameter that has the bytes of a tensor.
const sizeKey = "binary_data_size"

// ModelInfer answers tensors, as bytes where they came as bytes, else as values.
func (s *service) ModelInfer(ctx context.Context, q *protocol.ModelInferRequest) (*protocol.ModelInferResponse, error) {
	path, err := modelPath(q.GetModelName(), q.GetModelVersion(), "/infer")
	if err != nil {
		return nil, err
	}
	tensors, err := s.contents(q)
	if err != nil {
		return nil, err
	}
	of := question{ID: q.GetId(), Parameters: map[string]bool{"binary_data_output": true}, Inputs: []tensor{}}
	for i, t := range q.GetInputs() {
		of.Inputs = append(of.Inputs, tensor{t.GetName(), t.GetDatatype(), append([]int64{}, t.GetShape()...), map[string]int{sizeKey: len(tensors[i])}})
	}
	for _, o := range q.GetOutputs() {
		w := wanted{Name: o.GetName()}
		if _, asked := o.GetParameters()["classification"]; asked { // which is refused
			w.Parameters = map[string]bool{"classification": true}
		}
		of.Outputs = append(of.Outputs, w)
	}
	head, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	a, err := s.ask(ctx, request{http.MethodPost, path, head, tensors})
	if err != nil {
		return nil, err
	}
	return response(a, len(q.GetRawInputContents()) == 0)
}

// contents returns the bytes of each input.
func (s *service) contents(q *protocol.ModelInferRequest) (all [][]byte, err error) {
	raw := q.GetRawInputContents()
	if raw != nil && len(raw) != len(q.GetInputs()) {
		return nil, status.Errorf(codes.InvalidArgument, "raw_input_contents: found %d tensors, expected one for each of the %d inputs", len(raw), len(q.GetInputs()))
	}
	left := s.most
	for i, t := range q.GetInputs() {
		if raw == nil {
			b, err := packed(t.GetDatatype(), t.GetContents(), left)
			if err != nil {
				return nil, status.Errorf(codes.InvalidArgument, "input %q: contents: %s", t.GetName(), err)
			}
			all, left = append(all, b), left-int64(len(b))
		} else if t.GetContents() != nil {
			return nil, status.Errorf(codes.InvalidArgument, "input %q: found contents and raw_input_contents, expected one of both", t.GetName())
		} else {
			all = append(all, raw[i])
		}
	}
	return all, nil
}

// packed returns values as bytes, at most most.
func packed(datatype string, c *protocol.InferTensorContents, most int64) (b []byte, err error) {
	found := len(c.GetBoolContents()) + len(c.GetIntContents()) + len(c.GetInt64Contents()) + len(c.GetUintContents()) + len(c.GetUint64Contents()) + len(c.GetFp32Contents()) + len(c.GetFp64Contents()) + len(c.GetBytesContents())
	var values any
	used := 0
	switch datatype {
	case "BOOL":
		values, used = c.GetBoolContents(), len(c.GetBoolContents())
	case "INT8":
		values, used, err = narrow[int8](datatype, c.GetIntContents())
	case "INT16":
		values, used, err = narrow[int16](datatype, c.GetIntContents())
	case "INT32":
		values, used = c.GetIntContents(), len(c.GetIntContents())
	case "INT64":
		values, used = c.GetInt64Contents(), len(c.GetInt64Contents())
	case "UINT8":
		values, used, err = narrow[uint8](datatype, c.GetUintContents())
	case "UINT16":
		values, used, err = narrow[uint16](datatype, c.GetUintContents())
	case "UINT32":
		values, used = c.GetUintContents(), len(c.GetUintContents())
	case "UINT64":
		values, used = c.GetUint64Contents(), len(c.GetUint64Contents())
	case "FP32":
		values, used = c.GetFp32Contents(), len(c.GetFp32Contents())
	case "FP64":
		values, used = c.GetFp64Contents(), len(c.GetFp64Contents())
	case "BYTES":
		for _, text := range c.GetBytesContents() {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
		}
		values, used = []bool(nil), len(c.GetBytesContents())
	default: // which is refused, by its name
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if used != found {
		return nil, fmt.Errorf("found values that are none of %s", datatype)
	}
	if size := int64(binary.Size(values)); size > most { // a byte of the message may be eight of these
		return nil, fmt.Errorf("found %d bytes of values, expected at most %d in a request", size, most)
	}
	return binary.Append(b, binary.LittleEndian, values)
}

// narrow returns integers as those of a smaller type.
func narrow[T int8 | int16 | uint8 | uint16, F int32 | uint32](datatype string, from []F) (to []T, n int, err error) {
	to = make([]T, len(from))
	for i, v := range from {
		if to[i] = T(v); F(to[i]) != v {
			return nil, 0, fmt.Errorf("found %d, expected values of %s", v, datatype)
		}
	}
	return to, len(to), nil
}

// response reads an answer over HTTP.
func response(a *recorder, typed bool) (*protocol.ModelInferResponse, error) {
	n, err := strconv.Atoi(a.header.Get("Inference-Header-Content-Length"))
	if err != nil {
		return nil, err
	}
	var of answered
	if err := json.Unmarshal(a.body[:n], &of); err != nil {
		return nil, err
	}
	out := &protocol.ModelInferResponse{ModelName: of.ModelName, ModelVersion: of.ModelVersion, Id: of.ID}
	raw := a.body[n:]
	for _, o := range of.Outputs {
		t := &protocol.ModelInferResponse_InferOutputTensor{Name: o.Name, Datatype: o.Datatype, Shape: o.Shape}
		size := o.Parameters[sizeKey]
		if typed {
			t.Contents = unpacked(o.Datatype, raw[:size])
		} else {
			out.RawOutputContents = append(out.RawOutputContents, raw[:size])
		}
		out.Outputs, raw = append(out.Outputs, t), raw[size:]
	}
	return out, nil
}

// unpacked returns the values of bytes: numbers, or texts.
func unpacked(datatype string, raw []byte) *protocol.InferTensorContents {
	c := &protocol.InferTensorContents{}
	for len(raw) > 0 {
		if datatype == "BYTES" {
			end := 4 + binary.LittleEndian.Uint32(raw)
			c.BytesContents, raw = append(c.BytesContents, raw[4:end]), raw[end:]
			continue
		}
		c.Fp64Contents, raw = append(c.Fp64Contents, math.Float64frombits(binary.LittleEndian.Uint64(raw))), raw[8:]
	}
	return c
}
