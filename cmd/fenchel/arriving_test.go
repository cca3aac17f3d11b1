package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
)

// Each row of a pipe is answered before the next one comes.
func TestPredictLineByLine(t *testing.T) {
	folder := t.TempDir()
	data, path := filepath.Join(folder, "d.csv"), filepath.Join(folder, "m")
	if err := os.WriteFile(data, []byte("a,c,y\n1,u,no\n5,v,yes\n2,u,no\n7,v,yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"train", data, "-q", "-o", path}, nil, io.Discard, os.Stderr); code != exitcode.OK {
		t.Fatal(code)
	}
	stdin, rows := io.Pipe()
	answers, stdout := io.Pipe()
	done := make(chan int)
	go func() {
		code := run([]string{"predict", path, "-", "--id", "a"}, stdin, stdout, os.Stderr)
		stdout.Close()
		done <- code
	}()
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(answers); s.Scan(); {
			lines <- s.Text()
		}
	}()
	for _, c := range [][2]string{{"a,c\n1,u\n", "1\tno"}, {"6,v\n", "6\tyes"}, {"1,u\n", "1\tno"}} {
		io.WriteString(rows, c[0])
		select {
		case line := <-lines:
			if line != c[1] {
				t.Errorf("%q: found %q, expected %q", c[0], line, c[1])
			}
		case <-time.After(time.Minute):
			t.Fatalf("%q: found no answer", c[0])
		}
	}
	rows.Close()
	if _, more := <-lines; more {
		t.Error("found one more line")
	}
	if code := <-done; code != exitcode.OK {
		t.Errorf("found exit code %d", code)
	}
}
