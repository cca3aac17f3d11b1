package fen_test

import (
	"context"
	"os"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/fen"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// BenchmarkFEN opens a cache: maps it and checks every byte.
func BenchmarkFEN(b *testing.B) {
	path := b.TempDir() + "/x.fen"
	s := readtest.MustRead(b, data.Options{}, "@text:n=50000")
	if err := data.Write(context.Background(), path, s, ""); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	for name, threads := range map[string]int{"threads=1": 1, "threads=all": 0} {
		b.Run("open/"+name, func(b *testing.B) {
			b.SetBytes(info.Size())
			for b.Loop() {
				readtest.MustRead(b, data.Options{Threads: threads}, path).Close()
			}
		})
	}
	b.Run("write", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			if err := (fen.Format{}).Write(discard{}, s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
