package vec

import (
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

// blockOf returns a row of up to 37 columns, and the indices as those of rows of w that have as many.
func blockOf(o vectest.Operands) (columns []float64, index []uint32) {
	columns, index = o.X[:len(o.X)*7%min(38, len(o.X)+1)], slices.Clone(o.Index)
	for k := range index {
		index[k] %= uint32(len(o.W) / max(1, len(columns)))
	}
	return columns, index
}

// kernels returns the result of each, as numbers.
var kernels = vectest.Kernels{
	"Dot":           func(o vectest.Operands) []float64 { return o.Sum(Dot(o.X, o.Y32)) },
	"Dot64":         func(o vectest.Operands) []float64 { return o.Sum(Dot64(o.X, o.Y)) },
	"SquaredNorm":   func(o vectest.Operands) []float64 { return o.Sum(SquaredNorm(o.X32)) },
	"SquaredNorm64": func(o vectest.Operands) []float64 { return o.Sum(SquaredNorm64(o.X)) },
	"SparseDot":     func(o vectest.Operands) []float64 { return o.Sum(SparseDot(o.W, o.Index, o.X32)) },
	"SparseDots": func(o vectest.Operands) []float64 {
		start := growing(len(o.X32))
		dst := make([]float64, len(start)-1)
		SparseDots(dst, o.W, start, o.Index, o.X32)
		return dst
	},
	"SparseAxpys": func(o vectest.Operands) []float64 {
		start := growing(len(o.X32))
		scale := slices.Repeat([]float64{o.Alpha, o.Beta, 0}, len(start))[:len(start)-1]
		SparseAxpys(o.W, scale, start, o.Index, o.X32)
		return o.W
	},
	"SparseGemv": func(o vectest.Operands) []float64 {
		dst, index := blockOf(o)
		SparseGemv(dst, o.W, index, o.X32)
		return dst
	},
	"SparseGemv without indices": func(o vectest.Operands) []float64 {
		dst, _ := blockOf(o)
		SparseGemv(dst, o.W, nil, o.X32[:min(len(o.X32), len(o.W)/max(1, len(dst)))])
		return dst
	},
	"SparseGer": func(o vectest.Operands) []float64 {
		v, index := blockOf(o)
		SparseGer(o.W, v, index, o.X32)
		return o.W
	},
	"Axpy":       func(o vectest.Operands) []float64 { Axpy(o.X, o.Alpha, o.Y32); return o.X },
	"Axpy64":     func(o vectest.Operands) []float64 { Axpy64(o.X, o.Alpha, o.Y); return o.X },
	"ScaledAdd":  func(o vectest.Operands) []float64 { ScaledAdd(o.X, o.Alpha, o.Beta, o.Y); return o.X },
	"SparseAxpy": func(o vectest.Operands) []float64 { SparseAxpy(o.W, o.Alpha, o.Index, o.X32); return o.W },
	"AddRows32": func(o vectest.Operands) []float64 {
		AddRows32(o.X, [][]float32{o.X32, o.Y32, o.X32}, 0, []float64{o.Alpha, o.Beta, 3})
		return o.X
	},
	"AddRows64": func(o vectest.Operands) []float64 {
		AddRows64(o.X, [][]float64{o.Y, o.Y}, 0, []float64{o.Alpha, o.Beta})
		return o.X
	},
	"Extremes": func(o vectest.Operands) []float64 {
		i, j := Extremes(o.W, o.Y, o.X)
		return []float64{float64(i), float64(j)}
	},
	"Partner": func(o vectest.Operands) []float64 {
		return o.Sum(float64(Partner(o.Beta, o.Alpha, 1e-12, o.Y, o.X, o.W, o.W[len(o.X):])))
	},
	"PrefetchRow":      func(o vectest.Operands) []float64 { PrefetchRow(o.Index, o.X32); return nil },
	"PrefetchElements": func(o vectest.Operands) []float64 { PrefetchElements(o.W, o.Index); return nil },
}

// growing cuts n elements into rows of 0, 1, 2, ... and the rest.
func growing(n int) []int64 {
	start := []int64{0}
	for at := 0; at < n; at += len(start) {
		start = append(start, int64(at))
	}
	return append(start, int64(n))
}
