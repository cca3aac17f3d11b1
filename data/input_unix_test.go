//go:build unix

package data_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/data"
)

// A named pipe waits for its writer; the one who asked may lose patience.
func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipe: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := data.Read(ctx, []string{path}, data.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("found %v, expected that the time is over", err)
	}
	// Another pipe: the reader that was left behind still waits at the first.
	path = filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	go os.WriteFile(path, []byte("1 1:1\n2 1:2\n"), 0)
	if s, err := data.Read(context.Background(), []string{path}, data.Options{}); err != nil || s.Rows() != 2 {
		t.Errorf("found %+v, %v", s, err)
	}
}
