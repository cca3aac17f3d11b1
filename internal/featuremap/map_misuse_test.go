package featuremap

import (
	"context"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestMapMisuse: no map is made of what is no kernel, or no rows, and none has images of no map.
func TestMapMisuse(t *testing.T) {
	ctx, x := context.Background(), &matrix.Dense{Rows: 2, Cols: 1, Value: []float32{1, 2}}
	for name, use := range map[string]func(k kernel.Kernel, x matrix.Matrix) error{
		"NewNystrom":     func(k kernel.Kernel, x matrix.Matrix) error { _, err := NewNystrom(ctx, k, x, 1, 0, 1); return err },
		"NewCholesky":    func(k kernel.Kernel, x matrix.Matrix) error { _, _, err := NewCholesky(ctx, k, x, 1, 0, 1); return err },
		"RestoreNystrom": func(k kernel.Kernel, x matrix.Matrix) error { _, err := RestoreNystrom(k, x); return err },
	} {
		for of, err := range map[string]error{"no kernel": use(nil, x), "no rows": use(kernel.RBF{Gamma: 1}, nil), "no function": use(kernel.Func{}, x)} {
			if err == nil {
				t.Errorf("%s, %s: found no error", name, of)
			}
		}
	}
	if _, err := Images(ctx, nil, x, 0); err == nil {
		t.Error("images of no map: found no error")
	}
}
