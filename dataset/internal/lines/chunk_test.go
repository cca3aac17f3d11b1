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

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/dataset/internal/datasettest"
	"github.com/fenchel-ml/fenchel/dataset/internal/lines"
	"github.com/fenchel-ml/fenchel/internal/processtest"
)

func TestChunksAndWorkers(t *testing.T) {
	for _, text := range datasettest.AllKinds {
		want, wantErr := datasettest.ReadText(text, dataset.Options{Threads: 1})
		for _, workers := range []int{1, 2, 4} {
			for size := 1; size <= 64; size++ {
				s, err := datasettest.ReadText(text, dataset.Options{Threads: workers, Chunk: size})
				datasettest.Same(t, fmt.Sprintf("%q, %d workers, chunks of %d", text, workers, size), s, want, err, wantErr)
			}
		}
	}
}

func TestReaders(t *testing.T) {
	for _, text := range datasettest.AllKinds {
		want, wantErr := datasettest.ReadText(text, dataset.Options{})
		for name, wrap := range map[string]func(io.Reader) io.Reader{"half": iotest.HalfReader, "one": iotest.OneByteReader, "data and error": iotest.DataErrReader} {
			s, err := dataset.Read(context.Background(), []string{"-"}, dataset.Options{Stdin: wrap(strings.NewReader(text)), Chunk: 16})
			datasettest.Same(t, name, s, want, err, wantErr)
		}
	}
	broken := errors.New("broken wire")
	for _, workers := range []int{1, 3} {
		late := io.MultiReader(strings.NewReader("1 1:1\n1 2:1\n1 3"), iotest.ErrReader(broken))
		_, err := dataset.Read(context.Background(), []string{"-"}, dataset.Options{Stdin: late, Threads: workers, Chunk: 4})
		if !errors.Is(err, broken) || err.Error() != "standard input: broken wire" {
			t.Errorf("found %v, expected the late error", err)
		}
		bad := io.MultiReader(strings.NewReader("1 1:1\n1 2:x\n1 3"), iotest.ErrReader(broken))
		_, err = dataset.Read(context.Background(), []string{"-"}, dataset.Options{Stdin: bad, Threads: workers, Chunk: 4})
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
		_, err := dataset.Read(ctx, []string{"-"}, dataset.Options{Stdin: &endless{20000, cancel}, Threads: workers, Chunk: 64})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("found %v, expected a cancellation", err)
		}
		ctx, cancel = context.WithCancel(context.Background())
		r, _ := io.Pipe() // blocks for ever
		go cancel()
		if _, err := dataset.Read(ctx, []string{"-"}, dataset.Options{Stdin: r}); !errors.Is(err, context.Canceled) {
			t.Errorf("found %v, expected a cancellation", err)
		}
	}
}

func TestLongLine(t *testing.T) {
	defer func(n int) { lines.MaxRecord = n }(lines.MaxRecord)
	lines.MaxRecord = 1000
	long := "1 1:1\n2 1:1 #" + strings.Repeat("x", 2000) + "\n"
	_, err := datasettest.ReadText(long, dataset.Options{Chunk: 16})
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
				start := processtest.Processor()
				_, _ = datasettest.ReadText(head+run, dataset.Options{Format: format})
				if d := processtest.Processor() - start; d > 20*time.Second { // quadratic time would be minutes or hours
					t.Errorf("%s: %q... took %v of the processor", format, piece, d)
				}
			}
		}
	}
}
