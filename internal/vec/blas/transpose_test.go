package blas

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

// TestTranspose compares all sizes on every level, and that nothing around is
// written.
func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for range 200 {
		rows, cols := r.IntN(70), r.IntN(70)
		checkTranspose(t, drawBlock[float32](r, rows, cols), drawBlock[float32](r, cols, rows), Transpose32)
		checkTranspose(t, drawBlock[float64](r, rows, cols), drawBlock[float64](r, cols, rows), Transpose64)
	}
	if !vectest.Panics(func() { Transpose32(drawBlock[float32](r, 3, 4), drawBlock[float32](r, 3, 4)) }) {
		t.Error("wrong shape: no panic")
	}
}

func checkTranspose[T vec.Float](t *testing.T, src, dst Block[T], transpose func(dst, src Block[T])) {
	t.Helper()
	want := dst.clone()
	for i := range src.Rows {
		for j := range src.Cols {
			want.Value[j*dst.Stride+i] = src.Value[i*src.Stride+j]
		}
	}
	check := func(l cpu.Level) {
		got := dst.clone()
		if transpose(got, src); !slices.Equal(got.Value, want.Value) {
			t.Errorf("%s, %d x %d: not the transpose", l, src.Rows, src.Cols)
		}
	}
	defer cpu.Use(cpu.Chosen())
	cpu.Use(cpu.Portable)
	check(cpu.Portable)
	vectest.EachLevel(t, check)
}
