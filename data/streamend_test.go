package data_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Memory does not grow with the rows: 200 MB of text go through a pipe.
func TestBlocksMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("200 MB of text are parsed")
	}
	line := []byte("1 1:0.5 17:0.25 300:-1.5 4000:2 50000:0.125 600000:1\n")
	piece := bytes.Repeat(line, 1000)
	const pieces = 200_000_000 / 53_000
	r, w := io.Pipe()
	go func() {
		for range pieces {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
		w.Close()
	}()
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := data.Blocks(t.Context(), []string{"-"}, data.Options{Source: data.Source{Stdin: r}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	most := uint64(0)
	for _, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		if s.Rows()%(200<<10) == 0 {
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapInuse)
		}
	}
	if s.Rows() != pieces*1000 {
		t.Errorf("found %d rows, expected %d", s.Rows(), pieces*1000)
	}
	if grown := int64(most) - int64(before.HeapInuse); grown > 64<<20 {
		t.Errorf("found the heap grown by %d MB, expected at most 64", grown>>20)
	} else {
		t.Logf("the heap grew by %d MB at most", grown>>20)
	}
}

// tirelessly is text without end.
type tirelessly struct{ line string }

func (e tirelessly) Read(p []byte) (int, error) {
	n := 0
	for n+len(e.line) <= len(p) {
		n += copy(p[n:], e.line)
	}
	return n, nil
}

// A stream that is cancelled or closed ends, and leaves no goroutine behind.
func TestBlocksEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, stop := context.WithCancel(context.Background())
	s, err := data.Blocks(ctx, []string{"-"}, data.Options{Source: data.Source{Stdin: tirelessly{"1 1:1\n"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	stop()
	for err == nil { // a few blocks may be there already
		_, err = s.Next()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("found %v, expected %v", err, context.Canceled)
	}
	s.Close()
	if s, err = data.Blocks(context.Background(), []string{"-"}, data.Options{Source: data.Source{Stdin: tirelessly{"1,2\n"}}, Format: "csv"}); err != nil {
		t.Fatal(err)
	}
	for range s.All() {
		break
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.Next(); err == nil || err == io.EOF {
		t.Errorf("found %v after closing, expected an error", err)
	}
	if _, err := data.Blocks(ctx, []string{"@toy"}, data.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("found %v, expected %v", err, context.Canceled)
	}
	for wait := 0; runtime.NumGoroutine() > before; wait++ {
		if time.Sleep(time.Millisecond); wait > 60000 {
			t.Fatalf("found %d goroutines, expected %d", runtime.NumGoroutine(), before)
		}
	}
}

// A mapped cache is given block by block where it is, dense or sparse: passes over
// it take no memory.
func TestBlocksOfMappedFile(t *testing.T) {
	for _, spec := range []string{"@low-rank:n=20000,d=100,rank=2", "@heavy-tailed:n=20000,d=700,rank=2"} {
		s, err := data.Read(t.Context(), []string{spec}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "rows.fen")
		if err := data.Write(t.Context(), path, s, ""); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 3 {
			stream, err := data.Blocks(t.Context(), []string{path}, data.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range stream.All() {
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := stream.Close(); err != nil || stream.Rows() != 20000 {
				t.Errorf("%s: found %d rows, %v", spec, stream.Rows(), err)
			}
		}
		runtime.ReadMemStats(&after)
		if grown, all := after.TotalAlloc-before.TotalAlloc, uint64(4*matrix.Nonzeros(s.X)); grown > all/4 {
			t.Errorf("%s: three passes over %d bytes took %d, expected next to nothing", spec, all, grown)
		}
	}
}

func BenchmarkBlocks(b *testing.B) {
	text := []byte(strings.Repeat("1 1:0.5 17:0.25 300:-1.5 4000:2 50000:0.125 600000:1\n", 200_000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s, err := data.Blocks(b.Context(), []string{"-"}, data.Options{Source: data.Source{Stdin: bytes.NewReader(text)}})
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range s.All() {
			if err != nil {
				b.Fatal(err)
			}
		}
		s.Close()
	}
}
