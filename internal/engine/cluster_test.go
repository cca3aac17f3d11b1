package engine

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A worker ends when its folder is removed, though its input stays open.
func TestWorkerEndsWithItsFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	in, open := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- ServeWorker(context.Background(), in, io.Discard, folder, 1) }()
	if err := writePayload(open, map[string]any{"verb": "other"}, nil); err != nil { // the folder is there by now
		t.Fatal(err)
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
