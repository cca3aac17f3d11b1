package gram

import (
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestMisuse: what is no kernel, or no rows, is refused.
func TestMisuse(t *testing.T) {
	x := &matrix.Dense{Rows: 2, Cols: 1, Value: []float32{1, 2}}
	rbf := kernel.RBF{Gamma: 1}
	gram, err := NewGram(rbf, x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, use := range map[string]func(k kernel.Kernel, x matrix.Matrix) error{
		"NewGram": func(k kernel.Kernel, x matrix.Matrix) error { _, err := NewGram(k, x, Options{}); return err },
		"Check":   func(k kernel.Kernel, x matrix.Matrix) error { _, err := Check(k, x, 5); return err },
	} {
		for of, err := range map[string]error{"no kernel": use(nil, x), "no rows": use(rbf, nil), "no function": use(kernel.Func{}, x)} {
			if err == nil {
				t.Errorf("%s, %s: found no error", name, of)
			}
		}
	}
	for name, err := range map[string]error{
		"NewGram of an empty matrix": second(NewGram(rbf, &matrix.Dense{}, Options{})),
		"Part without rows":          second(gram.Part(nil)),
		"Part beyond":                second(gram.Part([]int{2})),
	} {
		if err == nil {
			t.Errorf("%s: found no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }
