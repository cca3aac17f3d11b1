package onnx

import (
	"math"
	"slices"
)

// applyML applies an operator of ai.onnx.ml.
func applyML(op string, x *tensor, at map[string]any) *tensor {
	switch op {
	case "Imputer":
		return impute(x, at["imputed_value_floats"].([]float64), at["replaced_value_float"].(float64))
	case "LabelEncoder":
		return encode(x, at)
	case "OneHotEncoder":
		return hot(x, at["cats_int64s"].([]float64))
	}
	panic("found the operator " + op)
}

func impute(x *tensor, values []float64, missing float64) *tensor {
	out := &tensor{shape: x.shape}
	for e, v := range x.number {
		if v == missing || math.IsNaN(v) && math.IsNaN(missing) {
			v = values[e%x.shape[1]]
		}
		out.number = append(out.number, v)
	}
	return out
}

// encode finds the value of each key.
func encode(x *tensor, at map[string]any) *tensor {
	out := &tensor{shape: x.shape}
	for e := range product(x.shape) {
		var k int
		if words, ok := at["keys_strings"].([]string); ok {
			k = slices.Index(words, x.word[e])
		} else {
			k = slices.Index(at["keys_int64s"].([]float64), x.number[e])
		}
		switch {
		case at["values_strings"] != nil && k >= 0:
			out.word = append(out.word, at["values_strings"].([]string)[k])
		case at["values_strings"] != nil:
			out.word = append(out.word, at["default_string"].(string))
		case at["values_int64s"] != nil && k >= 0:
			out.number = append(out.number, at["values_int64s"].([]float64)[k])
		case at["values_int64s"] != nil:
			out.number = append(out.number, float64(at["default_int64"].(int)))
		case k >= 0:
			out.number = append(out.number, at["values_floats"].([]float64)[k])
		default:
			out.number = append(out.number, at["default_float"].(float64))
		}
	}
	return out
}

func hot(x *tensor, categories []float64) *tensor {
	out := &tensor{shape: append(slices.Clone(x.shape), len(categories))}
	for _, v := range x.number {
		for _, c := range categories {
			out.number = append(out.number, float64(flag(v == c)))
		}
	}
	return out
}
