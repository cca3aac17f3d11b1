package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

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
	s, err := Blocks(t.Context(), []string{"-"}, Options{Stdin: r})
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
	s, err := Blocks(ctx, []string{"-"}, Options{Stdin: tirelessly{"1 1:1\n"}})
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
	if s, err = Blocks(context.Background(), []string{"-"}, Options{Stdin: tirelessly{"1,2\n"}, Format: "csv"}); err != nil {
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
	if _, err := Blocks(ctx, []string{"@toy"}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("found %v, expected %v", err, context.Canceled)
	}
	for wait := 0; runtime.NumGoroutine() > before; wait++ {
		if time.Sleep(time.Millisecond); wait > 2000 {
			t.Fatalf("found %d goroutines, expected %d", runtime.NumGoroutine(), before)
		}
	}
}

// A stream of any text gives the rows that Read gives, and fails where it fails.
func FuzzBlocks(f *testing.F) {
	for _, text := range []string{"+1 1:1 3:-2.5\n-1 2:0.1 # no\n+1 1:16777216 4:0\n-1\n", "1 1:1\n\n# x\n1 2:1 2:1\n", "1 qid:3 1:1\r\n2\n", "1 1:x\n"} {
		f.Add([]byte(text), uint8(7), uint8(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, chunk, rows uint8) {
		opt := Options{Format: "libsvm", Stdin: bytes.NewReader(text), Threads: 1}
		s, want := Read(t.Context(), []string{"-"}, opt)
		opt.Stdin, opt.Chunk, opt.BlockRows, opt.Threads = bytes.NewReader(text), 1+int(chunk), 1+int(rows), 2
		opt.Columns = 1 << 12
		if want == nil {
			if s.Cols() > opt.Columns {
				t.Skip("too wide to compare")
			}
			opt.Columns = s.Cols()
		}
		got, _, err := streamed(t, []string{"-"}, opt)
		if fmt.Sprint(err) != fmt.Sprint(want) && !(want != nil && err != nil && strings.Contains(err.Error(), "as asked for")) {
			t.Fatalf("found error %v, expected %v", err, want)
		}
		if want == nil && opt.Columns > 0 && !reflect.DeepEqual(got, rowsOf(s.X)) {
			t.Fatalf("found %v, expected %v", got, rowsOf(s.X))
		}
	})
}

// What a stream gives of a table without an error is what Read gives.
func FuzzBlocksOfTables(f *testing.F) {
	for _, text := range []string{"a,b,y\n1,-2.5,no\n0.1,3e-5,yes\n7,1,no\n", "1;2\n3;4\n", "1,2\nx,4\n", "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n{1 -2.5}\n"} {
		f.Add([]byte(text), uint8(7), uint8(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, chunk, rows uint8) {
		opt := Options{Format: "csv", Stdin: bytes.NewReader(text), Threads: 2, Unlabelled: true, Chunk: 1 + int(chunk), BlockRows: 1 + int(rows)}
		if bytes.HasPrefix(text, []byte("@")) {
			opt.Format = "arff"
		}
		got, cols, failed := streamed(t, []string{"-"}, opt)
		opt.Stdin = bytes.NewReader(text)
		s, err := Read(t.Context(), []string{"-"}, opt)
		if err == nil && slices.ContainsFunc(s.Schema.Columns, func(c Column) bool { return c.Why != "" }) {
			t.Skip("a stream knows the first rows alone of what numbers all")
		}
		switch {
		case err != nil && slices.ContainsFunc([]string{"target", "label", "class", "y"}, func(name string) bool { return strings.Contains(strings.ToLower(string(text)), name) }):
			// it may be the target, which does not matter to a stream
		case failed == nil && (err != nil || s.Cols() != cols || !reflect.DeepEqual(got, rowsOf(s.X))):
			t.Fatalf("found %v, expected %v, %v", got, s, err)
		case failed != nil && err == nil && !strings.Contains(failed.Error(), "a number in all of column") && !strings.Contains(failed.Error(), "no column of features"):
			t.Fatalf("found error %v, but the rows can be read", failed)
		case err == nil && failed != nil && s.Cols() == cols && len(got) > 0 && !reflect.DeepEqual(got, rowsOf(s.X)[:len(got)]):
			t.Fatalf("found %v before %v, expected the rows", got, failed)
		}
	})
}

// A mapped cache is given block by block where it is, dense or sparse: passes over
// it take no memory.
func TestBlocksOfMappedFile(t *testing.T) {
	for _, spec := range []string{"@low-rank:n=20000,d=100,rank=2", "@heavy-tailed:n=20000,d=700,rank=2"} {
		s, err := Read(t.Context(), []string{spec}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "rows.fen")
		if err := Write(t.Context(), path, s, ""); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 3 {
			stream, err := Blocks(t.Context(), []string{path}, Options{})
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
		s, err := Blocks(b.Context(), []string{"-"}, Options{Stdin: bytes.NewReader(text)})
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
