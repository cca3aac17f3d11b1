package svmlight_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/svmlight"
)

// fuzzRoom reads text as a file of known size, for which room is made beforehand:
// enough, more than enough, and too little, as after an untypical head.
func fuzzRoom(t *testing.T, text []byte) {
	s, err := readtest.ReadText(string(text), data.Options{Format: "libsvm"})
	for _, size := range []int{len(text), 3 * len(text), len(text) / 2, 1} {
		in, bad := file.NewInput(&file.Input{Name: "standard input"}, bytes.NewReader(text))
		if bad != nil || len(text) == 0 {
			return
		}
		in.Size = int64(size)
		got, gotErr := svmlight.LIBSVM{}.Read(context.Background(), []*file.Input{in}, &data.Options{Threads: 2, Blocking: data.Blocking{Chunk: 7}})
		if gotErr == nil {
			got.Vouch()
		}
		readtest.Same(t, fmt.Sprintf("a file of %d bytes", size), got, s, gotErr, err)
	}
}

func FuzzLIBSVM(f *testing.F) {
	for _, text := range readtest.AllKinds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		readtest.FuzzRead(t, text, "libsvm")
		fuzzRoom(t, text)
	})
}

// A stream of any text gives the rows that Read gives, and fails where it fails.
func FuzzBlocks(f *testing.F) {
	for _, text := range []string{"+1 1:1 3:-2.5\n-1 2:0.1 # no\n+1 1:16777216 4:0\n-1\n", "1 1:1\n\n# x\n1 2:1 2:1\n", "1 qid:3 1:1\r\n2\n", "1 1:x\n"} {
		f.Add([]byte(text), uint8(7), uint8(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, chunk, rows uint8) {
		opt := data.Options{Format: "libsvm", Source: data.Source{Stdin: bytes.NewReader(text)}, Threads: 1}
		s, want := data.Read(t.Context(), []string{"-"}, opt)
		opt.Stdin, opt.Chunk, opt.BlockRows, opt.Threads = bytes.NewReader(text), 1+int(chunk), 1+int(rows), 2
		opt.Columns = 1 << 12
		if want == nil {
			if s.Cols() > opt.Columns {
				t.Skip("too wide to compare")
			}
			opt.Columns = s.Cols()
		}
		got, _, err := readtest.Streamed(t, []string{"-"}, opt)
		if fmt.Sprint(err) != fmt.Sprint(want) && !(want != nil && err != nil && strings.Contains(err.Error(), "as asked for")) {
			t.Fatalf("found error %v, expected %v", err, want)
		}
		if want == nil && opt.Columns > 0 && !reflect.DeepEqual(got, readtest.RowsOf(s.X)) {
			t.Fatalf("found %v, expected %v", got, readtest.RowsOf(s.X))
		}
	})
}
