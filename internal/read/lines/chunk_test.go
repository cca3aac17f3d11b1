package lines_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/processor"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

func TestChunksAndWorkers(t *testing.T) {
	for _, text := range readtest.AllKinds {
		want, wantErr := readtest.ReadText(text, data.Options{Threads: 1})
		for _, workers := range []int{1, 2, 4} {
			for size := 1; size <= 64; size++ {
				s, err := readtest.ReadText(text, data.Options{Threads: workers, Blocking: data.Blocking{Chunk: size}})
				readtest.Same(t, fmt.Sprintf("%q, %d workers, chunks of %d", text, workers, size), s, want, err, wantErr)
			}
		}
	}
}

func TestReaders(t *testing.T) {
	for _, text := range readtest.AllKinds {
		want, wantErr := readtest.ReadText(text, data.Options{})
		for name, wrap := range map[string]func(io.Reader) io.Reader{"half": iotest.HalfReader, "one": iotest.OneByteReader, "data and error": iotest.DataErrReader} {
			s, err := data.Read(context.Background(), []string{"-"}, data.Options{Source: data.Source{Stdin: wrap(strings.NewReader(text))}, Blocking: data.Blocking{Chunk: 16}})
			readtest.Same(t, name, s, want, err, wantErr)
		}
	}
	broken := errors.New("broken wire")
	for _, workers := range []int{1, 3} {
		late := io.MultiReader(strings.NewReader("1 1:1\n1 2:1\n1 3"), iotest.ErrReader(broken))
		_, err := data.Read(context.Background(), []string{"-"}, data.Options{Source: data.Source{Stdin: late}, Threads: workers, Blocking: data.Blocking{Chunk: 4}})
		if !errors.Is(err, broken) || err.Error() != "standard input: broken wire" {
			t.Errorf("found %v, expected the late error", err)
		}
		bad := io.MultiReader(strings.NewReader("1 1:1\n1 2:x\n1 3"), iotest.ErrReader(broken))
		_, err = data.Read(context.Background(), []string{"-"}, data.Options{Source: data.Source{Stdin: bad}, Threads: workers, Blocking: data.Blocking{Chunk: 4}})
		if err == nil || !strings.HasPrefix(err.Error(), "standard input:2:5: found \"x\"") {
			t.Errorf("found %v, expected the first error of the file", err)
		}
	}
}

// endless gives rows for ever and cancels after a while.
type endless struct {
	left   int
	cancel func()
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left--; e.left == 0 {
		e.cancel()
	}
	return copy(p, "1 1:1\n"), nil
}

func TestCancel(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := data.Read(ctx, []string{"-"}, data.Options{Source: data.Source{Stdin: &endless{20000, cancel}}, Threads: workers, Blocking: data.Blocking{Chunk: 64}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("found %v, expected a cancellation", err)
		}
		ctx, cancel = context.WithCancel(context.Background())
		r, _ := io.Pipe() // blocks for ever
		go cancel()
		if _, err := data.Read(ctx, []string{"-"}, data.Options{Source: data.Source{Stdin: r}}); !errors.Is(err, context.Canceled) {
			t.Errorf("found %v, expected a cancellation", err)
		}
	}
}

func TestLongLine(t *testing.T) {
	defer func(n int) { lines.MaxRecord = n }(lines.MaxRecord)
	lines.MaxRecord = 1000
	long := "1 1:1\n2 1:1 #" + strings.Repeat("x", 2000) + "\n"
	_, err := readtest.ReadText(long, data.Options{Blocking: data.Blocking{Chunk: 16}})
	if err == nil || err.Error() != "standard input:2: found a line longer than 1000 bytes, expected a line break" {
		t.Errorf("found %v", err)
	}
}

// Long runs of one byte must neither take quadratic time nor deep recursion.
func TestHostileRuns(t *testing.T) {
	const n = 1 << 19
	for _, piece := range []string{"\x01", "\n", "\"", "\"\n", ",", " \"", "1 ", "1:", "#", "{", "{}\n", "?,", "\\", "'"} {
		run := strings.Repeat(piece, n/len(piece))
		for _, head := range []string{"1 ", "1,2\n", "@relation r\n@attribute a real\n@attribute b real\n@data\n"} {
			for _, format := range []string{"libsvm", "csv", "arff"} {
				start := processor.Time()
				_, _ = readtest.ReadText(head+run, data.Options{Format: format})
				if d := processor.Time() - start; d > 20*time.Second { // quadratic time would be minutes or hours
					t.Errorf("%s: %q... took %v of the processor", format, piece, d)
				}
			}
		}
	}
}
