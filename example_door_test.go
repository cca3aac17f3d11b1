package fenchel_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
)

// Train, save, load, predict and verify.
func Example() {
	folder, _ := os.MkdirTemp("", "fenchel")
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "ring.model")

	ctx := context.Background()
	set, err := fenchel.Read(ctx, []string{"@spirals:n=300"}, data.Options{}) // or files
	check(err)
	trained, err := fenchel.Train(ctx, set, fenchel.Spec{Kernel: "rbf:gamma=10", Gap: 1e-4})
	check(err)
	check(trained.Model.WriteFile(path))
	m, err := fenchel.Load(path)
	check(err)
	verified, err := fenchel.Verify(ctx, m, set, fenchel.Options{})
	check(err)
	fmt.Println(m.Class(set.X.Row(0)), verified.OK(), verified.Found.Gap < 1e-4)
	// Output: +1 true true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
