package problem

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkBalance returns the first law of balance that v breaks: the sum is
// exactly zero, no number grows or changes sign, the lighter sign loses at most
// rounding, and the heavier sign loses no more than that and the difference.
func checkBalance(v []float64) error {
	got := slices.Clone(v)
	balance(got, 0)
	sum := new(big.Rat)
	for i, x := range got {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("number %d became %g", i, x)
		}
		if math.Abs(x) > math.Abs(v[i]) || x*math.Copysign(1, v[i]) < 0 {
			return fmt.Errorf("number %d went from %g to %g", i, v[i], x)
		}
		sum.Add(sum, new(big.Rat).SetFloat64(x))
	}
	if sum.Sign() != 0 {
		return fmt.Errorf("the sum is %v, want exactly 0", sum.FloatString(400))
	}
	return checkLoss(v, got)
}

// checkLoss: rounding towards zero costs each number at most one quantum, which
// is at most 2^-61 of the sum of magnitudes or 2^-52 of the largest number (or
// the smallest normal number); the heavy side must come down to the light one.
func checkLoss(v, got []float64) error {
	plus, minus, kept, largest := 0.0, 0.0, 0.0, 0.0
	for i, x := range v {
		plus, minus = plus+math.Max(x, 0), minus+math.Max(-x, 0)
		kept += math.Abs(got[i])
		largest = math.Max(largest, math.Abs(x))
	}
	if math.IsInf(plus+minus, 1) {
		return nil // all is given up
	}
	quantum := math.Max(math.Max((plus+minus)*0x1p-61, largest*0x1p-52), 0x1p-1022)
	// Each sign counts its own n quanta, and this test's own sums are rounded.
	if least := 2*math.Min(plus, minus)*(1-float64(len(v))*0x1p-52) - 2*float64(len(v))*quantum; kept < least {
		return fmt.Errorf("of %g and %g only %g is left, want at least %g", plus, minus, kept, least)
	}
	return nil
}

func TestBalance(t *testing.T) {
	for _, c := range []struct{ v, want []float64 }{
		{nil, nil},
		{[]float64{0, 0}, []float64{0, 0}},
		{[]float64{1, -1}, []float64{1, -1}},
		{[]float64{3}, []float64{0}},
		{[]float64{-3, -4}, []float64{0, 0}},
		{[]float64{3, -1}, []float64{1, -1}},
		{[]float64{1, 2, -6}, []float64{1, 2, -3}},
		{[]float64{4, 2, -3}, []float64{2, 1, -3}}, // 6 against 3: halved
		{[]float64{0.5, -0.25, -0.25}, []float64{0.5, -0.25, -0.25}},
		{[]float64{math.Inf(1), -1}, []float64{0, 0}},
		{[]float64{math.MaxFloat64, math.MaxFloat64, -1}, []float64{0, 0, 0}},
	} {
		got := slices.Clone(c.v)
		balance(got, 0)
		if !slices.Equal(got, c.want) {
			t.Errorf("balance(%v) = %v, want %v", c.v, got, c.want)
		}
	}
}

// TestBalanceRandom meets sizes from 1 to 10^4 and magnitudes over the whole
// range of floating-point numbers, denormal ones too.
func TestBalanceRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for trial := range 600 {
		v := make([]float64, 1+r.IntN(1+trial%60))
		if trial%200 == 0 {
			v = make([]float64, 3000)
		}
		spread, middle := float64(trial%7)*4, 600*(r.Float64()-0.5)
		if trial%4 == 0 {
			middle = -700
		}
		shift := r.Float64() // share of negative numbers
		for i := range v {
			v[i] = math.Exp(middle + spread*r.NormFloat64())
			if r.Float64() < shift {
				v[i] = -v[i]
			}
		}
		if err := checkBalance(v); err != nil {
			t.Fatalf("trial %d, %v: %v", trial, v, err)
		}
	}
}

// FuzzBalance reads the bytes as floating-point numbers.
func FuzzBalance(f *testing.F) {
	add := func(v ...float64) {
		var b []byte
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		f.Add(b)
	}
	add(1, -2)
	add(1, 1, 1, -1e-17)
	add(0x1p-1074, -0x1p-1074)
	add(0x1p-1022, -0x1.8p-1022, 0x1p-1060)
	add(1e300, -1e-300, 1)
	add(math.MaxFloat64, -math.MaxFloat64/2)
	add(1.0/3, 1.0/7, -1.0/11, -1)
	f.Fuzz(func(t *testing.T, b []byte) {
		var v []float64
		for ; len(b) >= 8; b = b[8:] {
			// feasible never hands over a NaN.
			if x := math.Float64frombits(binary.LittleEndian.Uint64(b)); !math.IsNaN(x) && !math.IsInf(x, 0) {
				v = append(v, x)
			}
		}
		if err := checkBalance(v); err != nil {
			t.Errorf("%v: %v", v, err)
		}
	})
}
