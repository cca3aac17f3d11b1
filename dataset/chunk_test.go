package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/fenchel-ml/fenchel/dataset/internal/lines"
)

// same says whether two results of Read are the same, errors by their text.
func same(t *testing.T, what string, a, b *Set, errA, errB error) {
	t.Helper()
	if fmt.Sprint(errA) != fmt.Sprint(errB) {
		t.Fatalf("%s: found error %v, expected %v", what, errA, errB)
	}
	if errA == nil && fmt.Sprint(a.Warnings) != fmt.Sprint(b.Warnings) {
		t.Fatalf("%s: found warnings %v, expected %v", what, a.Warnings, b.Warnings)
	}
	if errA == nil && !reflect.DeepEqual(withoutWarnings(a), withoutWarnings(b)) {
		t.Fatalf("%s: found %+v, expected %+v", what, a, b)
	}
}

func withoutWarnings(s *Set) Set {
	c := *s
	c.Warnings = nil
	return c
}

// allKinds are texts that touch every branch of the three line formats.
var allKinds = []string{
	"+1 1:1 3:-2.5e0 # x\n\n# c\n-1 2:0.1\r\n1 qid:3 1:16777217 4:0\n-1.0",
	"1 1:1\n2 1:2\n3 2:1 1:4\n4 1:nan\n",
	"a,b,y\n1,x,0\n2,\"line\nbreak, \"\"q\"\"\",1\n,?,1\n3.5,x,0\n",
	"1;2;3\n4;;6\n\n7;8;9\n",
	"1,2\n3,4,5\n6\n",
	"1,2\n\"3,4\n5,6\n",
	"x\ty\n1\tA\n 2 \tB\n0\tA\n",
	"1,y\n0.1,y\n0.2,n\n0.3,y\n1e10,n\n-1e10,n\n",
	"@relation r\n@attribute a numeric\n@attribute 'b c' {x, 'y z'}\n@attribute class {p,q}\n@data\n1,x,p\n% c\n?, 'y z', q\n{0 2, 2 q}\n{}\n",
	"@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\nx,3\n{0 1, 5 2}\n",
}

func TestChunksAndWorkers(t *testing.T) {
	for _, text := range allKinds {
		want, wantErr := readText(text, Options{Threads: 1})
		for _, workers := range []int{1, 2, 4} {
			for size := 1; size <= 64; size++ {
				s, err := readText(text, Options{Threads: workers, Chunk: size})
				same(t, fmt.Sprintf("%q, %d workers, chunks of %d", text, workers, size), s, want, err, wantErr)
			}
		}
	}
}

func TestReaders(t *testing.T) {
	for _, text := range allKinds {
		want, wantErr := readText(text, Options{})
		for name, wrap := range map[string]func(io.Reader) io.Reader{"half": iotest.HalfReader, "one": iotest.OneByteReader, "data and error": iotest.DataErrReader} {
			s, err := Read(context.Background(), []string{"-"}, Options{Stdin: wrap(strings.NewReader(text)), Chunk: 16})
			same(t, name, s, want, err, wantErr)
		}
	}
	broken := errors.New("broken wire")
	for _, workers := range []int{1, 3} {
		late := io.MultiReader(strings.NewReader("1 1:1\n1 2:1\n1 3"), iotest.ErrReader(broken))
		_, err := Read(context.Background(), []string{"-"}, Options{Stdin: late, Threads: workers, Chunk: 4})
		if !errors.Is(err, broken) || err.Error() != "standard input: broken wire" {
			t.Errorf("found %v, expected the late error", err)
		}
		bad := io.MultiReader(strings.NewReader("1 1:1\n1 2:x\n1 3"), iotest.ErrReader(broken))
		_, err = Read(context.Background(), []string{"-"}, Options{Stdin: bad, Threads: workers, Chunk: 4})
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
		_, err := Read(ctx, []string{"-"}, Options{Stdin: &endless{20000, cancel}, Threads: workers, Chunk: 64})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("found %v, expected a cancellation", err)
		}
		ctx, cancel = context.WithCancel(context.Background())
		r, _ := io.Pipe() // blocks for ever
		go cancel()
		if _, err := Read(ctx, []string{"-"}, Options{Stdin: r}); !errors.Is(err, context.Canceled) {
			t.Errorf("found %v, expected a cancellation", err)
		}
	}
}

func TestLongLine(t *testing.T) {
	defer func(n int) { lines.MaxRecord = n }(lines.MaxRecord)
	lines.MaxRecord = 1000
	long := "1 1:1\n2 1:1 #" + strings.Repeat("x", 2000) + "\n"
	_, err := readText(long, Options{Chunk: 16})
	if err == nil || err.Error() != "standard input:2: found a line longer than 1000 bytes, expected a line break" {
		t.Errorf("found %v", err)
	}
}

// Long runs of one byte must neither take quadratic time nor deep recursion.
func TestHostileRuns(t *testing.T) {
	const n = 1 << 20
	for _, piece := range []string{"\x01", "\n", "\"", "\"\n", ",", " \"", "1 ", "1:", "#", "{", "{}\n", "?,", "\\", "'"} {
		run := strings.Repeat(piece, n/len(piece))
		for _, head := range []string{"1 ", "1,2\n", "@relation r\n@attribute a real\n@attribute b real\n@data\n"} {
			for _, format := range []string{"libsvm", "csv", "arff"} {
				start := time.Now()
				_, _ = readText(head+run, Options{Format: format})
				if d := time.Since(start); d > time.Minute { // quadratic time would be hours
					t.Errorf("%s: %q... took %v", format, piece, d)
				}
			}
		}
	}
}
