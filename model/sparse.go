package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/safetensors"
)

// Weights of a linear model of which most are zero are written as a sparse matrix, a row
// for each output, where that takes less room. In memory they are dense, as scoring is
// faster so.

// Where few weights are there, a file may claim any number of features: as many numbers
// as this are made, or so many for each that is there. Others are written dense.
const (
	mostUnstored = 1 << 24
	mostForEach  = 64
)

// unfolds reports whether so many weights may be made of those that are stored.
func unfolds(outputs, features, stored int) bool {
	return outputs > 0 && features >= 0 && features <= max(mostUnstored, mostForEach*stored)/outputs
}

// packWeights adds weights to tensors. What is not zero has a bit: -0 is kept.
func (m *Model) packWeights(tensors map[string]safetensors.Tensor) {
	k, d, stored := len(m.Outputs), m.Data.Features, 0
	for _, o := range m.Outputs {
		for _, w := range o.Weights {
			stored += one(math.Float64bits(w) != 0)
		}
	}
	if 12*stored+8*(k+1) >= 8*k*d || !unfolds(k, d, stored) {
		tensors["weights"] = safetensors.Tensor{Shape: []int{k, d}, Value: m.gather(func(o Output) []float64 { return o.Weights })}
		return
	}
	start, index, value := make([]int64, 1, k+1), make([]uint32, 0, stored), make([]float64, 0, stored)
	for _, o := range m.Outputs {
		for j, w := range o.Weights {
			if math.Float64bits(w) != 0 {
				index, value = append(index, uint32(j)), append(value, w)
			}
		}
		start = append(start, int64(len(index)))
	}
	tensors["weights.indptr"] = safetensors.Tensor{Shape: []int{k + 1}, Value: start}
	tensors["weights.indices"] = safetensors.Tensor{Shape: []int{stored}, Value: index}
	tensors["weights.values"] = safetensors.Tensor{Shape: []int{stored}, Value: value}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// restoreSparse takes weights that packWeights has made sparse out of the tensors, and
// compares all sizes with what is there before it makes room.
func (m *Model) restoreSparse(tensors map[string]safetensors.Tensor) error {
	k, d := len(m.Outputs), m.Data.Features
	start, first := tensors["weights.indptr"].Value.([]int64)
	index, second := tensors["weights.indices"].Value.([]uint32)
	value, third := tensors["weights.values"].Value.([]float64)
	if _, dense := tensors["weights"]; dense || !first || !second || !third {
		return fmt.Errorf("found sparse weights of the types %s, %s and %s, expected I64, U32 and F64, and no dense ones beside them",
			tensors["weights.indptr"].DType(), tensors["weights.indices"].DType(), tensors["weights.values"].DType())
	}
	if len(start) != k+1 || start[0] != 0 || start[k] != int64(len(value)) || len(index) != len(value) || !slices.IsSorted(start) {
		return fmt.Errorf("found %d places and %d values of sparse weights in %d rows, expected as many of one as of the other, in %d", len(index), len(value), len(start)-1, k)
	}
	if !unfolds(k, d, len(value)) {
		return fmt.Errorf("found %d sparse weights of %d features for %d classifiers, expected at most %d numbers of them, or %d for each", len(value), d, k, mostUnstored, mostForEach)
	}
	for c := range m.Outputs {
		lo, hi := start[c], start[c+1]
		o := &m.Outputs[c]
		o.Weights = make([]float64, d)
		for i := lo; i < hi; i++ {
			j, w := index[i], value[i]
			if int64(j) >= int64(d) || i > lo && j <= index[i-1] {
				return fmt.Errorf("classifier %d: found a weight of feature %d, expected increasing ones up to %d", c+1, int64(j)+1, d)
			}
			if math.IsNaN(w) || math.IsInf(w, 0) || math.Float64bits(w) == 0 {
				return fmt.Errorf("classifier %d: found the weight %g of feature %d, expected a finite number that is not 0", c+1, w, int64(j)+1)
			}
			o.Weights[j] = w
		}
		if math.IsNaN(o.Bias) || math.IsInf(o.Bias, 0) {
			return fmt.Errorf("found the bias %g, expected a finite number", o.Bias)
		}
	}
	return nil
}
