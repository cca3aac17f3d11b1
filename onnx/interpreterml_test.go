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
	}
	return machineOf(op, x, at)
}

// machineOf is SVMRegressor, or the scores of SVMClassifier.
func machineOf(op string, x *tensor, at map[string]any) *tensor {
	d := x.shape[1]
	rows, coefficients, rho := at["support_vectors"].([]float64), at["coefficients"].([]float64), at["rho"].([]float64)
	params, kind := at["kernel_params"].([]float64), at["kernel_type"].(string)
	out := &tensor{shape: []int{x.shape[0], len(rho)}}
	for row := range slices.Chunk(x.number, d) {
		var values []float64
		for s := range slices.Chunk(rows, d) {
			values = append(values, kernelOf(kind, params, row, s))
		}
		if op == "SVMRegressor" {
			out.number = append(out.number, rho[0]+inner(coefficients, values))
			continue
		}
		out.number = append(out.number, pairScores(values, at)...)
	}
	return out
}

func inner(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func kernelOf(kind string, params, x, y []float64) float64 {
	switch xy := inner(x, y); kind {
	case "RBF":
		return math.Exp(-params[0] * (inner(x, x) + inner(y, y) - 2*xy))
	case "POLY":
		return math.Pow(params[0]*xy+params[1], params[2])
	case "SIGMOID":
		return math.Tanh(params[0]*xy + params[1])
	default:
		return xy
	}
}

// pairScores are those of the classes i < j: sum coefficient k + rho over both.
func pairScores(values []float64, at map[string]any) (scores []float64) {
	sizes, coefficients, rho := at["vectors_per_class"].([]float64), at["coefficients"].([]float64), at["rho"].([]float64)
	class := []int{}
	for c, size := range sizes {
		for range int(size) {
			class = append(class, c)
		}
	}
	for i := range sizes {
		for j := i + 1; j < len(sizes); j++ {
			sum := rho[len(scores)]
			for v, c := range class {
				switch c {
				case i:
					sum += coefficients[(j-1)*len(values)+v] * values[v]
				case j:
					sum += coefficients[i*len(values)+v] * values[v]
				}
			}
			scores = append(scores, sum)
		}
	}
	return scores
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
