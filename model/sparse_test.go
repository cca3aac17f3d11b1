package model

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/safetensors"
)

// wide is a model of so many features for each of some outputs, of which a few matter.
func wide(t testing.TB, features int, weights ...map[int]float64) *Model {
	t.Helper()
	m := &Model{Statement: Statement{Loss: "hinge", Penalty: "l1", Lambda: 1, Bias: "free", Solver: "cd", Gap: 1e-3},
		Data: Data{Rows: 2, Features: features, Digest: "sha256:00"}, Version: "test"}
	if len(weights) > 2 {
		for c := range weights {
			m.Classes = append(m.Classes, fmt.Sprint(c))
		}
	}
	for _, some := range weights {
		o := Output{Weights: make([]float64, features), Certificate: Certificate{Status: "converged"}}
		for j, w := range some {
			o.Weights[j] = w
		}
		m.Outputs = append(m.Outputs, o)
	}
	return m
}

// Weights are stored sparse where that is smaller, and are the same when they are read.
func TestSparseWeights(t *testing.T) {
	for name, m := range map[string]*Model{
		"one":      wide(t, 1000, map[int]float64{0: 1, 7: -1e-300, 999: math.Copysign(0, -1)}),
		"several":  wide(t, 500, map[int]float64{3: 1}, map[int]float64{}, map[int]float64{499: 2, 0: 3}),
		"none":     wide(t, 100, map[int]float64{}),
		"small":    wide(t, 3, map[int]float64{1: 1}),
		"as large": wide(t, 6, map[int]float64{1: 1, 2: 1, 3: 1}),
	} {
		file := encode(t, m)
		read, err := Decode(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for c, o := range m.Outputs {
			for j, w := range o.Weights {
				if got := read.Outputs[c].Weights[j]; math.Float64bits(got) != math.Float64bits(w) {
					t.Errorf("%s: output %d has the weight %g of feature %d, expected %g", name, c+1, got, j+1, w)
				}
			}
		}
		k, d := len(m.Outputs), m.Data.Features
		sparse := bytes.Contains(file, []byte("weights.indptr"))
		if smaller := 12*m.stored()+8*(k+1) < 8*k*d; sparse != smaller {
			t.Errorf("%s: stored sparse %v, expected %v", name, sparse, smaller)
		}
	}
}

// stored counts the weights that are not +0.
func (m *Model) stored() (n int) {
	for _, o := range m.Outputs {
		n += len(slices.DeleteFunc(slices.Clone(o.Weights), func(w float64) bool { return math.Float64bits(w) == 0 }))
	}
	return n
}

// forged returns the file of a model with other tensors and number of features, and the
// digests that a forger would give it.
func forged(t testing.TB, m *Model, features int, change func(map[string]safetensors.Tensor)) []byte {
	t.Helper()
	tensors := m.tensors()
	change(tensors)
	m.Data.Features = features
	var b bytes.Buffer
	if err := writeDocument(&b, "", firstFormat, m.Version, m.parts(), tensors); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSparseWeightsForged(t *testing.T) {
	three := func() *Model {
		return wide(t, 100, map[int]float64{3: 1, 5: 2}, map[int]float64{}, map[int]float64{99: 2, 0: 3})
	}
	index := func(v ...uint32) func(map[string]safetensors.Tensor) {
		return func(all map[string]safetensors.Tensor) {
			all["weights.indices"] = safetensors.Tensor{Shape: []int{len(v)}, Value: v}
		}
	}
	start := func(v ...int64) func(map[string]safetensors.Tensor) {
		return func(all map[string]safetensors.Tensor) {
			all["weights.indptr"] = safetensors.Tensor{Shape: []int{len(v)}, Value: v}
		}
	}
	value := func(v ...float64) func(map[string]safetensors.Tensor) {
		return func(all map[string]safetensors.Tensor) {
			all["weights.values"] = safetensors.Tensor{Shape: []int{len(v)}, Value: v}
		}
	}
	for name, c := range map[string]struct {
		change func(map[string]safetensors.Tensor)
		want   string // "": it is read
	}{
		"nothing":          {func(map[string]safetensors.Tensor) {}, ""},
		"out of range":     {index(3, 5, 0, 100), "found a weight of feature 101, expected increasing ones up to 100"},
		"far out of range": {index(3, 5, 0, math.MaxUint32), "found a weight of feature 4294967296"},
		"unsorted":         {index(5, 3, 0, 99), "classifier 1: found a weight of feature 4, expected increasing"},
		"twice":            {index(3, 3, 0, 99), "classifier 1: found a weight of feature 4, expected increasing"},
		"too few places":   {index(3, 5, 0), "found 3 places and 4 values"},
		"NaN":              {value(1, 2, math.NaN(), 4), "found the weight NaN of feature 1"},
		"infinite":         {value(1, 2, 3, math.Inf(-1)), "found the weight -Inf of feature 100"},
		"zero":             {value(1, 0, 3, 4), "found the weight 0 of feature 6"},
		"too few values":   {value(1, 2, 3), "found 4 places and 3 values"},
		"rows back":        {start(0, 2, 1, 4), "in 3 rows"},
		"rows negative":    {start(0, -1, 2, 4), "in 3 rows"},
		"rows too long":    {start(0, 2, 2, 5), "in 3 rows"},
		"rows from 1":      {start(1, 2, 2, 4), "in 3 rows"},
		"rows too few":     {start(0, 2, 4), "in 2 rows"},
		"no rows":          {start(), "in -1 rows"},
		"dense beside": {func(all map[string]safetensors.Tensor) {
			all["weights"] = safetensors.Tensor{Shape: []int{3, 100}, Value: make([]float64, 300)}
		}, "no dense ones beside them"},
		"other type": {func(all map[string]safetensors.Tensor) {
			all["weights.values"] = safetensors.Tensor{Shape: []int{4}, Value: []float32{1, 2, 3, 4}}
		}, "the types I64, U32 and F32"},
		"no places": {func(all map[string]safetensors.Tensor) { delete(all, "weights.indices") }, "expected I64, U32 and F64"},
		"no values": {func(all map[string]safetensors.Tensor) { delete(all, "weights.values") }, "found weights of shape []"},
	} {
		_, err := Decode(forged(t, three(), 100, c.change))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, expected %s", name, err, c.want)
		}
	}
}

// A short file does not make room for as many features as it claims.
func TestSparseWeightsMemory(t *testing.T) {
	for _, features := range []int{math.MaxInt >> 8, math.MaxInt, mostUnstored + 1, -1} {
		m := wide(t, 100, map[int]float64{3: 1})
		file := forged(t, m, features, func(map[string]safetensors.Tensor) {})
		var err error
		if used := allocated(func() { _, err = Decode(file) }); err == nil || used > 1<<20 {
			t.Errorf("%d features: %d bytes made Decode ask for %d, and %v", features, len(file), used, err)
		}
	}
	for _, outputs := range []int{3, 1000} { // each with its own
		some := make([]map[int]float64, outputs)
		file := forged(t, wide(t, 20, some...), mostUnstored/2, func(map[string]safetensors.Tensor) {})
		var err error
		if used := allocated(func() { _, err = Decode(file) }); err == nil || used > 8<<20 {
			t.Errorf("%d outputs: %d bytes made Decode ask for %d, and %v", outputs, len(file), used, err)
		}
	}
}

// What a reader would refuse is written dense.
func TestSparseWeightsThatUnfoldTooFar(t *testing.T) {
	if unfolds(1, 1<<25, 10) || !unfolds(1, 1<<25, 1<<19) || !unfolds(2, 1<<23, 0) || unfolds(2, 1<<23+1, 0) || unfolds(1, -1, 5) {
		t.Error("found other bounds")
	}
	m := wide(t, mostUnstored+1, map[int]float64{1: 1})
	tensors := map[string]safetensors.Tensor{}
	m.packWeights(tensors)
	if names := slices.Sorted(maps.Keys(tensors)); !slices.Equal(names, []string{"weights"}) {
		t.Errorf("found the tensors %q, expected dense weights", names)
	}
}
