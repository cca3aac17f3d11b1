package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"testing"
)

func BenchmarkReplay(b *testing.B) {
	base := os.Getenv("REPLAY")
	mem, _ := os.ReadFile(base + ".mem")
	js, _ := os.ReadFile(base + ".json")
	f, err := os.CreateTemp("/dev/shm", "replay")
	if err != nil {
		b.Fatal(err)
	}
	defer os.Remove(f.Name())
	f.Write(mem)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go Serve(context.Background(), inR, outW, NewMemory(f))
	var frame map[string]json.RawMessage
	json.Unmarshal(js, &frame)
	for b.Loop() {
		writeFrame(inW, frame)
		text, err := readFrame(outR)
		if err != nil || bytes.Contains(text, []byte(`"error"`)) {
			b.Fatal(err, string(text))
		}
		_ = text
	}
	inW.Close()
}
