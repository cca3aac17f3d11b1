package elementary

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

var functions = vectest.Kernels{
	"ExpTo":          func(o vectest.Operands) []float64 { ExpTo(o.Y, vectest.Spread(o.X, 300)); return o.Y },
	"ExpTo in place": func(o vectest.Operands) []float64 { ExpTo(o.X, o.X); return o.X },
	"SinTo":          func(o vectest.Operands) []float64 { SinTo(o.Y, vectest.Spread(o.X, 3)); return o.Y },
	"CosTo":          func(o vectest.Operands) []float64 { CosTo(o.Y, vectest.Spread(o.X, 1e9)); return o.Y },
	"SinTo in place": func(o vectest.Operands) []float64 { SinTo(o.X, o.X); return o.X },
	"ExpTo32": func(o vectest.Operands) []float64 {
		ExpTo32(o.Y32, vectest.Spread(o.X32, 40))
		return vectest.Widened(o.Y32)
	},
	"Gaussian32": func(o vectest.Operands) []float64 { Gaussian32(o.Y32, 1, o.X32, 0.7); return vectest.Widened(o.Y32) },
	"Gaussian64": func(o vectest.Operands) []float64 { Gaussian64(o.Y, 1, o.X, 0.7); return o.Y },
	"SigmoidTo":  func(o vectest.Operands) []float64 { SigmoidTo(o.Y, vectest.Spread(o.X, 300)); return o.Y },
	"EntropyTo":  func(o vectest.Operands) []float64 { EntropyTo(o.Y, o.X); return o.Y },
	"EntropyTo of probabilities": func(o vectest.Operands) []float64 {
		SigmoidTo(o.Y, vectest.Spread(o.X, 10))
		EntropyTo(o.Y, o.Y)
		return o.Y
	},
	"LogTo": func(o vectest.Operands) []float64 { LogTo(o.Y, o.X); return o.Y },
	"LogTo of exponentials": func(o vectest.Operands) []float64 {
		ExpTo(o.X, vectest.Spread(o.X, 300))
		LogTo(o.Y, o.X)
		return o.Y
	},
	"SoftplusTo": func(o vectest.Operands) []float64 { SoftplusTo(o.Y, vectest.Spread(o.X, 10)); return o.Y },
}

func TestFunctionTwins(t *testing.T) { vectest.Twins(t, functions) }

func FuzzFunctionTwins(f *testing.F) { vectest.FuzzTwins(f, functions) }

func TestShortFunctionArgumentsPanic(t *testing.T) {
	w, x := make([]float64, 3), make([]float32, 4)
	for name, f := range map[string]func(){
		"ExpTo":      func() { ExpTo(w[:2:2], w) },
		"ExpTo32":    func() { ExpTo32(x[:3:3], x) },
		"SinTo":      func() { SinTo(w[:2:2], w) },
		"CosTo":      func() { CosTo(w[:2:2], w) },
		"SigmoidTo":  func() { SigmoidTo(w[:2:2], w) },
		"SoftplusTo": func() { SoftplusTo(w[:2:2], w) },
		"EntropyTo":  func() { EntropyTo(w[:2:2], w) },
		"LogTo":      func() { LogTo(w[:2:2], w) },
	} {
		if !vectest.Panics(f) {
			t.Errorf("%s: no panic", name)
		}
	}
}
