// Package vectest holds kernels to plain Go, on every level of the processor.
package vectest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
)

// EachLevel runs do for every level that the processor has but plain Go.
func EachLevel(t testing.TB, do func(l cpu.Level)) {
	t.Helper()
	defer cpu.Use(cpu.Chosen())
	for _, l := range cpu.Levels()[1:] {
		cpu.Use(l)
		do(l)
	}
}

// Kernels are what functions of vectors make of operands, as numbers, by their names.
type Kernels map[string]func(o Operands) []float64

// Twins holds every level to the bits of plain Go, at all lengths and alignments, for numbers of
// all kinds.
func Twins(t *testing.T, kernels Kernels) {
	r := rand.New(rand.NewPCG(5, 6))
	try := func(n, kind, offset int) {
		o := DrawOperands(r, n, kind)
		for name, k := range kernels {
			cpu.Use(cpu.Portable)
			want := k(o.Clone(aligned(0)))
			EachLevel(t, func(l cpu.Level) {
				if got := k(o.Clone(aligned(offset))); !SameBits(got, want) {
					t.Errorf("%s %s, n=%d, kind %d, offset %d: %v, plain Go has %v", name, l, n, kind, offset, got, want)
				}
			})
		}
	}
	defer cpu.Use(cpu.Chosen())
	for n := range 301 {
		try(n, 0, 4*r.IntN(16))
		try(n, 1+n%2, 4*r.IntN(16))
	}
	for offset := 0; offset < 64; offset += 4 {
		for range 10 {
			try(r.IntN(100), r.IntN(3), offset)
		}
	}
	try(1000, 0, 4)
}

// Panics reports whether f does.
func Panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// FuzzTwins looks for lengths, alignments and numbers on which levels differ.
func FuzzTwins(f *testing.F, kernels Kernels) {
	f.Add(uint64(1), uint16(17), uint8(4))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, offset uint8) {
		o := DrawOperands(rand.New(rand.NewPCG(seed, 1)), int(n)%500, int(seed%3))
		defer cpu.Use(cpu.Chosen())
		for name, k := range kernels {
			cpu.Use(cpu.Portable)
			want := k(o.Clone(aligned(0)))
			EachLevel(t, func(l cpu.Level) {
				if got := k(o.Clone(aligned(int(offset) % 64 &^ 3))); !SameBits(got, want) {
					t.Error(fmt.Sprint(name, l, got, want))
				}
			})
		}
	})
}

// EveryLevel runs a benchmark once for each level, plain Go included.
func EveryLevel(b *testing.B, name string, bench func(b *testing.B)) {
	before := cpu.Chosen()
	defer cpu.Use(before)
	for _, l := range cpu.Levels() {
		b.Run(fmt.Sprintf("level=%s/%s", l, name), func(b *testing.B) {
			cpu.Use(l)
			bench(b)
		})
	}
}
