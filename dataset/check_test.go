package dataset

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// TestMisuse: what breaks a law of what is asked for is an error, whatever comes first.
// Package train has the table of sets that are none.
func TestMisuse(t *testing.T) {
	ctx := context.Background()
	first := func(opt Options) error {
		for _, err := range Arriving(ctx, opt) {
			return err
		}
		return nil
	}
	odd := &Schema{Columns: []Column{{Name: "a", Kind: "?"}, {Name: "b"}}, Header: true, Target: 1, Weight: -1}
	text := func() io.Reader { return strings.NewReader("a,b\n1,2\n") }
	none := &RowStream{}
	_, ended := none.Next()
	for name, err := range map[string]error{
		"codes without labels":   failure(FromDense([][]float32{{1}}, Target{Code: []uint32{0}})),
		"negative columns":       failure(FromSparse([]matrix.Vector{{}}, -1, Target{})),
		"Arriving from nothing":  first(Options{}),
		"Arriving with a schema": first(Options{Stdin: text(), Schema: odd}),
		"Read with a schema":     failure(Read(ctx, []string{"-"}, Options{Stdin: text(), Schema: odd})),
		"Blocks with a schema":   failure(Blocks(ctx, []string{"-"}, Options{Stdin: text(), Schema: odd})),
		"ReadFrom nothing":       failure(ReadFrom(ctx, nil, "x.csv", Options{})),
		"a stream of nothing":    ended,
	} {
		if err == nil {
			t.Errorf("%s: found no error", name)
		}
	}
	if err := none.Close(); err != nil {
		t.Error(err)
	}
	if found := (&Schema{Target: 4, Weight: 9}).Summary(); found != "0: " {
		t.Errorf("found the summary %q", found)
	}
}

func failure[T any](_ T, err error) error { return err }
